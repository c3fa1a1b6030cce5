package memdump

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/memtui/memtui/model"
)

const (
	noStamp  = math.MinInt64
	maxStamp = 1 << 62                 // microseconds: differences must fit 64 bits
	year9999 = 253_402_300_800_000_000 // its end
)

// stampOf rounds microseconds since 1970; noStamp if it cannot be a time.
func stampOf(us float64) int64 {
	if !(math.Abs(us) < maxStamp) {
		return noStamp
	}
	return int64(math.Round(us))
}

// layoutRef is the position of a layout.
type layoutRef struct {
	at     int64 // as returned by stampOf; since Timeline.Start once the file is read
	off, n int64
	series uint32
	point  uint32
	line   uint32 // of its first byte, in JSON
	empty  bool
}

// point is one point of the file, as read.
type point struct {
	at     int64 // noStamp if it has no usable time
	value  float64
	event  string // "" for none
	layout bool
	empty  bool // the layout certainly has no page
	off, n int64
	line   int64
}

// assembly collects the points in columns.
type assembly struct {
	limits   limits
	found    *findings
	series   []model.Series
	layouts  []layoutRef
	start    int64 // the earliest time of any point, noStamp for none
	points   int   // in columns
	events   int
	overflow bool   // reading must stop: a limit was reached, or the sink wants no more
	reached  string // the limit, "" for none

	unsorted bool   // of the current series
	seen     uint32 // points of the current series, including those dropped

	sink  *sink      // receives the points instead, nil for columns
	exact exactPoint // of the current point, for the sink
}

func newAssembly(l limits, found *findings) *assembly {
	return &assembly{limits: l, found: found, start: noStamp}
}

// begin starts a series; the pointer is valid until the next one. It is nil if there are too many.
func (a *assembly) begin() *model.Series {
	a.unsorted, a.seen = false, 0
	if l := a.limits.series(); len(a.series) >= l.n {
		a.reach(l.String())
		return nil
	}
	if len(a.series)%checkEvery == checkEvery-1 && a.limits.full() {
		a.reach(a.limits.short())
		return nil
	}
	a.series = append(a.series, model.Series{})
	return &a.series[len(a.series)-1]
}

// tooManyPoints is a limit of the numbering of points.
const tooManyPoints = "the limit of 4,294,967,294 points in one series is reached: the rest was not read; it cannot be raised"

// reach ends reading due to a limit.
func (a *assembly) reach(limit string) { a.overflow, a.reached = true, limit }

const firstRoom = 64

// checkEvery is the number of points, series or strings between two checks of the memory budget.
const checkEvery = 1 << 10

// room returns the next capacity of a full column: larger than before, but not larger than the file states.
func room(have int, stated uint64) int {
	more := max(firstRoom, have*4)
	if have > 1<<16 {
		more = have * 2
	}
	if stated > uint64(have) {
		more = int(min(stated, uint64(more)))
	}
	return more
}

// grow returns s with capacity for another value.
func grow[T any](s []T, stated uint64) []T {
	if len(s) < cap(s) {
		return s
	}
	return append(make([]T, 0, room(len(s), stated)), s...)
}

// add adds a point to the last series; stated is the number of points that the file states for it, 0 if none.
func (a *assembly) add(p *point, stated uint64) {
	s := &a.series[len(a.series)-1]
	index := a.seen
	a.seen++
	if l := a.limits.points(); a.points >= l.n {
		a.reach(l.String())
		return
	}
	if a.seen%checkEvery == 0 && a.limits.full() {
		a.reach(a.limits.short())
		return
	}
	if a.seen == math.MaxUint32 {
		a.reach(tooManyPoints)
		return
	}
	if a.sink != nil {
		a.points++
		a.sink.take(len(a.series)-1, p, &a.exact)
		a.overflow = a.sink.err != nil
		return
	}
	if p.at != noStamp && (a.start == noStamp || p.at < a.start) {
		a.start = p.at
	}
	if p.layout {
		a.addLayout(s, p, index)
	}
	if p.at == noStamp || math.IsNaN(p.value) || math.IsInf(p.value, 0) {
		a.drop(s)
		return
	}
	n := len(s.Times)
	a.unsorted = a.unsorted || n > 0 && p.at < int64(s.Times[n-1])
	s.Times = append(grow(s.Times, stated), model.Time(p.at))
	s.Values = append(grow(s.Values, stated), p.value)
	if s.Dropped > 0 {
		s.Point = append(grow(s.Point, stated), index)
	}
	a.points++
	if p.event != "" {
		if l := a.limits.events(); a.events >= l.n {
			a.reach(l.String())
			return
		}
		a.events++
		s.Events = append(s.Events, model.SeriesEvent{At: model.Time(p.at), Value: p.value, Name: p.event})
	}
}

func (a *assembly) addLayout(s *model.Series, p *point, index uint32) {
	if l := a.limits.layouts(); len(a.layouts) >= l.n {
		a.reach(l.String())
		return
	}
	s.Layouts++
	a.layouts = append(a.layouts, layoutRef{
		at: p.at, off: p.off, n: p.n, series: uint32(len(a.series) - 1), point: index,
		line: uint32(min(p.line, math.MaxUint32)), empty: p.empty,
	})
}

// drop counts a point that is in no column. From the first such point, positions differ from indexes.
func (a *assembly) drop(s *model.Series) {
	if s.Dropped == 0 {
		s.Point = make([]uint32, len(s.Times), len(s.Times)+firstRoom)
		for i := range s.Point {
			s.Point[i] = uint32(i)
		}
	}
	s.Dropped++
}

// end sorts the last series.
func (a *assembly) end(ctx context.Context, offset, line int64) {
	if !a.unsorted {
		return
	}
	a.unsorted = false
	a.found.add(model.Warning, "order", offset, line, "the points of a series are not in order of time; they were sorted")
	s := &a.series[len(a.series)-1]
	order := make([]uint32, len(s.Times))
	for i := range order {
		order[i] = uint32(i)
	}
	if model.SortStable(ctx, order, func(x, y uint32) int { return cmp.Compare(s.Times[x], s.Times[y]) }) != nil {
		a.overflow = true // readers get the reason from the context
		return
	}
	times, values := make([]model.Time, len(order)), make([]float64, len(order))
	for to, from := range order {
		times[to], values[to] = s.Times[from], s.Values[from]
		order[to] = s.FilePoint(int(from))
	}
	s.Times, s.Values, s.Point = times, values, order
	slices.SortStableFunc(s.Events, func(x, y model.SeriesEvent) int { return cmp.Compare(x.At, y.At) })
}

// timeline makes all times relative to the first one.
func (a *assembly) timeline() *model.Timeline {
	start := a.start
	if start == noStamp {
		start = 0
	}
	for i := range a.series {
		s := &a.series[i]
		for k := range s.Times {
			s.Times[k] -= model.Time(start)
		}
		for k := range s.Events {
			s.Events[k].At -= model.Time(start)
		}
	}
	for i := range a.layouts {
		if l := &a.layouts[i]; l.at == noStamp {
			l.at = int64(model.NoTime)
		} else {
			l.at -= start
		}
	}
	return &model.Timeline{Series: a.series, Start: start}
}
