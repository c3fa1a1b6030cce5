package analysis

import (
	"context"
	"iter"

	"github.com/memtui/memtui/model"
)

// Path is a shortest path from the root to row that passes none of the rows in without: of several the first in the order
// of a breadth-first walk that takes references in the file's order. ok is false when there is none. The first step is the root.
func (g *HeapGraph) Path(ctx context.Context, row model.Row, without map[model.Row]bool) (path []HeapStep, ok bool, err error) {
	return nil, false, errNotYet
}

// In iterates over the references to row as recorded, whatever the policy: their source and their number, ascending. The first
// call on a snapshot takes time in proportion to its references.
func (g *HeapGraph) In(row model.Row) iter.Seq2[model.Row, uint32] {
	return func(yield func(model.Row, uint32) bool) {}
}

// InCount is the number of references to row.
func (g *HeapGraph) InCount(row model.Row) int { return 0 }

// HeapRefs are references of one row that share their text (index labels all count as "Index") and the kind and type of
// their other end.
type HeapRefs struct {
	Edge   string // not cleaned
	Kind   model.HeapKind
	Label  string // of the other end, see HeapLabel; not cleaned
	Count  uint64
	Bytes  uint64    // of the other ends themselves, one for each reference
	First  model.Row // first other end
	Number uint32    // of the first reference
}

// OutGroups groups the references of row, most first.
func (g *HeapGraph) OutGroups(row model.Row) []HeapRefs { return nil }

// InGroups groups the references to row, most first.
func (g *HeapGraph) InGroups(row model.Row) []HeapRefs { return nil }
