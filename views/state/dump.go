package state

import (
	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/model"
)

// NoLayout represents no page layout, also in marks, NoSeries for the series that has layouts first.
const (
	NoLayout = NoNumber
	NoSeries = -1
)

// Dump is what screens of measured series and page layouts are about, besides the instant.
type Dump struct {
	Series   int              // selected, NoSeries for the first with layouts
	Layout   int              // chosen at LayoutAt, NoLayout to follow the instant: several may have one time, or none
	On       analysis.Instant // where Layout was chosen; elsewhere it counts for nothing
	Spot     PageSpot         // where the grid was sent to
	Requests int              // how often it was
	Figure   diff.PageFigure  // what page types are compared by
}

// NewDump returns the state before anything is chosen.
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
