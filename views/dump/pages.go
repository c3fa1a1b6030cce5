package dump

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Pages shows one page layout as a grid, or the changes between two.
type Pages struct {
	ui.Pane
	Grid           pageGrid
	over           *layoutChart
	load           *ui.LayoutLoad // what is drawn, nil for none
	diff           *ui.LayoutDiff // of a difference
	figures        *ui.LayoutFigures
	drawn          layoutsDrawn
	detail         pageDetail
	Playing        int           // direction, 0 while paused
	playGeneration int           // incremented when playing starts; a timer with an older number stops
	requestsDone   int           // number of requests to show a page that are done
	Frame          time.Duration // how long a layout is shown while playing
	big            bool
	areas          pageAreas
}

// layoutsDrawn identifies the data of the grid's types.
type layoutsDrawn struct {
	load *ui.LayoutLoad
	diff *ui.LayoutDiff
}

// pageAreas is where the parts are; those that do not fit are empty.
type pageAreas struct{ head, grid, detail, chart, legend widget.Rect }

// NewPages returns the screen of page layouts.
func NewPages(e *ui.Env) *Pages {
	p := &Pages{Pane: ui.NewPane(e), over: newLayoutChart(e), Frame: frameTime}
	p.Grid.env, p.Grid.titles = e, p.typeTitle
	return p
}

func (p *Pages) Name() string { return "Pages" }

func (p *Pages) Action() keymap.Action { return keymap.ShowPages }

func (p *Pages) Needs() model.Facet { return model.FacetTimeline | model.FacetPages }

func (p *Pages) Scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopePages} }

// Columns returns how many cells the chart has for the time axis.
func (p *Pages) Columns() int { return p.over.cells() }

func (p *Pages) Command() []string { return nil }

// CommandLine returns the command that prints what is shown.
func (p *Pages) CommandLine(file []string) []string {
	if p.Dump == nil || len(file) == 0 {
		return append([]string{"memtui", "pages"}, file...)
	}
	flags, path := file[:len(file)-1], file[len(file)-1]
	if sides := p.LayoutFiles(&p.State, file); p.State.Compare.On && sides != nil {
		return append([]string{"memtui", "diff"}, sides...)
	}
	if i := p.Dump.Layout(&p.State); i >= 0 {
		path = fmt.Sprintf("%s#%d", path, i)
	}
	return slices.Concat([]string{"memtui", "pages"}, (&state.Question{Map: true}).Args(), flags, []string{path})
}

func (p *Pages) About() string {
	text := layoutPlace(p.Dump, &p.State)
	if p.Playing > 0 {
		text += " · playing"
	} else if p.Playing < 0 {
		text += " · playing back"
	}
	return strings.TrimPrefix(text, " · ")
}

// layoutPlace returns which layout a state selects, by its number in the file, as commands take it, and when it was
// taken, which may be long before the instant; "" before the first. If layouts of several series are in the file, it
// includes the series.
func layoutPlace(d *ui.DumpFile, s *state.State) string {
	if d == nil || s.Compare.On { // the header names both layouts then
		return ""
	}
	list, n := d.Place(s)
	if n < 0 {
		return ""
	}
	text := fmt.Sprintf("layout #%d", list[n])
	if len(list) < d.Count {
		series := d.Series(s)
		text += " of " + widget.Truncate(widget.Clean(seriesName(&d.Timeline.Series[series], series)), 20)
	}
	when := ui.LayoutRef{Dump: d, Layout: list[n]}
	if d.Time(list[n]) == model.NoTime {
		return text + ", " + when.When()
	}
	return text + " at " + when.When()
}

