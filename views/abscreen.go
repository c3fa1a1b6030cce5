package views

import (
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// compareScreen stands for a screen while the difference is shown: what changed in a sentence, both curves where there is room for
// them, and the table of what the screen lists.
type compareScreen struct {
	*compareTable
	of    screen // what it stands for
	own   bool   // rows are grouped by mine, not as everywhere
	mine  analysis.Group
	live  bool // whatever else is weighed, here it is live memory
	what  compareWhat
	chart *compareChart // nil for none
	tall  bool          // the chart has most of the room
	areas struct{ chart, table widget.Rect }
}

func newCompareScreen(e *env, of screen, what compareWhat, chart, tall bool) *compareScreen {
	p := &compareScreen{compareTable: newCompareTable(e), of: of, what: what, tall: tall}
	if chart {
		p.chart = newCompareChart(e)
	}
	return p
}

func (p *compareScreen) name() string          { return p.of.name() }
func (p *compareScreen) action() keymap.Action { return p.of.action() }
func (p *compareScreen) needs() model.Facet    { return p.of.needs() }
func (p *compareScreen) about() string         { return "difference" }
func (p *compareScreen) command() []string     { return nil }

// commandLine implements commander.
func (p *compareScreen) commandLine(file []string) []string {
	switch {
	case p.what == compareSeries:
		return p.dumpCommand(file, "series")
	case p.what == comparePages:
		return p.dumpCommand(file, "page-type")
	case p.what == compareSizes:
		return p.diffCommand(&p.state, file, "size", "alloc_bytes", false)
	case p.what == compareLives:
		return p.diffCommand(&p.state, file, "lifetime", "alloc_bytes", false)
	case p.prof != nil && p.what == compareLeaked:
		return p.diffCommand(&p.state, file, p.group().String(), costNamed(analysis.CostLive), p.mixed(&p.state))
	case p.prof != nil && !p.mixed(&p.state):
		return append(p.diffCommand(&p.state, file, p.group().String(), "", false), p.prof.chosen(&p.state)...)
	}
	if p.what == compareLeaked && p.mixed(&p.state) {
		return p.diffCommand(&p.state, file, p.group().String(), costNamed(analysis.CostLive), true)
	}
	cost, instant := p.weighed(&p.state, p.cost())
	if cost == analysis.CostPeak {
		return p.peakCommand(&p.state, file, p.group().String())
	}
	return p.diffCommand(&p.state, file, p.group().String(), costNamed(cost), instant && p.what == compareSites)
}

// weighed is the cost that a comparison with a trace in it is about, and whether it is one of an instant.
func (e *env) weighed(s *State, cost analysis.Cost) (c analysis.Cost, instant bool) {
	if e.prof != nil {
		cost, _ = costOfProfile(e.prof, s)
	}
	return cost, cost == analysis.CostLive || cost == analysis.CostLiveCount
}

func (p *compareScreen) follows() string {
	switch {
	case p.what > compareLeaked:
		return "all stacks here"
	case p.prof == nil && (!p.state.Chips.Only(calltree.Focus, calltree.Ignore)):
		return "whole stacks here"
	}
	return ""
}

func (p *compareScreen) scopes() []keymap.Scope {
	if p.what > compareLeaked {
		return []keymap.Scope{keymap.ScopeDifference, keymap.ScopeTable}
	}
	return []keymap.Scope{keymap.ScopeDifference, keymap.ScopeTable, keymap.ScopeFilters}
}

// narrows implements narrower.
func (p *compareScreen) narrows() bool { return p.what <= compareLeaked }

// columns is the number of cells of the time axis.
func (p *compareScreen) columns() int {
	if p.chart == nil || p.areas.chart.Empty() {
		return 0
	}
	return p.chart.columns()
}

// group is what rows are put together by.
func (p *compareScreen) group() analysis.Group {
	if p.what > compareLeaked {
		return analysis.BySizeClass
	}
	if p.own {
		return p.mine
	}
	return p.state.Group
}

// cost is what rows weigh.
func (p *compareScreen) cost() analysis.Cost {
	switch {
	case p.live:
		return analysis.CostLive
	case p.what == compareLeaked:
		return analysis.CostLeaked
	case p.what > compareLeaked:
		return analysis.CostTotal
	}
	return p.state.Cost
}

func (p *compareScreen) show(s *State) {
	p.state = *s
	p.compareTable.show(s, p.what, p.group(), p.cost())
	p.layout(p.rect())
	if p.chart != nil {
		p.chart.show(s, p.areas.chart)
	}
}

// layout shares the rows between head, chart and table.
func (p *compareScreen) layout(r widget.Rect) {
	const least = 6 // rows of a table with its title
	p.areas.chart = widget.Rect{}
	sentence, signs, notes := headLines(&p.state, p.set, r.W, r.H)
	rows := len(sentence) + len(notes)
	if signs {
		rows++
	}
	_, r = r.CutTop(rows)
	if p.chart != nil && p.chart.offered(&p.state) && r.H >= least+6 {
		rows := min(r.H*2/5, 16)
		if p.tall {
			rows = min(r.H*3/5, r.H-least)
		}
		p.areas.chart, r = r.CutTop(rows)
	}
	p.areas.table = r
}

// Draw implements tview.Primitive.
func (p *compareScreen) Draw(s tcell.Screen) {
	p.drawCompareHead(s, p.rect(), &p.state, p.set)
	if !p.areas.chart.Empty() {
		p.chart.draw(s)
	}
	body := p.areas.table
	if body.H > 3 {
		var title widget.Rect
		title, body = body.CutTop(1)
		widget.TitleLine(s, title, p.look, p.title(), p.answer())
	}
	p.drawTable(s, body)
}

func (p *compareScreen) title() string {
	if p.set == nil {
		return "Difference"
	}
	k := &p.set.key.sides[0]
	title := p.set.title() + " by " + k.thing() + signsIn(p.set, p.rect())
	if text := p.state.Compare.onlyText(); text != "" {
		title += " · " + text
	}
	if p.state.Filter != "" {
		title += " · filter “" + p.state.Filter + "”"
	}
	return title
}

// answer is the totals.
func (p *compareScreen) answer() string {
	if p.set == nil {
		return ""
	}
	t := &p.set.Totals
	text := func(n uint64) string { return p.set.amount(n, p.state.Exact) }
	out := text(t.BeforeBytes) + " → " + text(t.AfterBytes) + "  " + p.deltaCell(t.BeforeBytes, t.AfterBytes, text).Text
	if !p.fresh() {
		out = "comparing… " + out
	}
	return out
}

// do implements screen.
func (p *compareScreen) do(a keymap.Action) bool {
	switch a {
	case keymap.Group:
		if p.what > compareLives {
			return true
		}
		if p.what > compareLeaked {
			p.what = compareSizes + compareLives - p.what
			p.changed()
			return true
		}
		if p.own {
			p.mine = (p.mine + 1) % analysis.GroupCount
			p.changed()
			return true
		}
		p.emit(nextGroup{})
	case keymap.Cost:
		if p.what == comparePages {
			p.env.pageFigure = (p.env.pageFigure + 1) % pageFigures
			p.changed()
			return true
		}
		if p.what != compareSites || p.prof != nil {
			return false
		}
		p.emit(nextCost{})
	case keymap.SortReverse:
		p.up = !p.up
		p.changed()
	default:
		return p.chart != nil && p.chart.do(a) || p.doTable(a)
	}
	return true
}

// useless reports whether an action changes nothing here.
func (p *compareScreen) useless(a keymap.Action) bool {
	switch a {
	case keymap.Align:
		return p.chart == nil || p.second == nil || !p.chart.offered(&p.state)
	case keymap.Match:
		return p.what > compareLeaked || p.group() != analysis.ByStack
	case keymap.Cost:
		return p.live || p.what != compareSites && p.what != comparePages
	case keymap.Group:
		return p.what == compareSeries || p.what == comparePages
	}
	return false
}

// click implements clicker.
func (p *compareScreen) click(x, y int, double bool) {
	if p.areas.chart.Contains(x, y) {
		p.chart.click(x, y)
		return
	}
	p.compareTable.click(x, y, double)
}

// dumpCommand is the command line that prints the difference of a dump or of two.
func (p *compareScreen) dumpCommand(file []string, kind string) []string {
	keys := p.dumpSides(&p.state, p.what)
	words := []string{"memtui", "diff", "--group", kind}
	for i, flag := range []string{"--a", "--b"} {
		switch k := &keys[i]; {
		case k.layout.layout != noLayout:
			words = append(words, flag, fmt.Sprintf("#%d", k.layout.layout))
		case k.at != analysis.End:
			words = append(words, flag, fmt.Sprintf("%dus", k.at.T))
		}
	}
	words = append(append(words, p.state.Compare.arguments(false)...), file...)
	if p.second != nil {
		words = append(words, p.second.path)
	}
	return words
}
