package views

import (
	"context"
	"math"
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/widget"
)

// profTimeline shows when samples were taken and what they weigh, and the windows of the file. The range that is selected here is
// what every other screen is about, and so is a window.
type profTimeline struct {
	pane
	chart   widget.Chart
	curve   *lazy[profCurveKey, profCurve]
	windows *lazy[windowsKey, []model.Amount]
	list    widget.List
	area    widget.Rect
	big     bool // the chart fills the screen
	sums    []model.Amount
}

// profCurveKey determines a curve of samples, or of windows in a file without samples.
type profCurveKey struct {
	of       *profFile
	event    uint16
	metric   model.MetricID
	chips    calltree.StackFilter
	from, to model.Time
	columns  int
}

type profCurve struct {
	profCurveKey
	counts bool // numbers of samples instead of the metric
	values []float64
	top    float64
}

// windowsKey determines what windows weigh.
type windowsKey struct {
	of     *profFile
	event  uint16
	metric model.MetricID
	chips  calltree.StackFilter
}

func newProfTimeline(e *env) *profTimeline {
	p := &profTimeline{pane: newPane(e)}
	p.curve = newLazy(e, fetchProfCurve)
	p.windows = newLazy(e, sumWindows)
	p.list = widget.List{Table: p, SortColumn: -1, Column: -1, Focused: true}
	return p
}

// fetchProfCurve adds samples up. Where they have no periods, or tell another metric, they are counted.
func fetchProfCurve(ctx context.Context, k profCurveKey) (c profCurve, err error) {
	c.profCurveKey = k
	w := k.of.weights
	e := &w.Events[k.event]
	c.counts = e.PrimaryName == "" || e.Primary != k.metric || weights.CountsSamples(w.Metrics[k.metric].Name)
	if k.of.samples == 0 {
		c.counts = false
		sums, err := sumWindows(ctx, windowsKey{k.of, k.event, k.metric, k.chips})
		if err != nil {
			return c, err
		}
		c.values = windowCurve(k, sums)
		c.top = largestOf(c.values)
		return c, nil
	}
	view, err := k.of.views.of(ctx, k.of.profile.Stacks, k.chips, calltree.WholeStacks)
	if err != nil {
		return c, err
	}
	if c.values, err = weights.SampleCurve(ctx, w, k.event, view, c.counts, k.from, k.to, k.columns); err != nil {
		return c, err
	}
	if c.top = largestOf(c.values); c.top == 0 && !c.counts {
		c.counts = true
		c.values, err = weights.SampleCurve(ctx, w, k.event, view, true, k.from, k.to, k.columns)
		c.top = largestOf(c.values)
	}
	return c, err
}

func largestOf(values []float64) (top float64) {
	for _, v := range values {
		top = max(top, v)
	}
	return top
}

// windowCurve has for each column what the windows that reach into it weigh together.
func windowCurve(k profCurveKey, sums []model.Amount) []float64 {
	out := make([]float64, k.columns)
	span := float64(max(k.to-k.from, 1))
	for i, w := range k.of.weights.Windows {
		from := max(int(float64(w.Start-k.from)/span*float64(k.columns)), 0)
		to := int(math.Ceil(float64(w.End-k.from) / span * float64(k.columns)))
		for c := from; c < min(to, k.columns); c++ {
			out[c] += sums[i].Float64()
		}
	}
	return out
}

// sumWindows adds up what the rows of each window weigh.
func sumWindows(ctx context.Context, k windowsKey) ([]model.Amount, error) {
	view, err := k.of.views.of(ctx, k.of.profile.Stacks, k.chips, calltree.WholeStacks)
	if err != nil {
		return nil, err
	}
	w := k.of.weights
	kept := weights.SelectProfile(k.of.profile, k.event, k.metric).Filter(view)
	out := make([]model.Amount, len(w.Windows))
	for i := range w.Windows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		win := &w.Windows[i]
		for row, r := range win.Record {
			if r == model.NoRecord || w.Records.Event[r] != k.event || !kept.Keeps(r) {
				continue
			}
			if n, ok := win.Weights.Get(row, k.metric); ok {
				out[i].Add(n)
			}
		}
	}
	return out, nil
}

