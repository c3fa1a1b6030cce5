package widget

import (
	"math"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
)

// dotColumn is one dot column of the plot: heights in dots from below.
type dotColumn struct{ lo, hi int }

// scale sets the value at the top of the y axis; any is false when nothing visible has data.
func (c *Chart) scale() (any bool) {
	c.top = c.Top
	for _, p := range c.points {
		if p.OK {
			any = true
			c.top = max(c.top, p.Hi)
		}
	}
	for _, p := range c.backdrop {
		c.top = max(c.top, p.Hi)
	}
	return any
}

// height returns the number of dots, of rows·4, that v takes: everything above 0 at least one.
func (c *Chart) height(v uint64, rows int) int {
	if v == 0 || c.top == 0 {
		return 0
	}
	share := float64(v) / float64(c.top)
	switch {
	case c.Log && c.floor > 0:
		share = math.Log(float64(max(v, c.floor))/float64(c.floor)) / max(math.Log(float64(c.top)/float64(c.floor)), 1e-9)
	case c.Log:
		share = math.Log1p(float64(v)) / math.Log1p(float64(c.top))
	}
	full := rows * dotsY
	return max(1, min(full, int(math.Ceil(share*float64(full)))))
}

func (c *Chart) dots(i int) dotColumn {
	p := c.points[i]
	if !p.OK {
		return dotColumn{}
	}
	return dotColumn{c.height(p.Lo, c.plot.H), c.height(p.Hi, c.plot.H)}
}

// drawPlot draws area, band, range and cursor. Moving the cursor changes the two columns it leaves and enters only.
func (c *Chart) drawPlot(s tcell.Screen, k *Look) {
	cursor := -1
	if c.Cursor >= 0 {
		cursor = c.column(c.Cursor)
	}
	first, last := c.rangeColumns()
	for cx := range c.plot.W {
		left, right := c.dots(dotsX*cx), c.dots(dotsX*cx+1)
		c.drawBackdrop(s, cx, k)
		var over tcell.Style
		covered := true
		switch {
		case cx == cursor:
			over = k.Cursor
		case cx >= first && cx <= last:
			over = k.Range
		default:
			covered = false
		}
		c.drawColumn(s, cx, left, right, Over(k.Area, over), Over(k.Band, over), covered, k.Glyphs.Plain)
	}
}

// rangeColumns returns the first and last cell of the selected range; last < first without one.
func (c *Chart) rangeColumns() (first, last int) {
	if c.RangeTo <= c.RangeFrom || c.RangeTo <= c.From || c.RangeFrom >= c.To {
		return 0, -1
	}
	first, last = 0, c.column(c.RangeTo)
	if c.RangeFrom >= c.From {
		first = c.column(c.RangeFrom + 1)
	}
	return first, last
}

// drawColumn draws one cell column from below. Blank cells are left alone unless the column is covered by something.
func (c *Chart) drawColumn(s tcell.Screen, cx int, left, right dotColumn, area, band tcell.Style, covered, ascii bool) {
	x, bottom := c.plot.X+cx, c.plot.Y+c.plot.H-1
	full := max(left.hi, right.hi)
	for row := range c.plot.H {
		base := row * dotsY
		if base >= full && !covered {
			return
		}
		l, r := within(left.hi, base), within(right.hi, base)
		st := area
		if left.inBand(base) || right.inBand(base) {
			st = band
		}
		switch {
		case l+r == 0:
			s.Put(x, bottom-row, " ", st)
		case ascii:
			s.Put(x, bottom-row, asciiArea(l, r, st == band), st)
		default:
			s.Put(x, bottom-row, brailleBars(l, r), st)
		}
	}
}

// drawBackdrop draws the background of a cell column, which the chart is drawn over.
func (c *Chart) drawBackdrop(s tcell.Screen, cx int, k *Look) {
	if len(c.backdrop) == 0 {
		return
	}
	left, right := c.height(c.backdrop[dotsX*cx].Hi, c.plot.H), c.height(c.backdrop[dotsX*cx+1].Hi, c.plot.H)
	alike := sameColor(k.Rule, k.Area)
	for row := range c.plot.H {
		l, r := within(left, row*dotsY), within(right, row*dotsY)
		text := brailleBars(l, r)
		switch {
		case k.Glyphs.Plain:
			text = "."
		case alike:
			text = dotted(text)
		}
		if l+r > 0 {
			s.Put(c.plot.X+cx, c.plot.Y+c.plot.H-1-row, text, k.Rule)
		}
	}
}

// sameColor reports whether two styles differ only in the brightness of a color that the terminal chooses, or not at
// all: that difference is not visible everywhere.
func sameColor(a, b tcell.Style) bool {
	x, _, _ := a.Decompose()
	y, _, _ := b.Decompose()
	return x == y
}

// dotted keeps every other dot of a Braille cell, at least one of them.
func dotted(cell string) string {
	const pattern, every = '⠀', 0x95
	r, _ := utf8.DecodeRuneInString(cell)
	if left := r & every; left != 0 {
		return string(pattern | left)
	}
	return cell
}

// within returns how many of the four dots above base are below height.
func within(height, base int) int { return max(0, min(height-base, dotsY)) }

// inBand reports whether a dot between lo and hi, the topmost included, is among the four above base.
func (d dotColumn) inBand(base int) bool {
	return d.hi > base && max(d.lo-1, 0) < base+dotsY && d.hi > 0
}

// brailleRows holds the patterns with l dots in the left and r in the right column from below, r running faster.
const brailleRows = "⠀⢀⢠⢰⢸⡀⣀⣠⣰⣸⡄⣄⣤⣴⣼⡆⣆⣦⣶⣾⡇⣇⣧⣷⣿"

func brailleBars(l, r int) string {
	i := (l*(dotsY+1) + r) * glyphBytes
	return brailleRows[i : i+glyphBytes]
}

// asciiArea represents a cell with l and r of four dots filled. A full cell of the area is light, one of the band
// heavy.
func asciiArea(l, r int, band bool) string {
	switch max(l, r) {
	case 1:
		return "."
	case 2:
		return "-"
	case 3:
		return "="
	}
	if band {
		return "#"
	}
	return ":"
}
