package dump

import (
	"fmt"
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Series shows all measured series on one time axis, and below their values at the instant.
type Series struct {
	ui.Pane
	ui.ListPane
	*ui.Table[seriesData, seriesRow]
	Chart   *chart
	figures *ui.Lazy[seriesKey, *seriesSet]
	of      *ui.DumpFile // the file of hidden
	hidden  []bool       // by series
	big     bool         // the chart fills the screen
}

// seriesKey determines figures of all series.
type seriesKey struct {
	dump     *ui.DumpFile
	from, to model.Time
}

// NewSeries returns the screen of measured series.
func NewSeries(e *ui.Env) *Series {
	p := &Series{Pane: ui.NewPane(e), Chart: NewChart(e)}
	p.figures = ui.NewLazy(e, sumSeries)
	p.Table = ui.NewTable(e, &p.ListPane, seriesData{}, p.seriesSpec())
	return p
}

func (p *Series) Name() string { return "Series" }

func (p *Series) Action() keymap.Action { return keymap.ShowSeries }

func (p *Series) Needs() model.Facet { return model.FacetTimeline }

func (p *Series) Scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeSeries, keymap.ScopeTable}
}

// Useless implements [ui.Refuser]: series are not grouped.
func (p *Series) Useless(a keymap.Action) bool { return a == keymap.Group }

// Columns returns how many cells the chart has for the time axis.
func (p *Series) Columns() int { return p.Chart.cells() }

func (p *Series) Command() []string { return (&state.Question{Table: "series"}).Args() }

func (p *Series) About() string {
	switch {
	case p.Chart.Chart.Log:
		return "log"
	case p.Chart.Chart.Stacked:
		return "stacked"
	}
	return ""
}

// all returns the series of the file.
func (p *Series) all() []model.Series {
	if p.Dump == nil {
		return nil
	}
	return p.Dump.Timeline.Series
}

// Show shows a state.
func (p *Series) Show(s *state.State) {
	p.State = *s
	if p.Dump == nil {
		return
	}
	if p.of != p.Dump {
		p.of, p.hidden = p.Dump, hiddenSeries(p.all())
		p.Forget()
	}
	from, to := model.Time(0), model.MaxTime
	if !s.Range.IsFull() {
		from, to = s.Range.From+1, s.Range.To
		if s.Range.From < 0 {
			from = 0
		}
	}
	p.figures.Ask(seriesKey{p.Dump, from, to})
	d := seriesData{dump: p.Dump, r: s.Range}
	d.set, _ = p.figures.Get()
	if d.set != nil && d.set.dump != p.Dump {
		d.set = nil
	}
	if p.followsInstant() {
		d.now = s.Now()
	}
	p.Ask(d, s.Filter)
	p.List.SelectID(uint64(max(s.Dump.Series, 0)))
	chart, _ := p.divide(p.Rect())
	p.titles()
	p.Chart.show(s, chart, p.shown(), p.selected())
}

// hiddenSeries returns the series that the file marks as hidden, unless all are.
func hiddenSeries(all []model.Series) []bool {
	out, seen := make([]bool, len(all)), false
	for i := range all {
		out[i] = all[i].HasVisible && !all[i].Visible
		seen = seen || !out[i]
	}
	if !seen {
		clear(out)
	}
	return out
}

// mostShown is the maximum number of series in one chart: more would be unreadable, and a damaged file may claim a
// hundred thousand.
const mostShown = 256

// shown returns the series of the chart: the first that are not hidden.
func (p *Series) shown() (list []int) {
	for i, hidden := range p.hidden {
		if !hidden && len(list) < mostShown {
			list = append(list, i)
		}
	}
	return list
}

func (p *Series) selected() int {
	if row, ok := p.Selected(); ok {
		return row.n
	}
	return state.NoSeries
}

// titles sets the summary in the chart's title line.
func (p *Series) titles() {
	ch := &p.Chart.Chart
	ch.Title = model.Counted(len(p.hidden), "series")
	if n := len(p.hidden) - len(p.shown()); n > 0 {
		ch.Title += fmt.Sprintf(", %s hidden", model.Group(uint64(n)))
	}
	if text := p.About(); text != "" {
		ch.Title += " · " + text
	}
	ch.Answer = ""
	if row, ok := p.Selected(); ok && row.figures != nil && row.figures.Points > 0 {
		ch.Answer = fmt.Sprintf("%s at most %s at %s", widget.Truncate(seriesName(row.Series, row.n), 20),
			measuredText(row.figures.Max, p.State.Exact), ui.MomentText(row.figures.MaxAt, p.Dump.Timeline.AxisUnit, p.State.Exact))
	}
}

// seriesName returns the name of a series.
func seriesName(s *model.Series, n int) string {
	if s.Name == "" {
		return fmt.Sprintf("(series %d)", n)
	}
	return s.Name
}

// Hides implements [ui.Maximizer].
func (p *Series) Hides() string {
	if !p.big {
		return ""
	}
	return "the list of series"
}

// divide gives the list its rows, at most a third, and the chart the rest.
func (p *Series) divide(r widget.Rect) (chart, list widget.Rect) {
	if p.big || r.H < 8 {
		return r, widget.Rect{}
	}
	rows := max(len(p.all())+1, 3) // fewer have no titles
	if e := p.eventText(); e != "" || len(p.Chart.Chart.Marks) > 0 {
		rows++
	}
	return r.CutBottom(min(rows, max(r.H/3, 4)))
}

