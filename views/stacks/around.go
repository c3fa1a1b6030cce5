package stacks

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// aroundView shows one function over the stacks screen, with its callers and callees anywhere in the tree. It follows
// the instant. In every order, callers stay above the function and callees below.
type aroundView struct {
	ui.TablePane
	of     *Stacks
	name   string // of the function, as the tree has it
	past   []string
	filter string

	set    *aroundSet
	table  *ui.Table[aroundData, aroundRow]
	placed bool // the function itself was selected once
}

// aroundSet is a function with its callers and what it calls. Read-only once made.
type aroundSet struct {
	from  *weighed            // what data was taken from
	data  diff.ComparedAround // without a difference both sides are the same
	found bool                // the function is in the tree
	rows  []aroundRow
}

// aroundData determines the table.
type aroundData struct{ *aroundSet }

func newAroundView(p *Stacks, name string) *aroundView {
	v := &aroundView{TablePane: ui.NewTablePane(p.Env), of: p, set: &aroundSet{}}
	v.table = ui.NewTable(p.Env, &v.ListPane, aroundData{&aroundSet{}}, ui.Spec[aroundData, aroundRow]{
		Rows:    func(d aroundData) []aroundRow { return d.rows },
		Columns: func(d aroundData) []ui.Column[aroundRow] { return v.columns(d.aroundSet) },
		ID:      func(_ aroundData, r *aroundRow) uint64 { return uint64(r.n) },
		First:   ui.AsGiven,
		Pinned:  func(r *aroundRow) int { return int(r.kind) },
		Most: func(d aroundData) (bytes, count uint64) {
			most := max(d.data.Total[0], d.data.Total[1])
			return most, most
		},
		Words: func(aroundData) func(r *aroundRow) []string {
			return func(r *aroundRow) []string { return []string{r.name, r.kind.words()} }
		},
	})
	v.Alone, v.Enter = true, v.follow
	v.turn(name)
	return v
}

// aroundKind is the relation of a row to the function. Larger ones are above.
type aroundKind uint8

const (
	calledByIt aroundKind = iota
	itself
	callsIt
)

// words returns the words before a name.
func (k aroundKind) words() string { return [...]string{"calls ", "", "called by "}[k] }

// aroundRow is a caller, the function itself, or what it calls.
type aroundRow struct {
	n      int
	name   string // "" where stacks begin
	kind   aroundKind
	weight [2]uint64
}

// columns returns those of rows of weights, or of changes.
func (v *aroundView) columns(set *aroundSet) []ui.Column[aroundRow] {
	type row = aroundRow
	p, whole := v.of, set.data.Total[1]
	figure := ui.CountFigure
	if set.from != nil &&
		(set.from.unit.Kind == ui.UnitBytes || set.from.key.prof.Of == nil && set.from.key.cost.IsBytes()) {
		figure = ui.BytesFigure
	}
	weight := func(title, field string, side, drop int) ui.Column[row] {
		return ui.Column[row]{Title: title, Fields: []string{field}, Figure: figure, Width: 9, Drop: drop, Total: set.data.Total[side],
			Value: func(r *row) uint64 { return r.weight[side] },
			Cell:  func(r *row) widget.Cell { return widget.Cell{Text: p.ofSide(side, r.weight[side])} }}
	}
	name := ui.Column[row]{Title: titles.Function, Width: 20, Grow: 1, Cut: widget.CutScope, Text: func(r *row) string { return r.name },
		Cell: func(r *row) widget.Cell {
			c := widget.Cell{Text: r.kind.words() + v.label(r.name)}
			switch {
			case r.name == "":
				c.Text = "no callers: stacks begin here"
			case r.kind == itself:
				c.Style = p.Look.InBox().Sorted
			}
			return c
		}}
	// A table has the same columns, of weights and of changes: those of the other are hidden.
	changed := set.from != nil && set.from.changes != nil
	delta := ui.Column[row]{Title: titles.Delta, Fields: []string{"delta"}, Figure: figure, Width: 10, Hidden: !changed,
		Number: func(r *row) float64 { return float64(r.weight[1]) - float64(r.weight[0]) },
		Rank:   func(r *row) uint64 { return max(r.weight[0], r.weight[1]) - min(r.weight[0], r.weight[1]) },
		Cell:   func(r *row) widget.Cell { return p.DeltaCell(r.weight[0], r.weight[1], p.amount) }}
	cols := []ui.Column[row]{
		delta, weight(titles.Before, "before", 0, 2), weight(titles.After, "after", 1, 1), weight(titles.Weight, "weight", 1, 0),
		{Title: titles.Share, Width: 6, Right: true, Drop: 1, Like: titles.Weight,
			Cell: func(r *row) widget.Cell { return widget.Cell{Text: ui.PartText(r.weight[1], whole)} }},
		{Width: 8, Drop: 2, Like: titles.Weight, Cell: func(r *row) widget.Cell {
			return widget.Cell{Kind: widget.BarCell, Bar: float64(r.weight[1]) / float64(max(whole, 1)), Style: p.Look.InBox().Bar}
		}}, name,
	}
	for i := range cols[:len(cols)-1] {
		if cols[i].Hidden = changed != (i < 3); cols[i].Hidden {
			cols[i].Fields = nil
		}
	}
	return cols
}

