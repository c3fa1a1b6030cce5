package diff

import (
	"context"
	"math"
	"math/bits"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// Align is how the curves of two sides are aligned.
type Align uint8

const (
	AlignStart  Align = iota // both begin at the left
	AlignMarker              // a given moment of each is at the same position
	AlignShare               // both have the same width: a position is a fraction of the duration
	AlignCount
)

// String returns the word in titles and flags.
func (a Align) String() string { return [...]string{"start", "marker", "share"}[a] }

// TimeSpan is the part of a file that a curve covers. From < To unless it is empty.
type TimeSpan struct{ From, To model.Time }

// TimeMap maps times of the side before to times of the side after. The zero TimeMap changes nothing.
type TimeMap struct {
	shift         model.Time // after − before
	share         bool
	before, after TimeSpan
}

// NewTimeMap aligns two spans. The marks are the moments that [AlignMarker] puts at the same position.
func NewTimeMap(align Align, before, after TimeSpan, markBefore, markAfter model.Time) TimeMap {
	m := TimeMap{before: before, after: after}
	switch align {
	case AlignMarker:
		m.shift = markAfter - markBefore
	case AlignShare:
		m.share = before.To > before.From && after.To > after.From
		m.shift = after.From - before.From
	default:
		m.shift = after.From - before.From
	}
	return m
}

// After returns the time of the side after at the position of a time of the side before. It may be outside that side's
// span, even below 0.
func (m TimeMap) After(t model.Time) model.Time {
	if m.share {
		return rescale(t, m.before, m.after)
	}
	return t + m.shift
}

// Before returns the time of the side before at the position of a time of the side after.
func (m TimeMap) Before(t model.Time) model.Time {
	if m.share {
		return rescale(t, m.after, m.before)
	}
	return t - m.shift
}

// rescale maps a time from one span to the same fraction of another one, rounded down. The spans are not empty.
func rescale(t model.Time, from, to TimeSpan) model.Time {
	d, width, wide := t-from.From, uint64(from.To-from.From), uint64(to.To-to.From)
	hi, lo := bits.Mul64(uint64(max(d, -d)), wide)
	n := model.MaxTime
	if hi < width {
		q, rest := bits.Div64(hi, lo, width)
		if d < 0 && rest > 0 {
			q++
		}
		n = model.Time(min(q, math.MaxInt64))
	}
	if d < 0 {
		return to.From - n
	}
	if n > model.MaxTime-max(to.From, 0) {
		return model.MaxTime
	}
	return to.From + n
}

// Axis returns the time span of a chart of both sides, in the time of before: before's own span, extended by after's to
// the left and to the right.
func (m TimeMap) Axis() TimeSpan {
	return TimeSpan{min(m.before.From, m.Before(m.after.From)), max(m.before.To, m.Before(m.after.To))}
}

// Column is one column of the chart of two traces.
type Column struct {
	from, to model.Time         // of the axis, in the time of the side before; may be below 0
	Sides    [2]analysis.Column // before and after, in their own times
	Known    [2]bool            // the side's span reaches the column
}

// Curves divides an axis, in the time of the side before, into n columns of equal duration and returns the curves of
// both traces in them.
func Curves(ctx context.Context, traces [2]analysis.Trace, m TimeMap, axis TimeSpan, n int) ([]Column, error) {
	out := make([]Column, max(n, 0))
	for i := range out {
		out[i].from, out[i].to = analysis.ColumnEdge(axis.From, axis.To, i, n), analysis.ColumnEdge(axis.From, axis.To, i+1, n)
	}
	for side, t := range traces {
		span := [2]TimeSpan{m.before, m.after}[side]
		if span.To <= span.From {
			span.To = t.Status().Duration
		}
		if err := sideCurve(ctx, t, m, side, span, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// sideCurve sets the columns of one side that its span reaches: first the one in which the span begins, then all others
// at once.
func sideCurve(ctx context.Context, t analysis.Trace, m TimeMap, side int, span TimeSpan, out []Column) error {
	edges := func(c *Column) (from, to model.Time) {
		if side == 0 {
			return c.from, c.to
		}
		return m.After(c.from), m.After(c.to)
	}
	lo, hi := len(out), 0
	for i := range out {
		if from, to := edges(&out[i]); to > span.From && from < span.To && from < to {
			lo, hi = min(lo, i), i+1
		}
	}
	for lo < hi {
		end := hi
		from, to := edges(&out[lo])
		if from < span.From {
			from, end = span.From, lo+1
		} else {
			_, to = edges(&out[hi-1])
		}
		if from <= 0 {
			from = model.NoTime // includes time 0
		}
		cols, err := t.Curve(ctx, analysis.Range{From: from, To: to}, end-lo)
		if err != nil {
			return err
		}
		for i, col := range cols {
			out[lo+i].Sides[side], out[lo+i].Known[side] = col, true
		}
		lo = end
	}
	return nil
}
