package state

import "github.com/memtui/memtui/analysis/lines"

// Spot is the line of a source file that a user wants to see.
type Spot struct {
	At       lines.Place
	Function string // of which the costliest line is shown if At has no line; "" for any
	Requests uint64 // number of requests
}

// ShowLine is the intent to see a line.
type ShowLine struct {
	At       lines.Place
	Function string
}

func (i ShowLine) apply(s State) State {
	s.Spot = Spot{i.At, i.Function, s.Spot.Requests + 1}
	return s
}
