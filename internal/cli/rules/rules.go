// Package rules is what validate says about files: which rules of their formats they break.
package rules

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// Result is the result of validate about one file.
type Result struct {
	report.Header
	Valid      bool        `json:"valid"`
	Violations []Violation `json:"violations"`

	unread *Violation // why the rest of the file is not checked; nil if all was
	broken bool       // a rule is broken
}

// Violation is a rule that is broken, and where.
type Violation struct {
	Rule     string `json:"rule"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Offset   *int64 `json:"offset,omitzero"`
	Line     *int64 `json:"line,omitzero"`
	Count    int64  `json:"count"`
}

// Several is the object for more than one file.
type Several struct {
	Schema string    `json:"schema"`
	Valid  bool      `json:"valid"`
	Files  []*Result `json:"files"`
}

// New returns the result for a file of which no rule is known to be broken, with the header of a report about the file. For a damaged file, it has as much as its loader finds
// out.
func New(ctx context.Context, src *loaders.Source, format loaders.Format) *Result {
	return &Result{Valid: true, Header: header(ctx, src, format)}
}

func header(ctx context.Context, src *loaders.Source, format loaders.Format) report.Header {
	var p *model.Profile
	err := src.Guard(func() (err error) {
		p, err = format.Info(ctx, src, loaders.Options{})
		return err
	})
	if err != nil || p == nil {
		h := report.NewHeader(report.SchemaValidate, &model.Profile{
			Meta: model.Meta{Path: src.Path(), Name: src.Name(), Format: format.Name, Size: src.StoredSize(), Outer: src.Outer()},
		})
		h.File.Version = nil
		return h
	}
	h := report.NewHeader(report.SchemaValidate, p)
	h.Problems = nil // the violations include them
	return h
}

// Add records a violation. Notes are not violations: they explain, and nothing is wrong.
func (v *Result) Add(x loaders.Violation) {
	if x.Severity == model.Note {
		return
	}
	out := Violation{Rule: x.Rule, Severity: x.Severity.String(), Message: x.Message, Count: x.Count}
	if x.Offset >= 0 {
		out.Offset = &x.Offset
	}
	if x.Line > 0 {
		out.Line = &x.Line
	}
	v.Violations = append(v.Violations, out)
	v.broken = v.broken || x.Severity == model.Error
	if x.Rule == model.CodeMemory && v.unread == nil { // it is unknown whether that part follows the rules
		v.unread = &out
	}
	v.Valid = !v.broken && v.unread == nil
}

// AddOnce records a violation unless the same one was recorded before.
func (v *Result) AddOnce(x loaders.Violation) {
	if !slices.ContainsFunc(v.Violations, func(o Violation) bool {
		return o.Rule == x.Rule && o.Message == x.Message && o.Offset != nil && *o.Offset == x.Offset
	}) {
		v.Add(x)
	}
}

// Unread returns why the rest of the file is not checked, "" if all was, or a rule is broken in the checked part.
func (v *Result) Unread() string {
	if v.broken || v.unread == nil {
		return ""
	}
	return v.unread.Message
}

// Text writes the result for people.
func (v *Result) Text(w io.Writer) {
	verdict := "valid"
	switch {
	case v.broken:
		verdict = "INVALID"
	case !v.Valid:
		verdict = "not checked to its end"
	case len(v.Violations) > 0:
		verdict = "valid, with warnings"
	}
	fmt.Fprintf(w, "%s: %s\n", model.Clean(v.File.Name), verdict)
	for _, x := range v.Violations {
		at := "        -"
		if x.Offset != nil {
			at = fmt.Sprintf("%9d", *x.Offset)
		}
		if x.Line != nil {
			at += fmt.Sprintf(" line %d", *x.Line)
		}
		times := ""
		if x.Count > 1 {
			times = " (" + model.Group(uint64(x.Count)) + " times)"
		}
		fmt.Fprintf(w, "  %s  %-7s  %s: %s%s\n", at, x.Severity, model.Clean(x.Rule), model.Clean(x.Message), times)
	}
}
