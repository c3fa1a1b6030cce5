package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/analysis/suspects"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/measure"
	"github.com/memtui/memtui/internal/cli/pick"
	"github.com/memtui/memtui/model"
)

// dumpRowKinds returns the groupings of rows of memory dumps, the default first.
func dumpRowKinds() []string { return []string{"page-type", "series"} }

// heaps compares two snapshots by type, by frame, by dominator or by another property of objects.
func (d *diffing) heaps(ctx context.Context) error {
	by := d.sides[0].flags.By
	figure, known := diff.HeapFigureNamed(by)
	if !known {
		return checkKey(by, diff.HeapFigureWords())
	}
	schema := d.sides[0].p.Heaps.Schema()
	group := cmp.Or(d.flags.Group, "type")
	if err := pick.HeapGroup(group, pick.HeapRows(schema, d.sides[1].p.Heaps.Schema()), d.sides[0].inputs()); err != nil {
		return err
	}
	if group == "dominators" {
		return d.dominators(ctx)
	}
	q := diff.HeapQuestion{Figure: figure, Frames: group == "frame"}
	if group != "type" && !q.Frames {
		q.Group = group
		if axis, ok := schema.AxisNamed(group); ok {
			d.opt.By = &schema.Axes[axis]
		}
	}
	d.opt.What, d.opt.Metric, d.opt.Measure, d.opt.Counted = group, figure.String(), q.Measure(schema), q.Counted(schema)
	older, newer := d.sides[0], d.sides[1]
	if d.flags.Swap {
		older, newer = newer, older
	}
	h, err := older.heapSide(ctx, &q)
	if err != nil {
		return err
	}
	edges, err := pick.Edges(older.p, older.flags.Edges)
	if err != nil {
		return err
	}
	before := suspects.Count(h, 0, edges)
	if !q.Frames {
		if ids, ok := heapgraph.AllIdentities(ctx, h); ok {
			q.Other = &ids
		}
	}
	if h, err = newer.heapSide(ctx, &q); err != nil {
		return err
	}
	return d.suspects(ctx, newer, before, h, q.Graph)
}

// suspects finds what grew between the sides, and its owners. g is nil if dominators are not computed yet.
func (d *diffing) suspects(ctx context.Context, newer *diffInput, before suspects.Census, h *model.Heap,
	g *heapgraph.Graph) (err error) {
	if !h.Complete {
		return nil
	}
	err = model.BudgetOf(ctx).Try(ctx, "", func(ctx context.Context) error {
		if g == nil {
			if g, err = newer.dominatorsOf(ctx, h); err != nil {
				return err
			}
		}
		d.opt.Suspects, err = suspects.Find(ctx, g, 1, []suspects.Census{before}, 0)
		return err
	})
	if short := (*model.MemoryError)(nil); errors.As(err, &short) {
		newer.from.Problems = append(newer.from.Problems, model.BudgetOf(ctx).Problem("suspects were left out"))
		return nil
	}
	return err
}

// dominators compares two snapshots by the places in their dominator trees that grew.
func (d *diffing) dominators(ctx context.Context) error {
	if by := d.sides[0].flags.By; by != "" && by != diff.HeapRetained.String() {
		return fail.Usage(fmt.Errorf("--by: dominators are compared by %s only", diff.HeapRetained))
	}
	if n := d.flags.Normalize; n != "" && n != diff.NormalNone.String() {
		return fail.Usage(errors.New("--normalize: dominators are compared as they are"))
	}
	d.opt.What, d.opt.Metric, d.opt.Measure, d.opt.Counted = "dominator", diff.HeapRetained.String(), "what the roots retain", "objects"
	var graphs [2]*heapgraph.Graph
	for i, in := range d.sides {
		h, err := in.decode(ctx)
		if err != nil {
			return err
		}
		if graphs[i], err = in.dominatorsOf(ctx, h); err != nil {
			return err
		}
	}
	from, to := 0, 1
	if d.flags.Swap {
		from, to = 1, 0
	}
	rows, err := diff.DominatorSides(ctx, graphs[from], graphs[to], d.opt.Masks)
	if err != nil {
		return err
	}
	d.sides[from].side, d.sides[to].side = rows.Sides[0], rows.Sides[1]
	d.opt.Places, d.opt.Notes = rows.Places, []string{diff.DominatorNote(graphs[from].Heap, graphs[to].Heap)}
	return nil
}

