package views

import (
	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// adoptDump sets up the series of a revision unless that is done.
func (a *app) adoptDump(p *model.Profile) {
	if p == nil || p.Timeline == nil || p.Allocations != nil {
		return
	}
	layouts := 0
	if p.Pages != nil {
		layouts = p.Pages.Len()
	}
	if a.Dump == nil || a.Dump.Timeline != p.Timeline || a.Dump.Count != layouts {
		a.Dump = ui.NewDumpFile(p)
	}
}

// dumpKind is what a file with measured curves or page layouts decides.
type dumpKind struct{ onAxis }

func (a dumpKind) unit() string           { return a.Dump.Timeline.AxisUnit }
func (a dumpKind) normals() []diff.Normal { return a.onAxis.normals()[:3] }

// instant returns the instant of the curves, "" where stacks say more.
func (a dumpKind) instant() string {
	if a.Prof != nil {
		return ""
	}
	return a.dumpInstant()
}

// here returns a mark at the instant and its layout.
func (a dumpKind) here(free *state.State, other bool) (state.Mark, bool) {
	switch {
	case other && a.OtherDump() == nil:
		return state.Mark{}, false
	case other:
		_, at := a.LayoutSides(free)
		return state.Mark{Set: true, Other: true, At: free.At, Range: free.Range, Number: at.Layout, Prof: state.NewProfile()}, true
	}
	return state.Mark{Set: true, At: free.At, Range: free.Range, Number: a.Dump.Layout(free), Prof: free.Prof}, true
}

// placed marks a layout or an instant.
func (a dumpKind) placed(side int, other bool, text string) (bool, error) {
	return true, a.markLayout(side, other && a.OtherDump() != nil, text)
}

// evidence returns the instant, which has the unit of the curves.
func (a dumpKind) evidence() (q state.Question, ok bool) {
	if a.Prof != nil {
		return profileKind(a).evidence()
	}
	if q = a.timeQuestion(); !a.state.AtEnd() {
		q.At = a.axis(0).Moment(a.state.Now())
	}
	return q, true
}

// do moves the instant from point to point and from name to name.
func (a dumpKind) do(act keymap.Action) bool {
	if act == keymap.ClearRange {
		return a.forgetMarks()
	}
	return a.along(a.Dump, act)
}

// peak moves to the largest value of the selected series in a range; on screens of stacks to the window that weighs
// most.
func (a dumpKind) peak(r analysis.Range) {
	if a.windowed() && r.IsFull() && a.current().Needs()&model.FacetProfile != 0 {
		a.windowPeak()
		return
	}
	n := max(a.state.Dump.Series, 0)
	if n >= len(a.Dump.Timeline.Series) {
		return
	}
	s := &a.Dump.Timeline.Series[n]
	from := r.From + 1
	if r.From < 0 {
		from = 0
	}
	f := pages.SumSeries(s, from, r.To)
	if f.Points == 0 {
		a.say("the series has no point there")
		return
	}
	a.emit(state.MoveTo{At: analysis.At(f.MaxAt)})
}

// dumpInstant returns which instant of a dump everything on screen is about.
func (a *app) dumpInstant() string {
	s := &a.state
	unit := a.Dump.Timeline.AxisUnit
	text := "at " + s.Now().In(unit)
	if s.AtEnd() {
		text = "end " + s.Now().In(unit)
	}
	if !s.Range.IsFull() {
		from := max(s.Range.From, 0)
		return "range " + ui.RangeText(from, s.Range.To, unit) + " · " + text
	}
	if a.current().Needs()&model.FacetPages != 0 { // that screen shows when its layout was taken
		return text
	}
	if clock := a.Dump.ClockText(s.Now()); clock != "" {
		text += " · " + clock
	}
	return text
}

// began sets default marks: the first layout of the series, and the beginning.
func (a dumpKind) began() {
	if a.OtherDump() != nil || a.state.Compare.Marks[state.SideA].Set {
		return
	}
	if list, _ := a.Dump.Place(&a.state); len(list) > 0 {
		a.emit(state.MarkSide{Side: state.SideA, M: layoutMark(a.Dump, list[0])})
		a.say(a.Hint("compared with the first layout: {mark-a} marks another one"))
		return
	}
	a.say(a.Hint("compared with the beginning: {mark-a} marks another instant"))
}

// layoutMark returns a mark at a layout.
func layoutMark(d *ui.DumpFile, layout int) state.Mark {
	return state.Mark{Set: true, At: analysis.At(max(d.Time(layout), 0)), Range: analysis.FullRange, Number: layout,
		Prof: state.NewProfile()}
}

// adoptOtherDump sets up the series and layouts of a second file.
func adoptOtherDump(f *ui.ComparedFile) {
	p := f.Now
	if p == nil || p.Timeline == nil || p.Allocations != nil || f.Dump != nil && f.Dump.Timeline == p.Timeline {
		return
	}
	f.Dump = ui.NewDumpFile(p)
}
