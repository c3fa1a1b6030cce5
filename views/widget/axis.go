package widget

import (
	"math/bits"
	"strconv"

	"github.com/gdamore/tcell/v2"
)

const (
	microsecond = 1
	second      = 1_000_000 * microsecond
	minute      = 60 * second
	hour        = 60 * minute
	day         = 24 * hour
	xTickCells  = 16 // distance of time ticks at least
)

// binaryStep returns the smallest power of two that is at least d, or the largest there is.
func binaryStep(d uint64) uint64 {
	if d > 1<<63 {
		return 1 << 63
	}
	return 1 << bits.Len64(max(d, 1)-1)
}

// decimalStep returns the smallest of 1, 2, 5 × 10ⁿ that is at least d, or the largest there is.
func decimalStep(d uint64) uint64 {
	for power := uint64(1); ; power *= 10 {
		for _, m := range [...]uint64{1, 2, 5} {
			hi, step := bits.Mul64(m, power)
			if hi != 0 {
				return power
			}
			if step >= d {
				return step
			}
		}
	}
}

// timeStep returns the smallest round duration of at least d microseconds.
func timeStep(d uint64) uint64 {
	if d <= second/2 {
		return decimalStep(d)
	}
	for _, step := range [...]uint64{
		1 * second, 2 * second, 5 * second, 10 * second, 15 * second, 30 * second,
		1 * minute, 2 * minute, 5 * minute, 10 * minute, 15 * minute, 30 * minute,
		1 * hour, 2 * hour, 3 * hour, 6 * hour, 12 * hour,
	} {
		if step >= d {
			return step
		}
	}
	return day * decimalStep((d+day-1)/day)
}

// yTicks returns the values with a label on the y axis of rows cells, ascending from 0.
func (c *Chart) yTicks(rows int) []uint64 {
	n := max(1, min((rows-1)/2, 8))
	if c.Log && c.floor > 0 {
		return doublings(c.floor, c.top, n)
	}
	if c.Log {
		return logTicks(c.top, n, c.Decimal)
	}
	least := c.top/uint64(n+1) + 1 // more than n steps would fit otherwise
	step := binaryStep(least)
	if c.Decimal {
		step = decimalStep(least)
	}
	ticks := []uint64{0}
	if rows == 1 {
		ticks = nil
	}
	for v := step; v <= c.top && v >= step; v += step {
		ticks = append(ticks, v)
	}
	return ticks
}

// doublings returns floor and at most n of its powers-of-two multiples.
func doublings(floor, top uint64, n int) []uint64 {
	steps := bits.Len64(top/floor) - 1
	every := max(1, (steps+n-1)/n)
	ticks := []uint64{floor}
	for i := every; i <= steps; i += every {
		ticks = append(ticks, floor<<i)
	}
	return ticks
}

// logTicks returns 0 and at most n powers: of 1024, or of 10.
func logTicks(top uint64, n int, decimal bool) []uint64 {
	base := uint64(1024)
	if decimal {
		base = 10
	}
	all := []uint64{}
	for v := uint64(1); v <= top; v *= base {
		all = append(all, v)
		if hi, _ := bits.Mul64(v, base); hi != 0 {
			break
		}
	}
	every := max(1, (len(all)+n-1)/n)
	ticks := []uint64{0}
	for i := every; i < len(all); i += every {
		ticks = append(ticks, all[i])
	}
	return ticks
}

// tickRow returns the row, counted from the plot's top, of the dot that represents v.
func (c *Chart) tickRow(v uint64) int {
	return (c.plot.H*dotsY - max(1, c.height(v, c.plot.H))) / dotsY
}

// labeled returns the values with a label: ticks, and the top, in place of a tick that is too near. Without the top
// nothing would bound what is highest.
func (c *Chart) labeled(rows int) []uint64 {
	ticks := c.yTicks(rows)
	n := len(ticks)
	if n > 0 && ticks[n-1] >= c.top {
		return ticks
	}
	for n > 1 && c.tickRow(ticks[n-1]) <= 1 {
		n--
	}
	return append(ticks[:n], c.top)
}

func (c *Chart) drawYAxis(s tcell.Screen, p chartParts, k *Look) {
	if p.labels.Empty() {
		return
	}
	x, labelW := p.labels.X, p.labels.W-1
	for row := range p.labels.H {
		s.Put(x+labelW, p.labels.Y+row, k.Glyphs.Vertical, k.Axis)
	}
	if !p.axis.Empty() {
		s.Put(x+labelW, p.axis.Y, k.Glyphs.Corner, k.Axis)
		for y := p.labels.Y + p.labels.H; y < p.axis.Y; y++ {
			s.Put(x+labelW, y, k.Glyphs.Vertical, k.Axis)
		}
	}
	if c.top == 0 {
		return
	}
	free := p.labels.H // rows above this one are free
	for _, v := range c.labeled(p.labels.H) {
		row := c.tickRow(v)
		if row >= free {
			continue
		}
		free = row
		s.Put(x+labelW, p.labels.Y+row, k.Glyphs.TickLeft, k.Axis)
		PrintRight(s, x, p.labels.Y+row, labelW, c.formatY(v), k.Axis)
	}
}

