package ui

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/widget"
)

// TablePane is a screen that is a list with the stack of its selected row, and the blocks that Enter lists in place of both.
type TablePane struct {
	Pane
	ListPane
	Detail Detail
	Blocks BlockPane
	offset int // of the list, when rows were last asked for
	height int

	Labels *SiteLabels
}

// NewTablePane returns the parts that tables of traces share: list, stack and blocks.
func NewTablePane(e *Env) TablePane {
	return TablePane{Pane: NewPane(e), Blocks: NewBlockPane(e), Labels: NewSiteLabels(e.Libraries)}
}

// DrawPanes draws the table and its detail in the area below the title.
func (p *TablePane) DrawPanes(s tcell.Screen, r widget.Rect) {
	p.Split(r)
	p.draw(s, p.Look, &p.Detail)
	if p.List.Offset() != p.offset || p.List.Height() != p.height {
		p.offset, p.height = p.List.Offset(), p.List.Height()
		p.Changed() // other rows are visible: their sparklines are asked for
		p.Post(func() {})
	}
}

// FocusedList implements [Lister].
func (p *TablePane) FocusedList() *widget.List {
	if p.Blocks.Open {
		return p.Blocks.FocusedList()
	}
	return p.ListPane.FocusedList()
}

// Hides implements [Maximizer].
func (p *TablePane) Hides() string {
	if p.Blocks.Open {
		return p.Blocks.Hides()
	}
	return p.ListPane.Hides()
}

// DoTable carries out what is the same for all tables.
func (p *TablePane) DoTable(a keymap.Action) bool { return p.do(a, &p.Detail) }

// Click implements clicker.
func (p *TablePane) Click(x, y int, double bool) {
	if p.Blocks.Open {
		p.Blocks.Click(x, y)
		return
	}
	p.click(x, y, double)
}

// Drag implements clicker: nothing here can be dragged.
func (p *TablePane) Drag(_, _, _, _ int, _ bool) {}

// Wheel implements clicker.
func (p *TablePane) Wheel(x, y, rows int) {
	if p.Blocks.Open {
		p.Blocks.Wheel(x, y, rows)
	} else {
		p.wheel(x, y, rows, &p.Detail)
	}
	p.Changed()
}

// Window returns the rows of the list whose details are worth asking for.
func (p *TablePane) Window() (from, to int) {
	const least = 60 // before the first frame it is unknown how many fit
	from = min(p.List.Offset(), p.List.Len())
	return from, min(from+max(p.List.Height(), least), p.List.Len())
}
