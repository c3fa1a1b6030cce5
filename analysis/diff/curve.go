package diff

import (
	"context"
	"math"
	"math/bits"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// Align is how the curves of two sides lie over each other.
type Align uint8

const (
	AlignStart  Align = iota // both begin at the left
	AlignMarker              // one moment of each stands at the same place
	AlignShare               // both are as wide: a place is a share of the duration
	AlignCount
)

// String returns the word that titles and flags use.
func (a Align) String() string { return [...]string{"start", "marker", "share"}[a] }

// TimeSpan is the part of a file that a curve is about, From < To for all but empty ones.
type TimeSpan struct{ From, To model.Time }

// TimeMap tells which time of the side after belongs to a time of the side before. The zero TimeMap leaves times as
// they are.
type TimeMap struct {
	shift         model.Time // after − before
	share         bool
	before, after TimeSpan
}

// NewTimeMap lays two spans over each other. The marks are the moments that stand at the same place with [AlignMarker].
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

// After returns the time of the side after at the place of a time of the side before. It may lie outside of that side's
// span, even below 0.
func (m TimeMap) After(t model.Time) model.Time {
	if m.share {
		return rescale(t, m.before, m.after)
	}
	return t + m.shift
}

// Before returns the time of the side before at the place of a time of the side after.
func (m TimeMap) Before(t model.Time) model.Time {
	if m.share {
		return rescale(t, m.after, m.before)
	}
	return t - m.shift
}

// rescale moves a time from one span to the same share of another one, rounded down; both are not empty.
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

// Axis returns the time of the side before that a chart of both spans covers: before's own, and what after has to the
// left and to the right of it.
func (m TimeMap) Axis() TimeSpan {
	return TimeSpan{min(m.before.From, m.Before(m.after.From)), max(m.before.To, m.Before(m.after.To))}
}

// Column is one column of the chart of two traces.
type Column struct {
	From, To model.Time         // of the axis, which is the time of the side before; may be below 0
	Sides    [2]analysis.Column // before and after, in their own times
	Known    [2]bool            // the side has anything there: the column is not before its span, nor after it
}

// Curves divides an axis, in the time of the side before, into n columns of equal duration and asks both traces for
// what they hold there.
func Curves(ctx context.Context, traces [2]analysis.Trace, m TimeMap, axis TimeSpan, n int) ([]Column, error) {
	out := make([]Column, max(n, 0))
	for i := range out {
		out[i].From, out[i].To = analysis.ColumnEdge(axis.From, axis.To, i, n), analysis.ColumnEdge(axis.From, axis.To, i+1, n)
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

// sideCurve fills the columns of one side that its span reaches: the one in which the span begins alone, the others
// together.
func sideCurve(ctx context.Context, t analysis.Trace, m TimeMap, side int, span TimeSpan, out []Column) error {
	edges := func(c *Column) (from, to model.Time) {
		if side == 0 {
			return c.From, c.To
		}
		return m.After(c.From), m.After(c.To)
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
			from = model.NoTime // time 0 is included
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
