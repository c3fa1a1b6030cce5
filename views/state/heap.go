package state

import (
	"encoding/binary"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// NoSnapshot is used instead of a number: for the last complete snapshot, or for no row.
const NoSnapshot = -1

// Heap is the state of the screens of heap snapshots. Rows are valid only in the snapshot stored with them.
type Heap struct {
	Snapshot int // NoSnapshot follows the last complete one
	Other    int // the same for the second file, if two are compared
	Policy   heapgraph.Policy

	Row     model.Row // what Object shows
	RowOf   int
	Top     model.Row // whose children Dominators lists
	TopOf   int
	ByType  bool   // Dominators lists the rows of a type together
	Find    string // what Find looks for: a filter of objects
	Per     string // what Find counts objects by, "" for a list of them
	Without string // retainers that paths leave out: rows of RowOf, packed, ascending

	Requests int // how often another screen asked for a list of types or frames
	Axis     int // that the last one asked for
}

// NewHeap returns the initial state.
func NewHeap() Heap {
	return Heap{Snapshot: NoSnapshot, Other: NoSnapshot, RowOf: NoSnapshot, TopOf: NoSnapshot}
}

// The intents of heap screens. Their fields are documented by Heap's.
type (
	SetSnapshot struct{ I int }
	SetOther    struct{ I int }
	SetPolicy   struct{ P heapgraph.Policy }
	SetRow      struct {
		Of  int
		Row model.Row
	}
	SetTop   SetRow
	GroupTop struct{ On bool }       // rows of one type together
	Exclude  struct{ Row model.Row } // from paths to the row; again to take it back
	Include  struct{}                // everything again
	SetFind  struct{ Text string }
	CountBy  struct{ Key string } // the objects that Find finds
	// ListGroups lists the types or frames with a name, or the values of another axis, on their screen: whatever it lists.
	ListGroups struct {
		Axis int
		Text string // filter
	}
)

func (i ListGroups) apply(s State) State {
	s.Filter, s.Heap.Axis = i.Text, i.Axis
	s.Heap.Requests++
	return s
}

func (i SetSnapshot) apply(s State) State { s.Heap.Snapshot = i.I; return s }

func (i SetOther) apply(s State) State { s.Heap.Other = i.I; return s }

func (i SetPolicy) apply(s State) State { s.Heap.Policy = i.P; return s }

func (i SetTop) apply(s State) State { s.Heap.Top, s.Heap.TopOf = i.Row, i.Of; return s }

func (i GroupTop) apply(s State) State { s.Heap.ByType = i.On; return s }

func (i SetFind) apply(s State) State { s.Heap.Find = i.Text; return s }

func (i CountBy) apply(s State) State { s.Heap.Per = i.Key; return s }

func (Include) apply(s State) State { s.Heap.Without = ""; return s }

func (i SetRow) apply(s State) State {
	if s.Heap.RowOf != i.Of || s.Heap.Row != i.Row {
		s.Heap.Without = ""
	}
	s.Heap.Row, s.Heap.RowOf = i.Row, i.Of
	return s
}

func (i Exclude) apply(s State) State {
	rows := s.Heap.Excluded()
	if at, found := slices.BinarySearch(rows, i.Row); found {
		rows = slices.Delete(rows, at, at+1)
	} else {
		rows = slices.Insert(rows, at, i.Row)
	}
	b := make([]byte, 0, 8*len(rows))
	for _, r := range rows {
		b = binary.BigEndian.AppendUint64(b, uint64(r))
	}
	s.Heap.Without = string(b)
	return s
}

// Excluded returns the excluded retainers, ascending.
func (h *Heap) Excluded() []model.Row { return UnpackRows(h.Without) }

// UnpackRows returns the rows that a state packs into a text.
func UnpackRows(packed string) (rows []model.Row) {
	for b := []byte(packed); len(b) >= 8; b = b[8:] {
		rows = append(rows, model.Row(binary.BigEndian.Uint64(b)))
	}
	return rows
}

// Heaps returns the snapshots of the file, nil when it has none.
func (s *State) Heaps() model.HeapSource {
	if s.Profile == nil {
		return nil
	}
	return s.Profile.Heaps
}

// Snapshots returns the number of snapshots.
func (s *State) Snapshots() int {
	if h := s.Heaps(); h != nil {
		return h.Len()
	}
	return 0
}

// Snapshot returns the current snapshot, NoSnapshot if there is none.
func (s *State) Snapshot() int {
	if i := s.Heap.Snapshot; i >= 0 && i < s.Snapshots() {
		return i
	}
	return LastComplete(s.Heaps())
}

// LastComplete returns the last complete snapshot, or the last one if none is complete.
func LastComplete(h model.HeapSource) int {
	if h == nil {
		return NoSnapshot
	}
	for i := h.Len() - 1; i >= 0; i-- {
		if h.Info(i).Complete {
			return i
		}
	}
	return h.Len() - 1
}

// Row returns the row that Object shows: the root if none of this snapshot was chosen.
func (s *State) Row() model.Row {
	if s.Heap.RowOf == s.Snapshot() {
		return s.Heap.Row
	}
	return model.RootRow
}

// Top returns the row whose children Dominators lists.
func (s *State) Top() model.Row {
	if s.Heap.TopOf == s.Snapshot() {
		return s.Heap.Top
	}
	return model.RootRow
}

// Largest returns the snapshot with the most bytes, or rows where bytes are unknown.
func Largest(h model.HeapSource) int {
	at, most := NoSnapshot, int64(-1)
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
