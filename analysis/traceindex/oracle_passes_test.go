package traceindex

import (
	"context"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// warm makes the pass of a group, which takes longest of all, without holding up the loading. Whoever needs the peaks while
// it holds sums calls this first, without the lock.
func (ix *Index) warm(ctx context.Context, by analysis.Group) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	ix.passOf(ctx, by, nil, nil, true)
}

// passOf returns the pass of a group, over everything loaded or, while more is arriving, over most of it, with the
// developments of the keys wanted. With breathe it may let writers in, so that the caller must hold no sums.
func (ix *Index) passOf(ctx context.Context, by analysis.Group, set *stackSet, want []analysis.Key, breathe bool) *pass {
	f := ix.foldIn(by, set)
	p := ix.groups.passIn(by, set)
	fresh := p != nil && (p.events == ix.time.n || !ix.status.Final && p.events > ix.time.n/4*3)
	if fresh && sameNames(p.fold, f) && p.follows(want) {
		return p
	}
	p = ix.makePass(ctx, by, f, set, want, breathe)
	if ctx.Err() == nil {
		ix.groups.keepPass(by, set, p)
	}
	return p
}

func (ix *Index) makePass(ctx context.Context, by analysis.Group, f *fold, set *stackSet, want []analysis.Key, breathe bool) *pass {
	n := ix.time.n
	b := newPassBuilder(f, n, ix.keyCount(by, set), want)
	d, end := dimOf(by), ix.duration()
	from := 0
	for b.col < analysis.HistoryColumns && ctx.Err() == nil {
		to := n
		if b.col < analysis.HistoryColumns-1 {
			to = min(max(from, ix.eventsUntil(analysis.ColumnEdge(0, end, b.col+1, analysis.HistoryColumns))), n)
		}
		if breathe {
			ix.breathe()
		}
		ix.replay(from, to, func(_ int, block uint32, size uint64, how change) {
			if set == nil || set.has(ix.stack.at(int(block))) {
				b.change(f.keyOf(ix.key(d, block)), size, how)
			}
		})
		b.endColumn()
		from = to
	}
	b.judge(float64(end) / 1e6 / analysis.HistoryColumns)
	return b.out
}

// History implements [Trace]. n beyond HistoryColumns repeats columns.
func (ix *Index) History(ctx context.Context, by analysis.Group, only calltree.StackFilter, keys []analysis.Key, n int) ([][]uint64, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	p := ix.passOf(ctx, by, ix.setOf(only), keys, true)
	return p.histories(keys, n), ctx.Err()
}

// Shapes implements [Trace].
func (ix *Index) Shapes(ctx context.Context, by analysis.Group, only calltree.StackFilter, keys []analysis.Key) ([]analysis.Shape, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	p := ix.passOf(ctx, by, ix.setOf(only), keys, true)
	return p.shapesOf(keys), ctx.Err()
}

// Histograms implements [Trace].
func (ix *Index) Histograms(ctx context.Context, r analysis.Range) (sizes, lifetimes []analysis.Bucket, err error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	var bySize, byLife [analysis.SizeClasses]analysis.Bucket
	lo, hi := ix.eventRange(r)
	first := firstOver(&ix.born, func(b uint32) bool { return int(b) >= lo })
	for b := first; b < ix.born.n && int(ix.born.at(b)) < hi; b++ {
		if b&chunkMask == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		size := ix.size.at(b)
		add(&bySize[sizeClass(size)], size)
		if died := ix.died.at(b); died != alive {
			add(&byLife[sizeClass(uint64(ix.lifetime(b, died)))], size)
		}
	}
	return buckets(&bySize), buckets(&byLife), nil
}

func (ix *Index) lifetime(block int, died uint32) model.Time {
	return ix.time.at(int(died)) - ix.time.at(int(ix.born.at(block)))
}

func add(b *analysis.Bucket, bytes uint64) {
	b.Count++
	b.Bytes, _ = model.SaturatingAdd(b.Bytes, bytes)
}
