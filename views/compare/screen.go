package compare

import (
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Screen replaces a screen while the difference is shown: a sentence about the change, both curves if there is room,
// and the table of the screen's rows.
type Screen struct {
	*table
	of    ui.Screen // the screen that it replaces
	Own   bool      // rows have their own grouping instead of the state's
	Mine  analysis.Group
	live  bool // always compares live memory
	What  ui.DiffRows
	chart *chart // nil for none
	tall  bool   // the chart gets most of the height
	areas struct{ chart, table widget.Rect }
}

// New returns the difference that replaces a screen.
func New(e *ui.Env, of ui.Screen, t ui.DiffTable) ui.Screen {
	if t.Blocks {
		return newBlocks(e, of)
	}
	return newScreen(e, of, t)
}

func newScreen(e *ui.Env, of ui.Screen, t ui.DiffTable) *Screen {
	p := &Screen{table: newTable(e), of: of, What: t.Rows, tall: t.Tall}
	if p.Own = t.Group != nil; p.Own {
		p.Mine = *t.Group
	}
	if t.Chart {
		p.chart = newChart(e)
	}
	return p
}

// Compares implements [ui.TwoSided].
func (p *Screen) Compares() ui.DiffRows { return p.What }

func (p *Screen) Name() string { return p.of.Name() }

func (p *Screen) Action() keymap.Action { return p.of.Action() }

func (p *Screen) Needs() model.Facet { return p.of.Needs() }

func (p *Screen) About() string { return "difference" }

func (p *Screen) Command() []string { return nil }

// CommandLine returns the command that prints what is shown.
func (p *Screen) CommandLine(file []string) []string {
	rows := state.Question{Filter: p.table.RowFilter(p.State.Filter)}
	return slices.Insert(p.commandLine(file), 2, rows.Args()...) // after memtui diff
}

// commandLine returns the command that prints all rows.
func (p *Screen) commandLine(file []string) []string {
	switch {
	case p.What == ui.DiffSeries:
		return p.dumpCommand(file, "series")
	case p.What == ui.DiffPages:
		return p.dumpCommand(file, "page-type")
	case p.What == ui.DiffSizes:
		return p.DiffCommand(&p.State, file, "size", "alloc_bytes", false)
	case p.What == ui.DiffLives:
		return p.DiffCommand(&p.State, file, "lifetime", "alloc_bytes", false)
	case p.Prof != nil && p.What == ui.DiffLeaked:
		return p.DiffCommand(&p.State, file, p.grouping().String(), ui.CostNamed(analysis.CostLive), p.Mixed(&p.State))
	case p.Prof != nil && !p.Mixed(&p.State):
		return append(p.DiffCommand(&p.State, file, p.grouping().String(), "", false), p.Prof.Chosen(&p.State)...)
	}
	if p.What == ui.DiffLeaked && p.Mixed(&p.State) {
		return p.DiffCommand(&p.State, file, p.grouping().String(), ui.CostNamed(analysis.CostLive), true)
	}
	cost, instant := weighed(p.table.TablePane.Pane.Env, &p.State, p.cost())
	if cost == analysis.CostPeak {
		return peakCommand(p.table.TablePane.Pane.Env, &p.State, file, p.grouping().String())
	}
	return p.DiffCommand(&p.State, file, p.grouping().String(), ui.CostNamed(cost), instant && p.What == ui.DiffSites)
}

// weighed returns the cost of a comparison with a trace in it, and whether it depends on an instant.
func weighed(e *ui.Env, s *state.State, cost analysis.Cost) (c analysis.Cost, instant bool) {
	if e.Prof != nil {
		cost, _ = costOfProfile(e, e.Prof, s)
	}
	return cost, cost == analysis.CostLive || cost == analysis.CostLiveCount
}

func (p *Screen) Follows() string {
	switch {
	case p.What > ui.DiffLeaked:
		return "filters not applied"
	case p.Prof == nil && (!p.State.Filters.Only(calltree.Focus, calltree.Ignore)):
		return "frames not hidden or cut"
	}
	return ""
}

func (p *Screen) Scopes() []keymap.Scope {
	if p.What > ui.DiffLeaked {
		return []keymap.Scope{keymap.ScopeDifference, keymap.ScopeTable}
	}
	return []keymap.Scope{keymap.ScopeDifference, keymap.ScopeTable, keymap.ScopeFilters}
}

// Narrows implements [ui.Narrower].
func (p *Screen) Narrows() bool { return p.What <= ui.DiffLeaked }

// Columns returns the number of cells of the time axis.
func (p *Screen) Columns() int {
	if p.chart == nil || p.areas.chart.Empty() {
		return 0
	}
	return p.chart.Columns()
}

// group returns the grouping of rows.
func (p *Screen) group() analysis.Group {
	if p.What > ui.DiffLeaked {
		return analysis.BySizeClass
	}
	if p.Own {
		return p.Mine
	}
	return p.State.Group
}

func (p *Screen) grouping() diff.StackGroup {
	return rowsOf(p.table.TablePane.Pane.Env, &p.State, p.What, p.group())
}

// cost returns the cost of rows.
func (p *Screen) cost() analysis.Cost {
	switch {
	case p.live:
		return analysis.CostLive
	case p.What == ui.DiffLeaked:
		return analysis.CostLeaked
	case p.What > ui.DiffLeaked:
		return analysis.CostTotal
	}
	return p.State.Cost
}

func (p *Screen) Show(s *state.State) {
	p.State = *s
	p.table.show(s, p.What, p.group(), p.cost())
	p.layout(p.Rect())
	if p.chart != nil {
		p.chart.Show(s, p.areas.chart)
	}
}

// layout divides the rows between head, chart and table.
func (p *Screen) layout(r widget.Rect) {
	const least = 6 // rows of a table with its title
	p.areas.chart = widget.Rect{}
	sentence, signs, notes := headLines(&p.State, p.Set, r.W, r.H)
	rows := len(sentence) + len(notes)
	if signs {
		rows++
	}
	_, r = r.CutTop(rows)
	if p.chart != nil && p.chart.offered(&p.State) && r.H >= least+6 {
		rows := min(r.H*2/5, 16)
		if p.tall {
			rows = min(r.H*3/5, r.H-least)
		}
		p.areas.chart, r = r.CutTop(rows)
	}
	p.areas.table = r
}

// Draw implements tview.Primitive.
func (p *Screen) Draw(s tcell.Screen) {
	drawCompareHead(p.table.TablePane.Pane.Env, s, p.Rect(), &p.State, p.Set)
	if !p.areas.chart.Empty() {
		p.chart.Draw(s)
	}
	body := p.areas.table
	if body.H > 3 {
		var title widget.Rect
		title, body = body.CutTop(1)
		widget.TitleLine(s, title, p.Look, p.Title(), p.answer())
	}
	p.drawTable(s, body)
}

// Title returns what the rows are.
func (p *Screen) Title() string {
	if p.Set == nil {
		return "Difference"
	}
	k := &p.Set.key.Sides[0]
	title := p.Set.Title() + " by " + k.thing() + signsIn(p.Set, p.Rect())
	if text := p.State.Compare.OnlyText(); text != "" {
		title += " · " + text
	}
	if p.State.Filter != "" {
		title += " · filter “" + p.State.Filter + "”"
	}
	return title
}

// answer returns the totals.
func (p *Screen) answer() string {
	if p.Set == nil {
		return ""
	}
	t := &p.Set.Totals
	text := func(n uint64) string { return p.Set.amount(n, p.State.Exact) }
	out := p.Set.ofSide(0, t.BeforeBytes, p.State.Exact) + " → " + p.Set.ofSide(1, t.AfterBytes, p.State.Exact) + "  " +
		p.DeltaCell(t.BeforeBytes, t.AfterBytes, text).Text
	if p.Set.TotalError > 0 {
		out += " " + diff.ErrorText(text(p.Set.TotalError))
	}
	if !p.Fresh() {
		out = "comparing… " + out
	}
	return out
}

// Do carries out an action, or returns false if the screen has no such action.
func (p *Screen) Do(a keymap.Action) bool {
	switch a {
	case keymap.Group:
		if p.What > ui.DiffLives {
			return true
		}
		if p.What > ui.DiffLeaked {
			p.What = ui.DiffSizes + ui.DiffLives - p.What
			p.Changed()
			return true
		}
		if p.Own {
			p.Mine = (p.Mine + 1) % analysis.GroupCount // it begins with functions, and owners come next
			p.Changed()
			return true
		}
		p.Emit(state.NextGroup{})
	case keymap.Cost:
		if p.What == ui.DiffPages {
			p.Emit(state.NextPageFigure{})
			return true
		}
		if p.What != ui.DiffSites || p.Prof != nil {
			return false
		}
		p.Emit(state.NextCost{})
	default:
		return p.chart != nil && p.chart.Do(a) || p.DoTable(a)
	}
	return true
}

// Useless reports whether an action has no effect here.
func (p *Screen) Useless(a keymap.Action) bool {
	switch a {
	case keymap.Align:
		return p.chart == nil || p.Second == nil || !p.chart.offered(&p.State)
	case keymap.Match:
		return p.What > ui.DiffLeaked || p.group() != analysis.ByStack
	case keymap.Cost:
		return p.live || p.What != ui.DiffSites && p.What != ui.DiffPages
	case keymap.Group:
		return p.What == ui.DiffSeries || p.What == ui.DiffPages
	}
	return false
}

// Click implements clicker.
func (p *Screen) Click(x, y int, double bool) {
	if p.areas.chart.Contains(x, y) {
		p.chart.Click(x, y)
		return
	}
	p.table.Click(x, y, double)
}

// dumpCommand returns the command line that prints the difference of one or two dumps.
func (p *Screen) dumpCommand(file []string, kind string) []string {
	keys := layoutSides(p.table.TablePane.Pane.Env, &p.State, p.What)
	q := state.Question{Group: kind}
	for i, place := range []*model.Place{&q.A, &q.B} {
		switch k := &keys[i]; {
		case k.layout.Layout != state.NoLayout:
			place.Number = &k.layout.Layout
		case k.at != analysis.End:
			place.At = model.Axis{Unit: k.layout.Dump.Timeline.AxisUnit}.Moment(k.at.T)
		}
	}
	if f := keys[0].figure; p.What == ui.DiffPages && f != diff.PageOccupied {
		q.By = f.String()
	}
	p.State.Compare.Ask(&q, false)
	words := slices.Concat([]string{"memtui", "diff"}, q.Args(), file[:len(file)-1])
	for i := range keys {
		switch f := keys[i].file; {
		case i == state.SideB && f == keys[state.SideA].file: // two places in one file
		case f == p.Second:
			words = append(words, p.Second.Path)
		default:
			words = append(words, file[len(file)-1])
		}
	}
	return words
}
