package views

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/widget"
)

// pageDetail is what there is to say about the cell under the cursor.
type pageDetail struct {
	title, answer, facts string
	page                 bool // of one page, whose bits are shown
}

// describe explains the cell under the cursor.
func (p *dumpPages) describe() (d pageDetail) {
	g := &p.grid
	if g.cursor.typ >= len(g.types) || g.types[g.cursor.typ].len() == 0 {
		return d
	}
	t := &g.types[g.cursor.typ]
	from, to := g.pages()
	d.page = to == from+1
	name := widget.Truncate(typeLabel(t.name), 24)
	if d.page {
		d.title = fmt.Sprintf("page %s of %s", model.Group(uint64(from)), name)
	} else {
		d.title = fmt.Sprintf("pages %s – %s of %s", model.Group(uint64(from)), model.Group(uint64(to-1)), name)
	}
	switch {
	case t.diff != nil:
		p.describeChange(&d, t, from, to)
	case d.page:
		p.describePage(&d, t, from)
	default:
		p.describePages(&d, t, from, to)
	}
	return d
}

// runsShown bounds the runs that are spelled out.
const runsShown = 12

// describePage tells the figures and runs of one page.
func (p *dumpPages) describePage(d *pageDetail, t *gridPages, page int) {
	var occupied, free, holes, largest uint64
	var runs []string
	left := runsShown
	pages.EachPageRun(t.is, page, func(on bool, bits uint64) {
		word := ""
		if on {
			occupied += bits
		} else {
			free += bits
			holes++
			largest = max(largest, bits)
			word = "free "
		}
		if left--; left >= 0 {
			runs = append(runs, word+model.Group(8*bits))
		}
	})
	if left < 0 {
		runs = append(runs, fmt.Sprintf("and %s more", model.Group(uint64(-left))))
	}
	size := t.is.Size(page)
	d.answer = fmt.Sprintf("%s · %s occupied", bytesText(size, p.state.Exact), shareText(share(occupied, free)))
	if holes > 0 {
		d.answer += fmt.Sprintf(" · %s, largest %s", plural(int(holes), "hole", "holes"), p.bits(largest))
	}
	at := ""
	if g := &p.grid; g.level < 0 {
		n := t.bits(page)
		start, end := partStart(n, g.cursor.part, g.parts(g.cursor.typ)), partStart(n, g.cursor.part+1, g.parts(g.cursor.typ))
		at = fmt.Sprintf("bytes %s – %s · ", model.Group(8*start), model.Group(max(8*end, 8*start+1)-1))
	}
	d.facts = at + fmt.Sprintf("occupied %s  free %s  runs %s", p.bits(occupied), p.bits(free), strings.Join(runs, " · "))
	switch {
	case t.is.Known == nil || t.is.Known[page]:
	case t.is.Occupancy != nil && t.is.Occupancy[page] >= 0:
		d.facts = fmt.Sprintf("occupied %s  free %s  as the file states: it has no bitmap of this page", p.bits(occupied), p.bits(free))
	default:
		d.facts = "the file has no bitmap of this page: it counts as full"
	}
}

func share(occupied, free uint64) float64 {
	return shareOf(occupied, occupied+free)
}

// describePages tells the sums of several pages.
func (p *dumpPages) describePages(d *pageDetail, t *gridPages, from, to int) {
	var occupied, all, size uint64
	full, empty := 0, 0
	for page := from; page < to; page++ {
		o, n := pages.PageOccupied(t.is, page)
		occupied, _ = model.SaturatingAdd(occupied, o)
		all, _ = model.SaturatingAdd(all, n)
		size, _ = model.SaturatingAdd(size, t.is.Size(page))
		switch o {
		case 0:
			empty++
		case n:
			full++
		}
	}
	d.answer = fmt.Sprintf("%s · %s · %s occupied", plural(to-from, "page", "pages"), bytesText(size, p.state.Exact), shareText(shareOf(occupied, all)))
	d.facts = fmt.Sprintf("occupied %s  free %s  full %s · partial %s · empty %s", p.bits(occupied), p.bits(all-occupied),
		model.Group(uint64(full)), model.Group(uint64(to-from-full-empty)), model.Group(uint64(empty)))
}

