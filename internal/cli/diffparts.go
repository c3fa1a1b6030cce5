package cli

import (
	"context"
	"errors"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/model"
)

// heapDiffKeys are what snapshots can be compared by, the default first.
func heapDiffKeys() []string {
	return []string{"bytes", "managed_bytes", "unmanaged_bytes", "retained_bytes"}
}

// heaps compares two snapshots by type or by frame.
func (d *diffing) heaps(ctx context.Context) error {
	by := d.sides[0].flags.By
	if err := checkKey(by, heapDiffKeys()); err != nil {
		return err
	}
	group, err := d.group("type", "frame")
	if err != nil {
		return err
	}
	if by == "" {
		by = "bytes"
	}
	d.opt.What, d.opt.Metric, d.opt.Counted = group, by, map[string]string{"type": "objects", "frame": "frames"}[group]
	d.opt.Measure = map[string]string{"bytes": "memory of objects", "managed_bytes": "managed memory of objects",
		"unmanaged_bytes": "unmanaged memory of objects", "retained_bytes": "what objects retain"}[by]
	if group == "frame" {
		d.opt.Measure = map[string]string{"bytes": "memory of frames", "retained_bytes": "what frames retain"}[by]
	}
	for _, in := range d.sides {
		if err := in.heapSide(ctx, group, by); err != nil {
			return err
		}
	}
	return nil
}

// heapSide decodes the chosen snapshot.
func (in *diffInput) heapSide(ctx context.Context, group, by string) error {
	n, ok, err := in.snapshot(in.p, in.asked)
	if err != nil {
		return err
	}
	if !ok {
		return noWhole(in.p)
	}
	h, err := in.heap(ctx, in.s, in.p, n)
	if err != nil {
		return err
	}
	kind, groups := model.KindObject, []heapgraph.HeapGroup(nil)
	if group == "frame" {
		kind, groups = model.KindFrame, heapgraph.HeapFrames(h)
	} else {
		groups = heapgraph.HeapTypes(h, kind)
	}
	var whole *diff.SideSum
	if by == "retained_bytes" {
		if whole, err = in.retained(ctx, h, kind, groups); err != nil {
			return err
		}
	}
	for i := range groups {
		switch g := &groups[i]; by {
		case "managed_bytes":
			g.UnmanagedBytes = 0
		case "unmanaged_bytes":
			g.ManagedBytes = 0
		}
	}
	info := in.p.Heaps.Info(n)
	in.side = diff.HeapGroupsSide(groups, by == "retained_bytes")
	in.side.Whole, in.side.Nested = whole, whole != nil
	in.side.Bases.GCs = info.GC
	in.from.Snapshot, in.from.Partial = &n, !h.Complete
	if info.Time != model.NoTime {
		in.from.At, in.side.Bases.Duration = &info.Time, info.Time
	}
	return nil
}

// retained fills in what each type or frame of a snapshot retains, and returns what they all do together.
func (in *diffInput) retained(ctx context.Context, h *model.Heap, kind model.HeapKind, groups []heapgraph.HeapGroup) (*diff.SideSum, error) {
	g, err := heapgraph.NewHeapGraph(ctx, h, in.edges())
	if err != nil {
		return nil, err
	}
	retained, err := g.RetainedBySets(ctx, kind)
	if err != nil {
		return nil, err
	}
	if retained == nil {
		return nil, usageError(errors.New("--by: what types retain takes too long to find out in a snapshot of so many rows"))
	}
	whole := &diff.SideSum{}
	for i := range groups {
		groups[i].Retained = retained[groups[i].ID]
		whole.Count, _ = model.SaturatingAdd(whole.Count, groups[i].Count)
	}
	whole.Bytes, _, err = g.RetainedByKind(ctx, kind)
	return whole, err
}

// dumpDiffKeys are what layouts can be compared by, the default first.
func dumpDiffKeys() []string { return []string{"occupied_bytes", "free_bytes", "bytes"} }

// dumps compares two page layouts, or the curves where one side has none.
func (d *diffing) dumps(ctx context.Context) error {
	by := d.sides[0].flags.By
	if err := checkKey(by, dumpDiffKeys()); err != nil {
		return err
	}
	group, err := d.group("page-type", "series")
	if err != nil {
		return err
	}
	if by == "" {
		by = dumpDiffKeys()[0]
	}
	for i, in := range d.sides {
		l, err := in.pickLayout(ctx, group)
		if err != nil {
			return err
		}
		if d.layout[i] = l; d.lean && l != nil { // one at a time
			in.pagesSide(l, by)
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
	d.opt.What, d.opt.Metric, d.opt.Counted = "page type", by, "pages"
	d.opt.Measure = map[string]string{"occupied_bytes": "occupied memory", "free_bytes": "free memory in pages", "bytes": "memory of pages"}[by]
	if d.lean {
		d.layout = [2]*model.Layout{}
		return nil
	}
	for i, in := range d.sides {
		in.pagesSide(d.layout[i], by)
	}
	return nil
}

// pagesSide sums up the page types of a layout.
func (in *diffInput) pagesSide(l *model.Layout, by string) {
	in.side = diff.PagesSide(l, func(f *pages.PageFigures) uint64 { return pageBytes(f, by) })
	in.from.Problems = l.Problems
	if in.from.At != nil {
		in.side.Bases.Duration = *in.from.At
	}
}

// pickLayout decodes the chosen layout; nil where there is none or curves are asked for.
func (in *diffInput) pickLayout(ctx context.Context, group string) (*model.Layout, error) {
	if group == "series" {
		if in.asked != nil {
			return nil, usageError(errors.New("diff: series are compared at instants, as in --a 20% --b end, not by the number of a layout"))
		}
		return nil, nil
	}
	n, ok, err := in.layout(ctx, in.p, in.asked)
	if err != nil || !ok {
		return nil, err
	}
	in.from.Snapshot = &n
	if at := in.p.Pages.Info(n).At; at != model.NoTime {
		in.from.At = &at
	}
	return openLayout(ctx, in.s, in.p, n)
}

// curveSide takes the values of the curves at the chosen instant.
func (in *diffInput) curveSide() error {
	at := pages.TimelineEnd(in.p.Timeline)
	if in.flags.At.Given() {
		var err error
		if at, err = timeIn(in.flags.At, at, dumpPeak(in.p.Timeline)); err != nil {
			return err
		}
	}
	in.side = diff.SeriesSide(in.p.Timeline, at)
	in.side.Bases.Duration = at
	in.from.Snapshot, in.from.At = nil, &at
	return nil
}

func pageBytes(f *pages.PageFigures, by string) uint64 {
	switch by {
	case "bytes":
		return f.Bytes
	case "free_bytes":
		return f.Bytes - f.OccupiedBytes
	}
	return f.OccupiedBytes
}
