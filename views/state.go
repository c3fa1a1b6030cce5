package views

import (
	"math"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// State is what all screens show. It is a value: screens keep the one they were shown last and never change it.
type State struct {
	Profile *model.Profile // nil until the first revision
	Status  analysis.Status

	At     analysis.Instant // analysis.End follows the end while a file loads
	Range  analysis.Range   // analysis.Whole when nothing is selected
	Anchor model.Time       // where a range was started that follows the instant; model.NoTime when none is
	View   analysis.Range   // what charts show: analysis.Whole, or what was zoomed to

	Group  analysis.Group
	Cost   analysis.Cost
	Series series // what charts show
	Filter string // of tables
	MinAge model.Time
	Cell   analysis.Cell        // tables and stacks show only blocks of this size and lifetime
	Chips  calltree.StackFilter // of the stacks of traces and profiles

	Selected Selection
	Exact    bool // exact numbers instead of rounded ones
	FullName bool // names as the file has them instead of shortened ones

	Heap HeapState
	Dump DumpState
	Prof ProfState

	Compare CompareState

	Columns int // cells that charts have for the time axis: the unit of a step
}

// Selection is the group that is selected in tables, so that other screens can find it.
type Selection struct {
	By    analysis.Group
	Key   analysis.Key
	Stack model.StackID
	Set   bool
}

// newState is the state before anything is loaded.
func newState() State {
	return State{At: analysis.End, Range: analysis.Whole, View: analysis.Whole, Anchor: model.NoTime, Heap: newHeapState(), Dump: newDumpState(), Prof: newProfState(), Columns: 70}
}

// Intent is a change that somebody wants.
type Intent interface {
	apply(State) State
}

// Apply returns the state after an intent. It is pure.
func (s State) Apply(i Intent) State { return i.apply(s) }

// The intents. Their fields are documented by State's.
type (
	loaded struct {
		profile *model.Profile
		status  analysis.Status
	}
	moveTo     struct{ at analysis.Instant } // also ends what a range follows: the range's end goes along
	step       struct{ columns int }         // of the charts; negative is earlier
	startRange struct{}                      // or end the one that follows the instant
	setRange   struct{ r analysis.Range }
	clearRange struct{}
	zoom       struct{ factor float64 } // below 1 is closer, about the instant; 0 is everything
	zoomTo     struct{ r analysis.Range }
	pan        struct{ share float64 } // of what is visible
	setGroup   struct{ by analysis.Group }
	setCost    struct{ cost analysis.Cost }
	setSeries  struct{ series series }
	setFilter  struct{ text string }
	setMinAge  struct{ age model.Time }
	setCell    struct{ cell analysis.Cell }
	selectKey  struct{ sel Selection }
	setExact   struct{ on bool }
	setNames   struct{ full bool }
	setColumns struct{ n int }
)

func (i loaded) apply(s State) State     { s.Profile, s.Status = i.profile, i.status; return s }
func (i setGroup) apply(s State) State   { s.Group = i.by; return s }
func (i setCost) apply(s State) State    { s.Cost = i.cost; return s }
func (i setSeries) apply(s State) State  { s.Series = i.series; return s }
func (i setFilter) apply(s State) State  { s.Filter = i.text; return s }
func (i setMinAge) apply(s State) State  { s.MinAge = max(i.age, 0); return s }
func (i setCell) apply(s State) State    { s.Cell = i.cell; return s }
func (i selectKey) apply(s State) State  { s.Selected = i.sel; return s }
func (i setExact) apply(s State) State   { s.Exact = i.on; return s }
func (i setNames) apply(s State) State   { s.FullName = i.full; return s }
func (i setColumns) apply(s State) State { s.Columns = max(i.n, 1); return s }
func (i zoomTo) apply(s State) State     { s.View = i.r; return s.tidy() }

// only is the blocks that tables of a trace are about.
func (s *State) only() analysis.Cell {
	c := s.Cell
	c.Stacks = s.Chips
	return c
}

// settled reports whether nothing more is read.
func (s *State) settled() bool { return s.Status.Final || s.Status.Stopped }

// Now is the instant's time: the end of what is loaded for analysis.End.
func (s *State) Now() model.Time { return min(s.At.T, s.Status.Duration) }

// AtEnd reports whether the instant is the end of the run, however long that gets.
func (s *State) AtEnd() bool { return s.At == analysis.End }

// Visible is the finite range that charts show.
func (s *State) Visible() (from, to model.Time) {
	if s.View.IsWhole() {
		return 0, s.Status.Duration
	}
	return max(s.View.From, 0), min(s.View.To, s.Status.Duration)
}

// StepWidth is the time of one column of the charts, at least a microsecond.
func (s *State) StepWidth() model.Time {
	from, to := s.Visible()
	return max((to-from)/model.Time(max(s.Columns, 1)), 1)
}

func (i moveTo) apply(s State) State {
	at := i.at
	if at.T >= s.Status.Duration && at.Events == 0 {
		at = analysis.End
	}
	at.T = max(at.T, 0)
	s.At = at
	if s.Anchor != model.NoTime {
		s.Range = between(s.Anchor, s.Now())
	}
	return s.follow()
}

func (i step) apply(s State) State {
	now, width, n := s.Now(), s.StepWidth(), model.Time(i.columns)
	switch at := analysis.At(0); {
	case n < 0 && -n <= now/width:
		at.T = now + n*width
		return s.Apply(moveTo{at})
	case n > 0 && n <= (s.Status.Duration-now)/width:
		at.T = now + n*width
		return s.Apply(moveTo{at})
	case n < 0:
		return s.Apply(moveTo{at})
	}
	return s.Apply(moveTo{analysis.At(s.Status.Duration)})
}

func (startRange) apply(s State) State {
	if s.Anchor != model.NoTime {
		s.Anchor = model.NoTime
		return s
	}
	s.Anchor = s.Now()
	s.Range = between(s.Anchor, s.Anchor)
	return s
}

func (i setRange) apply(s State) State {
	s.Range, s.Anchor = between(max(i.r.From, 0), i.r.To), model.NoTime
	s.At = analysis.At(s.Range.To)
	return s
}

func (clearRange) apply(s State) State {
	s.Range, s.Anchor = analysis.Whole, model.NoTime
	return s
}

// between is the range of two times in any order. One that starts at 0 includes the events of time 0.
func between(a, b model.Time) analysis.Range {
	r := analysis.Range{From: min(a, b), To: max(a, b)}
	if r.From <= 0 {
		r.From = model.NoTime
	}
	return r
}

func (i zoom) apply(s State) State {
	if i.factor == 0 {
		s.View = analysis.Whole
		return s
	}
	from, to := s.Visible()
	if i.factor < 1 && !s.Range.IsWhole() && s.Range.To-s.Range.From < to-from && s.Range.To > s.Range.From {
		s.View = analysis.Range{From: max(s.Range.From, 0), To: s.Range.To}
		return s.tidy()
	}
	span := model.Time(math.Min(float64(to-from)*i.factor, float64(model.MaxTime/2)))
	span = max(span, model.Time(min(int64(s.Columns), 20)))
	centre := s.Now()
	if centre < from || centre > to {
		centre = from + (to-from)/2
	}
	share := 0.5
	if to > from {
		share = float64(centre-from) / float64(to-from)
	}
	start := centre - model.Time(float64(span)*share)
	s.View = analysis.Range{From: start, To: start + min(span, model.MaxTime-max(start, 0))}
	return s.tidy()
}

func (i pan) apply(s State) State {
	if s.View.IsWhole() {
		return s
	}
	from, to := s.Visible()
	d := model.Time(float64(to-from) * i.share)
	d = min(max(d, -from), s.Status.Duration-to)
	s.View = analysis.Range{From: from + d, To: to + d}
	return s.tidy()
}

// tidy keeps the view within the run, and calls it whole when it is.
func (s State) tidy() State {
	if s.View.IsWhole() {
		return s
	}
	from, to := s.View.From, s.View.To
	if span := to - from; from < 0 {
		from, to = 0, span
	} else if to > s.Status.Duration {
		from, to = s.Status.Duration-span, s.Status.Duration
	}
	from, to = max(from, 0), min(to, s.Status.Duration)
	s.View = analysis.Range{From: from, To: to}
	if from <= 0 && to >= s.Status.Duration {
		s.View = analysis.Whole
	}
	return s
}

// follow shifts the view so that the instant is visible.
func (s State) follow() State {
	if s.View.IsWhole() {
		return s
	}
	from, to := s.Visible()
	switch now := s.Now(); {
	case now < from:
		s.View = analysis.Range{From: now, To: now + (to - from)}
	case now > to:
		s.View = analysis.Range{From: now - (to - from), To: now}
	}
	return s.tidy()
}
