package heap

import (
	"context"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// domKey identifies what a row dominates directly.
type domKey struct {
	graph   *ui.HeapGraph
	top     model.Row
	grouped bool
	only    domOnly
}

// domRow is a row of the table: a row of the snapshot, or all dominated rows of one type or frame.
type domRow struct {
	row      model.Row // the one that retains most
	count    uint64    // rows that this represents
	kind     model.HeapKind
	entity   uint32
	retained uint64
	rows     uint64 // retained ones
	own      uint64 // bytes of the rows themselves
}

// domSet is what a row dominates directly, by what it retains. Read-only once made.
type domSet struct {
	domKey
	rows   []domRow
	wanted domWant
}

// domData determines the table of what a row dominates.
type domData struct {
	*domSet
	full bool
}

// domID returns a row's id in the list.
func domID(r model.Row) uint64 { return uint64(r) + 1 }

// domGroup is the key by which rows are grouped: their type or frame, or what their schema defines. It has room for a
// row, if each has a name of its own.
type domGroup struct {
	kind   model.HeapKind
	entity uint64
}

// listDominated returns what a row dominates directly, or its neighbors if it dominates nothing.
func listDominated(ctx context.Context, k domKey) (*domSet, error) {
	children := k.graph.Children(k.top)
	t := &domSet{domKey: k}
	if children.Len() == 0 && k.top != model.RootRow {
		t.wanted = domWant{true, k.top}
		t.top = k.graph.Idom(k.top)
		children = k.graph.Children(t.top)
	}
	return t, t.fill(ctx, children)
}

// fill makes the rows of the table from the children of its top.
func (t *domSet) fill(ctx context.Context, children model.Column[model.Row]) error {
	h, g := t.graph.Heap, t.graph
	at := map[domGroup]int{}
	for i, r := range children.All() {
		if i%(1<<14) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		v := domRow{row: r, count: 1, kind: h.Kinds[r], entity: h.Entity[r], retained: g.Retained[r],
			rows: g.RetainedCount(r), own: h.Bytes(r)}
		if h.Kind(r).Naming == model.NamedByKind {
			v.entity = 0
		}
		if t.only.set && (v.kind != t.only.kind || v.entity != t.only.entity) {
			continue
		}
		key := domGroup{v.kind, uint64(v.entity)}
		if j, ok := at[key]; ok && t.grouped {
			t.rows[j].add(&v)
			continue
		}
		if t.grouped {
			at[key] = len(t.rows)
		}
		t.rows = append(t.rows, v)
	}
	return nil
}

func (v *domRow) add(w *domRow) {
	v.count++
	v.rows += w.rows
	v.retained, _ = model.SaturatingAdd(v.retained, w.retained)
	v.own, _ = model.SaturatingAdd(v.own, w.own)
}

// names returns a function that returns the name of a row's type or frame, each computed once.
func (t *domSet) names(full bool) func(v *domRow) string {
	known := map[domGroup]string{}
	return func(v *domRow) string {
		if t.graph.Heap.Kind(v.row).Naming == model.NamedByKind {
			return textOf(t.graph.Heap, v.row, full)
		}
		key := domGroup{v.kind, uint64(v.entity)}
		name, ok := known[key]
		if !ok {
			name = textOf(t.graph.Heap, v.row, full)
			known[key] = name
		}
		return name
	}
}

func (p *Dominators) domSpec() ui.Spec[domData, domRow] {
	return ui.Spec[domData, domRow]{
		Rows:    func(d domData) []domRow { return d.rows },
		Columns: p.columns,
		ID:      func(_ domData, v *domRow) uint64 { return domID(v.row) },
		Bytes:   func(_ domData, v *domRow) uint64 { return v.own },
		Words: func(d domData) func(v *domRow) []string {
			name := d.names(d.full)
			return func(v *domRow) []string { return []string{name(v), secondText(d.graph.Heap, v.row), ui.RowText(v.row)} }
		},
		Most: func(d domData) (bytes, count uint64) {
			if d.graph == nil {
				return 0, 0
			}
			return d.graph.Retained[model.RootRow], d.graph.RetainedCount(model.RootRow)
		},
	}
}

// columns returns those of the table. Shares are of what the row above retains.
func (p *Dominators) columns(d domData) []ui.Column[domRow] {
	var bytes, rows uint64
	if d.graph != nil {
		bytes, rows = d.graph.Retained[d.top], d.graph.RetainedCount(d.top)
	}
	retained := func(v *domRow) uint64 { return v.retained }
	share := func(v *domRow) float64 { return ui.ShareOf(v.retained, bytes) }
	return []ui.Column[domRow]{
		{Title: titles.Retained, Key: "retained_bytes", Fields: []string{"retained"}, Figure: ui.BytesFigure,
			Total: bytes, Value: retained},
		{Title: titles.Share, Figure: ui.ShareFigure, Drop: 2, Like: titles.Retained, Share: share},
		{Width: 6, Grow: 1, MaxWidth: 20, Drop: 3, Like: titles.Retained,
			Cell: func(v *domRow) widget.Cell { return ui.ShareCell(v.retained, bytes) }},
		{Title: titles.Objects, Key: "retained_count", Fields: []string{"rows", "count"}, Figure: ui.CountFigure,
			Width: 8, Drop: 1, Total: rows, Value: func(v *domRow) uint64 { return v.rows }},
		{Title: titles.Self, Key: "bytes", Fields: []string{"self", "bytes"}, Figure: ui.BytesFigure, Drop: 4,
			Total: bytes, Value: func(v *domRow) uint64 { return v.own },
			Cell: func(v *domRow) widget.Cell {
				return widget.Cell{Text: p.table.Figures.Bytes(v.own), Style: p.Look.Muted}
			}},
		{Title: titles.Row, Key: "label", Width: 16, Grow: 5, Cut: widget.CutPackage, Text: d.names(d.full),
			Cell: func(v *domRow) widget.Cell { return widget.Cell{Text: p.label(v)} }},
	}
}

// label returns the name of a row of the table, with a sign if it dominates others.
func (p *Dominators) label(v *domRow) string {
	h := p.table.Now().Of.graph.Heap
	if v.count > 1 {
		return model.Group(v.count) + " × " + textOf(h, v.row, p.State.FullName)
	}
	sign := "  "
	if v.rows > 1 {
		sign = p.Look.Glyphs.Closed + " "
	}
	return sign + namedRow(h, v.row, p.State.FullName)
}
