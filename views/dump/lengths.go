package dump

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// drawLengths shows how long holes and runs are, in powers of two, by the memory in them.
func (p *Fragments) drawLengths(s tcell.Screen, r widget.Rect) {
	row, ok := p.Types.Selected()
	if r.H < 3 || !ok {
		return
	}
	look := p.Look
	if p.focus == fragmentLengths {
		look = ui.FocusedLook(look)
	}
	title, r := r.CutTop(1)
	name := row.Name
	if row.all {
		name = "all types"
	}
	widget.TitleLine(s, title, look, "Lengths of holes and runs", name)
	head, r := r.CutTop(1)
	first, last := lengthClasses(row.Figures)
	if last < first {
		widget.Print(s, head.X+1, head.Y, head.W-2, "no pages", p.Look.Muted)
		return
	}
	first, last, every := p.fitClasses(first, last, r.H)
	bar := max((r.W-10-2*8)/2, 1)
	widget.PrintRight(s, head.X, head.Y, 9, titles.Length, p.Look.Header)
	widget.Print(s, head.X+10, head.Y, bar+7, titles.Holes, p.Look.Header)
	widget.Print(s, head.X+10+bar+8, head.Y, bar+7, titles.Runs, p.Look.Header)
	holes, runs := mostBits(&row.Holes, first, last, every), mostBits(&row.Runs, first, last, every)
	for y := 0; first+y*every <= last && y < r.H; y++ {
		class := first + y*every
		h, u := sumClass(&row.Holes, class, every), sumClass(&row.Runs, class, every)
		widget.PrintRight(s, r.X, r.Y+y, 9, model.Bytes(uint64(8)<<min(class, 60)).String(), p.Look.Axis)
		p.drawLength(s, r.X+10, r.Y+y, bar, h, holes)
		p.drawLength(s, r.X+10+bar+8, r.Y+y, bar, u, runs)
	}
}

// drawLength is one bar and its amount.
func (p *Fragments) drawLength(s tcell.Screen, x, y, w int, n, top uint64) {
	if n == 0 {
		return
	}
	widget.DrawBar(s, x, y, w, ui.ShareOf(n, top), p.Look.Bar, &p.Look.Glyphs)
	widget.PrintRight(s, x+w, y, 6, model.Bytes(ui.HoleBytes(n)).Short(), p.Look.Muted)
}

// lengthClasses returns the shortest and the longest class that there is.
func lengthClasses(f *pages.Figures) (first, last int) {
	first, last = 64, -1
	for i := range f.Holes.Counts {
		if f.Holes.Counts[i] > 0 || f.Runs.Counts[i] > 0 {
			first, last = min(first, i), i
		}
	}
	return first, last
}

// fitClasses merges adjacent classes until they fit into the rows.
func (p *Fragments) fitClasses(first, last, rows int) (int, int, int) {
	every := 1
	for (last-first)/every+1 > max(rows, 1) {
		every++
	}
	return first, last, every
}

func sumClass(f *pages.RunFigures, class, n int) (sum uint64) {
	for i := class; i < min(class+n, len(f.Bits)); i++ {
		sum, _ = model.SaturatingAdd(sum, f.Bits[i])
	}
	return sum
}

func mostBits(f *pages.RunFigures, first, last, every int) (most uint64) {
	for i := first; i <= last; i += every {
		most = max(most, sumClass(f, i, every))
	}
	return most
}

// sparseTable lists the pages with the fewest occupied bits.
type sparseTable struct {
	ui.ListPane
	*ui.Table[sparseData, pages.Ref]
}

// sparseData determines those pages: of a type, or of all.
type sparseData struct {
	figures *ui.LayoutFigures
	typ     int
}

const allTypes = -1

func (p *Fragments) newSparse() *sparseTable {
	t := &sparseTable{}
	t.Table = ui.NewTable(p.Pane.Env, &t.ListPane, sparseData{}, ui.Spec[sparseData, pages.Ref]{
		Rows: func(d sparseData) (refs []pages.Ref) {
			for _, ref := range d.figures.Sparse {
				if d.typ == allTypes || ref.Type == d.typ {
					refs = append(refs, ref)
				}
			}
			return refs
		},
		Columns: sparseColumns,
		First:   ui.AsGiven,
		Most:    func(d sparseData) (bytes, count uint64) { return d.figures.All.Bytes, 0 },
		ID:      func(_ sparseData, r *pages.Ref) uint64 { return uint64(r.Type)<<40 | uint64(r.Page) },
	})
	return t
}

func sparseColumns(d sparseData) []ui.Column[pages.Ref] {
	type ref = pages.Ref
	share := func(r *ref) float64 { return ui.ShareOf(r.Occupied, r.Bits) }
	return []ui.Column[ref]{
		{Title: titles.Type, Key: "name", Width: 6, Grow: 1, Text: func(r *ref) string { return typeLabel(d.figures.Types[r.Type].Name) }},
		{Title: titles.Page, Key: "page", Fields: []string{"page"}, Figure: ui.CountFigure, Width: 7, MaxWidth: 7,
			Value: func(r *ref) uint64 { return uint64(r.Page) }},
		{Title: titles.Occupied, Key: "occupied_bits", Fields: []string{"occupied"}, Figure: ui.BytesFigure, Width: 9,
			Value: func(r *ref) uint64 { return ui.HoleBytes(r.Occupied) }, Share: share},
		{Title: titles.Size, Key: "size", Fields: []string{"size"}, Figure: ui.BytesFigure, Width: 8, Drop: 1,
			Value: func(r *ref) uint64 { return r.Size }},
		{Figure: ui.ShareFigure, Drop: 2, Share: share},
	}
}

func (p *Fragments) drawSparse(s tcell.Screen, r widget.Rect) {
	if r.H < 2 || p.figures == nil {
		return
	}
	title, r := r.CutTop(1)
	look := p.Look
	if p.focus == fragmentSparse {
		look = ui.FocusedLook(look)
	}
	name := "Sparsest pages"
	if p.text != "" {
		name += " · filter “" + p.text + "”"
	}
	widget.TitleLine(s, title, look, name, model.Counted(p.figures.Held, "partial page"))
	t := p.sparse
	t.Layout(r.W, &p.State)
	t.List.Focused = p.focus == fragmentSparse
	t.List.Empty, t.List.Highlight = []string{"No page is partly occupied."}, ui.FilterWord(p.text)
	if now := t.Now(); now != nil && len(now.Rows) > 0 {
		t.List.Empty = []string{"No matches for “" + p.text + "”.", p.FilterHint()}
	}
	t.List.Draw(s, r, p.Look)
}
