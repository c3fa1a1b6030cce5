package state

import (
	"math"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// State is the state of all screens. It is a value: screens keep the last one they were shown and never change it.
type State struct {
	Profile *model.Profile // nil until the first revision
	Status  analysis.Status
	Judged  Judged // zero until a recording that is followed is judged

	At     analysis.Instant // analysis.End follows the end while a file loads
	Range  analysis.Range   // analysis.FullRange when nothing is selected
	Anchor model.Time       // start of a range that follows the instant; model.NoTime for none
	View   analysis.Range   // the range of charts: analysis.FullRange, or the zoomed range

	Group   analysis.Group
	Cost    analysis.Cost
	Series  Series  // what charts show
	ChartOf ChartOf // the blocks in the chart
	Filter  string  // of tables
	MinAge  model.Time
	Cell    analysis.Cell   // restricts tables and stacks to blocks of this size and lifetime
	Filters calltree.Filter // filter of the stacks of traces and profiles

	Selected Selection
	Exact    bool // exact numbers instead of rounded ones
	FullName bool // names as in the file instead of shortened ones
	Values   bool // contents of objects are shown; they may be secret

	Spot  Spot  // in source files
	Areas Areas // of the treemap

	Heap Heap
	Dump Dump
	Prof Profile

	Compare Compare

	Columns int // cells of the time axis of charts: the unit of a step
}

// Selection is the group that is selected in tables, so that other screens can find it.
type Selection struct {
	By    analysis.Group
	Key   analysis.Key
	Stack model.StackID
	Set   bool

	Evidence bool // it was selected to look at what shows that it leaks, or does not
}

// ChartOf selects which of the filtered blocks the live curve shows.
type ChartOf uint8

const (
	ChartAll      ChartOf = iota
	ChartTop              // all, divided by the top sites
	ChartSelected         // the selected group alone
)

// NextChart returns the next chart in the cycle: that of the selected group only if there is one.
func (s *State) NextChart() ChartOf {
	switch {
	case s.ChartOf == ChartAll:
		return ChartTop
	case s.ChartOf == ChartTop && s.Selected.Set:
		return ChartSelected
	}
	return ChartAll
}

// NewState returns the initial state.
func NewState() State {
	return State{At: analysis.End, Range: analysis.FullRange, View: analysis.FullRange, Anchor: model.NoTime,
		Heap: NewHeap(), Dump: NewDump(), Prof: NewProfile(), Columns: 70}
}

// Intent is a change that a user wants.
type Intent interface {
	apply(State) State
}

// Apply returns the state after an intent. It is pure.
func (s State) Apply(i Intent) State { return i.apply(s) }

// The intents. Their fields are documented by State's.
type (
	Loaded struct {
		Profile *model.Profile
		Status  analysis.Status
		Judged  Judged
	}
	MoveTo     struct{ At analysis.Instant } // also moves the end of a range that follows the instant
	Step       struct{ Columns int }         // of the charts; negative is earlier
	StartRange struct{}                      // or ends the one that follows the instant
	SetRange   struct{ R analysis.Range }
	ClearRange struct{}
	Zoom       struct{ Factor float64 } // below 1 zooms in around the instant; 0 shows everything
	ZoomTo     struct{ R analysis.Range }
	Pan        struct{ Share float64 } // share of the visible range
	SetGroup   struct{ By analysis.Group }
	SetCost    struct{ Cost analysis.Cost }
	SetSeries  struct{ Series Series }
	SetFilter  struct{ Text string }
	SetMinAge  struct{ Age model.Time }
	SetCell    struct{ Cell analysis.Cell }
	SetChart   struct{ Of ChartOf }
	SelectKey  struct{ Sel Selection }
	SetExact   struct{ On bool }
	SetNames   struct{ Full bool }
	SetValues  struct{ Shown bool } // or hides the contents of objects
	SetColumns struct{ N int }
)

func (i Loaded) apply(s State) State {
	s.Profile, s.Status, s.Judged = i.Profile, i.Status, i.Judged
	return s
}

func (i SetGroup) apply(s State) State { s.Group = i.By; return s }

func (i SetCost) apply(s State) State { s.Cost = i.Cost; return s }

func (i SetSeries) apply(s State) State { s.Series = i.Series; return s }

func (i SetFilter) apply(s State) State { s.Filter = i.Text; return s }

func (i SetMinAge) apply(s State) State { s.MinAge = max(i.Age, 0); return s }

func (i SetChart) apply(s State) State { s.ChartOf = i.Of; return s }

func (i SetCell) apply(s State) State { s.Cell = i.Cell; return s }

func (i SelectKey) apply(s State) State { s.Selected = i.Sel; return s }

func (i SetExact) apply(s State) State { s.Exact = i.On; return s }

func (i SetValues) apply(s State) State { s.Values = i.Shown; return s }

func (i SetNames) apply(s State) State { s.FullName = i.Full; return s }

func (i SetColumns) apply(s State) State { s.Columns = max(i.N, 1); return s }

func (i ZoomTo) apply(s State) State { s.View = i.R; return s.clampView() }

// Only returns the selection of blocks in tables of a trace.
func (s *State) Only() analysis.Cell {
	c := s.Cell
	c.Stacks = s.Filters
	return c
}

// Settled reports whether reading has ended.
func (s *State) Settled() bool { return s.Status.Final || s.Status.Stopped }

// Judged is what a recording was when it was last judged while it is followed.
type Judged struct {
	Revision uint64     // of Status
	To       model.Time // its duration
}

// Live reports whether a recording is followed while it grows.
func (s *State) Live() bool { return s.Profile != nil && s.Profile.Meta.Live != "" && !s.Settled() }

// Deep returns the revision for answers that take walks over everything, ok = false while they wait: until reading has
// ended or, while a recording is followed, for the next moment to judge it.
func (s *State) Deep() (revision uint64, ok bool) {
	if s.Settled() {
		return s.Status.Revision, true
	}
	return s.Judged.Revision, s.Live() && s.Judged.Revision > 0
}

// JudgedTo returns until when the answers of [State.Deep] go: 0 where they are about everything.
func (s *State) JudgedTo() model.Time {
	if s.Settled() {
		return 0
	}
	return s.Judged.To
}

// Now returns the instant's time: the end of what is loaded for analysis.End.
func (s *State) Now() model.Time { return min(s.At.T, s.Status.Duration) }

// AtEnd reports whether the instant follows the end of the run.
func (s *State) AtEnd() bool { return s.At == analysis.End }

// Visible returns the finite range of charts.
func (s *State) Visible() (from, to model.Time) {
	if s.View.IsFull() {
		return 0, s.Status.Duration
	}
	return max(s.View.From, 0), min(s.View.To, s.Status.Duration)
}

// StepWidth returns the time of one column of the charts, at least a microsecond.
func (s *State) StepWidth() model.Time {
	from, to := s.Visible()
	return max((to-from)/model.Time(max(s.Columns, 1)), 1)
}

func (i MoveTo) apply(s State) State {
	at := i.At
	if at.T >= s.Status.Duration && at.Events == 0 {
		at = analysis.End
	}
	at.T = max(at.T, 0)
	s.At = at
	if s.Anchor != model.NoTime {
		s.Range = Between(s.Anchor, s.Now())
	}
	return s.follow()
}

func (i Step) apply(s State) State {
	now, width, n := s.Now(), s.StepWidth(), model.Time(i.Columns)
	switch at := analysis.At(0); {
	case n < 0 && -n <= now/width:
		at.T = now + n*width
		return s.Apply(MoveTo{at})
	case n > 0 && n <= (s.Status.Duration-now)/width:
		at.T = now + n*width
		return s.Apply(MoveTo{at})
	case n < 0:
		return s.Apply(MoveTo{at})
	}
	return s.Apply(MoveTo{analysis.At(s.Status.Duration)})
}

func (StartRange) apply(s State) State {
	if s.Anchor != model.NoTime {
		s.Anchor = model.NoTime
		return s
	}
	s.Anchor = s.Now()
	s.Range = Between(s.Anchor, s.Anchor)
	return s
}

func (i SetRange) apply(s State) State {
	s.Range, s.Anchor = Between(max(i.R.From, 0), i.R.To), model.NoTime
	s.At = analysis.At(s.Range.To)
	return s
}

func (ClearRange) apply(s State) State {
	s.Range, s.Anchor = analysis.FullRange, model.NoTime
	return s
}

// Between returns the range of two times in any order. One that starts at 0 includes the events of time 0.
func Between(a, b model.Time) analysis.Range {
	r := analysis.Range{From: min(a, b), To: max(a, b)}
	if r.From <= 0 {
		r.From = model.NoTime
	}
	return r
}

func (i Zoom) apply(s State) State {
	if i.Factor == 0 {
		s.View = analysis.FullRange
		return s
	}
	from, to := s.Visible()
	if i.Factor < 1 && !s.Range.IsFull() && s.Range.To-s.Range.From < to-from && s.Range.To > s.Range.From {
		s.View = analysis.Range{From: max(s.Range.From, 0), To: s.Range.To}
		return s.clampView()
	}
	span := model.Time(math.Min(float64(to-from)*i.Factor, float64(model.MaxTime/2)))
	span = max(span, model.Time(min(int64(s.Columns), 20)))
	center := s.Now()
	if center < from || center > to {
		center = from + (to-from)/2
	}
	share := 0.5
	if to > from {
		share = float64(center-from) / float64(to-from)
	}
	start := center - model.Time(float64(span)*share)
	s.View = analysis.Range{From: start, To: start + min(span, model.MaxTime-max(start, 0))}
	return s.clampView()
}

func (i Pan) apply(s State) State {
	if s.View.IsFull() {
		return s
	}
	from, to := s.Visible()
	d := model.Time(float64(to-from) * i.Share)
	d = min(max(d, -from), s.Status.Duration-to)
	s.View = analysis.Range{From: from + d, To: to + d}
	return s.clampView()
}

// clampView limits the view to the run, and resets it to FullRange if it covers everything.
func (s State) clampView() State {
	if s.View.IsFull() {
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
		s.View = analysis.FullRange
	}
	return s
}

// follow shifts the view so that it contains the instant.
func (s State) follow() State {
	if s.View.IsFull() {
		return s
	}
	from, to := s.Visible()
	switch now := s.Now(); {
	case now < from:
		s.View = analysis.Range{From: now, To: now + (to - from)}
	case now > to:
		s.View = analysis.Range{From: now - (to - from), To: now}
	}
	return s.clampView()
}

// Stacks returns the symbols, nil before they are read.
func (s *State) Stacks() *model.Stacks {
	if s.Profile == nil {
		return nil
	}
	return s.Profile.Stacks
}

// Blocks returns a number of blocks in words: of samples where not all blocks were recorded.
func (s *State) Blocks(n uint64) string {
	if s.Sampled() {
		return model.Counted(n, "sample")
	}
	return model.Blocks(n)
}

// Bytes returns an amount of memory in blocks, rounded or exact, marked where it is estimated from samples.
func (s *State) Bytes(n uint64) string {
	text := model.Bytes(n).String()
	if s.Exact {
		text = model.Bytes(n).Exact()
	}
	return s.Estimate(text)
}

// Estimate marks a figure in blocks where it is estimated from samples.
func (s *State) Estimate(figure string) string {
	if s.Sampled() {
		return model.AsEstimate(figure)
	}
	return figure
}

// Sentence returns a sentence about blocks as it is shown: about samples where not all were recorded. Names must not be
// in it.
func (s *State) Sentence(text string) string {
	if s.Sampled() {
		return model.AsEstimates(text)
	}
	return text
}

// Sampling returns by what chance blocks were recorded, as far as that is known.
func (s *State) Sampling() model.Sampling {
	if s.Profile == nil {
		return model.Sampling{}
	}
	return s.Profile.Meta.Sampling
}

// Sampled reports whether not all blocks were recorded, so that figures are estimates.
func (s *State) Sampled() bool { return s.Profile != nil && s.Profile.Meta.Sampled != "" }

// NoThreads reports whether the file has no threads; see [model.Meta].
func (s *State) NoThreads() bool { return s.Profile != nil && s.Profile.Meta.NoThreads }

// Invented reports whether the addresses in the file are invented; see [model.Meta].
func (s *State) Invented() bool { return s.Profile != nil && s.Profile.Meta.InventedAddresses }
