package heap

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
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

// refOnly restricts references to those that are like one of them: the same text, and the same type at the other end.
type refOnly struct {
	set  bool
	edge uint32
	end  model.Row
}

// refRow is a reference, or several that are alike.
type refRow struct {
	edge  uint32 // the first one
	end   model.Row
	text  string
	count uint64
	bytes uint64 // of the ends, once for each reference
}

// refSet is the references of a row. Read-only once made.
type refSet struct {
	refKey
	out, in   []refRow
	outN, inN int
}

func fetchRefs(ctx context.Context, k refKey) (*refSet, error) {
	h := k.graph.Heap
	to, first := h.Out(k.row)
	set := &refSet{refKey: k, outN: len(to), inN: k.graph.InCount(k.row)}
	if k.grouped && !k.onlyOut.set {
		set.out = refGroups(h, k.graph.OutGroups(k.row))
	} else {
		for i, end := range to {
			if e := first + uint32(i); !k.onlyOut.set || alike(h, k.onlyOut, e, end) {
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
func alike(h *model.Heap, o refOnly, e uint32, end model.Row) bool {
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

// refColumn is a column of a list of references, in its order.
type refColumn int

const (
	refText refColumn = iota
	refCount
	refEnd
	refBytes
	refRetained
)

// refList is one of the lists of the Object screen: references out, references in, or the steps of the path.
type refList struct {
	widget.List
	p    *heapObject
	rows []refRow // narrowed and sorted
	path bool
	area widget.Rect
	sort refColumn
	up   bool
	by   bool // somebody chose the order
}

// set shows rows that hold the text that is searched, in the order chosen.
func (l *refList) set(rows []refRow) {
	l.rows = rows
	h := l.p.graph.Heap
	if match := l.p.text; match != "" && !l.path {
		holds := ui.NameMatcher(match)
		l.rows = nil
		for i := range rows {
			if holds(rows[i].text + " " + heapText(h, rows[i].end, false)) {
				l.rows = append(l.rows, rows[i])
			}
		}
	}
	if l.by && !l.path {
		l.rows = slices.Clone(l.rows)
		slices.SortStableFunc(l.rows, func(a, b refRow) int {
			if l.up {
				a, b = b, a
			}
			return l.compare(h, a, b)
		})
	}
	l.Refresh()
}

func (l *refList) compare(h *model.Heap, a, b refRow) int {
	switch l.sort {
	case refText:
		return strings.Compare(a.text, b.text)
	case refEnd:
		return strings.Compare(heapText(h, a.end, false), heapText(h, b.end, false))
	case refCount:
		return cmp.Compare(b.count, a.count)
	case refBytes:
		return cmp.Compare(b.bytes, a.bytes)
	}
	return cmp.Compare(l.p.graph.Retained[b.end], l.p.graph.Retained[a.end])
}

// Len, ID and Cell implement widget.Table.
func (l *refList) Len() int { return len(l.rows) }

func (l *refList) ID(row int) uint64 { return uint64(l.rows[row].edge)<<32 | uint64(l.rows[row].end) }

func (l *refList) Cell(row, col int) widget.Cell {
	v, p := &l.rows[row], l.p
	switch refColumn(col) {
	case refText:
		return widget.Cell{Text: v.text, Style: p.Look.Muted}
	case refCount:
		return widget.Cell{Text: model.Group(v.count)}
	case refBytes:
		return widget.Cell{Text: ui.BytesText(v.bytes, p.State.Exact)}
	case refRetained:
		if v.count > 1 { // what each retains may be the same memory
			return widget.Cell{}
		}
		return widget.Cell{Text: ui.BytesText(p.graph.Retained[v.end], p.State.Exact)}
	}
	if v.count > 1 {
		return widget.Cell{Text: heapText(p.graph.Heap, v.end, p.State.FullName)}
	}
	return widget.Cell{Text: namedRow(p.graph.Heap, v.end, p.State.FullName)}
}

// columns lays the list out.
func (l *refList) columns(w int) {
	const right = widget.Right
	b := 8
	if l.p.State.Exact {
		b = 13
	}
	how := "REFERENCE"
	if l.path {
		how = "BY"
	}
	l.Columns = []widget.Column{
		refText: {Title: how, Width: 8, Grow: 3, MaxWidth: max(w/3, 12), Drop: 1, Cut: widget.CutMiddle}, refCount: {Title: "COUNT", Width: 7, Align: right, Drop: 3},
		refEnd: {Title: "ROW", Width: 16, Grow: 4, Cut: widget.CutMiddle}, refBytes: {Title: "BYTES", Width: b, Align: right, Drop: 2},
		refRetained: {Title: "RETAINED", Width: b, Align: right, Drop: 4},
	}
	if l.path {
		ui.Hide(&l.Columns[refCount])
	}
	if l.SortColumn, l.Column = -1, -1; l.by && !l.path {
		l.SortColumn, l.Descending = int(l.sort), !l.up
	}
}

// selectedRef is the row under the cursor.
func (l *refList) selectedRef() (*refRow, bool) {
	i, ok := l.Selected()
	if !ok || i >= len(l.rows) {
		return nil, false
	}
	return &l.rows[i], true
}
