package ui

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/widget"
)

// StackComparison is the weights of stacks on both sides of a comparison, and their format. It is immutable.
type StackComparison struct {
	*diff.Comparison
	Title  string                                      // what is compared
	Amount func(n uint64, exact bool) string           // of changes
	Side   func(side int, n uint64, exact bool) string // of before and after
}

// StackComparer compares stacks for the screen that shows them as a tree. Its methods belong to the event loop.
type StackComparer interface {
	// Ask requests the comparison of a state and returns the newest one; nil before the first, or if there is none.
	Ask(s *state.State) *StackComparison
	// Fresh reports whether the newest one is that of the last state.
	Fresh() bool
	// Failed returns why there is no comparison, and what to do; nil if that is not known.
	Failed() []string
	// DrawHead draws what changed, and returns the remaining area.
	DrawHead(s tcell.Screen, r widget.Rect, st *state.State) widget.Rect
	// Signs returns the meaning of + for a title, if a head in r has no room for it; else "".
	Signs(r widget.Rect) string
	// CommandLine returns the command that prints the comparison; file is the name of the first file.
	CommandLine(s *state.State, file []string) []string
}
