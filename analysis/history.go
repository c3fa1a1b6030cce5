package analysis

import (
	"context"

	"github.com/memtui/memtui/model"
)

// pass is what one walk over all events tells about every key of a group. Read-only once made.
type pass struct {
	fold   *fold
	events int
	max    []uint64 // HistoryColumns per key: highest level within each column, the one carried in included
	peak   []uint64 // by key
	shapes []Shape  // by key
}

// warm makes the pass of a group, which takes longest of all, without holding up the loading. Whoever needs the pass while
// it holds sums calls this first, without the lock.
func (ix *Index) warm(ctx context.Context, by Group) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	ix.passOf(ctx, by, true)
}

// passOf returns the pass of a group, over everything loaded or, while more is arriving, over most of it. With breathe it
// may let writers in, so that the caller must hold no sums.
func (ix *Index) passOf(ctx context.Context, by Group, breathe bool) *pass {
	f := ix.foldOf(by)
	ix.groups.mu.Lock()
	p := ix.groups.passes[by]
	ix.groups.mu.Unlock()
	fresh := p != nil && (p.events == ix.time.n || !ix.status.Final && p.events > ix.time.n/4*3)
	if fresh && sameNames(p.fold, f) {
		return p
	}
	p = ix.makePass(ctx, by, f, breathe)
	if ctx.Err() == nil {
		ix.groups.mu.Lock()
		ix.groups.passes[by] = p
		ix.groups.mu.Unlock()
	}
	return p
}

// sameNames reports whether two folds of one group came from the same symbols, so that their keys agree.
func sameNames(a, b *fold) bool {
	return a == b || a != nil && b != nil && a.stacks == b.stacks
}

// passBuilder follows the level of every key from column to column.
type passBuilder struct {
	live, top []uint64
	last      []uint64 // HistoryColumns per key: level at the column's end
	allocs    []uint64
	out       *pass
	col       int
}

func (ix *Index) makePass(ctx context.Context, by Group, f *fold, breathe bool) *pass {
	keys, n := ix.keyCount(by), ix.time.n
	p := &pass{fold: f, events: n, max: make([]uint64, keys*HistoryColumns), peak: make([]uint64, keys), shapes: make([]Shape, keys)}
	b := passBuilder{
		live: make([]uint64, keys), top: make([]uint64, keys), allocs: make([]uint64, keys),
		last: make([]uint64, keys*HistoryColumns), out: p,
	}
	d, end := dimOf(by), ix.duration()
	from := 0
	for b.col < HistoryColumns && ctx.Err() == nil {
		to := n
		if b.col < HistoryColumns-1 {
			to = min(max(from, ix.eventsUntil(columnEdge(0, end, b.col+1, HistoryColumns))), n)
		}
		if breathe {
			ix.breathe()
		}
		ix.replay(from, to, func(_ int, block uint32, size uint64, how change) {
			k := f.keyOf(ix.key(d, block))
			b.live[k] = changed(b.live[k], size, how)
			b.top[k] = max(b.top[k], b.live[k])
			if how == born {
				b.allocs[k]++
			}
		})
		b.endColumn()
		from = to
	}
	width := float64(end) / 1e6 / HistoryColumns
	for k := range p.shapes {
		at := k * HistoryColumns
		dev := development{b.last[at : at+HistoryColumns], p.peak[k], b.allocs[k], width}
		p.shapes[k] = dev.shape()
	}
	return p
}

func (b *passBuilder) endColumn() {
	for k, top := range b.top {
		b.out.max[k*HistoryColumns+b.col] = top
		b.last[k*HistoryColumns+b.col] = b.live[k]
		b.out.peak[k] = max(b.out.peak[k], top)
	}
	copy(b.top, b.live)
	b.col++
}

// History implements [Trace]. n beyond HistoryColumns repeats columns.
func (ix *Index) History(ctx context.Context, by Group, keys []Key, n int) ([][]uint64, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	p := ix.passOf(ctx, by, true)
	out := make([][]uint64, len(keys))
	for i, k := range keys {
		out[i] = make([]uint64, max(n, 0))
		if int(k) < len(p.peak) {
			resample(out[i], p.max[int(k)*HistoryColumns:(int(k)+1)*HistoryColumns])
		}
	}
	return out, ctx.Err()
}

// resample fills dst with the highest values of the equal parts of src.
func resample(dst, src []uint64) {
	for i := range dst {
		from, to := i*len(src)/len(dst), (i+1)*len(src)/len(dst)
		for _, v := range src[from:max(to, from+1)] {
			dst[i] = max(dst[i], v)
		}
	}
}

// Shapes implements [Trace].
func (ix *Index) Shapes(ctx context.Context, by Group, keys []Key) ([]Shape, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	p := ix.passOf(ctx, by, true)
	out := make([]Shape, len(keys))
	for i, k := range keys {
		if int(k) < len(p.shapes) {
			out[i] = p.shapes[k]
		}
	}
	return out, ctx.Err()
}

// Histograms implements [Trace].
func (ix *Index) Histograms(ctx context.Context, r Range) (sizes, lifetimes []Bucket, err error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	var bySize, byLife [sizeClasses]Bucket
	lo, hi := ix.eventRange(r)
	first := ix.born.search(func(b uint32) bool { return int(b) >= lo })
	for b := first; b < ix.born.n && int(ix.born.at(b)) < hi; b++ {
		if b&chunkMask == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		size := ix.size.at(b)
		bySize[sizeClass(size)].add(size)
		if died := ix.died.at(b); died != alive {
			byLife[sizeClass(uint64(ix.lifetime(b, died)))].add(size)
		}
	}
	return buckets(&bySize), buckets(&byLife), nil
}

func (ix *Index) lifetime(block int, died uint32) model.Time {
	return ix.time.at(int(died)) - ix.time.at(int(ix.born.at(block)))
}

func (b *Bucket) add(bytes uint64) {
	b.Count++
	b.Bytes, _ = model.SaturatingAdd(b.Bytes, bytes)
}

// buckets drops the empty ones at both ends and none between.
func buckets(all *[sizeClasses]Bucket) []Bucket {
	lo, hi := len(all), 0
	for i := range all {
		all[i].Min, all[i].Max = sizeBounds(uint32(i))
		if all[i].Count > 0 {
			lo, hi = min(lo, i), i+1
		}
	}
	if lo >= hi {
		return nil
	}
	return append([]Bucket(nil), all[lo:hi]...)
}
