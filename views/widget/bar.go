package widget

import (
	"github.com/NimbleMarkets/ntcharts/canvas/runes"
	"github.com/gdamore/tcell/v2"
)

// Pre-made glyphs: slices of constants need no allocation, and every glyph takes three bytes.
const (
	leftBlocks  = "█▉▊▋▌▍▎▏" // in the order of their code points, from runes.FullBlock
	lowerBlocks = "▁▂▃▄▅▆▇█" // in the order of their code points, from runes.LowerBlockOne
	asciiLevels = "_.-:=+*#"
	glyphBytes  = 3
)

// DrawBar draws a bar over share (0 … 1) of w cells, with an eighth of a cell of precision. Any share above 0 is
// visible.
func DrawBar(s tcell.Screen, x, y, w int, share float64, st tcell.Style, g *Glyphs) {
	if w <= 0 || !(share > 0) {
		return
	}
	cells := min(share, 1) * float64(w)
	if g.Plain {
		repeat(s, x, y, max(1, int(cells+0.5)), "=", st)
		return
	}
	full := int(cells)
	for i := range full {
		s.Put(x+i, y, leftBlocks[:glyphBytes], st)
	}
	r := runes.LeftBlockElementFromFloat64(cells - float64(full))
	if r == runes.Null && full == 0 {
		r = runes.LeftBlockOne
	}
	if r != runes.Null && full < w {
		i := int(r-runes.FullBlock) * glyphBytes
		s.Put(x+full, y, leftBlocks[i:i+glyphBytes], st)
	}
}

// DrawSpark draws values over w cells, scaled so that top fills a cell; top 0 means the largest value. Where there are
// more values than cells each cell shows its largest, otherwise values are spread over the cells.
func DrawSpark(s tcell.Screen, x, y, w int, values []uint64, top uint64, st tcell.Style, g *Glyphs) {
	n := len(values)
	if n == 0 || w <= 0 {
		return
	}
	if top == 0 {
		for _, v := range values {
			top = max(top, v)
		}
	}
	for i := range w {
		from := i * n / w
		to := max(from+1, (i+1)*n/w)
		var v uint64
		for _, u := range values[from:to] {
			v = max(v, u)
		}
		s.Put(x+i, y, sparkGlyph(v, top, g.Plain), st)
	}
}

// DrawHistogram draws values as columns of equal width that fill r, scaled so that the largest one fills its height.
// Any value above 0 is visible.
func DrawHistogram(s tcell.Screen, r Rect, values []uint64, st tcell.Style, g *Glyphs) {
	if len(values) == 0 || r.Empty() {
		return
	}
	top := uint64(0)
	for _, v := range values {
		top = max(top, v)
	}
	w := r.W / len(values)
	for i, v := range values {
		for row := range r.H {
			share := float64(v)/float64(max(top, 1))*float64(r.H) - float64(r.H-1-row) // of this cell
			glyph := " "
			switch {
			case share > 0:
				glyph = sparkGlyph(uint64(min(share, 1)*sparkSteps)+1, sparkSteps+1, g.Plain)
			case v > 0 && row == r.H-1:
				glyph = sparkGlyph(1, sparkSteps+1, g.Plain)
			}
			repeat(s, r.X+i*w, r.Y+row, max(w-1, 1), glyph, st)
		}
	}
}

// sparkSteps is the resolution of a part of a cell.
const sparkSteps = 1000

// sparkGlyph returns the eighth of a cell that represents v of top. 0 stays blank, anything else is visible.
func sparkGlyph(v, top uint64, ascii bool) string {
	if v == 0 || top == 0 {
		return " "
	}
	r := runes.LowerBlockElementFromFloat64(float64(v) / float64(top))
	if r == runes.Null {
		r = runes.LowerBlockOne
	}
	i := int(r - runes.LowerBlockOne)
	if ascii {
		return asciiLevels[i : i+1]
	}
	return lowerBlocks[i*glyphBytes : (i+1)*glyphBytes]
}
