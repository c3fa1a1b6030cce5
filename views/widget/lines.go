package widget

import (
	"math/bits"

	"github.com/gdamore/tcell/v2"
)

// Curve is one of several in a [Lines] chart.
type Curve struct {
	Data  []Point // as in a [Chart]
	Glyph string  // one cell; is on the curve now and then, and for its dots without Unicode
	Style tcell.Style
	Front bool // drawn over the others
}

// Lines is a [Chart] of several curves: lines over each other, or areas stacked up in their order. Data of the chart is
// not used.
type Lines struct {
	Chart
	Curves  []Curve
	Stacked bool

	lines [][]Point // by curve, one per dot column of the last frame
	cells []lineCell
}

// lineCell is what a cell of the plot shows.
type lineCell struct {
	dots  uint8 // of Braille
	curve int   // plus one, 0 for none
	sign  bool  // the curve's glyph instead of dots
}

// signCells is how far apart a curve's glyphs are.
const signCells = 14

// Draw shows the chart in r, which may be as small as 20×3.
func (c *Lines) Draw(s tcell.Screen, r Rect, k *Look) {
	p := c.parts(r)
	c.plot = p.plot
	if c.plot.Empty() {
		return
	}
	if !p.title.Empty() {
		titleLine(s, p.title, k, c.Title, c.Legend, c.Answer)
	}
	any := c.prepare()
	c.cells = append(c.cells[:0], make([]lineCell, c.plot.W*c.plot.H)...)
	if c.Stacked {
		c.stack()
	} else {
		c.overlay()
	}
	c.drawCells(s, k)
	if !any {
		Print(s, c.plot.X+1, c.plot.Y+c.plot.H/2, c.plot.W-1, c.Empty, k.Muted)
	}
	c.drawYAxis(s, p, k)
	c.drawXAxis(s, p, k)
	c.drawMarks(s, p, k)
}

// prepare spreads the curves over dot columns, adds them up where they are stacked, and finds the top of the axis.
func (c *Lines) prepare() (any bool) {
	c.top, c.floor, c.zeros = c.Top, 0, false
	least := uint64(0) // above 0
	c.lines = c.lines[:0]
	for i := range c.Curves {
		c.Data = c.Curves[i].Data
		c.resample(c.plot.W * dotsX)
		line := append([]Point(nil), c.points...)
		for x := range line {
			if !line[x].OK {
				continue
			}
			any = true
			c.zeros = c.zeros || line[x].Lo == 0
			if lo := line[x].Lo; lo > 0 && (least == 0 || lo < least) {
				least = lo
			}
			if c.Stacked && i > 0 {
				line[x] = onTop(line[x], below(c.lines, x))
			}
			c.top = max(c.top, line[x].Hi)
		}
		c.lines = append(c.lines, line)
	}
	c.Data = nil
	if c.Log && least > 0 && !c.Stacked {
		c.floor = 1 << (bits.Len64(least) - 1)
		if c.zeros {
			c.floor = max(c.floor/2, 1)
		}
	}
	return any
}

// below returns the topmost curve so far in a dot column, the zero point for none.
func below(lines [][]Point, x int) Point {
	for i := len(lines) - 1; i >= 0; i-- {
		if lines[i][x].OK {
			return lines[i][x]
		}
	}
	return Point{}
}

func onTop(p, below Point) Point {
	add := func(a, b uint64) uint64 {
		if a+b < a {
			return ^uint64(0)
		}
		return a + b
	}
	return Point{add(p.Lo, below.Lo), add(p.Hi, below.Hi), add(p.Last, below.Last), true}
}

// dotRow returns the dot that represents v, counted from below.
func (c *Lines) dotRow(v uint64) int { return max(c.height(v, c.plot.H), 1) - 1 }

// overlay draws every curve as a line, those in front last.
func (c *Lines) overlay() {
	for _, front := range []bool{false, true} {
		for i := range c.Curves {
			if c.Curves[i].Front == front {
				c.line(i)
			}
		}
	}
}

