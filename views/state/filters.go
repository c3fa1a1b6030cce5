package state

import (
	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
)

// Narrowing is everything in a state that restricts the screens: what undo brings back.
type Narrowing struct {
	filters calltree.Filter
	cell    analysis.Cell
	window  int
}

// Narrowing returns what narrows the screens.
func (s *State) Narrowing() Narrowing { return Narrowing{s.Filters, s.Cell, s.Prof.Window} }

// The intents about filters of stacks.
type (
	AddStep   struct{ Step calltree.Step }
	DropStep  struct{ N int } // counted from 0, from the end where it is negative
	setSteps  struct{ f calltree.Filter }
	SetNarrow struct{ To Narrowing }
)

func (i AddStep) apply(s State) State { return setSteps{s.Filters.With(i.Step)}.apply(s) }

func (i DropStep) apply(s State) State {
	n := i.N
	if n < 0 {
		n += len(s.Filters.Steps())
	}
	return setSteps{s.Filters.Without(n)}.apply(s)
}

func (i setSteps) apply(s State) State {
	if s.Filters = i.f; s.Selected.By != analysis.ByStack {
		s.Selected = Selection{} // keys of groups are those of one filter
	}
	return s
}

func (i SetNarrow) apply(s State) State {
	s.Cell, s.Prof.Window = i.To.cell, i.To.window
	return setSteps{i.To.filters}.apply(s)
}