// Show shows a state.
func (p *Pages) Show(s *state.State) {
	p.State = *s
	if p.Dump == nil {
		return
	}
	p.ask()
	same := p.drawn == layoutsDrawn{p.load, p.diff}
	p.drawn = layoutsDrawn{p.load, p.diff}
	p.areas = p.divide(p.Rect())
	if s.Dump.Requests != p.requestsDone {
		p.requestsDone, p.Grid.cursor = s.Dump.Requests, s.Dump.Spot
	}
	types := p.Grid.Types
	if !same || len(types) == 0 {
		types = p.gridTypes()
	}
	p.Grid.Place(p.areas.grid, types, same)
	p.areas.giveFree(p.Grid.rows)
	p.Grid.Area = p.areas.grid
	p.over.show(s, p.areas.chart, p.typeName())
	p.detail = p.describe()
}

// ask requests the layout or difference, and shows what is available.
func (p *Pages) ask() {
	l := p.Layouts
	was := p.load
	p.load, p.diff, p.figures = nil, nil, nil
	if a, b := p.LayoutSides(&p.State); p.State.Compare.On && a.Layout != state.NoLayout && b.Layout != state.NoLayout {
		l.Diff.Ask(ui.DiffKey{A: a, B: b})
		p.diff, _ = l.Diff.Get()
		return
	}
	i := p.Dump.Layout(&p.State)
	if i == state.NoLayout {
		return
	}
	key := ui.LayoutKey{Dump: p.Dump, Layout: i}
	l.Load.Ask(key)
	if v, ok := l.Load.Get(); ok && v.Dump == p.Dump && (!l.Load.Fresh() || v.LayoutKey == key) { // meanwhile the one before
		p.load = v
	}
	if l.Load.Fresh() && l.Load.Err != nil {
		p.load = nil
		return
	}
	if l.Load.Fresh() || was == nil {
		l.Figures.Ask(key)
	}
	if f, ok := l.Figures.Get(); ok && p.load != nil && f.LayoutKey == p.load.LayoutKey {
		p.figures = f
	}
}

// sideText returns the name of one side of a difference.
func (p *Pages) sideText(r ui.LayoutRef, sign string) string {
	name := ""
	if p.OtherDump() != nil {
		name = widget.TruncateMiddle([2]string{p.First.Name, p.Second.Name}[map[bool]int{true: 1}[r.Dump == p.OtherDump()]], 20) + " "
	}
	return fmt.Sprintf("%s %s#%d %s", sign, name, r.Layout, r.When())
}

// gridTypes returns the content of the grid.
func (p *Pages) gridTypes() (out []gridPages) {
	switch {
	case p.diff != nil:
		for i := range p.diff.Paired {
			t := &p.diff.Paired[i]
			out = append(out, gridPages{name: t.Name(), is: t.Is, diff: t})
		}
	case p.load != nil:
		for i := range p.load.Types {
			out = append(out, gridPages{name: p.load.Types[i].Name, is: &p.load.Types[i], fills: p.load.Fills[i]})
		}
	}
	return out
}

// typeName returns the type of the chart: the cursor's if only that is shown, "" for all.
func (p *Pages) typeName() string {
	if !p.Grid.alone || p.Grid.cursor.Typ >= len(p.Grid.Types) {
		return ""
	}
	return p.Grid.Types[p.Grid.cursor.Typ].name
}

// Hides implements [ui.Maximizer].
func (p *Pages) Hides() string {
	if !p.big {
		return ""
	}
	return "chart and details"
}

// divide gives the grid what head, detail, chart and legend leave.
func (p *Pages) divide(r widget.Rect) (a pageAreas) {
	a.grid = r
	if p.big {
		return a
	}
	if r.H >= 6 {
		a.head, a.grid = a.grid.CutTop(1)
	}
	if r.H >= 9 {
		a.grid, a.legend = a.grid.CutBottom(1)
	}
	if r.H >= 18 {
		a.grid, a.chart = a.grid.CutBottom(max(4, r.H/6))
	}
	if r.H >= 12 {
		a.grid, a.detail = a.grid.CutBottom(3)
	}
	return a
}

