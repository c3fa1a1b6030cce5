package dump

import (
	"math/bits"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// gridPages is the pages of one type in the grid: how full they are, or how they changed.
type gridPages struct {
	name  string
	is    *model.PageType
	fills []pages.Fill
	diff  *ui.TypeDiff // nil for occupancy
	most  uint64       // bits of the largest page; 0 until it is computed
}

func (g *gridPages) len() int {
	if g.diff != nil {
		return len(g.diff.Changes)
	}
	return len(g.fills)
}

// bits returns the number of bits of a page, in the layout where it has more.
func (g *gridPages) bits(page int) uint64 {
	n := uint64(0)
	if page < g.is.Len() {
		n = g.is.Bits(page)
	}
	if g.diff != nil && page < g.diff.Was.Len() {
		n = max(n, g.diff.Was.Bits(page))
	}
	return n
}

// gridSection is the position of the pages of a type among all rows: a title, then the map.
type gridSection struct {
	typ, row int
	cells    widget.Bitmap
}

func (s *gridSection) rows() int { return 1 + s.cells.Rows() }

// pageGrid is the grid of pages: types below each other, one cell for 2^level pages, or 2^-level cells for one page,
// but no more than its type's pages have bits.
type pageGrid struct {
	env      *ui.Env
	Types    []gridPages
	titles   func(typ int) (title, answer string)
	Order    widget.CellOrder
	level    int
	zoomed   bool // the user chose the level; until then everything fits
	fitted   fitted
	alone    bool // the cursor's type only
	cursor   state.PageSpot
	Area     widget.Rect
	label    int // cells of the row labels
	first    int // row at the top
	rows     int // there are
	sections []gridSection
	runs     map[state.PageSpot]pageRuns // of the pages that were divided
	kept     int                         // number of these runs
}

// mostLevel limits zooming out.
const mostLevel = 24

// Place fits the types into r and brings the cursor into view.
func (g *pageGrid) Place(r widget.Rect, types []gridPages, same bool) {
	g.Types, g.Area = types, r
	if !same {
		g.runs = nil
	}
	g.keepCursor()
	g.label = 0
	if most := g.longest(); r.W >= 40 {
		g.label = len("page ") + len(model.Group(uint64(max(most-1, 0)))) + 1
	}
	if !g.zoomed {
		g.fit()
	}
	g.build()
	g.reveal()
}

// keepCursor keeps the cursor on an existing page.
func (g *pageGrid) keepCursor() {
	c := &g.cursor
	if c.Typ >= len(g.Types) {
		*c = state.PageSpot{}
	}
	if len(g.Types) == 0 {
		return
	}
	if g.Types[c.Typ].len() == 0 {
		for i := range g.Types {
			if g.Types[i].len() > 0 {
				*c = state.PageSpot{Typ: i}
				break
			}
		}
	}
	c.Page = min(max(c.Page, 0), max(g.Types[c.Typ].len()-1, 0))
}

func (g *pageGrid) longest() (most int) {
	for i := range g.Types {
		most = max(most, g.Types[i].len())
	}
	return most
}

// fitted is the input for which a level was chosen.
type fitted struct {
	w, h  int
	order widget.CellOrder
	alone bool
	typ   int // where it is alone
}

// fit chooses the finest level at which everything is visible, or if there are too many types, one at which each type
// is. The current level is kept if it fits: cells must mean the same from layout to layout.
func (g *pageGrid) fit() {
	now := fitted{g.Area.W, g.Area.H, g.Order, g.alone, 0}
	if g.alone {
		now.typ = g.cursor.Typ
	}
	if g.build(); g.fitted == now && g.level >= -g.fitting() && g.rows <= g.Area.H && g.rows > g.Area.H/4 {
		return
	}
	g.fitted, g.cursor.Part = now, 0
	for g.level = -g.fitting(); g.level < mostLevel; g.level++ {
		if g.build(); g.rows <= g.Area.H {
			return
		}
	}
	for g.level = 0; g.level < mostLevel; g.level++ { // too many types
		g.build()
		most := 0
		for i := range g.sections {
			most = max(most, g.sections[i].rows())
		}
		if most <= max(g.Area.H/2, 2) {
			return
		}
	}
}

// fitting returns how often pages may be halved to use the available space: not beyond single bits.
func (g *pageGrid) fitting() int {
	most := 6
	for i := range g.Types {
		if g.Types[i].len() > 0 {
			most = min(most, bits.Len64(max(g.Types[i].bits(0), 1))-1)
		}
	}
	return most
}

// build computes the sections at the level.
func (g *pageGrid) build() {
	g.sections, g.rows = g.sections[:0], 0
	w := max(g.Area.W-g.label-1, 1)
	if w >= 32 {
		w -= w % 16 // rows begin at round numbers
	}
	for i := range g.Types {
		if g.alone && i != g.cursor.Typ {
			continue
		}
		s := gridSection{typ: i, row: g.rows}
		s.cells = widget.Bitmap{Cells: g.count(i), Width: w, Order: g.Order, Most: max(g.Area.H-1, 1)}
		g.sections = append(g.sections, s)
		g.rows += s.rows()
	}
}

// count returns the number of cells of a type.
func (g *pageGrid) count(typ int) int {
	n := g.Types[typ].len()
	if g.level >= 0 {
		return (n + 1<<g.level - 1) >> g.level
	}
	return n * g.parts(typ)
}

// cellOf returns the cell of a spot.
func (g *pageGrid) cellOf(c state.PageSpot) int {
	if g.level >= 0 {
		return c.Page >> g.level
	}
	parts := g.parts(c.Typ)
	return c.Page*parts + min(c.Part, parts-1)
}

// spot returns the first page of a cell, or the page and part that it is.
func (g *pageGrid) spot(typ, cell int) state.PageSpot {
	if g.level >= 0 {
		return state.PageSpot{Typ: typ, Page: cell << g.level, Part: 0}
	}
	parts := g.parts(typ)
	return state.PageSpot{Typ: typ, Page: cell / parts, Part: cell % parts}
}

// pages returns the pages of the cell under the cursor, from the first to before the last.
func (g *pageGrid) pages() (from, to int) {
	if g.level < 0 {
		return g.cursor.Page, g.cursor.Page + 1
	}
	from = g.cursor.Page >> g.level << g.level
	return from, min(from+1<<g.level, g.Types[g.cursor.Typ].len())
}

// section returns the section of the cursor; nil if there is none.
func (g *pageGrid) section() *gridSection {
	for i := range g.sections {
		if g.sections[i].typ == g.cursor.Typ {
			return &g.sections[i]
		}
	}
	return nil
}

// reveal scrolls so that the cursor is visible, with the title above it where there is room.
func (g *pageGrid) reveal() {
	s := g.section()
	if s == nil {
		return
	}
	_, y := s.cells.Place(g.cellOf(g.cursor))
	row := s.row + 1 + y
	if row < g.first+1 {
		g.first = row - 1
	}
	g.first = max(g.first, row-g.Area.H+1)
	g.first = max(min(g.first, g.rows-g.Area.H), 0)
}

// move moves the cursor by columns and rows, also across the edges of types.
func (g *pageGrid) move(dx, dy int) {
	s := g.section()
	if s == nil || s.cells.Cells == 0 {
		return
	}
	x, y := s.cells.Place(g.cellOf(g.cursor))
	if dx != 0 && s.cells.Order == widget.RowOrder { // rows follow each other
		g.cursor = g.spot(s.typ, min(max(g.cellOf(g.cursor)+dx, 0), s.cells.Cells-1))
		return
	}
	for steps := max(dx, -dx) + max(dy, -dy); steps > 0; steps-- {
		nx, ny := x+sign(dx), y+sign(dy)
		if ny < 0 || ny >= s.cells.Rows() {
			if !g.nextType(sign(dy), nx) {
				return
			}
			if s = g.section(); s == nil || s.cells.Cells == 0 {
				return
			}
			x, y = s.cells.Place(g.cellOf(g.cursor))
			continue
		}
		cell, ok := s.cells.At(nx, ny)
		if !ok && dy != 0 {
			cell, ok = s.cells.Cells-1, ny == s.cells.Rows()-1
		}
		if !ok {
			return
		}
		x, y = nx, ny
		g.cursor = g.spot(s.typ, cell)
	}
}

func sign(n int) int { return min(max(n, -1), 1) }

// nextType moves to the nearest type with pages before or after the cursor's, in column x of its nearest row.
func (g *pageGrid) nextType(dir, x int) bool {
	for i := g.cursor.Typ + dir; i >= 0 && i < len(g.Types); i += dir {
		if g.Types[i].len() == 0 || g.alone {
			continue
		}
		g.cursor = state.PageSpot{Typ: i}
		if s := g.section(); s != nil {
			y := 0
			if dir < 0 {
				y = s.cells.Rows() - 1
			}
			cell, ok := s.cells.At(x, y)
			if !ok {
				cell = s.cells.Cells - 1
				if dir > 0 {
					cell = min(cell, s.cells.Band()-1)
				}
			}
			g.cursor = g.spot(i, cell)
		}
		return true
	}
	return false
}

// turnType cycles to the next type with pages.
func (g *pageGrid) turnType(dir int) {
	for n := range g.Types {
		i := (g.cursor.Typ + dir*(n+1) + (n+2)*len(g.Types)) % len(g.Types)
		if g.Types[i].len() > 0 {
			g.cursor = state.PageSpot{Typ: i}
			return
		}
	}
}

// zoom zooms n levels out, or in for n < 0; it returns false at the last level.
func (g *pageGrid) zoom(n int) bool {
	if len(g.Types) == 0 || g.Types[g.cursor.Typ].len() == 0 {
		return false
	}
	finest := -bits.Len64(max(g.Types[g.cursor.Typ].bits(g.cursor.Page), 1) - 1) // one cell for a bit
	coarsest := bits.Len64(uint64(max(g.longest()-1, 0)))
	finest = max(finest, bits.Len(uint(g.longest()))-62) // cells are numbered
	to := min(max(g.level+n, finest), min(coarsest, mostLevel))
	if to == g.level {
		return false
	}
	if g.level >= 0 {
		g.cursor.Part = 0
	}
	was := g.parts(g.cursor.Typ)
	g.level, g.zoomed = to, true
	g.cursor.Part = int(scale(uint64(g.parts(g.cursor.Typ)), g.cursor.Part, was))
	return true
}

// hit moves the cursor to a cell of the screen; it returns false if there is none.
func (g *pageGrid) hit(x, y int) bool {
	if !g.Area.Contains(x, y) {
		return false
	}
	row := y - g.Area.Y + g.first
	for i := range g.sections {
		s := &g.sections[i]
		if row < s.row || row >= s.row+s.rows() {
			continue
		}
		if cell, ok := s.cells.At(x-g.Area.X-g.label, row-s.row-1); ok && row > s.row {
			g.cursor = g.spot(s.typ, cell)
			return true
		}
	}
	return false
}

// Draw shows the visible rows.
func (g *pageGrid) Draw(s tcell.Screen) {
	paint := g.painter()
	for i := range g.sections {
		sec := &g.sections[i]
		y := g.Area.Y + sec.row - g.first
		if y >= g.Area.Y && y < g.Area.Y+g.Area.H {
			title, answer := g.titles(sec.typ)
			widget.TitleLine(s, widget.Rect{X: g.Area.X, Y: y, W: g.Area.W, H: 1}, g.env.Look, title, answer)
		}
		top, skip := y+1, 0
		if top < g.Area.Y {
			skip = g.Area.Y - top
			top = g.Area.Y
		}
		h := min(sec.cells.Rows()-skip, g.Area.Y+g.Area.H-top)
		if h <= 0 || sec.cells.Cells == 0 {
			continue
		}
		body := widget.Rect{X: g.Area.X + g.label, Y: top, W: g.Area.W - g.label, H: h}
		sec.cells.Draw(s, body, skip, func(cell int) (string, tcell.Style) { return paint(sec.typ, cell) })
		g.drawLabels(s, sec, top, skip, h)
	}
}

// drawLabels draws the number of the first page of each row, or row of tiles.
func (g *pageGrid) drawLabels(s tcell.Screen, sec *gridSection, top, skip, h int) {
	if g.label == 0 {
		return
	}
	side := sec.cells.Side()
	for y := range h {
		row := skip + y
		if row%side != 0 {
			continue
		}
		c := g.spot(sec.typ, row/side*sec.cells.Band())
		text := "page " + model.Group(uint64(c.Page))
		if c.Part > 0 {
			n := g.Types[sec.typ].bits(c.Page)
			text = "+" + model.Bytes(8*partStart(n, c.Part, g.parts(sec.typ))).Short()
		}
		widget.PrintRight(s, g.Area.X, top+y, g.label-1, text, g.env.Look.Axis)
	}
}

// The signs for how full a cell is, and for how it changed.
func fillGlyphs(plain bool) [pages.FillLevels]string {
	if plain {
		return [...]string{"_", ".", ":", "%", "#"}
	}
	return [...]string{"·", "░", "▒", "▓", "█"}
}

// sameGlyph is the sign of unchanged cells.
func sameGlyph(k *widget.Look) string {
	if k.Glyphs.Plain {
		return k.Glyphs.Same
	}
	return "·"
}

// painter returns a function that returns the sign and style of cells.
func (g *pageGrid) painter() func(typ, cell int) (string, tcell.Style) {
	e := g.env
	glyphs := fillGlyphs(e.Look.Glyphs.Plain)
	var heat [pages.FillLevels]tcell.Style
	for i := range heat {
		heat[i] = e.Theme.Heat(float64(i) / float64(len(heat)-1))
	}
	up, down, both, same := e.Style(themes.Loss), e.Style(themes.Gain), e.Style(themes.Warning), e.Look.Muted
	at := g.cellOf(g.cursor)
	return func(typ, cell int) (text string, st tcell.Style) {
		if g.Types[typ].diff == nil {
			fill, ok := g.fill(typ, cell)
			if text, st = " ", e.Look.Text; ok {
				text, st = glyphs[fill.Level()], heat[fill.Level()]
			}
		} else {
			switch occupied, freed := g.change(typ, cell); {
			case occupied > 0 && freed > 0 && occupied < 2*freed && freed < 2*occupied:
				text, st = "±", both
				if e.Look.Glyphs.Plain {
					text = "x"
				}
			case occupied > freed:
				text, st = e.Look.Glyphs.Up, up
			case freed > 0:
				text, st = e.Look.Glyphs.Down, down
			default:
				text, st = sameGlyph(e.Look), same
			}
		}
		if typ == g.cursor.Typ && cell == at {
			st = widget.Over(st, e.Look.Cursor).Reverse(true)
		}
		return text, st
	}
}

// fill returns how full a cell is; ok is false for a part without a bit.
func (g *pageGrid) fill(typ, cell int) (f pages.Fill, ok bool) {
	t := &g.Types[typ]
	if g.level == 0 {
		return t.fills[cell], true
	}
	if g.level > 0 {
		from := cell << g.level
		return pages.MixFills(t.fills[from:min(from+1<<g.level, len(t.fills))]), true
	}
	p := g.partAt(g.spot(typ, cell))
	return pages.FillOf(p.occupied, p.all), p.all > 0
}

// change returns the bits of a cell that are newly occupied and newly free.
func (g *pageGrid) change(typ, cell int) (occupied, freed uint64) {
	if g.level < 0 {
		p := g.partAt(g.spot(typ, cell))
		return p.occupied, p.freed
	}
	list := g.Types[typ].diff.Changes
	for _, c := range list[cell<<g.level : min((cell+1)<<g.level, len(list))] {
		occupied += uint64(c.Occupied)
		freed += uint64(c.Freed)
	}
	return occupied, freed
}
