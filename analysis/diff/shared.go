package diff

import (
	"context"

	"github.com/memtui/memtui/analysis"
)

// ofLive reports whether the figure is about what is live at an instant.
func (f Figure) ofLive() bool {
	bytes, _ := f(&analysis.Site{LiveBytes: 2, LiveCount: 1})
	return bytes > 0
}

// adds reports whether figures of two ranges add up to that of both: those of peaks do not.
func (f Figure) adds() bool {
	bytes, _ := f(&analysis.Site{PeakBytes: 1})
	return bytes == 0
}

// isCount reports whether the figure is a number of blocks.
func (f Figure) isCount() bool {
	bytes, _ := f(&analysis.Site{AllocBytes: 2, AllocCount: 1, FreedBytes: 2, FreedCount: 1, Temporary: 1, LiveBytes: 2,
		LiveCount: 1, PeakBytes: 2, LeakBytes: 2, LeakCount: 1, OverwrittenBytes: 2, OverwrittenCount: 1})
	return bytes == 1
}

// share notes for each row of a side what the other side of the same trace has as well. side is aligned to sites.
func (q *TraceQuestion) share(ctx context.Context, t analysis.Trace, by analysis.Group, sites []analysis.Site, side *Side) error {
	ask, figure, ok := q.inBoth()
	if !ok {
		return nil
	}
	ask.By, ask.Cell, ask.NoPeaks = by, q.Only, true
	list, err := t.Sites(ctx, ask)
	if err != nil {
		return err
	}
	both := make(map[analysis.Key]SideSum, len(list))
	for i := range list {
		bytes, count := figure(&list[i])
		both[list[i].Key] = SideSum{bytes, count}
	}
	for i := range side.Rows {
		side.Rows[i].both = both[sites[i].Key]
		side.both.add(side.Rows[i].both)
	}
	return nil
}

// inBoth returns the question about the blocks that both sides have, and their figure: those live at both instants, or
// those of both ranges. ok is false if there are none, or that is unknown.
func (q *TraceQuestion) inBoth() (ask analysis.Query, figure Figure, ok bool) {
	if !q.Figure.ofLive() {
		r := analysis.Range{From: max(q.Range.From, q.Beside.Range.From), To: min(q.Range.To, q.Beside.Range.To)}
		return analysis.Query{At: q.At, Range: r}, q.Figure, r.From < r.To && q.Figure.adds()
	}
	first, last := q.At, q.Beside.At
	if last.T < first.T {
		first, last = last, first
	}
	return analysis.Query{At: last, Range: analysis.Range{From: first.T, To: last.T}}, liveBefore, true
}

// liveBefore is what is live at an instant and was allocated before the range that ends there.
func liveBefore(s *analysis.Site) (bytes, count uint64) {
	return s.LiveBytes - min(s.LeakBytes, s.LiveBytes), s.LiveCount - min(s.LeakCount, s.LiveCount)
}
