package cli

import (
	"math"

	"github.com/memtui/memtui/model"
)

// timeIn is a moment in a file that ends at end and whose peak is at peak. A moment beyond the end is a mistake in usage.
func timeIn(m model.Moment, end, peak model.Time) (model.Time, error) {
	t := m.In(end, peak)
	return t, notBeyond(t, end)
}

// notBeyond says that a time beyond the end is a mistake in usage.
func notBeyond(t, end model.Time) error {
	if err := model.CheckTime(t, end); err != nil {
		return usageError(err)
	}
	return nil
}

// span is the range that two moments name, as [model.Period.In] returns it. Its errors are mistakes in usage.
func span(from, to model.Moment, end, peak model.Time) (first, last model.Time, err error) {
	if first, last, err = (model.Period{From: from, To: to}).In(end, peak); err != nil {
		err = usageError(err)
	}
	return first, last, err
}

// length is a length of time as the user writes it: 10s, or 10% of the duration.
type length struct{ model.Moment }

// UnmarshalText reads a length of time.
func (l *length) UnmarshalText(text []byte) (err error) {
	l.Moment, err = model.ParseLength(string(text))
	return err
}

// byteNum is an amount of memory as the user writes it: 64KiB, 1.5M, 4096. What does not fit 63 bits is the largest that does.
type byteNum int64

// UnmarshalText reads an amount of memory.
func (b *byteNum) UnmarshalText(text []byte) error {
	n, err := model.ParseSize(string(text))
	if err == nil {
		*b = byteNum(min(n, math.MaxInt64))
	}
	return err
}
