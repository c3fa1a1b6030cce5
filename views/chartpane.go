package views

import (
	"context"
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// chartPane is the live curve with its instant, range, peak, markers and collections. What it fetches does not depend on
// the instant, so that scrubbing only moves the cursor.
type chartPane struct {
	env   *env
	chart widget.Chart
	area  widget.Rect
	state State
	curve *lazy[curveKey, curve]
	peak  *lazy[peakKey, peaks]
}

type curveKey struct {
	revision uint64
	from, to model.Time
	columns  int
}

// curve is the visible part of the trace.
type curve struct {
	curveKey
	cols        []analysis.Column
	marks       []analysis.Mark // markers
	collections []int64
}

type peakKey struct {
	revision uint64
	r        analysis.Range
}

// peaks are the highest levels of the run and of the range.
type peaks struct {
	run, within     analysis.Peak
	ok, withinRange bool
}

// maxMarks bounds the markers and collections that are looked at for one chart.
const maxMarks = 100_000

func newChartPane(e *env) *chartPane {
	c := &chartPane{env: e}
	c.curve = newLazy(e, func(ctx context.Context, k curveKey) (curve, error) { return fetchCurve(ctx, e.trace, k) })
	c.peak = newLazy(e, func(ctx context.Context, k peakKey) (peaks, error) { return fetchPeaks(ctx, e.trace, k) })
	return c
}

func fetchCurve(ctx context.Context, t analysis.Trace, k curveKey) (curve, error) {
	out := curve{curveKey: k}
	r := between(k.from, k.to)
	var err error
	if out.cols, err = t.Chart(ctx, r, k.columns); err != nil {
		return out, err
	}
	marks, _, err := t.Marks(ctx, r, maxMarks)
	for _, m := range marks {
		if m.GC {
			out.collections = append(out.collections, int64(m.Time))
		} else {
			out.marks = append(out.marks, m)
		}
	}
	return out, err
}

func fetchPeaks(ctx context.Context, t analysis.Trace, k peakKey) (p peaks, err error) {
	if p.run, p.ok, err = t.Peak(ctx, analysis.Whole); err != nil || k.r.IsWhole() {
		return p, err
	}
	p.within, p.withinRange, err = t.Peak(ctx, k.r)
	return p, err
}

// show adopts a state for a chart drawn in r.
func (c *chartPane) show(s *State, r widget.Rect) {
	c.state, c.area = *s, r
	from, to := s.Visible()
	dots := c.chart.Dots(r)
	if span := int64(to - from); span > 0 && span < int64(dots) {
		dots = int(span) // no column is shorter than a microsecond
	}
	if dots > 0 && s.Status.Events > 0 {
		c.curve.ask(curveKey{s.Status.Revision, from, to, dots})
		c.env.charted()
		c.peak.ask(peakKey{s.Status.Revision, s.Range})
	}
	c.setMarks()
	c.setData(from, to)
}

// columns is the number of cells of the time axis: what one step moves by.
func (c *chartPane) columns() int { return c.chart.Dots(c.area) / 2 }

// setData gives the newest curve to the chart.
func (c *chartPane) setData(from, to model.Time) {
	s, ch := &c.state, &c.chart
	ch.From, ch.To = int64(from), int64(to)
	ch.Cursor, ch.PeakAt = int64(s.Now()), -1
	ch.RangeFrom, ch.RangeTo = 0, 0
	if !s.Range.IsWhole() {
		ch.RangeFrom, ch.RangeTo = int64(max(s.Range.From, 0)), int64(s.Range.To)
	}
	ch.Decimal = s.Series == seriesBlocks
	series := s.Series
	ch.FormatX, ch.FormatY = axisTime, func(v uint64) string { return series.short(v) }
	ch.Empty = c.emptyText()
	v, ok := c.curve.get()
	ch.Data = ch.Data[:0]
	if ok {
		ch.DataFrom, ch.DataTo = int64(v.from), int64(v.to)
		for i := range v.cols {
			ch.Data = append(ch.Data, s.Series.point(&v.cols[i]))
		}
	}
	if p, ok := c.peak.get(); ok && p.ok && s.Series == seriesBytes {
		ch.PeakAt = int64(p.run.Time)
	}
	ch.Title, ch.Answer = c.title(), c.answer()
}

// emptyText says why there is no curve.
func (c *chartPane) emptyText() string {
	switch s := &c.state; {
	case model.Internal(c.curve.failure()):
		return widget.Clean(c.curve.err.Error())
	case c.curve.failure() != nil:
		return "the events cannot be read: " + widget.Clean(c.curve.err.Error())
	case s.Status.Final:
		return "the file has no events"
	case s.Status.Stopped:
		return "stopped before the first events"
	}
	return "reading the first events"
}

// setMarks gives markers and collections to the chart.
func (c *chartPane) setMarks() {
	v, _ := c.curve.get()
	c.chart.Marks, c.chart.Ticks = c.chart.Marks[:0], v.collections
	for _, m := range v.marks {
		c.chart.Marks = append(c.chart.Marks, widget.Mark{At: int64(m.Time), Name: m.Name})
	}
}

func (c *chartPane) title() string {
	s := &c.state
	title := s.Series.String()
	if s.Status.Unfreed && s.Series != seriesRate {
		title += " (upper bound)"
	}
	if !s.View.IsWhole() {
		from, to := s.Visible()
		step := max(int64(to-from)/100, 1)
		for p := int64(1); ; p *= 10 { // as many digits as tell the ends apart
			if p*10 > step {
				step = p
				break
			}
		}
		title += " · " + axisTime(int64(from)/step*step, step) + " – " + axisTime(int64(to)/step*step, step)
	}
	return title
}

// answer is what a glance at the chart should tell.
func (c *chartPane) answer() string {
	s := &c.state
	if s.Series != seriesBytes {
		v, ok := c.curve.get()
		if !ok || len(v.cols) == 0 {
			return ""
		}
		top := uint64(0)
		for i := range v.cols {
			top = max(top, s.Series.point(&v.cols[i]).Hi)
		}
		return "at most " + s.Series.format(top, s.Exact)
	}
	p, ok := c.peak.get()
	switch {
	case !ok || !p.ok:
		return ""
	case p.withinRange:
		return fmt.Sprintf("peak in the range %s at %s", bytesText(p.within.Bytes, s.Exact), timeText(p.within.Time, s.Exact))
	}
	return fmt.Sprintf("peak %s at %s", bytesText(p.run.Bytes, s.Exact), timeText(p.run.Time, s.Exact))
}

func (c *chartPane) draw(s tcell.Screen) { c.chart.Draw(s, c.area, c.env.look) }

// do handles the actions that are about the chart alone.
func (c *chartPane) do(a keymap.Action) bool {
	if a != keymap.Series {
		return false
	}
	c.env.emit(setSeries{c.state.Series.next()})
	return true
}

// click moves the instant to a place in the chart; false means that it is none.
func (c *chartPane) click(x, y int) bool {
	t, ok := c.chart.TimeAt(x, y)
	if ok {
		c.env.emit(moveTo{analysis.At(model.Time(t))})
	}
	return ok
}

// drag selects the range between two places in the chart.
func (c *chartPane) drag(fromX, fromY, x int) bool {
	return dragRange(c.env, &c.chart, fromX, fromY, x)
}

// wheel zooms in and out around the pointer; false means that it is not over the chart.
func (c *chartPane) wheel(x, y, rows int) bool {
	return wheelZoom(c.env, &c.state, &c.chart, c.columns(), x, y, rows)
}

// dragRange selects the range between two places in a chart. One that ends outside ends at the chart's edge.
func dragRange(e *env, chart *widget.Chart, fromX, fromY, x int) bool {
	a, ok := chart.TimeAt(fromX, fromY)
	if !ok {
		return false
	}
	b, ok := chart.TimeAt(x, fromY)
	if !ok {
		b = chart.To
		if x < fromX {
			b = chart.From
		}
	}
	if cell := chart.CellTime(); a != b { // the first column belongs to the range as a whole
		if a < b {
			a -= cell
		} else {
			b -= cell
		}
		a, b = max(a, chart.From), max(b, chart.From)
	}
	e.emit(setRange{analysis.Range{From: model.Time(min(a, b)), To: model.Time(max(a, b))}})
	return true
}

// wheelZoom zooms a chart of so many columns in and out around the pointer.
func wheelZoom(e *env, s *State, chart *widget.Chart, columns, x, y, rows int) bool {
	t, ok := chart.TimeAt(x, y)
	if !ok {
		return false
	}
	from, to := s.Visible()
	span := max((to-from)/2, model.Time(min(columns, 20)))
	if rows > 0 {
		if to-from >= s.Status.Duration/2 {
			e.emit(zoom{0})
			return true
		}
		span = 2 * (to - from)
	}
	start := model.Time(t) - model.Time(float64(span)*float64(t-chart.From)/max(float64(to-from), 1))
	e.emit(zoomTo{analysis.Range{From: start, To: start + span}})
	return true
}