// line draws curve i: in every dot column from its smallest to its largest value, joined with the column before.
func (c *Lines) line(i int) {
	last := -1
	for x, p := range c.lines[i] {
		if !p.OK {
			last = -1
			continue
		}
		lo, hi, end := c.dotRow(p.Lo), c.dotRow(p.Hi), c.dotRow(p.Last)
		switch {
		case last >= 0 && last < lo:
			lo = min(last+1, lo)
		case last > hi:
			hi = max(last-1, hi)
		}
		for y := lo; y <= hi; y++ {
			c.dot(x, y, i)
		}
		if (x/dotsX+i*5)%signCells == signCells/2 && x%dotsX == 0 {
			c.cell(x, end).sign = true
			c.cell(x, end).curve = i + 1
		}
		last = end
	}
}

// cell returns the cell of a dot, y counted from below.
func (c *Lines) cell(x, y int) *lineCell {
	return &c.cells[(c.plot.H-1-y/dotsY)*c.plot.W+x/dotsX]
}

// dot sets a dot and gives its cell to a curve.
func (c *Lines) dot(x, y, curve int) {
	at := c.cell(x, y)
	if at.curve != curve+1 { // dots of two curves in one cell would look like one curve
		*at = lineCell{curve: curve + 1}
	}
	at.dots |= brailleDot(x%dotsX, y%dotsY)
}

// brailleDot returns the bit of a dot in a Braille pattern, y counted from below.
func brailleDot(x, y int) uint8 {
	return [dotsX][dotsY]uint8{{0x40, 0x04, 0x02, 0x01}, {0x80, 0x20, 0x10, 0x08}}[x][y]
}

// fills distinguish stacked areas without colors.
var fills = [...]uint8{0xff, 0xaa, 0x6d, 0x47, 0x92, 0x55, 0x24, 0x81}

// stack fills the area below every curve down to the one beneath, from the last to the first.
func (c *Lines) stack() {
	for i := len(c.lines) - 1; i >= 0; i-- {
		for x, p := range c.lines[i] {
			if !p.OK {
				continue
			}
			top := c.height(p.Last, c.plot.H)
			for y := range top {
				at := c.cell(x, y)
				if at.curve != i+1 {
					*at = lineCell{curve: i + 1}
				}
				at.dots |= brailleDot(x%dotsX, y%dotsY)
			}
			if under := c.heightBelow(i, x); (x/dotsX+i*5)%signCells == signCells/2 && x%dotsX == 0 && top > under {
				c.cell(x, (under+top)/2).sign = true
			}
		}
	}
	for i := range c.cells {
		if at := &c.cells[i]; at.curve > 0 {
			at.dots &= fills[(at.curve-1)%len(fills)]
		}
	}
}

// heightBelow returns the height in dots that the curve below curve i has.
func (c *Lines) heightBelow(i, x int) int {
	p := below(c.lines[:i], x)
	return c.height(p.Last, c.plot.H)
}

// drawCells shows the plot with range and cursor.
func (c *Lines) drawCells(s tcell.Screen, k *Look) {
	cursor := -1
	if c.Cursor >= 0 {
		cursor = c.column(c.Cursor)
	}
	first, last := c.rangeColumns()
	for x := range c.plot.W {
		var over tcell.Style
		covered := x == cursor || x >= first && x <= last
		switch {
		case x == cursor:
			over = k.Cursor
		case covered:
			over = k.Range
		}
		for y := range c.plot.H {
			c.drawCell(s, x, y, over, covered, k)
		}
	}
}

func (c *Lines) drawCell(s tcell.Screen, x, y int, over tcell.Style, covered bool, k *Look) {
	at := &c.cells[y*c.plot.W+x]
	if at.curve == 0 {
		if covered {
			s.Put(c.plot.X+x, c.plot.Y+y, " ", Over(k.Text, over))
		}
		return
	}
	v := &c.Curves[at.curve-1]
	text := v.Glyph
	if !at.sign && !k.Glyphs.Plain {
		text = string(rune(0x2800 + int(at.dots)))
	}
	s.Put(c.plot.X+x, c.plot.Y+y, text, Over(v.Style, over))
}
