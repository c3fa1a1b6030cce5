package heap

import (
	"math"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// sideText names one side of the comparison.
func (p *heapComparison) sideText(k ui.HeapKey) string {
	text := k.Text()
	if p.After != nil {
		name := p.AfterName
		if k.Heaps == p.Heaps && p.State.Profile != nil {
			name = p.State.Profile.Meta.Name
		}
		text = widget.ShortenPath(name, 24) + " " + text
	}
	return text
}

// sidesText says which side is before.
func (p *heapComparison) sidesText() string {
	if p.Heaps == nil || p.State.Snapshot() < 0 {
		return "Comparison"
	}
	k := p.HeapSides(&p.State)
	return "before: " + p.sideText(k[0]) + " · after: " + p.sideText(k[1])
}

// drawHead draws which side is which, the change in a sentence, and the totals; it returns what is left.
func (p *heapComparison) drawHead(s tcell.Screen, r widget.Rect) widget.Rect {
	const low = 12
	if r.H <= 3 {
		return r
	}
	line, r := r.CutTop(1)
	widget.TitleLine(s, line, p.Look, p.sidesText(), "+ more after")
	if r.H < low {
		return r
	}
	for _, text := range ui.CutLines(widget.Wrap(p.sentence(), r.W-2), 2, r.W-2) {
		line, r = r.CutTop(1)
		widget.Print(s, line.X+1, line.Y, line.W-2, text, p.Look.Title)
	}
	return p.drawTotals(s, r)
}

// drawTotals draws the table of totals.
func (p *heapComparison) drawTotals(s tcell.Screen, r widget.Rect) widget.Rect {
	b, a := &p.loads2[0].Totals, &p.loads2[1].Totals
	bytes := func(n uint64) string { return ui.BytesText(n, p.State.Exact) }
	rows := []struct {
		name          string
		before, after uint64
		text          func(uint64) string
	}{
		{"bytes", b.Bytes(), a.Bytes(), bytes},
		{"objects", uint64(b.Objects), uint64(a.Objects), model.Group},
		{"refs", uint64(b.References), uint64(a.References), model.Group},
		{"frames", uint64(b.Frames), uint64(a.Frames), model.Group},
		{"managed", b.ManagedBytes, a.ManagedBytes, bytes},
		{"unmanaged", b.UnmanagedBytes, a.UnmanagedBytes, bytes},
	}
	n, w := 3, 13
	if r.H >= 32 {
		n = len(rows)
	}
	head, r := r.CutTop(1)
	x := head.X + 12
	for i, t := range []string{"before", "after", "Δ", "%"} {
		widget.PrintRight(s, x+i*w, head.Y, w, t, p.Look.Header)
	}
	for _, v := range rows[:n] {
		var line widget.Rect
		line, r = r.CutTop(1)
		widget.Print(s, line.X+2, line.Y, 10, v.name, p.Look.Muted)
		widget.PrintRight(s, x, line.Y, w, v.text(v.before), p.Look.Text)
		widget.PrintRight(s, x+w, line.Y, w, v.text(v.after), p.Look.Text)
		c := p.DeltaCell(v.before, v.after, v.text)
		widget.PrintRight(s, x+2*w, line.Y, w, c.Text, c.Style)
		widget.PrintRight(s, x+3*w, line.Y, w, ui.PercentChange(p.Look, v.before, v.after), c.Style)
	}
	return r
}

// sentence says what happened in words.
func (p *heapComparison) sentence() string {
	if p.sameSides() {
		return "Both sides are the same snapshot: v marks one as before, h and l go to another."
	}
	b, a := p.loads2[0], p.loads2[1]
	when := "From before to after"
	ib, ia := b.Heaps.Source().Info(b.I), a.Heaps.Source().Info(a.I)
	if b.Heaps == a.Heaps && ib.Time != model.NoTime && ia.Time != model.NoTime {
		if ia.Time >= ib.Time {
			when = "In " + (ia.Time - ib.Time).String()
		} else {
			when = "Going back " + (ib.Time - ia.Time).String()
		}
	}
	before, after := b.Totals.Bytes(), a.Totals.Bytes()
	text := when
	switch {
	case after > before:
		text += " the heap grew by " + ui.BytesText(after-before, p.State.Exact)
	case after < before:
		text += " the heap shrank by " + ui.BytesText(before-after, p.State.Exact)
	default:
		text += " the heap stayed as large as it was"
	}
	text += objectsChange(a.Totals.Objects-b.Totals.Objects, after > before)
	for i, l := range p.loads2 {
		if !l.Heap.Complete {
			return text + ", but " + [...]string{"before", "after"}[i] + " is cut off."
		}
	}
	return text + p.mostOf() + "."
}

// objectsChange says how many objects more or fewer there are, shortly where that goes without saying.
func objectsChange(d int64, grew bool) string {
	n := ui.Plural(int(max(d, -d)), "object", "objects")
	switch {
	case d == 0:
		return ""
	case d > 0 == grew:
		return " (" + n + ")"
	case d > 0:
		return " (though with " + n + " more)"
	}
	return " (though with " + n + " fewer)"
}

// mostOf names the type that has most of the change of all objects, "" while that is not known.
func (p *heapComparison) mostOf() string {
	set, ok := p.changes.Get()
	if !ok || set.frames || set.sides != p.loads2 {
		return ""
	}
	// rows stand in the report's order
	most, part := diff.MostOfChange(set.totals.figures(), len(set.rows), func(i int) *diff.CompareFigures { return set.rows[i].figures() })
	if most < 0 {
		return ""
	}
	part.Name, part.Of = model.Clean(ui.HeapName(set.rows[most].Name)), " of objects"
	return ui.WithMinus(p.Look, part.Text(func(n uint64) string { return ui.BytesText(n, p.State.Exact) }))
}

func (p *heapComparison) Title() string {
	t := [...]string{"Types", "Frames", "Subtrees that grew"}[p.by]
	if p.by == CompareSubtrees {
		return t
	}
	t += " by Δ " + p.figure.String()
	if p.shares {
		t += ", as shares"
	}
	if text := p.State.Compare.OnlyText(); text != "" {
		t += " · " + text
	}
	if p.State.Filter != "" {
		t += " · filter “" + p.State.Filter + "”"
	}
	return t
}

// answer counts the changes.
func (p *heapComparison) answer(w int) string {
	if p.by == CompareSubtrees {
		if p.trees == nil {
			return ""
		}
		return "by growth of what they retain"
	}
	if p.table == nil {
		return ""
	}
	n := p.table.status
	count := func(k string) string { return model.Group(uint64(n[k])) + " " + k }
	parts := []string{count("new"), count("gone"), count("grown"), count("shrunk")}
	if w >= 70 {
		parts = append([]string{"all " + model.Group(uint64(len(p.table.set.rows)))}, parts...)
	}
	return strings.Join(parts, " · ")
}

// columns lays the table out for its width.
func (p *heapComparison) columns(w int) {
	const right = widget.Right
	b, name := 9, "TYPE"
	if p.State.Exact {
		b = 14
	}
	if p.by == CompareFrames {
		name = "FRAME"
	}
	delta := "Δ " + strings.ToUpper(p.figure.String())
	p.List.Columns = []widget.Column{
		changeTitle: {Title: name, Width: 14, Grow: 4, MaxWidth: 60, Cut: widget.CutMiddle}, changeRepr: {Title: "REPR", Width: 11, Grow: 1, MaxWidth: 20, Drop: 5},
		changeBefore: {Title: "BEFORE", Width: b, Align: right, Drop: 3}, changeAfter: {Title: "AFTER", Width: b, Align: right, Drop: 2},
		changeDelta: {Title: delta, Width: max(b+1, widget.Width(delta)+1), Align: right}, changeBar: {Title: "", Width: 5, Grow: 1, MaxWidth: 12, Drop: 6},
		changePercent: {Title: "%", Width: 9, Align: right, Drop: 4}, changeOther: {Title: "Δ COUNT", Width: 9, Align: right, Drop: 1},
		changeStatus: {Title: "", Width: 6, Drop: 7},
	}
	c := p.List.Columns
	switch {
	case p.by == CompareSubtrees:
		c[changeTitle].Title, c[changeTitle].Cut, c[changeTitle].MaxWidth = "WHERE", widget.CutMiddle, 0
		c[changeOther].Title, c[changeDelta].Title = "Δ ROWS", "Δ RETAINED"
		ui.Hide(&c[changeRepr])
		ui.Hide(&c[changeStatus])
	case p.by == CompareFrames:
		ui.Hide(&c[changeRepr])
	}
	if p.figure == figureCount && p.by != CompareSubtrees {
		ui.Hide(&c[changeOther])
	}
	p.List.SortColumn, p.List.Column, p.List.Descending = int(p.sort), int(p.sort), !p.up
	if p.by == CompareSubtrees {
		p.List.SortColumn, p.List.Column, p.List.Descending = int(changeDelta), -1, true
	}
}

// Len, ID and Cell implement widget.Table.
func (p *heapComparison) Len() int {
	switch {
	case p.by == CompareSubtrees && p.trees != nil:
		return len(p.trees.list)
	case p.by == CompareSubtrees || p.table == nil:
		return 0
	}
	return len(p.table.order)
}

func (p *heapComparison) ID(row int) uint64 {
	if p.by == CompareSubtrees {
		return uint64(row)
	}
	return uint64(p.table.order[row])
}

func (p *heapComparison) Cell(row, col int) widget.Cell {
	if p.by == CompareSubtrees {
		return p.treeCell(&p.trees.list[row], changeColumn(col))
	}
	c := p.table.row(row)
	before, after, ok := p.table.values(c)
	switch changeColumn(col) {
	case changeTitle:
		return widget.Cell{Text: p.changeName(c)}
	case changeRepr:
		return widget.Cell{Text: c.Repr, Style: p.Look.Muted}
	case changeOther:
		return p.DeltaCell(c.BeforeCount, c.AfterCount, model.Group)
	case changeStatus:
		return p.statusCell(p.table.changeOrder.status(c).String())
	}
	if !ok {
		return widget.Cell{Text: p.Look.Glyphs.Ellipsis, Style: p.Look.Muted}
	}
	return p.figureCell(before, after, changeColumn(col))
}

// figureCell is a column of the figure that is compared.
func (p *heapComparison) figureCell(before, after uint64, col changeColumn) widget.Cell {
	text, wholes := p.amount, p.table.wholes()
	if p.shares {
		before, after = shareUnits(before, wholes[0]), shareUnits(after, wholes[1])
		text = func(n uint64) string { return ui.PartText(n, shareUnit) }
	}
	switch col {
	case changeBefore:
		return widget.Cell{Text: text(before)}
	case changeAfter:
		return widget.Cell{Text: text(after)}
	case changeDelta:
		return p.DeltaCell(before, after, text)
	case changePercent:
		return widget.Cell{Text: ui.PercentChange(p.Look, before, after), Style: p.DeltaCell(before, after, text).Style}
	}
	most := p.table.most
	if p.shares {
		most = shareUnit
	}
	return widget.Cell{Kind: widget.BarCell, Bar: ui.ShareOf(max(before, after)-min(before, after), most), Style: p.DeltaCell(before, after, text).Style}
}

// shareUnit is how finely shares are compared: changes of whole numbers are exact.
const shareUnit = 1_000_000_000

// shareUnits is part of whole in these units; it is nothing and everything only where the share is.
func shareUnits(part, whole uint64) uint64 {
	n := uint64(math.Round(ui.ShareOf(part, whole) * shareUnit))
	switch {
	case part > 0 && n == 0:
		return 1
	case part < whole && n == shareUnit:
		return shareUnit - 1
	}
	return n
}

func (p *heapComparison) amount(n uint64) string {
	if p.figure == figureCount {
		return model.Group(n)
	}
	return ui.BytesText(n, p.State.Exact)
}

func (p *heapComparison) statusCell(status string) widget.Cell {
	switch status {
	case "new", "grown":
		return widget.Cell{Text: status, Style: p.Style(themes.Loss)}
	case "gone", "shrunk":
		return widget.Cell{Text: status, Style: p.Style(themes.Gain)}
	}
	return widget.Cell{Text: status, Style: p.Look.Muted}
}

// treeCell is a cell of the table of subtrees.
func (p *heapComparison) treeCell(t *heapgraph.GrownSubtree, col changeColumn) widget.Cell {
	bytes := func(n uint64) string { return ui.BytesText(n, p.State.Exact) }
	switch col {
	case changeTitle:
		return widget.Cell{Text: p.treeName(t)}
	case changeBefore:
		return widget.Cell{Text: bytes(t.BeforeBytes)}
	case changeAfter:
		return widget.Cell{Text: bytes(t.AfterBytes)}
	case changeDelta:
		return p.DeltaCell(t.BeforeBytes, t.AfterBytes, bytes)
	case changePercent:
		return widget.Cell{Text: ui.PercentChange(p.Look, t.BeforeBytes, t.AfterBytes)}
	case changeOther:
		return p.DeltaCell(uint64(t.BeforeRows), uint64(t.AfterRows), model.Group)
	}
	top := &p.trees.list[0]
	return ui.ShareCell(t.AfterBytes-min(t.BeforeBytes, t.AfterBytes), top.AfterBytes-min(top.BeforeBytes, top.AfterBytes))
}

// treeName is the end of the way to a subtree.
func (p *heapComparison) treeName(t *heapgraph.GrownSubtree) string {
	if len(t.Path) == 0 {
		return "the root"
	}
	return strings.Join(t.Path, " "+p.Look.Glyphs.ArrowRight+" ")
}

func (p *heapComparison) changeName(c *changeRow) string {
	if p.table != nil && p.table.set.frames {
		return frameText(c.Name, c.File, c.Line, p.State.FullName)
	}
	return ui.HeapName(c.Name)
}
