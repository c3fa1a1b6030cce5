package stacks

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Columns of the call tree.
const (
	columnTotal = iota
	columnShare
	columnBar
	columnSelf
	columnName
	columnPlace
	columnDelta // of differences, as all that follow
	columnChange
	columnBefore
	columnAfter
	columnPercent
)

// treeColumn is a column and what it shows.
type treeColumn struct {
	kind int
	widget.Column
}

// treePane is the call tree: [widget.Tree] over what the screen shows.
type treePane struct {
	*widget.Tree
	of    *Stacks
	want  uint64 // what was selected last, which the weights of some instants do not have
	begun bool   // something was open or selected once
	blank bool   // rows below the tree may be free: heavy nodes are opened there
	shown []int  // columns on screen: what column a cell belongs to
}

func newTreePane(p *Stacks) *treePane {
	t := &treePane{of: p}
	t.Tree = widget.NewTree(t, nil)
	return t
}

// arrange chooses the columns for a pane of w cells. In a bottom-up tree only the functions at the top have a weight of
// their own, which is all they have, so it needs no column.
func (t *treePane) arrange(w int) {
	all := t.of.weightColumns(w)
	if t.of.Now.changes != nil {
		all = t.of.changedColumns(w)
	}
	t.Columns, t.shown = t.Columns[:0], t.shown[:0]
	for _, c := range all {
		if c.kind == columnSelf && t.of.Now.tree.key.invert {
			continue
		}
		if c.kind == columnName {
			t.TreeColumn = len(t.shown)
		}
		t.Columns, t.shown = append(t.Columns, c.Column), append(t.shown, c.kind)
	}
}

// weightColumns returns the columns of weights for a pane of w cells.
func (p *Stacks) weightColumns(w int) []treeColumn {
	width := 8
	if p.State.Exact {
		width = max(len(p.amount(p.Now.Total[0])), width)
	}
	return []treeColumn{
		{columnTotal, widget.Column{Title: p.costTitle(), Width: width, Align: widget.Right}},
		{columnShare, widget.Column{Title: titles.Percent, Width: model.ShareWidth, Align: widget.Right, Drop: 1}},
		{columnBar, widget.Column{Width: min(max(w/12, 5), 16), Drop: 4}},
		{columnSelf, widget.Column{Title: titles.Self, Width: width, Align: widget.Right, Drop: 3}},
		{columnName, widget.Column{Title: titles.Function, Width: min(26, max(w-14, 8)), Grow: 3, Cut: widget.CutScope}},
		{columnPlace, widget.Column{Title: titles.Where, Width: 13, Grow: 1, MaxWidth: 48, Cut: widget.CutFolder, Drop: 2}},
	}
}

// roots returns the functions at the top of the tree.
func (t *treePane) roots() []uint64 { return t.Children(0) }

// Children implements widget.TreeSource.
func (t *treePane) Children(id uint64) []uint64 {
	if id >= uint64(t.of.Now.Len()) {
		return nil
	}
	return nodeIDs(t.of.Now.Children(int32(id)))
}

// Leaf implements widget.TreeSource.
func (t *treePane) Leaf(id uint64) bool {
	return id >= uint64(t.of.Now.Len()) || !t.of.Now.HasChildren(int32(id))
}

// Cell implements widget.TreeSource.
func (t *treePane) Cell(id uint64, col int) widget.Cell {
	w := t.of.Now
	if id >= uint64(w.Len()) {
		return widget.Cell{}
	}
	n := int32(id)
	switch kind := t.shown[col]; kind {
	case columnTotal:
		return widget.Cell{Text: t.of.amount(w.Total[n])}
	case columnShare:
		return widget.Cell{Text: ui.PartText(w.Total[n], w.Total[0])}
	case columnBar:
		return widget.Cell{Kind: widget.BarCell, Bar: float64(w.Total[n]) / float64(max(w.Total[0], 1))}
	case columnSelf:
		self := w.Self(n)
		if self == 0 {
			return widget.Cell{Text: "0", Style: t.of.Look.Muted}
		}
		return widget.Cell{Text: t.of.amount(self)}
	case columnName:
		c := widget.Cell{Text: w.label(n), Style: t.of.signStyle(n)}
		if f := t.of.matching(); f != nil && t.Highlight == "" && f.matches(n) {
			c.Style = widget.Over(t.of.Look.Text, t.of.Look.Match)
		}
		return c
	case columnPlace:
		return widget.Cell{Text: w.place(n), Style: t.of.Look.Muted}
	default:
		return t.of.changedCell(kind, n)
	}
}

