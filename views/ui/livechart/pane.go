// Package livechart draws what is live over time: the curve with its instant, range, markers and collections, divided by
// sites, and with the curves that were measured in addition to the events.
package livechart

import (
	"context"
	"fmt"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Pane is the live curve with its instant, range, peak, markers and collections. What it fetches does not depend
// on the instant, so that scrubbing only moves the cursor.
type Pane struct {
	env    *ui.Env
	chart  widget.Lines
	area   widget.Rect
	legend widget.Rect         // below it; empty for none
	items  []widget.LegendItem // of the legend
	state  state.State
	curve  *ui.Lazy[curveKey, curve]
	part   *ui.Lazy[partKey, parted]
	Peak   *ui.Lazy[peakKey, peaks]

	WithStart    bool // the title says since when the recording goes
	WithMeasured bool // the curve measured in addition to the events is drawn in the background
	measured     measuredCurve
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
	Run, within     analysis.Peak
	Ok, withinRange bool
}

// MaxMarks is the maximum number of markers and collections that are read for one chart.
const MaxMarks = 100_000

// NewPane returns the chart of the live curve.
func NewPane(e *ui.Env) *Pane {
	c := &Pane{env: e}
	c.curve = ui.NewLazy(e, func(ctx context.Context, k curveKey) (curve, error) { return askCurve(ctx, e.Trace, k) })
	c.part = ui.NewLazy(e, func(ctx context.Context, k partKey) (parted, error) { return askPart(ctx, e.Trace, k) })
	c.Peak = ui.NewLazy(e, func(ctx context.Context, k peakKey) (peaks, error) { return askPeaks(ctx, e.Trace, k) })
	return c
}

func askCurve(ctx context.Context, t analysis.Trace, k curveKey) (curve, error) {
	out := curve{curveKey: k}
	r := state.Between(k.from, k.to)
	var err error
	if out.cols, err = t.Chart(ctx, r, k.columns); err != nil {
		return out, err
	}
	marks, _, err := t.Marks(ctx, r, MaxMarks)
	for _, m := range marks {
		if m.GC {
			out.collections = append(out.collections, int64(m.Time))
		} else {
			out.marks = append(out.marks, m)
		}
	}
	return out, err
}

func askPeaks(ctx context.Context, t analysis.Trace, k peakKey) (p peaks, err error) {
	if p.Run, p.Ok, err = t.Peak(ctx, analysis.FullRange); err != nil || k.r.IsFull() {
		return p, err
	}
	p.within, p.withinRange, err = t.Peak(ctx, k.r)
	return p, err
}

// Show adopts a state for a chart drawn in r.
func (c *Pane) Show(s *state.State, r widget.Rect) {
	c.state = *s
	c.legendArea(s, r)
	r = c.area
	from, to := s.Visible()
	dots := c.chart.Dots(r)
	if span := int64(to - from); span > 0 && span < int64(dots) {
		dots = int(span) // no column is shorter than a microsecond
	}
	if dots > 0 && s.Status.Events > 0 {
		k := curveKey{s.Status.Revision, from, to, dots}
		c.curve.Ask(k)
		c.env.Charted()
		if part, ok := partOf(s, k); ok {
			c.part.Ask(part)
		}
		c.Peak.Ask(peakKey{s.Status.Revision, s.Range})
	}
	c.setMarks()
	c.setData(from, to)
}

// Columns returns the number of cells of the time axis, which is the distance of one step.
func (c *Pane) Columns() int { return c.chart.Dots(c.area) / 2 }

// setData passes the newest curve to the chart.
func (c *Pane) setData(from, to model.Time) {
	s, ch := &c.state, &c.chart
	ch.Backdrop, ch.Curves, ch.Legend, ch.Stacked = nil, nil, nil, false
	ch.From, ch.To = int64(from), int64(to)
	ch.Cursor, ch.PeakAt = int64(s.Now()), -1
	ch.RangeFrom, ch.RangeTo = 0, 0
	if !s.Range.IsFull() {
		ch.RangeFrom, ch.RangeTo = int64(max(s.Range.From, 0)), int64(s.Range.To)
	}
	ch.Decimal = s.Series == state.SeriesBlocks
	series := s.Series
	ch.FormatX, ch.FormatY = model.StepTime, func(v uint64) string { return ui.Short(series, v) }
	ch.Empty = c.emptyText()
	v, ok := c.curve.Get()
	ch.Data = ch.Data[:0]
	if ok {
		ch.DataFrom, ch.DataTo = int64(v.from), int64(v.to)
		for i := range v.cols {
			ch.Data = append(ch.Data, ui.Point(s.Series, &v.cols[i]))
		}
	}
	if p, ok := c.Peak.Get(); ok && p.Ok && s.Series == state.SeriesBytes {
		ch.PeakAt = int64(p.Run.Time)
	}
	ch.Title, ch.Answer = c.Title(), c.answer()
	if since := sinceText(s.Profile); c.WithStart && s.View.IsFull() && widget.Width(ch.Title+since+ch.Answer)+titleRoom <= c.area.W {
		ch.Title += since
	}
	if part, narrowed := partOf(s, v.curveKey); ok && narrowed {
		c.showPart(part)
		return
	}
	c.showMeasured()
}

// titleRoom is what a title line needs in addition to its texts.
const titleRoom = 6

// sinceText returns since when a recording goes, "" if it does not state that.
func sinceText(p *model.Profile) string {
	const year9999 = 253402300800_000000
	if p == nil || !p.Meta.HasStart || p.Meta.Start == 0 || p.Meta.Start >= year9999 {
		return ""
	}
	return time.UnixMicro(int64(p.Meta.Start)).UTC().Format(" · since " + time.DateTime + " UTC")
}

// emptyText returns why there is no curve.
func (c *Pane) emptyText() string {
	switch s := &c.state; {
	case model.Internal(c.curve.Failure()):
		return widget.Clean(c.curve.Err.Error())
	case c.curve.Failure() != nil:
		return "the events cannot be read: " + widget.Clean(c.curve.Err.Error())
	case s.Status.Final:
		return "the file has no events"
	case s.Status.Stopped:
		return "stopped before the first events"
	}
	return "reading the first events"
}

// setMarks passes markers and collections to the chart.
func (c *Pane) setMarks() {
	v, _ := c.curve.Get()
	c.chart.Marks, c.chart.Ticks = c.chart.Marks[:0], v.collections
	for _, m := range v.marks {
		c.chart.Marks = append(c.chart.Marks, widget.Mark{At: int64(m.Time), Name: m.Name})
	}
}

// Title returns what the chart shows, and of which time.
func (c *Pane) Title() string {
	s := &c.state
	title := s.Series.String() + c.partTitle()
	if s.Status.Unfreed && s.Series != state.SeriesRate {
		title += " (upper bound)"
	}
	if !s.View.IsFull() {
		from, to := s.Visible()
		step := max(int64(to-from)/100, 1)
		for p := int64(1); ; p *= 10 { // as many digits as distinguish the ends
			if p*10 > step {
				step = p
				break
			}
		}
		title += " · " + model.StepTime(int64(from)/step*step, step) + " – " + model.StepTime(int64(to)/step*step, step)
	}
	return title
}

// answer returns the summary in the chart's title line.
func (c *Pane) answer() string {
	s := &c.state
	if s.Series != state.SeriesBytes {
		v, ok := c.curve.Get()
		if !ok || len(v.cols) == 0 {
			return ""
		}
		top := uint64(0)
		for i := range v.cols {
			top = max(top, ui.Point(s.Series, &v.cols[i]).Hi)
		}
		return "at most " + ui.Format(s.Series, top, s.Exact)
	}
	p, ok := c.Peak.Get()
	switch {
	case !ok || !p.Ok:
		return ""
	case p.withinRange:
		return fmt.Sprintf("peak in the range %s at %s", s.Bytes(p.within.Bytes),
			ui.TimeText(p.within.Time, s.Exact))
	}
	return fmt.Sprintf("peak %s at %s", s.Bytes(p.Run.Bytes), ui.TimeText(p.Run.Time, s.Exact))
}

// Draw draws the chart into the area that it was given.
func (c *Pane) Draw(s tcell.Screen) {
	if c.drawLegend(s); c.chart.Stacked {
		c.chart.Draw(s, c.area, c.env.Look)
		return
	}
	c.chart.Chart.Draw(s, c.area, c.env.Look)
}

// Do carries out the actions that concern only the chart.
func (c *Pane) Do(a keymap.Action) bool {
	switch a {
	case keymap.Series:
		c.env.Emit(state.SetSeries{Series: c.state.Series.Next()})
	case keymap.Divide:
		c.env.Emit(state.SetChart{Of: c.state.NextChart()})
	default:
		return false
	}
	return true
}

// Click moves the instant to a place in the chart; it returns false if the place is outside.
func (c *Pane) Click(x, y int) bool {
	t, ok := c.chart.TimeAt(x, y)
	if ok {
		c.env.Emit(state.MoveTo{At: analysis.At(model.Time(t))})
	}
	return ok
}

// Drag selects the range between two places in the chart.
func (c *Pane) Drag(fromX, fromY, x int) bool {
	return DragRange(c.env, &c.chart.Chart, fromX, fromY, x)
}

// Wheel zooms in and out around the pointer; it returns false if that is not over the chart.
func (c *Pane) Wheel(x, y, rows int) bool {
	return WheelZoom(c.env, &c.state, &c.chart.Chart, c.Columns(), x, y, rows)
}

// DragRange selects the range between two places in a chart. One that ends outside ends at the chart's edge.
func DragRange(e *ui.Env, chart *widget.Chart, fromX, fromY, x int) bool {
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
	if cell := chart.CellTime(); a != b { // the complete first column is in the range
		if a < b {
			a -= cell
		} else {
			b -= cell
		}
		a, b = max(a, chart.From), max(b, chart.From)
	}
	e.Emit(state.SetRange{R: analysis.Range{From: model.Time(min(a, b)), To: model.Time(max(a, b))}})
	return true
}

// WheelZoom zooms a chart of so many columns in and out around the pointer.
func WheelZoom(e *ui.Env, s *state.State, chart *widget.Chart, columns, x, y, rows int) bool {
	t, ok := chart.TimeAt(x, y)
	if !ok {
		return false
	}
	from, to := s.Visible()
	span := max((to-from)/2, model.Time(min(columns, 20)))
	if rows > 0 {
		if to-from >= s.Status.Duration/2 {
			e.Emit(state.Zoom{Factor: 0})
			return true
		}
		span = 2 * (to - from)
	}
	start := model.Time(t) - model.Time(float64(span)*float64(t-chart.From)/max(float64(to-from), 1))
	e.Emit(state.ZoomTo{R: analysis.Range{From: start, To: start + span}})
	return true
}