// refresh sums up again when the weights or the function have changed, and shows the newest rows.
func (v *aroundView) refresh() {
	w := v.of.Now
	if w == nil {
		return
	}
	if v.set.from != w || v.set.data.Name != v.name {
		v.set = aroundOf(w, v.name)
	}
	if !v.table.Ask(aroundData{v.set}, v.filter) || v.placed || v.table.Now().Of.aroundSet != v.set {
		return
	}
	for n := range v.table.Len() {
		if v.table.Row(n).kind == itself {
			v.List.Select(n)
			v.placed = true
		}
	}
}

// aroundOf returns the callers of a function, the function itself, and its callees.
func aroundOf(w *weighed, name string) *aroundSet {
	set := &aroundSet{from: w, data: diff.ComparedAround{Name: name}}
	for n := int32(1); n < int32(w.Len()); n++ {
		if w.Name(n) == name {
			set.found, set.data = true, w.around(n)
			break
		}
	}
	add := func(kind aroundKind, name string, weight [2]uint64) {
		set.rows = append(set.rows, aroundRow{len(set.rows), name, kind, weight})
	}
	for _, c := range set.data.Callers {
		add(callsIt, c.Name, c.Weight)
	}
	add(itself, name, set.data.Total)
	for _, c := range set.data.Callees {
		add(calledByIt, c.Name, c.Weight)
	}
	return set
}

// around returns what calls the functions of a node and what they call, on both sides or on the only one.
func (w *weighed) around(n int32) diff.ComparedAround {
	if w.changes != nil {
		return w.changes.Around(n, w.tree.key.invert)
	}
	a := w.Around(n, w.tree.key.invert)
	twice := func(list []calltree.Neighbor) []diff.ComparedNeighbor {
		out := make([]diff.ComparedNeighbor, len(list))
		for i, x := range list {
			out[i] = diff.ComparedNeighbor{Name: x.Name, Weight: [2]uint64{x.Weight, x.Weight}}
		}
		return out
	}
	return diff.ComparedAround{
		Name: a.Name, Total: [2]uint64{a.Total, a.Total}, Self: [2]uint64{a.Self, a.Self},
		Callers: twice(a.Callers), Callees: twice(a.Callees),
	}
}

func (v *aroundView) label(name string) string {
	if v.of.State.FullName {
		return name
	}
	return funcname.WithoutSignature(name)
}

func (v *aroundView) Title() string { return "Callers and callees" }

func (v *aroundView) Scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopeTable} }