// giveFree gives the chart what a grid of so many rows leaves free, in steps: a page more in the next layout moves
// nothing.
func (a *pageAreas) giveFree(rows int) {
	const step = 4
	free := (a.grid.H - max(rows, 1)) / step * step
	if free <= 0 || a.chart.Empty() {
		return
	}
	a.grid.H -= free
	a.detail.Y -= free
	a.chart.Y -= free
	a.chart.H += free
}

// Draw implements tview.Primitive.
func (p *Pages) Draw(s tcell.Screen) {
	if lines := p.emptyText(); lines != nil {
		r := p.Rect()
		for _, l := range lines {
			r = widget.PrintWrapped(s, r, l, p.Look.Muted)
		}
		if !p.areas.chart.Empty() {
			p.over.Draw(s)
		}
		return
	}
	p.drawHead(s, p.areas.head)
	p.Grid.Draw(s)
	p.drawDetail(s, p.areas.detail)
	if !p.areas.chart.Empty() {
		p.over.Draw(s)
	}
	p.drawLegend(s, p.areas.legend)
}

// emptyText returns why there is no grid, nil where there is one.
func (p *Pages) emptyText() []string {
	if p.Dump == nil {
		return []string{"Opening the file " + p.Look.Glyphs.Ellipsis}
	}
	if p.diff != nil && len(p.diff.Paired) > 0 || p.load != nil && len(p.load.Types) > 0 {
		return nil
	}
	if p.Dump.Series(&p.State) == state.NoSeries {
		return []string{"No series of this file has page layouts.", "Series shows what was measured."}
	}
	if p.Dump.Layout(&p.State) == state.NoLayout {
		return []string{"At " + p.State.Now().String() + " there is no layout yet.", p.Hint("{step-forward} goes to the first one.")}
	}
	l := p.Layouts
	for _, err := range []error{l.Load.Err, l.Diff.Err} {
		if err != nil {
			return []string{"This layout cannot be decoded: " + widget.Clean(err.Error()),
				p.Hint("{step-back} and {step-forward} go to others.")}
		}
	}
	if p.load != nil {
		return []string{"This layout has no types of pages.", p.Hint("{step-back} and {step-forward} go to others.")}
	}
	return []string{"Decoding the layout " + p.Look.Glyphs.Ellipsis}
}

// typeTitle returns the line above the pages of a type.
func (p *Pages) typeTitle(typ int) (title, answer string) {
	t := &p.Grid.Types[typ]
	title = typeLabel(t.name)
	if t.len() == 0 {
		return title, "no pages"
	}
	if p.diff != nil {
		c := &p.diff.Types[typ]
		if c.NewlyOccupied == 0 && c.NewlyFree == 0 && c.Before.Pages == c.After.Pages {
			return title, "nothing changed"
		}
		answer = fmt.Sprintf("%s %s newly occupied · %s %s newly free", p.Look.Glyphs.Up, p.bits(c.NewlyOccupied),
			p.Look.Glyphs.Down, p.bits(c.NewlyFree))
		if d := c.After.Pages - c.Before.Pages; d != 0 {
			answer = strings.Replace(fmt.Sprintf("%+d pages · ", d), "-", "−", 1) + answer
		}
		return title, answer
	}
	if p.figures == nil {
		return title, model.Counted(t.len(), "page")
	}
	f := &p.figures.Types[typ]
	answer = ui.ShareText(f.Share()) + " occupied"
	if f.Empty > 0 {
		answer += " · " + model.Group(uint64(f.Empty)) + " empty"
	}
	if f.Full > 0 {
		answer += " · " + model.Group(uint64(f.Full)) + " full"
	}
	return title, answer
}

// typeLabel returns the name of a type of pages.
func typeLabel(name string) string {
	if name == "" {
		return "(no name)"
	}
	return name
}

// bits returns the memory that so many bits represent.
func (p *Pages) bits(n uint64) string { return ui.BytesText(ui.HoleBytes(n), p.State.Exact) }

