package ui

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/widget"
)

// TablePane is a screen with a list and an explanation of its selected row, for any kind of file.
type TablePane struct {
	Pane
	ListPane
	offset int // of the list when rows were last requested
	height int
	detail widget.Rect // where the detail was
}

// NewTablePane returns a pane without rows.
func NewTablePane(e *Env) TablePane { return TablePane{Pane: NewPane(e)} }

// DrawPanes draws the list and its detail where Split has put them.
func (p *TablePane) DrawPanes(s tcell.Screen) {
	p.draw(s, p.Look)
	if p.List.Offset() != p.offset || p.List.Height() != p.height || p.DetailAt != p.detail {
		p.offset, p.height, p.detail = p.List.Offset(), p.List.Height(), p.DetailAt
		p.Changed() // something else is visible: request what it needs
		p.Post(func() {})
	}
}

// DoTable handles the actions that are the same for all tables.
func (p *TablePane) DoTable(a keymap.Action) bool {
	if !p.Act(a) {
		return false
	}
	p.Changed()
	return true
}

// Click implements [Clicker].
func (p *TablePane) Click(x, y int, double bool) {
	p.click(x, y, double)
	p.Changed()
}

// Drag implements [Clicker]: nothing here can be dragged.
func (p *TablePane) Drag(_, _, _, _ int, _ bool) {}

// Wheel implements [Clicker].
func (p *TablePane) Wheel(x, y, rows int) {
	p.wheel(x, y, rows)
	p.Changed()
}

// Window returns the range of rows whose details should be requested.
func (p *TablePane) Window() (from, to int) {
	const least = 60 // the height is unknown before the first frame
	from = min(p.List.Offset(), p.List.Len())
	return from, min(from+max(p.List.Height(), least), p.List.Len())
}
