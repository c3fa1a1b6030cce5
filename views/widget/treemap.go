package widget

import (
	"strings"

	"github.com/gdamore/tcell/v2"
)

// Treemap draws labeled rectangles within rectangles, each filled with a color, and moves between those that have none
// within. With half rows a rectangle begins and ends at the middle of a row, too, and colors are apart by half a cell;
// without, lines of text keep rectangles apart.
type Treemap struct {
	Focused bool
	Lines   bool // draw lines instead of colors: there are none, or no half rows
	Boxes   []MapBox
	At      int         // the selected one of the innermost boxes, -1 for none
	Chosen  tcell.Style // of the selected box

	area Rect // of the last frame
}

// MapBox is a rectangle of a [Treemap], in cells and half rows, or in cells with Lines. Outer boxes come before those
// within them, which begin below its first complete row.
type MapBox struct {
	Rect
	Outer       bool
	Label, Note string // not cleaned; the note is what is said after the label where there is room
	Cut         Cut    // of a label that is too long
	Style       tcell.Style
}

// Units returns the size of an area in the units of boxes, and how many of them a row of text is high.
func (m *Treemap) Units(r Rect) (w, h, row int) {
	if m.Lines {
		return r.W, r.H, 1
	}
	return r.W, 2 * r.H, 2
}

// Draw shows the boxes in r.
func (m *Treemap) Draw(s tcell.Screen, r Rect, k *Look) {
	if m.area = r; r.Empty() {
		return
	}
	if m.Lines {
		for i := range m.Boxes {
			m.drawLines(s, &m.Boxes[i], m.style(i, k), k)
		}
		return
	}
	m.drawColors(s, k)
	for i := range m.Boxes {
		b := &m.Boxes[i]
		top, rows := b.rows()
		m.label(s, b, Rect{r.X + b.X, r.Y + top, b.width(), rows}, m.style(i, k), k)
	}
}

// style returns the style of a box, or of the selected one.
func (m *Treemap) style(i int, k *Look) tcell.Style {
	if i != m.At {
		return m.Boxes[i].Style
	}
	if m.Lines {
		return Over(m.Boxes[i].Style, k.Selected)
	}
	return m.Chosen
}

// width returns the cells that are filled: a gap follows where there is room for it.
func (b *MapBox) width() int {
	if b.W > 1 {
		return b.W - 1
	}
	return b.W
}

// height returns the half rows that are filled.
func (b *MapBox) height() int {
	if b.H > 1 {
		return b.H - 1
	}
	return b.H
}

// rows returns the rows that are filled completely: the first one, and how many. A box that has one row and its gap
// gives up the gap.
func (b *MapBox) rows() (top, n int) {
	top = (b.Y + 1) / 2
	n = (b.Y+b.height())/2 - top
	if n <= 0 && b.Y+b.H >= 2*top+2 {
		n = 1
	}
	if b.Outer {
		n = min(n, 1)
	}
	return top, max(n, 0)
}

// mapCell is the colors of the halves of a cell.
type mapCell struct {
	up, down     tcell.Color
	upOn, downOn bool
	last         bool // the right half is a gap
}

// drawColors fills boxes with the backgrounds of their styles, the outer ones with their heads alone.
func (m *Treemap) drawColors(s tcell.Screen, k *Look) {
	cells := make([]mapCell, m.area.W*m.area.H)
	for i := range m.Boxes {
		b := &m.Boxes[i]
		_, ground, _ := m.style(i, k).Decompose()
		top, n := b.rows()
		from, to := b.Y, b.Y+b.height()
		if b.Outer {
			to = 2 * (top + n)
		} else if n == 1 {
			to = max(to, 2*top+2)
		}
		for y := max(from, 0); y < min(to, 2*m.area.H); y++ {
			for x := max(b.X, 0); x < min(b.X+b.W, m.area.W); x++ {
				cells[y/2*m.area.W+x].fill(y%2 == 0, ground, b.W > 1 && x == b.X+b.W-1)
			}
		}
	}
	_, none, _ := k.Text.Decompose()
	for i := range cells {
		text, st := cells[i].glyph(k.Text, none)
		s.Put(m.area.X+i%m.area.W, m.area.Y+i/m.area.W, text, st)
	}
}

func (c *mapCell) fill(up bool, ground tcell.Color, last bool) {
	if c.last = last; up {
		c.up, c.upOn = ground, true
	} else {
		c.down, c.downOn = ground, true
	}
}

// glyph returns what shows a cell: blocks in one color on the background of the screen, or two colors.
func (c *mapCell) glyph(st tcell.Style, none tcell.Color) (string, tcell.Style) {
	pick := func(whole, half string) string {
		if c.last {
			return half
		}
		return whole
	}
	switch {
	case c.upOn && c.downOn && c.up == c.down && !c.last:
		return " ", st.Background(c.up)
	case c.upOn && c.downOn && c.up == c.down:
		return "▌", st.Foreground(c.up).Background(none)
	case c.upOn && c.downOn:
		return "▀", st.Foreground(c.up).Background(c.down)
	case c.upOn:
		return pick("▀", "▘"), st.Foreground(c.up).Background(none)
	case c.downOn:
		return pick("▄", "▖"), st.Foreground(c.down).Background(none)
	}
	return " ", st
}

