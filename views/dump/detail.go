package dump

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// pageDetail is the explanation of the cell under the cursor.
type pageDetail struct {
	title, answer, facts string
	page                 bool // of one page, whose bits are shown
}

// describe explains the cell under the cursor.
func (p *Pages) describe() (d pageDetail) {
	g := &p.Grid
	if g.cursor.Typ >= len(g.Types) || g.Types[g.cursor.Typ].len() == 0 {
		return d
	}
	t := &g.Types[g.cursor.Typ]
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

// runsShown is the maximum number of runs that are listed.
const runsShown = 12

// describePage describes the figures and runs of one page.
func (p *Pages) describePage(d *pageDetail, t *gridPages, page int) {
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
	d.answer = fmt.Sprintf("%s · %s occupied", ui.BytesText(size, p.State.Exact), ui.ShareText(share(occupied, free)))
	if holes > 0 {
		d.answer += fmt.Sprintf(" · %s, largest %s", model.Counted(int(holes), "hole"), p.bits(largest))
	}
	at := ""
	if g := &p.Grid; g.level < 0 {
		n := t.bits(page)
		start := partStart(n, g.cursor.Part, g.parts(g.cursor.Typ))
		end := partStart(n, g.cursor.Part+1, g.parts(g.cursor.Typ))
		at = fmt.Sprintf("bytes %s – %s · ", model.Group(8*start), model.Group(max(8*end, 8*start+1)-1))
	}
	d.facts = at + fmt.Sprintf("occupied %s  free %s  runs %s", p.bits(occupied), p.bits(free),
		strings.Join(runs, " · "))
	switch {
	case t.is.Known == nil || t.is.Known[page]:
	case t.is.Occupancy != nil && t.is.Occupancy[page] >= 0:
		d.facts = fmt.Sprintf("occupied %s  free %s  as the file states: it has no bitmap of this page", p.bits(occupied), p.bits(free))
	default:
		d.facts = "the file has no bitmap of this page: it counts as full"
	}
}

func share(occupied, free uint64) float64 {
	return ui.ShareOf(occupied, occupied+free)
}

// describePages describes the sums of several pages.
func (p *Pages) describePages(d *pageDetail, t *gridPages, from, to int) {
	var occupied, all, size uint64
	full, empty := 0, 0
	for page := from; page < to; page++ {
		o, n := pages.Occupied(t.is, page)
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
	d.answer = fmt.Sprintf("%s · %s · %s occupied", model.Counted(to-from, "page"), ui.BytesText(size, p.State.Exact),
		ui.ShareText(ui.ShareOf(occupied, all)))
	d.facts = fmt.Sprintf("occupied %s  free %s  full %s · partial %s · empty %s", p.bits(occupied), p.bits(all-occupied),
		model.Group(uint64(full)), model.Group(uint64(to-from-full-empty)), model.Group(uint64(empty)))
}

// describeChange describes the change of pages.
func (p *Pages) describeChange(d *pageDetail, t *gridPages, from, to int) {
	var up, down uint64
	touched := 0
	for _, c := range t.diff.Changes[from:to] {
		up, down = up+uint64(c.Occupied), down+uint64(c.Freed)
		if c.Occupied > 0 || c.Freed > 0 {
			touched++
		}
	}
	g := &p.Look.Glyphs
	d.answer = fmt.Sprintf("%s %s newly occupied · %s %s newly free", g.Up, p.bits(up), g.Down, p.bits(down))
	switch {
	case !d.page:
		d.facts = fmt.Sprintf("%s of %s changed", model.Group(uint64(touched)), model.Counted(to-from, "page"))
	case from >= t.diff.Was.Len():
		d.facts = "only layout B has this page"
	case from >= t.diff.Is.Len():
		d.facts = "only layout A has this page"
	case up == 0 && down == 0:
		d.facts = "nothing changed in this page"
	}
}

// drawDetail shows the cell under the cursor: its title, its bits, its figures.
func (p *Pages) drawDetail(s tcell.Screen, r widget.Rect) {
	title, r := r.CutTop(1)
	if title.Empty() || p.detail.title == "" {
		return
	}
	d := &p.detail
	widget.TitleLine(s, title, p.Look, d.title, d.answer)
	line, r := r.CutTop(1)
	p.drawBits(s, line.Inset(1, 0))
	widget.PrintWrapped(s, r, d.facts, p.Look.Text)
}

// drawBits draws the page from end to end, or several pages one after the other.
func (p *Pages) drawBits(s tcell.Screen, r widget.Rect) {
	if r.Empty() {
		return
	}
	g := &p.Grid
	t := &g.Types[g.cursor.Typ]
	from, to := g.pages()
	glyphs := fillGlyphs(p.Look.Glyphs.Plain)
	var parts []partFigures
	if p.detail.page {
		n, runs := t.bits(from), g.runsOf(g.cursor.Typ, from)
		parts = make([]partFigures, min(uint64(r.W), max(n, 1)))
		for i := range parts {
			parts[i] = runs.part(n, i, len(parts))
		}
	}
	for x := range r.W {
		fill := pages.Fill(0)
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
			for _, c := range t.diff.Changes[a:max(b, a+1)] {
				up, down = up+uint64(c.Occupied), down+uint64(c.Freed)
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
		s.Put(r.X+x, r.Y, glyphs[fill.Level()], p.Theme.Heat(float64(fill.Level())/float64(len(glyphs)-1)))
	}
}

// slot returns the first of the pages from … to that cell x of w shows: one each where they are fewer than cells.
func slot(from, to, x, w int) int {
	if to-from <= w {
		return min(from+x, to)
	}
	return from + int(int64(to-from)*int64(x)/int64(w))
}

// drawChange draws the direction of a cell's change.
func (p *Pages) drawChange(s tcell.Screen, x, y int, up, down uint64) {
	g := &p.Look.Glyphs
	text, st := sameGlyph(p.Look), p.Look.Muted
	if up > down {
		text, st = g.Up, p.Style(themes.Loss)
	} else if down > 0 {
		text, st = g.Down, p.Style(themes.Gain)
	}
	s.Put(x, y, text, st)
}
