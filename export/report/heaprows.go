package report

import (
	"cmp"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// NewHeapObject is everything about one row, with at most n references in each direction, 0 for all.
func NewHeapObject(g *heapgraph.HeapGraph, row model.Row, n int) *HeapObject {
	h := g.Heap
	o := &HeapObject{
		Row: row, Kind: h.Kinds[row].String(), Label: heapgraph.HeapLabel(h, row),
		Bytes: h.Bytes(row), Managed: uint64(h.Size[row]), Unmanaged: h.Unmanaged(row),
	}
	if g.Idom == nil {
		o.left = leftOut{"retained_bytes", "retained_count", "dominator"}
	} else {
		o.RetainedBytes, o.RetainedCount = g.Retained[row], uint64(g.RetainedCount[row])
	}
	switch h.Kinds[row] {
	case model.KindObject, model.KindTypeObject, model.KindSTable:
		_, repr := h.Tables.Type(h.Entity[row])
		o.Repr = &repr
	}
	if row != model.RootRow && g.Idom != nil {
		o.Dominator = &g.Idom[row]
	}
	to, first := h.Out(row)
	o.OutCount = len(to)
	for i, target := range limit(to, n) {
		o.Out = append(o.Out, HeapEdge{target, heapgraph.HeapLabel(h, target), h.EdgeText(first + uint32(i))})
	}
	for from, edge := range g.In(row) {
		if o.InCount++; n == 0 || o.InCount <= n {
			o.In = append(o.In, HeapEdge{from, heapgraph.HeapLabel(h, from), h.EdgeText(edge)})
		}
	}
	return o
}

// NewHeapPath is a path as text.
func NewHeapPath(h *model.Heap, steps []heapgraph.HeapStep) []HeapStep {
	out := make([]HeapStep, len(steps))
	for i, s := range steps {
		out[i] = HeapStep{Row: s.Row, Kind: h.Kinds[s.Row].String(), Label: heapgraph.HeapLabel(h, s.Row)}
		if i > 0 {
			text := h.EdgeText(s.Edge)
			out[i].Edge = &text
		}
	}
	return out
}

// NewHeapRows describes rows, at most n of them, 0 for all: in their order, or the largest first, which sorts them.
func NewHeapRows(h *model.Heap, rows []model.Row, bySize bool, n int) []HeapRow {
	if bySize {
		slices.SortFunc(rows, func(x, y model.Row) int { return cmp.Or(cmp.Compare(h.Bytes(y), h.Bytes(x)), cmp.Compare(x, y)) })
	}
	rows = limit(rows, n)
	out := make([]HeapRow, len(rows))
	for i, row := range rows {
		out[i] = HeapRow{row, h.Kinds[row].String(), heapgraph.HeapLabel(h, row), h.Bytes(row)}
	}
	return out
}
