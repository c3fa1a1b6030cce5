package traceindex

import (
	"context"
	"sort"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/live"
	"github.com/memtui/memtui/analysis/traceindex/shared"
	"github.com/memtui/memtui/model"
)

// liveScan computes the live bytes over time of the blocks in a cell, and of parts of them.
type liveScan struct {
	g     *grouping
	in    *membership
	slot  []int32 // by key: its part, or 0
	lives bool    // parts are the classes of lifetimes
	parts int     // number of parts, plus part 0, which has all blocks
	edges []int   // number of events up to and including each column
}

// liveSegment summarizes, by part, a range of events that is within one chunk and one column.
type liveSegment struct {
	column int
	moves  []live.Moves
}

// LiveOf implements [analysis.Trace].
func (ix *fileIndex) LiveOf(ctx context.Context, q analysis.LiveQuery) (analysis.LiveCurves, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	r, in := ix.reader(), ix.Filtered(q.Cell)
	from, to := ix.bounds(q.Range)
	lo, hi := r.eventRange(analysis.Range{From: q.Range.From, To: to})
	s := &liveScan{g: ix.grouping(q.By, in), in: ix.membership(in), lives: q.ByLife, parts: len(q.Parts) + 1}
	if s.lives {
		s.parts = analysis.LifeClasses + 1
	}
	if b := model.BudgetOf(ctx); !b.Fits(int64(s.parts) * int64(q.Columns) * 256) {
		return analysis.LiveCurves{}, b.Error("the curves")
	}
	s.slot = make([]int32, s.g.keys)
	for i, keys := range q.Parts[:min(len(q.Parts), s.parts-1)] {
		for _, k := range keys {
			if int(k) < len(s.slot) {
				s.slot[k] = int32(i) + 1
			}
		}
	}
	for i := range q.Columns {
		s.edges = append(s.edges, min(r.eventsUntil(analysis.ColumnEdge(from, to, i+1, q.Columns)), hi))
	}
	if r.err != nil || q.Columns <= 0 {
		return analysis.LiveCurves{}, r.err
	}
	before, err := s.before(ctx, lo)
	if err != nil {
		return analysis.LiveCurves{}, err
	}
	curves := make([]*live.Curve, s.parts)
	for i, l := range before {
		curves[i] = live.NewCurve(from, to, q.Columns, lo, hi, l)
	}
	if err := s.run(ctx, lo, hi, curves); err != nil {
		return analysis.LiveCurves{}, err
	}
	return ix.liveCurves(curves)
}

// before returns the level of each part after a number of events.
func (s *liveScan) before(ctx context.Context, events int) ([]live.Level, error) {
	out, sums := make([]live.Level, s.parts), make([]analysis.Level, s.parts)
	if events == 0 {
		return out, nil
	}
	if s.lives || !s.g.ix.levelsFit() {
		return out, s.follow(ctx, events, out)
	}
	rows, err := s.g.sums(ctx, events, events, events)
	if err != nil {
		return nil, err
	}
	for _, row := range s.g.f.Prune(rows) {
		for part := range 1 + min(s.slot[row.Key], 1) {
			l := &sums[part*s.slot[row.Key]]
			l.Bytes += row.LiveBytes
			l.Count += row.LiveCount
		}
	}
	for i, l := range sums {
		out[i] = live.LevelOf(l.Bytes, l.Count)
	}
	return out, nil
}

// follow is before by replaying all events, for levels that may overflow.
func (s *liveScan) follow(ctx context.Context, events int, out []live.Level) error {
	all, curves := *s, make([]*live.Curve, s.parts)
	all.edges = []int{events}
	for i := range curves {
		curves[i] = live.NewCurve(0, 0, 1, 0, events, live.Level{})
	}
	err := all.run(ctx, 0, events, curves)
	for i, c := range curves {
		out[i] = c.Level
	}
	return err
}

// run adds the changes in events [lo, hi) to the curves.
func (s *liveScan) run(ctx context.Context, lo, hi int, curves []*live.Curve) error {
	parts := shared.InOrder[[]liveSegment]{Take: func(list []liveSegment) {
		for i := range list {
			for part := range list[i].moves {
				if m := &list[i].moves[part]; m.End() {
					curves[part].Add(list[i].column, m)
				}
			}
		}
	}}
	return s.g.ix.together(ctx, lo, hi, func() chunkWork {
		var member []bool
		return func(n int, v *view, from, to int) {
			if s.lives {
				v.follow()
			}
			member = s.in.of(v, member)
			parts.Put(n, s.chunk(v, from, to, member))
		}
	})
}

// chunk summarizes events [from, to) of a view, column by column.
func (s *liveScan) chunk(v *view, from, to int, member []bool) (list []liveSegment) {
	ix, end := s.g.ix, -1 // end of the column
	var moves []live.Moves
	ix.eachChange(v, from, to, func(event int, r column.Ref, how column.Change) {
		if !s.in.has(r, member) {
			return
		}
		site, size := ix.siteSize(v, r)
		if event += v.c.first; event >= end {
			column := sort.Search(len(s.edges), func(i int) bool { return s.edges[i] > event })
			end, moves = s.edges[column], make([]live.Moves, s.parts)
			list = append(list, liveSegment{column, moves})
		}
		moves[0].Add(event, size, how)
		if s.lives {
			moves[1+s.lifeClass(v, r)].Add(event, size, how)
			return
		}
		if s.parts == 1 || !s.g.keeps(site) {
			return
		}
		if k := int(s.g.key(site, size)); k < len(s.slot) && s.slot[k] > 0 {
			moves[s.slot[k]].Add(event, size, how)
		}
	})
	return list
}

// lifeClass returns the lifetime class of a block that an event of a view is about.
func (s *liveScan) lifeClass(v *view, r column.Ref) int {
	ix := s.g.ix
	if p, ok := r.Local(); ok {
		return ix.lifeClass(v, p)
	}
	b := ix.recordBlock(int(r))
	return b.lifeClass()
}

// liveCurves converts curves to the answer. The first one is that of all blocks.
func (ix *fileIndex) liveCurves(curves []*live.Curve) (out analysis.LiveCurves, err error) {
	for i, c := range curves {
		bytes, count, events := c.End()
		if i == 0 {
			out.All, out.HasPeak = c.Columns, events > 0
		} else {
			out.Parts = append(out.Parts, c.Columns)
		}
		if i == 0 && events > 0 {
			r := ix.reader()
			at := r.timeAt(events - 1)
			out.Peak = analysis.Peak{Level: analysis.Level{Time: at, Bytes: bytes, Count: count},
				Instant: analysis.Instant{T: at, Events: uint64(events)}}
			err = r.err
		}
	}
	return out, err
}

// LiveOf implements [analysis.Trace].
func (k *KeptIndex) LiveOf(ctx context.Context, q analysis.LiveQuery) (analysis.LiveCurves, error) {
	return ask(ctx, k, "following live bytes", verifiedOnly, func(ix *fileIndex) (analysis.LiveCurves, error) { return ix.LiveOf(ctx, q) })
}
