package dump

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/ui/livechart"
	"github.com/memtui/memtui/views/widget"
)

// chart shows measured series over time. What it fetches does not depend on the instant.
type chart struct {
	env     *ui.Env
	Chart   widget.Lines
	area    widget.Rect
	State   state.State
	curves  *ui.Lazy[*ui.DumpFile, curves]
	Columns *ui.Lazy[columnsKey, columnSet]
}

// curves are the prepared curves of series. Read-only once made.
type curves []*pages.SeriesCurve

type columnsKey struct {
	dump     *ui.DumpFile
	from, to model.Time
	n        int
	shown    string // which series, as [seriesList] writes them
}

// columnSet is the columns of the series that are shown, by series; nil for others.
type columnSet struct {
	columnsKey
	Series [][]pages.SeriesColumn
}

// seriesList makes a key of a list of series.
func seriesList(shown []int) string {
	var key []byte
	for _, n := range shown {
		key = binary.AppendUvarint(key, uint64(n))
	}
	return string(key)
}

// NewChart returns a chart of measured series.
func NewChart(e *ui.Env) *chart {
	c := &chart{env: e}
	c.curves = ui.NewLazy(e, func(ctx context.Context, d *ui.DumpFile) (curves, error) {
		out := make(curves, len(d.Timeline.Series))
		for i := range out {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			out[i] = pages.NewSeriesCurve(&d.Timeline.Series[i])
		}
		return out, nil
	})
	c.Columns = ui.NewLazy(e, func(ctx context.Context, k columnsKey) (columnSet, error) {
		set := columnSet{columnsKey: k}
		curves, _ := c.curves.Get() // of the same file: requested only afterwards
		set.Series = make([][]pages.SeriesColumn, len(curves))
		for list := []byte(k.shown); len(list) > 0; {
			if err := ctx.Err(); err != nil {
				return set, err
			}
			n, used := binary.Uvarint(list)
			list = list[used:]
			if n < uint64(len(curves)) {
				set.Series[n] = curves[n].Columns(k.from, k.to, k.n)
			}
		}
		return set, nil
	})
	return c
}

// show shows a state in a chart of some series, drawn in r. front is drawn over the others.
func (c *chart) show(s *state.State, r widget.Rect, shown []int, front int) {
	c.State, c.area = *s, r
	d := c.env.Dump
	if d == nil {
		return
	}
	c.SetMarks(shown)
	from, to := s.Visible()
	dots := c.Chart.Dots(r)
	if span := int64(to - from); span < int64(dots) {
		dots = min(dots, max(int(span), 1)) // no column is shorter than a microsecond
	}
	if c.curves.Ask(d); dots > 0 && c.curves.Fresh() {
		c.Columns.Ask(columnsKey{d, from, to, dots, seriesList(shown)})
	}
	ch := &c.Chart
	ch.From, ch.To, ch.Cursor, ch.PeakAt = int64(from), int64(max(to, from+1)), int64(s.Now()), -1 // everything may be at one time
	ch.RangeFrom, ch.RangeTo = 0, 0
	if !s.Range.IsFull() {
		ch.RangeFrom, ch.RangeTo = int64(max(s.Range.From, 0)), int64(s.Range.To)
	}
	ch.FormatX = ui.Axis(d.Timeline.AxisUnit)
	ch.FormatY = func(v uint64) string { return model.Bytes(v).Short() }
	ch.Curves = ch.Curves[:0]
	v, ok := c.Columns.Get()
	if !ok || v.dump != d {
		ch.Empty = "reading the points " + c.env.Look.Glyphs.Ellipsis
		return
	}
	ch.Empty = "no point of the series shown is in view"
	ch.DataFrom, ch.DataTo = int64(v.from), int64(max(v.to, v.from+1))
	for _, n := range shown {
		if v.Series[n] == nil { // shown since
			continue
		}
		ch.Curves = append(ch.Curves, widget.Curve{Data: ui.SeriesPoints(v.Series[n]), Glyph: seriesGlyph(c.env, n),
			Style: seriesStyle(c.env, n), Front: n == front})
	}
}

// maxEvents is the maximum number of named events of one chart.
const maxEvents = 1000

// SetMarks passes the named events of the series to the chart, by time: names are cut at the next one.
func (c *chart) SetMarks(shown []int) {
	c.Chart.Marks = c.Chart.Marks[:0]
	from, to := c.State.Visible()
	for _, n := range shown {
		for _, e := range c.env.Dump.Timeline.Series[n].Events {
			if e.At >= from && e.At <= to && len(c.Chart.Marks) < maxEvents {
				c.Chart.Marks = append(c.Chart.Marks, widget.Mark{At: int64(e.At), Name: e.Name, Style: seriesStyle(c.env, n)})
			}
		}
	}
	slices.SortStableFunc(c.Chart.Marks, func(a, b widget.Mark) int { return cmp.Compare(a.At, b.At) })
}

// measuredText returns a measured value with its unit, rounded or exact.
func measuredText(v float64, exact bool) string {
	sign, amount := "", math.Abs(v)
	if v < 0 {
		sign = "-"
	}
	switch {
	case amount >= 1<<63:
		return sign + strconv.FormatFloat(amount, 'g', 3, 64) + " B"
	case exact && amount != math.Trunc(amount):
		return sign + strconv.FormatFloat(amount, 'f', -1, 64) + " B"
	}
	return sign + ui.BytesText(uint64(math.Round(amount)), exact)
}

// seriesGlyph returns the sign of a series, shown next to its color.
func seriesGlyph(e *ui.Env, n int) string {
	signs := []string{"●", "◆", "▲", "■", "○", "◇", "△", "□"}
	if e.Look.Glyphs.Plain {
		signs = []string{"o", "*", "+", "#", "x", "%", "@", "="}
	}
	return signs[n%len(signs)]
}

// seriesStyle returns the color of a series.
func seriesStyle(e *ui.Env, n int) tcell.Style {
	roles := []themes.Role{themes.Accent, themes.Gain, themes.Warning, themes.Mark, themes.Error, themes.Spark, themes.GC, themes.PeakMark}
	return e.Style(roles[n%len(roles)])
}

func (c *chart) Draw(s tcell.Screen) { c.Chart.Draw(s, c.area, c.env.Look) }

// cells returns the number of cells of the time axis, which is the distance of one step.
func (c *chart) cells() int { return c.Chart.Dots(c.area) / 2 }

// Do handles the actions that concern only the chart.
func (c *chart) Do(a keymap.Action) bool {
	switch a {
	case keymap.Log:
		c.Chart.Log, c.Chart.Stacked = !c.Chart.Log, false
	case keymap.Stacked:
		c.Chart.Log, c.Chart.Stacked = false, !c.Chart.Stacked // sums cannot be shown on a logarithmic axis
	default:
		return false
	}
	c.env.Changed()
	return true
}

// Click moves the instant to a position in the chart. It returns false if the position is outside of the chart.
func (c *chart) Click(x, y int) bool {
	t, ok := c.Chart.TimeAt(x, y)
	if ok {
		c.env.Emit(state.MoveTo{At: analysis.At(model.Time(t))})
	}
	return ok
}

// Drag selects the range between two places in the chart; false means that it does not begin in it.
func (c *chart) Drag(fromX, fromY, x int) bool {
	return livechart.DragRange(c.env, &c.Chart.Chart, fromX, fromY, x)
}

// Wheel zooms in and out around the pointer; false means that it is not over the chart.
func (c *chart) Wheel(x, y, rows int) bool {
	return livechart.WheelZoom(c.env, &c.State, &c.Chart.Chart, c.cells(), x, y, rows)
}
