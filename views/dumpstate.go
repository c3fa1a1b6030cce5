package views

import (
	"cmp"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/model"
)

// noLayout stands for no page layout, noSeries for the series that has layouts first.
const (
	noLayout = -1
	noSeries = -1
)

// DumpState is what screens of measured series and page layouts are about, besides the instant.
type DumpState struct {
	Series int              // selected, noSeries for the first with layouts
	Layout int              // chosen at LayoutAt, noLayout to follow the instant: several may have one time, or none
	On     analysis.Instant // where Layout was chosen; elsewhere it counts for nothing
	MarkA  int              // layouts to compare, noLayout for none
	MarkB  int              // noLayout for the one at the instant
	Spot   pageSpot         // where the grid was sent to
	Sent   int              // how often it was
}

func newDumpState() DumpState {
	return DumpState{Series: noSeries, Layout: noLayout, MarkA: noLayout, MarkB: noLayout}
}

// The intents about dumps.
type (
	chooseSeries struct{ series int }
	chooseLayout struct {
		layout int
		at     model.Time
	}
	markLayouts struct{ a, b int }
	showPage    struct{ spot pageSpot }
)

func (i chooseSeries) apply(s State) State { s.Dump.Series = i.series; return s }

func (i showPage) apply(s State) State {
	s.Dump.Spot, s.Compare.On = i.spot, false
	s.Dump.Sent++
	return s
}

func (i markLayouts) apply(s State) State {
	s.Dump.MarkA, s.Dump.MarkB = i.a, i.b
	return s
}

func (i chooseLayout) apply(s State) State {
	s = s.Apply(moveTo{analysis.At(max(i.at, 0))})
	s.Dump.Layout, s.Dump.On = i.layout, s.At
	return s
}

// dumpFile is what a file of measured series holds, as screens ask for it. Read-only once made.
type dumpFile struct {
	timeline *model.Timeline
	pages    model.PageSource // nil for none
	layouts  [][]int          // by series: indices into pages by time, those without one first
	count    int              // of layouts
	end      model.Time
	points   uint64
}

func newDumpFile(p *model.Profile) *dumpFile {
	d := &dumpFile{timeline: p.Timeline, pages: p.Pages, end: pages.TimelineEnd(p.Timeline)}
	d.layouts = make([][]int, len(p.Timeline.Series))
	for i := range p.Timeline.Series {
		d.points += uint64(len(p.Timeline.Series[i].Times))
	}
	if p.Pages == nil {
		return d
	}
	d.count = p.Pages.Len()
	for i := range d.count {
		if n := p.Pages.Info(i).Series; n >= 0 && n < len(d.layouts) {
			d.layouts[n] = append(d.layouts[n], i)
		}
	}
	for _, list := range d.layouts {
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(d.time(a), d.time(b)) })
	}
	return d
}

// time is when a layout was taken, model.NoTime when nobody knows.
func (d *dumpFile) time(layout int) model.Time { return d.pages.Info(layout).At }

// status is what a file without allocations has of a trace's.
func (d *dumpFile) status() analysis.Status {
	return analysis.Status{Events: d.points, Duration: d.end, Final: true, Revision: 1}
}

// series is the one whose layouts are shown: the selected one if it has any, else the first that has; noSeries without any.
func (d *dumpFile) series(s *State) int {
	if n := s.Dump.Series; n >= 0 && n < len(d.layouts) && len(d.layouts[n]) > 0 {
		return n
	}
	return slices.IndexFunc(d.layouts, func(list []int) bool { return len(list) > 0 })
}

// place is which layout a state is about: the last one at or before the instant. n is its place among list, noLayout before
// the first.
func (d *dumpFile) place(s *State) (list []int, n int) {
	series := d.series(s)
	if series == noSeries {
		return nil, noLayout
	}
	list = d.layouts[series]
	if s.Dump.Layout != noLayout && s.Dump.On == s.At {
		if n = slices.Index(list, s.Dump.Layout); n >= 0 {
			return list, n
		}
	}
	now := s.Now()
	n, _ = slices.BinarySearchFunc(list, now, func(layout int, t model.Time) int {
		if d.time(layout) <= t {
			return -1
		}
		return 1
	})
	if n > 0 && d.time(list[n-1]) == model.NoTime { // nobody knows that it was before
		return list, noLayout
	}
	return list, n - 1
}

// layout is the index of the layout that a state is about, noLayout for none.
func (d *dumpFile) layout(s *State) int {
	list, n := d.place(s)
	if n < 0 {
		return noLayout
	}
	return list[n]
}

// layoutRef is a layout of one of two files; layout is noLayout for none.
type layoutRef struct {
	dump   *dumpFile
	layout int
}

// sides are the layouts that a difference is from and to. With one file A is the marked layout, or none, and B the other marked one,
// or that at the instant. With two files A is of the first one and B of the second, where each is at the instant unless marked.
func (e *env) layoutSides(s *State) (a, b layoutRef) {
	a, b = layoutRef{e.dump, s.Dump.MarkA}, layoutRef{e.dump, s.Dump.MarkB}
	switch here := e.dump.layout(s); {
	case e.otherDump != nil:
		if a.layout == noLayout {
			a.layout = here
		}
		if b.dump = e.otherDump; b.layout == noLayout {
			b.layout = e.otherDump.layout(e.otherDump.alike(s, e.dump))
		}
	case b.layout == noLayout:
		b.layout = here
	}
	if s.Compare.Swapped {
		return b, a
	}
	return a, b
}

// alike is a state of another file at the same place: the same time since the start, or the end, and the series of the same name.
func (d *dumpFile) alike(s *State, of *dumpFile) *State {
	other := *s
	other.Status.Duration = d.end
	other.Dump.Layout = noLayout
	if n := of.series(s); n != noSeries {
		name := of.timeline.Series[n].Name
		other.Dump.Series = slices.IndexFunc(d.timeline.Series, func(x model.Series) bool { return x.Name == name })
	}
	return &other
}
