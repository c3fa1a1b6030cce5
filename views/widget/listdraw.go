package widget

import (
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"
)

const (
	pointerWidth = 2  // cells before the first column: the pointer and a space
	narrowList   = 24 // below this many cells it is left out
	minHeader    = 3  // rows below which titles are left out, unless there is room for them and all rows
)

// Draw shows the visible part of the list in r.
func (l *List) Draw(s tcell.Screen, r Rect, k *Look) {
	body := l.layout(r)
	l.selectedFields = l.selectedFields[:0]
	if !l.header.Empty() {
		l.drawHeader(s, k)
	}
	if l.Len() == 0 {
		l.drawEmpty(s, body, k)
		return
	}
	for i := range min(l.height, l.Len()-l.offset) {
		l.drawRow(s, body, l.offset+i, k)
	}
	drawScroll(s, Rect{r.X + r.W - 1, body.Y, 1, body.H}, l.offset, l.Len(), k)
}

// layout divides r, measures the columns and brings the selection into view. body is the rows' area with the pointer.
func (l *List) layout(r Rect) (body Rect) {
	l.header, body = Rect{}, r
	if rows := l.Len(); !l.HideHeader && (r.H >= minHeader || rows > 0 && r.H > rows) {
		l.header, body = r.CutTop(1)
	}
	l.rows = body
	l.height = max(0, body.H)
	l.clamp()
	inner, _ := body.CutRight(1) // the scroll bar's
	if r.W >= narrowList {
		_, inner = inner.CutLeft(pointerWidth)
	}
	l.header.X, l.header.W = inner.X, inner.W
	l.layoutWidths(inner.W)
	return body
}

// layoutWidths measures the columns for w cells: those that are scrolled away have none.
func (l *List) layoutWidths(w int) {
	l.left = max(0, min(l.left, len(l.Columns)-1))
	l.widths = layoutColumns(l.Columns[l.left:], w, l.Column-l.left, l.widths)
	if l.left > 0 {
		l.widths = slices.Insert(l.widths, 0, make([]int, l.left)...)
	}
}

func (l *List) drawHeader(s tcell.Screen, k *Look) {
	x, end := l.header.X, l.header.X+l.header.W
	if l.left > 0 && x > l.rows.X { // there is more at the left
		s.Put(l.rows.X, l.header.Y, k.Glyphs.ArrowLeft, k.Header)
	}
	for i, w := range l.widths {
		if w = min(w, end-x); w <= 0 {
			continue
		}
		l.drawTitle(s, x, w, i, k)
		x += w + columnGap
	}
}

// drawTitle draws one column's title; the sort mark may use the gap after a right-aligned one.
func (l *List) drawTitle(s tcell.Screen, x, w, col int, k *Look) {
	c, st := &l.Columns[col], k.Header
	mark := ""
	if col == l.SortColumn {
		st, mark = k.Sorted, k.Glyphs.Up
		if l.Descending {
			mark = k.Glyphs.Down
		}
	}
	if col == l.Column {
		st = st.Underline(true)
	}
	n := min(Width(c.Title), w)
	if c.Align == Right {
		x += w - n
	} else if mark != "" {
		n = min(n, w-1)
	}
	n = printText(s, x, l.header.Y, n, c.Title, st, k.Glyphs.Ellipsis)
	if mark != "" {
		s.Put(x+n, l.header.Y, mark, st)
	}
}

func (l *List) drawRow(s tcell.Screen, body Rect, row int, k *Look) {
	y := body.Y + row - l.offset
	var over tcell.Style
	if row == l.selected {
		over = k.Inactive
		pointer := k.Glyphs.Idle
		if l.Focused {
			over, pointer = k.Selected, k.Glyphs.Pointer
		}
		repeat(s, body.X, y, body.W-1, " ", Over(k.Text, over))
		if l.header.X > body.X || body.W >= narrowList {
			s.Put(body.X, y, pointer, Over(k.Text, over))
		}
	}
	if row == l.selected {
		l.keepSelectedFields()
	}
	x, end := l.header.X, l.header.X+l.header.W
	for i, w := range l.widths {
		if w = min(w, end-x); w <= 0 {
			continue
		}
		c := l.Table.Cell(row, i)
		highlight := l.Highlight
		if l.Columns[i].Align == Right {
			highlight = ""
		}
		drawCell(s, x, y, w, &c, &l.Columns[i], over, highlight, k)
		x += w + columnGap
	}
}

// keepSelectedFields records the texts of the selected row in all columns.
func (l *List) keepSelectedFields() {
	for i := range l.Columns {
		if c := &l.Columns[i]; c.Width < hiddenWidth {
			if text := strings.TrimSpace(Clean(l.Table.Cell(l.selected, i).Text)); text != "" &&
				strings.TrimSpace(c.Title) != "" {
				l.selectedFields = append(l.selectedFields, Field{c.Title, text})
			}
		}
	}
}

func (l *List) drawEmpty(s tcell.Screen, body Rect, k *Look) {
	for i, line := range l.Empty {
		st := k.Muted
		if i == 0 {
			st = k.Text
		}
		body = PrintWrapped(s, body, line, st)
	}
}

// drawScroll draws a scroll bar over the column r when there is more than fits into it.
func drawScroll(s tcell.Screen, r Rect, offset, total int, k *Look) {
	if r.H <= 1 || total <= r.H || r.W <= 0 {
		return
	}
	size := max(1, int(float64(r.H)*float64(r.H)/float64(total)))
	at := int(float64(offset) / float64(total-r.H) * float64(r.H-size))
	for i := range r.H {
		glyph := k.Glyphs.Track
		if i >= at && i < at+size {
			glyph = k.Glyphs.Thumb
		}
		s.Put(r.X, r.Y+i, glyph, k.Rule)
	}
}
