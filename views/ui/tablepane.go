package ui

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/widget"
)

// TablePane is what screens with a table share: the list, the pane that explains the selected row, and the blocks that
// Enter lists in place of both.
type TablePane struct {
	Pane
	List     widget.List
	Detail   Detail
	Blocks   BlockPane
	InDetail bool // the stack has the keys
	big      bool // the pane with the keys has the whole screen
	ListAt   widget.Rect
	detailAt widget.Rect
	offset   int // of the list, when rows were last asked for
	height   int
	Low      int // rows that a detail pane below the table needs at most, 0 for the usual

	Labels *SiteLabels

	Moved  func()        // the selection was moved by a person
	SortBy func(col int) // a column's title was clicked
	Enter  func()        // the selected row was opened
}

// NewTablePane returns the parts that tables of traces share: list, stack and blocks.
func NewTablePane(e *Env) TablePane {
	return TablePane{Pane: NewPane(e), Blocks: NewBlockPane(e), Labels: &SiteLabels{}}
}

// Sizes below and above which the detail pane changes its place.
const (
	SideWidth = 150 // cells: from here on it stands beside the table
	LowHeight = 14  // rows: below there is none
)

// Split divides the area below the title between the table and its detail.
func (p *TablePane) Split(r widget.Rect) {
	p.ListAt, p.detailAt = r, widget.Rect{}
	switch {
	case p.big && p.InDetail || p.InDetail && r.H < LowHeight-1:
		p.ListAt, p.detailAt = widget.Rect{}, r
	case p.big || r.H < LowHeight-1 || p.List.Len() == 0:
	case r.W >= SideWidth:
		p.ListAt, p.detailAt = r.CutRight(min(max(r.W*7/20, 56), 90))
	default:
		h := DetailHeight(r.H, p.List.Len())
		if p.Low > 0 {
			h = min(h, p.Low)
		}
		p.ListAt, p.detailAt = r.CutBottom(h)
	}
}

// DetailHeight is the rows of a detail pane below a table of n rows in h rows: what the table cannot use is its own. It does
// not depend on the selection, so that nothing jumps while one goes through a table.
func DetailHeight(h, n int) int {
	return max(min(max(h*2/5, 9), 18), min(h-n-1, h*3/5))
}

// detailDrawer is the pane that explains the selected row of a table.
type detailDrawer interface {
	Draw(s tcell.Screen, r widget.Rect, k *widget.Look, focused bool)
}

// drawListAndDetail draws a table and its detail, with a rule between them where they stand side by side.
func drawListAndDetail(s tcell.Screen, k *widget.Look, list *widget.List, listAt widget.Rect, d detailDrawer, at widget.Rect, inDetail bool) {
	list.Focused = !inDetail
	if !listAt.Empty() {
		list.Draw(s, listAt, k)
	}
	if !at.Empty() && at.Y == listAt.Y && at.X > listAt.X {
		var rule widget.Rect
		rule, at = at.CutLeft(1)
		for y := range rule.H {
			s.Put(rule.X, rule.Y+y, k.Glyphs.Vertical, k.Rule)
		}
	}
	if !at.Empty() {
		d.Draw(s, at, k, inDetail)
	}
}

// DrawPanes draws the table and its detail in the area below the title.
func (p *TablePane) DrawPanes(s tcell.Screen, r widget.Rect) {
	p.Split(r)
	drawListAndDetail(s, p.Look, &p.List, p.ListAt, &p.Detail, p.detailAt, p.InDetail)
	if p.List.Offset() != p.offset || p.List.Height() != p.height {
		p.offset, p.height = p.List.Offset(), p.List.Height()
		p.Changed() // other rows are visible: their sparklines are asked for
		p.Post(func() {})
	}
}

// DoTable carries out what is the same for all tables.
func (p *TablePane) DoTable(a keymap.Action) bool {
	switch a {
	case keymap.NextPane, keymap.PreviousPane:
		p.InDetail = !p.InDetail
	case keymap.Maximise:
		p.big = !p.big
	case keymap.Back:
		if !p.big && !p.InDetail {
			return false
		}
		p.big, p.InDetail = false, false
	case keymap.Open:
		p.Enter()
	case keymap.Sort:
		p.SortBy((p.List.SortColumn + 1) % max(len(p.List.Columns), 1)) // none before the first frame
	case keymap.ColumnRight:
		p.SortBy(max(min(p.List.SortColumn+1, len(p.List.Columns)-1), 0))
	case keymap.ColumnLeft:
		p.SortBy(max(p.List.SortColumn-1, 0))
	default:
		if p.InDetail {
			return p.Detail.Move(a)
		}
		if !MoveList(&p.List, a) {
			return false
		}
		p.Moved()
	}
	return true
}

// SkipColumns goes on from column to, in the direction that leads to it, past those that sort nothing of their own; behind
// the last of n it begins again.
func SkipColumns(from, to, n int, skip func(col int) bool) int {
	dir := 1
	if to < from {
		dir = -1
	}
	for to > 0 && to < n && skip(to) {
		to += dir
	}
	return to % n
}

// Click implements clicker.
func (p *TablePane) Click(x, y int, double bool) {
	if p.Blocks.Open {
		p.Blocks.Click(x, y)
		return
	}
	if row, ok := p.List.HitRow(x, y); ok && !p.ListAt.Empty() {
		p.InDetail = false
		p.List.Select(row)
		p.Moved()
		if double {
			p.Enter()
		}
		return
	}
	if col, ok := p.List.HitHeader(x, y); ok && !p.ListAt.Empty() {
		p.SortBy(col)
		return
	}
	p.InDetail = p.detailAt.Contains(x, y)
}

// Drag implements clicker: nothing here can be dragged.
func (p *TablePane) Drag(_, _, _, _ int, _ bool) {}

// Wheel implements clicker.
func (p *TablePane) Wheel(x, y, rows int) {
	switch {
	case p.Blocks.Open:
		p.Blocks.List.Scroll(rows)
	case p.detailAt.Contains(x, y):
		p.Detail.Scroll(rows)
	default:
		p.List.Scroll(rows)
	}
	p.Changed()
}

// Window is the rows of the list whose details are worth asking for.
func (p *TablePane) Window() (from, to int) {
	const least = 60 // before the first frame nobody knows how many fit
	from = min(p.List.Offset(), p.List.Len())
	return from, min(from+max(p.List.Height(), least), p.List.Len())
}
