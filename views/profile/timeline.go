package profile

import (
	"context"
	"math"
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/ui/livechart"
	"github.com/memtui/memtui/views/widget"
)

// Timeline shows the times and weights of samples, and the windows of the file. The range or window selected here
// applies to every other screen.
type Timeline struct {
	ui.Pane
	ui.ListPane
	*ui.Table[windowData, int]
	chart   widget.Chart
	curve   *ui.Lazy[ui.ProfileCurveKey, ui.ProfileCurve]
	windows *ui.Lazy[ui.WindowsKey, *windowSums]
	area    widget.Rect
	big     bool // the chart fills the screen
}

// NewTimeline returns the curve of samples over time.
func NewTimeline(e *ui.Env) *Timeline {
	p := &Timeline{Pane: ui.NewPane(e)}
	p.curve = ui.NewLazy(e, ui.FetchProfCurve)
	p.windows = ui.NewLazy(e, func(ctx context.Context, k ui.WindowsKey) (*windowSums, error) {
		sums, err := ui.SumWindows(ctx, k)
		return &windowSums{sums}, err
	})
	p.Table = ui.NewTable(e, &p.ListPane, windowData{}, p.windowSpec())
	return p
}

func (p *Timeline) Name() string { return "Timeline" }

func (p *Timeline) Action() keymap.Action { return keymap.ShowTimeline }

func (p *Timeline) Needs() model.Facet { return model.FacetProfile }

func (p *Timeline) Scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeTimeline, keymap.ScopeTable, keymap.ScopeProfile}
}

// Useless implements [ui.Refuser]: windows are not grouped.
func (p *Timeline) Useless(a keymap.Action) bool { return a == keymap.Group }

func (p *Timeline) Command() []string { return p.Prof.Arguments(&p.State) }

func (p *Timeline) Follows() string { return "" }

// Columns returns how many cells the chart has for the time axis.
func (p *Timeline) Columns() int { return p.chart.Dots(p.area) / 2 }

// OfferedFor implements offered.
func (p *Timeline) OfferedFor(f *model.Profile) bool {
	return f.Weights != nil && (len(f.Weights.Samples) > 0 || len(f.Weights.Windows) > 0)
}

func (p *Timeline) Show(s *state.State) {
	p.State = *s
	if p.Prof == nil || len(p.Prof.Weights.Events) == 0 {
		return
	}
	p.area, _ = p.divide(p.Rect())
	k, d := p.Prof.Key(s), windowData{of: p.Prof}
	if k.None {
		p.Ask(d, s.Filter)
		return
	}
	p.windows.Ask(ui.WindowsKey{Of: p.Prof, Event: k.Event, Metric: k.Metric, Filters: k.Filters})
	d.sums, _ = p.windows.Get()
	d.unit = k.Unit()
	p.Ask(d, s.Filter)
	from, to := s.Visible()
	dots := p.chart.Dots(p.area)
	if span := int64(to - from); span > 0 && span < int64(dots) {
		dots = int(span)
	}
	if dots > 0 {
		p.curve.Ask(ui.ProfileCurveKey{Of: p.Prof, Event: k.Event, Metric: k.Metric, Filters: k.Filters, From: from, To: to, Columns: dots})
	}
	p.setData(k, from, to)
}

// setData gives the newest curve to the chart.
func (p *Timeline) setData(k ui.ProfileKey, from, to model.Time) {
	ch, s := &p.chart, &p.State
	ch.From, ch.To, ch.Cursor, ch.PeakAt = int64(from), int64(to), int64(s.Now()), -1
	ch.RangeFrom, ch.RangeTo = 0, 0
	if k.Ranged {
		ch.RangeFrom, ch.RangeTo = int64(k.From), int64(k.To)
	} else if k.Window != state.NoWindow {
		w := &p.Prof.Weights.Windows[k.Window]
		ch.RangeFrom, ch.RangeTo = int64(w.Start), int64(w.End)
	}
	ch.FormatX = ui.Axis(p.Prof.Weights.AxisUnit)
	ch.Empty = "no sample of this event is in view"
	c, ok := p.curve.Get()
	ch.Data = ch.Data[:0]
	if !ok {
		return
	}
	unit := c.Unit()
	what := k.MetricName()
	if c.Counts {
		unit, what = ui.ProfileUnit{}, "samples"
	}
	unit.Scale = 1
	if c.Top > 0 && c.Top < 100 && c.Top != math.Trunc(c.Top) {
		unit.Scale = 1000
	}
	ch.Decimal = unit.Kind != ui.UnitBytes
	ch.FormatY = func(v uint64) string {
		if unit.Kind == ui.UnitBytes {
			return model.Bytes(v).Short()
		}
		return unit.Scaled(v, false)
	}
	ch.DataFrom, ch.DataTo = int64(c.From), int64(c.To)
	for _, v := range c.Values {
		n := uint64(min(max(v*unit.Scale, 0), math.MaxInt64))
		ch.Data = append(ch.Data, widget.Point{Lo: 0, Hi: n, Last: n, OK: true})
	}
	ch.Title = k.Of.EventName(k.Event) + " · " + what
	if p.Prof.Samples == 0 {
		ch.Title += " of windows"
	} else {
		ch.Title += " per " + model.Time(max(int64(c.To-c.From)/int64(max(len(c.Values), 1)), 1)).In(p.Prof.Weights.AxisUnit)
	}
	ch.Answer = p.answer(k, c, unit)
}

