package pages

import (
	"math"
	"math/bits"
	"sort"

	"github.com/memtui/memtui/model"
)

// SeriesFigures are the figures of the points of a curve in a range.
type SeriesFigures struct {
	Points      int // if 0, the others are meaningless
	First, Last float64
	Min, Max    float64
	Mean        float64    // of the points, regardless of their distance
	FirstAt     model.Time // its time
	LastAt      model.Time
	MinAt       model.Time // the first such time
	MaxAt       model.Time
	Events      int
}

// SumSeries computes the figures of a curve over the points with from <= time <= to.
func SumSeries(s *model.Series, from, to model.Time) SeriesFigures {
	lo, hi := span(s, from, to)
	var f SeriesFigures
	for _, e := range s.Events {
		if e.At >= from && e.At <= to {
			f.Events++
		}
	}
	if lo == hi {
		return f
	}
	f.Points = hi - lo
	f.First, f.FirstAt, f.Last, f.LastAt = s.Values[lo], s.Times[lo], s.Values[hi-1], s.Times[hi-1]
	f.Min, f.Max, f.MinAt, f.MaxAt = f.First, f.First, f.FirstAt, f.FirstAt
	sum := 0.0
	for i := lo; i < hi; i++ {
		v := s.Values[i]
		if v < f.Min {
			f.Min, f.MinAt = v, s.Times[i]
		}
		if v > f.Max {
			f.Max, f.MaxAt = v, s.Times[i]
		}
		sum += v
	}
	f.Mean = sum / float64(f.Points)
	if math.IsInf(sum, 0) || math.IsNaN(sum) { // for huge values: less exact, but finite
		f.Mean = 0
		for _, v := range s.Values[lo:hi] {
			f.Mean += v / float64(f.Points)
		}
	}
	return f
}

// span returns the positions of the points with from <= time <= to.
func span(s *model.Series, from, to model.Time) (lo, hi int) {
	lo = sort.Search(len(s.Times), func(i int) bool { return s.Times[i] >= from })
	hi = sort.Search(len(s.Times), func(i int) bool { return s.Times[i] > to })
	return lo, max(lo, hi)
}

// ValueAt returns the value at an instant: that of the last point with time <= at, and its index. ok is false before
// the first point.
func ValueAt(s *model.Series, at model.Time) (value float64, i int, ok bool) {
	_, hi := span(s, 0, at)
	if hi == 0 {
		return 0, 0, false
	}
	return s.Values[hi-1], hi - 1, true
}

// TimelineEnd returns the time of the last point of all curves, 0 without any.
func TimelineEnd(t *model.Timeline) model.Time {
	end := model.Time(0)
	for i := range t.Series {
		if times := t.Series[i].Times; len(times) > 0 {
			end = max(end, times[len(times)-1])
		}
	}
	return end
}

// SeriesColumn is a curve over a span of time.
type SeriesColumn struct {
	Points   int // in the span; if 0, Min and Max are meaningless
	Min, Max float64
	Last     float64 // at the end of the span, if Known: that of an earlier point if the span has none
	Known    bool
}

// SeriesCurve computes columns of charts from any number of points without losing an extreme. It is immutable; any
// goroutine may use it.
type SeriesCurve struct {
	series *model.Series
	levels [][]extent // element i of level k is over curveFan^(k+1) points; the last one may be over fewer
}

// extent is the range of some values.
type extent struct{ min, max float64 }

func (e *extent) add(o extent) { e.min, e.max = min(e.min, o.min), max(e.max, o.max) }

var noExtent = extent{math.Inf(1), math.Inf(-1)}

const curveFan = 32

// NewSeriesCurve prepares the columns of a curve, in one pass over its points. It takes half a byte per point.
func NewSeriesCurve(s *model.Series) *SeriesCurve {
	c := &SeriesCurve{series: s}
	if len(s.Values) <= curveFan {
		return c
	}
	level := make([]extent, 0, len(s.Values)/curveFan+1)
	for i := 0; i < len(s.Values); i += curveFan {
		e := noExtent
		for _, v := range s.Values[i:min(i+curveFan, len(s.Values))] {
			e.add(extent{v, v})
		}
		level = append(level, e)
	}
	c.levels = append(c.levels, level)
	for len(level) > curveFan {
		var above []extent
		for i := 0; i < len(level); i += curveFan {
			e := noExtent
			for _, o := range level[i:min(i+curveFan, len(level))] {
				e.add(o)
			}
			above = append(above, e)
		}
		c.levels = append(c.levels, above)
		level = above
	}
	return c
}

// at returns the range of element i of a level; level -1 is the points.
func (c *SeriesCurve) at(level, i int) extent {
	if level < 0 {
		return extent{c.series.Values[i], c.series.Values[i]}
	}
	return c.levels[level][i]
}

// extremes returns the range of the points [lo, hi).
func (c *SeriesCurve) extremes(lo, hi int) extent {
	e := noExtent
	for level := -1; lo < hi; level++ {
		top := level+1 == len(c.levels)
		for ; lo < hi && (top || lo%curveFan != 0); lo++ {
			e.add(c.at(level, lo))
		}
		for ; lo < hi && hi%curveFan != 0; hi-- {
			e.add(c.at(level, hi-1))
		}
		lo, hi = lo/curveFan, hi/curveFan
	}
	return e
}

// Columns divides the time from … to into n spans of equal length. A span has the points with its start <= time < the
// next one's start, the last one also those at to.
func (c *SeriesCurve) Columns(from, to model.Time, n int) []SeriesColumn {
	out := make([]SeriesColumn, max(n, 0))
	s := c.series
	next := sort.Search(len(s.Times), func(i int) bool { return s.Times[i] >= from })
	for i := range out {
		lo := next
		if i == n-1 {
			next = lo + sort.Search(len(s.Times)-lo, func(k int) bool { return s.Times[lo+k] > to })
		} else {
			end := edge(from, to, i+1, n)
			next = lo + sort.Search(len(s.Times)-lo, func(k int) bool { return s.Times[lo+k] >= end })
		}
		col := &out[i]
		if col.Points = next - lo; col.Points > 0 {
			e := c.extremes(lo, next)
			col.Min, col.Max = e.min, e.max
		}
		if next > 0 {
			col.Last, col.Known = s.Values[next-1], true
		}
	}
	return out
}

// edge returns from + (to-from)·i/n, rounded up.
func edge(from, to model.Time, i, n int) model.Time {
	hi, lo := bits.Mul64(uint64(max(to-from, 0)), uint64(i))
	q, r := bits.Div64(hi, lo, uint64(n))
	if r > 0 {
		q++
	}
	return from + model.Time(q)
}

// timelinePeak returns when any curve first reaches the highest value of all.
func timelinePeak(t *model.Timeline) model.Time {
	at, top := model.Time(0), math.Inf(-1)
	for i := range t.Series {
		if f := SumSeries(&t.Series[i], 0, model.MaxTime); f.Points > 0 && f.Max > top {
			at, top = f.MaxAt, f.Max
		}
	}
	return at
}

// Axis returns the axis of curves. Their peak is where any of them first reaches the highest value of all.
func Axis(t *model.Timeline) model.Axis {
	return model.Axis{End: TimelineEnd(t), Peak: timelinePeak(t), Unit: t.AxisUnit}
}
