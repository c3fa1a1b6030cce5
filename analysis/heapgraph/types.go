package heapgraph

import (
	"cmp"
	"slices"

	"github.com/memtui/memtui/model"
)

// managed returns the managed size of a row, 0 if an incomplete snapshot has none.
func managed(h *model.Heap, r int) uint64 {
	if r < len(h.Size) {
		return h.Managed(model.Row(r))
	}
	return 0
}

func unmanaged(h *model.Heap, r int) uint64 {
	if r < len(h.Extra) {
		return h.Unmanaged(model.Row(r))
	}
	return 0
}

// Sum returns the sums over all rows. Columns that an incomplete snapshot lacks count as 0.
func Sum(h *model.Heap) Totals {
	t := Totals{Rows: int64(h.Len()), References: int64(h.To.Len()), Counts: make([]int64, len(h.Schema.Sets))}
	kinds := CountKinds(h)
	for _, x := range h.Tally {
		t.ManagedBytes, _ = model.SaturatingAdd(t.ManagedBytes, x.Managed)
		t.UnmanagedBytes, _ = model.SaturatingAdd(t.UnmanagedBytes, x.Unmanaged)
	}
	for r := 0; h.Tally == nil && r < h.Len(); r++ {
		t.ManagedBytes, _ = model.SaturatingAdd(t.ManagedBytes, managed(h, r))
		t.UnmanagedBytes, _ = model.SaturatingAdd(t.UnmanagedBytes, unmanaged(h, r))
	}
	for i := range h.Schema.Sets {
		for k, n := range kinds {
			if h.Schema.Sets[i].Kinds.Has(model.HeapKind(k)) {
				t.Counts[i] += n
			}
		}
	}
	return t
}

// CountKinds returns the number of rows by kind.
func CountKinds(h *model.Heap) (kinds [model.MaxHeapKinds]int64) {
	if h.Tally == nil {
		for _, k := range h.Kinds {
			kinds[k%model.MaxHeapKinds]++
		}
	}
	for _, x := range h.Tally {
		kinds[x.Kind%model.MaxHeapKinds] += int64(x.Count)
	}
	return kinds
}

// idIndex numbers the types or frames that occur, in order of first use. Ids of damaged files may be beyond their
// tables.
type idIndex struct {
	dense []uint32 // by id: its number plus one
	rest  map[uint32]int
	ids   []uint32
}

func newIDIndex(h *model.Heap) *idIndex {
	return &idIndex{dense: make([]uint32, max(len(h.Tables.Types), len(h.Tables.Frames))), rest: map[uint32]int{}}
}

func (x *idIndex) number(id uint32) int {
	if int(id) < len(x.dense) {
		if x.dense[id] == 0 {
			x.ids = append(x.ids, id)
			x.dense[id] = uint32(len(x.ids))
		}
		return int(x.dense[id]) - 1
	}
	n, ok := x.rest[id]
	if !ok {
		n = len(x.ids)
		x.ids, x.rest[id] = append(x.ids, id), n
	}
	return n
}

// sumGroups sums the rows of some kinds by the ids in a column, in order of first use.
func sumGroups(h *model.Heap, kinds model.HeapKinds, column []uint32) []Group {
	var list []Group
	x := newIDIndex(h)
	for r, id := range column[:min(len(column), h.Len())] {
		if !kinds.Has(h.Kinds[r]) {
			continue
		}
		i := x.number(id)
		if i == len(list) {
			list = append(list, Group{ID: id, Line: model.NoLine})
		}
		g := &list[i]
		g.Count++
		g.ManagedBytes, _ = model.SaturatingAdd(g.ManagedBytes, managed(h, r))
		g.UnmanagedBytes, _ = model.SaturatingAdd(g.UnmanagedBytes, unmanaged(h, r))
	}
	return list
}