// decode reads the chosen snapshot.
func (in *diffInput) decode(ctx context.Context) (*model.Heap, error) {
	n, err := in.numberOf(ctx, in.p, in.asked)
	if err != nil {
		return nil, err
	}
	if n == nil {
		return nil, measure.NoComplete(in.p)
	}
	h, err := in.heap(ctx, in.s, in.p, *n)
	if err != nil {
		return nil, err
	}
	info := in.p.Heaps.Info(*n)
	if in.from.Snapshot, in.from.Partial = n, !h.Complete; info.Time != model.NoTime {
		in.from.At = &info.Time
	}
	edges, err := pick.Edges(in.p, in.flags.Edges)
	if err != nil {
		return nil, err
	}
	return h.Under(edges.Of(h.Schema)), nil
}

// dominatorsOf computes the dominators of a snapshot.
func (in *diffInput) dominatorsOf(ctx context.Context, h *model.Heap) (*heapgraph.Graph, error) {
	edges, err := pick.Edges(in.p, in.flags.Edges)
	if err != nil {
		return nil, err
	}
	return heapgraph.NewGraph(ctx, h, edges)
}

// heapSide decodes the selected snapshot, and sums up its types or frames. If dominators are needed, they are stored in
// q.
func (in *diffInput) heapSide(ctx context.Context, q *diff.HeapQuestion) (*model.Heap, error) {
	h, err := in.decode(ctx)
	if err != nil {
		return nil, err
	}
	if q.Figure == diff.HeapRetained {
		if q.Graph, err = in.dominatorsOf(ctx, h); err != nil {
			return nil, err
		}
	}
	rows, err := diff.HeapSide(ctx, h, in.p.Heaps.Info(*in.from.Snapshot), *q)
	if err != nil {
		return nil, err
	}
	if in.side = rows.Side; !rows.Stated(h) {
		return nil, pick.Unstated(in.p.Meta.Name, &h.Schema.Axes[rows.By.Axis])
	}
	return h, nil
}

// dumps compares two page layouts, or the curves where one side has none.
func (d *diffing) dumps(ctx context.Context) error {
	by := d.sides[0].flags.By
	if err := checkKey(by, diff.PageFigureWords()); err != nil {
		return err
	}
	figure := diff.PageFigure(max(slices.Index(diff.PageFigureWords(), by), 0))
	group, err := grouping(d.flags.Group).among(dumpRowKinds())
	if err != nil {
		return err
	}
	for i, in := range d.sides {
		l, err := in.pickLayout(ctx, group)
		if err != nil {
			return err
		}
		if d.layout[i] = l; d.lean && l != nil { // one at a time
			in.pagesSide(l, figure)
			d.layout[i] = &model.Layout{Problems: l.Problems}
		}
	}
	if d.layout[0] == nil || d.layout[1] == nil {
		d.layout = [2]*model.Layout{}
		d.opt.What, d.opt.Metric, d.opt.Measure, d.opt.Counted = "series", "bytes", "the sum of the curves", "points"
		for _, in := range d.sides {
			if err := in.curveSide(); err != nil {
				return err
			}
		}
		return nil
	}
	d.opt.What, d.opt.Metric, d.opt.Measure, d.opt.Counted = "page type", figure.String(), figure.Measure(), "pages"
	if d.lean {
		d.layout = [2]*model.Layout{}
		return nil
	}
	for i, in := range d.sides {
		in.pagesSide(d.layout[i], figure)
	}
	return nil
}

// pagesSide sums up the page types of a layout.
func (in *diffInput) pagesSide(l *model.Layout, figure diff.PageFigure) {
	at := model.NoTime
	if in.from.At != nil {
		at = *in.from.At
	}
	in.side = diff.PagesSide(l, at, figure)
	in.from.Problems = l.Problems
}

// pickLayout decodes the selected layout; nil if there is none or curves are requested.
func (in *diffInput) pickLayout(ctx context.Context, group string) (*model.Layout, error) {
	if group == "series" {
		if in.asked != nil {
			return nil, fail.Usage(errors.New("diff: series are compared at instants, as in --a 20% --b end, not by the number of a layout"))
		}
		return nil, nil
	}
	n, err := in.numberOf(ctx, in.p, in.asked)
	if err != nil || n == nil {
		return nil, err
	}
	in.from.Snapshot = n
	if at := in.p.Pages.Info(*n).At; at != model.NoTime {
		in.from.At = &at
	}
	return openLayout(ctx, in.s, in.p, *n)
}

// curveSide takes the values of the curves at the chosen instant.
func (in *diffInput) curveSide() error {
	at := pages.TimelineEnd(in.p.Timeline)
	if in.flags.At.Given() {
		var err error
		if at, err = arg.TimeIn(in.flags.At, pages.Axis(in.p.Timeline)); err != nil {
			return err
		}
	}
	in.side = diff.SeriesSide(in.p.Timeline, at)
	in.from.Snapshot, in.from.At, in.from.Unit = nil, &at, in.p.Timeline.AxisUnit
	return nil
}
