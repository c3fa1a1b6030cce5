package trace

import (
	"fmt"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/heatmap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
)

// Title returns the name of what is counted.
func (p *Lifetimes) Title() string {
	what, size := "Bytes", "size"
	if p.State.Sampled() {
		size = "weight"
	}
	switch {
	case p.counts && p.State.Sampled():
		what = "Samples"
	case p.counts:
		what = "Blocks"
	}
	t := what + " by " + size + " and lifetime"
	if p.only {
		t += " of the selected " + p.State.Selected.By.String()
	}
	return t
}

// answer returns how many blocks there are, and how many of them stay.
func (p *Lifetimes) answer() string {
	d := p.data
	if d == nil || d.all.Count == 0 {
		return ""
	}
	f := ui.FiguresOf(&p.State, true)
	text := p.State.Blocks(d.all.Count) + ", " + f.Bytes(d.all.Bytes)
	if !p.State.Range.IsFull() {
		text += " allocated in the range"
	}
	never := d.byLife[analysis.NeverFreed]
	switch {
	case !p.grid.Fresh():
		text = "counting… " + text
	case !p.State.Settled():
		text += " so far"
	case never.Count == 0:
		text += ", all freed"
	case p.State.Status.Unfreed:
		text += ", " + ui.ShareText(ui.ShareOf(never.Bytes, d.all.Bytes)) + " without a known free"
	default:
		text += ", " + ui.ShareText(ui.ShareOf(never.Bytes, d.all.Bytes)) + " never freed"
	}
	return text
}

func (p *Lifetimes) emptyText() []string {
	if why := ui.Unanswered(p.grid); why != nil {
		return why
	}
	switch {
	case p.data == nil:
		return []string{"Counting…"}
	case p.only:
		return []string{"The selected site allocated nothing here.", p.Hint("{lifetimes.only} shows all sites again.")}
	case !p.State.Range.IsFull():
		return []string{"Nothing was allocated in this range.", p.Hint("{clear-range} clears the range.")}
	case !p.State.Settled():
		return []string{"Reading: no allocation so far."}
	}
	return []string{"This file has no allocations.", "Problems lists what was found in it."}
}

// facts explain the cell under the cursor, and the line of short lives.
func (p *Lifetimes) facts() []string {
	f := ui.FiguresOf(&p.State, true)
	d := p.data
	short := d.Sum(analysis.Cell{SizeTo: analysis.SizeClasses, LifeTo: uint8(p.short)})
	lines := []string{
		p.cursorText(f),
		fmt.Sprintf("%s left of it, shorter than %s: %s (%s), %s (%s)", p.Look.Glyphs.Vertical, analysis.LifeEdge(p.short),
			p.State.Blocks(short.Count), ui.ShareText(ui.ShareOf(short.Count, d.all.Count)),
			f.Bytes(short.Bytes), ui.ShareText(ui.ShareOf(short.Bytes, d.all.Bytes))),
	}
	if p.State.Status.Unfreed {
		return append(lines, "! Blocks without an address cannot be matched with a free: they count as never freed.")
	}
	lines = append(lines, p.legend())
	if p.State.Sampled() {
		lines = append(lines, "A row is what samples represent: sizes of allocations are not known.")
	}
	return lines
}

// cursorText returns the figures of the cell under the cursor.
func (p *Lifetimes) cursorText(f ui.Figures) string {
	at, d := p.cursor, p.data
	c, cell := d.at(at), at.cell()
	what := cell.Sizes()
	if p.State.Sampled() && at.size != everyClass {
		what = "weight " + what
	}
	if at.life != everyClass && at.life != analysis.NeverFreed {
		what += " that lived " + cell.Lives()
	} else {
		what += ", " + cell.Lives()
	}
	text := fmt.Sprintf("%s: %s (%s), %s (%s)", what, p.State.Blocks(c.Count), ui.ShareText(ui.ShareOf(c.Count, d.all.Count)),
		f.Bytes(c.Bytes), ui.ShareText(ui.ShareOf(c.Bytes, d.all.Bytes)))
	if cell == p.State.Cell && !cell.IsAll() {
		text += " · all screens show only these"
	}
	return text
}

// legend returns what the glyphs of the heat mean.
func (p *Lifetimes) legend() string {
	return heatmap.Legend(p.figure(p.data.most), p.Look.Glyphs.Plain, p.amount)
}

// figure returns the counted figure of a cell.
func (p *Lifetimes) figure(c analysis.GridCell) uint64 {
	if p.counts {
		return c.Count
	}
	return c.Bytes
}

// amount formats a figure in a few cells.
func (p *Lifetimes) amount(n uint64) string {
	if p.counts {
		return model.ShortCount(n)
	}
	return p.State.Estimate(ui.Figures{}.Bytes(n))
}
