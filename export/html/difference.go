package html

import (
	"context"
	"iter"
	"slices"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/areas"
)

// Views of a comparison next to its rows.
const (
	sectionChanges = "changes" // sentences, figures and rows, without the views
	sectionGraph   = "difference-flame-graph"
	sectionAreas   = "difference-treemap"

	sectionDominators = "difference-dominators" // of heap snapshots
)

// Areas returns the treemap of both sides of a comparison.
type Areas func(context.Context) (*areas.Treemap, error)

// differences adds the treemaps of a comparison, and of stacks its flame graph. They have all rows, whatever its limit.
func (b *builder) differences(src *DiffSource) error {
	d := src.Diff
	for _, a := range []struct {
		id, title string
		of        Areas
	}{{sectionAreas, "Difference treemap", src.Treemap}, {sectionDominators, "Dominators compared", src.Dominators}} {
		if a.of == nil || !b.wants(a.id) {
			continue
		}
		if err := b.part(a.title, func() error { return b.differenceAreas(d, a.id, a.title, a.of) }); err != nil {
			return err
		}
	}
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
	return b.part("Difference treemap", func() error {
		return b.differenceAreas(d, sectionAreas, "Difference treemap", func(context.Context) (*areas.Treemap, error) {
			return areas.OfComparison(d, DifferenceLimits)
		})
	})
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
	unitOf := func(sampled bool) string {
		if sampled {
			return estimated(unit)
		}
		return unit
	}
	f := &flame{ID: "difference", Title: "Difference flame graph", Answer: "red grew, blue shrank", Turn: true,
		Rest: "(smaller frames)", Sides: true}
	nodes := &branches[int32]{label: func(n int32) string { return t.Name(n) },
		children: func(n int32) iter.Seq[int32] { return slices.Values(t.Children(n)) }}
	for _, w := range []struct {
		id, label string
		sampled   bool
		*calltree.Folded
	}{{"change", "change", d.Sampled(), t.Folded}, {"after", "after", d.After.File.Estimated(), t.Sides[1]},
		{"before", "before", d.Before.File.Estimated(), t.Sides[0]}} {
		f.Costs = append(f.Costs, cost{ID: w.id, Label: w.label, Unit: unitOf(w.sampled)})
		nodes.totals = append(nodes.totals, func(n int32) uint64 { return w.Total[n] })
		nodes.selves = append(nodes.selves, w.Self)
	}
	grow(b, f, nodes)
	return nil
}

// DifferenceLimits are those of treemaps of comparisons.
var DifferenceLimits = areas.Limits{Levels: 3, Parts: 40, Rows: 2000}

// differenceAreas adds a treemap whose parts have both sides.
func (b *builder) differenceAreas(d *report.Diff, id, title string, of Areas) error {
	t, err := of(b.ctx)
	if err != nil {
		return err
	}
	body, err := b.treemap(title, t, d.Sampled())
	b.Views = append(b.Views, view{ID: id, Title: title, Body: body})
	return err
}
