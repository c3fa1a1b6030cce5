package trace

import (
	"context"
	"fmt"
	"math/bits"
	"sort"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/ui/livechart"
	"github.com/memtui/memtui/views/widget"
)

// rangeKey determines the figures of a range.
type rangeKey struct {
	revision uint64
	r        analysis.Range
}

// rangeFigures are the figures of a range.
type rangeFigures struct {
	rangeKey
	start, end analysis.Level
	totals     analysis.Totals
	peak       analysis.Peak
	hasPeak    bool // the range has an event
}

func askRange(ctx context.Context, t analysis.Trace, k rangeKey) (f rangeFigures, err error) {
	f.rangeKey = k
	if k.r.From >= 0 { // otherwise nothing is live before the range
		if f.start, err = t.Live(ctx, analysis.At(k.r.From)); err != nil {
			return f, err
		}
	}
	if f.end, err = t.Live(ctx, analysis.At(k.r.To)); err != nil {
		return f, err
	}
	if f.totals, err = t.Totals(ctx, k.r); err != nil {
		return f, err
	}
	f.peak, f.hasPeak, err = t.Peak(ctx, k.r)
	return f, err
}

// figure is a labeled number in a line of them.
type figure struct {
	label, value string
	role         themes.Role
}

// drawReadout draws the figures at the instant, and over the range.
func (p *Timeline) drawReadout(s tcell.Screen, r widget.Rect) {
	if r.Empty() || p.State.Status.Events == 0 {
		return
	}
	p.drawFigures(s, r.X+1, r.Y, r.W-2, p.instantFigures())
	if v, ok := p.rng.Get(); ok && r.H >= 3 && !p.State.Range.IsFull() {
		p.drawFigures(s, r.X+1, r.Y+1, r.W-2, p.spanFigures(&v))
		p.drawFigures(s, r.X+1, r.Y+2, r.W-2, p.flowFigures(&v))
	}
}

// drawFigures draws as many complete figures as fit.
func (p *Timeline) drawFigures(s tcell.Screen, x, y, w int, list []figure) {
	end, gap := x+w, 3
	if w < 100 {
		gap = 2
	}
	for i, f := range list {
		if i > 0 && x+widget.Width(f.label)+1+widget.Width(f.value) > end {
			return
		}
		if f.label != "" {
			x += widget.Print(s, x, y, end-x, f.label, p.Look.Muted) + 1
		}
		x += widget.Print(s, x, y, end-x, f.value, p.Style(f.role)) + gap
	}
}

// instantFigures returns the figures at the instant: time, level, allocation rate, how far below the peak.
func (p *Timeline) instantFigures() []figure {
	s, level := &p.State, p.top.got.level
	now := min(p.top.got.at.T, s.Status.Duration) // of the level, which may be a frame late
	bytes := s.Bytes
	list := []figure{
		{"live", fmt.Sprintf("%s%s in %s", ui.AtMost(s), bytes(level.Bytes), s.Blocks(level.Count)), themes.Title},
		{"at", model.StepTime(int64(now), 1), themes.Accent},
	}
	step, known := p.stepNow()
	if known {
		list = append(list, figure{"allocating", s.Estimate(step.rate(s.Exact)) + p.stepSpan(&step), themes.Text})
	}
	if q, ok := p.chart.Peak.Get(); ok && q.Ok {
		list = append(list, figure{"to peak", ui.DeltaText(level.Bytes, q.Run.Bytes, bytes), themes.Text})
	}
	if m := livechart.Measured(s); m != nil {
		if v, _, ok := pages.ValueAt(m, now); ok {
			list = append(list, figure{m.Name, ui.BytesText(uint64(max(v, 0)), s.Exact), themes.Muted})
		}
	}
	if known {
		list = append(list, figure{"events in this column", model.Group(step.totals.Events), themes.Muted})
	}
	return list
}

// stepFigures are the sums over the time of the chart column under the instant.
type stepFigures struct {
	totalsKey
	totals analysis.Totals
}

// rate returns the bytes allocated per second, as text.
func (f *stepFigures) rate(exact bool) string {
	return ui.RateText(&analysis.Column{From: max(f.over.From, 0), To: f.over.To, AllocBytes: f.totals.AllocBytes}, exact)
}

// stepSpan returns the time span of a rate, which depends on the chart's width and zoom.
func (p *Timeline) stepSpan(f *stepFigures) string {
	const wide = 140 // cells from which on there is room to name the column
	span := ui.TimeText(f.over.To-max(f.over.From, 0), p.State.Exact)
	if p.Rect().W < wide {
		return " over " + span
	}
	return " in this column of " + span
}

// stepRange returns the time of the column of cells under the instant, if all columns are of equal duration: the edges
// of the chart's own columns may differ.
func (p *Timeline) stepRange() (r analysis.Range, ok bool) {
	s := &p.State
	from, to := s.Visible()
	now := min(s.Now(), s.Status.Duration)
	n := min(int64(p.Columns()), int64(to-from))
	if n <= 0 || now < from || now > to || s.Status.Events == 0 {
		return r, false
	}
	return EvenColumn(from, to, int(n), now), true
}

// EvenColumn returns the column, of n of equal duration between two times, that contains a time. The first one includes
// its start.
func EvenColumn(from, to model.Time, n int, at model.Time) analysis.Range {
	edge := func(i int) model.Time {
		hi, lo := bits.Mul64(uint64(to-from), uint64(i))
		q, _ := bits.Div64(hi, lo, uint64(n))
		return from + model.Time(q)
	}
	i := sort.Search(n-1, func(i int) bool { return edge(i+1) >= at })
	return state.Between(edge(i), edge(i+1))
}

// stepNow returns the figures for stepRange; ok is false while they are being computed.
func (p *Timeline) stepNow() (f stepFigures, ok bool) {
	f, ok = p.step.Get()
	over, is := p.stepRange()
	return f, ok && is && f.over == over && p.step.Good()
}

// spanFigures compares both ends of the range.
func (p *Timeline) spanFigures(f *rangeFigures) []figure {
	bytes := p.State.Bytes
	change, role := ui.DeltaText(f.start.Bytes, f.end.Bytes, bytes), themes.Text
	switch {
	case f.end.Bytes > f.start.Bytes:
		role = themes.Loss
	case f.end.Bytes < f.start.Bytes:
		role = themes.Gain
	}
	return []figure{
		{"start", bytes(f.start.Bytes), themes.Text},
		{"end", bytes(f.end.Bytes), themes.Text},
		{"Δ", change + ", " + ui.DeltaText(f.start.Count, f.end.Count, model.Blocks), role},
		{"over", ui.TimeText(f.r.To-max(f.r.From, 0), p.State.Exact), themes.Text},
	}
}

// flowFigures sums up the changes in the range.
func (p *Timeline) flowFigures(f *rangeFigures) []figure {
	bytes := p.State.Bytes
	list := []figure{
		{"allocated", bytes(f.totals.AllocBytes) + " in " + model.Group(f.totals.AllocCount), themes.Text},
		{"freed", bytes(f.totals.FreedBytes) + " in " + model.Group(f.totals.FreedCount), themes.Text},
	}
	if !f.hasPeak {
		return []figure{{"", "no events in this range", themes.Muted}}
	}
	list = append(list, figure{"high", bytes(f.peak.Bytes) + " at " + ui.TimeText(f.peak.Time, p.State.Exact), themes.Text})
	if p.State.Sampled() { // two events in a row are those of two samples
		return list
	}
	return append(list, figure{"temporary", ui.PartText(f.totals.TemporaryCount, f.totals.AllocCount), themes.Text})
}
