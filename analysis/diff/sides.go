package diff

import (
	"context"
	"math"
	"strconv"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/model"
)

// TraceBases are what the figures of a trace over a range can be divided by. What the range has no end for ends where the
// trace does.
func TraceBases(ctx context.Context, t analysis.Trace, r analysis.Range) (CompareBases, error) {
	totals, err := t.Totals(ctx, r)
	if err != nil {
		return NoBases, err
	}
	known := func(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
	return CompareBases{
		Duration:    max(min(r.To, t.Status().Duration)-max(r.From, 0), 0),
		Allocations: known(totals.AllocCount), GCs: known(totals.GCCount), Markers: known(totals.MarkerCount),
	}, nil
}

// Figure is what a site is compared by.
type Figure func(*analysis.Site) (bytes, count uint64)

// FigureOf is the bytes and blocks that belong to a cost. CostPeak is what lives at the instant, which the caller chose to be the
// peak.
func FigureOf(c analysis.Cost) Figure {
	return func(s *analysis.Site) (bytes, count uint64) {
		switch c {
		case analysis.CostLive, analysis.CostPeak, analysis.CostLiveCount:
			bytes, count = s.LiveBytes, s.LiveCount
		case analysis.CostLeaked:
			bytes, count = s.LeakBytes, s.LeakCount
		case analysis.CostTemporary:
			return s.Temporary, s.Temporary
		default:
			bytes, count = s.AllocBytes, s.AllocCount
		}
		if !c.IsBytes() {
			bytes = count
		}
		return bytes, count
	}
}

// SitesSide makes a side of the groups of a trace, its rows aligned with what [Trace.Sites] returned. Threads are matched by
// their numbers, sizes by their classes.
func SitesSide(by analysis.Group, stacks *model.Stacks, sites []analysis.Site, figure Figure) *CompareSide {
	out := &CompareSide{Stacks: stacks, Rows: make([]SideRow, len(sites)), Bases: NoBases}
	for i := range sites {
		out.Rows[i] = siteRow(by, stacks, &sites[i])
		out.Rows[i].Bytes, out.Rows[i].Count = figure(&sites[i])
	}
	return out
}

// LeaksSide makes a side of leaked bytes, its rows aligned with the leaks.
func LeaksSide(by analysis.Group, stacks *model.Stacks, leaks *analysis.Leaks) *CompareSide {
	out := &CompareSide{Stacks: stacks, Rows: make([]SideRow, len(leaks.Sites)), Bases: NoBases}
	for i := range leaks.Sites {
		s := &leaks.Sites[i]
		out.Rows[i] = siteRow(by, stacks, &s.Site)
		out.Rows[i].Bytes, out.Rows[i].Count = s.Bytes, s.Count
	}
	return out
}

// siteRow is what a group is matched by.
func siteRow(by analysis.Group, stacks *model.Stacks, s *analysis.Site) SideRow {
	leaf, known := stacks.Node(s.Stack)
	switch {
	case by == analysis.ByStack && known && leaf == 0:
		return SideRow{Key: calltree.NoFunction}
	case by == analysis.ByStack && known:
		return SideRow{Node: leaf}
	case by == analysis.ByStack || by == analysis.ByFunction && (!known || leaf == 0):
		return SideRow{Key: model.UnknownStack(s.Stack), Own: true}
	}
	return SideRow{Key: s.Name}
}

// Filter leaves of the stacks of a side what a filter of its tree leaves of them. Stacks that it leaves out must not be there.
func (s *CompareSide) Filter(view *calltree.FilteredStacks) {
	s.Stacks = view.Stacks
	for i := range s.Rows {
		if row := &s.Rows[i]; row.Node != 0 {
			if row.Node, _ = view.Node(row.Node); row.Node == 0 {
				row.Key = calltree.NoFrames
			}
		}
	}
}

// SizesSide makes a side of a histogram of sizes.
func SizesSide(sizes []analysis.Bucket) *CompareSide {
	return bucketsSide(sizes, func(b *analysis.Bucket) string { return BucketName(b.Min, b.Max) })
}

// neverFreed names the row of a side of lifetimes that holds the blocks which no event ended.
const neverFreed = "never freed"

// LifetimesSide makes a side of the two histograms that [Trace.Histograms] returns, by lifetime. What the first one counts and
// the second one lacks was never freed; it is a row of its own, so that the rows add up to all that was allocated.
func LifetimesSide(sizes, lifetimes []analysis.Bucket) *CompareSide {
	out := bucketsSide(lifetimes, func(b *analysis.Bucket) string {
		name := model.Time(b.Min).String()
		if b.Max > b.Min {
			name += " … " + model.Time(min(b.Max, uint64(model.MaxTime))).String()
		}
		return name
	})
	all, freed := bucketsSide(sizes, func(*analysis.Bucket) string { return "" }).Sum(), out.Sum()
	out.Rows = append(out.Rows, SideRow{Key: neverFreed, Bytes: all.Bytes - min(freed.Bytes, all.Bytes), Count: all.Count - min(freed.Count, all.Count)})
	return out
}

func bucketsSide(buckets []analysis.Bucket, name func(*analysis.Bucket) string) *CompareSide {
	out := &CompareSide{Rows: make([]SideRow, len(buckets)), Bases: NoBases}
	for i := range buckets {
		b := &buckets[i]
		out.Rows[i] = SideRow{Key: name(b), Bytes: b.Bytes, Count: b.Count}
	}
	return out
}

// BucketName is a class of sizes in words: "64 … 127 B".
func BucketName(lo, hi uint64) string {
	if lo == hi {
		return model.Bytes(lo).String()
	}
	if hi < 1024 {
		return model.Group(lo) + " … " + model.Bytes(hi).String()
	}
	return model.Bytes(lo).String() + " … " + analysis.SizeEnd(hi)
}

// StacksSide makes a side of the records of a profile of stacks, its rows aligned with the records. counts may be nil. Stacks
// that the selection has are there even where they weigh nothing.
func StacksSide(sel, counts *weights.ProfileSelection) *CompareSide {
	rec := &sel.Profile.Records
	out := &CompareSide{Stacks: sel.Stacks, Rows: make([]SideRow, rec.Len()), Bases: NoBases}
	out.Whole = selectionSum(sel, counts)
	for r := range out.Rows {
		row := &out.Rows[r]
		value, ok := sel.Weight(model.RecordID(r))
		if row.Listed = ok; !ok {
			continue
		}
		if row.Node = sel.Node(model.RecordID(r)); row.Node == 0 {
			row.Key = calltree.NoFunction
		}
		row.Bytes = wholeNumber(value)
		if counts != nil {
			n, _ := counts.Weight(model.RecordID(r))
			row.Count = wholeNumber(n)
		}
	}
	return out
}

// selectionSum is what all records weigh, each as exactly as its file has it; counts may be nil. Where sums mean nothing the result is nil.
func selectionSum(sel, counts *weights.ProfileSelection) *SideSum {
	if weights.NoSum(sel.Profile.Metrics[sel.Metric].Name) {
		return nil
	}
	bytes, count := sel.Total(), model.Amount{}
	if counts != nil {
		count = counts.Total()
	}
	return &SideSum{bytes.Uint64(), count.Uint64()}
}

func wholeNumber(n model.Number) uint64 {
	var a model.Amount
	a.Add(n)
	return a.Uint64()
}

// ProfileRowsSide makes a side of a table of a profile, its rows aligned with those of [ProfileTable] for the same selections: the
// first one weighs, and the second one, if there is one, counts. What the whole side weighs is what its records do, whatever part of
// that the table shows.
func ProfileRowsSide(rows []weights.ProfileRow, selections []*weights.ProfileSelection) *CompareSide {
	out := &CompareSide{Rows: make([]SideRow, len(rows)), Bases: NoBases}
	var counts *weights.ProfileSelection
	if len(selections) > 1 {
		counts = selections[1]
	}
	out.Whole = selectionSum(selections[0], counts)
	for i := range rows {
		out.Rows[i] = SideRow{Key: rows[i].Name, Bytes: rows[i].Weights[0].Self.Uint64()}
		if counts != nil {
			out.Rows[i].Count = rows[i].Weights[1].Self.Uint64()
		}
	}
	return out
}

// HeapGroupsSide makes a side of the types of a snapshot, by name and what tells types of one name apart, or of its frames, by name and file:line; by
// their own bytes, or with retained by what they retain
// where that is known.
func HeapGroupsSide(groups []heapgraph.Group, retained bool) *CompareSide {
	out := &CompareSide{Rows: make([]SideRow, len(groups)), Bases: NoBases}
	for i := range groups {
		g := &groups[i]
		r := SideRow{Key: g.Name, Sub: g.Sub, Listed: true, Bytes: g.Bytes(), Count: g.Count}
		if retained {
			r.Bytes = g.Retained
		}
		if g.File != "" || g.Line != model.NoLine {
			r.Sub = g.File
			if g.Line != model.NoLine {
				r.Sub += ":" + strconv.FormatInt(g.Line, 10)
			}
		}
		out.Rows[i] = r
	}
	return out
}

// PagesSide makes a side of the page types of a layout. Counts are pages. Types of one name are matched in their order.
func PagesSide(l *model.Layout, figure func(*pages.PageFigures) uint64) *CompareSide {
	sums := pages.SumLayout(l)
	out := &CompareSide{Rows: make([]SideRow, len(l.Types)), Bases: NoBases}
	seen := map[string]int{}
	for i := range l.Types {
		f := &sums.Types[i]
		name := l.Types[i].Name
		out.Rows[i] = SideRow{Key: name, Nth: seen[name], Kept: true, Bytes: figure(f), Count: uint64(f.Pages)}
		seen[name]++
	}
	return out
}

// SeriesSide makes a side of the curves of a dump by their values at an instant, in whole bytes; negative values are 0. Counts
// are points up to then. Curves of one name are matched in their order.
func SeriesSide(t *model.Timeline, at model.Time) *CompareSide {
	out := &CompareSide{Rows: make([]SideRow, len(t.Series)), Bases: NoBases}
	seen := map[string]int{}
	for i := range t.Series {
		s := &t.Series[i]
		r := SideRow{Key: s.Name, Nth: seen[s.Name], Kept: true}
		seen[s.Name]++
		if v, last, ok := pages.ValueAt(s, at); ok {
			r.Bytes, r.Count = uint64(math.Round(min(max(v, 0), 1<<63))), uint64(last)+1
		}
		out.Rows[i] = r
	}
	return out
}
