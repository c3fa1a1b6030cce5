package compare

import (
	"context"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// chart shows the curves of both sides over each other, aligned at the start, at a marker or by share of duration. Two
// moments of one file share one curve, in which both are marked.
type chart struct {
	env    *ui.Env
	chart  widget.Lines
	area   widget.Rect
	state  state.State
	curves *ui.Lazy[curveKey, curves]
	profs  *ui.Lazy[[2]ui.ProfileCurveKey, profileCurves]
	spans  [2]diff.TimeSpan
	m      diff.TimeMap
	one    bool // both sides are the same curve

	estimated [2]bool // the curve of a side is
}

type curveKey struct {
	files     [2]*ui.ComparedFile
	revisions [2]uint64
	spans     [2]diff.TimeSpan
	m         diff.TimeMap
	axis      diff.TimeSpan
	columns   int
}

// curves are the columns of both sides.
type curves struct {
	curveKey
	cols []diff.Column
}

func newChart(e *ui.Env) *chart {
	c := &chart{env: e, profs: ui.NewLazy(e, computeCurves)}
	c.curves = ui.NewLazy(e, func(ctx context.Context, k curveKey) (curves, error) {
		out := curves{curveKey: k}
		var err error
		out.cols, err = diff.Curves(ctx, [2]analysis.Trace{k.files[0].Trace, k.files[1].Trace}, k.m, k.axis, k.columns)
		return out, err
	})
	return c
}

// Show adopts a state for a chart drawn in r.
func (c *chart) Show(s *state.State, r widget.Rect) {
	c.state, c.area = *s, r
	sides, ok := makeSides(c.env, s, ui.DiffSites, s.Group, s.Cost)
	for i := range sides {
		c.estimated[i] = sides[i].estimated()
	}
	switch {
	case ok && sides[0].Prof.Of != nil && sides[1].Prof.Of != nil:
		c.showProf(s, &sides)
		return
	case !ok || sides[0].file.Trace == nil || sides[1].file.Trace == nil || sides[0].Prof.Of != nil || sides[1].Prof.Of != nil:
		c.chart.Empty = "only two traces, or two profiles, have curves to compare"
		c.chart.Curves = nil
		return
	}
	moments := s.Moments(c.env.Second != nil, c.env.TimeMap(s))
	for i := range sides {
		c.spans[i] = sides[i].file.Span(s)
		if over := moments[i].Over; !over.IsFull() && s.Compare.Align != diff.AlignMarker &&
			over.To > max(over.From, 0) {
			c.spans[i] = diff.TimeSpan{From: max(over.From, 0), To: min(over.To, c.spans[i].To)}
		}
	}
	c.one = sides[0].file == sides[1].file && (moments[state.SideA].Over.IsFull() ||
		moments[state.SideB].Over.IsFull() || moments[state.SideA].Over.To <= 0)
	if c.one {
		c.spans[0] = sides[0].file.Span(s)
		c.spans[1] = c.spans[0]
	}
	c.m = diff.NewTimeMap(s.Compare.Align, c.spans[0], c.spans[1], s.Compare.Moments[0], s.Compare.Moments[1])
	if c.one {
		c.m = diff.NewTimeMap(diff.AlignStart, c.spans[0], c.spans[1], 0, 0)
	}
	axis := c.m.Axis()
	if dots := c.chart.Dots(r); dots > 0 && axis.To > axis.From {
		key := curveKey{spans: c.spans, m: c.m, axis: axis, columns: int(min(int64(dots), int64(axis.To-axis.From)))}
		for i := range sides {
			key.files[i], key.revisions[i] = sides[i].file, sides[i].revision
		}
		c.curves.Ask(key)
	}
	c.setMarks(moments)
	c.setData(axis)
}

// setMarks shows where A and B are on the axis, which is the time of A.
func (c *chart) setMarks(moments [2]state.Moment) {
	c.chart.Marks = c.chart.Marks[:0]
	for i, m := range moments {
		at := min(m.At.T, c.spans[i].To)
		if !m.Over.IsFull() {
			at = min(m.Over.To, c.spans[i].To)
		}
		if i == state.SideB {
			at = c.m.Before(at)
		}
		name := [2]string{"A", "B"}[i]
		c.chart.Marks = append(c.chart.Marks, widget.Mark{At: int64(at), Glyph: name, Style: sideStyle(c.env, i)})
	}
	if c.chart.Marks[1].At < c.chart.Marks[0].At {
		c.chart.Marks[0], c.chart.Marks[1] = c.chart.Marks[1], c.chart.Marks[0]
	}
}

// sideStyle returns the color of a side's curve.
func sideStyle(e *ui.Env, side int) tcell.Style {
	return e.Style([2]themes.Role{themes.Spark, themes.Accent}[side])
}

// setData passes the newest curves to the chart.
func (c *chart) setData(axis diff.TimeSpan) {
	s, ch := &c.state, &c.chart
	ch.From, ch.To = int64(axis.From), int64(axis.To)
	ch.Cursor, ch.PeakAt = -1, -1
	ch.Decimal = s.Series == state.SeriesBlocks
	series := s.Series
	ch.FormatX, ch.FormatY = model.StepTime, func(v uint64) string { return ui.Short(series, v) }
	ch.Empty = "reading both curves"
	ch.Curves = ch.Curves[:0]
	v, ok := c.curves.Get()
	if ok {
		ch.DataFrom, ch.DataTo = int64(v.axis.From), int64(v.axis.To)
		for side := range 2 {
			if side == state.SideB && c.one {
				break
			}
			ch.Curves = append(ch.Curves, widget.Curve{
				Data: pointsOf(v.cols, side, s.Series), Glyph: [2]string{"A", "B"}[side],
				Style: sideStyle(c.env, side), Front: side == state.SideB,
			})
		}
		if c.one {
			ch.Curves[0].Glyph = c.env.Look.Glyphs.Bullet
		}
	}
	ch.Title = s.Series.String()
	ch.Answer = c.answer(v.cols)
	if !c.one {
		ch.Title += " · aligned " + [...]string{"at the start", "at a marker", "by share of duration"}[s.Compare.Align]
	}
}

// pointsOf returns the columns of one side as charts show them.
func pointsOf(cols []diff.Column, side int, as state.Series) []widget.Point {
	out := make([]widget.Point, len(cols))
	for i := range cols {
		if cols[i].Known[side] {
			out[i] = ui.Point(as, &cols[i].Sides[side])
		}
	}
	return out
}

// answer returns the highest value of each side.
func (c *chart) answer(cols []diff.Column) string {
	if len(cols) == 0 || c.one {
		return ""
	}
	var top [2]uint64
	for i := range cols {
		for side := range top {
			if cols[i].Known[side] {
				top[side] = max(top[side], ui.Point(c.state.Series, &cols[i].Sides[side]).Hi)
			}
		}
	}
	return c.tops(ui.Format(c.state.Series, top[0], c.state.Exact), ui.Format(c.state.Series, top[1], c.state.Exact))
}

// tops returns the highest values of both sides, marked where they are estimates.
func (c *chart) tops(a, b string) string {
	text := [2]string{a, b}
	for i, estimated := range c.estimated {
		if estimated {
			text[i] = model.AsEstimates(text[i])
		}
	}
	return "A at most " + text[0] + " · B at most " + text[1]
}

func (c *chart) Draw(s tcell.Screen) { c.chart.Draw(s, c.area, c.env.Look) }

// Columns returns the number of cells of the time axis.
func (c *chart) Columns() int { return c.chart.Dots(c.area) / 2 }

// offered reports whether both sides have curves.
func (c *chart) offered(s *state.State) bool {
	a, b := c.env.First.ProfileFile(s), c.env.First.ProfileFile(s)
	if second := c.env.Second; second != nil {
		b = second.ProfileFile(s)
		if a == nil && b == nil {
			return c.env.First.Trace != nil && second.Trace != nil
		}
	} else if a == nil {
		return c.env.First.Trace != nil
	}
	return a != nil && b != nil && a.HasCurve() && b.HasCurve()
}

func (c *chart) Do(a keymap.Action) bool {
	if a != keymap.Series || c.env.Prof != nil {
		return false
	}
	c.env.Emit(state.SetSeries{Series: c.state.Series.Next()})
	return true
}

// Click moves the instant of A to a place in the chart; it returns false if the place is outside.
func (c *chart) Click(x, y int) bool {
	t, ok := c.chart.TimeAt(x, y)
	if ok {
		c.env.Emit(state.MoveTo{At: analysis.At(model.Time(max(t, 0)))})
	}
	return ok
}
