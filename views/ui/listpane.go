package ui

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/widget"
)

// ListPane is a list and the pane that explains its selected row: below it, or next to it on wide screens.
type ListPane struct {
	List     widget.List
	Detail   Detail
	InDetail bool // the detail has the focus
	ListAt   widget.Rect
	DetailAt widget.Rect
	Low      int  // maximum rows of a detail below the list, 0 for the default
	Evident  bool // the detail has all but a few rows: the evidence about one row matters more than the other rows
	Alone    bool // there is no detail

	Moved func()  // called when a user moved the selection; may be nil
	Enter func()  // called when the selected row is opened
	Order Orderly // the table; may be nil while it has no rows

	big bool // the focused pane fills the screen
}

// Orderly is a table that a user can sort.
type Orderly interface {
	ClickTitle(col int)                 // sorts by a column; the same one again reverses the order
	OrderBy(a keymap.Action) (did bool) // handles the actions that sort
}

// Sizes below and above which the detail pane changes its place.
const (
	SideWidth = 150 // cells: from this width it is next to the table
	LowHeight = 14  // rows: below there is none
)

// FocusedList implements [Lister].
func (p *ListPane) FocusedList() *widget.List { return &p.List }

// Hides implements [Maximizer].
func (p *ListPane) Hides() string {
	switch {
	case !p.big || p.Alone:
		return ""
	case p.InDetail:
		return "the list"
	}
	return "the details"
}

// Split divides an area between the list and its detail.
func (p *ListPane) Split(r widget.Rect) {
	p.ListAt, p.DetailAt = r, widget.Rect{}
	switch {
	case p.Alone:
	case p.big && p.InDetail || p.InDetail && r.H < LowHeight-1:
		p.ListAt, p.DetailAt = widget.Rect{}, r
	case p.big || r.H < LowHeight-1 || p.List.Len() == 0:
	case r.W >= SideWidth && !p.fewRows(r):
		p.ListAt, p.DetailAt = r.CutRight(min(max(r.W*7/20, 56), 90))
	default:
		h := detailHeight(r.H, p.List.Len())
		switch {
		case p.Low > 0:
			h = min(h, p.Low)
		case p.Evident:
			h = max(h, r.H-1-min(p.List.Len(), max(r.H/8, evidentRows)))
		}
		p.ListAt, p.DetailAt = r.CutBottom(h)
	}
}

// evidentRows is the number of rows that a list shows at least above the evidence about one of them.
const evidentRows = 3

// fewRows reports whether a wide area is best divided in the other way: the list is short, and there is more to draw
// about a row than fits next to it.
func (p *ListPane) fewRows(r widget.Rect) bool {
	return len(p.Detail.Parts) > 0 && (p.Evident || p.List.Len() < r.H/3)
}

// HasRoom reports whether the detail has room for parts, as it was drawn last.
func (p *ListPane) HasRoom() bool {
	const beside, below = 8, 16 // rows
	return p.DetailAt.H >= below || p.DetailAt.W >= twoColumns && p.DetailAt.H >= beside
}

// detailHeight returns the rows of a detail pane below a table of n rows in h rows: all that the table does not need.
// It does not depend on the selection, so the layout does not jump while moving through a table.
func detailHeight(h, n int) int {
	return max(min(max(h*2/5, 9), 18), min(h-n-1, h*3/5))
}

// draw draws the list and its detail where Split has put them, with a rule between them where they stand side by side.
func (p *ListPane) draw(s tcell.Screen, k *widget.Look) {
	p.List.Focused = !p.InDetail
	if !p.ListAt.Empty() {
		p.List.Draw(s, p.ListAt, k)
	}
	at := p.DetailAt
	if at.Empty() {
		return
	}
	if at.Y == p.ListAt.Y && at.X > p.ListAt.X {
		var rule widget.Rect
		rule, at = at.CutLeft(1)
		for y := range rule.H {
			s.Put(rule.X, rule.Y+y, k.Glyphs.Vertical, k.Rule)
		}
	}
	p.Detail.PartsFirst = p.Evident
	p.Detail.Draw(s, at, k, p.InDetail)
}

// Act handles the actions that are the same for all lists.
func (p *ListPane) Act(a keymap.Action) bool {
	switch a {
	case keymap.NextPane, keymap.PreviousPane:
		p.InDetail = !p.InDetail && !p.Alone
	case keymap.Maximize:
		p.big = !p.big
	case keymap.Back:
		return p.Leave()
	case keymap.Open:
		p.Enter()
	case keymap.Sort, keymap.SortReverse, keymap.ColumnRight, keymap.ColumnLeft:
		return p.Order != nil && p.Order.OrderBy(a)
	default:
		if p.InDetail {
			return p.Detail.Move(a)
		}
		if !MoveList(&p.List, a) {
			return false
		}
		p.notifyMoved()
	}
	return true
}

// Leave moves the focus back to the list and ends maximizing; it returns false if there was nothing to do.
func (p *ListPane) Leave() bool {
	if !p.big && !p.InDetail {
		return false
	}
	p.big, p.InDetail = false, false
	return true
}

func (p *ListPane) notifyMoved() {
	if p.Moved != nil {
		p.Moved()
	}
}

// Hit selects the row at a place, or sorts by the title there; row reports whether a row was hit.
func (p *ListPane) Hit(x, y int) (row bool) {
	if n, ok := p.List.HitRow(x, y); ok {
		p.List.Select(n)
		return true
	}
	if col, ok := p.List.HitHeader(x, y); ok && p.Order != nil {
		p.Order.ClickTitle(col)
	}
	return false
}

// click selects a row, opens it, sorts by a title, or moves the focus to the detail.
func (p *ListPane) click(x, y int, double bool) {
	if p.ListAt.Contains(x, y) && p.Hit(x, y) {
		p.InDetail = false
		p.notifyMoved()
		if double {
			p.Enter()
		}
		return
	}
	p.InDetail = p.DetailAt.Contains(x, y)
}

// wheel scrolls what is under the pointer.
func (p *ListPane) wheel(x, y, rows int) {
	if p.DetailAt.Contains(x, y) {
		p.Detail.Scroll(rows)
	} else {
		p.List.Scroll(rows)
	}
}
