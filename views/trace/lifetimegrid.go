package trace

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/heatmap"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// gridLayout is the position of the grid's parts, to find what a click hits.
type gridLayout struct {
	area   widget.Rect // of the cells
	cell   int         // width of one
	high   int         // its height
	sizes  [2]int      // smallest and largest size class shown
	lives  [2]int      // the same of lifetimes
	line   int         // lifetime class that the line is before, 0 where it is not shown
	never  int         // x of the last column
	margin int         // x of the margin at the right
}

// Widths of the parts of the grid.
const (
	gridLabel = 8 // "512 KiB "
	gridNever = 7 // " never "
)

// layout fits the grid into r: cells as wide as possible, and the sizes around the cursor.
func (p *Lifetimes) layout(r widget.Rect) gridLayout {
	d := p.data
	cols := d.lives[1] - d.lives[0] + 1
	label, margin := gridLabel, max(min(r.W/6, 24), 8)
	if r.W < 60 {
		margin = 0
	}
	g := gridLayout{lives: d.lives}
	g.cell = min(max((r.W-label-gridNever-margin-1)/cols, 1), 6)
	rows := d.sizes[1] - d.sizes[0] + 1
	g.high = min(max((r.H-3)/rows, 1), 2)
	rows = min(rows, max(r.H-3, 1))
	top := d.sizes[1]
	if c := p.cursor.size; c != everyClass && c < top-rows+1 {
		top = c + rows - 1
	} else if c == everyClass {
		top = d.sizes[0] + rows - 1
	}
	g.sizes = [2]int{top - rows + 1, top}
	g.area = widget.Rect{X: r.X + label, Y: r.Y, W: min(cols*g.cell+1, max(r.W-label-gridNever, 1)), H: rows * g.high}
	if p.short > d.lives[0] && p.short <= d.lives[1]+1 {
		g.line = p.short
	}
	g.never = g.area.X + g.area.W
	g.margin = g.never + gridNever
	return g
}

// x returns where the column of a lifetime class begins.
func (g *gridLayout) x(life int) int {
	switch life {
	case analysis.NeverFreed:
		return g.never + 1
	case everyClass:
		return g.margin
	}
	x := g.area.X + (life-g.lives[0])*g.cell
	if g.line != 0 && life >= g.line {
		x++ // after the line
	}
	return x
}

// hit returns the grid position at a cell of the screen.
func (g *gridLayout) hit(x, y int) (at gridPoint, ok bool) {
	if g.cell == 0 || x < g.area.X || y < g.area.Y || y > g.area.Y+g.area.H {
		return at, false
	}
	at = gridPoint{g.sizes[1] - (y-g.area.Y)/g.high, analysis.NeverFreed}
	if y == g.area.Y+g.area.H {
		at.size = everyClass
	}
	switch {
	case x >= g.margin:
		at.life = everyClass
	case x < g.never:
		at.life = g.lives[0]
		for at.life < g.lives[1] && x >= g.x(at.life+1) {
			at.life++
		}
	}
	return at, true
}

// drawGrid shows the heat with its margins: by size at the right, by lifetime below.
func (p *Lifetimes) drawGrid(s tcell.Screen, r widget.Rect) {
	if r.Empty() {
		return
	}
	p.at = p.layout(r)
	g, d := &p.at, p.data
	most := p.figure(d.most)
	for row := range g.area.H {
		size, y := g.sizes[1]-row/g.high, g.area.Y+row
		if row%g.high == g.high-1 {
			widget.PrintRight(s, r.X, y, gridLabel-1, analysis.SizeEdge(size), p.Look.Axis)
			p.drawMargin(s, r, size, y)
		}
		for life := g.lives[0]; life <= g.lives[1]; life++ {
			p.drawCell(s, gridPoint{size, life}, y, g.cell, most)
		}
		p.drawCell(s, gridPoint{size, analysis.NeverFreed}, y, gridNever-2, most)
		if g.line != 0 {
			s.Put(g.x(g.line)-1, y, p.Look.Glyphs.Vertical, p.Style(themes.Accent))
		}
	}
	p.drawFoot(s, r, g.area.Y+g.area.H)
}

