package trace

import (
	"context"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Lifetimes shows sizes and lifetimes of blocks: a grid of both in powers of two.
type Lifetimes struct {
	ui.Pane
	grid   *ui.Lazy[gridKey, *gridData]
	makers *ui.Lazy[makersKey, *makers]
	labels *ui.SiteLabels
	data   *gridData // what is drawn, nil before the first answer
	counts bool      // blocks instead of bytes
	only   bool      // the selected site alone
	moved  bool      // the user moved the cursor; until then it is at the heaviest cell
	cursor gridPoint
	short  int // lifetime class at which short lives end; 0 until the run's length is known

	at gridLayout // of the last frame
}

// gridPoint is a place of the grid: classes, or everyClass on its margins.
type gridPoint struct{ size, life int }

// everyClass is the margin of the grid, which sums up all classes.
const everyClass = -1

// gridKey determines a grid.
type gridKey struct {
	revision uint64
	analysis.GridQuery
}

// gridData is a grid with its sums. Read-only once made.
type gridData struct {
	*analysis.Grid
	key            gridKey
	sizes          [2]int // smallest and largest size class there is
	lives          [2]int // the same of lifetimes, without those that never ended
	all            analysis.GridCell
	bySize, byLife map[int]analysis.GridCell
	most           analysis.GridCell // largest figures of any cell
	heaviest       gridPoint         // by bytes
}

// NewLifetimes returns the screen of blocks by size and lifetime.
func NewLifetimes(e *ui.Env) *Lifetimes {
	p := &Lifetimes{Pane: ui.NewPane(e), labels: ui.NewSiteLabels(e.Libraries)}
	p.makers = ui.NewLazy(e, func(ctx context.Context, k makersKey) (*makers, error) { return askMakers(ctx, e.Trace, k) })
	p.grid = ui.NewLazy(e, func(ctx context.Context, k gridKey) (*gridData, error) {
		g, err := e.Trace.Grid(ctx, k.GridQuery)
		if err != nil {
			return nil, err
		}
		return newGridData(g, k), nil
	})
	return p
}

func newGridData(g *analysis.Grid, k gridKey) *gridData {
	d := &gridData{Grid: g, key: k, sizes: [2]int{analysis.SizeClasses, -1}, lives: [2]int{analysis.NeverFreed, -1},
		bySize: map[int]analysis.GridCell{}, byLife: map[int]analysis.GridCell{}}
	for s := range g {
		for l := range g[s] {
			c := g[s][l]
			if c.Count == 0 {
				continue
			}
			d.sizes = [2]int{min(d.sizes[0], s), max(d.sizes[1], s)}
			if l != analysis.NeverFreed {
				d.lives = [2]int{min(d.lives[0], l), max(d.lives[1], l)}
			}
			d.bySize[s], d.byLife[l], d.all = addCells(d.bySize[s], c), addCells(d.byLife[l], c), addCells(d.all, c)
			if c.Bytes > d.most.Bytes || d.most.Count == 0 {
				d.heaviest = gridPoint{s, l}
			}
			d.most = analysis.GridCell{Count: max(d.most.Count, c.Count), Bytes: max(d.most.Bytes, c.Bytes)}
		}
	}
	if d.lives[1] < 0 {
		d.lives = [2]int{0, 0}
	}
	return d
}

func addCells(a, b analysis.GridCell) analysis.GridCell {
	bytes, _ := model.SaturatingAdd(a.Bytes, b.Bytes)
	return analysis.GridCell{Count: a.Count + b.Count, Bytes: bytes}
}

// at returns the figures of a place.
func (d *gridData) at(p gridPoint) analysis.GridCell {
	switch {
	case p.size == everyClass && p.life == everyClass:
		return d.all
	case p.size == everyClass:
		return d.byLife[p.life]
	case p.life == everyClass:
		return d.bySize[p.size]
	}
	return d.Grid[p.size][p.life]
}

// cell returns the part of the grid at a place.
func (p gridPoint) cell() analysis.Cell {
	c := analysis.Cell{SizeTo: analysis.SizeClasses, LifeTo: analysis.LifeClasses}
	if p.size != everyClass {
		c.SizeFrom, c.SizeTo = uint8(p.size), uint8(p.size+1)
	}
	if p.life != everyClass {
		c.LifeFrom, c.LifeTo = uint8(p.life), uint8(p.life+1)
	}
	if p == (gridPoint{everyClass, everyClass}) {
		return analysis.Cell{}
	}
	return c
}

func (p *Lifetimes) Name() string { return "Lifetimes" }

func (p *Lifetimes) Action() keymap.Action { return keymap.ShowLifetimes }

func (p *Lifetimes) Needs() model.Facet { return model.FacetAllocations }

func (p *Lifetimes) Scopes() []keymap.Scope { return []keymap.Scope{keymap.ScopeLifetimes} }

func (p *Lifetimes) Narrows() bool { return true }

func (p *Lifetimes) Command() []string { return (&state.Question{Format: "csv", Table: "grid"}).Args() }

// Unprinted implements [ui.Unprinted].
func (p *Lifetimes) Unprinted() string {
	if p.only {
		return p.Hint("{lifetimes.only} shows all sites, whose grid report prints")
	}
	return ""
}

func (p *Lifetimes) About() string {
	if p.only {
		return "of one site"
	}
	return ""
}

// Show shows a state. Nothing here depends on the instant.
func (p *Lifetimes) Show(s *state.State) {
	p.State = *s
	if p.Trace == nil {
		return
	}
	q := analysis.GridQuery{Range: s.Range, All: true}
	if p.only = p.only && s.Selected.Set; p.only {
		q.All, q.By, q.Key = false, s.Selected.By, s.Selected.Key
	}
	p.grid.Ask(gridKey{s.Status.Revision, q})
	p.data, _ = p.grid.Get()
	if p.data == nil {
		return
	}
	if !p.moved {
		p.cursor = p.data.heaviest
	}
	if p.short == 0 {
		p.short = max(analysis.SizeClass(uint64(s.Status.Duration/100)), 1)
	}
	p.cursor = p.near(p.cursor)
	if _, who, _ := p.divide(p.Rect()); p.data.all.Count > 0 && !p.only && who.H >= 3 {
		p.makers.Ask(makersKey{s.Status.Revision, s.Range, p.cursor.cell()})
	}
}

// near returns the position in the grid that is nearest to one that may be outside now.
func (p *Lifetimes) near(at gridPoint) gridPoint {
	d := p.data
	if at.size != everyClass {
		at.size = min(max(at.size, d.sizes[0]), max(d.sizes[1], d.sizes[0]))
	}
	if at.life != everyClass && at.life != analysis.NeverFreed {
		at.life = min(max(at.life, d.lives[0]), d.lives[1])
	}
	if d.all.Count == 0 {
		return gridPoint{everyClass, everyClass}
	}
	return at
}

// move moves the cursor n columns to longer lives and m rows to smaller sizes.
func (p *Lifetimes) move(n, m int) {
	d := p.data
	if d == nil || d.all.Count == 0 {
		return
	}
	never := d.lives[1] + 1 - d.lives[0]
	col, row := p.cursor.life-d.lives[0], d.sizes[1]-p.cursor.size
	switch p.cursor.life {
	case analysis.NeverFreed:
		col = never
	case everyClass:
		col = never + 1
	}
	last := d.sizes[1] - d.sizes[0] + 1
	if p.cursor.size == everyClass {
		row = last
	}
	col, row = min(max(col+n, 0), never+1), min(max(row+m, 0), last)
	p.cursor = gridPoint{d.sizes[1] - row, d.lives[0] + col}
	switch col {
	case never:
		p.cursor.life = analysis.NeverFreed
	case never + 1:
		p.cursor.life = everyClass
	}
	if row == last {
		p.cursor.size = everyClass
	}
	p.moved = true
	p.Changed()
}

// Do carries out an action, or returns false if the screen has no such action.
func (p *Lifetimes) Do(a keymap.Action) bool {
	const far = 1 << 10
	moves := map[keymap.Action][2]int{
		keymap.Up: {0, -1}, keymap.Down: {0, 1}, keymap.Left: {-1, 0}, keymap.Right: {1, 0},
		keymap.PageUp: {0, -8}, keymap.PageDown: {0, 8}, keymap.First: {-far, 0}, keymap.Last: {far, 0},
	}
	if m, ok := moves[a]; ok {
		p.move(m[0], m[1])
		return true
	}
	switch a {
	case keymap.Open:
		p.choose()
	case keymap.Series:
		p.counts = !p.counts
		p.Changed()
	case keymap.AgeUp:
		p.setShort(1)
	case keymap.AgeDown:
		p.setShort(-1)
	case keymap.Only:
		if !p.State.Selected.Set {
			p.Say("no site is selected: select one on Sites or Leaks first")
			return true
		}
		p.only = !p.only
		p.Changed()
	default:
		return false
	}
	return true
}

// setShort moves the line of short lives.
func (p *Lifetimes) setShort(n int) {
	if p.data == nil {
		return
	}
	p.short = min(max(p.short+n, 1), p.data.lives[1]+1)
	p.Changed()
}

// choose restricts all screens to the cell under the cursor; if they are already, it lists the cell's blocks.
func (p *Lifetimes) choose() {
	if p.data == nil || p.data.all.Count == 0 {
		p.Say(p.emptyText()[0])
		return
	}
	if p.data.at(p.cursor).Count == 0 {
		p.Say("no block has that size and lifetime")
		return
	}
	c := p.cursor.cell()
	switch {
	case c.IsAll():
		p.Emit(state.SetCell{})
		p.Say("all screens show all blocks")
	case c == p.State.Cell:
		p.Open(keymap.ShowBlocks)
	default:
		p.Emit(state.SetCell{Cell: c})
		p.Say(p.Hint("all screens show only these blocks: see Sites, Leaks, Stacks; {open} lists them, {back} clears the filter"))
	}
}

// Click implements clicker: a double click chooses.
func (p *Lifetimes) Click(x, y int, double bool) {
	at, ok := p.at.hit(x, y)
	if !ok || p.data == nil {
		return
	}
	p.cursor, p.moved = p.near(at), true
	p.Changed()
	if double {
		p.choose()
	}
}

func (p *Lifetimes) Drag(_, _, _, _ int, _ bool) {}

func (p *Lifetimes) Wheel(_, _, rows int) { p.move(0, rows) }

func (p *Lifetimes) CopyText() string {
	if p.data == nil {
		return ""
	}
	return p.State.Sentence(widget.Clean(p.cursorText(ui.Figures{Exact: true, Wide: true})))
}

// Draw implements tview.Primitive.
func (p *Lifetimes) Draw(s tcell.Screen) {
	r := p.Rect()
	body := r
	if r.H > 3 {
		body.Y, body.H = r.Y+1, r.H-1
		widget.TitleLine(s, r, p.Look, p.Title(), p.answer())
	}
	if p.data == nil || p.data.all.Count == 0 {
		p.at = gridLayout{}
		for _, l := range p.emptyText() {
			body = widget.PrintWrapped(s, body, l, p.Look.Muted)
		}
		return
	}
	grid, rest, below := p.divide(r)
	if below.H > 0 {
		p.drawFacts(s, below)
	}
	p.drawGrid(s, grid)
	p.drawMakers(s, rest)
}

// drawFacts writes the facts at the bottom of r. Sentences that are too long for a line take the row that is blank above
// them.
func (p *Lifetimes) drawFacts(s tcell.Screen, r widget.Rect) {
	type line struct {
		text  string
		style tcell.Style
	}
	var lines []line
	for i, fact := range p.facts() {
		st := p.Look.Text
		if i > 0 {
			st = p.Look.Muted
		}
		for _, text := range widget.Wrap(fact, max(r.W-2, 1)) {
			lines = append(lines, line{text, st})
		}
	}
	lines = lines[:min(len(lines), r.H)]
	for i, l := range lines {
		widget.Print(s, r.X+1, r.Y+r.H-len(lines)+i, r.W-2, l.text, l.style)
	}
}

// divide gives the grid, who allocates, and the facts their places below the title. Where it is low there is only the
// grid; where it is high the cells become higher once there is room to say who allocates.
func (p *Lifetimes) divide(r widget.Rect) (grid, who, facts widget.Rect) {
	if r.H > 3 {
		_, r = r.CutTop(1)
	}
	const factRows = 4
	if r.H >= ui.LowHeight-4 {
		r, facts = r.CutBottom(factRows)
	}
	classes := p.data.sizes[1] - p.data.sizes[0] + 1
	high := classes + 3
	if r.H-2*classes-3 > 6 {
		high = 2*classes + 3
	}
	if r.H-high < 4 {
		return r, who, facts
	}
	grid, who = r.CutTop(high)
	return grid, who, facts
}

// Difference implements [ui.Differing].
func (p *Lifetimes) Difference(table func(ui.Screen, ui.DiffTable) ui.Screen) ui.Screen {
	return table(p, ui.DiffTable{Rows: ui.DiffLives})
}
