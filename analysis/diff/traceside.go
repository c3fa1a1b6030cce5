package diff

import (
	"context"
	"math"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// QuestionError says that a side cannot be asked for as it is.
type QuestionError struct {
	About string // what is wrong with the question: "group", "by"; the name of a flag
	Text  string
}

// Error implements error.
func (e *QuestionError) Error() string { return e.Text }

// TraceQuestion is what one side of a comparison is about in a trace.
type TraceQuestion struct {
	Group  StackGroup // any but those of profiles
	Figure Figure     // what rows weigh
	Counts bool       // the figure counts blocks; GroupLifetime knows but these and their bytes
	At     analysis.Instant
	Range  analysis.Range
	Only   analysis.Cell
	Peak   bool            // the whole side weighs what the trace did at its peak in the range
	Bases  *analysis.Range // which part of the trace the bases are about; nil leaves them out
}

// FilterStacks finds what a filter leaves of the stacks of a file; [calltree.FilterStacks] does.
type FilterStacks func(context.Context, *model.Stacks, calltree.Filter, calltree.Part) (*calltree.FilteredStacks, error)

// TraceSide asks a trace for one side of a comparison. It fails with a [*QuestionError].
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
		side.Whole = &SideSum{Bytes: peak.Bytes, Count: side.Sum().Count}
	}
	if q.Bases != nil {
		side.Bases, err = traceBases(ctx, t, *q.Bases)
	}
	return side, err
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
	side := SitesSide(by, s, sites, q.Figure)
	if by == analysis.ByStack && q.Only.Stacks != "" && s != nil {
		view, err := filter(ctx, s, q.Only.Stacks, calltree.WholeStacks)
		if err != nil {
			return nil, err
		}
		side.Filter(view)
	}
	if q.Group == GroupTotal {
		side = groupSide(side, GroupTotal, nil)
	}
	return side, nil
}

// traceBases returns what the figures of a trace over a range can be divided by. What the range has no end for ends
// where the trace does.
func traceBases(ctx context.Context, t analysis.Trace, r analysis.Range) (Bases, error) {
	totals, err := t.Totals(ctx, r)
	if err != nil {
		return NoBases, err
	}
	known := func(n uint64) int64 { return int64(min(n, math.MaxInt64)) }
	return Bases{
		Duration:    max(min(r.To, t.Status().Duration)-max(r.From, 0), 0),
		Allocations: known(totals.AllocCount), GCs: known(totals.GCCount), Markers: known(totals.MarkerCount),
	}, nil
}

// Figure is what a site is compared by.
type Figure func(*analysis.Site) (bytes, count uint64)

// FigureOf returns the bytes and blocks that belong to a cost. CostPeak is what lives at the instant, which the caller
// chose to be the peak.
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

// SitesSide makes a side of the groups of a trace, its rows aligned with what [Trace.Sites] returned. Threads are
// matched by their numbers, sizes by their classes.
func SitesSide(by analysis.Group, stacks *model.Stacks, sites []analysis.Site, figure Figure) *Side {
	out := &Side{Stacks: stacks, Rows: make([]SideRow, len(sites)), Bases: NoBases}
	for i := range sites {
		out.Rows[i] = siteRow(by, stacks, &sites[i])
		out.Rows[i].Bytes, out.Rows[i].Count = figure(&sites[i])
	}
	return out
}

// siteRow returns what a group is matched by.
func siteRow(by analysis.Group, stacks *model.Stacks, s *analysis.Site) SideRow {
	leaf, known := stacks.Node(s.Stack)
	switch {
	case by == analysis.ByStack && known && leaf == 0:
		return SideRow{Key: calltree.NoFunction}
	case by == analysis.ByStack && known:
		return SideRow{Node: leaf}
	case by == analysis.ByStack || (by == analysis.ByFunction || by == analysis.ByOwner) && (!known || leaf == 0):
		return SideRow{Key: model.UnknownStack(s.Stack), Own: true}
	}
	return SideRow{Key: s.Name}
}

// Filter leaves of the stacks of a side what a filter of its tree leaves of them. Stacks that it leaves out must not be
// there.
func (s *Side) Filter(view *calltree.FilteredStacks) {
	s.Stacks = view.Stacks
	for i := range s.Rows {
		if row := &s.Rows[i]; row.Node != 0 {
			if row.Node, _ = view.Node(row.Node); row.Node == 0 {
				row.Key = calltree.NoFrames
			}
		}
	}
}

// neverFreed names the row of a side of lifetimes that holds the blocks which no event ended.
const neverFreed = "never freed"

// lifetimesSide makes a side of the two histograms that [Trace.Histograms] returns, by lifetime. What the first one
// counts and the second one lacks was never freed; it is a row of its own, so that the rows add up to all that was
// allocated.
func lifetimesSide(sizes, lifetimes []analysis.Bucket) *Side {
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

func bucketsSide(buckets []analysis.Bucket, name func(*analysis.Bucket) string) *Side {
	out := &Side{Rows: make([]SideRow, len(buckets)), Bases: NoBases}
	for i := range buckets {
		b := &buckets[i]
		out.Rows[i] = SideRow{Key: name(b), Bytes: b.Bytes, Count: b.Count}
	}
	return out
}
