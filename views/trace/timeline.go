package trace

import (
	"context"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/ui/livechart"
	"github.com/memtui/memtui/views/widget"
)

// Timeline is the curve on the full screen, the figures at the instant and over the range, and the top sites there.
type Timeline struct {
	ui.Pane
	chart   *livechart.Pane
	top     *topSites
	stack   ui.Detail
	rng     *ui.Lazy[rangeKey, rangeFigures]
	step    *ui.Lazy[totalsKey, stepFigures]
	focus   timelinePane
	maximal bool // the focused pane fills the screen
	areas   timelineAreas
}

// timelinePane is a pane that can have the focus.
type timelinePane int

const (
	timelineTable timelinePane = iota
	timelineStack
	timelineChart
	timelinePanes
)

// timelineAreas is where the parts are; those that do not fit are empty.
type timelineAreas struct{ chart, readout, top, stack widget.Rect }

// NewTimeline returns the curve of live memory over time.
func NewTimeline(e *ui.Env) *Timeline {
	p := &Timeline{Pane: ui.NewPane(e), chart: livechart.NewPane(e), top: newTopSites(e)}
	p.chart.WithMeasured = true
	p.rng = ui.NewLazy(e, func(ctx context.Context, k rangeKey) (rangeFigures, error) { return askRange(ctx, e.Trace, k) })
	p.step = ui.NewLazy(e, func(ctx context.Context, k totalsKey) (stepFigures, error) {
		totals, err := e.Trace.Totals(ctx, k.over)
		return stepFigures{k, totals}, err
	})
	return p
}

func (p *Timeline) Name() string { return "Timeline" }

func (p *Timeline) Action() keymap.Action { return keymap.ShowTimeline }

// Fields implements [ui.Filtered].
func (p *Timeline) Fields() []analysis.Field { return p.top.Fields() }

func (p *Timeline) Needs() model.Facet { return model.FacetAllocations }

func (p *Timeline) Follows() string { return "figures: all stacks" }

func (p *Timeline) Function() string { return p.top.Function() }

// Place implements [ui.Placer].
func (p *Timeline) Place() (lines.Place, bool) { return p.top.place() }

func (p *Timeline) Scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeTimeline, keymap.ScopeTable}
}

// Columns returns the number of cells of the time axis.
func (p *Timeline) Columns() int { return p.chart.Columns() }

func (p *Timeline) Show(s *state.State) {
	p.State = *s
	p.areas = p.layout(p.Rect())
	p.chart.Show(s, p.areas.chart)
	if !s.Range.IsFull() && s.Status.Events > 0 {
		p.rng.Ask(rangeKey{s.Status.Revision, s.Range})
	}
	p.top.Show(s)
	if over, ok := p.stepRange(); ok {
		p.step.Ask(totalsKey{s.Status.Revision, over})
	}
	p.showStack()
}

// showStack explains the selected row by its stack.
func (p *Timeline) showStack() {
	p.stack.Title, p.stack.Answer, p.stack.Facts = "Stack", "", nil
	row, ok := p.top.Selected()
	if !ok {
		p.stack.SetNoStack("no row is selected")
		return
	}
	p.stack.Title = p.top.data().label(p.top.data().by, row).Name
	p.stack.Answer = p.State.Bytes(row.LiveBytes) + " live in " + p.State.Blocks(row.LiveCount)
	if p.top.data().by != analysis.ByStack {
		p.stack.Facts = []string{"the stack that allocates most of it"}
	}
	p.stack.SetStack(p.State.Stacks(), row.Stack, row.Node, p.State.FullName)
}

// Sizes of the parts.
const (
	wideTimeline = 110 // cells from which on stack and table stand side by side
	lowTimeline  = 10  // rows below which no table is shown
	tableRows    = 8   // of the table below the chart at least, where there is room
	tableMost    = 14  // and at most: its rows change with every step and must be sent to the terminal
)

// layout assigns three fifths or more to the chart, and the rest to the table.
func (p *Timeline) layout(r widget.Rect) (a timelineAreas) {
	if p.maximal {
		return p.maximized(r)
	}
	if r.H >= lowTimeline {
		chart := max(min(r.H*3/5, r.H-tableRows-p.readoutRows()), r.H-tableMost-p.readoutRows(), 6)
		a.chart, r = r.CutTop(chart)
		a.readout, r = r.CutTop(p.readoutRows())
		a.top, a.stack = p.splitTable(r)
		return a
	}
	a.chart = r
	if r.H >= 3 {
		a.chart, a.readout = r.CutBottom(1)
	}
	return a
}

// splitTable puts the stack next to the table, or in its place if not both fit.
func (p *Timeline) splitTable(r widget.Rect) (top, stack widget.Rect) {
	switch {
	case r.W >= wideTimeline:
		top, stack = r.CutLeft(r.W * 3 / 5)
		_, stack = stack.CutLeft(2)
		return top, stack
	case p.focus == timelineStack:
		return widget.Rect{}, r
	}
	return r, widget.Rect{}
}