func (p *profTimeline) name() string          { return "Timeline" }
func (p *profTimeline) action() keymap.Action { return keymap.ShowTimeline }
func (p *profTimeline) needs() model.Facet    { return model.FacetProfile }
func (p *profTimeline) scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeTimeline, keymap.ScopeProfile}
}
func (p *profTimeline) command() []string { return p.prof.arguments(&p.state) }
func (p *profTimeline) follows() string   { return "" }
func (p *profTimeline) columns() int      { return p.chart.Dots(p.area) / 2 }

// offeredFor implements offered.
func (p *profTimeline) offeredFor(f *model.Profile) bool {
	return f.Weights != nil && (len(f.Weights.Samples) > 0 || len(f.Weights.Windows) > 0)
}

func (p *profTimeline) show(s *State) {
	p.state = *s
	if p.prof == nil || len(p.prof.weights.Events) == 0 {
		return
	}
	p.area, _ = p.divide(p.rect())
	p.list.Refresh()
	k := p.prof.key(s)
	if k.none {
		return
	}
	p.windows.ask(windowsKey{p.prof, k.event, k.metric, k.chips})
	p.sums, _ = p.windows.get()
	from, to := s.Visible()
	dots := p.chart.Dots(p.area)
	if span := int64(to - from); span > 0 && span < int64(dots) {
		dots = int(span)
	}
	if dots > 0 {
		p.curve.ask(profCurveKey{p.prof, k.event, k.metric, k.chips, from, to, dots})
	}
	p.setData(k, from, to)
}

// setData gives the newest curve to the chart.
func (p *profTimeline) setData(k profKey, from, to model.Time) {
	ch, s := &p.chart, &p.state
	ch.From, ch.To, ch.Cursor, ch.PeakAt = int64(from), int64(to), int64(s.Now()), -1
	ch.RangeFrom, ch.RangeTo = 0, 0
	if k.ranged {
		ch.RangeFrom, ch.RangeTo = int64(k.from), int64(k.to)
	} else if k.window != noWindow {
		w := &p.prof.weights.Windows[k.window]
		ch.RangeFrom, ch.RangeTo = int64(w.Start), int64(w.End)
	}
	ch.FormatX = axisTime
	ch.Empty = "no sample of this event is here"
	c, ok := p.curve.get()
	ch.Data = ch.Data[:0]
	if !ok {
		return
	}
	unit := unitOf(&c.of.weights.Metrics[c.metric])
	what := k.metricName()
	if c.counts {
		unit, what = profUnit{}, "samples"
	}
	unit.scale = 1
	if c.top > 0 && c.top < 100 && c.top != math.Trunc(c.top) {
		unit.scale = 1000
	}
	ch.Decimal = unit.kind != unitBytes
	ch.FormatY = func(v uint64) string {
		if unit.kind == unitBytes {
			return model.Bytes(v).Short()
		}
		return unit.scaled(v, false)
	}
	ch.DataFrom, ch.DataTo = int64(c.from), int64(c.to)
	for _, v := range c.values {
		n := uint64(min(max(v*unit.scale, 0), math.MaxInt64))
		ch.Data = append(ch.Data, widget.Point{Lo: 0, Hi: n, Last: n, OK: true})
	}
	ch.Title = k.of.eventName(k.event) + " · " + what
	if p.prof.samples == 0 {
		ch.Title += " of windows"
	} else {
		ch.Title += " per " + model.Time(max(int64(c.to-c.from)/int64(max(len(c.values), 1)), 1)).String()
	}
	ch.Answer = p.answer(k, c, unit)
}

// answer is what a glance at the chart should tell: what is selected, else the highest column.
func (p *profTimeline) answer(k profKey, c profCurve, unit profUnit) string {
	if scope := k.scope(); scope != "" {
		return "all screens: " + scope
	}
	return "at most " + unit.scaled(uint64(min(c.top*unit.scale, math.MaxInt64)), false)
}

