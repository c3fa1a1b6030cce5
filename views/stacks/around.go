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
// instant.
type aroundView struct {
	of   *Stacks
	name string // of the function, as the tree has it
	past []string

	shown []int // columns on screen: what column a cell belongs to

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

// Columns of the functions around one.
const (
	aroundWeight = iota
	aroundShare
	aroundBar
	aroundName
	aroundBefore
	aroundAfter
	aroundDelta
)

// arrange chooses the columns for rows of weights or of changes, which need titles.
func (v *aroundView) arrange() {
	figure := max(len(v.of.amount(v.data.Total[0])), len(v.of.amount(v.data.Total[1])), 9)
	name := treeColumn{aroundName, widget.Column{Title: titles.Function, Width: 20, Grow: 1, Cut: widget.CutScope}}
	all := []treeColumn{
		{aroundWeight, widget.Column{Width: figure, Align: widget.Right}},
		{aroundShare, widget.Column{Width: 6, Align: widget.Right, Drop: 1}},
		{aroundBar, widget.Column{Width: 8, Drop: 2}}, name,
	}
	if v.list.HideHeader = v.of.Now.changes == nil; !v.list.HideHeader {
		all = []treeColumn{
			{aroundDelta, widget.Column{Title: titles.Delta, Width: figure + 1, Align: widget.Right}},
			{aroundBefore, widget.Column{Title: titles.Before, Width: figure, Align: widget.Right, Drop: 2}},
			{aroundAfter, widget.Column{Title: titles.After, Width: figure, Align: widget.Right, Drop: 1}}, name,
		}
	}
	v.list.Columns, v.shown = v.list.Columns[:0], v.shown[:0]
	for _, c := range all {
		v.list.Columns, v.shown = append(v.list.Columns, c.Column), append(v.shown, c.kind)
	}
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
	name, weight, kind := v.row(row)
	c := widget.Cell{Style: k.Text}
	switch v.shown[col] {
	case aroundWeight, aroundAfter:
		c.Text = v.of.amount(weight[1])
	case aroundBefore:
		c.Text = v.of.amount(weight[0])
	case aroundDelta:
		c.Text = v.of.DeltaCell(weight[0], weight[1], v.of.amount).Text
	case aroundShare:
		c.Text = ui.PartText(weight[1], v.data.Total[1])
	case aroundBar:
		share := float64(weight[1]) / float64(max(v.data.Total[1], 1))
		return widget.Cell{Kind: widget.BarCell, Bar: share, Style: k.Bar}
	case aroundName:
		c.Text = kind + v.label(name)
		if row == len(v.data.Callers) {
			c.Style = k.Sorted
		}
	}
	return c
}

// row returns what a row is about, and the words before its name.
func (v *aroundView) row(row int) (name string, weight [2]uint64, kind string) {
	callers := v.data.Callers
	switch {
	case row < len(callers):
		if callers[row].Name == "" {
			return "", callers[row].Weight, "no callers: stacks begin here"
		}
		return callers[row].Name, callers[row].Weight, "called by "
	case row == len(callers):
		return v.name, v.data.Total, ""
	}
	n := v.data.Callees[row-len(callers)-1]
	return n.Name, n.Weight, "calls "
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
		if name, _, _ := v.row(row); ok && name != "" && name != v.name {
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
	name, weight, kind := v.row(row)
	text := v.of.amount(weight[1])
	if v.of.Now != nil && v.of.Now.changes != nil {
		text = v.of.DeltaCell(weight[0], weight[1], v.of.amount).Text
	}
	return widget.Clean(text + "  " + kind + name)
}

// turn makes another function the one that all is about.
func (v *aroundView) turn(name string) {
	v.name = name
	v.refresh()
	v.list.Select(len(v.data.Callers))
}
