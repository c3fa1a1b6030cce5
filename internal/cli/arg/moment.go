package arg

import (
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/model"
)

// TimeIn returns a moment in a file that ends at end and whose peak is at peak. A moment beyond the end is a mistake in
// usage.
func TimeIn(m model.Moment, end, peak model.Time) (model.Time, error) {
	t := m.In(end, peak)
	return t, NotBeyond(t, end)
}

// NotBeyond returns a usage error for a time beyond the end.
func NotBeyond(t, end model.Time) error {
	if err := model.CheckTime(t, end); err != nil {
		return fail.Usage(err)
	}
	return nil
}

// Span returns the range between two moments, like [model.Period.In]. Its errors are usage errors.
func Span(from, to model.Moment, end, peak model.Time) (first, last model.Time, err error) {
	if first, last, err = (model.Period{From: from, To: to}).In(end, peak); err != nil {
		err = fail.Usage(err)
	}
	return first, last, err
}
