package views

import (
	"context"
	"fmt"
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/widget"
)

// dumpSeries shows all measured series on one time axis, and below what each of them says at the instant.
type dumpSeries struct {
	pane
	chart   *dumpChart
	list    widget.List
	figures *lazy[seriesKey, []pages.SeriesFigures]
	of      *dumpFile // what hidden is about
	hidden  []bool    // by series
	big     bool      // the chart fills the screen
	listAt  widget.Rect
}

// seriesKey determines figures of all series.
type seriesKey struct {
	dump     *dumpFile
	from, to model.Time
}

func newDumpSeries(e *env) *dumpSeries {
	p := &dumpSeries{pane: newPane(e), chart: newDumpChart(e)}
	p.figures = newLazy(e, func(ctx context.Context, k seriesKey) ([]pages.SeriesFigures, error) {
		out := make([]pages.SeriesFigures, len(k.dump.timeline.Series))
		for i := range out {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			out[i] = pages.SumSeries(&k.dump.timeline.Series[i], k.from, k.to)
		}
		return out, nil
	})
	p.list = widget.List{Table: p, SortColumn: -1, Column: -1, Focused: true}
	return p
}

func (p *dumpSeries) name() string           { return "Series" }
func (p *dumpSeries) action() keymap.Action  { return keymap.ShowSeries }
func (p *dumpSeries) needs() model.Facet     { return model.FacetTimeline }
func (p *dumpSeries) scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopeSeries} }
func (p *dumpSeries) columns() int           { return p.chart.cells() }
func (p *dumpSeries) command() []string      { return nil }

func (p *dumpSeries) about() string {
	switch {
	case p.chart.chart.Log:
		return "log"
	case p.chart.chart.Stacked:
		return "stacked"
	}
	return ""
}

// all is the series of the file.
func (p *dumpSeries) all() []model.Series {
	if p.dump == nil {
		return nil
	}
	return p.dump.timeline.Series
}