// sumEntities sums the rows of some kinds by type or frame.
func sumEntities(h *model.Heap, kinds model.HeapKinds) []Group {
	if h.Tally == nil {
		return sumGroups(h, kinds, h.Entity)
	}
	var list []Group
	x := newIDIndex(h)
	for _, t := range h.Tally {
		if !kinds.Has(model.HeapKind(t.Kind)) {
			continue
		}
		i := x.number(t.Entity)
		if i == len(list) {
			list = append(list, Group{ID: t.Entity, Line: model.NoLine})
		}
		list[i].Add(&Group{Count: t.Count, ManagedBytes: t.Managed, UnmanagedBytes: t.Unmanaged})
	}
	return list
}

// Groups groups rows by type, by frame, or by an axis: most bytes first, then count, then id. On another axis than the
// first, the id is that of one of the types or strings with the value.
func Groups(h *model.Heap, by By) []Group {
	list := []Group(nil)
	switch {
	case by.Axis == axisKind:
		list = sumKinds(h, by.Kinds)
	case by.Axis == 0:
		list = sumEntities(h, by.Kinds)
		nameGroups(h, by.Kinds, list)
	case !byRow(h, by.Axis):
		types := sumEntities(h, by.Kinds)
		slices.SortFunc(types, largestFirst)
		list = fold(types, func(id uint32) string { return h.Tables.OnAxis(by.Axis, id) })
	case by.Axis < len(h.Axes):
		list = fold(sumGroups(h, by.Kinds, h.Axes[by.Axis]), h.Tables.String)
	}
	slices.SortFunc(list, largestFirst)
	return list
}

// sumKinds sums the rows of some kinds by kind.
func sumKinds(h *model.Heap, kinds model.HeapKinds) (list []Group) {
	var of [model.MaxHeapKinds]Group
	for r, k := range h.Kinds {
		if kinds.Has(k) {
			of[k%model.MaxHeapKinds].Add(&Group{Count: 1, ManagedBytes: managed(h, r), UnmanagedBytes: unmanaged(h, r)})
		}
	}
	for k := range of {
		if g := &of[k]; g.Count > 0 {
			g.ID, g.Name, g.Line = uint32(k), h.Schema.Kind(model.HeapKind(k)).Name, model.NoLine
			list = append(list, *g)
		}
	}
	return list
}

// Types groups the objects of a heap by type, as [Groups] does.
func Types(h *model.Heap) []Group { return Groups(h, By{Kinds: h.Schema.Objects().Kinds}) }

// Frames groups the frames of a heap, as [Groups] does. The result is empty if the format has no frames.
func Frames(h *model.Heap) []Group {
	set, _ := h.Schema.Frames()
	return Groups(h, By{Kinds: set.Kinds})
}

func byRow(h *model.Heap, axis int) bool { return axis >= 0 && h.Schema.Axes[axis].ByRow }

func largestFirst(a, b Group) int {
	return cmp.Or(cmp.Compare(b.Bytes(), a.Bytes()), cmp.Compare(b.Count, a.Count), cmp.Compare(a.ID, b.ID))
}

// nameGroups sets the names of groups of types or frames.
func nameGroups(h *model.Heap, kinds model.HeapKinds, list []Group) {
	frames, second := namingOf(h.Schema, kinds) == model.NamedByFrame, h.Schema.Distinct()
	for i := range list {
		g := &list[i]
		if frames {
			g.Name, g.File, g.Line = h.Tables.Frame(g.ID)
		} else if g.Name = h.Tables.Type(g.ID); second > 0 {
			g.Sub = h.Tables.OnAxis(second, g.ID)
		}
	}
}

// namingOf returns how the rows of some kinds are named; it must be the same for all.
func namingOf(s *model.HeapSchema, kinds model.HeapKinds) model.HeapNaming {
	for k := range s.Kinds {
		if kinds.Has(model.HeapKind(k)) {
			return s.Kinds[k].Naming
		}
	}
	return model.NamedByKind
}

// fold merges groups of the same text. The id is that of the first.
func fold(groups []Group, text func(id uint32) string) []Group {
	at := map[string]int{}
	var out []Group
	for i := range groups {
		name := text(groups[i].ID)
		j, ok := at[name]
		if !ok {
			j = len(out)
			at[name] = j
			out = append(out, Group{ID: groups[i].ID, Name: name, Line: model.NoLine})
		}
		out[j].Add(&groups[i])
	}
	return out
}