func (c *Chart) formatY(v uint64) string {
	if c.zeros && c.floor > 0 && v == c.floor {
		v = 0
	}
	if c.FormatY == nil {
		return strconv.FormatUint(v, 10)
	}
	return c.FormatY(v)
}

// drawXAxis draws the line with its ticks, the peak's sign on it and its label below, then time labels where they fit.
func (c *Chart) drawXAxis(s tcell.Screen, p chartParts, k *Look) {
	if p.axis.Empty() {
		return
	}
	repeat(s, p.axis.X, p.axis.Y, p.axis.W, k.Glyphs.Horizontal, k.Axis)
	taken := Rect{}
	peak, shown := -1, false
	if c.PeakAt >= 0 {
		peak = c.column(c.PeakAt)
		shown = peak >= 0 && peak < p.axis.W
	}
	if shown {
		const label = "peak"
		at := max(0, min(peak-1, p.times.W-len(label)))
		taken = Rect{p.times.X + at - 1, p.times.Y, len(label) + 2, 1}
		Print(s, p.times.X+at, p.times.Y, p.times.W-at, label, k.Peak)
	}
	c.drawTimes(s, p, taken, k)
	if shown {
		s.Put(p.axis.X+peak, p.axis.Y, k.Glyphs.Peak, k.Peak)
	}
	if c.Cursor >= 0 {
		if cx := c.column(c.Cursor); cx >= 0 && cx < p.axis.W {
			glyph, st, _ := s.Get(p.axis.X+cx, p.axis.Y)
			s.Put(p.axis.X+cx, p.axis.Y, glyph, Over(st, k.Cursor))
		}
	}
}

// drawTimes draws ticks and labels, the latter where they do not touch taken.
func (c *Chart) drawTimes(s tcell.Screen, p chartParts, taken Rect, k *Look) {
	step := timeStep(c.span() / uint64(max(1, p.axis.W/xTickCells)))
	first := uint64(0)
	if c.From > 0 {
		first = (uint64(c.From) + step - 1) / step * step
	}
	end := p.times.X + p.times.W
	free := p.times.X
	for t := first; t <= uint64(max(c.To, 0)) && t >= first; t += step {
		x := p.axis.X + c.column(int64(t))
		s.Put(x, p.axis.Y, k.Glyphs.TickDown, k.Axis)
		text := c.formatX(int64(t), int64(step))
		w := Width(text)
		covers := taken.W > 0 && x < taken.X+taken.W && x+w > taken.X
		if x < free || x+w > end || covers {
			continue
		}
		Print(s, x, p.times.Y, w, text, k.Axis)
		free = x + w + 1
	}
}

func (c *Chart) formatX(t, step int64) string {
	if c.FormatX == nil {
		return strconv.FormatInt(t, 10)
	}
	return c.FormatX(t, step)
}

// drawMarks draws ticks and marks on rows of their own, or on the axis where there is no room.
func (c *Chart) drawMarks(s tcell.Screen, p chartParts, k *Look) {
	row := p.ticks
	if row.Empty() {
		row = p.axis
	}
	if !row.Empty() {
		for _, t := range c.Ticks {
			if x, ok := c.XOf(t); ok {
				s.Put(x, row.Y, k.Glyphs.GC, k.Mark)
			}
		}
	}
	named := !p.marks.Empty()
	if row = p.marks; !named {
		row = p.axis
	}
	if row.Empty() {
		return
	}
	for i := range c.Marks {
		c.drawMark(s, row, i, named, k)
	}
}

// leastName is how many cells the name of a mark needs at least, if it is longer.
const leastName = 6

// drawMark draws mark i and, if named, as much of its name as fits before the next mark.
func (c *Chart) drawMark(s tcell.Screen, row Rect, i int, named bool, k *Look) {
	m := &c.Marks[i]
	x, ok := c.XOf(m.At)
	if !ok {
		return
	}
	st, glyph := orElse(m.Style, k.Mark), m.Glyph
	if glyph == "" {
		glyph = k.Glyphs.Marker
	}
	s.Put(x, row.Y, glyph, st)
	end := row.X + row.W
	if i+1 < len(c.Marks) {
		if next, ok := c.XOf(c.Marks[i+1].At); ok {
			end = next - 1
		}
	}
	if w := Width(m.Name); named && end-x-2 >= min(w, leastName) {
		Print(s, x+2, row.Y, min(w, end-x-2), m.Name, k.Muted)
	}
}
