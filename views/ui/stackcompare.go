package ui

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/widget"
)

// StackComparison is what stacks weigh on both sides of a comparison, and how that is written. It never changes.
type StackComparison struct {
	*diff.Comparison
	Title  string // what is compared
	Amount func(n uint64, exact bool) string
}

// StackComparer compares stacks for the screen that shows them as a tree. Its methods belong to the event loop.
type StackComparer interface {
	// Ask asks for the comparison that a state is about and returns the newest; nil before the first, and where there
	// is none.
	Ask(s *state.State) *StackComparison
	// Fresh reports whether the newest is that of the state asked about last.
	Fresh() bool
	// Failed says why there is no comparison, and what to do; nil where that is not known to be so.
	Failed() []string
	// DrawHead says what changed, and returns the room that it leaves.
	DrawHead(s tcell.Screen, r widget.Rect, st *state.State) widget.Rect
	// Signs says for a title what + means, where a head in r has no room to say it; "" elsewhere.
	Signs(r widget.Rect) string
	// CommandLine is the command that prints the comparison; file is how the first file is named.
	CommandLine(s *state.State, file []string) []string
}
