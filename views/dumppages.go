package views

import (
	"fmt"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/widget"
)

// dumpPages shows one page layout as a grid, or what changed between two.
type dumpPages struct {
	pane
	grid    pageGrid
	over    *layoutChart
	load    *layoutLoad // what is drawn, nil for none
	diff    *layoutDiff // the same of a difference
	figures *layoutFigures
	drawn   layoutsDrawn
	detail  pageDetail
	playing int           // direction, 0 while paused
	games   int           // how often playing began: ends the clock of the one before
	sent    int           // how often the grid was sent to a page
	frame   time.Duration // how long a layout is shown while playing
	big     bool
	areas   pageAreas
}

// layoutsDrawn says what the grid's types are made of.
type layoutsDrawn struct {
	load *layoutLoad
	diff *layoutDiff
}

// pageAreas is where the parts are; those that do not fit are empty.
type pageAreas struct{ head, grid, detail, chart, legend widget.Rect }

func newDumpPages(e *env) *dumpPages {
	p := &dumpPages{pane: newPane(e), over: newLayoutChart(e), frame: frameTime}
	p.grid.env, p.grid.titles = e, p.typeTitle
	return p
}

func (p *dumpPages) name() string           { return "Pages" }
func (p *dumpPages) action() keymap.Action  { return keymap.ShowPages }
func (p *dumpPages) needs() model.Facet     { return model.FacetTimeline | model.FacetPages }
func (p *dumpPages) scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopePages} }
func (p *dumpPages) columns() int           { return p.over.cells() }
func (p *dumpPages) command() []string      { return nil }

// commandLine implements commander.
func (p *dumpPages) commandLine(file []string) []string {
	if p.dump == nil || len(file) == 0 {
		return append([]string{"memtui", "pages"}, file...)
	}
	flags, path := file[:len(file)-1], file[len(file)-1]
	nth := func(i int) string { return fmt.Sprintf("%s#%d", path, i) }
	if a, b := p.layoutSides(&p.state); p.state.Compare.On && a.layout >= 0 && b.layout >= 0 {
		name := func(r layoutRef) string {
			if r.dump == p.otherDump && p.otherDump != nil {
				return fmt.Sprintf("%s#%d", p.second.path, r.layout)
			}
			return nth(r.layout)
		}
		return append(append([]string{"memtui", "diff"}, flags...), name(a), name(b))
	}
	if i := p.dump.layout(&p.state); i >= 0 {
		path = nth(i)
	}
	return append(append([]string{"memtui", "pages", "--map"}, flags...), path)
}

func (p *dumpPages) about() string {
	text := layoutPlace(p.dump, &p.state)
	if p.playing > 0 {
		text += " · playing"
	} else if p.playing < 0 {
		text += " · playing back"
	}
	return text
}

// layoutPlace says which of how many layouts a state is about, "" before the first.
func layoutPlace(d *dumpFile, s *State) string {
	if d == nil {
		return ""
	}
	list, n := d.place(s)
	if n < 0 {
		return ""
	}
	return fmt.Sprintf("layout %d/%d", n+1, len(list))
}

// show implements screen.
func (p *dumpPages) show(s *State) {
	p.state = *s
	if p.dump == nil {
		return
	}
	p.ask()
	same := p.drawn == layoutsDrawn{p.load, p.diff}
	p.drawn = layoutsDrawn{p.load, p.diff}
	p.areas = p.divide(p.rect())
	p.over.show(s, p.areas.chart, p.typeName())
	if s.Dump.Sent != p.sent {
		p.sent, p.grid.cursor = s.Dump.Sent, s.Dump.Spot
	}
	types := p.grid.types
	if !same || len(types) == 0 {
		types = p.gridTypes()
	}
	p.grid.place(p.areas.grid, types, same)
	p.detail = p.describe()
}

