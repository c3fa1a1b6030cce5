package heap

import (
	"context"

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

// around shows what refers to all objects of a type and what they refer to, in place of the table of types, while it is
// open. In every order the referring rows stay above the type, and the referenced ones below.
type around struct {
	ui.TablePane
	open   bool
	title  string
	name   string // of the type
	id     uint32
	sums   *ui.Lazy[aroundKey, *aroundSet]
	table  *ui.Table[aroundData, aroundRow]
	load   *ui.HeapLoad
	filter string
	past   bool // the type itself was selected once
}

// aroundKey determines the references.
type aroundKey struct {
	load *ui.HeapLoad
	id   uint32
}

// aroundPart is the relation of a row to the type. Larger ones are above.
type aroundPart uint8

const (
	referredTo aroundPart = iota
	theType
	refersToIt
)

// words returns what is before a name.
func (k aroundPart) words() string { return [...]string{"refer to ", "", "referred to by "}[k] }

// aroundRow is rows of one kind and type that refer to the objects, the objects, or rows that these refer to.
type aroundRow struct {
	n    int
	part aroundPart
	heapgraph.Neighbors
}

// aroundSet is what is around a type. Read-only once made.
type aroundSet struct {
	aroundKey
	all  *heapgraph.AroundType
	rows []aroundRow
}

// aroundData determines the table.
type aroundData struct{ *aroundSet }

func newAround(e *ui.Env) *around {
	p := &around{TablePane: ui.NewTablePane(e)}
	p.sums = ui.NewLazy(e, findAround)
	p.table = ui.NewTable(e, &p.ListPane, aroundData{&aroundSet{}}, ui.Spec[aroundData, aroundRow]{
		Rows:    func(d aroundData) []aroundRow { return d.rows },
		Columns: p.columns,
		ID:      func(_ aroundData, r *aroundRow) uint64 { return uint64(r.n) },
		First:   ui.AsGiven,
		Pinned:  func(r *aroundRow) int { return int(r.part) },
		Words: func(aroundData) func(r *aroundRow) []string {
			return func(r *aroundRow) []string { return []string{r.Label, r.Edge} }
		},
		Most: func(d aroundData) (bytes, count uint64) {
			if d.aroundSet == nil || d.load == nil {
				return 0, 0
			}
			return d.load.Totals.Bytes(), uint64(d.load.Totals.Rows)
		},
	})
	p.Enter = func() { p.visit(keymap.ObjectOf) }
	return p
}

// findAround sums up the references of all objects of a type.
func findAround(ctx context.Context, k aroundKey) (*aroundSet, error) {
	h := k.load.Heap
	all, err := heapgraph.Around(ctx, h, map[uint32]bool{k.id: true})
	if err != nil {
		return nil, err
	}
	set := &aroundSet{aroundKey: k, all: all}
	add := func(part aroundPart, list ...heapgraph.Neighbors) {
		for _, n := range list {
			set.rows = append(set.rows, aroundRow{len(set.rows), part, n})
		}
	}
	add(refersToIt, all.Retainers...)
	add(theType, heapgraph.Neighbors{Label: h.Tables.Type(k.id), Rows: all.Count, Bytes: all.Bytes, First: model.RootRow})
	add(referredTo, all.References...)
	return set, nil
}

func (p *around) columns(d aroundData) []ui.Column[aroundRow] {
	name := ui.Column[aroundRow]{Title: titles.What, Width: 24, Grow: 6, Cut: widget.CutPackage,
		Text: func(r *aroundRow) string { return ui.HeapName(r.Label) },
		Cell: func(r *aroundRow) widget.Cell {
			c := widget.Cell{Text: r.part.words() + ui.HeapName(r.Label)}
			if r.part == theType {
				c.Style = p.Look.Sorted
			}
			return c
		}}
	return []ui.Column[aroundRow]{
		{Title: titles.Count, Key: "count", Fields: []string{"count"}, Figure: ui.CountFigure, Width: 7,
			Value: func(r *aroundRow) uint64 { return r.Rows }},
		{Title: titles.Bytes, Key: "bytes", Fields: []string{"bytes", "size"}, Figure: ui.BytesFigure, Drop: 1,
			Value: func(r *aroundRow) uint64 { return r.Bytes }},
		{Title: titles.References, Key: "reference_count", Fields: []string{"references"}, Figure: ui.CountFigure, Width: 7, Drop: 2,
			Known: func(r *aroundRow) bool { return r.part != theType }, Value: func(r *aroundRow) uint64 { return r.References }},
		name,
		{Title: titles.Reference, Width: 12, Grow: 2, MaxWidth: 30, Drop: 3, Muted: true,
			Text: func(r *aroundRow) string { return model.Clean(r.Edge) }},
	}
}

// start opens the table of a type.
func (p *around) start(title, name string, id uint32) {
	p.open, p.title, p.name, p.id, p.filter, p.past = true, title, name, id, "", false
	p.table.Forget()
	p.table.Home()
	p.Say(p.Hint("{open} shows the first object of a line, {back} goes back"))
	p.Changed()
}

// show requests the references.
func (p *around) show(s *state.State, load *ui.HeapLoad) {
	p.State, p.load = *s, load
	if load == nil {
		p.table.Forget()
		return
	}
	p.sums.Ask(aroundKey{load, p.id})
	set, ok := p.sums.Get()
	if !ok || set.id != p.id || set.load != load {
		p.table.Forget()
		return
	}
	if !p.table.Ask(aroundData{set}, p.filter) {
		return
	}
	if !p.past {
		p.past = true
		p.List.SelectID(uint64(len(set.all.Retainers)))
	}
	p.explain()
}

// command returns the command that prints the table.
func (p *around) command(file []string) []string {
	plain := p.State
	plain.Heap.Policy = 0 // all recorded references count
	return command(&plain, "types", state.Question{Peek: p.name}, file)
}

// Draw implements tview.Primitive.
func (p *around) Draw(s tcell.Screen) {
	answer := ""
	if t := p.table.Now(); t != nil {
		all := t.Of.all
		answer = model.Counted(all.Count, "object") + ", " + ui.BytesText(all.Bytes, p.State.Exact)
	}
	p.Split(p.DrawTitled(s, p.Rect(), "References to and from "+p.title, answer))
	p.table.Layout(p.ListAt.W, &p.State)
	switch why := ui.Unanswered(p.sums); {
	case why != nil:
		p.List.Empty = why
	case p.table.Now() == nil:
		p.List.Empty = []string{"Looking at references…", p.Loads.Progress()}
	default:
		p.List.Empty = []string{"No matches for “" + p.filter + "”.", p.FilterHint()}
	}
	p.DrawPanes(s)
}

// explain describes the selected line.
func (p *around) explain() {
	r, ok := p.table.Selected()
	if !ok {
		p.Detail.SetText(0, "", "", nil)
		return
	}
	h := p.table.Now().Of.load.Heap
	rows, text := rowsText(r.Rows), ""
	switch references := model.Counted(r.References, "reference"); r.part {
	case refersToIt:
		text = rows + " of " + ui.BytesText(r.Bytes, p.State.Exact) + ", with " + references + " to objects of " + p.title
	case referredTo:
		text = rows + " of " + ui.BytesText(r.Bytes, p.State.Exact) + ", to which " + references + " of objects of " + p.title + " lead"
	case theType:
		text = rows + " of " + ui.BytesText(r.Bytes, p.State.Exact)
	}
	lines := []widget.Line{ui.TextLine(text)}
	if r.Edge != "" {
		lines = append(lines, ui.TextLine("all through "+model.Clean(r.Edge)))
	}
	if r.part != theType {
		lines = append(lines, p.Note("the first: "+namedRow(h, r.First, p.State.FullName)))
	}
	if p.load.Unlinked() {
		lines = append(lines, p.Note(p.UnlinkedText(p.load)[0]))
	}
	p.Detail.SetText(uint64(r.n)+1, ui.HeapName(r.Label), rows, lines)
}

// visit goes to the first row of the selected line.
func (p *around) visit(a keymap.Action) {
	switch r, ok := p.table.Selected(); {
	case !ok:
	case r.part == theType:
		p.Say(p.Hint("{back} goes back to the types, where {open} lists the objects"))
	default:
		visitRow(p.Env, a, p.table.Now().Of.load.I, r.First)
	}
}

// Do carries out an action while the table is open.
func (p *around) Do(a keymap.Action) bool {
	switch a {
	case keymap.Back:
		if !p.DoTable(a) {
			p.open = false
			p.Changed()
		}
	case keymap.Pivot:
		p.open = false
		p.Changed()
	case keymap.ObjectOf, keymap.DominatorsOf, keymap.HotPath:
		p.visit(a)
	case keymap.Group:
		p.Say("references are not grouped further")
	default:
		return p.DoTable(a)
	}
	return true
}

func (p *around) CopyText() string {
	r, ok := p.table.Selected()
	if !ok {
		return ""
	}
	return r.part.words() + ui.HeapName(r.Label) + ": " + rowsText(r.Rows) + ", " + model.Bytes(r.Bytes).Exact() +
		", " + model.Counted(r.References, "reference")
}

// Fields implements [ui.Filtered].
func (p *around) Fields() []analysis.Field { return p.table.Fields() }
