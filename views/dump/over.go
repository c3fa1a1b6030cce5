package dump

import (
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// layoutFigure is the figure in a chart over the layouts.
type layoutFigure uint8

const (
	occupiedBytes layoutFigure = iota
	returnedBytes
	largestHole
	layoutFigureCount
)

func (f layoutFigure) String() string {
	return [...]string{"Occupied bytes", "Reclaimable by packing", "Largest hole"}[f]
}

func (f layoutFigure) of(m *ui.MomentFigures) uint64 {
	return [...]uint64{m.Occupied, m.Returned, m.Hole}[f]
}

// layoutChart shows a figure of all layouts of a series over time.
type layoutChart struct {
	env    *ui.Env
	chart  widget.Chart
	area   widget.Rect
	state  state.State
	figure layoutFigure

	typeName string // of pages that the chart is about, "" for all
}

func newLayoutChart(e *ui.Env) *layoutChart { return &layoutChart{env: e} }

// show adopts a state for a chart drawn in r; typeName narrows it to one type of pages, "" does not.
func (c *layoutChart) show(s *state.State, r widget.Rect, typeName string) {
	c.state, c.area, c.typeName = *s, r, typeName
	d := c.env.Dump
	series := d.Series(s)
	if r.Empty() || series == state.NoSeries {
		return
	}
	key := ui.DevelopmentKey{Dump: d, Series: series}
	c.env.Layouts.Over.Ask(key)
	from, to := s.Visible()
	ch := &c.chart
	ch.From, ch.To = int64(from), int64(max(to, from+1)) // all layouts may have one time
	ch.DataFrom, ch.DataTo = ch.From, ch.To
	ch.Cursor, ch.PeakAt = int64(s.Now()), -1
	ch.RangeFrom, ch.RangeTo = 0, 0
	if !s.Range.IsFull() {
		ch.RangeFrom, ch.RangeTo = int64(max(s.Range.From, 0)), int64(s.Range.To)
	}
	ch.FormatX, ch.FormatY = model.StepTime, func(v uint64) string { return model.Bytes(v).Short() }
	ch.Title, ch.Answer, ch.Data = c.figure.String(), "", ch.Data[:0]
	if typeName != "" {
		ch.Title += " of " + widget.Truncate(typeName, 20)
	}
	ch.Empty = "adding up the layouts " + c.env.Look.Glyphs.Ellipsis
	c.setMarks()
	v, ok := c.env.Layouts.Over.Get()
	if !ok || v.DevelopmentKey != key {
		return
	}
	ch.Empty = "no layout is in view"
	ch.Data = c.points(v, typeName, from, to, max(ch.Dots(r), 1))
	ch.Answer = c.answer(v, typeName)
}

// toWorst selects the layout with the highest value in the chart, of all or of those in the range; it returns false if
// there is none.
func (c *layoutChart) toWorst(inRange bool) bool {
	if c.area.Empty() {
		return false
	}
	switch at, ready := c.worst(inRange); {
	case !ready:
		c.env.Say("the layouts are still being added up")
	case at == state.NoLayout:
		c.env.Say("no layout is in the range")
	default:
		c.env.Emit(state.ChooseLayout{Layout: at, At: c.env.Dump.Time(at)})
	}
	return true
}

// worst returns the layout with the highest value in the chart, the first of several, NoLayout if the range has none;
// ready is false while layouts are summed up.
func (c *layoutChart) worst(inRange bool) (layout int, ready bool) {
	v, ok := c.env.Layouts.Over.Get()
	if !ok || v.Dump != c.env.Dump || v.Series != c.env.Dump.Series(&c.state) {
		return state.NoLayout, false
	}
	layout = state.NoLayout
	most := uint64(0)
	for i := range v.Moments {
		m := &v.Moments[i]
		if r := c.state.Range; inRange && (m.At <= r.From || m.At > r.To) {
			continue
		}
		if f, found := m.Of(c.typeName, c.typeName == ""); found &&
			(layout == state.NoLayout || c.figure.of(&f) > most) {
			layout, most = m.Layout, c.figure.of(&f)
		}
	}
	return layout, true
}

// points spreads the layouts over n columns: a figure holds until the next layout.
func (c *layoutChart) points(v *ui.Development, typeName string, from, to model.Time, n int) []widget.Point {
	out := c.chart.Data[:0]
	k, last := 0, widget.Point{}
	value := func(i int) uint64 {
		f, _ := v.Moments[i].Of(typeName, typeName == "")
		return c.figure.of(&f)
	}
	for ; k < len(v.Moments) && v.Moments[k].At < from; k++ {
		x := value(k)
		last = widget.Point{Lo: x, Hi: x, Last: x, OK: true}
	}
	for i := range n {
		end := from + model.Time(float64(to-from)*float64(i+1)/float64(n))
		p := last
		for first := true; k < len(v.Moments) && (v.Moments[k].At <= end || i == n-1 && v.Moments[k].At <= to); k++ {
			x := value(k)
			if first {
				p, first = widget.Point{Lo: x, Hi: x, Last: x, OK: true}, false
				continue
			}
			p = widget.Point{Lo: min(p.Lo, x), Hi: max(p.Hi, x), Last: x, OK: true}
		}
		out = append(out, p)
		last = widget.Point{Lo: p.Last, Hi: p.Last, Last: p.Last, OK: p.OK}
	}
	return out
}

// setMarks shows where A and B are.
func (c *layoutChart) setMarks() {
	c.chart.Marks = c.chart.Marks[:0]
	for side, m := range c.state.Compare.Marks {
		if m.Set && !m.Other && m.Number >= 0 && m.Number < c.env.Dump.Count {
			c.chart.Marks = append(c.chart.Marks, widget.Mark{At: int64(c.env.Dump.Time(m.Number)),
				Glyph: [2]string{"A", "B"}[side], Style: c.env.Style(themes.Mark)})
		}
	}
}

// answer returns the figure at the instant, and its difference from the marked layout.
func (c *layoutChart) answer(v *ui.Development, typeName string) string {
	refA, refB := c.env.LayoutSides(&c.state)
	if c.env.OtherDump() != nil { // the chart is of this file alone
		refA, refB = refB, ui.LayoutRef{Dump: c.env.Dump, Layout: c.env.Dump.Layout(&c.state)}
		refA.Layout = state.NoLayout
	}
	a, b := refA.Layout, refB.Layout
	find := func(layout int) (n uint64, ok bool) {
		for i := range v.Moments {
			if v.Moments[i].Layout == layout {
				f, ok := v.Moments[i].Of(typeName, typeName == "")
				return c.figure.of(&f), ok
			}
		}
		return 0, false
	}
	here, ok := find(b)
	if !ok {
		return ""
	}
	text := ui.BytesText(here, c.state.Exact)
	if before, ok := find(a); ok && a != state.NoLayout {
		text = fmt.Sprintf("%s since A: %s", text,
			ui.DeltaText(before, here, func(n uint64) string { return ui.BytesText(n, c.state.Exact) }))
	}
	return text
}

func (c *layoutChart) Draw(s tcell.Screen) { c.chart.Draw(s, c.area, c.env.Look) }

// cells returns the number of cells of the time axis.
func (c *layoutChart) cells() int { return c.chart.Dots(c.area) / 2 }

// Click selects the layout at a place in the chart; it returns false if there is none.
func (c *layoutChart) Click(x, y int) bool {
	t, ok := c.chart.TimeAt(x, y)
	if ok && !c.area.Empty() {
		c.env.Emit(state.MoveTo{At: analysis.At(model.Time(t))})
	}
	return ok
}
