package report

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/export/report/members"
	"github.com/memtui/memtui/model"
)

// NewHeapObject returns everything about one row, with at most n references in each direction, 0 for all.
func NewHeapObject(g *heapgraph.Graph, row model.Row, n int) *HeapObject {
	h := g.Heap
	o := &HeapObject{
		Row: row, Kind: h.Kind(row).Name, Label: heapgraph.Label(h, row), ID: members.NewID(h, row), Places: members.RowPlaces(h, row),
		Bytes: h.Bytes(row), Managed: members.Part(h.Schema, h.Managed(row)), Unmanaged: members.Part(h.Schema, h.Unmanaged(row)),
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

const (
	// maxText is the number of bytes shown of an object's text.
	maxText = 1 << 10
	// maxFieldText is the same for the object that a field refers to.
	maxFieldText = 200
)

// Show adds the object's text and its first n fields or elements, or all if n is 0, if the file contains them. They may
// be secrets.
func (o *HeapObject) Show(ctx context.Context, src model.HeapSource, snapshot int, h *model.Heap, n int) error {
	texts, ok := model.HeapFacet[model.HeapTexts](src)
	if !ok {
		return nil
	}
	var err error
	if o.Text, o.TextComplete, err = textOf(ctx, texts, snapshot, h, o.Row, maxText); err != nil {
		return err
	}
	contents, ok := model.HeapFacet[model.HeapContents](src)
	if !ok {
		return nil
	}
	most := n
	if n <= 0 {
		most = math.MaxInt32
	}
	fields, total, err := contents.Fields(ctx, snapshot, h, o.Row, 0, most)
	o.FieldCount = &total
	for i := range fields {
		f := newHeapField(h, &fields[i])
		if f.Row != nil && err == nil {
			f.Text, f.TextComplete, err = textOf(ctx, texts, snapshot, h, *f.Row, maxFieldText)
		}
		o.Fields = append(o.Fields, f)
	}
	return err
}

// textOf returns the beginning of a row's text, or nil for rows without text.
func textOf(ctx context.Context, texts model.HeapTexts, snapshot int, h *model.Heap, r model.Row,
	most int) (text *string, whole *bool, err error) {
	start, all, ok, err := texts.Text(ctx, snapshot, h, r, most)
	if !ok || err != nil {
		return nil, nil, err
	}
	return &start, &all, nil
}

// newHeapField returns the description of a field.
func newHeapField(h *model.Heap, f *model.HeapField) HeapField {
	out := HeapField{Name: f.Name, Of: f.Of, Type: f.Type}
	if f.Name == "" {
		out.Index = &f.Index
	}
	switch f.Form {
	case model.FieldRow:
		label := heapgraph.Label(h, f.Row)
		out.Row, out.Label, out.ID = &f.Row, &label, members.NewID(h, f.Row)
	case model.FieldNull:
		out.Null = true
	case model.FieldDangling:
		out.Dangling = &f.Value
	default:
		out.Value = &f.Value
	}
	return out
}

// newEdge returns a reference, seen from one of its ends. row is the other end.
func newEdge(h *model.Heap, row model.Row, edge model.Ref) HeapEdge {
	return HeapEdge{row, heapgraph.Label(h, row), h.EdgeText(edge), edgeKind(h, edge), members.NewID(h, row)}
}

// edgeKind returns the kind of a reference, or nil if the format has only one kind.
func edgeKind(h *model.Heap, edge model.Ref) members.EdgeKind {
	if len(h.Schema.Edges) < 2 {
		return nil
	}
	return members.EdgeKind{*h.EdgeKind(edge)}
}

// NewHeapPath returns a path as text.
func NewHeapPath(h *model.Heap, steps []heapgraph.Step) []HeapStep {
	out := make([]HeapStep, len(steps))
	for i, s := range steps {
		out[i] = HeapStep{Row: s.Row, Kind: h.Kind(s.Row).Name, Label: heapgraph.Label(h, s.Row), ID: members.NewID(h, s.Row)}
		if i == 0 && len(h.Schema.Edges) > 1 {
			out[0].EdgeKind = members.EdgeKind{{}}
		}
		if i > 0 {
			text := h.EdgeText(s.Edge)
			out[i].Edge, out[i].EdgeKind = &text, edgeKind(h, s.Edge)
		}
	}
	return out
}

// NewHeapRows describes at most n rows, or all if n is 0. They keep their order, unless bySize is set, which sorts rows
// in place, the largest first.
func NewHeapRows(h *model.Heap, rows []model.Row, bySize bool, n int) []HeapRow {
	if bySize {
		slices.SortFunc(rows, func(x, y model.Row) int { return cmp.Or(cmp.Compare(h.Bytes(y), h.Bytes(x)), cmp.Compare(x, y)) })
	}
	rows = limit(rows, n)
	out := make([]HeapRow, len(rows))
	for i, row := range rows {
		out[i] = HeapRow{Row: row, Kind: h.Kind(row).Name, Label: heapgraph.Label(h, row), Bytes: h.Bytes(row), ID: members.NewID(h, row)}
	}
	return out
}

// Say adds the texts of rows, if the file contains them. They may be secret.
func Say(ctx context.Context, rows []HeapRow, src model.HeapSource, snapshot int, h *model.Heap) (err error) {
	texts, ok := model.HeapFacet[model.HeapTexts](src)
	for i := range rows {
		if !ok || err != nil {
			break
		}
		rows[i].Text, _, err = textOf(ctx, texts, snapshot, h, rows[i].Row, maxFieldText)
	}
	return err
}