func (p *Timeline) maximized(r widget.Rect) (a timelineAreas) {
	if p.focus == timelineChart {
		a.chart, a.readout = r.CutBottom(p.readoutRows())
		return a
	}
	a.readout, r = r.CutTop(p.readoutRows())
	a.top, a.stack = p.splitTable(r)
	return a
}

// readoutRows returns 1, and 2 more with a range.
func (p *Timeline) readoutRows() int {
	if p.State.Range.IsFull() {
		return 1
	}
	return 3
}

// Draw implements tview.Primitive.
func (p *Timeline) Draw(s tcell.Screen) {
	a := &p.areas
	if !a.chart.Empty() {
		p.chart.Draw(s)
	}
	p.drawReadout(s, a.readout)
	if !a.top.Empty() {
		p.top.draw(s, a.top, p.focus == timelineTable)
	}
	if !a.stack.Empty() {
		p.stack.Draw(s, a.stack, p.Look, p.focus == timelineStack)
	}
}

func (p *Timeline) Do(a keymap.Action) bool {
	switch a {
	case keymap.NextPane:
		p.turn(1)
	case keymap.PreviousPane:
		p.turn(-1)
	case keymap.Maximize:
		p.maximal = !p.maximal
		p.Changed()
	case keymap.ZoomIn:
		if s := p.State.Apply(state.Zoom{Factor: 0.5}); s.View != p.State.View || s.Status.Events == 0 {
			return false
		}
		p.Open(keymap.ShowEvents) // nothing is left to enlarge
	default:
		if p.focus == timelineStack && p.stack.Move(a) {
			return true
		}
		return p.chart.Do(a) || p.top.Do(a)
	}
	return true
}

// turn moves the focus to the next pane.
func (p *Timeline) turn(n int) {
	p.focus = (p.focus + timelinePane(n) + timelinePanes) % timelinePanes
	if p.focus == timelineChart && !p.maximal {
		p.focus = (p.focus + timelinePane(n) + timelinePanes) % timelinePanes // that pane cannot have the focus
	}
	p.Changed()
}

// FocusedList implements [ui.Lister].
func (p *Timeline) FocusedList() *widget.List { return &p.top.List }

// Hides implements [ui.Maximizer].
func (p *Timeline) Hides() string {
	switch {
	case !p.maximal:
		return ""
	case p.focus == timelineStack:
		return "chart and top allocators"
	case p.focus == timelineTable:
		return "chart"
	}
	return "top allocators"
}

func (p *Timeline) CopyText() string {
	if p.focus == timelineStack {
		return p.stack.Text()
	}
	return p.top.CopyText()
}

// Command implements [ui.Screen]. It returns the command of the curve, unless only the table is shown.
func (p *Timeline) Command() []string {
	if p.maximal && p.focus != timelineChart {
		return p.top.tableCommand()
	}
	q := state.Question{Table: "curve", Cell: p.State.Cell}
	if p.State.ChartOf == state.ChartTop {
		parts := livechart.MostParts
		q.Stacked = &parts
		if by := livechart.DividedBy(&p.State); by != analysis.ByStack {
			q.Group = by.String()
		}
	}
	return q.Args()
}

// Unprinted implements [ui.Unprinted].
func (p *Timeline) Unprinted() string {
	if s := &p.State; p.maximal && p.focus != timelineChart || s.ChartOf != state.ChartSelected || !s.Selected.Set {
		return ""
	}
	return p.Hint("the curve shows only what is selected; {only} filters by it, {divide} shows another curve")
}

// Click implements clicker.
func (p *Timeline) Click(x, y int, double bool) {
	a := &p.areas
	switch {
	case a.chart.Contains(x, y):
		p.chart.Click(x, y)
	case a.top.Contains(x, y):
		p.focus = timelineTable
		p.top.click(x, y, double)
	case a.stack.Contains(x, y):
		p.focus = timelineStack
	}
}

// Drag implements clicker: it selects a range of the chart.
func (p *Timeline) Drag(fromX, fromY, x, _ int, _ bool) {
	if p.areas.chart.Contains(fromX, fromY) {
		p.chart.Drag(fromX, fromY, x)
	}
}

// Wheel implements clicker.
func (p *Timeline) Wheel(x, y, rows int) {
	a := &p.areas
	switch {
	case a.chart.Contains(x, y):
		p.chart.Wheel(x, y, rows)
	case a.top.Contains(x, y):
		p.top.List.Scroll(rows)
	case a.stack.Contains(x, y):
		p.stack.Scroll(rows)
	}
}

// Difference implements [ui.Differing].
func (p *Timeline) Difference(table func(ui.Screen, ui.DiffTable) ui.Screen) ui.Screen {
	return table(p, ui.DiffTable{Chart: true, Tall: true})
}
