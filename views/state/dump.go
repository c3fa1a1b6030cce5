package state

import (
	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/model"
)

// NoLayout is no page layout, also in marks. NoSeries is the first series that has layouts.
const (
	NoLayout = noNumber
	NoSeries = -1
)

// Dump is the state of screens of measured series and page layouts, in addition to the instant.
type Dump struct {
	Series   int              // selected, NoSeries for the first with layouts
	Layout   int              // chosen at LayoutAt, NoLayout to follow the instant: several may have one time, or none
	On       analysis.Instant // the instant at which Layout was chosen; at others Layout is ignored
	Spot     PageSpot         // the place that the grid must show
	Requests int              // number of requests to show Spot
	Figure   diff.PageFigure  // what page types are compared by
}

// NewDump returns the initial state.
func NewDump() Dump {
	return Dump{Series: NoSeries, Layout: NoLayout}
}

// The intents about dumps.
type (
	NextPageFigure struct{}
	ChooseSeries   struct{ Series int }
	ChooseLayout   struct {
		Layout int
		At     model.Time
	}
	ShowPage struct{ Spot PageSpot }
)

func (i ChooseSeries) apply(s State) State { s.Dump.Series = i.Series; return s }

func (i ShowPage) apply(s State) State {
	s.Dump.Spot, s.Compare.On = i.Spot, false
	s.Dump.Requests++
	return s
}

func (i ChooseLayout) apply(s State) State {
	s = s.Apply(MoveTo{analysis.At(max(i.At, 0))})
	s.Dump.Layout, s.Dump.On = i.Layout, s.At
	return s
}

// PageSpot is a place in a layout: a page, and a part of it where pages are divided.
type PageSpot struct{ Typ, Page, Part int }

func (NextPageFigure) apply(s State) State {
	s.Dump.Figure = (s.Dump.Figure + 1) % diff.PageFigures
	return s
}
