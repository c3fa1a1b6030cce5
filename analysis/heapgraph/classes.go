package heapgraph

import "github.com/memtui/memtui/model"

// axisKind is an axis in addition to those of schemas: the kind of rows.
const axisKind = -1

// KindKey is the key of axisKind.
const KindKey = "kind"

// GroupedBy returns the grouping of objects by the key of an axis, or by [KindKey]. ok is false for other keys.
func GroupedBy(s *model.HeapSchema, key string) (by By, ok bool) {
	by.Kinds = s.Objects().Kinds
	if key == KindKey {
		by.Axis = axisKind
		return by, true
	}
	by.Axis, ok = s.AxisNamed(key)
	return by, ok
}

// GroupKeys returns the keys that objects can be grouped by.
func GroupKeys(s *model.HeapSchema) (keys []string) {
	for i := range s.Axes {
		keys = append(keys, s.Axes[i].Key)
	}
	return append(keys, KindKey)
}

// rowClasses maps rows to groups of [Groups]. The id of a group is that of the first of its types or strings.
type rowClasses struct {
	heap  *model.Heap
	kinds model.HeapKinds
	ids   []uint32          // by row: types, frames or strings; nil for kinds
	first map[uint32]uint32 // by id: its group; nil if each is a group of its own

	tallied bool // ids are types or frames, by which heaps are tallied
}

func newRowClasses(h *model.Heap, by By) *rowClasses {
	x := &rowClasses{heap: h, kinds: by.Kinds, ids: h.Entity, tallied: by.Axis >= 0 && !byRow(h, by.Axis)}
	switch {
	case by.Axis == axisKind:
		x.ids = nil
	case by.Axis == 0:
	case byRow(h, by.Axis):
		if x.ids = []uint32{}; by.Axis < len(h.Axes) {
			x.ids = h.Axes[by.Axis]
		}
		x.fold(h.Tables.String)
	default:
		x.fold(func(id uint32) string { return h.Tables.OnAxis(by.Axis, id) })
	}
	return x
}

// fold merges ids with the same text.
func (x *rowClasses) fold(text func(id uint32) string) {
	x.first = map[uint32]uint32{}
	at := map[string]uint32{}
	for r, id := range x.ids {
		if r >= x.heap.Len() || !x.kinds.Has(x.heap.Kinds[r]) {
			continue
		}
		if _, known := x.first[id]; known {
			continue
		}
		s := text(id)
		class, known := at[s]
		if !known {
			class, at[s] = id, id
		}
		x.first[id] = class
	}
}

// has reports whether a row belongs to any group.
func (x *rowClasses) has(r model.Row) bool {
	return x.kinds.Has(x.heap.Kinds[r]) && (x.ids == nil || uint64(r) < uint64(len(x.ids)))
}

// of returns the group of a row for which has reports true.
func (x *rowClasses) of(r model.Row) uint32 {
	if x.ids == nil {
		return uint32(x.heap.Kinds[r])
	}
	return x.class(x.ids[r])
}

// class returns the group of a type or string.
func (x *rowClasses) class(id uint32) uint32 {
	if class, ok := x.first[id]; ok {
		return class
	}
	return id
}

// lacking returns the groups without an entry.
func (x *rowClasses) lacking(of map[uint32]SetSize) map[uint32]bool {
	out := map[uint32]bool{}
	add := func(class uint32) {
		if _, ok := of[class]; !ok {
			out[class] = true
		}
	}
	if x.tallied && x.heap.Tally != nil {
		for _, t := range x.heap.Tally {
			if x.kinds.Has(model.HeapKind(t.Kind)) {
				add(x.class(t.Entity))
			}
		}
		return out
	}
	last, known := uint32(0), false // rows of one group are often adjacent
	for r := range x.heap.Kinds {
		if !x.has(model.Row(r)) {
			continue
		}
		if class := x.of(model.Row(r)); !known || class != last {
			last, known = class, true
			add(class)
		}
	}
	return out
}
