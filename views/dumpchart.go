package views

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
	"github.com/memtui/memtui/views/widget"
)

// dumpChart shows measured series over time. What it fetches does not depend on the instant.
type dumpChart struct {
	env     *env
	chart   widget.Lines
	area    widget.Rect
	state   State
	curves  *lazy[*dumpFile, dumpCurves]
	columns *lazy[columnsKey, columnSet]
}

// dumpCurves answer for columns, by series. Read-only once made.
type dumpCurves []*pages.SeriesCurve

type columnsKey struct {
	dump     *dumpFile
	from, to model.Time
	n        int
	shown    string // which series, as [seriesList] writes them
}

// columnSet is the columns of the series that are shown, by series; nil for others.
type columnSet struct {
	columnsKey
	series [][]pages.SeriesColumn
}

// seriesList makes a key of a list of series.
func seriesList(shown []int) string {
	var key []byte
	for _, n := range shown {
		key = binary.AppendUvarint(key, uint64(n))
	}
	return string(key)
}

func newDumpChart(e *env) *dumpChart {
	c := &dumpChart{env: e}
	c.curves = newLazy(e, func(ctx context.Context, d *dumpFile) (dumpCurves, error) {
		out := make(dumpCurves, len(d.timeline.Series))
		for i := range out {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			out[i] = pages.NewSeriesCurve(&d.timeline.Series[i])
		}
		return out, nil
	})
	c.columns = newLazy(e, func(ctx context.Context, k columnsKey) (columnSet, error) {
		set := columnSet{columnsKey: k}
		curves, _ := c.curves.get() // of the same file: asked for afterwards only
		set.series = make([][]pages.SeriesColumn, len(curves))
		for list := []byte(k.shown); len(list) > 0; {
			if err := ctx.Err(); err != nil {
				return set, err
			}
			n, used := binary.Uvarint(list)
			list = list[used:]
			if n < uint64(len(curves)) {
				set.series[n] = curves[n].Columns(k.from, k.to, k.n)
			}
		}
		return set, nil
	})
	return c
}

// show adopts a state for a chart of some series, drawn in r. front is the one before all others.
func (c *dumpChart) show(s *State, r widget.Rect, shown []int, front int) {
	c.state, c.area = *s, r
	d := c.env.dump
	if d == nil {
		return
	}
	c.setMarks(shown)
	from, to := s.Visible()
	dots := c.chart.Dots(r)
	if span := int64(to - from); span < int64(dots) {
		dots = min(dots, max(int(span), 1)) // no column is shorter than a microsecond
	}
	if c.curves.ask(d); dots > 0 && c.curves.fresh() {
		c.columns.ask(columnsKey{d, from, to, dots, seriesList(shown)})
	}
	ch := &c.chart
	ch.From, ch.To, ch.Cursor, ch.PeakAt = int64(from), int64(max(to, from+1)), int64(s.Now()), -1 // everything may be at one time
	ch.RangeFrom, ch.RangeTo = 0, 0
	if !s.Range.IsWhole() {
		ch.RangeFrom, ch.RangeTo = int64(max(s.Range.From, 0)), int64(s.Range.To)
	}
	ch.FormatX = axisTime
	ch.FormatY = func(v uint64) string { return model.Bytes(v).Short() }
	ch.Curves = ch.Curves[:0]
	v, ok := c.columns.get()
	if !ok || v.dump != d {
		ch.Empty = "reading the points " + c.env.look.Glyphs.Ellipsis
		return
	}
	ch.Empty = "no point of the series shown is here"
	ch.DataFrom, ch.DataTo = int64(v.from), int64(max(v.to, v.from+1))
	for _, n := range shown {
		if v.series[n] == nil { // shown since
			continue
		}
		ch.Curves = append(ch.Curves, widget.Curve{Data: seriesPoints(v.series[n]), Glyph: c.env.seriesGlyph(n), Style: c.env.seriesStyle(n), Front: n == front})
	}
}

