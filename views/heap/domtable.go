package heap

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// domKey determines a table of dominated rows.
type domKey struct {
	graph   *ui.HeapGraph
	top     model.Row
	grouped bool
	only    domOnly
	filter  string
	sort    domColumn
	up      bool
}

// domColumn is a column of the table, in its order.
type domColumn int

const (
	domRetained domColumn = iota
	domShare
	domBar
	domRows
	domOwn
	domLabel
)

// domRow is a row of the table: a row of the snapshot, or all dominated rows of one type or frame.
type domRow struct {
	row      model.Row // the one that retains most
	count    uint64    // rows that this stands for
	kind     model.HeapKind
	entity   uint32
	retained uint64
	rows     uint64 // retained ones
	own      uint64 // bytes of the rows themselves
}

// domTable is what a row dominates directly. Read-only once made.
type domTable struct {
	domKey
	rows   []domRow
	all    int // rows before filtering
	wanted domWant
}

// domID is a row's id in the list.
func domID(r model.Row) uint64 { return uint64(r) + 1 }

// fill makes the rows of the table from the children of its top.
func (t *domTable) fill(ctx context.Context, children []model.Row) error {
	h, g := t.graph.Heap, t.graph
	f, _ := analysis.ParseFilter(t.filter)
	at := map[domGroup]int{}
	for i, r := range children {
		if i%(1<<14) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		v := domRow{row: r, count: 1, kind: h.Kinds[r], entity: h.Entity[r], retained: g.Retained[r], rows: uint64(g.RetainedCount[r]), own: h.Bytes(r)}
		if h.Kind(r).Naming == model.NamedByKind {
			v.entity = 0
		}
		if t.only.set && (v.kind != t.only.kind || v.entity != t.only.entity) || t.filter != "" && !f.Match(&filterDominated{&v, t}) {
			continue
		}
		key := domGroup{v.kind, v.entity}
		if j, ok := at[key]; ok && t.grouped {
			t.rows[j].add(&v)
			continue
		}
		at[key] = len(t.rows)
		t.rows = append(t.rows, v)
	}
	return nil
}

type domGroup struct {
	kind   model.HeapKind
	entity uint32
}

func (v *domRow) add(w *domRow) {
	v.count++
	v.rows += w.rows
	v.retained, _ = model.SaturatingAdd(v.retained, w.retained)
	v.own, _ = model.SaturatingAdd(v.own, w.own)
}

// arrange sorts the rows. Children come by what they retain.
func (t *domTable) arrange() {
	label := func(domRow) string { return "" }
	if t.sort == domLabel {
		labels := map[domGroup]string{}
		label = func(v domRow) string {
			key := domGroup{v.kind, v.entity}
			if _, ok := labels[key]; !ok {
				labels[key] = heapText(t.graph.Heap, v.row, false)
			}
			return labels[key]
		}
	} else if t.sort == domRetained && !t.up && !t.grouped {
		return
	}
	slices.SortStableFunc(t.rows, func(a, b domRow) int {
		if t.up {
			a, b = b, a
		}
		switch t.sort {
		case domRows:
			return cmp.Compare(b.rows, a.rows)
		case domOwn:
			return cmp.Compare(b.own, a.own)
		case domLabel:
			return strings.Compare(label(a), label(b))
		}
		return cmp.Compare(b.retained, a.retained)
	})
}

// filterDominated shows a row to a filter.
type filterDominated struct {
	*domRow
	in *domTable
}

// Texts implements analysis.Row.
func (v *filterDominated) Texts() []string {
	return []string{heapText(v.in.graph.Heap, v.row, false), secondText(v.in.graph.Heap, v.row), ui.RowText(v.row)}
}

// Value implements analysis.Row.
func (v *filterDominated) Value(field string, share bool) (float64, bool) {
	n, whole := uint64(0), v.in.graph.Retained[v.in.top]
	switch field {
	case "leaked", "live":
		n = v.own
	case "total", "peak", "retained":
		n = v.retained
	case "blocks", "count":
		n, whole = v.rows, uint64(v.in.graph.RetainedCount[v.in.top])
	default:
		return 0, false
	}
	if share {
		return ui.ShareOf(n, whole), whole > 0
	}
	return float64(n), true
}

// columns lays the table out for its width.
func (p *Dominators) columns(w int) {
	const right = widget.Right
	b, n := 8, 9
	if p.graph != nil {
		f := ui.Figures{Exact: p.State.Exact, Wide: true}
		b = max(f.BytesWidth(p.graph.Retained[model.RootRow]), 8)
		n = max(f.CountWidth(uint64(p.graph.RetainedCount[model.RootRow])), 6)
	}
	p.List.Columns = []widget.Column{
		domRetained: {Title: "RETAINED", Width: b, Align: right}, domShare: {Title: "SHARE", Width: model.ShareWidth, Align: right, Drop: 2},
		domBar: {Title: "", Width: 6, Grow: 1, MaxWidth: 20, Drop: 3}, domRows: {Title: "ROWS", Width: n, Align: right, Drop: 1},
		domOwn: {Title: "ITSELF", Width: b, Align: right, Drop: 4}, domLabel: {Title: "ROW", Width: 16, Grow: 5, Cut: widget.CutMiddle},
	}
	p.List.SortColumn, p.List.Descending = int(p.sort), !p.up
}

// Len, ID and Cell implement widget.Table.
func (p *Dominators) Len() int {
	if p.table == nil {
		return 0
	}
	return len(p.table.rows)
}

func (p *Dominators) ID(row int) uint64 { return domID(p.table.rows[row].row) }

func (p *Dominators) Cell(row, col int) widget.Cell {
	v := &p.table.rows[row]
	whole := p.table.graph.Retained[p.table.top]
	switch domColumn(col) {
	case domRetained:
		return widget.Cell{Text: ui.BytesText(v.retained, p.State.Exact)}
	case domShare:
		return widget.Cell{Text: ui.ShareText(ui.ShareOf(v.retained, whole))}
	case domBar:
		return ui.ShareCell(v.retained, whole)
	case domRows:
		return widget.Cell{Text: model.Group(v.rows)}
	case domOwn:
		return widget.Cell{Text: ui.BytesText(v.own, p.State.Exact), Style: p.Look.Muted}
	}
	return widget.Cell{Text: p.label(v)}
}

// label names a row of the table, with a sign where there is something below it.
func (p *Dominators) label(v *domRow) string {
	h := p.table.graph.Heap
	if v.count > 1 {
		return model.Group(v.count) + " × " + heapText(h, v.row, p.State.FullName)
	}
	sign := "  "
	if v.rows > 1 {
		sign = p.Look.Glyphs.Closed + " "
	}
	return sign + namedRow(h, v.row, p.State.FullName)
}
