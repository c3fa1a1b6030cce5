package traceindex

import (
	"context"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
)

// lifeSums counts the lifetimes of the blocks of some stacks.
type lifeSums struct {
	slot []int32 // by stack: its number in sums + 1, 0 for none
	keys []analysis.Key
	sums []analysis.Lives // by number
}

// mostLives is the number of judged stacks, most significant first, whose lifetimes are counted in advance: they take a
// kilobyte each.
const mostLives = 1 << 10

// lifeSums returns empty sums of the stacks of keys.
func (ix *fileIndex) lifeSums(keys []analysis.Key) *lifeSums {
	l := &lifeSums{slot: make([]int32, len(ix.Ids))}
	for _, k := range keys {
		if int(k) < len(l.slot) && l.slot[k] == 0 {
			l.keys = append(l.keys, k)
			l.slot[k] = int32(len(l.keys))
		}
	}
	l.sums = make([]analysis.Lives, len(l.keys))
	return l
}

// fresh returns empty sums of the same stacks.
func (l *lifeSums) fresh() *lifeSums {
	return &lifeSums{slot: l.slot, keys: l.keys, sums: make([]analysis.Lives, len(l.keys))}
}

// add adds the counts of other blocks of the same stacks.
func (l *lifeSums) add(o *lifeSums) {
	for i := range l.sums {
		l.sums[i].Add(&o.sums[i])
	}
}

// count counts a block of a view.
func (l *lifeSums) count(ix *fileIndex, v *view, p, class int) {
	s := l.slot[ix.sites.Stack[v.site[p]]]
	if s == 0 {
		return
	}
	sum, born := &l.sums[s-1], v.events.Since(int(v.event[p]))
	switch died := v.died[p]; {
	case class == analysis.NeverFreed:
		sum.Stayed(ix.duration() - v.c.begin - born)
	case died != 0:
		sum.Died(v.events.Since(int(died-1)) - born)
	default:
		sum.Died(ix.records.diedAt.At(int(v.record[p])) - v.c.begin - born)
	}
}

// of returns the counts of some stacks, or false if it lacks one.
func (l *lifeSums) of(keys []analysis.Key) ([]analysis.Lives, bool) {
	if l == nil {
		return nil, false
	}
	out := make([]analysis.Lives, len(keys))
	for i, k := range keys {
		if int(k) >= len(l.slot) { // no block has it
			continue
		}
		if l.slot[k] == 0 {
			return nil, false
		}
		out[i] = l.sums[l.slot[k]-1]
	}
	return out, true
}

// fresh returns empty counts of the same blocks.
func (b *blockCounts) fresh() *blockCounts {
	out := *b
	out.grid = new(analysis.Grid)
	if b.lives != nil {
		out.lives = b.lives.fresh()
	}
	return &out
}

// merge adds the counts of other blocks.
func (b *blockCounts) merge(part *blockCounts) {
	b.grid.Add(part.grid)
	if b.lives != nil {
		b.lives.add(part.lives)
	}
}

// judgedLives returns empty sums of the stacks with a verdict that findings tell, nil if these are not known. The index
// is settled.
func (ix *fileIndex) judgedLives(ctx context.Context) *lifeSums {
	if ix.judged(ctx) != nil {
		return nil
	}
	list := slices.DeleteFunc(slices.Clone(ix.verdicts), func(v verdict.Verdict) bool { return v.Kind < verdict.Bounded })
	slices.SortStableFunc(list, func(a, b verdict.Verdict) int { return verdict.Compare(&a, &b) })
	keys := make([]analysis.Key, min(len(list), mostLives))
	for i := range keys {
		keys[i] = analysis.Key(list[i].Key)
	}
	if !model.BudgetOf(ctx).Fits(int64(len(keys)) * 1100 * (mostWorkers + 1)) {
		return nil
	}
	return ix.lifeSums(keys)
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
	all := ix.lifeSums(keys)
	var parts []*lifeSums
	err := ix.together(ctx, 0, ix.events(), func() chunkWork {
		l := all.fresh()
		parts = append(parts, l)
		counts := blockCounts{ix: ix, lives: l}
		return func(_ int, v *view, from, to int) { counts.add(v, from, to) }
	})
	if err != nil {
		return nil, err
	}
	for _, l := range parts {
		all.add(l)
	}
	out, _ := all.of(keys)
	return out, ctx.Err()
}