// drawHead draws what is shown, its arrangement, and the meaning of a cell.
func (p *Pages) drawHead(s tcell.Screen, r widget.Rect) {
	if r.Empty() {
		return
	}
	right := p.Grid.Order.String() + " · " + p.cellText()
	if p.load != nil && p.load.LayoutKey.Layout != p.Dump.Layout(&p.State) {
		right = "decoding " + p.Look.Glyphs.Ellipsis + " · " + right
	}
	n := widget.PrintRight(s, r.X+1, r.Y, r.W-2, right, p.Look.Muted)
	text := ""
	if a, b := p.LayoutSides(&p.State); p.diff != nil {
		from, to := p.State.Compare.Signs()
		text = p.sideText(a, from) + " " + p.Look.Glyphs.ArrowRight + " " + p.sideText(b, to)
		if !p.State.Compare.Marks[state.SideB].Set && p.OtherDump() == nil {
			text += " (here)"
		}
	} else {
		for i := range p.Grid.Types {
			t := &p.Grid.Types[i]
			if t.len() == 0 {
				continue
			}
			word := ""
			if text == "" {
				word = " pages"
				if t.len() == 1 {
					word = " page"
				}
			}
			if text != "" {
				text += " · "
			}
			text += typeLabel(t.name) + " " + model.Group(uint64(t.len())) + word
		}
	}
	widget.Print(s, r.X+1, r.Y, r.W-n-4, text, p.Look.Text)
}

// cellText returns what one cell represents.
func (p *Pages) cellText() string {
	g := &p.Grid
	if g.level > 0 {
		return "1 cell = " + model.Group(1<<g.level) + " pages"
	}
	n := uint64(0)
	if g.level < 0 && len(g.Types) > 0 && g.Types[g.cursor.Typ].len() > 0 {
		parts := uint64(g.parts(g.cursor.Typ))
		n = (g.Types[g.cursor.Typ].bits(g.cursor.Page) + parts - 1) / parts
	}
	switch {
	case g.level == 0:
		return "1 cell = 1 page"
	case n <= 1:
		return "1 cell = 8 B"
	}
	return "1 cell = " + model.Bytes(8*n).String()
}

// drawLegend explains the signs.
func (p *Pages) drawLegend(s tcell.Screen, r widget.Rect) {
	if r.Empty() {
		return
	}
	type entry struct {
		sign, text string
		st         tcell.Style
	}
	var list []entry
	k := p.Look
	if p.diff != nil {
		mixed := "±"
		if k.Glyphs.Plain {
			mixed = "x"
		}
		list = []entry{{k.Glyphs.Up, "newly occupied", p.Style(themes.Loss)}, {k.Glyphs.Down, "newly free", p.Style(themes.Gain)},
			{mixed, "both", p.Style(themes.Warning)}, {sameGlyph(k), "same", k.Muted}}
	} else {
		signs := fillGlyphs(k.Glyphs.Plain)
		for i, text := range []string{"full", "≥ 75 %", "≥ 25 %", "less", "empty"} {
			n := len(signs) - 1 - i
			if k.Glyphs.Plain && i > 0 && i < 3 {
				text = ">= " + text[len("≥ "):]
			}
			list = append(list, entry{signs[n], text, p.Theme.Heat(float64(n) / float64(len(signs)-1))})
		}
	}
	x := r.X + 1
	for _, e := range list {
		if x+3+widget.Width(e.text) > r.X+r.W {
			return
		}
		x += widget.Print(s, x, r.Y, 1, e.sign, e.st) + 1
		x += widget.Print(s, x, r.Y, r.X+r.W-x, e.text, k.Muted) + 2
	}
}

// Do carries out an action, or returns false if the screen has no such action. Any other action stops playing.
func (p *Pages) Do(a keymap.Action) bool {
	if p.Dump == nil {
		return false
	}
	if p.doLayouts(a) || p.doGrid(a) {
		return true
	}
	p.Playing = 0
	return false
}

