package dump

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// drawLengths shows how long holes and runs are, in powers of two, by the memory in them.
func (p *DumpFragments) drawLengths(s tcell.Screen, r widget.Rect) {
	row := p.selected()
	if r.H < 3 || row == nil {
		return
	}
	look := p.Look
	if p.focus == fragmentLengths {
		look = ui.Dressed(look)
	}
	title, r := r.CutTop(1)
	name := row.Name
	if row.all {
		name = "all types"
	}
	widget.TitleLine(s, title, look, "Lengths of holes and runs", name)
	head, r := r.CutTop(1)
	first, last := lengthClasses(row.PageFigures)
	if last < first {
		widget.Print(s, head.X+1, head.Y, head.W-2, "there is no page", p.Look.Muted)
		return
	}
	first, last, every := p.fitClasses(first, last, r.H)
	bar := max((r.W-10-2*8)/2, 1)
	widget.PrintRight(s, head.X, head.Y, 9, "LENGTH", p.Look.Header)
	widget.Print(s, head.X+10, head.Y, bar+7, "HOLES", p.Look.Header)
	widget.Print(s, head.X+10+bar+8, head.Y, bar+7, "RUNS", p.Look.Header)
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
func (p *DumpFragments) drawLength(s tcell.Screen, x, y, w int, n, top uint64) {
	if n == 0 {
		return
	}
	widget.DrawBar(s, x, y, w, ui.ShareOf(n, top), p.Look.Bar, &p.Look.Glyphs)
	widget.PrintRight(s, x+w, y, 6, model.Bytes(ui.HoleBytes(n)).Short(), p.Look.Muted)
}

// lengthClasses is the shortest and the longest class that there is.
func lengthClasses(f *pages.PageFigures) (first, last int) {
	first, last = 64, -1
	for i := range f.Holes.Counts {
		if f.Holes.Counts[i] > 0 || f.Runs.Counts[i] > 0 {
			first, last = min(first, i), i
		}
	}
	return first, last
}

// fitClasses puts neighbouring classes together until they fit into so many rows.
func (p *DumpFragments) fitClasses(first, last, rows int) (int, int, int) {
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

// sparseList lists the pages that are held by least.
type sparseList struct {
	widget.List
	p    *DumpFragments
	refs []pages.PageRef
}

// show takes the pages of the selected type.
func (l *sparseList) show() {
	l.refs = l.refs[:0]
	if l.p.figures != nil {
		row := l.p.selected()
		for _, ref := range l.p.figures.Sparse {
			if row == nil || row.all || ref.Type == row.typ {
				l.refs = append(l.refs, ref)
			}
		}
	}
	l.Refresh()
}

func (l *sparseList) selectedPage() *pages.PageRef {
	if row, ok := l.Selected(); ok && row < len(l.refs) {
		return &l.refs[row]
	}
	return nil
}

// Len, ID and Cell implement widget.Table.
func (l *sparseList) Len() int { return len(l.refs) }

func (l *sparseList) ID(row int) uint64 {
	return uint64(l.refs[row].Type)<<40 | uint64(l.refs[row].Page)
}

func (l *sparseList) Cell(row, col int) widget.Cell {
	r := &l.refs[row]
	switch col {
	case 0:
		return widget.Cell{Text: typeLabel(l.p.figures.Types[r.Type].Name)}
	case 1:
		return widget.Cell{Text: model.Group(uint64(r.Page))}
	case 2:
		return widget.Cell{Text: ui.BytesText(ui.HoleBytes(r.Occupied), l.p.State.Exact)}
	case 3:
		return widget.Cell{Text: ui.BytesText(r.Size, l.p.State.Exact)}
	}
	return widget.Cell{Text: ui.ShareText(ui.ShareOf(r.Occupied, r.Bits))}
}

func (l *sparseList) Draw(s tcell.Screen, r widget.Rect) {
	if r.H < 2 {
		return
	}
	title, r := r.CutTop(1)
	widget.TitleLine(s, title, l.p.Look, "Pages held by least", model.Group(uint64(l.p.figures.Held))+" partial")
	const right = widget.Right
	b := 8
	if l.p.State.Exact {
		b = 13
	}
	l.Columns = []widget.Column{{Title: "TYPE", Width: 6, Grow: 1}, {Title: "PAGE", Width: 7, Align: right}, {Title: "HELD BY", Width: b, Align: right},
		{Title: "SIZE", Width: b, Align: right, Drop: 1}, {Title: "", Width: model.ShareWidth, Align: right, Drop: 2}}
	l.Focused = l.p.focus == fragmentSparse
	l.Empty = []string{"No page is partly occupied."}
	l.List.Draw(s, r, l.p.Look)
}
