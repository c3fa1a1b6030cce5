package views

import (
	"context"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// overview is the first screen: the curve, what it comes down to, who holds the memory, and where to look first.
type overview struct {
	pane
	chart    *chartPane
	top      *topSites
	second   *topSites // beside top where there is room
	findings *findingsPane
	headline *lazy[headlineKey, headline]
	focus    overviewPane
	chosen   bool // focus was chosen by the user
	maximal  bool // the focused pane has the whole screen
	areas    overviewAreas
}

// overviewPane is a pane that takes keys.
type overviewPane int

const (
	paneFindings overviewPane = iota
	paneTop
	paneSecond
)

// overviewAreas is where the parts are; those that do not fit are empty.
type overviewAreas struct{ chart, figures, top, second, findings widget.Rect }

func newOverview(e *env) *overview {
	p := &overview{pane: newPane(e), chart: newChartPane(e), top: newTopSites(e), second: newTopSites(e), findings: newFindingsPane(e)}
	p.second.fixed = true
	p.headline = newLazy(e, func(ctx context.Context, k headlineKey) (headline, error) { return fetchHeadline(ctx, e.trace, k) })
	return p
}

func (p *overview) name() string          { return "Overview" }
func (p *overview) action() keymap.Action { return keymap.ShowOverview }
func (p *overview) needs() model.Facet    { return model.FacetAllocations }

func (p *overview) follows() string { return "chart and figures: all stacks" }

// function implements functioner.
func (p *overview) function() string {
	switch p.focus {
	case paneTop:
		return p.top.function()
	case paneSecond:
		return p.second.function()
	}
	return ""
}

func (p *overview) scopes() []keymap.Scope {
	if p.focus == paneFindings {
		return []keymap.Scope{keymap.ScopeOverview}
	}
	return []keymap.Scope{keymap.ScopeOverview, keymap.ScopeTable}
}

// columns is the number of cells of the time axis.
func (p *overview) columns() int { return p.chart.columns() }

func (p *overview) show(s *State) {
	p.state = *s
	p.chart.show(s, p.layout(p.rect()).chart) // first: it is what one looks at, and takes the least time
	p.findings.show(s)
	if !p.chosen && len(p.findings.rows) == 0 && p.findings.lazy.fresh() {
		p.focus = paneTop // there is nothing to choose from
	}
	p.areas = p.layout(p.rect()) // the chart's is the same
	if s.Status.Events > 0 {
		p.headline.ask(headlineKey{s.Status.Revision, s.Range})
	}
	p.top.show(s)
	if !p.areas.second.Empty() {
		p.second.fixedTo = analysis.CostTotal
		if s.Cost == analysis.CostTotal {
			p.second.fixedTo = analysis.CostPeak
		}
		p.second.show(s)
	}
}

// Sizes of the parts.
const (
	lowOverview  = 12  // rows below which there is no chart
	wideOverview = 150 // cells from which on there are two tables
	maxChartRows = 16
)

// layout shares the rows: the chart has two fifths, the rest is for the tables.
func (p *overview) layout(r widget.Rect) (a overviewAreas) {
	if p.maximal {
		switch p.focus {
		case paneFindings:
			a.findings = r
		case paneTop:
			a.top = r
		default:
			a.second = r
		}
		return a
	}
	figures := 1
	if r.H >= lowOverview {
		a.chart, r = r.CutTop(min(r.H*2/5+1, maxChartRows))
		figures = 2
	}
	if r.H >= 3 {
		a.figures, r = r.CutTop(figures)
	}
	if r.H >= 6 {
		r, a.findings = r.CutBottom(min(p.findings.height(), (r.H+1)/2))
	}
	a.top = r
	if r.W >= wideOverview {
		a.top, a.second = r.CutLeft(r.W/2 - 1)
		_, a.second = a.second.CutLeft(2)
	}
	return a
}

// Draw implements tview.Primitive.
func (p *overview) Draw(s tcell.Screen) {
	a := &p.areas
	if !a.chart.Empty() {
		p.chart.draw(s)
	}
	if h, ok := p.headline.get(); ok && !a.figures.Empty() {
		drawItems(s, a.figures, h.items(&p.state, p.top.rows.level), p.look)
	}
	if !a.top.Empty() {
		p.top.draw(s, a.top, p.focus == paneTop)
	}
	if !a.second.Empty() {
		p.second.draw(s, a.second, p.focus == paneSecond)
	}
	if !a.findings.Empty() {
		p.findings.draw(s, a.findings, p.focus == paneFindings)
	}
}

func (p *overview) do(a keymap.Action) bool {
	switch a {
	case keymap.NextPane:
		p.turn(1)
	case keymap.PreviousPane:
		p.turn(-1)
	case keymap.Maximise:
		p.maximal = !p.maximal
		p.changed()
	default:
		return p.chart.do(a) || p.focused().do(a)
	}
	return true
}

// turn gives the keys to the next pane that is there.
func (p *overview) turn(n int) {
	panes := 2
	if p.rect().W >= wideOverview {
		panes = 3
	}
	p.focus, p.chosen = overviewPane((int(p.focus)+n+panes)%panes), true
	p.changed()
}

// focused is the pane that has the keys.
func (p *overview) focused() interface {
	do(keymap.Action) bool
	copyText() string
} {
	switch p.focus {
	case paneFindings:
		return p.findings
	case paneSecond:
		return p.second
	}
	return p.top
}

func (p *overview) copyText() string { return p.focused().copyText() }

func (p *overview) command() []string {
	if p.focus == paneSecond {
		return p.second.command()
	}
	return p.top.command()
}

// click implements clicker.
func (p *overview) click(x, y int, double bool) {
	a := &p.areas
	switch {
	case a.chart.Contains(x, y):
		p.chart.click(x, y)
	case a.findings.Contains(x, y):
		p.focus, p.chosen = paneFindings, true
		p.findings.click(x, y, double)
	case a.top.Contains(x, y):
		p.focus, p.chosen = paneTop, true
		p.top.click(x, y, double)
	case a.second.Contains(x, y):
		p.focus, p.chosen = paneSecond, true
		p.second.click(x, y, double)
	}
}

// drag implements clicker: it selects a range of the chart.
func (p *overview) drag(fromX, fromY, x, _ int, _ bool) {
	if p.areas.chart.Contains(fromX, fromY) {
		p.chart.drag(fromX, fromY, x)
	}
}

// wheel implements clicker.
func (p *overview) wheel(x, y, rows int) {
	a := &p.areas
	switch {
	case a.chart.Contains(x, y):
		p.chart.wheel(x, y, rows)
	case a.findings.Contains(x, y):
		p.findings.list.Scroll(rows)
	case a.top.Contains(x, y):
		p.top.list.Scroll(rows)
	case a.second.Contains(x, y):
		p.second.list.Scroll(rows)
	}
}
