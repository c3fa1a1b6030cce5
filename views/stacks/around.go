package stacks

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// aroundView shows one function over the stacks screen: who calls it, and what it calls, wherever that is. It follows the
// instant.
type aroundView struct {
	of   *Stacks
	name string // of the function, as the tree has it
	past []string

	from  *weighed // what data was taken from
	data  calltree.Around
	found bool // the function is in the tree
	list  widget.List
}

func newAroundView(p *Stacks, name string) *aroundView {
	v := &aroundView{of: p, name: name}
	v.list = widget.List{
		Table: v, SortColumn: -1, Column: -1, HideHeader: true, Focused: true,
		Columns: []widget.Column{
			{Width: 9, Align: widget.Right}, {Width: 6, Align: widget.Right, Drop: 1}, {Width: 8, Drop: 2},
			{Width: 20, Grow: 1, Cut: widget.CutScope},
		},
	}
	v.turn(name)
	return v
}

// refresh adds up anew when the weights have changed, or the function.
func (v *aroundView) refresh() {
	w := v.of.Now
	if v.from == w && v.data.Name == v.name {
		return
	}
	v.from, v.found, v.data = w, false, calltree.Around{Name: v.name}
	for n := int32(1); n < int32(w.Len()); n++ {
		if w.Name(n) == v.name {
			v.found, v.data = true, w.Around(n, w.tree.key.invert)
			break
		}
	}
	v.list.Refresh()
}

// rows are the callers, the function itself, and what it calls.
func (v *aroundView) Len() int { return len(v.data.Callers) + 1 + len(v.data.Callees) }

// ID and Cell implement widget.Table.
func (v *aroundView) ID(row int) uint64 { return uint64(row) }

func (v *aroundView) Cell(row, col int) widget.Cell {
	k := v.of.Look.InBox()
	name, weight, kind := v.row(row)
	c := widget.Cell{Style: k.Text}
	switch col {
	case 0:
		c.Text = v.of.amount(weight)
	case 1:
		c.Text = ui.PartText(weight, v.data.Total)
	case 2:
		share := float64(weight) / float64(max(v.data.Total, 1))
		return widget.Cell{Kind: widget.BarCell, Bar: share, Style: k.Bar}
	case 3:
		c.Text = kind + v.label(name)
		if row == len(v.data.Callers) {
			c.Style = k.Sorted
		}
	}
	return c
}

// row is what a row is about, and the words before its name.
func (v *aroundView) row(row int) (name string, weight uint64, kind string) {
	callers := v.data.Callers
	switch {
	case row < len(callers):
		if callers[row].Name == "" {
			return "", callers[row].Weight, "called by nobody: here stacks begin"
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
	return widget.WithoutSignature(name)
}

func (v *aroundView) Title() string { return "Callers and callees" }

func (v *aroundView) Scopes() []keymap.Scope { return nil }

func (v *aroundView) Key(*tcell.EventKey) bool { return false }

func (v *aroundView) Draw(s tcell.Screen, r widget.Rect, k *widget.Look) {
	v.refresh()
	in := ui.OverlayBox(s, r, 110, max(v.Len()+5, 12), k, v.Title()+" of "+widget.ShortenScopes(v.label(v.name), max(r.W-30, 10)))
	k = k.InBox()
	about, list := in.CutTop(2)
	text := v.of.costText() + ": " + v.of.bound() + v.of.weight(v.data.Total) + ", " +
		ui.PartText(v.data.Total, v.of.Now.Total[0]) + " of all · self " + v.of.amount(v.data.Self)
	if !v.found {
		text = "This function is not among the stacks any more."
	}
	widget.Print(s, about.X, about.Y, about.W, text, k.Text)
	v.list.Columns[0].Width = max(len(v.of.amount(v.data.Total)), 9)
	v.list.Draw(s, list, k)
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
	return widget.Clean(v.of.amount(weight) + "  " + kind + name)
}

// turn makes another function the one that all is about.
func (v *aroundView) turn(name string) {
	v.name = name
	v.refresh()
	v.list.Select(len(v.data.Callers))
}