// divide gives the windows their rows, at most half, and the chart the rest.
func (p *profTimeline) divide(r widget.Rect) (chart, list widget.Rect) {
	n := 0
	if p.prof != nil {
		n = len(p.prof.weights.Windows)
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
func (p *profTimeline) Draw(s tcell.Screen) {
	r := p.rect()
	if p.prof == nil || len(p.prof.weights.Events) == 0 {
		widget.Print(s, r.X+1, r.Y, r.W-2, "This file has no events.", p.look.Muted)
		return
	}
	var list widget.Rect
	p.area, list = p.divide(r)
	p.chart.Draw(s, p.area, p.look)
	if list.Empty() {
		return
	}
	if len(p.prof.weights.Windows) == 0 {
		widget.Print(s, list.X+1, list.Y+1, list.W-2, "v and h/l, or dragging, select a range: every other screen shows only its samples. u forgets it.", p.look.Muted)
		return
	}
	title, body := list.CutTop(1)
	widget.TitleLine(s, title, p.look, plural(p.Len(), "window", "windows"), "Enter shows one alone on every screen")
	w := amountWidth(p.state.Exact)
	const right = widget.Right
	p.list.Columns = []widget.Column{
		{Width: 1}, {Title: "WINDOW", Width: 8, Grow: 1}, {Title: "START", Width: 9, Align: right, Drop: 2}, {Title: "END", Width: 9, Align: right, Drop: 1},
		{Title: "STACKS", Width: 8, Align: right, Drop: 3}, {Title: "WEIGHT", Width: w, Align: right},
	}
	p.list.Draw(s, body, p.look)
}

// Len, ID and Cell implement widget.Table.
func (p *profTimeline) Len() int {
	if p.prof == nil {
		return 0
	}
	return len(p.prof.weights.Windows)
}
func (p *profTimeline) ID(row int) uint64 { return uint64(row) }

func (p *profTimeline) Cell(row, col int) widget.Cell {
	win := &p.prof.weights.Windows[row]
	switch col {
	case 0:
		if row == p.state.Prof.Window {
			return widget.Cell{Text: p.look.Glyphs.Check, Style: p.style(themes.Accent)}
		}
		return widget.Cell{}
	case 1:
		return widget.Cell{Text: windowName(p.prof.weights, row)}
	case 2:
		return widget.Cell{Text: timeText(win.Start, p.state.Exact)}
	case 3:
		return widget.Cell{Text: timeText(win.End, p.state.Exact)}
	case 4:
		return widget.Cell{Text: model.Group(uint64(len(win.Record)))}
	}
	k := p.prof.key(&p.state)
	if row >= len(p.sums) || k.none {
		return widget.Cell{}
	}
	return widget.Cell{Text: unitOf(&p.prof.weights.Metrics[k.metric]).text(p.sums[row], p.state.Exact)}
}

func (p *profTimeline) do(a keymap.Action) bool {
	switch a {
	case keymap.Open:
		p.choose()
	case keymap.Peak:
		p.toPeak()
	case keymap.Maximise:
		p.big = !p.big
		p.changed()
	default:
		return moveList(&p.list, a)
	}
	return true
}

// toPeak moves the instant to the highest column.
func (p *profTimeline) toPeak() {
	c, ok := p.curve.get()
	if !ok || c.top == 0 {
		p.say("there is nothing to go to")
		return
	}
	i := slices.Index(c.values, c.top)
	p.emit(moveTo{analysis.At(c.from + model.Time(float64(c.to-c.from)*(float64(i)+0.5)/float64(len(c.values))))})
}

// choose shows the selected window alone on every screen, or the whole run again.
func (p *profTimeline) choose() {
	row, ok := p.list.Selected()
	switch {
	case !ok || row >= p.Len():
		p.say("this file has no windows: v and h/l select a range")
	case row == p.state.Prof.Window:
		p.emit(chooseWindow{noWindow})
	default:
		p.emit(chooseWindow{row})
	}
}

func (p *profTimeline) copyText() string {
	row, ok := p.list.Selected()
	if !ok || row >= p.Len() {
		return ""
	}
	w := &p.prof.weights.Windows[row]
	return widget.Clean(windowName(p.prof.weights, row) + "  " + w.Start.String() + " – " + w.End.String())
}

// click implements clicker.
func (p *profTimeline) click(x, y int, double bool) {
	if t, ok := p.chart.TimeAt(x, y); ok {
		p.emit(moveTo{analysis.At(model.Time(t))})
		return
	}
	if row, ok := p.list.HitRow(x, y); ok {
		p.list.Select(row)
		if double {
			p.choose()
		}
	}
}

func (p *profTimeline) drag(fromX, fromY, x, _ int, _ bool) {
	if p.prof != nil && p.prof.samples > 0 {
		dragRange(p.env, &p.chart, fromX, fromY, x)
	}
}

func (p *profTimeline) wheel(x, y, rows int) {
	if !wheelZoom(p.env, &p.state, &p.chart, p.columns(), x, y, rows) {
		p.list.Scroll(rows)
	}
}
