package heap

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// heapObjects lists the rows of one type or frame in place of a table, as long as it is open.
type heapObjects struct {
	ui.HeapPane
	open  bool
	title string
	of    objectKey
	rows  *ui.Lazy[objectKey, *objectSet]
	order *ui.Lazy[objectOrder, *objectTable]
	table *objectTable
	load  *ui.HeapLoad
	graph *ui.HeapGraph
	sort  objectColumn
	up    bool
}

// objectKey determines the rows of a type or frame.
type objectKey struct {
	load *ui.HeapLoad
	by   heapgraph.By
	id   uint32
}

// objectSet is those rows, by row. Read-only once made.
type objectSet struct {
	objectKey
	rows []model.Row
}

// objectColumn is a column of the list, in its order.
type objectColumn int

const (
	objectRow objectColumn = iota
	objectBytes
	objectUnmanaged
	objectRetained
	objectShare
	objectCount
	objectHolder
)

// objectOrder determines the order of the rows.
type objectOrder struct {
	set   *objectSet
	graph *ui.HeapGraph // nil until known
	sort  objectColumn
	up    bool
}

// objectTable is the rows in order. Read-only once made.
type objectTable struct {
	objectOrder
	rows []model.Row
}

func newHeapObjects(e *ui.Env) *heapObjects {
	p := &heapObjects{HeapPane: ui.HeapPane{Pane: ui.NewPane(e)}}
	p.rows = ui.NewLazy(e, func(ctx context.Context, k objectKey) (*objectSet, error) {
		rows, err := heapgraph.GroupRows(ctx, k.load.Heap, k.by, k.id)
		return &objectSet{k, rows}, err
	})
	p.order = ui.NewLazy(e, func(_ context.Context, k objectOrder) (*objectTable, error) { return orderObjects(k), nil })
	p.List = widget.List{Table: p, Descending: true}
	p.sort, p.SortBy, p.Enter = objectRetained, p.orderBy, p.openObject
	return p
}

// start opens the list for a group, those that retain most first.
func (p *heapObjects) start(title string, by heapgraph.By, g *heapgraph.Group) {
	p.open, p.title, p.table = true, title, nil
	p.of = objectKey{by: by, id: g.ID}
	p.sort, p.up = objectRetained, false
	p.List.Home()
	p.Say("Enter shows one, D what it retains, Esc goes back to the table")
	p.Changed()
}

// show asks for the rows in the snapshot. Indexes of types mean the same in all snapshots of a file.
func (p *heapObjects) show(s *state.State, load *ui.HeapLoad, graph *ui.HeapGraph) {
	p.State, p.load, p.graph = *s, load, graph
	p.of.load = load
	p.rows.Ask(p.of)
	set, ok := p.rows.Get()
	if !ok || set.by != p.of.by || set.id != p.of.id {
		p.table = nil
		p.List.Refresh()
		return
	}
	key := objectOrder{set: set, sort: p.sort, up: p.up}
	if graph != nil && graph.HeapKey == set.load.HeapKey {
		key.graph = graph
	}
	p.order.Ask(key)
	p.table, _ = p.order.Get()
	p.List.Refresh()
	p.explain()
}

// orderObjects sorts the rows; what is not known yet sorts like bytes.
func orderObjects(k objectOrder) *objectTable {
	t := &objectTable{k, slices.Clone(k.set.rows)}
	value := k.value()
	slices.SortFunc(t.rows, func(a, b model.Row) int {
		if k.up {
			a, b = b, a
		}
		if k.sort == objectRow {
			return cmp.Compare(b, a)
		}
		return cmp.Or(cmp.Compare(value(b), value(a)), cmp.Compare(a, b))
	})
	return t
}

func (k *objectOrder) value() func(model.Row) uint64 {
	h, g := k.set.load.Heap, k.graph
	switch {
	case k.sort == objectUnmanaged:
		return h.Unmanaged
	case k.sort == objectBytes || g == nil:
		return h.Bytes
	case k.sort == objectCount:
		return func(r model.Row) uint64 { return uint64(g.RetainedCount[r]) }
	case k.sort == objectHolder:
		return func(r model.Row) uint64 { return uint64(g.Idom[r]) }
	}
	return func(r model.Row) uint64 { return g.Retained[r] }
}