// doLayouts handles the actions that choose layouts.
func (p *Pages) doLayouts(a keymap.Action) bool {
	switch a {
	case keymap.StepBack, keymap.StepForward, keymap.LeapBack, keymap.LeapForward:
		p.Playing = 0
		stepLayout(p.Env, &p.State, a)
	case keymap.Peak, keymap.PeakInRange:
		p.Playing = 0
		return p.over.toWorst(a == keymap.PeakInRange)
	case keymap.Toggle:
		p.play(1)
	case keymap.PlayBack:
		p.play(-1)
	case keymap.Series:
		nextSeries(p.Env, &p.State)
	default:
		return false
	}
	return true
}

// doGrid handles the actions that move within the grid.
func (p *Pages) doGrid(a keymap.Action) bool {
	g := &p.Grid
	page := max(g.Area.H-2, 1)
	switch a {
	case keymap.Left:
		g.move(-1, 0)
	case keymap.Right:
		g.move(1, 0)
	case keymap.Up:
		g.move(0, -1)
	case keymap.Down:
		g.move(0, 1)
	case keymap.PageUp:
		g.move(0, -page)
	case keymap.PageDown:
		g.move(0, page)
	case keymap.First:
		g.cursor.Page, g.cursor.Part = 0, 0
	case keymap.Last:
		g.cursor.Page = 1 << 40 // placed on the last one
	case keymap.NextPane:
		g.turnType(1)
	case keymap.PreviousPane:
		g.turnType(-1)
	case keymap.Group:
		g.alone = !g.alone
	case keymap.Order:
		g.Order = (g.Order + 1) % widget.CellOrders
	case keymap.Maximize:
		p.big = !p.big
	default:
		return p.doZoom(a)
	}
	p.Changed()
	return true
}

// doZoom handles the actions that change the size of a cell.
func (p *Pages) doZoom(a keymap.Action) bool {
	g := &p.Grid
	ok := true
	switch a {
	case keymap.ZoomIn:
		ok = g.zoom(-1)
	case keymap.ZoomOut:
		ok = g.zoom(1)
	case keymap.Open:
		switch {
		case g.level > 0:
			ok = g.zoom(-min(g.level, 4))
		case g.level > -6:
			ok = g.zoom(-6 - g.level)
		default:
			ok = g.zoom(-64)
		}
	case keymap.ZoomReset:
		g.zoomed, g.fitted = false, fitted{}
	case keymap.Back:
		switch {
		case g.zoomed:
			g.zoomed, g.fitted = false, fitted{}
		case g.alone:
			g.alone = false
		case p.big:
			p.big = false
		default:
			p.Playing = 0
			return false
		}
	default:
		return false
	}
	if why := p.emptyText(); !ok && why != nil {
		p.Say(why[0])
	} else if !ok {
		p.Say("this is the highest zoom")
	}
	p.Changed()
	return true
}

func (p *Pages) CopyText() string {
	d := &p.detail
	lines := []string{widget.Clean(d.title + ": " + d.answer)}
	if d.facts != "" {
		lines = append(lines, widget.Clean(d.facts))
	}
	return strings.Join(lines, "\n")
}

// Click implements clicker.
func (p *Pages) Click(x, y int, double bool) {
	if p.over.Click(x, y) {
		return
	}
	if p.Grid.hit(x, y) {
		if double {
			p.Do(keymap.Open)
		}
		p.Changed()
	}
}

func (p *Pages) Drag(_, _, _, _ int, _ bool) {}

// Wheel implements clicker: it zooms.
func (p *Pages) Wheel(x, y, rows int) {
	if !p.areas.grid.Contains(x, y) {
		return
	}
	p.Grid.hit(x, y)
	p.Grid.zoom(sign(rows))
	p.Changed()
}

// Compares implements [ui.TwoSided]: the grid itself shows what changed.
func (p *Pages) Compares() ui.DiffRows { return ui.DiffPages }

// Rangeless implements [ui.Rangeless]: one layout is shown.
func (p *Pages) Rangeless() bool { return true }
