package heap

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// sideText returns the name of one side of the comparison.
func (p *comparison) sideText(k ui.HeapKey) string {
	text := k.Text()
	if p.After() != nil {
		name := p.Second.Name
		if k.Heaps == p.Heaps && p.State.Profile != nil {
			name = p.State.Profile.Meta.Name
		}
		text = widget.ShortenPath(name, 24) + " " + text
	}
	return text
}

// sidesText returns which side is before.
func (p *comparison) sidesText() string {
	if p.Heaps == nil || p.State.Snapshot() < 0 {
		return "Comparison"
	}
	k := p.HeapSides(&p.State)
	return "before: " + p.sideText(k[0]) + " · after: " + p.sideText(k[1])
}

// drawHead draws the names of the sides, the change in a sentence, and the totals; it returns the rest of r.
func (p *comparison) drawHead(s tcell.Screen, r widget.Rect) widget.Rect {
	const low = 12
	if r.H <= 3 {
		return r
	}
	line, r := r.CutTop(1)
	widget.TitleLine(s, line, p.Look, p.sidesText(), "+ more after")
	if r.H < low {
		return r
	}
	for _, text := range widget.Clauses(widget.Wrap(p.sentence(), r.W-2), max(r.H/8, 2)) {
		line, r = r.CutTop(1)
		widget.Print(s, line.X+1, line.Y, line.W-2, text, p.Look.Title)
	}
	if notes := p.notes(); notes != "" {
		r = widget.PrintWrapped(s, r, notes, p.Look.Muted)
	}
	return p.drawTotals(s, r)
}

// notes returns how the rows below were made; "" for nothing to say.
func (p *comparison) notes() string {
	switch {
	case p.by == CompareSubtrees && p.trees != nil && p.trees.graphs == p.comparedGraphs:
		return p.trees.note
	case p.by != CompareSubtrees && p.set != nil && p.set.sides == p.compared:
		return p.set.notes()
	}
	return ""
}

// countOf returns how many rows of a set a snapshot has; sides of two formats may differ in their sets.
func countOf(t *heapgraph.Totals, set int) uint64 {
	if set >= len(t.Counts) {
		return 0
	}
	return uint64(t.Counts[set])
}

// drawTotals draws the totals. They are not a [ui.Table]: the few lines are in a fixed order above the table, and
// cannot be selected.
func (p *comparison) drawTotals(s tcell.Screen, r widget.Rect) widget.Rect {
	b, a := &p.compared[0].Totals, &p.compared[1].Totals
	bytes := func(n uint64) string { return ui.BytesText(n, p.State.Exact) }
	type row struct {
		name          string
		before, after uint64
		text          func(uint64) string
	}
	schema := schemaOf(&p.State)
	rows := []row{{"bytes", b.Bytes(), a.Bytes(), bytes}}
	for n, i := range columnSets(schema) {
		if rows = append(rows, row{schema.Sets[i].Many, countOf(b, i), countOf(a, i), model.Group}); n == 0 {
			rows = append(rows, row{"refs", uint64(b.References), uint64(a.References), model.Group})
		}
	}
	if schema.Split {
		rows = append(rows, row{"managed", b.ManagedBytes, a.ManagedBytes, bytes},
			row{"unmanaged", b.UnmanagedBytes, a.UnmanagedBytes, bytes})
	}
	n, w, names := min(3, len(rows)), 13, 0
	if r.H >= 32 {
		n = len(rows)
	}
	for _, v := range rows[:n] {
		names = max(names, widget.Width(v.name))
	}
	head, r := r.CutTop(1)
	x := head.X + 2 + max(names, 10)
	for i, t := range []string{"before", "after", "Δ", "%"} {
		widget.PrintRight(s, x+i*w, head.Y, w, t, p.Look.Header)
	}
	for _, v := range rows[:n] {
		var line widget.Rect
		line, r = r.CutTop(1)
		widget.Print(s, line.X+2, line.Y, names, v.name, p.Look.Muted)
		widget.PrintRight(s, x, line.Y, w, v.text(v.before), p.Look.Text)
		widget.PrintRight(s, x+w, line.Y, w, v.text(v.after), p.Look.Text)
		c := p.DeltaCell(v.before, v.after, v.text)
		widget.PrintRight(s, x+2*w, line.Y, w, c.Text, c.Style)
		widget.PrintRight(s, x+3*w, line.Y, w, ui.PercentChange(p.Look, v.before, v.after), c.Style)
	}
	return r
}

// sentence returns a summary of the changes.
func (p *comparison) sentence() string {
	if p.single() {
		return p.Hint("This file has one snapshot, and nothing to compare it with: :compare FILE opens another one.")
	}
	if p.sameSides() {
		return p.Hint("Both sides are the same snapshot: {range} marks one as before, {step-back} and {step-forward} go to another.")
	}
	b, a := p.compared[0], p.compared[1]
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
		text += " the size of the heap did not change"
	}
	text += objectsChange(schemaOf(&p.State).Objects(), int64(countOf(&a.Totals, 0))-int64(countOf(&b.Totals, 0)),
		after > before)
	for i, l := range p.compared {
		if !l.Heap.Complete {
			return text + ", but " + [...]string{"before", "after"}[i] + " is incomplete."
		}
	}
	return text + p.mostOf() + "."
}

// objectsChange returns the change of the number of objects, in short form where the meaning is clear.
func objectsChange(set *model.HeapSet, d int64, grew bool) string {
	n := model.CountedAs(int(max(d, -d)), set.One, set.Many)
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

// mostOf returns the name of the type with the largest part of the change of all objects, "" while unknown.
func (p *comparison) mostOf() string {
	set, ok := p.bytes.Get()
	if !ok || set.sides != p.compared {
		return ""
	}
	// rows are in the report's order
	most, part := diff.MostOfChange(&set.Totals, len(set.Rows), func(i int) *diff.Figures { return &set.Rows[i].Figures })
	if most < 0 {
		return ""
	}
	part.Name, part.Of = model.Clean(ui.HeapName(set.Rows[most].Key)), " of objects"
	return ui.WithMinus(p.Look, part.Text(func(n uint64) string { return ui.BytesText(n, p.State.Exact) }))
}

func (p *comparison) Title() string {
	t := [...]string{"Types", "Frames", "Subtrees that grew"}[p.by%compareAxes]
	if axis := p.axis(); axis != nil {
		t = model.Capital(axis.Many)
	}
	if p.by != CompareSubtrees {
		t += " by Δ " + [...]string{"bytes", "count", "retained"}[p.figure]
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
func (p *comparison) answer(w int) string {
	if p.by == CompareSubtrees {
		if p.trees == nil {
			return ""
		}
		return "by growth of the retained size"
	}
	if p.pending() {
		return ""
	}
	var parts []string
	for _, k := range []diff.ChangeStatus{diff.ChangeNew, diff.ChangeGone, diff.ChangeGrown, diff.ChangeShrunk} {
		parts = append(parts, model.Group(uint64(p.of.Counts[k]))+" "+k.String())
	}
	if n := p.of.Counts[diff.ChangeUnknown]; n > 0 {
		parts = append(parts, model.Group(uint64(n))+" "+diff.ChangeUnknown.String())
	}
	if w >= 70 {
		parts = append([]string{"all " + model.Group(uint64(len(p.of.Rows)))}, parts...)
	}
	return strings.Join(parts, " · ")
}

// treeName returns the end of the path to a subtree.
func treeName(t *heapgraph.GrownSubtree, arrow string) string {
	if len(t.Path) == 0 {
		return "the root"
	}
	return strings.Join(t.Path, " "+arrow+" ")
}