// ask asks for what is shown and takes what there is of it.
func (p *dumpPages) ask() {
	l := p.layouts
	was := p.load
	p.load, p.diff, p.figures = nil, nil, nil
	if a, b := p.layoutSides(&p.state); p.state.Compare.On && a.layout != noLayout && b.layout != noLayout {
		l.diff.ask(diffKey{a, b})
		p.diff, _ = l.diff.get()
		return
	}
	i := p.dump.layout(&p.state)
	if i == noLayout {
		return
	}
	key := layoutKey{p.dump, i}
	l.load.ask(key)
	if v, ok := l.load.get(); ok && v.dump == p.dump && (!l.load.fresh() || v.layoutKey == key) { // meanwhile the one before
		p.load = v
	}
	if l.load.fresh() && l.load.err != nil {
		p.load = nil
		return
	}
	if l.load.fresh() || was == nil {
		l.figures.ask(key)
	}
	if f, ok := l.figures.get(); ok && p.load != nil && f.layoutKey == p.load.layoutKey {
		p.figures = f
	}
}

// sideText names one side of a difference.
func (p *dumpPages) sideText(r layoutRef) string {
	sign := "A"
	switch {
	case p.otherDump != nil && r.dump == p.otherDump, p.otherDump == nil && r.layout == p.state.Dump.MarkB && r.layout != p.state.Dump.MarkA:
		sign = "B"
	case p.otherDump == nil && r.layout != p.state.Dump.MarkA:
		sign = "B"
	}
	name := ""
	if p.otherDump != nil {
		name = widget.TruncateMiddle([2]string{p.first.name, p.second.name}[map[bool]int{true: 1}[r.dump == p.otherDump]], 20) + " "
	}
	return fmt.Sprintf("%s %s#%d %s", sign, name, r.layout, r.when())
}

// gridTypes is what the grid shows.
func (p *dumpPages) gridTypes() (out []gridPages) {
	switch {
	case p.diff != nil:
		for i := range p.diff.paired {
			t := &p.diff.paired[i]
			out = append(out, gridPages{name: t.name(), is: t.is, diff: t})
		}
	case p.load != nil:
		for i := range p.load.Types {
			out = append(out, gridPages{name: p.load.Types[i].Name, is: &p.load.Types[i], fills: p.load.fills[i]})
		}
	}
	return out
}

// typeName is the type that the chart is about: the cursor's where it stands alone, "" for all.
func (p *dumpPages) typeName() string {
	if !p.grid.alone || p.grid.cursor.typ >= len(p.grid.types) {
		return ""
	}
	return p.grid.types[p.grid.cursor.typ].name
}

