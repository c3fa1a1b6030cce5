package views

import (
	"fmt"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// title names what is counted.
func (p *lifetimes) title() string {
	t := "Bytes by size and lifetime"
	if p.counts {
		t = "Blocks by size and lifetime"
	}
	if p.only {
		t += " of the selected " + p.state.Selected.By.String()
	}
	return t
}

// answer is how many blocks there are, and how many of them stay.
func (p *lifetimes) answer() string {
	d := p.data
	if d == nil || d.all.Count == 0 {
		return ""
	}
	f := figures{p.state.Exact, true}
	text := countBlocks(d.all.Count) + ", " + f.bytes(d.all.Bytes)
	if !p.state.Range.IsWhole() {
		text += " allocated in the range"
	}
	never := d.byLife[analysis.NeverFreed]
	switch {
	case !p.grid.fresh():
		text = "counting… " + text
	case !p.state.settled():
		text += " so far"
	case never.Count == 0:
		text += ", all freed"
	case p.state.Status.Unfreed:
		text += ", " + shareText(shareOf(never.Bytes, d.all.Bytes)) + " without a known free"
	default:
		text += ", " + shareText(shareOf(never.Bytes, d.all.Bytes)) + " never freed"
	}
	return text
}

func (p *lifetimes) emptyText() []string {
	if why := unanswered(p.grid); why != nil {
		return why
	}
	switch {
	case p.data == nil:
		return []string{"Counting…"}
	case p.only:
		return []string{"The selected site allocated nothing here.", "o shows all sites again."}
	case !p.state.Range.IsWhole():
		return []string{"Nothing was allocated in this range.", "u forgets the range."}
	case !p.state.settled():
		return []string{"Reading: no allocation so far."}
	}
	return []string{"No allocation is in this file.", "Problems says what was found in it."}
}

// facts explain the cell under the cursor, and the line of short lives.
func (p *lifetimes) facts() []string {
	f := figures{p.state.Exact, true}
	d := p.data
	short := d.Sum(analysis.Cell{SizeTo: analysis.SizeClasses, LifeTo: uint8(p.short)})
	lines := []string{
		p.cursorText(f),
		fmt.Sprintf("%s left of it, shorter than %s: %s (%s), %s (%s)", p.look.Glyphs.Vertical, lifeEdge(p.short),
			countBlocks(short.Count), shareText(shareOf(short.Count, d.all.Count)),
			f.bytes(short.Bytes), shareText(shareOf(short.Bytes, d.all.Bytes))),
	}
	if p.state.Status.Unfreed {
		return append(lines, "! Blocks without an address can never be matched with a free: they count as never freed.")
	}
	return append(lines, p.legend())
}

// cursorText is the figures of the cell under the cursor.
func (p *lifetimes) cursorText(f figures) string {
	at, d := p.cursor, p.data
	c, cell := d.at(at), at.cell()
	what := sizesText(cell) + ", " + livesText(cell)
	if at.life != everyClass && at.life != analysis.NeverFreed {
		what = sizesText(cell) + " that lived " + livesText(cell)
	}
	text := fmt.Sprintf("%s: %s (%s), %s (%s)", what, countBlocks(c.Count), shareText(shareOf(c.Count, d.all.Count)),
		f.bytes(c.Bytes), shareText(shareOf(c.Bytes, d.all.Bytes)))
	if cell == p.state.Cell && !cell.IsAll() {
		text += " · only these are shown everywhere"
	}
	return text
}

// legend says what the glyphs of the heat mean.
func (p *lifetimes) legend() string {
	text, most := "at least", p.figure(p.data.most)
	for i, g := range p.heatGlyphs() {
		if i == heatLevels-1 || leastOf(i, most) < leastOf(i+1, most) {
			text += fmt.Sprintf("  %s %s", g, p.amount(leastOf(i, most)))
		}
	}
	return text
}

// figure is what is counted of a cell.
func (p *lifetimes) figure(c analysis.GridCell) uint64 {
	if p.counts {
		return c.Count
	}
	return c.Bytes
}

// amount is a figure in a few cells.
func (p *lifetimes) amount(n uint64) string {
	if p.counts {
		return model.ShortCount(n)
	}
	return figures{}.bytes(n)
}