func (v *aroundView) Key(*tcell.EventKey) bool { return false }

// Useless implements [ui.Refuser]: nothing here is grouped, and there is one list.
func (v *aroundView) Useless(a keymap.Action) bool { return a == keymap.Group || a == keymap.NextPane }

// Fields implements [ui.Filtered].
func (v *aroundView) Fields() []analysis.Field { return v.table.Fields() }

// Sorting implements [ui.Sorting].
func (v *aroundView) Sorting() (title, key string, usual bool) { return v.table.Sorting() }

func (v *aroundView) SearchText() string { return v.filter }

func (v *aroundView) Search(text string) { v.filter = text }

// Peeked implements [ui.Peeker].
func (v *aroundView) Peeked() string { return v.name }

// PeekCommand returns the flags of the figure, which is that of the tree.
func (v *aroundView) PeekCommand() []string {
	q := v.of.question()
	return q.Args()
}

func (v *aroundView) Draw(s tcell.Screen, r widget.Rect, k *widget.Look) {
	v.refresh()
	title := v.Title() + " of " + widget.ShortenScopes(v.label(v.name), max(r.W-30, 10))
	if v.filter != "" {
		title += " · filter “" + v.filter + "”"
	}
	in := ui.OverlayBox(s, r, 110, max(len(v.set.rows)+6, 12), k, title)
	k = k.InBox()
	about, list := in.CutTop(2)
	text := "The stacks shown no longer have this function."
	if v.set.found && v.of.Now != nil {
		text = v.about()
	}
	widget.Print(s, about.X, about.Y, about.W, text, k.Text)
	if v.of.Now == nil {
		return
	}
	v.table.Layout(list.W, &v.of.State)
	v.List.Highlight, v.List.Focused = ui.FilterWord(v.filter), true
	if v.List.Empty = nil; v.filter != "" && v.table.Now() != nil {
		v.List.Empty = []string{"No matches for “" + v.filter + "”.", v.FilterHint()}
	}
	v.ListAt = list
	v.List.Draw(s, list, k)
}

// about returns what the function weighs, or weighed on both sides.
func (v *aroundView) about() string {
	d, p := &v.set.data, v.of
	if p.Now.changes != nil {
		return p.costText() + ": " + p.ofSide(0, d.Total[0]) + " → " + p.ofSide(1, d.Total[1]) + " · self " +
			p.ofSide(0, d.Self[0]) + " → " + p.ofSide(1, d.Self[1])
	}
	return p.costText() + ": " + p.bound() + p.weight(d.Total[1]) + ", " + ui.PartText(d.Total[1], p.Now.Total[0]) +
		" of all · self " + p.amount(d.Self[1])
}

func (v *aroundView) Do(a keymap.Action) bool {
	switch {
	case a != keymap.Back:
		return v.DoTable(a)
	case v.filter != "":
		v.filter = ""
	case len(v.past) > 0:
		n := len(v.past) - 1
		name := v.past[n]
		v.past = v.past[:n]
		v.turn(name)
	default:
		return false
	}
	return true
}

// follow switches the view to the selected function.
func (v *aroundView) follow() {
	if r, ok := v.table.Selected(); ok && r.name != "" && r.kind != itself {
		v.past = append(v.past, v.name)
		v.turn(r.name)
	}
}

// CopyText implements copier.
func (v *aroundView) CopyText() string {
	r, ok := v.table.Selected()
	if !ok {
		return ""
	}
	text := v.of.amount(r.weight[1])
	if v.of.Now != nil && v.of.Now.changes != nil {
		text = v.of.DeltaCell(r.weight[0], r.weight[1], v.of.amount).Text
	}
	return widget.Clean(text + "  " + r.kind.words() + r.name)
}

// turn switches the view to another function.
func (v *aroundView) turn(name string) {
	v.name, v.filter, v.placed = name, "", false
	v.Changed()
}
