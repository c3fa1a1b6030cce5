package heap

import (
	"context"
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// held shows the dominators of the objects of a type in place of the table of types, while it is open: a tree,
// dominators below what they dominate.
type held struct {
	ui.TablePane
	open  bool
	title string
	name  string // of the type
	id    uint32
	axis  int // the key by which dominators are grouped
	trees *ui.Lazy[heldKey, *heldSet]
	table *ui.Table[heldData, heldRow]
}

// heldKey determines the tree.
type heldKey struct {
	graph *ui.HeapGraph
	id    uint32
	axis  int
}

// heldRow is dominators of one group.
type heldRow struct {
	n, depth int
	of       *heapgraph.Owners
}

// heldSet is the tree as rows, each before its dominators. Read-only once made.
type heldSet struct {
	heldKey
	all  *heapgraph.Owners
	rows []heldRow
}

// heldData determines the table.
type heldData struct {
	*heldSet
	full bool
}

func newHeld(e *ui.Env) *held {
	p := &held{TablePane: ui.NewTablePane(e)}
	p.trees = ui.NewLazy(e, findHeld)
	p.table = ui.NewTable(e, &p.ListPane, heldData{heldSet: &heldSet{}}, ui.Spec[heldData, heldRow]{
		Rows:    func(d heldData) []heldRow { return d.rows },
		Columns: p.columns,
		ID:      func(_ heldData, r *heldRow) uint64 { return uint64(r.n) },
		First:   ui.AsGiven,
		Words: func(heldData) func(r *heldRow) []string {
			return func(r *heldRow) []string { return []string{r.of.Label, r.of.Edge} }
		},
		Most: func(d heldData) (bytes, count uint64) {
			if d.all == nil {
				return 0, 0
			}
			return d.all.Retained, d.all.Count
		},
	})
	p.Enter = p.openOwner
	return p
}

// findHeld computes the dominators of a type; those that retain little are left out.
func findHeld(ctx context.Context, k heldKey) (*heldSet, error) {
	const depth, most = 24, 20
	all, err := k.graph.FindOwners(ctx, heapgraph.OwnersQuery{Types: map[uint32]bool{k.id: true}, Axis: k.axis, Depth: depth, Most: most})
	if err != nil {
		return nil, err
	}
	set := &heldSet{heldKey: k, all: all}
	set.list(all, 0)
	return set, nil
}

func (s *heldSet) list(of *heapgraph.Owners, depth int) {
	for i := range of.By {
		s.rows = append(s.rows, heldRow{len(s.rows), depth, &of.By[i]})
		s.list(&of.By[i], depth+1)
	}
}

func (p *held) columns(d heldData) []ui.Column[heldRow] {
	var whole, count uint64
	if d.all != nil {
		whole, count = d.all.Retained, d.all.Count
	}
	return []ui.Column[heldRow]{
		{Title: titles.Retained, Fields: []string{"retained"}, Figure: ui.BytesFigure, Total: whole,
			Value: func(r *heldRow) uint64 { return r.of.Retained }},
		{Width: 6, Grow: 1, MaxWidth: 16, Drop: 3, Like: titles.Retained,
			Cell: func(r *heldRow) widget.Cell { return ui.ShareCell(r.of.Retained, whole) }},
		{Title: titles.Count, Fields: []string{"count"}, Figure: ui.CountFigure, Total: count,
			Value: func(r *heldRow) uint64 { return r.of.Count }},
		{Title: titles.Bytes, Fields: []string{"bytes", "size"}, Figure: ui.BytesFigure, Drop: 2,
			Value: func(r *heldRow) uint64 { return r.of.Bytes }},
		{Title: titles.Holders, Fields: []string{"retainers", "holders"}, Figure: ui.CountFigure, Width: 9, Drop: 1,
			Value: func(r *heldRow) uint64 { return r.of.Rows }},
		{Title: titles.What, Width: 24, Grow: 6, Cut: widget.CutPackage,
			Text: func(r *heldRow) string { return strings.Repeat("  ", r.depth) + p.text(r.of) }},
	}
}

// text returns the name of dominators with the field through which they dominate.
func (p *held) text(of *heapgraph.Owners) string {
	if of.Row == model.RootRow {
		return "the root, or several retainers"
	}
	text := ui.HeapName(of.Label)
	if p.axis > 0 {
		text = schemaOf(&p.State).Axes[p.axis].Text(of.Label)
	}
	if of.Edge != "" {
		text += " · " + model.Clean(of.Edge)
	}
	return text
}

// start opens the tree of a type.
func (p *held) start(title, name string, id uint32) {
	p.open, p.title, p.name, p.id, p.axis = true, title, name, id, 0
	p.table.Forget()
	p.table.Home()
	p.Say(p.Hint("below each line are its retainers: {open} shows the largest, {table.group} groups by another property, {back} goes back"))
	p.Changed()
}

// show requests the tree.
func (p *held) show(s *state.State, graph *ui.HeapGraph) {
	p.State = *s
	if graph == nil {
		p.table.Forget()
		return
	}
	p.trees.Ask(heldKey{graph, p.id, p.axis})
	set, ok := p.trees.Get()
	if !ok || set.id != p.id || set.axis != p.axis {
		p.table.Forget()
		return
	}
	if p.table.Ask(heldData{set, s.FullName}, "") {
		p.explain()
	}
}

// command returns the command that prints the tree.
func (p *held) command(file []string) []string {
	q := state.Question{Type: p.name}
	if p.axis > 0 {
		q.Group = schemaOf(&p.State).Axes[p.axis].Key
	}
	return command(&p.State, "holders", q, file)
}

// Fields implements [ui.Filtered].
func (p *held) Fields() []analysis.Field { return p.table.Fields() }

// Draw implements tview.Primitive.
func (p *held) Draw(s tcell.Screen) {
	title, answer := "Retainers of "+p.title, ""
	if p.axis > 0 {
		title += " by " + schemaOf(&p.State).Axes[p.axis].One
	}
	if t := p.table.Now(); t != nil {
		all := t.Of.all
		answer = fmt.Sprintf("%s · %s, retain %s", model.Counted(all.Count, "object"),
			ui.BytesText(all.Bytes, p.State.Exact), ui.BytesText(all.Retained, p.State.Exact))
	}
	p.Split(p.DrawTitled(s, p.Rect(), title, answer))
	p.table.Layout(p.ListAt.W, &p.State)
	switch why := ui.Unanswered(p.trees); {
	case why != nil:
		p.List.Empty = why
	case p.table.Now() == nil:
		p.List.Empty = []string{"Looking for retainers…", p.Loads.Progress()}
	default:
		p.List.Empty = []string{"This snapshot has no objects of this type."}
	}
	p.DrawPanes(s)
}

// explain describes the selected line.
func (p *held) explain() {
	r, ok := p.table.Selected()
	if !ok {
		p.Detail.SetText(0, "", "", nil)
		return
	}
	d, of := p.table.Now().Of, r.of
	lines := []widget.Line{ui.TextLine(fmt.Sprintf("hold %s of the objects (%s), which retain %s",
		model.Group(of.Count), ui.BytesText(of.Bytes, p.State.Exact), ui.BytesText(of.Retained, p.State.Exact)))}
	if of.Row != model.RootRow {
		lines = append(lines, p.Note("the largest: "+namedRow(d.graph.Heap, of.Row, p.State.FullName)+
			", which retains "+ui.BytesText(d.graph.Retained[of.Row], p.State.Exact)))
	}
	if of.More > 0 {
		lines = append(lines, p.Note(fmt.Sprintf("%s more retain less: heap holders --limit 0 lists them",
			model.CountedAs(of.More, "retainer", "retainers"))))
	}
	p.Detail.SetText(uint64(r.n)+1, p.text(of), rowsText(of.Rows), lines)
}

func (p *held) openOwner() {
	if r, ok := p.table.Selected(); ok {
		visitRow(p.Env, keymap.ObjectOf, p.table.Now().Of.graph.I, r.of.Row)
	}
}

// Do carries out an action while the tree is open.
func (p *held) Do(a keymap.Action) bool {
	switch a {
	case keymap.Back:
		if !p.DoTable(a) {
			p.open = false
			p.Changed()
		}
	case keymap.Group:
		p.axis = (p.axis + 1) % len(schemaOf(&p.State).Axes)
		p.table.Home()
		p.Changed()
	case keymap.ObjectOf, keymap.DominatorsOf, keymap.HotPath:
		if r, ok := p.table.Selected(); ok {
			visitRow(p.Env, a, p.table.Now().Of.graph.I, r.of.Row)
		}
	case keymap.OwnersOf:
	default:
		return p.DoTable(a)
	}
	return true
}

func (p *held) CopyText() string {
	r, ok := p.table.Selected()
	if !ok {
		return ""
	}
	return p.text(r.of) + ": " + model.Bytes(r.of.Retained).Exact() + " in " + model.Counted(r.of.Count, "object")
}