// Len, ID and Cell implement widget.Table.
func (p *heapObjects) Len() int {
	if p.table == nil {
		return 0
	}
	return len(p.table.rows)
}

func (p *heapObjects) ID(row int) uint64 { return uint64(p.table.rows[row]) }

func (p *heapObjects) Cell(row, col int) widget.Cell {
	r, h, g := p.table.rows[row], p.table.set.load.Heap, p.table.graph
	switch objectColumn(col) {
	case objectRow:
		return widget.Cell{Text: ui.RowText(r)}
	case objectBytes:
		return widget.Cell{Text: ui.BytesText(h.Bytes(r), p.State.Exact)}
	case objectUnmanaged:
		return widget.Cell{Text: ui.BytesText(h.Unmanaged(r), p.State.Exact)}
	}
	if g == nil {
		text := p.Look.Glyphs.Ellipsis
		if p.table.set.load.Unlinked() {
			text = "?"
		}
		return widget.Cell{Text: text, Style: p.Look.Muted}
	}
	switch objectColumn(col) {
	case objectRetained:
		return widget.Cell{Text: ui.BytesText(g.Retained[r], p.State.Exact)}
	case objectShare:
		return ui.ShareCell(g.Retained[r], p.table.set.load.Totals.Bytes())
	case objectCount:
		return widget.Cell{Text: model.Group(uint64(g.RetainedCount[r]))}
	}
	return widget.Cell{Text: holderText(g, r, p.State.FullName), Style: p.Look.Muted}
}

// holderText names what alone holds a row.
func holderText(g *ui.HeapGraph, r model.Row, full bool) string {
	if d := g.Idom[r]; d != model.RootRow {
		return namedRow(g.Heap, d, full)
	}
	return "several"
}

func (p *heapObjects) selected() (model.Row, bool) {
	i, ok := p.List.Selected()
	if !ok || p.table == nil || i >= len(p.table.rows) {
		return 0, false
	}
	return p.table.rows[i], true
}

// explain says of the selected row what it is, and how it hangs together.
func (p *heapObjects) explain() {
	r, ok := p.selected()
	if !ok {
		p.Detail.Set(0, "", "", nil)
		return
	}
	h, g := p.table.set.load.Heap, p.table.graph
	to, _ := h.Out(r)
	lines := []widget.Line{ui.Said(fmt.Sprintf("%s · %s", sizeText(h.Schema, h.Managed(r), h.Unmanaged(r), p.State.Exact),
		ui.Plural(len(to), "reference out", "references out")))}
	answer := kindText(h, r)
	if g != nil {
		answer = "retains " + ui.BytesText(g.Retained[r], p.State.Exact)
		lines = append(lines, ui.Said(fmt.Sprintf("retains %s in %s", ui.BytesText(g.Retained[r], p.State.Exact), rowsText(uint64(g.RetainedCount[r])))))
		lines = append(lines, dominatorLines(&p.HeapPane.Pane, g, r)...)
	}
	p.Detail.Set(uint64(r), namedRow(h, r, p.State.FullName), answer, lines)
}

// dominatorLines are what dominates a row, the nearest first, up to the root.
func dominatorLines(p *ui.Pane, g *ui.HeapGraph, r model.Row) []widget.Line {
	const most = 12
	if g.Idom[r] == model.RootRow {
		return []widget.Line{p.Note("nothing alone holds it: several ways lead to it from the root")}
	}
	var lines []widget.Line
	for n := 0; g.Idom[r] != model.RootRow && n < most; n++ {
		r = g.Idom[r]
		lines = append(lines, widget.Line{Indent: 2, Spans: []widget.Span{{Text: "held by ", Style: p.Look.Muted}, {Text: namedRow(g.Heap, r, p.State.FullName)},
			{Text: " which retains " + ui.BytesText(g.Retained[r], p.State.Exact), Style: p.Look.Muted}}})
	}
	if g.Idom[r] != model.RootRow {
		lines = append(lines, p.Note("… and more, up to the root"))
	}
	return lines
}

