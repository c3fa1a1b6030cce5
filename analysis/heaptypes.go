package analysis

import (
	"cmp"
	"context"
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

// RetainedByGroup sums, for each type or frame of one kind, what its rows retain, what they retain of each other counted
// once. Memory that only several rows together keep alive is not in it: see RetainedBySet.
func (g *HeapGraph) RetainedByGroup(ctx context.Context, kind model.HeapKind) (map[uint32]uint64, error) {
	h, t := g.Heap, g.tree()
	t.mu.RLock()
	defer t.mu.RUnlock()
	x := newIDIndex(h)
	var sums []uint64
	var within []int // how many rows of the group the walk is inside of
	enter := func(r model.Row, by int) {
		if h.Kinds[r] != kind {
			return
		}
		i := x.number(h.Entity[r])
		if i == len(sums) {
			sums, within = append(sums, 0), append(within, 0)
		}
		if by > 0 && within[i] == 0 {
			sums[i], _ = model.SaturatingAdd(sums[i], g.Retained[r])
		}
		within[i] += by
	}
	// The dominator tree is walked without a stack: next tells where each row's children are at.
	next := slices.Clone(t.start[:len(t.start)-1])
	enter(model.RootRow, 1)
	for r, steps := model.RootRow, 0; ; steps++ {
		if steps%pauseEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if next[r] < t.start[r+1] {
			next[r]++
			r = t.rows[next[r]-1]
			enter(r, 1)
			continue
		}
		enter(r, -1)
		if r == model.RootRow {
			break
		}
		r = g.Idom[r]
	}
	byID := map[uint32]uint64{}
	for i, id := range x.ids {
		byID[id] = sums[i]
	}
	return byID, nil
}

// RetainedBySet is what would become unreachable without all the rows of one type or frame, they included: never less
// than RetainedByGroup says. Rows that nothing reaches anyway do not count.
func (g *HeapGraph) RetainedBySet(ctx context.Context, kind model.HeapKind, id uint32) (bytes, rows uint64, err error) {
	h, p := g.Heap, (*pathTree)(nil)
	if p, err = g.shortest(ctx); err != nil {
		return 0, 0, err
	}
	seen := newRowBits(h.Len())
	var set []model.Row
	for r, k := range h.Kinds {
		if k == kind && h.Entity[r] == id {
			set = append(set, model.Row(r))
			seen.set(model.Row(r))
		}
	}
	if err = g.flood(ctx, make([]model.Row, h.Len()), seen, nil, model.RootRow); err != nil {
		return 0, 0, err
	}
	for _, r := range set {
		seen[r>>6] &^= 1 << (r & 63)
	}
	for r := range h.Kinds {
		if r := model.Row(r); p.seen.has(r) && !seen.has(r) {
			rows++
			bytes, _ = model.SaturatingAdd(bytes, h.Bytes(r))
		}
	}
	return bytes, rows, nil
}
