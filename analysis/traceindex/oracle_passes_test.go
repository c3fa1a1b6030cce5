package traceindex

import (
	"context"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/model"
)

// warm makes the pass of a group, which takes longest of all, without holding up the loading. Whoever needs the peaks
// while it holds sums calls this first, without the lock.
func (ix *Index) warm(ctx context.Context, by analysis.Group) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	ix.passOf(ctx, by, nil, nil, true)
}

// passOf returns the pass of a group, over everything loaded or, while more is arriving, over most of it, with the
// developments of the keys wanted. With breathe it may let writers in, so that the caller must hold no sums.
func (ix *Index) passOf(ctx context.Context, by analysis.Group, set *group.StackSet, want []analysis.Key, breathe bool) *group.Pass {
	f := ix.FoldIn(by, set)
	p := ix.Groups.PassIn(by, set)
	fresh := p != nil && (p.Events == ix.time.n || !ix.status.Final && p.Events > ix.time.n/4*3)
	if fresh && group.SameNames(p.Fold, f) && p.Follows(want) {
		return p
	}
	p = ix.makePass(ctx, by, f, set, want, breathe)
	if ctx.Err() == nil {
		ix.Groups.KeepPass(by, set, p)
	}
	return p
}

func (ix *Index) makePass(ctx context.Context, by analysis.Group, f *group.Fold, set *group.StackSet, want []analysis.Key, breathe bool) *group.Pass {
	n := ix.time.n
	b := group.NewPassBuilder(f, n, ix.keyCount(by, set), want)
	d, end := group.DimOf(by), ix.duration()
	from := 0
	for b.Col < analysis.HistoryColumns && ctx.Err() == nil {
		to := n
		if b.Col < analysis.HistoryColumns-1 {
			to = min(max(from, ix.eventsUntil(analysis.ColumnEdge(0, end, b.Col+1, analysis.HistoryColumns))), n)
		}
		if breathe {
			ix.yield()
		}
		ix.replay(from, to, func(_ int, block uint32, size uint64, how column.Change) {
			if set == nil || set.Has(ix.stack.At(int(block))) {
				b.Change(f.KeyOf(ix.key(d, block)), size, how)
			}
		})
		b.EndColumn()
		from = to
	}
	return b.Out
}

// History implements [analysis.Trace]. n beyond HistoryColumns repeats columns.
func (ix *Index) History(ctx context.Context, by analysis.Group, only calltree.Filter, keys []analysis.Key, n int) ([][]uint64, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	p := ix.passOf(ctx, by, ix.SetOf(only), keys, true)
	out, err := p.Histories(keys, n)
	if err != nil {
		return nil, err
	}
	return out, ctx.Err()
}

// Histograms implements [analysis.Trace].
func (ix *Index) Histograms(ctx context.Context, r analysis.Range) (sizes, lifetimes []analysis.Bucket, err error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	var bySize, byLife [analysis.SizeClasses]analysis.Bucket
	lo, hi := ix.eventRange(r)
	first := firstOver(&ix.born, func(b uint32) bool { return int(b) >= lo })
	for b := first; b < ix.born.N && int(ix.born.At(b)) < hi; b++ {
		if b&column.ChunkMask == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		size := ix.size.At(b)
		add(&bySize[sizeClass(size)], size)
		if died := ix.died.At(b); died != alive {
			add(&byLife[sizeClass(uint64(ix.lifetime(b, died)))], size)
		}
	}
	return group.Buckets(&bySize), group.Buckets(&byLife), nil
}

func (ix *Index) lifetime(block int, died uint32) model.Time {
	return ix.time.At(int(died)) - ix.time.At(int(ix.born.At(block)))
}

func add(b *analysis.Bucket, bytes uint64) {
	b.Count++
	b.Bytes, _ = model.SaturatingAdd(b.Bytes, bytes)
}
