package views

import (
	"context"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// timeline is the curve on the whole screen, what it says at the instant and over the range, and the top sites there.
type timeline struct {
	pane
	chart   *chartPane
	top     *topSites
	stack   detail
	rng     *lazy[rangeKey, rangeFigures]
	step    *lazy[totalsKey, stepFigures]
	focus   timelinePane
	maximal bool // the focused pane has the whole screen
	areas   timelineAreas
}

// timelinePane is a pane that takes keys.
type timelinePane int

const (
	timelineTable timelinePane = iota
	timelineStack
	timelineChart
	timelinePanes
)

// timelineAreas is where the parts are; those that do not fit are empty.
type timelineAreas struct{ chart, readout, top, stack widget.Rect }

func newTimeline(e *env) *timeline {
	p := &timeline{pane: newPane(e), chart: newChartPane(e), top: newTopSites(e)}
	p.rng = newLazy(e, func(ctx context.Context, k rangeKey) (rangeFigures, error) { return fetchRange(ctx, e.trace, k) })
	p.step = newLazy(e, func(ctx context.Context, k totalsKey) (stepFigures, error) {
		totals, err := e.trace.Totals(ctx, k.over)
		return stepFigures{k, totals}, err
	})
	return p
}

func (p *timeline) name() string          { return "Timeline" }
func (p *timeline) action() keymap.Action { return keymap.ShowTimeline }
func (p *timeline) needs() model.Facet    { return model.FacetAllocations }

func (p *timeline) follows() string  { return "chart and figures: all stacks" }
func (p *timeline) function() string { return p.top.function() }

func (p *timeline) scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeTimeline, keymap.ScopeTable}
}

// columns is the number of cells of the time axis.
func (p *timeline) columns() int { return p.chart.columns() }

func (p *timeline) show(s *State) {
	p.state = *s
	p.areas = p.layout(p.rect())
	p.chart.show(s, p.areas.chart)
	if !s.Range.IsWhole() && s.Status.Events > 0 {
		p.rng.ask(rangeKey{s.Status.Revision, s.Range})
	}
	p.top.show(s)
	if over, ok := p.stepRange(); ok {
		p.step.ask(totalsKey{s.Status.Revision, over})
	}
	p.showStack()
}

// showStack explains the selected row by its stack.
func (p *timeline) showStack() {
	p.stack.title, p.stack.answer, p.stack.facts = "Stack", "", nil
	row, ok := p.top.selected()
	if !ok {
		p.stack.setNoStack("no row is selected")
		return
	}
	p.stack.title = p.top.label(row).name
	p.stack.answer = bytesText(row.LiveBytes, p.state.Exact) + " live in " + someBlocks(row.LiveCount)
	if p.top.rows.by != analysis.ByStack {
		p.stack.facts = []string{"the stack that allocates most of it"}
	}
	p.stack.setStack(p.state.stacks(), row.Stack, row.Node, p.state.FullName)
}

// Sizes of the parts.
const (
	wideTimeline = 110 // cells from which on stack and table stand side by side
	lowTimeline  = 10  // rows below which there is no table
	tableRows    = 8   // of the table below the chart at least, where there is room
	tableMost    = 14  // and at most: its rows change with every step, and what changes must be sent
)

// layout gives the chart three fifths or more, and the table what is left.
func (p *timeline) layout(r widget.Rect) (a timelineAreas) {
	if p.maximal {
		return p.maximised(r)
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

// splitTable puts the stack beside the table, or in its place where there is no room for both.
func (p *timeline) splitTable(r widget.Rect) (top, stack widget.Rect) {
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

func (p *timeline) maximised(r widget.Rect) (a timelineAreas) {
	if p.focus == timelineChart {
		a.chart, a.readout = r.CutBottom(p.readoutRows())
		return a
	}
	a.readout, r = r.CutTop(p.readoutRows())
	a.top, a.stack = p.splitTable(r)
	return a
}

// readoutRows is 1, and 2 more with a range.
func (p *timeline) readoutRows() int {
	if p.state.Range.IsWhole() {
		return 1
	}
	return 3
}

// Draw implements tview.Primitive.
func (p *timeline) Draw(s tcell.Screen) {
	a := &p.areas
	if !a.chart.Empty() {
		p.chart.draw(s)
	}
	p.drawReadout(s, a.readout)
	if !a.top.Empty() {
		p.top.draw(s, a.top, p.focus == timelineTable)
	}
	if !a.stack.Empty() {
		p.stack.draw(s, a.stack, p.look, p.focus == timelineStack)
	}
}

func (p *timeline) do(a keymap.Action) bool {
	switch a {
	case keymap.NextPane:
		p.turn(1)
	case keymap.PreviousPane:
		p.turn(-1)
	case keymap.Maximise:
		p.maximal = !p.maximal
		p.changed()
	default:
		if p.focus == timelineStack && p.stack.move(a) {
			return true
		}
		return p.chart.do(a) || p.top.do(a)
	}
	return true
}

// turn gives the keys to the next pane.
func (p *timeline) turn(n int) {
	p.focus = (p.focus + timelinePane(n) + timelinePanes) % timelinePanes
	if p.focus == timelineChart && !p.maximal {
		p.focus = (p.focus + timelinePane(n) + timelinePanes) % timelinePanes // it has no keys of its own
	}
	p.changed()
}

func (p *timeline) copyText() string {
	if p.focus == timelineStack {
		return p.stack.text()
	}
	return p.top.copyText()
}

func (p *timeline) command() []string { return p.top.command() }

// click implements clicker.
func (p *timeline) click(x, y int, double bool) {
	a := &p.areas
	switch {
	case a.chart.Contains(x, y):
		p.chart.click(x, y)
	case a.top.Contains(x, y):
		p.focus = timelineTable
		p.top.click(x, y, double)
	case a.stack.Contains(x, y):
		p.focus = timelineStack
	}
}

// drag implements clicker: it selects a range of the chart.
func (p *timeline) drag(fromX, fromY, x, _ int, _ bool) {
	if p.areas.chart.Contains(fromX, fromY) {
		p.chart.drag(fromX, fromY, x)
	}
}

// wheel implements clicker.
func (p *timeline) wheel(x, y, rows int) {
	a := &p.areas
	switch {
	case a.chart.Contains(x, y):
		p.chart.wheel(x, y, rows)
	case a.top.Contains(x, y):
		p.top.list.Scroll(rows)
	case a.stack.Contains(x, y):
		p.stack.scroll(rows)
	}
}
