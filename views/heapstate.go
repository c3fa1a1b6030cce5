package views

import (
	"encoding/binary"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// noSnapshot is where a number of a snapshot is missing: the last whole one, the first one to compare with, no row.
const noSnapshot = -1

// HeapState is what the screens of heap snapshots show. Rows mean nothing outside of the snapshot that stands beside them.
type HeapState struct {
	Snapshot int  // noSnapshot follows the last whole one
	Before   int  // what is marked to compare with; noSnapshot for the first one
	Compared int  // what is marked to be compared with it; noSnapshot for Snapshot
	After    int  // of the other file, where two are compared; noSnapshot for its last whole one
	Moving   bool // the snapshot of the other file is what moving moves
	Swapped  bool
	Policy   heapgraph.EdgePolicy

	Row     model.Row // what Object shows
	RowOf   int
	Top     model.Row // whose children Dominators lists
	TopOf   int
	Without string // retainers that paths leave out: rows of RowOf, packed, ascending
}

func newHeapState() HeapState {
	return HeapState{Snapshot: noSnapshot, Before: noSnapshot, Compared: noSnapshot, After: noSnapshot, RowOf: noSnapshot, TopOf: noSnapshot}
}

// The intents of heap screens. Their fields are documented by HeapState's.
type (
	setSnapshot struct{ i int }
	setBefore   struct{ i int }
	setCompared struct{ i int }
	setAfter    struct{ i int }
	swapSides   struct{ two bool } // two files are compared
	moveAfter   struct{ on bool }
	setPolicy   struct{ p heapgraph.EdgePolicy }
	setRow      struct {
		of  int
		row model.Row
	}
	setTop  setRow
	exclude struct{ row model.Row } // from paths to the row; again to take it back
	include struct{}                // everything again
)

func (i setSnapshot) apply(s State) State { s.Heap.Snapshot = i.i; return s }
func (i setBefore) apply(s State) State   { s.Heap.Before = i.i; return s }
func (i setCompared) apply(s State) State { s.Heap.Compared = i.i; return s }
func (i setAfter) apply(s State) State    { s.Heap.After = i.i; return s }
func (i moveAfter) apply(s State) State   { s.Heap.Moving = i.on; return s }
func (i setPolicy) apply(s State) State   { s.Heap.Policy = i.p; return s }
func (i setTop) apply(s State) State      { s.Heap.Top, s.Heap.TopOf = i.row, i.of; return s }
func (include) apply(s State) State       { s.Heap.Without = ""; return s }

func (i setRow) apply(s State) State {
	if s.Heap.RowOf != i.of || s.Heap.Row != i.row {
		s.Heap.Without = ""
	}
	s.Heap.Row, s.Heap.RowOf = i.row, i.of
	return s
}

func (i swapSides) apply(s State) State {
	if i.two {
		s.Heap.Swapped = !s.Heap.Swapped
		return s
	}
	before, after := s.before(), s.compared()
	if s.Heap.Before = after; s.Heap.Compared != noSnapshot {
		s.Heap.Compared = before
	} else {
		s.Heap.Snapshot = before
	}
	return s
}

func (i exclude) apply(s State) State {
	rows := s.Heap.excluded()
	if at, found := slices.BinarySearch(rows, i.row); found {
		rows = slices.Delete(rows, at, at+1)
	} else {
		rows = slices.Insert(rows, at, i.row)
	}
	b := make([]byte, 0, 4*len(rows))
	for _, r := range rows {
		b = binary.BigEndian.AppendUint32(b, uint32(r))
	}
	s.Heap.Without = string(b)
	return s
}

// excluded are the retainers that paths leave out, ascending.
func (h *HeapState) excluded() []model.Row { return unpackRows(h.Without) }

func unpackRows(packed string) (rows []model.Row) {
	for b := []byte(packed); len(b) >= 4; b = b[4:] {
		rows = append(rows, model.Row(binary.BigEndian.Uint32(b)))
	}
	return rows
}

// heaps are the snapshots of the file, nil when it has none.
func (s *State) heaps() model.HeapSource {
	if s.Profile == nil {
		return nil
	}
	return s.Profile.Heaps
}

// snapshots is how many there are.
func (s *State) snapshots() int {
	if h := s.heaps(); h != nil {
		return h.Len()
	}
	return 0
}

// snapshot is the one that everything is about, noSnapshot when there is none.
func (s *State) snapshot() int {
	if i := s.Heap.Snapshot; i >= 0 && i < s.snapshots() {
		return i
	}
	return lastWhole(s.heaps())
}

// lastWhole is the last snapshot that is whole, or the last there is.
func lastWhole(h model.HeapSource) int {
	if h == nil {
		return noSnapshot
	}
	for i := h.Len() - 1; i >= 0; i-- {
		if h.Info(i).Complete {
			return i
		}
	}
	return h.Len() - 1
}

// before is the snapshot to compare with.
func (s *State) before() int {
	if i := s.Heap.Before; i >= 0 && i < s.snapshots() {
		return i
	}
	return min(0, s.snapshots()-1)
}

// compared is the snapshot that Comparison compares with the one before.
func (s *State) compared() int {
	if i := s.Heap.Compared; i >= 0 && i < s.snapshots() {
		return i
	}
	return s.snapshot()
}

// row is what Object shows: the root of everything where nothing of this snapshot was chosen.
func (s *State) row() model.Row {
	if s.Heap.RowOf == s.snapshot() {
		return s.Heap.Row
	}
	return model.RootRow
}

// top is what Dominators lists the children of.
func (s *State) top() model.Row {
	if s.Heap.TopOf == s.snapshot() {
		return s.Heap.Top
	}
	return model.RootRow
}

// largest is the snapshot with the most bytes, or rows where nobody knows bytes.
func largest(h model.HeapSource) int {
	at, most := noSnapshot, int64(-1)
	for i := range h.Len() {
		info := h.Info(i)
		n := info.Bytes
		if n == model.NoCount {
			n = info.Rows
		}
		if n > most {
			at, most = i, n
		}
	}
	return at
}
