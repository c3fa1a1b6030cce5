package views

import (
	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
)

// HeapStart says where to begin in heap snapshots. The zero value begins with the last whole ones.
type HeapStart struct {
	Snapshot *int // nil for the last whole one
	After    *int // of the second file
	Edges    analysis.EdgePolicy
}

// begin is called before anything is shown.
func (h HeapStart) begin(s *State) {
	s.Heap.Policy = h.Edges
	if h.Snapshot != nil {
		s.Heap.Snapshot = *h.Snapshot
	}
	if h.After != nil {
		s.Heap.After = *h.After
	}
}

// firstScreen is where a program without memories begins: two files are there to be compared.
func (a *app) firstScreen() int {
	if a.o.After == nil {
		return 0
	}
	for i, s := range a.screens {
		if s.action() == keymap.ShowComparison {
			return i
		}
	}
	return 0
}
