package arg

import (
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/model"
)

// TimeIn returns where a moment is on an axis. One beyond its end, or of another unit, is a mistake in usage.
func TimeIn(m model.Moment, axis model.Axis) (model.Time, error) {
	t, err := m.In(axis)
	if err == nil {
		err = axis.Check(t)
	}
	if err != nil {
		return 0, fail.Usage(err)
	}
	return t, nil
}

// Span returns the range between two moments, like [model.Period.In]. Its errors are usage errors.
func Span(from, to model.Moment, axis model.Axis) (first, last model.Time, err error) {
	if first, last, err = (model.Period{From: from, To: to}).In(axis); err != nil {
		err = fail.Usage(err)
	}
	return first, last, err
}
