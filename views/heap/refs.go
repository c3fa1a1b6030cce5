package heap

import (
	"context"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// refKey determines the references of a row.
type refKey struct {
	graph   *ui.HeapGraph
	row     model.Row
	grouped bool
	onlyOut refOnly
	onlyIn  refOnly
}

// refOnly restricts references to those like one of them: with the same text, and the same type at the other end.
type refOnly struct {
	set  bool
	edge model.Ref
	end  model.Row
}

// refRow is a reference, or several that are alike.
type refRow struct {
	edge  model.Ref // the first one
	end   model.Row
	text  string
	count uint64
	bytes uint64 // of the ends, once for each reference
	stated
}

// what returns the name of what a row refers to, or its value.
func (v *refRow) what(h *model.Heap, full bool) string {
	switch {
	case v.none:
		return v.value
	case v.count > 1:
		return textOf(h, v.end, full)
	case v.quote != "":
		return v.quote + " " + namedRow(h, v.end, full)
	}
	return namedRow(h, v.end, full)
}

// refSet is the references of a row. Read-only once made.
type refSet struct {
	refKey
	out, in   []refRow
	outN, inN int
}

func listRefs(ctx context.Context, k refKey) (*refSet, error) {
	h := k.graph.Heap
	to, first := h.Out(k.row)
	set := &refSet{refKey: k, outN: to.Len(), inN: k.graph.InCount(k.row)}
	if k.grouped && !k.onlyOut.set {
		set.out = refGroups(h, k.graph.OutGroups(k.row))
	} else {
		for i, end := range to.All() {
			if e := first + model.Ref(i); !k.onlyOut.set || alike(h, k.onlyOut, e, end) {
				set.out = append(set.out, refRow{edge: e, end: end, text: edgeText(h, e), count: 1, bytes: h.Bytes(end)})
			}
		}
	}
	if k.grouped && !k.onlyIn.set {
		set.in = refGroups(h, k.graph.InGroups(k.row))
	} else {
		for end, e := range k.graph.In(k.row) {
			if len(set.in)%(1<<14) == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if !k.onlyIn.set || alike(h, k.onlyIn, e, end) {
				set.in = append(set.in, refRow{edge: e, end: end, text: edgeText(h, e), count: 1, bytes: h.Bytes(end)})
			}
		}
	}
	return set, ctx.Err()
}

func refGroups(h *model.Heap, groups []heapgraph.Refs) []refRow {
	rows := make([]refRow, len(groups))
	for i := range groups {
		g := &groups[i]
		rows[i] = refRow{edge: g.Number, end: g.First, text: markedEdge(h, g.Number, g.Edge), count: g.Count, bytes: g.Bytes}
	}
	return rows
}

// alike reports whether a reference belongs to the group of another one.
func alike(h *model.Heap, o refOnly, e model.Ref, end model.Row) bool {
	a, b := h.Label[o.edge], h.Label[e]
	indexes := a.Indexed() && b.Indexed() && h.Schema.LabelKind(a) == h.Schema.LabelKind(b)
	if a != b && !indexes || h.Kinds[end] != h.Kinds[o.end] {
		return false
	}
	if h.Kind(end).Naming == model.NamedByKind {
		return end == o.end
	}
	return h.Entity[end] == h.Entity[o.end]
}

// refList is one of the lists of the Object screen: references out, references in, or the steps of the path.
type refList struct {
	ui.ListPane
	*ui.Table[refData, refRow]
	path bool
}

// refData determines the rows of a list.
type refData struct {
	set  *refSet  // nil for a path
	in   bool     // references in, not out
	path *pathSet // nil for references

	fields *fieldSet // nil for references
	full   bool
}

// graph returns the graph of the rows, nil for no rows.
func (d refData) graph() *ui.HeapGraph {
	switch {
	case d.fields != nil:
		return d.fields.graph
	case d.set != nil:
		return d.set.graph
	case d.path != nil:
		return d.path.graph
	}
	return nil
}

func (d refData) rows() []refRow {
	switch {
	case d.fields != nil:
		return d.fields.rows
	case d.set == nil:
		return pathRefs(d.path)
	case d.in:
		return d.set.in
	}
	return d.set.out
}

// selectReference selects the first row that refers to an object, if there is one.
func (l *refList) selectReference() {
	for i := range l.Len() {
		if v := l.Row(i); !v.none {
			l.List.Select(i)
			return
		}
	}
}

func (l *refList) spec() ui.Spec[refData, refRow] {
	return ui.Spec[refData, refRow]{
		Rows:    refData.rows,
		Columns: l.columns,
		ID: func(d refData, v *refRow) uint64 {
			if d.fields != nil {
				return uint64(v.edge)
			}
			return uint64(v.edge)<<32 | uint64(v.end)
		},
		First: ui.AsGiven,
		Most: func(d refData) (bytes, count uint64) {
			return d.graph().Retained[model.RootRow], 0
		},
	}
}

// columns returns the columns of a list. Rows may retain the same memory, so shares do not add up.
func (l *refList) columns(d refData) []ui.Column[refRow] {
	g, how := d.graph(), titles.Reference
	switch {
	case l.path:
		how = ""
	case d.fields != nil:
		how = titles.Field
	}
	refers := func(v *refRow) bool { return !v.none }
	return []ui.Column[refRow]{
		{Title: how, Key: "edge", Width: 8, Grow: 3, Drop: 1, Cut: widget.CutMiddle, Muted: true,
			Text: func(v *refRow) string { return v.text }},
		{Title: titles.Count, Fields: []string{"count"}, Figure: ui.CountFigure, Width: 7, Drop: 3,
			Hidden: l.path || d.fields != nil, Value: func(v *refRow) uint64 { return v.count }},
		{Title: titles.Type, Key: "type", Width: 7, MaxWidth: 20, Drop: 5, Hidden: d.fields == nil, Muted: true,
			Cut: widget.CutPackage, Text: func(v *refRow) string { return v.kind }},
		{Title: titles.Row, Key: "label", Width: 16, Grow: 4, Cut: widget.CutPackage,
			Text: func(v *refRow) string { return v.what(g.Heap, d.full) }},
		{Title: titles.Bytes, Fields: []string{"bytes"}, Figure: ui.BytesFigure, Drop: 2, Known: refers,
			Value: func(v *refRow) uint64 { return v.bytes }},
		{Title: titles.Retained, Fields: []string{"retained"}, Figure: ui.BytesFigure, Drop: 4,
			Known: func(v *refRow) bool { return v.count == 1 && !v.none },
			Value: func(v *refRow) uint64 { return g.Retained[v.end] }},
	}
}
