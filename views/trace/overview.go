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

// Overview is the first screen: the curve, its summary, the largest sites, and the findings.
type Overview struct {
	ui.Pane
	chart    *livechart.Pane
	top      *topSites
	second   *topSites // next to top in a wide area
	findings *findingsPane
	curve    *liveCurve // of the selected finding, next to it in a wide area
	headline *ui.Lazy[HeadlineKey, Headline]
	growth   *ui.Lazy[GrowthKey, risen]
	focus    overviewPane
	chosen   bool // focus was chosen by the user
	maximal  bool // the focused pane fills the screen
	areas    overviewAreas
}

// overviewPane is a pane that can have the focus.
type overviewPane int

const (
	paneFindings overviewPane = iota
	paneTop
	paneSecond
)

// overviewAreas is where the parts are; those that do not fit are empty.
type overviewAreas struct{ chart, figures, top, second, findings, curve widget.Rect }

// NewOverview returns the first screen of a trace.
func NewOverview(e *ui.Env) *Overview {
	p := &Overview{Pane: ui.NewPane(e), chart: livechart.NewPane(e), top: newTopSites(e), second: newTopSites(e),
		findings: newFindingsPane(e), curve: newLiveCurve(e)}
	p.top.ofRun, p.second.fixed, p.chart.WithStart = true, true, true
	p.headline = ui.NewLazy(e, func(ctx context.Context, k HeadlineKey) (Headline, error) { return FetchHeadline(ctx, e.Trace, k) })
	p.growth = ui.NewDeepLazy(e, func(ctx context.Context, k GrowthKey) (risen, error) {
		trace := judging{Trace: e.Trace}
		to := e.Trace.Status().Duration
		rise, _, err := analysis.TraceGrowth(ctx, &trace, k.R)
		return risen{rise, goneTo(to, trace.to)}, err
	})
	return p
}

func (p *Overview) Name() string { return "Overview" }

func (p *Overview) Action() keymap.Action { return keymap.ShowOverview }

// Fields implements [ui.Filtered].
func (p *Overview) Fields() []analysis.Field { return p.top.Fields() }

func (p *Overview) Needs() model.Facet { return model.FacetAllocations }

func (p *Overview) Follows() string { return "figures: all stacks" }

// Function implements [ui.Functioner].
func (p *Overview) Function() string {
	switch p.focus {
	case paneTop:
		return p.top.Function()
	case paneSecond:
		return p.second.Function()
	case paneFindings:
		return p.findings.function()
	}
	return ""
}

// Place implements [ui.Placer].
func (p *Overview) Place() (at lines.Place, ok bool) {
	switch p.focus {
	case paneTop:
		return p.top.place()
	case paneSecond:
		return p.second.place()
	case paneFindings:
		return p.findings.place()
	}
	return at, false
}

func (p *Overview) Scopes() []keymap.Scope {
	if p.focus == paneFindings {
		return []keymap.Scope{keymap.ScopeOverview}
	}
	return []keymap.Scope{keymap.ScopeOverview, keymap.ScopeTable}
}

// Columns returns the number of cells of the time axis.
func (p *Overview) Columns() int { return p.chart.Columns() }

func (p *Overview) Show(s *state.State) {
	p.State = *s
	p.chart.Show(s, p.layout(p.Rect()).chart) // first: it is the most important and the fastest
	p.findings.Show(s)
	if !p.chosen && len(p.findings.rows) == 0 && p.findings.lazy.Fresh() {
		p.focus = paneTop // nothing else can have the focus
	}
	p.areas = p.layout(p.Rect()) // the chart's is the same
	if s.Status.Events > 0 {
		p.headline.Ask(HeadlineKey{s.Status.Revision, s.Range})
		p.askGrowth(s)
	}
	p.top.Show(s)
	if !p.areas.curve.Empty() {
		p.showCurve(s)
	}
	if !p.areas.second.Empty() {
		p.second.fixedTo = analysis.CostTotal
		if s.Cost == analysis.CostTotal {
			p.second.fixedTo = analysis.CostPeak
		}
		p.second.Show(s)
	}
}

// showCurve requests the curve of the selected finding.
func (p *Overview) showCurve(s *state.State) {
	f := p.findings.selected()
	if f == nil || len(f.Keys) == 0 {
		p.curve.none("this finding is about the whole file")
		return
	}
	p.curve.show(s, followed{keys: packKeys(f.Keys)}, "Live bytes of "+findingName(f), p.curve.chart.Dots(p.areas.curve))
}

// Sizes of the parts.
const (
	lowOverview  = 12  // rows below which there is no chart
	wideOverview = 150 // cells from which on there are two tables
	maxChartRows = 16
	tallOverview = 45 // minimum number of lines for a curve next to the findings of a wide screen
	curveRows    = 10 // of it
	fewTop       = 12 // rows of the top allocators that findings leave on a tall screen
)

