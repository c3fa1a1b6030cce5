package widget

import (
	"math"
	"math/bits"

	"github.com/gdamore/tcell/v2"
)

// Point is one column of chart data: the smallest, largest and last value within its time. OK is false where there is
// no data. Lo ≤ Hi.
type Point struct {
	Lo, Hi, Last uint64
	OK           bool
}

// Mark is something at one moment: a marker, a collection. Name is shown where it fits, cleaned.
type Mark struct {
	At    int64
	Name  string
	Glyph string      // one cell; "" means Glyphs.Marker
	Style tcell.Style // the zero value means the Look's Mark
}

// LegendItem explains a style in the title line.
type LegendItem struct {
	Text  string
	Style tcell.Style
}

// Chart is a filled area chart over time with minimum, maximum and last value per dot column: bright between minimum
// and maximum, dim below. Nothing is averaged, so no spike is lost. Times are microseconds, all ranges are (From, To].
// The exported fields are its state and may be changed between frames.
type Chart struct {
	From, To int64 // what is visible

	Data             []Point // equal durations over (DataFrom, DataTo], which may differ from what is visible: see [Chart.Dots]
	DataFrom, DataTo int64
	Backdrop         []Point // as Data, drawn dim in the background; nil for none

	Cursor        int64 // instant, drawn as a column; < 0 for none
	RangeFrom     int64 // selected range, drawn as a background; none where RangeTo ≤ RangeFrom
	RangeTo       int64
	PeakAt        int64 // marked on the axis; < 0 for none
	Marks         []Mark
	Ticks         []int64 // moments shown as ticks on a row of their own (collections), ascending
	Title, Answer string  // of the title line; both empty: no title line
	Legend        []LegendItem
	Log           bool
	Top           uint64 // value at the top of the y axis, 0 for the largest visible one
	Decimal       bool   // y ticks at 1, 2, 5 × 10ⁿ instead of powers of two
	FormatY       func(v uint64) string
	FormatX       func(t, step int64) string // step is the distance of ticks
	Empty         string                     // shown when nothing visible has data

	plot     Rect // of the last frame
	top      uint64
	floor    uint64  // value at the bottom of a logarithmic axis, 0 for 0
	zeros    bool    // values of 0 are at the bottom of a logarithmic axis, below all others
	points   []Point // one per dot column of the last frame
	backdrop []Point // the same of Backdrop
}

const (
	dotsX, dotsY = 2, 4 // dots in a cell
	gutter       = 6    // cells for y labels and their axis
	narrowChart  = 30   // cells below which they are left out
)

// chartParts are the areas of a chart; those that do not fit are empty.
type chartParts struct{ title, labels, plot, ticks, marks, axis, times Rect }

// parts divides r: the plot first, then title, axis and marks while at least some rows of plot remain.
func (c *Chart) parts(r Rect) (p chartParts) {
	p.plot = r
	if r.H >= 3 && (c.Title != "" || c.Answer != "") {
		p.title, p.plot = p.plot.CutTop(1)
	}
	if p.plot.H >= 5 {
		p.plot, p.times = p.plot.CutBottom(1)
		p.plot, p.axis = p.plot.CutBottom(1)
	}
	if p.plot.H >= 5 && len(c.Marks) > 0 {
		p.plot, p.marks = p.plot.CutBottom(1)
	}
	if p.plot.H >= 6 && len(c.Ticks) > 0 {
		p.plot, p.ticks = p.plot.CutBottom(1)
	}
	if r.W >= narrowChart {
		p.labels, p.plot = p.plot.CutLeft(gutter)
		for _, q := range []*Rect{&p.ticks, &p.marks, &p.axis, &p.times} {
			_, *q = q.CutLeft(gutter)
		}
	}
	return p
}

// Dots returns the number of columns of data that r can show at full resolution: what to ask for in Data. Other numbers
// are stretched, or merged without losing extremes.
func (c *Chart) Dots(r Rect) int { return max(0, c.parts(r).plot.W) * dotsX }

