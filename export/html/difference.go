package html

import (
	"iter"
	"slices"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/areas"
	"github.com/memtui/memtui/model"
)

// Views of a comparison next to its rows.
const (
	sectionChanges = "changes" // sentences, figures and rows, without the views
	sectionGraph   = "difference-flame-graph"
	sectionAreas   = "difference-treemap"
)

// differences adds the flame graph and the treemap of a comparison of stacks. They have all rows, whatever its limit.
func (b *builder) differences(d *report.Diff) error {
	c := d.Comparison()
	if c == nil || c.Joined == nil || d.What != "stack" || !d.HasRows() {
		return nil
	}
	if b.wants(sectionGraph) {
		if err := b.part("Difference flame graph", func() error { return b.differenceGraph(d, c) }); err != nil {
			return err
		}
	}
	if !b.wants(sectionAreas) {
		return nil
	}
	return b.part("Difference treemap", func() error { return b.differenceAreas(d, c) })
}

// differenceGraph adds a flame graph whose widths are changes, as on screen, or one of the sides.
func (b *builder) differenceGraph(d *report.Diff, c *diff.Comparison) error {
	shape, err := diff.NewCompareShape(b.ctx, c, diff.ShapeOptions{}, nil)
	if err != nil {
		return err
	}
	t, unit := shape.Weigh(c), "count"
	if d.IsBytes() {
		unit = "bytes"
	}
	f := &flame{ID: "difference", Title: "Difference flame graph", Answer: "red grew, blue shrank", Turn: true,
		Rest: "(smaller frames)", Sides: true}
	nodes := &branches[int32]{label: func(n int32) string { return t.Name(n) },
		children: func(n int32) iter.Seq[int32] { return slices.Values(t.Children(n)) }}
	for _, w := range []struct {
		id, label string
		*calltree.Folded
	}{{"change", "change", t.Folded}, {"after", "after", t.Sides[1]}, {"before", "before", t.Sides[0]}} {
		f.Costs = append(f.Costs, cost{ID: w.id, Label: w.label, Unit: unit})
		nodes.totals = append(nodes.totals, func(n int32) uint64 { return w.Total[n] })
		nodes.selves = append(nodes.selves, w.Self)
	}
	grow(b, f, nodes)
	return nil
}

// Limits of the treemap of a comparison.
var differenceLimits = areas.Limits{Levels: 3, Parts: 40, Rows: 2000}

// differenceAreas adds a treemap whose parts have both sides.
func (b *builder) differenceAreas(d *report.Diff, c *diff.Comparison) error {
	t, err := areas.OfComparison(c, *d.Metric, len(d.Masks) > 0, differenceLimits)
	if err != nil {
		return err
	}
	rows := make([]area, len(t.Rows))
	for i := range t.Rows {
		r := &t.Rows[i]
		rows[i] = area{Depth: r.Depth, Kind: r.Kind, Name: b.brief(r.Name), Value: r.Value.Float64(), Sides: r.Change}
	}
	if n := t.RowCount - len(rows); n > 0 {
		b.cut("Difference treemap: %s, which are together as others", model.Counted(n, "small part"))
	}
	body, err := areasOf(t, rows)
	b.Views = append(b.Views, view{ID: sectionAreas, Title: "Difference treemap", Body: body})
	return err
}
