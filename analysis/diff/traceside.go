package diff

import (
	"context"
	"math"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// QuestionError reports that a side cannot be computed as described.
type QuestionError struct {
	About string // the part that is wrong: "group", "by"; the name of a flag
	text  string
}

// Error implements error.
func (e *QuestionError) Error() string { return e.text }

// TraceQuestion describes one side of a comparison of traces.
type TraceQuestion struct {
	Group  StackGroup // any except those of profiles
	Figure Figure     // the weight of rows
	Counts bool       // the figure counts blocks; GroupLifetime has only these and their bytes
	At     analysis.Instant
	Range  analysis.Range
	Only   analysis.Cell
	Peak   bool            // the total is that of the trace at its peak in the range
	Bases  *analysis.Range // part of the trace that the bases cover; nil leaves them out

	Sampled  bool // not all blocks were recorded
	Sampling model.Sampling
	Beside   *TraceQuestion // the other side, if it is of the same trace: what both have has no error
}

// FilterStacks applies a filter to the stacks of a file, like [calltree.FilterStacks].
type FilterStacks func(context.Context, *model.Stacks, calltree.Filter, calltree.Part) (*calltree.FilteredStacks, error)

// TraceSide returns one side of a comparison of traces. It fails with a [*QuestionError].
func TraceSide(ctx context.Context, t analysis.Trace, s *model.Stacks, filter FilterStacks, q TraceQuestion) (*Side, error) {
	side, err := traceRows(ctx, t, s, filter, &q)
	if err != nil {
		return nil, err
	}
	if q.Peak {
		peak, _, err := t.Peak(ctx, q.Range)
		if err != nil {
			return nil, err
		}
		side.Total = &SideSum{bytes: peak.Bytes, count: side.Sum().count}
	}
	if q.Bases != nil {
		if side.Bases, err = traceBases(ctx, t, *q.Bases); err != nil {
			return nil, err
		}
	}
	if side.Estimated = q.Sampled; q.Sampled {
		side.Drawn = &Drawn{by: q.Sampling, counts: q.Counts || q.Figure.isCount()}
	}
	return side, nil
}

func traceRows(ctx context.Context, t analysis.Trace, s *model.Stacks, filter FilterStacks, q *TraceQuestion) (*Side, error) {
	if q.Group == GroupLifetime {
		sizes, lifetimes, err := t.Histograms(ctx, q.Range)
		side := lifetimesSide(sizes, lifetimes)
		for i := range side.Rows {
			if q.Counts {
				side.Rows[i].Bytes = side.Rows[i].Count
			}
		}
		return side, err
	}
	by, ok := q.Group.ofTraces()
	if !ok {
		return nil, &QuestionError{"group", "a trace cannot be grouped by " + q.Group.String()}
	}
	sites, err := t.Sites(ctx, analysis.Query{At: q.At, Range: q.Range, By: by, Cell: q.Only})
	if err != nil {
		return nil, err
	}
	side := sitesSide(by, s, sites, q.Figure)
	if q.Sampled && q.Beside != nil {
		if err := q.share(ctx, t, by, sites, side); err != nil {
			return nil, err
		}
	}
	if by == analysis.ByStack && q.Only.Stacks != "" && s != nil {
		view, err := filter(ctx, s, q.Only.Stacks, calltree.FullStacks)
		if err != nil {
			return nil, err
		}
		side.filter(view)
	}
	if q.Group == GroupTotal {
		side = groupSide(side, GroupTotal, nil)
	}
	return side, nil
}

// traceBases returns the figures by which those of a trace over a range can be divided. A range without an end ends
// with the trace.
func traceBases(ctx context.Context, t analysis.Trace, r analysis.Range) (Bases, error) {
	totals, err := t.Totals(ctx, r)
	if err != nil {
		return NoBases, err
	}
	known := func(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
	return Bases{
		duration:    max(min(r.To, t.Status().Duration)-max(r.From, 0), 0),
		allocations: known(totals.AllocCount), gcs: known(totals.GCCount), markers: known(totals.MarkerCount),
	}, nil
}

// Figure returns the figures by which a site is compared.
type Figure func(*analysis.Site) (bytes, count uint64)

// FigureOf returns the Figure for a cost. CostPeak is what is live at the instant, which the caller sets to the peak.
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

// sitesSide returns a side of the groups of a trace, with rows aligned to the result of [analysis.Trace.Sites]. Threads
// are matched by number, sizes by class.
func sitesSide(by analysis.Group, stacks *model.Stacks, sites []analysis.Site, figure Figure) *Side {
	out := &Side{Stacks: stacks, Sited: true, Rows: make([]SideRow, len(sites)), Bases: NoBases}
	for i := range sites {
		out.Rows[i] = siteRow(by, stacks, &sites[i])
		out.Rows[i].Bytes, out.Rows[i].Count = figure(&sites[i])
	}
	return out
}

// siteRow returns the row by which a group is matched.
func siteRow(by analysis.Group, stacks *model.Stacks, s *analysis.Site) SideRow {
	leaf, known := stacks.Node(s.Stack)
	switch {
	case by == analysis.ByStack && known && leaf == 0:
		return SideRow{Key: calltree.NoFunction}
	case by == analysis.ByStack && known:
		return SideRow{Node: leaf}
	case by == analysis.ByStack || (by == analysis.ByFunction || by == analysis.ByOwner) && (!known || leaf == 0):
		return SideRow{Key: model.UnknownStack(s.Stack), own: true}
	}
	return SideRow{Key: s.Name}
}

// Filter replaces the stacks of a side by the filtered ones. Stacks that the filter leaves out must not be in the side.
func (s *Side) filter(view *calltree.FilteredStacks) {
	s.Stacks = view.Stacks
	for i := range s.Rows {
		if row := &s.Rows[i]; row.Node != 0 {
			if row.Node, _ = view.Node(row.Node); row.Node == 0 {
				row.Key = calltree.NoFrames
			}
		}
	}
}

// neverFreed is the name of the row of blocks without an end in a side of lifetimes.
const neverFreed = "never freed"

// lifetimesSide returns a side of the two histograms of [analysis.Trace.Histograms], by lifetime. Blocks that are only
// in the first one were never freed. They get a row of their own, so that the rows add up to all allocations.
func lifetimesSide(sizes, lifetimes []analysis.Bucket) *Side {
	out := bucketsSide(lifetimes, func(b *analysis.Bucket) string {
		name := model.Time(b.Min).String()
		if b.Max > b.Min {
			name += " … " + model.Time(min(b.Max, uint64(model.MaxTime))).String()
		}
		return name
	})
	all, freed := bucketsSide(sizes, func(*analysis.Bucket) string { return "" }).Sum(), out.Sum()
	out.Rows = append(out.Rows, SideRow{Key: neverFreed, Bytes: all.bytes - min(freed.bytes, all.bytes),
		Count: all.count - min(freed.count, all.count)})
	return out
}

func bucketsSide(buckets []analysis.Bucket, name func(*analysis.Bucket) string) *Side {
	out := &Side{Rows: make([]SideRow, len(buckets)), Bases: NoBases}
	for i := range buckets {
		b := &buckets[i]
		out.Rows[i] = SideRow{Key: name(b), Bytes: b.Bytes, Count: b.Count}
	}
	return out
}
