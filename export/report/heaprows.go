package report

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// NewHeapObject returns everything about one row, with at most n references in each direction, 0 for all.
func NewHeapObject(g *heapgraph.Graph, row model.Row, n int) *HeapObject {
	h := g.Heap
	o := &HeapObject{
		Row: row, Kind: h.Kind(row).Name, Label: heapgraph.Label(h, row), HeapID: newID(h, row), HeapPlaces: rowPlaces(h, row),
		Bytes: h.Bytes(row), Managed: part(h.Schema, h.Managed(row)), Unmanaged: part(h.Schema, h.Unmanaged(row)),
	}
	if !g.HasDominators() {
		o.left = leftOut{"retained_bytes", "retained_count", "dominator"}
	} else {
		o.RetainedBytes, o.RetainedCount = g.Retained[row], g.RetainedCount(row)
	}
	if row != model.RootRow && g.HasDominators() {
		d := g.Idom(row)
		o.Dominator = &d
	}
	to, first := h.Out(row)
	o.OutCount = to.Len()
	for i, target := range to.All() {
		if n > 0 && i == n {
			break
		}
		o.Out = append(o.Out, newEdge(h, target, first+model.Ref(i)))
	}
	for from, edge := range g.In(row) {
		if o.InCount++; n == 0 || o.InCount <= n {
			o.In = append(o.In, newEdge(h, from, edge))
		}
	}
	return o
}

// maxText is how many bytes of what an object says are told.
const maxText = 1 << 10

// Say adds what the object says, where the file holds that.
func (o *HeapObject) Say(ctx context.Context, texts model.HeapTexts, snapshot int) error {
	text, whole, ok, err := texts.Text(ctx, snapshot, o.Row, maxText)
	if ok && err == nil {
		o.Text, o.TextWhole = &text, &whole
	}
	return err
}

// newEdge returns a reference, seen from one of its ends: the other one is row.
func newEdge(h *model.Heap, row model.Row, edge model.Ref) HeapEdge {
	return HeapEdge{row, heapgraph.Label(h, row), h.EdgeText(edge), edgeKind(h, edge), newID(h, row)}
}

// edgeKind returns the kind of a reference, nil where the format has one kind.
func edgeKind(h *model.Heap, edge model.Ref) HeapEdgeKind {
	if len(h.Schema.Edges) < 2 {
		return nil
	}
	return HeapEdgeKind{*h.EdgeKind(edge)}
}

// NewHeapPath returns a path as text.
func NewHeapPath(h *model.Heap, steps []heapgraph.Step) []HeapStep {
	out := make([]HeapStep, len(steps))
	for i, s := range steps {
		out[i] = HeapStep{Row: s.Row, Kind: h.Kind(s.Row).Name, Label: heapgraph.Label(h, s.Row), HeapID: newID(h, s.Row)}
		if i == 0 && len(h.Schema.Edges) > 1 {
			out[0].HeapEdgeKind = HeapEdgeKind{{}}
		}
		if i > 0 {
			text := h.EdgeText(s.Edge)
			out[i].Edge, out[i].HeapEdgeKind = &text, edgeKind(h, s.Edge)
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
		out[i] = HeapRow{row, h.Kind(row).Name, heapgraph.Label(h, row), h.Bytes(row), newID(h, row)}
	}
	return out
}