// describeChange tells what became of pages.
func (p *dumpPages) describeChange(d *pageDetail, t *gridPages, from, to int) {
	var up, down uint64
	touched := 0
	for _, c := range t.diff.changes[from:to] {
		up, down = up+uint64(c.occupied), down+uint64(c.freed)
		if c.occupied > 0 || c.freed > 0 {
			touched++
		}
	}
	g := &p.look.Glyphs
	d.answer = fmt.Sprintf("%s %s newly occupied · %s %s newly free", g.Up, p.bits(up), g.Down, p.bits(down))
	switch {
	case !d.page:
		d.facts = fmt.Sprintf("%s of %s changed", model.Group(uint64(touched)), plural(to-from, "page", "pages"))
	case from >= t.diff.was.Len():
		d.facts = "only the layout B has this page"
	case from >= t.diff.is.Len():
		d.facts = "only the layout A has this page"
	case up == 0 && down == 0:
		d.facts = "nothing changed in this page"
	}
}

// drawDetail shows the cell under the cursor: its title, its bits, its figures.
func (p *dumpPages) drawDetail(s tcell.Screen, r widget.Rect) {
	title, r := r.CutTop(1)
	if title.Empty() || p.detail.title == "" {
		return
	}
	d := &p.detail
	widget.TitleLine(s, title, p.look, d.title, d.answer)
	line, r := r.CutTop(1)
	p.drawBits(s, line.Inset(1, 0))
	widget.Print(s, r.X+1, r.Y, r.W-2, d.facts, p.look.Text)
}

// drawBits shows the page from end to end, or one page after the other.
func (p *dumpPages) drawBits(s tcell.Screen, r widget.Rect) {
	if r.Empty() {
		return
	}
	g := &p.grid
	t := &g.types[g.cursor.typ]
	from, to := g.pages()
	glyphs := fillGlyphs(p.look.Glyphs.Plain)
	var parts []partFigures
	if p.detail.page {
		n, runs := t.bits(from), g.runsOf(g.cursor.typ, from)
		parts = make([]partFigures, min(uint64(r.W), max(n, 1)))
		for i := range parts {
			parts[i] = runs.part(n, i, len(parts))
		}
	}
	for x := range r.W {
		fill := pages.PageFill(0)
		switch {
		case parts != nil && x >= len(parts):
			return
		case parts != nil && t.diff != nil:
			p.drawChange(s, r.X+x, r.Y, parts[x].occupied, parts[x].freed)
			continue
		case parts != nil:
			fill = pages.FillOf(parts[x].occupied, parts[x].all)
		case t.diff != nil:
			a, b := slot(from, to, x, r.W), slot(from, to, x+1, r.W)
			if a >= to || to-from < r.W && x >= to-from {
				return
			}
			var up, down uint64
			for _, c := range t.diff.changes[a:max(b, a+1)] {
				up, down = up+uint64(c.occupied), down+uint64(c.freed)
			}
			p.drawChange(s, r.X+x, r.Y, up, down)
			continue
		default:
			a, b := slot(from, to, x, r.W), slot(from, to, x+1, r.W)
			if a >= to || to-from < r.W && x >= to-from {
				return
			}
			fill = pages.MixFills(t.fills[a:max(b, a+1)])
		}
		s.Put(r.X+x, r.Y, glyphs[fill.Level()], p.theme.Heat(float64(fill.Level())/float64(len(glyphs)-1)))
	}
}

// slot is the first of the pages from … to that cell x of w shows: one each where they are fewer than cells.
func slot(from, to, x, w int) int {
	if to-from <= w {
		return min(from+x, to)
	}
	return from + int(int64(to-from)*int64(x)/int64(w))
}

// drawChange shows which way a cell changed.
func (p *dumpPages) drawChange(s tcell.Screen, x, y int, up, down uint64) {
	g := &p.look.Glyphs
	text, st := sameGlyph(p.look), p.look.Muted
	if up > down {
		text, st = g.Up, p.style(themes.Loss)
	} else if down > 0 {
		text, st = g.Down, p.style(themes.Gain)
	}
	s.Put(x, y, text, st)
}