// maxEvents bounds the named events of one chart.
const maxEvents = 1000

// setMarks gives the named events of the series to the chart, by time: names end where the next one begins.
func (c *dumpChart) setMarks(shown []int) {
	c.chart.Marks = c.chart.Marks[:0]
	from, to := c.state.Visible()
	for _, n := range shown {
		for _, e := range c.env.dump.timeline.Series[n].Events {
			if e.At >= from && e.At <= to && len(c.chart.Marks) < maxEvents {
				c.chart.Marks = append(c.chart.Marks, widget.Mark{At: int64(e.At), Name: e.Name, Style: c.env.seriesStyle(n)})
			}
		}
	}
	slices.SortStableFunc(c.chart.Marks, func(a, b widget.Mark) int { return cmp.Compare(a.At, b.At) })
}

// seriesPoints are the columns as charts show them: nothing before the first point, and the last value where there is none.
func seriesPoints(cols []pages.SeriesColumn) []widget.Point {
	out := make([]widget.Point, len(cols))
	for i := range cols {
		v := &cols[i]
		if !v.Known {
			continue
		}
		last := levelValue(v.Last)
		out[i] = widget.Point{Lo: last, Hi: last, Last: last, OK: true}
		if v.Points > 0 {
			out[i].Lo, out[i].Hi = levelValue(v.Min), levelValue(v.Max)
		}
	}
	return out
}

// levelValue is a value as charts show it: what is below 0 stands at 0.
func levelValue(v float64) uint64 {
	switch {
	case v <= 0:
		return 0
	case v >= 1<<63:
		return 1 << 63
	}
	return uint64(math.Round(v))
}

// measuredText is a measured value with its unit, rounded or exact.
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
	return sign + bytesText(uint64(math.Round(amount)), exact)
}

// seriesGlyph is the sign of a series beside its colour.
func (e *env) seriesGlyph(n int) string {
	signs := []string{"●", "◆", "▲", "■", "○", "◇", "△", "□"}
	if e.look.Glyphs.Plain {
		signs = []string{"o", "*", "+", "#", "x", "%", "@", "="}
	}
	return signs[n%len(signs)]
}

// seriesStyle is the colour of a series.
func (e *env) seriesStyle(n int) tcell.Style {
	roles := []themes.Role{themes.Accent, themes.Gain, themes.Warning, themes.Mark, themes.Error, themes.Spark, themes.GC, themes.PeakMark}
	return e.style(roles[n%len(roles)])
}

func (c *dumpChart) draw(s tcell.Screen) { c.chart.Draw(s, c.area, c.env.look) }

// cells is the number of cells of the time axis: what one step moves by.
func (c *dumpChart) cells() int { return c.chart.Dots(c.area) / 2 }

// do handles the actions that are about the chart alone.
func (c *dumpChart) do(a keymap.Action) bool {
	switch a {
	case keymap.Log:
		c.chart.Log, c.chart.Stacked = !c.chart.Log, false
	case keymap.Stacked:
		c.chart.Log, c.chart.Stacked = false, !c.chart.Stacked // what is added up has no place on a logarithmic axis
	default:
		return false
	}
	c.env.changed()
	return true
}

// click moves the instant to a place in the chart; false means that it is none.
func (c *dumpChart) click(x, y int) bool {
	t, ok := c.chart.TimeAt(x, y)
	if ok {
		c.env.emit(moveTo{analysis.At(model.Time(t))})
	}
	return ok
}

// drag selects the range between two places in the chart; false means that it does not begin in it.
func (c *dumpChart) drag(fromX, fromY, x int) bool {
	return dragRange(c.env, &c.chart.Chart, fromX, fromY, x)
}

// wheel zooms in and out around the pointer; false means that it is not over the chart.
func (c *dumpChart) wheel(x, y, rows int) bool {
	return wheelZoom(c.env, &c.state, &c.chart.Chart, c.cells(), x, y, rows)
}
