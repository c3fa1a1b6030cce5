package dump

import (
	"context"
	"fmt"
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// DumpSeries shows all measured series on one time axis, and below what each of them says at the instant.
type DumpSeries struct {
	ui.Pane
	Chart   *dumpChart
	list    widget.List
	figures *ui.Lazy[seriesKey, []pages.SeriesFigures]
	of      *ui.DumpFile // what hidden is about
	hidden  []bool       // by series
	big     bool         // the chart fills the screen
	listAt  widget.Rect
}

// seriesKey determines figures of all series.
type seriesKey struct {
	dump     *ui.DumpFile
	from, to model.Time
}

// NewSeries returns the screen of measured series.
func NewSeries(e *ui.Env) *DumpSeries {
	p := &DumpSeries{Pane: ui.NewPane(e), Chart: NewDumpChart(e)}
	p.figures = ui.NewLazy(e, func(ctx context.Context, k seriesKey) ([]pages.SeriesFigures, error) {
		out := make([]pages.SeriesFigures, len(k.dump.Timeline.Series))
		for i := range out {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			out[i] = pages.SumSeries(&k.dump.Timeline.Series[i], k.from, k.to)
		}
		return out, nil
	})
	p.list = widget.List{Table: p, SortColumn: -1, Column: -1, Focused: true}
	return p
}

func (p *DumpSeries) Name() string { return "Series" }

func (p *DumpSeries) Action() keymap.Action { return keymap.ShowSeries }

func (p *DumpSeries) Needs() model.Facet { return model.FacetTimeline }

func (p *DumpSeries) Scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopeSeries} }

// Columns returns how many cells the chart has for the time axis.
func (p *DumpSeries) Columns() int { return p.Chart.cells() }

func (p *DumpSeries) Command() []string { return nil }

func (p *DumpSeries) About() string {
	switch {
	case p.Chart.Chart.Log:
		return "log"
	case p.Chart.Chart.Stacked:
		return "stacked"
	}
	return ""
}

// all is the series of the file.
func (p *DumpSeries) all() []model.Series {
	if p.Dump == nil {
		return nil
	}
	return p.Dump.Timeline.Series
}

// Show implements screen.
func (p *DumpSeries) Show(s *state.State) {
	p.State = *s
	if p.Dump == nil {
		return
	}
	if p.of != p.Dump {
		p.of, p.hidden = p.Dump, hiddenSeries(p.all())
	}
	from, to := model.Time(0), model.MaxTime
	if !s.Range.IsWhole() {
		from, to = s.Range.From+1, s.Range.To
		if s.Range.From < 0 {
			from = 0
		}
	}
	p.figures.Ask(seriesKey{p.Dump, from, to})
	p.list.Refresh()
	p.list.Select(max(s.Dump.Series, 0))
	chart, _ := p.divide(p.Rect())
	p.titles()
	p.Chart.show(s, chart, p.shown(), p.selected())
}

// hiddenSeries are those that the file does not want to be seen, unless that are all.
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

// mostShown is how many series one chart shows: more are no picture, and a damaged file may claim a hundred thousand.
const mostShown = 256

// shown is the series of the chart: the first that are not hidden.
func (p *DumpSeries) shown() (list []int) {
	for i, hidden := range p.hidden {
		if !hidden && len(list) < mostShown {
			list = append(list, i)
		}
	}
	return list
}

func (p *DumpSeries) selected() int {
	if row, ok := p.list.Selected(); ok {
		return row
	}
	return state.NoSeries
}

// titles says what a glance at the chart should tell.
func (p *DumpSeries) titles() {
	ch := &p.Chart.Chart
	ch.Title = ui.Plural(len(p.hidden), "series", "series")
	if n := len(p.hidden) - len(p.shown()); n > 0 {
		ch.Title += fmt.Sprintf(", %s hidden", model.Group(uint64(n)))
	}
	if text := p.About(); text != "" {
		ch.Title += " · " + text
	}
	ch.Answer = ""
	f, ok := p.figures.Get()
	if n := p.selected(); ok && n >= 0 && n < len(f) && f[n].Points > 0 {
		ch.Answer = fmt.Sprintf("%s at most %s at %s", widget.Truncate(seriesName(&p.all()[n], n), 20), measuredText(f[n].Max, p.State.Exact), ui.TimeText(f[n].MaxAt, p.State.Exact))
	}
}

