package traceindex

import (
	"context"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/analysis/traceindex/tally"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
)

// mostLives is the number of judged stacks, most significant first, whose lifetimes are counted in advance: they take a
// kilobyte each.
const mostLives = 1 << 10

// countLife counts the lifetime of a block of a view.
func (b *blockCounts) countLife(v *view, p, class int) {
	ix := b.ix
	sum, born := b.lives.Stack(ix.sites.Stack[v.site[p]]), v.events.Since(int(v.event[p]))
	if sum == nil {
		return
	}
	switch died := v.died[p]; {
	case class == analysis.NeverFreed:
		sum.Stayed(ix.duration() - v.c.begin - born)
	case died != 0:
		sum.Died(v.events.Since(int(died-1)) - born)
	default:
		sum.Died(ix.records.diedAt.At(int(v.record[p])) - v.c.begin - born)
	}
}

// fresh returns empty counts of the same blocks.
func (b *blockCounts) fresh() *blockCounts {
	out := *b
	out.grid = new(analysis.Grid)
	if b.lives != nil {
		out.lives = b.lives.Fresh()
	}
	return &out
}

// merge adds the counts of other blocks.
func (b *blockCounts) merge(part *blockCounts) {
	b.grid.Add(part.grid)
	if b.lives != nil {
		b.lives.Add(part.lives)
	}
}

// judgedLives returns empty sums of the stacks with a verdict that findings tell, nil if these are not known. The index
// is settled.
func (ix *fileIndex) judgedLives(ctx context.Context) *group.LifeSums {
	if ix.judged(ctx) != nil {
		return nil
	}
	list := slices.DeleteFunc(slices.Clone(ix.verdicts), func(v verdict.Verdict) bool { return v.Kind < verdict.Bounded })
	slices.SortStableFunc(list, func(a, b verdict.Verdict) int { return verdict.Compare(&a, &b) })
	keys := make([]analysis.Key, min(len(list), mostLives))
	for i := range keys {
		keys[i] = analysis.Key(list[i].Key)
	}
	if p, err := ix.findPeak(ctx); err == nil { // those that lists of the peak begin with
		for _, k := range p.largest() {
			if k < tally.MostStacks && !slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}
	if !model.BudgetOf(ctx).Fits(int64(len(keys)) * 1100 * (mostWorkers + 1)) {
		return nil
	}
	return group.NewLifeSums(len(ix.Ids), keys)
}

// Lives implements [analysis.Trace].
func (ix *fileIndex) Lives(ctx context.Context, keys []analysis.Key) ([]analysis.Lives, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if len(keys) == 0 {
		return nil, ctx.Err()
	}
	if ix.settled() && ix.levelsFit() {
		if _, err := ix.grouping(analysis.ByStack, group.Scope{}).pass(ctx, nil); err != nil {
			return nil, err
		}
		if out, ok := ix.whole.livesOf(keys); ok {
			return out, ctx.Err()
		}
	}
	all := group.NewLifeSums(len(ix.Ids), keys)
	var parts []*group.LifeSums
	err := ix.together(ctx, 0, ix.events(), func() chunkWork {
		l := all.Fresh()
		parts = append(parts, l)
		counts := blockCounts{ix: ix, lives: l}
		return func(_ int, v *view, from, to int) { counts.add(v, from, to) }
	})
	if err != nil {
		return nil, err
	}
	for _, l := range parts {
		all.Add(l)
	}
	out, _ := all.Of(keys)
	return out, ctx.Err()
}
