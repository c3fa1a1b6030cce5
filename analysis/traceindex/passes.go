package traceindex

import "github.com/memtui/memtui/analysis"

// pass is what one walk over all events tells about the keys of a group: the peak of every key, and the development of
// all, or, where there are very many, of those that were asked for. Read-only once made.
type pass struct {
	fold   *fold
	events int
	peak   []uint64         // by key
	slot   []int32          // by key: where its development stands, -1 where it was not asked for
	max    []uint64         // HistoryColumns per slot: highest level within each column, the one carried in included
	shapes []analysis.Shape // by slot
}

// manyKeys is the number of keys from which on developments are followed only where somebody looks: they take half a
// kilobyte each, and a hostile file has as many stacks as events.
const manyKeys = 1 << 15

// passIn is the last pass of a group of what is left by a filter, nil for none.
func (c *groupCache) passIn(by analysis.Group, set *stackSet) *pass {
	c.mu.Lock()
	defer c.mu.Unlock()
	if set != nil {
		return set.passes[by]
	}
	return c.passes[by]
}

func (c *groupCache) keepPass(by analysis.Group, set *stackSet, p *pass) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if set != nil {
		set.passes[by] = p
		return
	}
	c.passes[by] = p
}

// follows reports whether the pass has the development of every key that it knows at all.
func (p *pass) follows(want []analysis.Key) bool {
	for _, k := range want {
		if int(k) < len(p.slot) && p.slot[k] < 0 {
			return false
		}
	}
	return true
}

// sameNames reports whether two folds of one group came from the same symbols, so that their keys agree.
func sameNames(a, b *fold) bool {
	return a == b || a != nil && b != nil && a.stacks == b.stacks
}

// slots numbers the keys whose development is followed.
func slots(keys int, want []analysis.Key) (slot []int32, n int) {
	slot = make([]int32, keys)
	if keys <= manyKeys {
		for k := range slot {
			slot[k] = int32(k)
		}
		return slot, keys
	}
	for k := range slot {
		slot[k] = -1
	}
	for _, k := range want {
		if int(k) < keys && slot[k] < 0 {
			slot[k] = int32(n)
			n++
		}
	}
	return slot, n
}

// passBuilder follows the level of every key from column to column.
type passBuilder struct {
	out  *pass
	live []uint64 // by key
	now  []uint64 // by slot: the level
	top  []uint64 // by slot: the highest level in the column
	last []uint64 // HistoryColumns per slot: level at the column's end
	born []uint64 // by slot: blocks
	col  int
}

func newPassBuilder(f *fold, events, keys int, want []analysis.Key) *passBuilder {
	slot, followed := slots(keys, want)
	p := &pass{fold: f, events: events, peak: make([]uint64, keys), slot: slot, max: make([]uint64, followed*analysis.HistoryColumns), shapes: make([]analysis.Shape, followed)}
	return &passBuilder{
		out: p, live: make([]uint64, keys), now: make([]uint64, followed), top: make([]uint64, followed),
		last: make([]uint64, followed*analysis.HistoryColumns), born: make([]uint64, followed),
	}
}

func (b *passBuilder) change(k analysis.Key, size uint64, how change) {
	level := changed(b.live[k], size, how)
	b.live[k] = level
	b.out.peak[k] = max(b.out.peak[k], level)
	s := b.out.slot[k]
	if s < 0 {
		return
	}
	b.now[s], b.top[s] = level, max(b.top[s], level)
	if how == born {
		b.born[s]++
	}
}

func (b *passBuilder) endColumn() {
	for s, top := range b.top {
		b.out.max[s*analysis.HistoryColumns+b.col] = top
		b.last[s*analysis.HistoryColumns+b.col] = b.now[s]
	}
	copy(b.top, b.now)
	b.col++
}

// judge gives every development its shape.
func (b *passBuilder) judge(width float64) {
	for k, s := range b.out.slot {
		if s < 0 {
			continue
		}
		at := int(s) * analysis.HistoryColumns
		d := development{b.last[at : at+analysis.HistoryColumns], b.out.peak[k], b.born[s], width}
		b.out.shapes[s] = d.shape()
	}
}

func (p *pass) histories(keys []analysis.Key, n int) [][]uint64 {
	out := make([][]uint64, len(keys))
	for i, k := range keys {
		out[i] = make([]uint64, max(n, 0))
		if s, ok := p.slotOf(k); ok {
			resample(out[i], p.max[s*analysis.HistoryColumns:(s+1)*analysis.HistoryColumns])
		}
	}
	return out
}

func (p *pass) slotOf(k analysis.Key) (s int, ok bool) {
	if int(k) >= len(p.slot) || p.slot[k] < 0 || p.fold != nil && p.fold.drops && int(k) == len(p.slot)-1 {
		return 0, false
	}
	return int(p.slot[k]), true
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

func (p *pass) shapesOf(keys []analysis.Key) []analysis.Shape {
	out := make([]analysis.Shape, len(keys))
	for i, k := range keys {
		if s, ok := p.slotOf(k); ok {
			out[i] = p.shapes[s]
		}
	}
	return out
}

// buckets drops the empty ones at both ends and none between.
func buckets(all *[analysis.SizeClasses]analysis.Bucket) []analysis.Bucket {
	lo, hi := len(all), 0
	for i := range all {
		all[i].Min, all[i].Max = analysis.SizeBounds(uint32(i))
		if all[i].Count > 0 {
			lo, hi = min(lo, i), i+1
		}
	}
	if lo >= hi {
		return nil
	}
	return append([]analysis.Bucket(nil), all[lo:hi]...)
}