// layout shares the rows: the chart has two fifths, the rest is for the tables.
func (p *Overview) layout(r widget.Rect) (a overviewAreas) {
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
	figures, whole := 1, r.H
	if r.H >= lowOverview {
		a.chart, r = r.CutTop(min(r.H*2/5+1, maxChartRows))
		figures = 2
	}
	if r.H >= 3 {
		a.figures, r = r.CutTop(figures)
	}
	if r.H >= 6 {
		w, least := r.W, 0
		beside := whole >= tallOverview && r.W >= wideOverview && p.findings.followed()
		if beside {
			w, least = r.W/2-1, curveRows
		}
		r, a.findings = r.CutBottom(min(max(p.findings.Height(w), least), max((r.H+1)/2, r.H-fewTop)))
		if beside {
			a.findings, a.curve = a.findings.CutLeft(w)
			_, a.curve = a.curve.CutLeft(2)
		}
	}
	a.top = r
	if r.W >= wideOverview {
		a.top, a.second = r.CutLeft(r.W/2 - 1)
		_, a.second = a.second.CutLeft(2)
	}
	return a
}

// Draw implements tview.Primitive.
func (p *Overview) Draw(s tcell.Screen) {
	a := &p.areas
	if !a.chart.Empty() {
		p.chart.Draw(s)
	}
	p.drawFigures(s, a.figures)
	if !a.top.Empty() {
		p.top.draw(s, a.top, p.focus == paneTop)
	}
	if !a.second.Empty() {
		p.second.draw(s, a.second, p.focus == paneSecond)
	}
	if !a.findings.Empty() {
		p.findings.Place(a.findings)
		p.findings.Draw(s, p.focus == paneFindings)
	}
	if !a.curve.Empty() {
		p.curve.Draw(s, a.curve, p.Look)
	}
}

// drawFigures draws the summary of the trace, or why there is none.
func (p *Overview) drawFigures(s tcell.Screen, r widget.Rect) {
	if r.Empty() {
		return
	}
	if h, ok := p.headline.Get(); ok {
		drawItems(s, r, h.items(&p.State, p.top.got.level, p.growthItem(r.W), r.W), p.Look)
		return
	}
	for _, why := range ui.Unanswered(p.headline) {
		widget.Print(s, r.X+1, r.Y, r.W-2, why, p.Look.Muted)
	}
}

func (p *Overview) Do(a keymap.Action) bool {
	switch a {
	case keymap.NextPane:
		p.turn(1)
	case keymap.PreviousPane:
		p.turn(-1)
	case keymap.Maximize:
		p.maximal = !p.maximal
		p.Changed()
	default:
		done := p.chart.Do(a) || p.focused().Do(a)
		if done && p.focus == paneFindings {
			p.Changed() // the curve of another finding is needed
		}
		return done
	}
	return true
}

// turn moves the focus to the next pane that is shown.
func (p *Overview) turn(n int) {
	panes := 2
	if p.Rect().W >= wideOverview {
		panes = 3
	}
	p.focus, p.chosen = overviewPane((int(p.focus)+n+panes)%panes), true
	p.Changed()
}

// focused returns the pane that has the focus.
func (p *Overview) focused() interface {
	Do(keymap.Action) bool
	CopyText() string
} {
	switch p.focus {
	case paneFindings:
		return p.findings
	case paneSecond:
		return p.second
	}
	return p.top
}

// FocusedList implements [ui.Lister].
func (p *Overview) FocusedList() *widget.List {
	switch p.focus {
	case paneFindings:
		return nil // a wrapped sentence: copying it gives all of it
	case paneSecond:
		return &p.second.List
	}
	return &p.top.List
}

// Hides implements [ui.Maximizer].
func (p *Overview) Hides() string {
	switch {
	case !p.maximal:
		return ""
	case p.focus == paneFindings:
		return "chart, figures and top allocators"
	}
	return "chart, figures and findings"
}

func (p *Overview) CopyText() string { return p.focused().CopyText() }

func (p *Overview) Command() []string {
	if p.focus == paneSecond {
		return p.second.Command()
	}
	return p.top.Command()
}

// Click implements clicker.
func (p *Overview) Click(x, y int, double bool) {
	a := &p.areas
	switch {
	case a.chart.Contains(x, y):
		p.chart.Click(x, y)
	case a.findings.Contains(x, y):
		p.focus, p.chosen = paneFindings, true
		if p.findings.Hit(x, y) && double {
			p.findings.follow()
		}
		p.Changed()
	case a.top.Contains(x, y):
		p.focus, p.chosen = paneTop, true
		p.top.click(x, y, double)
	case a.second.Contains(x, y):
		p.focus, p.chosen = paneSecond, true
		p.second.click(x, y, double)
	}
}

// Drag implements clicker: it selects a range of the chart.
func (p *Overview) Drag(fromX, fromY, x, _ int, _ bool) {
	if p.areas.chart.Contains(fromX, fromY) {
		p.chart.Drag(fromX, fromY, x)
	}
}

// Wheel implements clicker.
func (p *Overview) Wheel(x, y, rows int) {
	a := &p.areas
	switch {
	case a.chart.Contains(x, y):
		p.chart.Wheel(x, y, rows)
	case a.findings.Contains(x, y):
		p.findings.Scroll(rows)
	case a.top.Contains(x, y):
		p.top.List.Scroll(rows)
	case a.second.Contains(x, y):
		p.second.List.Scroll(rows)
	}
}

// Difference implements [ui.Differing].
func (p *Overview) Difference(table func(ui.Screen, ui.DiffTable) ui.Screen) ui.Screen {
	return table(p, ui.DiffTable{Chart: true})
}