// Draw implements tview.Primitive.
func (p *heapObjects) Draw(s tcell.Screen) {
	body := p.DrawTitled(s, p.Rect(), "Objects of "+p.title, p.answer())
	p.Split(body)
	p.columns(p.ListAt.W)
	switch why := ui.Unanswered(p.rows); {
	case why != nil:
		p.List.Empty = why
	case p.table == nil:
		p.List.Empty = []string{"Looking for them…"}
	default:
		p.List.Empty = []string{fmt.Sprintf("Snapshot #%d has none of these.", p.table.set.load.I), "h and l go to another one, Esc goes back."}
	}
	p.DrawPanes(s)
}

func (p *heapObjects) answer() string {
	if p.table == nil {
		return ""
	}
	order := [...]string{"by row", "largest first", "largest unmanaged first", "most retained first", "", "most retained rows first", "by holder"}[p.sort]
	if p.up {
		order += ", reversed"
	}
	return model.Group(uint64(len(p.table.rows))) + " · " + order
}

func (p *heapObjects) columns(w int) {
	const right = widget.Right
	f := ui.Figures{Exact: p.State.Exact, Wide: true}
	b := 8
	if p.load != nil {
		b = max(f.BytesWidth(p.load.Totals.Bytes()), 8)
	}
	p.List.Columns = []widget.Column{
		objectRow: {Title: "ROW", Width: 11, Align: right}, objectBytes: {Title: "BYTES", Width: b, Align: right},
		objectUnmanaged: {Title: "UNMANAGED", Width: max(b, 9), Align: right, Drop: 3},
		objectRetained:  {Title: "RETAINED", Width: b, Align: right}, objectShare: {Title: "SHARE", Width: 6, Grow: 1, MaxWidth: 16, Drop: 4},
		objectCount:  {Title: "IN ROWS", Width: 9, Align: right, Drop: 2},
		objectHolder: {Title: "HELD BY", Width: 14, Grow: 4, Drop: 1, Cut: widget.CutMiddle},
	}
	if !schemaOf(&p.State).Split {
		ui.Hide(&p.List.Columns[objectUnmanaged])
	}
	p.List.SortColumn, p.List.Column, p.List.Descending = int(p.sort), -1, !p.up
}

func (p *heapObjects) orderBy(col int) {
	col = ui.SkipColumns(int(p.sort), col, int(objectHolder)+1, func(col int) bool {
		return objectColumn(col) == objectShare || objectColumn(col) == objectUnmanaged && !schemaOf(&p.State).Split
	})
	p.up = objectColumn(col) == p.sort && !p.up
	p.sort = objectColumn(col)
	p.List.Home()
	p.Changed()
}

func (p *heapObjects) openObject() {
	if r, ok := p.selected(); ok {
		p.Visit(keymap.ShowObject, state.SetRow{Of: p.table.set.load.I, Row: r})
	}
}

// Do carries out an action while the list is open.
func (p *heapObjects) Do(a keymap.Action) bool {
	r, ok := p.selected()
	switch a {
	case keymap.Back:
		if !p.DoTable(a) {
			p.open = false
			p.Changed()
		}
	case keymap.SortReverse:
		p.up = !p.up
		p.Changed()
	case keymap.Group: // rows of one group cannot be grouped
	case keymap.ObjectOf:
		p.openObject()
	case keymap.DominatorsOf, keymap.HotPath:
		if ok {
			p.Visit(keymap.ShowDominators, state.SetTop{Of: p.table.set.load.I, Row: r})
		}
	default:
		return p.DoTable(a)
	}
	return true
}

func (p *heapObjects) CopyText() string {
	r, ok := p.selected()
	if !ok {
		return ""
	}
	return model.Clean(namedRow(p.table.set.load.Heap, r, true)) + " " + model.Bytes(p.table.set.load.Heap.Bytes(r)).Exact()
}
