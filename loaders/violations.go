package loaders

import (
	"errors"

	"github.com/memtui/memtui/model"
)

// Report gives problems to a validator, without notes.
func Report(problems []model.Problem, report func(Violation)) {
	for _, p := range problems {
		if p.Severity != model.Note {
			report(Violation{Rule: p.Code, Severity: p.Severity, Message: p.Message, Offset: p.Offset, Line: p.Line, Count: p.Count})
		}
	}
}

// ReportRefusal gives a validator the error of a file of which nothing can be used: its rule is the part of the format
// that is broken, or rule for all others. It returns false for any other error, and for none.
func ReportRefusal(err error, rule string, report func(Violation)) bool {
	var broken *FormatError
	if !errors.As(err, &broken) {
		return false
	}
	if broken.Field != "" {
		rule = broken.Field
	}
	report(Violation{Rule: rule, Severity: model.Error, Message: broken.Err.Error(), Offset: broken.Offset, Line: broken.Line, Count: 1})
	return true
}