// seriesName is how a series is called.
func seriesName(s *model.Series, n int) string {
	if s.Name == "" {
		return fmt.Sprintf("(series %d)", n)
	}
	return s.Name
}

// The columns of the list.
const (
	seriesSign = iota
	seriesLabel
	seriesNow
	seriesChange
	seriesMin
	seriesMax
	seriesMean
	seriesPointCount
	seriesEvents
	seriesLayouts
)

func (p *DumpSeries) setColumns() {
	const right = widget.Right
	b := 9
	if p.State.Exact {
		b = 16
	}
	now, change := "VALUE", "CHANGE"
	if !p.State.Range.IsWhole() {
		change = "IN RANGE"
	}
	p.list.Columns = []widget.Column{
		seriesSign: {Title: "", Width: 1}, seriesLabel: {Title: "SERIES", Width: 12, Grow: 1},
		seriesNow: {Title: now, Width: b, Align: right}, seriesChange: {Title: change, Width: b + 1, Align: right, Drop: 3},
		seriesMin: {Title: "MIN", Width: b, Align: right, Drop: 2}, seriesMax: {Title: "MAX", Width: b, Align: right, Drop: 1},
		seriesMean: {Title: "MEAN", Width: b, Align: right, Drop: 6}, seriesPointCount: {Title: "POINTS", Width: 9, Align: right, Drop: 5},
		seriesEvents: {Title: "EVENTS", Width: 6, Align: right, Drop: 7}, seriesLayouts: {Title: "LAYOUTS", Width: 7, Align: right, Drop: 4},
	}
}

// Len, ID and Cell implement widget.Table.
func (p *DumpSeries) Len() int { return len(p.all()) }

func (p *DumpSeries) ID(row int) uint64 { return uint64(row) }

func (p *DumpSeries) Cell(row, col int) widget.Cell {
	s := &p.all()[row]
	switch col {
	case seriesSign:
		if p.hidden[row] {
			return widget.Cell{Text: "-", Style: p.Look.Muted}
		}
		return widget.Cell{Text: seriesGlyph(p.Pane.Env, row), Style: seriesStyle(p.Pane.Env, row)}
	case seriesLabel:
		c := widget.Cell{Text: seriesName(s, row)}
		if p.hidden[row] {
			c.Style = p.Look.Muted
		}
		return c
	case seriesNow:
		v, _, ok := pages.ValueAt(s, p.State.Now())
		if !ok {
			return widget.Cell{Text: "not yet", Style: p.Look.Muted}
		}
		return widget.Cell{Text: measuredText(v, p.State.Exact)}
	case seriesChange:
		return p.changeCell(s)
	case seriesLayouts:
		return countCell(s.Layouts)
	}
	f, ok := p.figures.Get()
	if !ok || row >= len(f) || f[row].Points == 0 && col != seriesPointCount {
		return widget.Cell{}
	}
	return p.figureCell(&f[row], col)
}

func (p *DumpSeries) figureCell(f *pages.SeriesFigures, col int) widget.Cell {
	switch col {
	case seriesMin:
		return widget.Cell{Text: measuredText(f.Min, p.State.Exact)}
	case seriesMax:
		return widget.Cell{Text: measuredText(f.Max, p.State.Exact)}
	case seriesMean:
		return widget.Cell{Text: measuredText(f.Mean, p.State.Exact)}
	case seriesEvents:
		return countCell(f.Events)
	}
	return widget.Cell{Text: model.Group(uint64(f.Points))}
}

func countCell(n int) widget.Cell {
	if n == 0 {
		return widget.Cell{}
	}
	return widget.Cell{Text: model.Group(uint64(n))}
}

// changeCell is how the value differs from the first one, or from that at the start of the range.
func (p *DumpSeries) changeCell(s *model.Series) widget.Cell {
	now, _, ok := pages.ValueAt(s, p.State.Now())
	if !ok {
		return widget.Cell{}
	}
	before := s.Values[0]
	if r := p.State.Range; !r.IsWhole() {
		if v, _, ok := pages.ValueAt(s, max(r.From, 0)); ok {
			before = v
		}
		if now, _, ok = pages.ValueAt(s, r.To); !ok {
			return widget.Cell{}
		}
	}
	switch {
	case now > before:
		return widget.Cell{Text: "+" + measuredText(now-before, p.State.Exact), Style: p.Style(themes.Loss)}
	case now < before:
		return widget.Cell{Text: "−" + measuredText(before-now, p.State.Exact), Style: p.Style(themes.Gain)}
	}
	return widget.Cell{Text: "±0", Style: p.Look.Muted}
}