// answer returns the summary in the title line: the selection, else the highest column.
func (p *Timeline) answer(k ui.ProfileKey, c ui.ProfileCurve, unit ui.ProfileUnit) string {
	if scope := k.Scope(); scope != "" {
		return "all screens: " + scope
	}
	return "at most " + unit.Scaled(uint64(min(c.Top*unit.Scale, math.MaxInt64)), false)
}

// divide assigns at most half of the rows to the windows, and the rest to the chart.
func (p *Timeline) divide(r widget.Rect) (chart, list widget.Rect) {
	n := 0
	if p.Prof != nil {
		n = len(p.Prof.Weights.Windows)
	}
	if p.big || r.H < 9 {
		return r, list
	}
	if n == 0 {
		return r.CutBottom(2)
	}
	return r.CutBottom(min(n+2, r.H/2))
}

// Draw implements tview.Primitive.
func (p *Timeline) Draw(s tcell.Screen) {
	r := p.Rect()
	if p.Prof == nil || len(p.Prof.Weights.Events) == 0 {
		widget.Print(s, r.X+1, r.Y, r.W-2, "This file has no events.", p.Look.Muted)
		return
	}
	var list widget.Rect
	p.area, list = p.divide(r)
	p.chart.Draw(s, p.area, p.Look)
	if list.Empty() {
		return
	}
	if len(p.Prof.Weights.Windows) == 0 {
		_, below := list.CutTop(1)
		widget.PrintWrapped(s, below, p.Hint("{range} and {step-back}/{step-forward}, or dragging, select a range: every other screen shows only its samples. {clear-range} clears it."), p.Look.Muted)
		return
	}
	title, body := list.CutTop(1)
	widget.TitleLine(s, title, p.Look, model.Counted(len(p.Prof.Weights.Windows), "window"),
		p.Hint("{open} shows only that window on every screen"))
	p.Layout(body.W, &p.State)
	p.List.Focused = true
	p.List.Empty = []string{"No matches for “" + p.State.Filter + "”.", p.FilterHint()}
	p.List.Draw(s, body, p.Look)
}

func (p *Timeline) Do(a keymap.Action) bool {
	switch a {
	case keymap.Open:
		p.choose()
	case keymap.Peak:
		if p.Prof == nil || p.Prof.Samples == 0 { // the peak is a window
			return false
		}
		p.toPeak()
	case keymap.Maximize:
		p.big = !p.big
		p.Changed()
	default:
		return p.OrderBy(a) || ui.MoveList(&p.List, a)
	}
	return true
}

// toPeak moves the instant to the highest column.
func (p *Timeline) toPeak() {
	c, ok := p.curve.Get()
	if !ok || c.Top == 0 {
		p.Say("the curve has no peak here")
		return
	}
	i := slices.Index(c.Values, c.Top)
	p.Emit(state.MoveTo{At: analysis.At(c.From + model.Time(float64(c.To-c.From)*(float64(i)+0.5)/float64(len(c.Values))))})
}

// Unopened implements [ui.Unopener].
func (p *Timeline) Unopened() string {
	if _, ok := p.Selected(); !ok {
		return p.Hint("this file has no windows: {range} and {step-back}/{step-forward} select a range")
	}
	return ""
}

// choose restricts all screens to the selected window, or resets them to the complete run.
func (p *Timeline) choose() {
	row, ok := p.Selected()
	switch {
	case !ok:
		p.Say(p.Unopened())
	case *row == p.State.Prof.Window:
		p.Emit(state.ChooseWindow{Window: state.NoWindow})
	default:
		p.Emit(state.ChooseWindow{Window: *row})
	}
}

func (p *Timeline) CopyText() string {
	row, ok := p.Selected()
	if !ok {
		return ""
	}
	w := &p.Prof.Weights.Windows[*row]
	return widget.Clean(ui.WindowName(p.Prof.Weights, *row) + "  " + ui.RangeText(w.Start, w.End, p.Prof.Weights.AxisUnit))
}

// Click implements clicker.
func (p *Timeline) Click(x, y int, double bool) {
	if t, ok := p.chart.TimeAt(x, y); ok {
		p.Emit(state.MoveTo{At: analysis.At(model.Time(t))})
		return
	}
	if p.Hit(x, y) && double {
		p.choose()
	}
}

func (p *Timeline) Drag(fromX, fromY, x, _ int, _ bool) {
	if p.Prof != nil && p.Prof.Ranges() {
		livechart.DragRange(p.Env, &p.chart, fromX, fromY, x)
	}
}

func (p *Timeline) Wheel(x, y, rows int) {
	if !livechart.WheelZoom(p.Env, &p.State, &p.chart, p.Columns(), x, y, rows) {
		p.List.Scroll(rows)
	}
}

// Difference implements [ui.Differing].
func (p *Timeline) Difference(table func(ui.Screen, ui.DiffTable) ui.Screen) ui.Screen {
	return table(p, ui.DiffTable{Chart: true, Tall: true})
}
