package stacks

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// aroundView shows one function over the stacks screen: who calls it, and what it calls, wherever that is. It follows the
// instant. It is no [ui.Table]: its rows stand in one order, callers above the function and what it calls below.
type aroundView struct {
	of   *Stacks
	name string // of the function, as the tree has it
	past []string

	cols []ui.Column[aroundRow]

	from  *weighed            // what data was taken from
	data  diff.ComparedAround // of weights alone both sides are the same
	found bool                // the function is in the tree
	list  widget.List
}

func newAroundView(p *Stacks, name string) *aroundView {
	v := &aroundView{of: p, name: name}
	v.list = widget.List{Table: v, SortColumn: -1, Column: -1, Focused: true}
	v.turn(name)
	return v
}

// aroundRow is a caller, the function itself, or what it calls.
type aroundRow struct {
	name   string
	kind   string // the words before the name
	weight [2]uint64
	itself bool
}

// columns returns those of rows of weights, or of changes, which need titles.
func (v *aroundView) columns() []ui.Column[aroundRow] {
	type row = aroundRow
	p, k := v.of, v.of.Look.InBox()
	width := max(len(p.amount(v.data.Total[0])), len(p.amount(v.data.Total[1])), 9)
	weight := func(title string, side, drop int) ui.Column[row] {
		return ui.Column[row]{Title: title, Width: width, Right: true, Drop: drop, Text: func(r *row) string { return p.amount(r.weight[side]) }}
	}
	name := ui.Column[row]{Title: titles.Function, Width: 20, Grow: 1, Cut: widget.CutScope, Cell: func(r *row) widget.Cell {
		c := widget.Cell{Text: r.kind + v.label(r.name), Style: k.Text}
		if r.itself {
			c.Style = k.Sorted
		}
		return c
	}}
	if p.Now.changes != nil {
		return []ui.Column[row]{
			{Title: titles.Delta, Width: width + 1, Right: true, Text: func(r *row) string { return p.DeltaCell(r.weight[0], r.weight[1], p.amount).Text }},
			weight(titles.Before, 0, 2), weight(titles.After, 1, 1), name,
		}
	}
	whole := v.data.Total[1]
	return []ui.Column[row]{
		weight("", 1, 0), {Width: 6, Right: true, Drop: 1, Text: func(r *row) string { return ui.PartText(r.weight[1], whole) }},
		{Width: 8, Drop: 2, Cell: func(r *row) widget.Cell {
			return widget.Cell{Kind: widget.BarCell, Bar: float64(r.weight[1]) / float64(max(whole, 1)), Style: k.Bar}
		}}, name,
	}
}

// arrange chooses the columns.
func (v *aroundView) arrange() {
	v.cols = v.columns()
	v.list.Columns, v.list.HideHeader = ui.Layout(v.cols, ui.Figures{}, 0, 0), v.of.Now.changes == nil
}

// refresh adds up anew when the weights have changed, or the function.
func (v *aroundView) refresh() {
	w := v.of.Now
	if w == nil || v.from == w && v.data.Name == v.name {
		return
	}
	v.from, v.found, v.data = w, false, diff.ComparedAround{Name: v.name}
	for n := int32(1); n < int32(w.Len()); n++ {
		if w.Name(n) == v.name {
			v.found, v.data = true, w.around(n)
			break
		}
	}
	v.list.Refresh()
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

// rows are the callers, the function itself, and what it calls.
func (v *aroundView) Len() int { return len(v.data.Callers) + 1 + len(v.data.Callees) }

// ID and Cell implement widget.Table.
func (v *aroundView) ID(row int) uint64 { return uint64(row) }

func (v *aroundView) Cell(row, col int) widget.Cell {
	k := v.of.Look.InBox()
	r := v.row(row)
	c := v.cols[col].Draw(&r, ui.Figures{}, k)
	if c.Style == tcell.StyleDefault {
		c.Style = k.Text
	}
	return c
}

// row returns what a row is about.
func (v *aroundView) row(row int) aroundRow {
	callers := v.data.Callers
	switch {
	case row < len(callers) && callers[row].Name == "":
		return aroundRow{kind: "no callers: stacks begin here", weight: callers[row].Weight}
	case row < len(callers):
		return aroundRow{name: callers[row].Name, kind: "called by ", weight: callers[row].Weight}
	case row == len(callers):
		return aroundRow{name: v.name, weight: v.data.Total, itself: true}
	}
	n := v.data.Callees[row-len(callers)-1]
	return aroundRow{name: n.Name, kind: "calls ", weight: n.Weight}
}

func (v *aroundView) label(name string) string {
	if v.of.State.FullName {
		return name
	}
	return funcname.WithoutSignature(name)
}

func (v *aroundView) Title() string { return "Callers and callees" }

func (v *aroundView) Scopes() []keymap.Scope { return nil }

func (v *aroundView) Key(*tcell.EventKey) bool { return false }

func (v *aroundView) Draw(s tcell.Screen, r widget.Rect, k *widget.Look) {
	v.refresh()
	in := ui.OverlayBox(s, r, 110, max(v.Len()+5, 12), k, v.Title()+" of "+widget.ShortenScopes(v.label(v.name), max(r.W-30, 10)))
	k = k.InBox()
	about, list := in.CutTop(2)
	text := "The stacks shown no longer have this function."
	if v.found && v.of.Now != nil {
		text = v.about()
	}
	widget.Print(s, about.X, about.Y, about.W, text, k.Text)
	if v.of.Now != nil {
		v.arrange()
		v.list.Draw(s, list, k)
	}
}

// about returns what the function weighs, or weighed on both sides.
func (v *aroundView) about() string {
	d, p := &v.data, v.of
	if p.Now.changes != nil {
		return p.costText() + ": " + p.weight(d.Total[0]) + " → " + p.weight(d.Total[1]) + " · self " + p.amount(d.Self[0]) + " → " + p.amount(d.Self[1])
	}
	return p.costText() + ": " + p.bound() + p.weight(d.Total[1]) + ", " + ui.PartText(d.Total[1], p.Now.Total[0]) + " of all · self " + p.amount(d.Self[1])
}

func (v *aroundView) Do(a keymap.Action) bool {
	switch a {
	case keymap.Open:
		row, ok := v.list.Selected()
		if name := v.row(row).name; ok && name != "" && name != v.name {
			v.past = append(v.past, v.name)
			v.turn(name)
		}
	case keymap.Back:
		n := len(v.past)
		if n == 0 {
			return false
		}
		name := v.past[n-1]
		v.past = v.past[:n-1]
		v.turn(name)
	default:
		return ui.MoveList(&v.list, a)
	}
	return true
}

// CopyText implements copier.
func (v *aroundView) CopyText() string {
	row, _ := v.list.Selected()
	r := v.row(row)
	text := v.of.amount(r.weight[1])
	if v.of.Now != nil && v.of.Now.changes != nil {
		text = v.of.DeltaCell(r.weight[0], r.weight[1], v.of.amount).Text
	}
	return widget.Clean(text + "  " + r.kind + r.name)
}

// turn makes another function the one that all is about.
func (v *aroundView) turn(name string) {
	v.name = name
	v.refresh()
	v.list.Select(len(v.data.Callers))
}