// Draw implements tview.Primitive.
func (p *Series) Draw(s tcell.Screen) {
	r := p.Rect()
	if p.Dump == nil || len(p.all()) == 0 {
		for i, l := range []string{"This file has no series.", "Problems lists what was found in it."} {
			widget.Print(s, r.X+1, r.Y+i, r.W-2, l, p.Look.Muted)
		}
		return
	}
	var list widget.Rect
	p.Chart.area, list = p.divide(r)
	p.Chart.Draw(s)
	p.ListAt = list
	if list.Empty() {
		return
	}
	if text := p.eventText(); text != "" && list.H > 2 {
		text = p.Look.Glyphs.Marker + " " + text
		var lines widget.Rect
		list, lines = list.CutBottom(min(len(widget.Wrap(text, list.W-2)), list.H-1))
		widget.PrintWrapped(s, lines, text, p.Look.Mark)
	}
	p.Layout(list.W, &p.State)
	p.List.Focused = true
	p.List.Empty = []string{"No matches for “" + p.State.Filter + "”.", p.FilterHint()}
	p.List.Draw(s, list, p.Look)
}

// eventText returns the last named event at or before the instant, "" without any.
func (p *Series) eventText() string {
	var best *model.SeriesEvent
	of := 0
	for _, n := range p.shown() {
		events := p.all()[n].Events
		i, _ := slices.BinarySearchFunc(events, p.State.Now(), func(e model.SeriesEvent, t model.Time) int {
			if e.At <= t {
				return -1
			}
			return 1
		})
		if i > 0 && (best == nil || events[i-1].At > best.At) {
			best, of = &events[i-1], n
		}
	}
	if best == nil {
		return ""
	}
	return fmt.Sprintf("%s at %s in %s: %s", widget.Clean(best.Name),
		ui.MomentText(best.At, p.Dump.Timeline.AxisUnit, p.State.Exact), widget.Clean(seriesName(&p.all()[of], of)),
		measuredText(best.Value, p.State.Exact))
}

// Do carries out an action, or returns false if the screen has no such action.
func (p *Series) Do(a keymap.Action) bool {
	n := p.selected()
	switch a {
	case keymap.Toggle:
		p.toggle(n)
	case keymap.Only:
		p.alone(n)
	case keymap.Maximize:
		p.big = !p.big
		p.Changed()
	case keymap.Series:
		if len(p.all()) > 0 {
			p.Emit(state.ChooseSeries{Series: (n + 1) % len(p.all())})
		}
	case keymap.Open:
		p.openPages(n)
	default:
		if p.Chart.Do(a) || p.OrderBy(a) {
			return true
		}
		if !ui.MoveList(&p.List, a) {
			return false
		}
		p.Emit(state.ChooseSeries{Series: p.selected()})
	}
	return true
}

// toggle hides a series or shows it again.
func (p *Series) toggle(n int) {
	if n < 0 || n >= len(p.hidden) {
		return
	}
	p.hidden[n] = !p.hidden[n]
	p.Changed()
}

// alone hides all series except one, or shows all if only that one is shown.
func (p *Series) alone(n int) {
	if n < 0 || n >= len(p.hidden) {
		return
	}
	single := len(p.shown()) == 1 && !p.hidden[n]
	for i := range p.hidden {
		p.hidden[i] = !single && i != n
	}
	p.Changed()
}

// Unopened implements [ui.Unopener].
func (p *Series) Unopened() string {
	if p.Dump == nil {
		return ""
	}
	if n := p.selected(); n < 0 || len(p.Dump.Layouts[n]) == 0 {
		return "this series has no page layouts"
	}
	return ""
}

// openPages shows the layouts of a series.
func (p *Series) openPages(n int) {
	if why := p.Unopened(); why != "" {
		p.Say(why)
		return
	}
	p.Visit(keymap.ShowPages, state.ChooseSeries{Series: n})
}

func (p *Series) CopyText() string {
	n := p.selected()
	if n < 0 {
		return ""
	}
	s := &p.all()[n]
	v, _, _ := pages.ValueAt(s, p.State.Now())
	return widget.Clean(fmt.Sprintf("%s at %v: %s", seriesName(s, n), p.State.Now(), measuredText(v, true)))
}

// Click implements clicker.
func (p *Series) Click(x, y int, double bool) {
	if p.Chart.Click(x, y) {
		return
	}
	if !p.ListAt.Contains(x, y) || !p.Hit(x, y) {
		return
	}
	n := p.selected()
	p.Emit(state.ChooseSeries{Series: n})
	if double {
		p.openPages(n)
	} else if x < p.ListAt.X+4 {
		p.toggle(n)
	}
}

func (p *Series) Drag(fromX, fromY, x, _ int, _ bool) { p.Chart.Drag(fromX, fromY, x) }

func (p *Series) Wheel(x, y, rows int) {
	if !p.Chart.Wheel(x, y, rows) {
		p.List.Scroll(rows)
		p.Changed()
	}
}

// Difference implements [ui.Differing].
func (p *Series) Difference(table func(ui.Screen, ui.DiffTable) ui.Screen) ui.Screen {
	return table(p, ui.DiffTable{Rows: ui.DiffSeries})
}