// show implements screen.
func (p *dumpSeries) show(s *State) {
	p.state = *s
	if p.dump == nil {
		return
	}
	if p.of != p.dump {
		p.of, p.hidden = p.dump, hiddenSeries(p.all())
	}
	from, to := model.Time(0), model.MaxTime
	if !s.Range.IsWhole() {
		from, to = s.Range.From+1, s.Range.To
		if s.Range.From < 0 {
			from = 0
		}
	}
	p.figures.ask(seriesKey{p.dump, from, to})
	p.list.Refresh()
	p.list.Select(max(s.Dump.Series, 0))
	chart, _ := p.divide(p.rect())
	p.titles()
	p.chart.show(s, chart, p.shown(), p.selected())
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
func (p *dumpSeries) shown() (list []int) {
	for i, hidden := range p.hidden {
		if !hidden && len(list) < mostShown {
			list = append(list, i)
		}
	}
	return list
}

func (p *dumpSeries) selected() int {
	if row, ok := p.list.Selected(); ok {
		return row
	}
	return noSeries
}

// titles says what a glance at the chart should tell.
func (p *dumpSeries) titles() {
	ch := &p.chart.chart
	ch.Title = plural(len(p.hidden), "series", "series")
	if n := len(p.hidden) - len(p.shown()); n > 0 {
		ch.Title += fmt.Sprintf(", %s hidden", model.Group(uint64(n)))
	}
	if text := p.about(); text != "" {
		ch.Title += " · " + text
	}
	ch.Answer = ""
	f, ok := p.figures.get()
	if n := p.selected(); ok && n >= 0 && n < len(f) && f[n].Points > 0 {
		ch.Answer = fmt.Sprintf("%s at most %s at %s", widget.Truncate(seriesName(&p.all()[n], n), 20), measuredText(f[n].Max, p.state.Exact), timeText(f[n].MaxAt, p.state.Exact))
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

func (p *dumpSeries) setColumns() {
	const right = widget.Right
	b := 9
	if p.state.Exact {
		b = 16
	}
	now, change := "VALUE", "CHANGE"
	if !p.state.Range.IsWhole() {
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
func (p *dumpSeries) Len() int          { return len(p.all()) }
func (p *dumpSeries) ID(row int) uint64 { return uint64(row) }

func (p *dumpSeries) Cell(row, col int) widget.Cell {
	s := &p.all()[row]
	switch col {
	case seriesSign:
		if p.hidden[row] {
			return widget.Cell{Text: "-", Style: p.look.Muted}
		}
		return widget.Cell{Text: p.seriesGlyph(row), Style: p.seriesStyle(row)}
	case seriesLabel:
		c := widget.Cell{Text: seriesName(s, row)}
		if p.hidden[row] {
			c.Style = p.look.Muted
		}
		return c
	case seriesNow:
		v, _, ok := pages.ValueAt(s, p.state.Now())
		if !ok {
			return widget.Cell{Text: "not yet", Style: p.look.Muted}
		}
		return widget.Cell{Text: measuredText(v, p.state.Exact)}
	case seriesChange:
		return p.changeCell(s)
	case seriesLayouts:
		return countCell(s.Layouts)
	}
	f, ok := p.figures.get()
	if !ok || row >= len(f) || f[row].Points == 0 && col != seriesPointCount {
		return widget.Cell{}
	}
	return p.figureCell(&f[row], col)
}

func (p *dumpSeries) figureCell(f *pages.SeriesFigures, col int) widget.Cell {
	switch col {
	case seriesMin:
		return widget.Cell{Text: measuredText(f.Min, p.state.Exact)}
	case seriesMax:
		return widget.Cell{Text: measuredText(f.Max, p.state.Exact)}
	case seriesMean:
		return widget.Cell{Text: measuredText(f.Mean, p.state.Exact)}
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
func (p *dumpSeries) changeCell(s *model.Series) widget.Cell {
	now, _, ok := pages.ValueAt(s, p.state.Now())
	if !ok {
		return widget.Cell{}
	}
	before := s.Values[0]
	if r := p.state.Range; !r.IsWhole() {
		if v, _, ok := pages.ValueAt(s, max(r.From, 0)); ok {
			before = v
		}
		if now, _, ok = pages.ValueAt(s, r.To); !ok {
			return widget.Cell{}
		}
	}
	switch {
	case now > before:
		return widget.Cell{Text: "+" + measuredText(now-before, p.state.Exact), Style: p.style(themes.Loss)}
	case now < before:
		return widget.Cell{Text: "−" + measuredText(before-now, p.state.Exact), Style: p.style(themes.Gain)}
	}
	return widget.Cell{Text: "±0", Style: p.look.Muted}
}

// divide gives the list its rows, at most a third, and the chart the rest.
func (p *dumpSeries) divide(r widget.Rect) (chart, list widget.Rect) {
	if p.big || r.H < 8 {
		return r, widget.Rect{}
	}
	rows := max(len(p.all())+1, 3) // fewer have no titles
	if e := p.eventText(); e != "" || len(p.chart.chart.Marks) > 0 {
		rows++
	}
	return r.CutBottom(min(rows, max(r.H/3, 4)))
}

// Draw implements tview.Primitive.
func (p *dumpSeries) Draw(s tcell.Screen) {
	r := p.rect()
	if p.dump == nil || len(p.all()) == 0 {
		for i, l := range []string{"This file holds no series.", "Problems says what was found in it."} {
			widget.Print(s, r.X+1, r.Y+i, r.W-2, l, p.look.Muted)
		}
		return
	}
	var list widget.Rect
	p.chart.area, list = p.divide(r)
	p.chart.draw(s)
	p.listAt = list
	if list.Empty() {
		return
	}
	if text := p.eventText(); text != "" && list.H > 2 {
		var line widget.Rect
		list, line = list.CutBottom(1)
		widget.Print(s, line.X+1, line.Y, line.W-2, p.look.Glyphs.Marker+" "+text, p.look.Mark)
	}
	p.setColumns()
	p.list.Draw(s, list, p.look)
}

// eventText is the last named event at or before the instant, "" without any.
func (p *dumpSeries) eventText() string {
	var best *model.SeriesEvent
	of := 0
	for _, n := range p.shown() {
		events := p.all()[n].Events
		i, _ := slices.BinarySearchFunc(events, p.state.Now(), func(e model.SeriesEvent, t model.Time) int {
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
	return fmt.Sprintf("%s at %s in %s: %s", widget.Clean(best.Name), timeText(best.At, p.state.Exact), widget.Clean(seriesName(&p.all()[of], of)), measuredText(best.Value, p.state.Exact))
}

// do implements screen.
func (p *dumpSeries) do(a keymap.Action) bool {
	n := p.selected()
	switch a {
	case keymap.Toggle:
		p.toggle(n)
	case keymap.Only:
		p.alone(n)
	case keymap.Maximise:
		p.big = !p.big
		p.changed()
	case keymap.Series:
		if len(p.all()) > 0 {
			p.emit(chooseSeries{(n + 1) % len(p.all())})
		}
	case keymap.Open:
		p.openPages(n)
	default:
		if p.chart.do(a) {
			return true
		}
		if !moveList(&p.list, a) {
			return false
		}
		p.emit(chooseSeries{p.selected()})
	}
	return true
}

// toggle hides a series or shows it again.
func (p *dumpSeries) toggle(n int) {
	if n < 0 || n >= len(p.hidden) {
		return
	}
	p.hidden[n] = !p.hidden[n]
	p.changed()
}

// alone hides all series but one, or shows all where that is so already.
func (p *dumpSeries) alone(n int) {
	if n < 0 || n >= len(p.hidden) {
		return
	}
	single := len(p.shown()) == 1 && !p.hidden[n]
	for i := range p.hidden {
		p.hidden[i] = !single && i != n
	}
	p.changed()
}

// openPages shows the layouts of a series.
func (p *dumpSeries) openPages(n int) {
	if n < 0 || len(p.dump.layouts[n]) == 0 {
		p.say("this series has no page layouts")
		return
	}
	p.visit(keymap.ShowPages, chooseSeries{n})
}

func (p *dumpSeries) copyText() string {
	n := p.selected()
	if n < 0 {
		return ""
	}
	s := &p.all()[n]
	v, _, _ := pages.ValueAt(s, p.state.Now())
	return widget.Clean(fmt.Sprintf("%s at %v: %s", seriesName(s, n), p.state.Now(), measuredText(v, true)))
}

// click implements clicker.
func (p *dumpSeries) click(x, y int, double bool) {
	if p.chart.click(x, y) {
		return
	}
	if row, ok := p.list.HitRow(x, y); ok && p.listAt.Contains(x, y) {
		p.emit(chooseSeries{row})
		if double {
			p.openPages(row)
		} else if x < p.listAt.X+4 {
			p.toggle(row)
		}
	}
}

func (p *dumpSeries) drag(fromX, fromY, x, _ int, _ bool) { p.chart.drag(fromX, fromY, x) }

func (p *dumpSeries) wheel(x, y, rows int) {
	if !p.chart.wheel(x, y, rows) {
		p.list.Scroll(rows)
		p.changed()
	}
}