// reset shows the tree with the heaviest path open, or with at selected.
func (t *treePane) reset(at int32) {
	t.SetRoots(t.roots())
	t.begun = t.Len() > 0
	if at > 0 && t.reveal(at) {
		return
	}
	t.hotPath()
	t.blank = true
	if t.of.Now.tree.key.invert { // the allocating function is at the top
		t.Home()
		t.remember()
	}
}

// reload adopts other weights of the same tree.
func (t *treePane) reload() {
	if !t.begun { // there was nothing to open yet
		t.reset(0)
		return
	}
	t.Reload(t.roots())
	if id, ok := t.SelectedID(); ok && id != t.want && t.of.Now.there(t.want) {
		t.SelectID(t.want)
	}
}

// remember stores the selection to restore it later.
func (t *treePane) remember() {
	if id, ok := t.SelectedID(); ok {
		t.want = id
	}
}

// reveal opens the path to n and selects it.
func (t *treePane) reveal(n int32) bool {
	path, _ := t.of.Now.path(n, 0)
	ok := t.Reveal(nodeIDs(path))
	t.remember()
	return ok
}

// hotPath opens the heaviest path below the selection until it branches, and shows the branches.
func (t *treePane) hotPath() {
	w := t.of.Now
	t.OpenPath(func(parent, child uint64) bool { return w.Total[child] >= w.Total[parent]-w.Total[parent]/2 })
	if row, ok := t.Selected(); ok && !t.IsOpen(row) {
		t.Open()
	}
	t.remember()
}

func (t *treePane) Do(a keymap.Action) bool {
	switch a {
	case keymap.Open:
		if id, ok := t.SelectedID(); ok {
			t.of.Popup(newAroundView(t.of, t.of.Now.Name(int32(id))))
		}
	case keymap.HotPath:
		t.hotPath()
	default:
		if !t.of.DoTree(t.Tree, a) {
			return false
		}
	}
	t.remember()
	return true
}

func (t *treePane) click(x, y int, double bool) bool {
	ok := ui.ClickTree(t.Tree, x, y, double)
	if ok {
		t.remember()
	}
	return ok
}

// highlight marks what a search finds: the text itself, or complete names for expressions.
func (t *treePane) highlight(text string) {
	if strings.HasPrefix(text, "/") && len(text) > 1 {
		text = ""
	}
	t.Highlight = strings.ToLower(text)
}

func (t *treePane) draw(s tcell.Screen, r widget.Rect, focused bool) {
	p := t.of
	if p.Now == nil || p.Now.Total[0] == 0 {
		p.drawEmpty(s, r)
		return
	}
	t.arrange(r.W)
	t.fill(r.H - 1)
	t.Focused = focused
	t.Draw(s, r, p.Look)
}

// fill opens the heaviest nodes of a tree that was just made in the rows that it leaves free.
func (t *treePane) fill(rows int) {
	const least = 100 // parts of all: lighter nodes stay closed
	if !t.blank || rows <= 0 {
		return
	}
	t.blank = false
	w := t.of.Now
	t.Fill(rows, max(w.Total[0]/least, 1), func(id uint64) uint64 {
		if id >= uint64(w.Len()) {
			return 0
		}
		return w.Total[id]
	})
}

// amount returns a weight in the unit of the cost.
func (p *Stacks) amount(v uint64) string {
	if p.Now != nil && p.Now.set != nil {
		return p.Now.set.Amount(v, p.State.Exact)
	}
	if p.Prof != nil {
		return p.profAmount(v)
	}
	cost := p.State.Cost
	if p.Now != nil {
		cost = p.Now.key.cost
	}
	switch {
	case cost.IsBytes() && p.State.Exact:
		return p.State.Estimate(model.Bytes(v).Exact())
	case cost.IsBytes():
		return p.State.Estimate(model.Bytes(v).String())
	case p.State.Exact:
		return model.Group(v)
	}
	return model.ShortCount(v)
}

// ofSide returns a weight on a side of a comparison.
func (p *Stacks) ofSide(side int, v uint64) string {
	if p.Now != nil && p.Now.set != nil {
		return p.Now.set.Side(side, v, p.State.Exact)
	}
	return p.amount(v)
}

// weight returns an amount with its unit.
func (p *Stacks) weight(v uint64) string {
	if p.Now.key.cost.IsBytes() || p.Prof != nil || p.Now.set != nil {
		return p.amount(v)
	}
	if v == 1 {
		return "1 block"
	}
	return p.amount(v) + " blocks"
}

// drawEmpty explains a screen without a tree.
func (p *Stacks) drawEmpty(s tcell.Screen, r widget.Rect) {
	for i, line := range p.emptyText() {
		if i >= r.H {
			return
		}
		st := p.Style(themes.Muted)
		if i == 0 {
			st = p.Look.Text
		}
		widget.Print(s, r.X+1, r.Y+i, r.W-1, line, st)
	}
}
