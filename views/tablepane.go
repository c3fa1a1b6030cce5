package views

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// tablePane is what screens with a table share: the list, the pane that explains the selected row, and the blocks that
// Enter lists in place of both.
type tablePane struct {
	pane
	list     widget.List
	detail   detail
	blocks   blockPane
	inDetail bool // the stack has the keys
	big      bool // the pane with the keys has the whole screen
	listAt   widget.Rect
	detailAt widget.Rect
	offset   int // of the list, when rows were last asked for
	height   int
	low      int // rows that a detail pane below the table needs at most, 0 for the usual

	labels *siteLabels

	moved  func()        // the selection was moved by a person
	sortBy func(col int) // a column's title was clicked
	enter  func()        // the selected row was opened
}

func newTablePane(e *env) tablePane {
	return tablePane{pane: newPane(e), blocks: newBlockPane(e), labels: &siteLabels{}}
}

// stacks are the symbols, nil before they are read.
func (s *State) stacks() *model.Stacks {
	if s.Profile == nil {
		return nil
	}
	return s.Profile.Stacks
}

// Sizes below and above which the detail pane changes its place.
const (
	sideWidth = 150 // cells: from here on it stands beside the table
	lowHeight = 14  // rows: below there is none
)

// split divides the area below the title between the table and its detail.
func (p *tablePane) split(r widget.Rect) {
	p.listAt, p.detailAt = r, widget.Rect{}
	switch {
	case p.big && p.inDetail || p.inDetail && r.H < lowHeight-1:
		p.listAt, p.detailAt = widget.Rect{}, r
	case p.big || r.H < lowHeight-1 || p.list.Len() == 0:
	case r.W >= sideWidth:
		p.listAt, p.detailAt = r.CutRight(min(max(r.W*7/20, 56), 90))
	default:
		h := detailHeight(r.H, p.list.Len())
		if p.low > 0 {
			h = min(h, p.low)
		}
		p.listAt, p.detailAt = r.CutBottom(h)
	}
}

// detailHeight is the rows of a detail pane below a table of n rows in h rows: what the table cannot use is its own. It does
// not depend on the selection, so that nothing jumps while one goes through a table.
func detailHeight(h, n int) int {
	return max(min(max(h*2/5, 9), 18), min(h-n-1, h*3/5))
}

// detailDrawer is the pane that explains the selected row of a table.
type detailDrawer interface {
	draw(s tcell.Screen, r widget.Rect, k *widget.Look, focused bool)
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
		d.draw(s, at, k, inDetail)
	}
}

// drawPanes draws the table and its detail in the area below the title.
func (p *tablePane) drawPanes(s tcell.Screen, r widget.Rect) {
	p.split(r)
	drawListAndDetail(s, p.look, &p.list, p.listAt, &p.detail, p.detailAt, p.inDetail)
	if p.list.Offset() != p.offset || p.list.Height() != p.height {
		p.offset, p.height = p.list.Offset(), p.list.Height()
		p.changed() // other rows are visible: their sparklines are asked for
		p.post(func() {})
	}
}

// doTable carries out what is the same for all tables.
func (p *tablePane) doTable(a keymap.Action) bool {
	switch a {
	case keymap.NextPane, keymap.PreviousPane:
		p.inDetail = !p.inDetail
	case keymap.Maximise:
		p.big = !p.big
	case keymap.Back:
		if !p.big && !p.inDetail {
			return false
		}
		p.big, p.inDetail = false, false
	case keymap.Open:
		p.enter()
	case keymap.Sort:
		p.sortBy((p.list.SortColumn + 1) % max(len(p.list.Columns), 1)) // none before the first frame
	case keymap.ColumnRight:
		p.sortBy(max(min(p.list.SortColumn+1, len(p.list.Columns)-1), 0))
	case keymap.ColumnLeft:
		p.sortBy(max(p.list.SortColumn-1, 0))
	default:
		if p.inDetail {
			return p.detail.move(a)
		}
		if !moveList(&p.list, a) {
			return false
		}
		p.moved()
	}
	return true
}

// skipColumns goes on from column to, in the direction that leads to it, past those that sort nothing of their own; behind
// the last of n it begins again.
func skipColumns(from, to, n int, skip func(col int) bool) int {
	dir := 1
	if to < from {
		dir = -1
	}
	for to > 0 && to < n && skip(to) {
		to += dir
	}
	return to % n
}

// click implements clicker.
func (p *tablePane) click(x, y int, double bool) {
	if p.blocks.open {
		p.blocks.click(x, y)
		return
	}
	if row, ok := p.list.HitRow(x, y); ok && !p.listAt.Empty() {
		p.inDetail = false
		p.list.Select(row)
		p.moved()
		if double {
			p.enter()
		}
		return
	}
	if col, ok := p.list.HitHeader(x, y); ok && !p.listAt.Empty() {
		p.sortBy(col)
		return
	}
	p.inDetail = p.detailAt.Contains(x, y)
}

// drag implements clicker: nothing here can be dragged.
func (p *tablePane) drag(_, _, _, _ int, _ bool) {}

// wheel implements clicker.
func (p *tablePane) wheel(x, y, rows int) {
	switch {
	case p.blocks.open:
		p.blocks.list.Scroll(rows)
	case p.detailAt.Contains(x, y):
		p.detail.scroll(rows)
	default:
		p.list.Scroll(rows)
	}
	p.changed()
}

// window is the rows of the list whose details are worth asking for.
func (p *tablePane) window() (from, to int) {
	const least = 60 // before the first frame nobody knows how many fit
	from = min(p.list.Offset(), p.list.Len())
	return from, min(from+max(p.list.Height(), least), p.list.Len())
}
