package ui

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// HeapPane is what heap screens with a table share: the list, and the pane of text that explains the selected row.
type HeapPane struct {
	Pane
	List     widget.List
	Detail   heapDetail
	inDetail bool // the text has the keys
	big      bool // the pane with the keys has the whole screen
	ListAt   widget.Rect
	DetailAt widget.Rect

	moved  func()        // the selection was moved by a person; may be nil
	SortBy func(col int) // a column's title was clicked; may be nil
	Enter  func()        // the selected row was opened
}

// heapDetail is a title with its answer, and lines of text.
type heapDetail struct {
	title, answer string
	text          widget.TextView
	id            uint64 // of the row that it explains
}

// Set replaces the text; that of another row begins at its top.
func (d *heapDetail) Set(id uint64, title, answer string, lines []widget.Line) {
	if d.id == id {
		d.text.Replace(lines)
	} else {
		d.text.SetLines(lines)
	}
	d.id, d.title, d.answer = id, title, answer
}

func (d *heapDetail) Draw(s tcell.Screen, r widget.Rect, k *widget.Look, focused bool) {
	look := *k
	if focused {
		look.Title = k.Sorted
	}
	title, rest := r.CutTop(1)
	widget.TitleLine(s, title, &look, d.title, d.answer)
	_, rest = rest.CutLeft(1)
	d.text.Draw(s, rest, &look)
}

// Split divides the area below the title between the table and its detail.
func (p *HeapPane) Split(r widget.Rect) {
	p.ListAt, p.DetailAt = r, widget.Rect{}
	switch {
	case p.big && p.inDetail || p.inDetail && r.H < LowHeight-1:
		p.ListAt, p.DetailAt = widget.Rect{}, r
	case p.big || r.H < LowHeight-1 || p.List.Len() == 0:
	case r.W >= SideWidth:
		p.ListAt, p.DetailAt = r.CutRight(min(max(r.W*7/20, 56), 90))
	default:
		p.ListAt, p.DetailAt = r.CutBottom(DetailHeight(r.H, p.List.Len()))
	}
}

// DrawPanes draws the table and its detail where split has put them.
func (p *HeapPane) DrawPanes(s tcell.Screen) {
	drawListAndDetail(s, p.Look, &p.List, p.ListAt, &p.Detail, p.DetailAt, p.inDetail)
}

// DrawTitled draws a title line where there is room for one, and returns what is below it.
func (p *HeapPane) DrawTitled(s tcell.Screen, r widget.Rect, title, answer string) widget.Rect {
	if r.H <= 3 {
		return r
	}
	line, body := r.CutTop(1)
	widget.TitleLine(s, line, p.Look, title, answer)
	return body
}

// DoTable carries out what is the same for all tables.
func (p *HeapPane) DoTable(a keymap.Action) bool {
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
		p.Enter()
	case keymap.Sort, keymap.ColumnRight, keymap.ColumnLeft:
		return p.doSort(a)
	default:
		if p.inDetail {
			return ScrollText(&p.Detail.text, a)
		}
		if !MoveList(&p.List, a) {
			return false
		}
		p.tellMoved()
	}
	return true
}

func (p *HeapPane) doSort(a keymap.Action) bool {
	n, at := len(p.List.Columns), p.List.SortColumn
	if p.SortBy == nil || n == 0 {
		return false
	}
	switch a {
	case keymap.Sort:
		p.SortBy((at + 1) % n)
	case keymap.ColumnRight:
		p.SortBy(min(at+1, n-1))
	default:
		p.SortBy(max(at-1, 0))
	}
	return true
}

func (p *HeapPane) tellMoved() {
	if p.moved != nil {
		p.moved()
	}
	p.Changed()
}

// Click implements clicker.
func (p *HeapPane) Click(x, y int, double bool) {
	if p.ListAt.Contains(x, y) {
		if row, ok := p.List.HitRow(x, y); ok {
			p.inDetail = false
			p.List.Select(row)
			p.tellMoved()
			if double {
				p.Enter()
			}
			return
		}
		if col, ok := p.List.HitHeader(x, y); ok && p.SortBy != nil {
			p.SortBy(col)
			return
		}
	}
	p.inDetail = p.DetailAt.Contains(x, y)
}

// Drag implements clicker: nothing here can be dragged.
func (p *HeapPane) Drag(_, _, _, _ int, _ bool) {}

// Wheel implements clicker.
func (p *HeapPane) Wheel(x, y, rows int) {
	if p.DetailAt.Contains(x, y) {
		p.Detail.text.Scroll(rows)
	} else {
		p.List.Scroll(rows)
	}
	p.Changed()
}

// ShareCell is a bar.
func ShareCell(n, whole uint64) widget.Cell {
	return widget.Cell{Kind: widget.BarCell, Bar: ShareOf(n, whole)}
}

// RowText names a row by its number ("#40,211").
func RowText(r model.Row) string { return "#" + model.Group(uint64(r)) }

// HeapName is a name from a snapshot as tables show it.
func HeapName(name string) string {
	if name == "" {
		return "<anon>"
	}
	return name
}

// Note is a line of text in the muted style.
func (e *Env) Note(parts ...string) widget.Line {
	return widget.Line{Spans: []widget.Span{{Text: strings.Join(parts, ""), Style: e.Look.Muted}}, Indent: 2}
}

// Said is a line of text whose further rows are indented.
func Said(parts ...string) widget.Line {
	return widget.Line{Spans: []widget.Span{{Text: strings.Join(parts, "")}}, Indent: 2}
}