// divide gives the grid what head, detail, chart and legend leave.
func (p *dumpPages) divide(r widget.Rect) (a pageAreas) {
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

// Draw implements tview.Primitive.
func (p *dumpPages) Draw(s tcell.Screen) {
	if lines := p.emptyText(); lines != nil {
		r := p.rect()
		for i, l := range lines {
			if i < r.H {
				widget.Print(s, r.X+1, r.Y+i, r.W-2, l, p.look.Muted)
			}
		}
		if !p.areas.chart.Empty() {
			p.over.draw(s)
		}
		return
	}
	p.drawHead(s, p.areas.head)
	p.grid.draw(s)
	p.drawDetail(s, p.areas.detail)
	if !p.areas.chart.Empty() {
		p.over.draw(s)
	}
	p.drawLegend(s, p.areas.legend)
}

// emptyText says why there is no grid, nil where there is one.
func (p *dumpPages) emptyText() []string {
	if p.dump == nil {
		return []string{"Opening the file " + p.look.Glyphs.Ellipsis}
	}
	if p.diff != nil && len(p.diff.paired) > 0 || p.load != nil && len(p.load.Types) > 0 {
		return nil
	}
	if p.dump.series(&p.state) == noSeries {
		return []string{"No series of this file has page layouts.", "Series shows what was measured."}
	}
	if p.dump.layout(&p.state) == noLayout {
		return []string{"At " + p.state.Now().String() + " there is no layout yet.", "l goes to the first one."}
	}
	l := p.layouts
	for _, err := range []error{l.load.err, l.diff.err} {
		if err != nil {
			return []string{"This layout cannot be decoded: " + widget.Clean(err.Error()), "h and l go to others."}
		}
	}
	if p.load != nil {
		return []string{"This layout has no types of pages.", "h and l go to others."}
	}
	return []string{"Decoding the layout " + p.look.Glyphs.Ellipsis}
}

// typeTitle is the line above the pages of a type.
func (p *dumpPages) typeTitle(typ int) (title, answer string) {
	t := &p.grid.types[typ]
	title = typeLabel(t.name)
	if t.len() == 0 {
		return title, "no pages"
	}
	if p.diff != nil {
		c := &p.diff.Types[typ]
		if c.NewlyOccupied == 0 && c.NewlyFree == 0 && c.Before.Pages == c.After.Pages {
			return title, "nothing changed"
		}
		answer = fmt.Sprintf("%s %s newly occupied · %s %s newly free", p.look.Glyphs.Up, p.bits(c.NewlyOccupied), p.look.Glyphs.Down, p.bits(c.NewlyFree))
		if d := c.After.Pages - c.Before.Pages; d != 0 {
			answer = strings.Replace(fmt.Sprintf("%+d pages · ", d), "-", "−", 1) + answer
		}
		return title, answer
	}
	if p.figures == nil {
		return title, plural(t.len(), "page", "pages")
	}
	f := &p.figures.Types[typ]
	answer = shareText(f.Share()) + " occupied"
	if f.Empty > 0 {
		answer += " · " + model.Group(uint64(f.Empty)) + " empty"
	}
	if f.Full > 0 {
		answer += " · " + model.Group(uint64(f.Full)) + " full"
	}
	return title, answer
}

// typeLabel is how a type of pages is called.
func typeLabel(name string) string {
	if name == "" {
		return "(no name)"
	}
	return name
}

// bits is the memory that so many bits stand for.
func (p *dumpPages) bits(n uint64) string { return bytesText(holeBytes(n), p.state.Exact) }

// drawHead says what there is, how it is laid out, and what a cell is.
func (p *dumpPages) drawHead(s tcell.Screen, r widget.Rect) {
	if r.Empty() {
		return
	}
	right := p.grid.order.String() + " · " + p.cellText()
	if p.load != nil && p.load.layoutKey.layout != p.dump.layout(&p.state) {
		right = "decoding " + p.look.Glyphs.Ellipsis + " · " + right
	}
	n := widget.PrintRight(s, r.X+1, r.Y, r.W-2, right, p.look.Muted)
	text := ""
	if a, b := p.layoutSides(&p.state); p.diff != nil {
		text = p.sideText(a) + " " + p.look.Glyphs.ArrowRight + " " + p.sideText(b)
		if p.state.Dump.MarkB == noLayout && p.otherDump == nil {
			text += " (here)"
		}
	} else {
		for i := range p.grid.types {
			t := &p.grid.types[i]
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
	widget.Print(s, r.X+1, r.Y, r.W-n-4, text, p.look.Text)
}

// cellText says what one cell stands for.
func (p *dumpPages) cellText() string {
	g := &p.grid
	if g.level > 0 {
		return "1 cell = " + model.Group(1<<g.level) + " pages"
	}
	n := uint64(0)
	if g.level < 0 && len(g.types) > 0 && g.types[g.cursor.typ].len() > 0 {
		parts := uint64(g.parts(g.cursor.typ))
		n = (g.types[g.cursor.typ].bits(g.cursor.page) + parts - 1) / parts
	}
	switch {
	case g.level == 0:
		return "1 cell = 1 page"
	case n <= 1:
		return "1 cell = 8 B"
	}
	return "1 cell = " + model.Bytes(8*n).String()
}

// when is the time of a layout.
func (r layoutRef) when() string {
	t := r.dump.time(r.layout)
	if t == model.NoTime {
		return "at no time"
	}
	if clock := r.dump.clockText(t); clock != "" {
		return clock
	}
	return t.String()
}

// drawLegend explains the signs.
func (p *dumpPages) drawLegend(s tcell.Screen, r widget.Rect) {
	if r.Empty() {
		return
	}
	type entry struct {
		sign, text string
		st         tcell.Style
	}
	var list []entry
	k := p.look
	if p.diff != nil {
		mixed := "±"
		if k.Glyphs.Plain {
			mixed = "x"
		}
		list = []entry{{k.Glyphs.Up, "newly occupied", p.style(themes.Loss)}, {k.Glyphs.Down, "newly free", p.style(themes.Gain)},
			{mixed, "both", p.style(themes.Warning)}, {sameGlyph(k), "same", k.Muted}}
	} else {
		signs := fillGlyphs(k.Glyphs.Plain)
		for i, text := range []string{"full", "≥ 75 %", "≥ 25 %", "less", "empty"} {
			n := len(signs) - 1 - i
			if k.Glyphs.Plain && i > 0 && i < 3 {
				text = ">= " + text[len("≥ "):]
			}
			list = append(list, entry{signs[n], text, p.theme.Heat(float64(n) / float64(len(signs)-1))})
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

// do implements screen. Whatever is not about layouts or the grid ends playing.
func (p *dumpPages) do(a keymap.Action) bool {
	if p.dump == nil {
		return false
	}
	if p.doLayouts(a) || p.doGrid(a) {
		return true
	}
	p.playing = 0
	return false
}

// doLayouts handles what chooses layouts.
func (p *dumpPages) doLayouts(a keymap.Action) bool {
	switch a {
	case keymap.StepBack, keymap.StepForward, keymap.LeapBack, keymap.LeapForward:
		p.playing = 0
		stepLayout(p.env, &p.state, a)
	case keymap.Toggle:
		p.play(1)
	case keymap.PlayBack:
		p.play(-1)
	case keymap.Series:
		nextSeries(p.env, &p.state)
	default:
		return false
	}
	return true
}

// doGrid handles what moves within the grid.
func (p *dumpPages) doGrid(a keymap.Action) bool {
	g := &p.grid
	page := max(g.area.H-2, 1)
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
		g.cursor.page, g.cursor.part = 0, 0
	case keymap.Last:
		g.cursor.page = 1 << 40 // placed on the last one
	case keymap.NextPane:
		g.turnType(1)
	case keymap.PreviousPane:
		g.turnType(-1)
	case keymap.Group:
		g.alone = !g.alone
	case keymap.Order:
		g.order = (g.order + 1) % widget.CellOrders
	case keymap.Maximise:
		p.big = !p.big
	default:
		return p.doZoom(a)
	}
	p.changed()
	return true
}

// doZoom handles what changes the size of a cell.
func (p *dumpPages) doZoom(a keymap.Action) bool {
	g := &p.grid
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
			p.playing = 0
			return false
		}
	default:
		return false
	}
	if !ok {
		p.say("there is no further zoom")
	}
	p.changed()
	return true
}

func (p *dumpPages) copyText() string {
	d := &p.detail
	return widget.Clean(d.title + ": " + d.answer + " " + d.facts)
}

// click implements clicker.
func (p *dumpPages) click(x, y int, double bool) {
	if p.over.click(x, y) {
		return
	}
	if p.grid.hit(x, y) {
		if double {
			p.do(keymap.Open)
		}
		p.changed()
	}
}

func (p *dumpPages) drag(_, _, _, _ int, _ bool) {}

// wheel implements clicker: it zooms.
func (p *dumpPages) wheel(x, y, rows int) {
	if !p.areas.grid.Contains(x, y) {
		return
	}
	p.grid.hit(x, y)
	p.grid.zoom(sign(rows))
	p.changed()
}