// Draw shows the chart in r, which may be as small as 20×3.
func (c *Chart) Draw(s tcell.Screen, r Rect, k *Look) {
	p := c.parts(r)
	c.plot = p.plot
	if c.plot.Empty() {
		return
	}
	c.resampleBackdrop(c.plot.W * dotsX)
	c.resample(c.plot.W * dotsX)
	if !p.title.Empty() {
		titleLine(s, p.title, k, c.Title, c.Legend, c.Answer)
	}
	any := c.scale()
	c.drawPlot(s, k)
	if !any {
		Print(s, c.plot.X+1, c.plot.Y+c.plot.H/2, c.plot.W-1, c.Empty, k.Muted)
	}
	c.drawYAxis(s, p, k)
	c.drawXAxis(s, p, k)
	c.drawMarks(s, p, k)
}

// span returns the visible duration, at least 1.
func (c *Chart) span() uint64 { return duration(c.From, c.To) }

func duration(from, to int64) uint64 {
	if to <= from {
		return 1
	}
	return uint64(to) - uint64(from)
}

// TimeAt returns the last moment of the chart column at (x, y) in the last frame; ok is false outside of the plot.
func (c *Chart) TimeAt(x, y int) (t int64, ok bool) {
	if !c.plot.Contains(x, y) {
		return 0, false
	}
	return c.From + int64(mulDiv(uint64(x-c.plot.X+1), c.span(), uint64(c.plot.W))), true
}

// XOf returns the screen column of a moment in the last frame; ok is false where it is not visible.
func (c *Chart) XOf(t int64) (x int, ok bool) {
	cx := c.column(t)
	return c.plot.X + cx, cx >= 0 && cx < c.plot.W
}

// column returns the cell of a moment counted from the plot's left edge; -1 and W represent before and after. The
// moment From itself counts to the first cell.
func (c *Chart) column(t int64) int {
	switch {
	case t < c.From:
		return -1
	case t > c.To:
		return c.plot.W
	case t == c.From:
		return 0
	}
	w, d := uint64(max(1, c.plot.W)), c.span()
	at := mulDiv(uint64(t)-uint64(c.From), w, d)
	if mulDiv(at, d, w) >= uint64(t)-uint64(c.From) && at > 0 {
		at--
	}
	return int(min(at, w-1))
}

// CellTime returns the duration of one cell in the last frame, at least 1: the step of the cursor.
func (c *Chart) CellTime() int64 {
	return int64(max(1, c.span()/uint64(max(1, c.plot.W))))
}

// mulDiv returns a·b/c without overflow, for a ≤ c or results that fit 64 bits. c must not be 0.
func mulDiv(a, b, c uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi >= c {
		return math.MaxUint64
	}
	q, _ := bits.Div64(hi, lo, c)
	return q
}

// resample spreads Data over n dot columns of what is visible. A dot column takes the extremes of every column of Data
// that it touches.
func (c *Chart) resample(n int) {
	c.points = append(c.points[:0], make([]Point, n)...)
	if c.DataFrom == c.From && c.DataTo == c.To && len(c.Data) == n {
		copy(c.points, c.Data)
		return
	}
	have, d, dd := uint64(len(c.Data)), c.span(), duration(c.DataFrom, c.DataTo)
	if have == 0 {
		return
	}
	for i := range c.points {
		from := c.From + int64(mulDiv(uint64(i), d, uint64(n)))
		to := c.From + int64(mulDiv(uint64(i+1), d, uint64(n)))
		from, to = max(from, c.DataFrom), min(max(to, from+1), c.DataTo)
		if from >= to {
			continue
		}
		first := mulDiv(uint64(from)-uint64(c.DataFrom), have, dd)
		last := mulDiv(uint64(to)-uint64(c.DataFrom)-1, have, dd)
		c.points[i] = merge(c.Data[first:min(last+1, have)])
	}
}

// resampleBackdrop is resample for the background.
func (c *Chart) resampleBackdrop(n int) {
	if c.backdrop = c.backdrop[:0]; len(c.Backdrop) == 0 {
		return
	}
	data := c.Data
	c.Data = c.Backdrop
	c.resample(n)
	c.Data = data
	c.points, c.backdrop = c.backdrop, c.points
}

// merge puts neighboring columns together.
func merge(points []Point) (m Point) {
	for _, p := range points {
		switch {
		case !p.OK:
		case !m.OK:
			m = p
		default:
			m = Point{min(m.Lo, p.Lo), max(m.Hi, p.Hi), p.Last, true}
		}
	}
	return m
}
