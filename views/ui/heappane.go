package ui

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// HeapPane is a screen that is a list with text about its selected row.
type HeapPane struct {
	Pane
	ListPane
	Detail heapDetail
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

// Move scrolls the text by the usual actions.
func (d *heapDetail) Move(a keymap.Action) bool { return ScrollText(&d.text, a) }

// Scroll moves the text by n rows.
func (d *heapDetail) Scroll(n int) { d.text.Scroll(n) }

// DrawPanes draws the table and its detail where Split has put them.
func (p *HeapPane) DrawPanes(s tcell.Screen) {
	p.draw(s, p.Look, &p.Detail)
}

// DoTable carries out what is the same for all tables.
func (p *HeapPane) DoTable(a keymap.Action) bool {
	if !p.do(a, &p.Detail) {
		return false
	}
	p.Changed()
	return true
}

// Click implements clicker.
func (p *HeapPane) Click(x, y int, double bool) {
	p.click(x, y, double)
	p.Changed()
}

// Drag implements clicker: nothing here can be dragged.
func (p *HeapPane) Drag(_, _, _, _ int, _ bool) {}

// Wheel implements clicker.
func (p *HeapPane) Wheel(x, y, rows int) {
	p.wheel(x, y, rows, &p.Detail)
	p.Changed()
}

// ShareCell returns a bar.
func ShareCell(n, whole uint64) widget.Cell {
	return widget.Cell{Kind: widget.BarCell, Bar: ShareOf(n, whole)}
}

// RowText names a row by its number ("#40,211").
func RowText(r model.Row) string { return "#" + model.Group(uint64(r)) }

// HeapName returns a name from a snapshot as tables show it.
func HeapName(name string) string {
	if name == "" {
		return "<anon>"
	}
	return name
}

// Note returns a line of text in the muted style.
func (e *Env) Note(parts ...string) widget.Line {
	return widget.Line{Spans: []widget.Span{{Text: strings.Join(parts, ""), Style: e.Look.Muted}}, Indent: 2}
}

// Said returns a line of text whose further rows are indented.
func Said(parts ...string) widget.Line {
	return widget.Line{Spans: []widget.Span{{Text: strings.Join(parts, "")}}, Indent: 2}
}
