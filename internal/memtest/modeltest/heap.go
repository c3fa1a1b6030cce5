package modeltest

import "github.com/memtui/memtui/model"

// Heap returns a snapshot; kinds and references as given, each row's size its number plus one, types by number modulo
// 3. The schema has one axis in addition to the name of types, and one kind of references.
func Heap(s *model.HeapSchema, kinds []model.HeapKind, refs [][]model.Row) *model.Heap {
	h := &model.Heap{Schema: s, Kinds: kinds, Start: ColumnOf(model.Ref(0)), Complete: true, Large: map[model.Row]uint64{},
		Tables: &model.HeapTables{Strings: []string{"A", "B", "C", "P6opaque", "", "dir/f.raku"},
			Types:  []model.HeapType{{Name: 0}, {Name: 1}, {Name: 2}},
			Axes:   [][]uint32{1: {3, 3, 3}},
			Frames: []model.HeapFrame{{Name: 0, File: 5, Line: 7}, {Name: 4, File: 5, Line: 8}, {Name: 1, File: 4, Line: 9}}}}
	for r := range kinds {
		h.Size, h.Extra = append(h.Size, uint16(r+1)), append(h.Extra, uint32(r%5))
		h.Entity = append(h.Entity, uint32(r%3))
		for _, to := range refs[r] {
			h.To.Append(to)
		}
		h.Start.Append(model.Ref(h.To.Len()))
	}
	for e := range h.To.Len() {
		h.Label = append(h.Label, model.EdgeLabel(e%3)|model.EdgeLabel(e%4)<<2)
	}
	return h
}

// Widen returns the snapshot with columns of eight bytes for each row and reference, as if it had 2^32 of them.
func Widen(h *model.Heap) *model.Heap {
	wide := *h
	wide.Start.Widen()
	wide.To.Widen()
	return &wide
}

// ColumnOf returns a column of some numbers.
func ColumnOf[N ~uint64](list ...N) (c model.Column[N]) {
	for _, n := range list {
		c.Append(n)
	}
	return c
}
