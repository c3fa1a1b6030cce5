package analysis

import (
	"context"

	"github.com/memtui/memtui/model"
)

// SumHeap sums over all rows. What an incomplete snapshot lacks counts as nothing.
func SumHeap(h *model.Heap) HeapTotals { return HeapTotals{} }

// HeapTypes groups the rows of one of the kinds 1 to 3 by type: most bytes first, then count, then id.
func HeapTypes(h *model.Heap, kind model.HeapKind) []HeapGroup { return nil }

// HeapFrames groups the frames by their static frame: most bytes first, then count, then id.
func HeapFrames(h *model.Heap) []HeapGroup { return nil }

// RetainedByGroup sums, for each type or frame of one kind, what its rows retain, what they retain of each other counted
// once. Memory that only several rows together keep alive is not in it: see RetainedBySet.
func (g *HeapGraph) RetainedByGroup(ctx context.Context, kind model.HeapKind) (map[uint32]uint64, error) {
	return nil, errNotYet
}

// RetainedBySet is what would become unreachable without all the rows of one type or frame, they included: never less
// than RetainedByGroup says.
func (g *HeapGraph) RetainedBySet(ctx context.Context, kind model.HeapKind, id uint32) (bytes, rows uint64, err error) {
	return 0, 0, errNotYet
}