// drawCell draws the heat of one cell, and the cursor over it.
func (p *Lifetimes) drawCell(s tcell.Screen, at gridPoint, y, w int, most uint64) {
	x, n := p.at.x(at.life), p.figure(p.data.at(at))
	text, st := " ", p.Look.Text
	if count := p.data.at(at).Count; count > 0 {
		level := max(heatmap.Level(n, most), 0)
		text, st = heatmap.Sign(level, p.Look.Glyphs.Plain), p.Theme.Heat(float64(level)/(heatmap.Levels-1))
	}
	for i := range w {
		s.Put(x+i, y, text, st)
	}
	chosen := !p.State.Cell.IsAll() && at.cell() == p.State.Cell
	if at == p.cursor || chosen {
		p.frameCell(s, x, y, w, at == p.cursor)
	}
}

// frameCell marks a cell: with brackets where it is wide enough, by the style alone where it is not.
func (p *Lifetimes) frameCell(s tcell.Screen, x, y, w int, cursor bool) {
	st := p.Look.Cursor
	if !cursor {
		st = p.Style(themes.Badge)
	}
	open, end := "[", "]"
	if w == 1 {
		open, end = "X", "X"
	}
	s.Put(x+w-1, y, end, st)
	s.Put(x, y, open, st)
}

// drawMargin draws the bar of one size at the right.
func (p *Lifetimes) drawMargin(s tcell.Screen, r widget.Rect, size, y int) {
	x := p.at.margin
	figure := 6
	if p.State.Sampled() {
		figure++ // for its mark
	}
	w := r.X + r.W - x - figure - 2
	if w < 1 {
		return
	}
	at := gridPoint{size, everyClass}
	c := p.data.bySize[size]
	top := uint64(1)
	for _, o := range p.data.bySize {
		top = max(top, p.figure(o))
	}
	w = min(w, 24)
	widget.DrawBar(s, x+1, y, w, ui.ShareOf(p.figure(c), top), p.Look.Bar, &p.Look.Glyphs)
	st := p.Look.Muted
	if at == p.cursor {
		st = p.Look.Cursor
	}
	if c.Count > 0 || at == p.cursor {
		widget.PrintRight(s, x+w+1, y, figure, p.amount(p.figure(c)), st)
	}
}

// drawFoot draws the sums by lifetime from row y on, and the axis below.
func (p *Lifetimes) drawFoot(s tcell.Screen, r widget.Rect, y int) {
	g, d := &p.at, p.data
	if y >= r.Y+r.H {
		return
	}
	top := uint64(1)
	for _, c := range d.byLife {
		top = max(top, p.figure(c))
	}
	widget.PrintRight(s, r.X, y, gridLabel-1, "all", p.Look.Axis)
	draw := func(life, w int) {
		x := g.x(life)
		widget.DrawSpark(s, x, y, w, []uint64{p.figure(d.byLife[life])}, top, p.Look.Spark, &p.Look.Glyphs)
		if at := (gridPoint{everyClass, life}); at == p.cursor || at.cell() == p.State.Cell {
			p.frameCell(s, x, y, w, at == p.cursor)
		}
	}
	for life := g.lives[0]; life <= g.lives[1]; life++ {
		draw(life, g.cell)
	}
	draw(analysis.NeverFreed, gridNever-2)
	if p.cursor == (gridPoint{everyClass, everyClass}) && g.margin+5 < r.X+r.W {
		widget.Print(s, g.margin+1, y, 5, "[all]", p.Look.Cursor)
	}
	if g.line != 0 {
		s.Put(g.x(g.line)-1, y, p.Look.Glyphs.Vertical, p.Style(themes.Accent))
	}
	if y+1 < r.Y+r.H {
		p.drawAxis(s, y+1)
	}
}

// drawAxis writes lifetimes below the columns where they begin, as many as fit.
func (p *Lifetimes) drawAxis(s tcell.Screen, y int) {
	g := &p.at
	free := g.area.X
	for life := g.lives[0]; life <= g.lives[1]; life++ {
		x, text := g.x(life), analysis.LifeEdge(life)
		if x < free || x+1+widget.Width(text) > g.never {
			continue
		}
		st := p.Look.Axis
		s.Put(x, y, p.Look.Glyphs.BottomLeft, st)
		free = x + 1 + widget.Print(s, x+1, y, g.never-x-1, text, st) + 1
	}
	widget.Print(s, g.never+1, y, gridNever-1, "never", p.Look.Axis)
}
