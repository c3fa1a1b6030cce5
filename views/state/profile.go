package state

import (
	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/model"
)

// Nothing chosen: the default event and metric of reports, the complete file.
const (
	NoEvent  = -1
	NoMetric = -1
	NoWindow = -1
)

// Profile is the state of screens of stack profiles, in addition to the range.
type Profile struct {
	Event    int             // NoEvent for the first that has stacks
	Metric   int             // NoMetric for the event's own
	Window   int             // NoWindow for the complete records
	By       weights.By      // the grouping of Functions
	Target   string          // the function that Stacks must show
	Requests int             // number of requests to show Target
	Within   calltree.Filter // the filter at the time of the request: with another one it is void
}

// NewProfile returns the initial state.
func NewProfile() Profile { return Profile{Event: NoEvent, Metric: NoMetric, Window: NoWindow} }

// The intents about stack profiles.
type (
	ChooseEvent  struct{ Event int } // also resets the metric, which the event may not have
	ChooseMetric struct{ Metric int }
	ChooseWindow struct{ Window int }
	SetProfileBy struct{ By weights.By }
	Seek         struct{ Name string }
)

func (i ChooseEvent) apply(s State) State {
	s.Prof.Event, s.Prof.Metric = i.Event, NoMetric
	return s
}

func (i ChooseMetric) apply(s State) State { s.Prof.Metric = i.Metric; return s }

func (i SetProfileBy) apply(s State) State { s.Prof.By = i.By; return s }

func (i ChooseWindow) apply(s State) State {
	if s.Prof.Window = i.Window; i.Window != NoWindow {
		s.Range, s.Anchor = analysis.FullRange, model.NoTime
	}
	return s
}

func (i Seek) apply(s State) State {
	s.Prof.Target, s.Prof.Within = i.Name, s.Filters
	s.Prof.Requests++
	return s
}
