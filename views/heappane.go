package views

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// heapPane is what heap screens with a table share: the list, and the pane of text that explains the selected row.
type heapPane struct {
	pane
	list     widget.List
	detail   heapDetail
	inDetail bool // the text has the keys
	big      bool // the pane with the keys has the whole screen
	listAt   widget.Rect
	detailAt widget.Rect

	moved  func()        // the selection was moved by a person; may be nil
	sortBy func(col int) // a column's title was clicked; may be nil
	enter  func()        // the selected row was opened
}

// heapDetail is a title with its answer, and lines of text.
type heapDetail struct {
	title, answer string
	text          widget.TextView
	id            uint64 // of the row that it explains
}

// set replaces the text; that of another row begins at its top.
func (d *heapDetail) set(id uint64, title, answer string, lines []widget.Line) {
	if d.id == id {
		d.text.Replace(lines)
	} else {
		d.text.SetLines(lines)
	}
	d.id, d.title, d.answer = id, title, answer
}

func (d *heapDetail) draw(s tcell.Screen, r widget.Rect, k *widget.Look, focused bool) {
	look := *k
	if focused {
		look.Title = k.Sorted
	}
	title, rest := r.CutTop(1)
	widget.TitleLine(s, title, &look, d.title, d.answer)
	_, rest = rest.CutLeft(1)
	d.text.Draw(s, rest, &look)
}

// split divides the area below the title between the table and its detail.
func (p *heapPane) split(r widget.Rect) {
	p.listAt, p.detailAt = r, widget.Rect{}
	switch {
	case p.big && p.inDetail || p.inDetail && r.H < lowHeight-1:
		p.listAt, p.detailAt = widget.Rect{}, r
	case p.big || r.H < lowHeight-1 || p.list.Len() == 0:
	case r.W >= sideWidth:
		p.listAt, p.detailAt = r.CutRight(min(max(r.W*7/20, 56), 90))
	default:
		p.listAt, p.detailAt = r.CutBottom(detailHeight(r.H, p.list.Len()))
	}
}

// drawPanes draws the table and its detail where split has put them.
func (p *heapPane) drawPanes(s tcell.Screen) {
	drawListAndDetail(s, p.look, &p.list, p.listAt, &p.detail, p.detailAt, p.inDetail)
}

// drawTitled draws a title line where there is room for one, and returns what is below it.
func (p *heapPane) drawTitled(s tcell.Screen, r widget.Rect, title, answer string) widget.Rect {
	if r.H <= 3 {
		return r
	}
	line, body := r.CutTop(1)
	widget.TitleLine(s, line, p.look, title, answer)
	return body
}

// doTable carries out what is the same for all tables.
func (p *heapPane) doTable(a keymap.Action) bool {
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
	case keymap.Sort, keymap.ColumnRight, keymap.ColumnLeft:
		return p.doSort(a)
	default:
		if p.inDetail {
			return scrollText(&p.detail.text, a)
		}
		if !moveList(&p.list, a) {
			return false
		}
		p.tellMoved()
	}
	return true
}

func (p *heapPane) doSort(a keymap.Action) bool {
	n, at := len(p.list.Columns), p.list.SortColumn
	if p.sortBy == nil || n == 0 {
		return false
	}
	switch a {
	case keymap.Sort:
		p.sortBy((at + 1) % n)
	case keymap.ColumnRight:
		p.sortBy(min(at+1, n-1))
	default:
		p.sortBy(max(at-1, 0))
	}
	return true
}

func (p *heapPane) tellMoved() {
	if p.moved != nil {
		p.moved()
	}
	p.changed()
}

// click implements clicker.
func (p *heapPane) click(x, y int, double bool) {
	if p.listAt.Contains(x, y) {
		if row, ok := p.list.HitRow(x, y); ok {
			p.inDetail = false
			p.list.Select(row)
			p.tellMoved()
			if double {
				p.enter()
			}
			return
		}
		if col, ok := p.list.HitHeader(x, y); ok && p.sortBy != nil {
			p.sortBy(col)
			return
		}
	}
	p.inDetail = p.detailAt.Contains(x, y)
}

// drag implements clicker: nothing here can be dragged.
func (p *heapPane) drag(_, _, _, _ int, _ bool) {}

// wheel implements clicker.
func (p *heapPane) wheel(x, y, rows int) {
	if p.detailAt.Contains(x, y) {
		p.detail.text.Scroll(rows)
	} else {
		p.list.Scroll(rows)
	}
	p.changed()
}

// shareCell is a bar.
func shareCell(n, whole uint64) widget.Cell {
	return widget.Cell{Kind: widget.BarCell, Bar: shareOf(n, whole)}
}

// rowText names a row by its number ("#40,211").
func rowText(r model.Row) string { return "#" + model.Group(uint64(r)) }

// heapName is a name from a snapshot as tables show it.
func heapName(name string) string {
	if name == "" {
		return "<anon>"
	}
	return name
}

// note is a line of text in the muted style.
func (e *env) note(parts ...string) widget.Line {
	return widget.Line{Spans: []widget.Span{{Text: strings.Join(parts, ""), Style: e.look.Muted}}, Indent: 2}
}

// said is a line of text whose further rows are indented.
func said(parts ...string) widget.Line {
	return widget.Line{Spans: []widget.Span{{Text: strings.Join(parts, "")}}, Indent: 2}
}
