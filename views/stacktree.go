package views

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
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
)

// treePane is the call tree: [widget.Tree] over what the screen shows.
type treePane struct {
	*widget.Tree
	of   *stacks
	want uint64 // what was selected last, which the weights of some instants do not have
}

func newTreePane(p *stacks) *treePane {
	t := &treePane{of: p}
	t.Tree = widget.NewTree(t, []widget.Column{
		columnTotal: {Width: 9, Align: widget.Right},
		columnShare: {Title: "%", Width: 7, Align: widget.Right},
		columnBar:   {Width: 6, Drop: 3},
		columnSelf:  {Title: "SELF", Width: 9, Align: widget.Right, Drop: 2},
		columnName:  {Title: "FUNCTION", Width: 12, Grow: 3},
		columnPlace: {Title: "PLACE", Width: 14, Grow: 1, MaxWidth: 48, Cut: widget.CutFolder, Drop: 1},
	})
	t.TreeColumn = columnName
	t.Focused = true
	return t
}

// roots are the functions that everything else hangs off.
func (t *treePane) roots() []uint64 { return t.Children(0) }

// Children implements widget.TreeSource.
func (t *treePane) Children(id uint64) []uint64 {
	if id >= uint64(t.of.now.Len()) {
		return nil
	}
	return nodeIDs(t.of.now.Folded.Children(int32(id)))
}

// Leaf implements widget.TreeSource.
func (t *treePane) Leaf(id uint64) bool {
	return id >= uint64(t.of.now.Len()) || !t.of.now.HasChildren(int32(id))
}

// Cell implements widget.TreeSource.
func (t *treePane) Cell(id uint64, col int) widget.Cell {
	w := t.of.now
	if id >= uint64(w.Len()) {
		return widget.Cell{}
	}
	n := int32(id)
	switch col {
	case columnTotal:
		return widget.Cell{Text: t.of.amount(w.Total[n])}
	case columnShare:
		return widget.Cell{Text: stackShare(w.Total[n], w.Total[0])}
	case columnBar:
		return widget.Cell{Kind: widget.BarCell, Bar: float64(w.Total[n]) / float64(max(w.Total[0], 1))}
	case columnSelf:
		if w.Self[n] == 0 {
			return widget.Cell{Text: "0", Style: t.of.look.Muted}
		}
		return widget.Cell{Text: t.of.amount(w.Self[n])}
	case columnName:
		c := widget.Cell{Text: w.Name(n)}
		if f := t.of.matching(); f != nil && t.Highlight == "" && f.matches(n) {
			c.Style = widget.Over(t.of.look.Text, t.of.look.Match)
		}
		return c
	}
	return widget.Cell{Text: w.place(n), Style: t.of.look.Muted}
}

// reset shows the tree with the heaviest path open, or with at selected.
func (t *treePane) reset(at int32) {
	t.SetRoots(t.roots())
	if at > 0 && t.reveal(at) {
		return
	}
	t.hotPath()
}

// reload adopts other weights of the same tree.
func (t *treePane) reload() {
	if t.Len() == 0 { // there was nothing to open yet
		t.reset(0)
		return
	}
	t.Reload(t.roots())
	if id, ok := t.SelectedID(); ok && id != t.want && t.of.now.exists(t.want) {
		t.SelectID(t.want)
	}
}

// remember keeps the selection as what the user wants to see.
func (t *treePane) remember() {
	if id, ok := t.SelectedID(); ok {
		t.want = id
	}
}

// reveal opens what leads to n and selects it.
func (t *treePane) reveal(n int32) bool {
	path, _ := t.of.now.path(n, 0)
	ok := t.Reveal(nodeIDs(path))
	t.remember()
	return ok
}

// hotPath opens the heaviest path below the selection until it branches, and shows the branches.
func (t *treePane) hotPath() {
	w := t.of.now
	t.OpenPath(func(parent, child uint64) bool { return w.Total[child] >= w.Total[parent]-w.Total[parent]/2 })
	if row, ok := t.Selected(); ok && !t.IsOpen(row) {
		t.Open()
	}
	t.remember()
}

func (t *treePane) do(a keymap.Action) bool {
	switch a {
	case keymap.Collapse:
		t.Close()
	case keymap.Expand:
		t.Open()
	case keymap.Toggle, keymap.Open:
		t.Toggle()
	case keymap.ExpandAll:
		if !t.OpenAll() {
			t.of.say("more is below than can be opened at once: open parts of it")
		}
	case keymap.HotPath:
		t.hotPath()
	default:
		if !moveList(&t.List, a) {
			return false
		}
	}
	t.remember()
	return true
}

func (t *treePane) click(x, y int, double bool) bool {
	row, ok := t.HitRow(x, y)
	if !ok {
		return false
	}
	t.Select(row)
	if _, marker := t.HitMarker(x, y); marker || double {
		t.Toggle()
	}
	t.remember()
	return true
}

// highlight marks what a search finds: the text itself, or whole names for expressions.
func (t *treePane) highlight(text string) {
	if strings.HasPrefix(text, "/") && len(text) > 1 {
		text = ""
	}
	t.Highlight = strings.ToLower(text)
}

func (t *treePane) draw(s tcell.Screen, r widget.Rect) {
	p := t.of
	if p.now == nil {
		p.drawEmpty(s, r)
		return
	}
	t.Columns[columnTotal].Title = costColumn(p.now.key.cost)
	width := 9
	if p.state.Exact {
		width = max(len(p.amount(p.now.Total[0])), width)
	}
	t.Columns[columnTotal].Width, t.Columns[columnSelf].Width = width, width
	t.Columns[columnBar].Width = min(max(r.W/12, 6), 16)
	t.Focused = !p.detail
	t.Empty = p.emptyText()
	t.Draw(s, r, p.look)
}

// costColumn is a cost as a column's title.
func costColumn(c analysis.Cost) string {
	return [...]string{"LIVE", "BLOCKS", "AT PEAK", "ALLOCATED", "COUNT", "LEAKED", "TEMPORARY"}[c]
}

// amount is a weight in the unit of the cost.
func (p *stacks) amount(v uint64) string {
	cost := p.state.Cost
	if p.now != nil {
		cost = p.now.key.cost
	}
	switch {
	case cost.IsBytes() && p.state.Exact:
		return model.Bytes(v).Exact()
	case cost.IsBytes():
		return model.Bytes(v).String()
	case p.state.Exact:
		return model.Group(v)
	}
	return model.ShortCount(v)
}

// drawEmpty explains a screen without a tree.
func (p *stacks) drawEmpty(s tcell.Screen, r widget.Rect) {
	for i, line := range p.emptyText() {
		if i >= r.H {
			return
		}
		st := p.style(themes.Muted)
		if i == 0 {
			st = p.look.Text
		}
		widget.Print(s, r.X+1, r.Y+i, r.W-1, line, st)
	}
}
