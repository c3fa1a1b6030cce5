package heapgraph

import (
	"cmp"
	"slices"

	"github.com/memtui/memtui/model"
)

// managed and unmanaged are the sizes of a row, 0 where an incomplete snapshot has none.
func managed(h *model.Heap, r int) uint64 {
	if r < len(h.Size) {
		return uint64(h.Size[r])
	}
	return 0
}

func unmanaged(h *model.Heap, r int) uint64 {
	if r < len(h.Extra) {
		return h.Unmanaged(model.Row(r))
	}
	return 0
}

// SumHeap sums over all rows. What an incomplete snapshot lacks counts as nothing.
func SumHeap(h *model.Heap) HeapTotals {
	t := HeapTotals{Rows: int64(h.Len()), References: int64(len(h.To))}
	kinds := [256]int64{}
	for r, k := range h.Kinds {
		kinds[k]++
		t.ManagedBytes += managed(h, r) // cannot overflow: 2^32 rows of 16 bits
		t.UnmanagedBytes, _ = model.SaturatingAdd(t.UnmanagedBytes, unmanaged(h, r))
	}
	t.Objects, t.TypeObjects = kinds[model.KindObject], kinds[model.KindTypeObject]
	t.STables, t.Frames = kinds[model.KindSTable], kinds[model.KindFrame]
	return t
}

// idIndex numbers the types or frames that occur, in order of first use. Damaged files have numbers beyond their tables.
type idIndex struct {
	dense []int32 // by id: number plus one
	rest  map[uint32]int32
	ids   []uint32
}

func newIDIndex(h *model.Heap) *idIndex {
	return &idIndex{dense: make([]int32, max(len(h.Tables.Types), len(h.Tables.Frames))), rest: map[uint32]int32{}}
}

func (x *idIndex) number(id uint32) int {
	if int(id) < len(x.dense) {
		if x.dense[id] == 0 {
			x.ids = append(x.ids, id)
			x.dense[id] = int32(len(x.ids))
		}
		return int(x.dense[id]) - 1
	}
	n, ok := x.rest[id]
	if !ok {
		n = int32(len(x.ids))
		x.ids, x.rest[id] = append(x.ids, id), n
	}
	return int(n)
}

// groupHeap sums the rows of one kind by type or frame: most bytes first, then count, then id.
func groupHeap(h *model.Heap, kind model.HeapKind) []HeapGroup {
	var list []HeapGroup
	x := newIDIndex(h)
	for r, id := range h.Entity[:min(len(h.Entity), h.Len())] {
		if h.Kinds[r] != kind {
			continue
		}
		i := x.number(id)
		if i == len(list) {
			list = append(list, HeapGroup{ID: id})
		}
		g := &list[i]
		g.Count++
		g.ManagedBytes += managed(h, r)
		g.UnmanagedBytes, _ = model.SaturatingAdd(g.UnmanagedBytes, unmanaged(h, r))
	}
	slices.SortFunc(list, func(a, b HeapGroup) int {
		return cmp.Or(cmp.Compare(b.Bytes(), a.Bytes()), cmp.Compare(b.Count, a.Count), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// HeapTypes groups the rows of one of the kinds 1 to 3 by type: most bytes first, then count, then id.
func HeapTypes(h *model.Heap, kind model.HeapKind) []HeapGroup {
	list := groupHeap(h, kind)
	for i := range list {
		list[i].Name, list[i].Repr = h.Tables.Type(list[i].ID)
		list[i].Line = model.NoLine
	}
	return list
}

// HeapFrames groups the frames by their static frame: most bytes first, then count, then id.
func HeapFrames(h *model.Heap) []HeapGroup {
	list := groupHeap(h, model.KindFrame)
	for i := range list {
		list[i].Name, list[i].File, list[i].Line = h.Tables.Frame(list[i].ID)
	}
	return list
}