// drawLines draws a box in cells, with a line at its right and below it.
func (m *Treemap) drawLines(s tcell.Screen, b *MapBox, st tcell.Style, k *Look) {
	r := Rect{m.area.X + b.X, m.area.Y + b.Y, b.W, b.H}
	in := r
	if b.W > 1 {
		in.W--
	}
	if b.H > 1 && !b.Outer {
		in.H--
	}
	Fill(s, in, st)
	if b.W > 1 {
		for y := range r.H {
			s.Put(r.X+r.W-1, r.Y+y, k.Glyphs.Vertical, k.Rule)
		}
	}
	if in.H < r.H {
		HLine(s, r.X, r.Y+r.H-1, in.W, k)
		if b.W > 1 {
			s.Put(r.X+r.W-1, r.Y+r.H-1, k.Glyphs.Crossing, k.Rule)
		}
	}
	if b.Outer {
		in.H = 1
	}
	m.label(s, b, in, st, k)
}

// leastLabel is the number of cells that a label needs at least where it is cut.
const leastLabel = 4

// notedLabel is the number of cells that a label keeps at least next to a note.
const notedLabel = 7

// label writes the name of a box into the rows that have room for it, and its note next to it or below.
func (m *Treemap) label(s tcell.Screen, b *MapBox, r Rect, st tcell.Style, k *Look) {
	label := Clean(b.Label)
	if r.Empty() || label == "" || r.W < min(Width(label), leastLabel) {
		return
	}
	note := Clean(b.Note)
	w := Width(label)
	switch {
	case r.H == 1 && note != "" && w+2+Width(note) <= r.W:
		Print(s, r.X, r.Y, w, label, st)
		PrintRight(s, r.X, r.Y, r.W, note, st)
	case r.H == 1 && note != "" && r.W-2-Width(note) >= notedLabel: // what it weighs matters as much as the end of its name
		printText(s, r.X, r.Y, r.W-2-Width(note), cutText(label, r.W-2-Width(note), b.Cut), st, k.Glyphs.Ellipsis)
		PrintRight(s, r.X, r.Y, r.W, note, st)
	case r.H == 1:
		printText(s, r.X, r.Y, r.W, cutText(label, r.W, b.Cut), st, k.Glyphs.Ellipsis)
	default:
		rows := Wrap(label, r.W)
		if len(rows) > r.H-1 || len(rows) > 2 || Width(rows[0]) < leastLabel || strings.Join(rows, " ") != label { // words are not broken
			rows = []string{cutText(label, r.W, b.Cut)}
		}
		for i, text := range rows {
			printText(s, r.X, r.Y+i, r.W, text, st, k.Glyphs.Ellipsis)
		}
		if Width(note) <= r.W && len(rows) < r.H {
			Print(s, r.X, r.Y+len(rows), r.W, note, st)
		}
	}
}

// Hit returns the innermost box at a place of the screen.
func (m *Treemap) Hit(x, y int) (box int, ok bool) {
	_, _, row := m.Units(m.area)
	at := Rect{x - m.area.X, (y - m.area.Y) * row, 1, row}
	for i := len(m.Boxes) - 1; i >= 0; i-- {
		b := &m.Boxes[i]
		if !b.Outer && at.X >= b.X && at.X < b.X+b.W && at.Y < b.Y+b.H && at.Y+at.H > b.Y {
			return i, m.area.Contains(x, y)
		}
	}
	return 0, false
}

// Move selects the nearest box in a direction, one of dx and dy being ±1; ok is false at the edge.
func (m *Treemap) Move(dx, dy int) (ok bool) {
	if m.At < 0 || m.At >= len(m.Boxes) {
		return false
	}
	from, best, least := m.Boxes[m.At].Rect, -1, 0
	for i := range m.Boxes {
		b := &m.Boxes[i]
		if b.Outer || i == m.At {
			continue
		}
		gap, aside := 0, 0
		switch {
		case dx > 0:
			gap = b.X - from.X - from.W
		case dx < 0:
			gap = from.X - b.X - b.W
		case dy > 0:
			gap = b.Y - from.Y - from.H
		default:
			gap = from.Y - b.Y - b.H
		}
		if dx != 0 {
			aside = apart(b.Y, b.H, from.Y+from.H/2)
		} else {
			aside = apart(b.X, b.W, from.X+from.W/2)
		}
		if cost := gap + 4*aside; gap >= 0 && (best < 0 || cost < least) {
			best, least = i, cost
		}
	}
	if best < 0 {
		return false
	}
	m.At = best
	return true
}

// apart returns how far a place is from a span.
func apart(from, length, at int) int { return max(from-at, at-(from+length-1), 0) }