// divide gives the list its rows, at most a third, and the chart the rest.
func (p *DumpSeries) divide(r widget.Rect) (chart, list widget.Rect) {
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
func (p *DumpSeries) Draw(s tcell.Screen) {
	r := p.Rect()
	if p.Dump == nil || len(p.all()) == 0 {
		for i, l := range []string{"This file holds no series.", "Problems says what was found in it."} {
			widget.Print(s, r.X+1, r.Y+i, r.W-2, l, p.Look.Muted)
		}
		return
	}
	var list widget.Rect
	p.Chart.area, list = p.divide(r)
	p.Chart.Draw(s)
	p.listAt = list
	if list.Empty() {
		return
	}
	if text := p.eventText(); text != "" && list.H > 2 {
		var line widget.Rect
		list, line = list.CutBottom(1)
		widget.Print(s, line.X+1, line.Y, line.W-2, p.Look.Glyphs.Marker+" "+text, p.Look.Mark)
	}
	p.setColumns()
	p.list.Draw(s, list, p.Look)
}

// eventText is the last named event at or before the instant, "" without any.
func (p *DumpSeries) eventText() string {
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
	return fmt.Sprintf("%s at %s in %s: %s", widget.Clean(best.Name), ui.TimeText(best.At, p.State.Exact), widget.Clean(seriesName(&p.all()[of], of)), measuredText(best.Value, p.State.Exact))
}

// Do implements screen.
func (p *DumpSeries) Do(a keymap.Action) bool {
	n := p.selected()
	switch a {
	case keymap.Toggle:
		p.toggle(n)
	case keymap.Only:
		p.alone(n)
	case keymap.Maximise:
		p.big = !p.big
		p.Changed()
	case keymap.Series:
		if len(p.all()) > 0 {
			p.Emit(state.ChooseSeries{Series: (n + 1) % len(p.all())})
		}
	case keymap.Open:
		p.openPages(n)
	default:
		if p.Chart.Do(a) {
			return true
		}
		if !ui.MoveList(&p.list, a) {
			return false
		}
		p.Emit(state.ChooseSeries{Series: p.selected()})
	}
	return true
}

// toggle hides a series or shows it again.
func (p *DumpSeries) toggle(n int) {
	if n < 0 || n >= len(p.hidden) {
		return
	}
	p.hidden[n] = !p.hidden[n]
	p.Changed()
}

// alone hides all series but one, or shows all where that is so already.
func (p *DumpSeries) alone(n int) {
	if n < 0 || n >= len(p.hidden) {
		return
	}
	single := len(p.shown()) == 1 && !p.hidden[n]
	for i := range p.hidden {
		p.hidden[i] = !single && i != n
	}
	p.Changed()
}

// openPages shows the layouts of a series.
func (p *DumpSeries) openPages(n int) {
	if n < 0 || len(p.Dump.Layouts[n]) == 0 {
		p.Say("this series has no page layouts")
		return
	}
	p.Visit(keymap.ShowPages, state.ChooseSeries{Series: n})
}

func (p *DumpSeries) CopyText() string {
	n := p.selected()
	if n < 0 {
		return ""
	}
	s := &p.all()[n]
	v, _, _ := pages.ValueAt(s, p.State.Now())
	return widget.Clean(fmt.Sprintf("%s at %v: %s", seriesName(s, n), p.State.Now(), measuredText(v, true)))
}

// Click implements clicker.
func (p *DumpSeries) Click(x, y int, double bool) {
	if p.Chart.Click(x, y) {
		return
	}
	if row, ok := p.list.HitRow(x, y); ok && p.listAt.Contains(x, y) {
		p.Emit(state.ChooseSeries{Series: row})
		if double {
			p.openPages(row)
		} else if x < p.listAt.X+4 {
			p.toggle(row)
		}
	}
}

func (p *DumpSeries) Drag(fromX, fromY, x, _ int, _ bool) { p.Chart.Drag(fromX, fromY, x) }

func (p *DumpSeries) Wheel(x, y, rows int) {
	if !p.Chart.Wheel(x, y, rows) {
		p.list.Scroll(rows)
		p.Changed()
	}
}
