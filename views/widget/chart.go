package widget

import "github.com/gdamore/tcell/v2"

// Point is one column of chart data: the smallest, largest and last value within its time. OK is false where there is no
// data. Lo ≤ Hi.
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

// Chart is a filled area chart over time with minimum, maximum and last value per dot column: bright between minimum and
// maximum, dim below. Nothing is averaged, so no spike is lost. Times are microseconds, all ranges are (From, To]. The
// exported fields are its state and may be changed between frames.
type Chart struct {
	From, To int64 // what is visible

	Data             []Point // equal durations over (DataFrom, DataTo], which may differ from what is visible: see [Chart.Dots]
	DataFrom, DataTo int64

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

	plot   Rect // of the last frame
	points []Point
	raster []uint8
}

// Dots is the number of columns of data that r can show at full resolution: what to ask for in Data.
func (c *Chart) Dots(r Rect) int { return 0 }

// Draw shows the chart in r, which may be as small as 20×3.
func (c *Chart) Draw(s tcell.Screen, r Rect, k *Look) {}

// TimeAt returns the last moment of the chart cell at (x, y) in the last frame; ok is false outside of the plot.
func (c *Chart) TimeAt(x, y int) (t int64, ok bool) { return 0, false }

// XOf returns the screen column of a moment in the last frame; ok is false where it is not visible.
func (c *Chart) XOf(t int64) (x int, ok bool) { return 0, false }

// CellTime is the duration of one cell in the last frame, at least 1: the step of the cursor.
func (c *Chart) CellTime() int64 { return 1 }
