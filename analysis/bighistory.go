package analysis

import (
	"context"
	"slices"
	"sort"
	"sync"

	"github.com/memtui/memtui/model"
)

// pass returns the pass of a group, over everything loaded or, while more is arriving, over most of it, with the
// developments of the keys wanted.
func (g *grouping) pass(ctx context.Context, want []Key) (*pass, error) {
	ix := g.ix
	p := ix.groups.passIn(g.by, g.in.set)
	n := ix.events()
	fresh := p != nil && (p.events == n || !ix.status.Final && p.events > n/4*3)
	if fresh && sameNames(p.fold, g.f) && p.follows(want) {
		return p, nil
	}
	p, err := g.makePass(ctx, n, want)
	if err == nil {
		ix.groups.keepPass(g.by, g.in.set, p)
	}
	return p, err
}

func (g *grouping) makePass(ctx context.Context, n int, want []Key) (*pass, error) {
	ix := g.ix
	b := newPassBuilder(g.f, n, g.keys, want)
	r, end := ix.reader(), ix.duration()
	var edges [HistoryColumns]int // events up to and with each column
	for i := range edges {
		if edges[i] = n; i < HistoryColumns-1 {
			edges[i] = min(r.eventsUntil(columnEdge(0, end, i+1, HistoryColumns)), n)
		}
	}
	if r.err != nil {
		return nil, r.err
	}
	keys := g.keysOfSites()
	err := ix.eachView(ctx, 0, n, func(v *view, from, to int) {
		for from < to { // by columns
			for v.c.first+from >= edges[b.col] {
				b.endColumn()
			}
			end := min(to, edges[b.col]-v.c.first)
			g.follow(v, from, end, keys, b)
			from = end
		}
	})
	for b.col < HistoryColumns {
		b.endColumn()
	}
	b.judge(float64(end) / 1e6 / HistoryColumns)
	return b.out, err
}

// keysOfSites is the key of every site that the group knows; nil where the size decides.
func (g *grouping) keysOfSites() []Key {
	if g.d == dimSize {
		return nil
	}
	of := g.ix.sites.stack
	if g.d == dimThread {
		of = g.ix.sites.thread
	}
	keys := make([]Key, 0, len(of))
	for _, k := range of {
		if int(k) >= g.known(int(k)+1) {
			break // it came later
		}
		keys = append(keys, g.f.keyOf(k))
	}
	return keys
}

// follow gives a pass what events [from, to) of a view change: eachChange by hand, as everything is read for it.
func (g *grouping) follow(v *view, from, to int, keys []Key, b *passBuilder) {
	ix, p, over := g.ix, 0, v.c.over
	if from > 0 {
		p = v.payload(from)
		over = over[sort.Search(len(over), func(i int) bool { return int(over[i].event) >= from }):]
	}
	free := from - p
	set := g.in.set
	change := func(site uint32, size uint64, how change) {
		if set != nil && !set.has(ix.sites.stack[site]) {
			return
		}
		if keys != nil {
			b.change(keys[site], size, how)
		} else {
			b.change(Key(sizeClass(size)), size, how)
		}
	}
	for i := from; i < to; i++ {
		switch v.events.Kind[i] {
		case model.Alloc:
			if len(over) > 0 && int(over[0].event) == i {
				site, size := ix.siteSize(v, over[0].ref)
				change(site, size, overwrote)
				over = over[1:]
			}
			change(v.site[p], v.events.Size[p], born)
			p++
		case model.Free:
			if r := v.refs[free]; r != noRef {
				site, size := ix.siteSize(v, r)
				change(site, size, freed)
			}
			free++
		default:
			p++
		}
	}
}

// History implements [Trace]. n beyond HistoryColumns repeats columns.
func (ix *FileIndex) History(ctx context.Context, by Group, only StackFilter, keys []Key, n int) ([][]uint64, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	p, err := ix.grouping(by, ix.filtered(Cell{Stacks: only})).pass(ctx, keys)
	if err != nil {
		return nil, err
	}
	return p.histories(keys, n), ctx.Err()
}

// Shapes implements [Trace].
func (ix *FileIndex) Shapes(ctx context.Context, by Group, only StackFilter, keys []Key) ([]Shape, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	p, err := ix.grouping(by, ix.filtered(Cell{Stacks: only})).pass(ctx, keys)
	if err != nil {
		return nil, err
	}
	return p.shapesOf(keys), ctx.Err()
}

// Histograms implements [Trace].
func (ix *FileIndex) Histograms(ctx context.Context, rg Range) (sizes, lifetimes []Bucket, err error) {
	g, err := ix.Grid(ctx, GridQuery{Range: rg, All: true})
	if err != nil {
		return nil, nil, err
	}
	var bySize, byLife [sizeClasses]Bucket
	for s := range g {
		for l, c := range g[s] {
			bySize[s].addAll(c)
			if l != NeverFreed {
				byLife[l].addAll(c)
			}
		}
	}
	return buckets(&bySize), buckets(&byLife), nil
}

func (b *Bucket) addAll(c GridCell) {
	b.Count += c.Count
	b.Bytes, _ = model.SaturatingAdd(b.Bytes, c.Bytes)
}

// gridCache keeps the last grid of blocks of every group: it costs reading all events of its range.
type gridCache struct {
	mu     sync.Mutex
	events int // of the index
	lo, hi int // that the grid is about
	grid   *Grid
}

// get returns a copy of the grid of events [lo, hi), nil if it is not there.
func (c *gridCache) get(events, lo, hi int) *Grid {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.grid == nil || c.events != events || c.lo != lo || c.hi != hi {
		return nil
	}
	g := *c.grid
	return &g
}

func (c *gridCache) put(events, lo, hi int, g Grid) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.events, c.lo, c.hi, c.grid = events, lo, hi, &g
}

// Grid implements [Trace].
func (ix *FileIndex) Grid(ctx context.Context, q GridQuery) (*Grid, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	r, n := ix.reader(), ix.events()
	lo, hi := r.eventRange(q.Range)
	if r.err != nil {
		return nil, r.err
	}
	if !q.All {
		return ix.makeGrid(ctx, q, lo, hi)
	}
	if g := ix.grids.get(n, lo, hi); g != nil {
		return g, ctx.Err()
	}
	g, err := ix.makeGrid(ctx, q, lo, hi)
	if err == nil && ix.events() == n { // what is still arriving may end blocks
		ix.grids.put(n, lo, hi, *g)
	}
	return g, err
}

func (ix *FileIndex) makeGrid(ctx context.Context, q GridQuery, lo, hi int) (*Grid, error) {
	by, out := ix.grouping(q.By, Cell{}), new(Grid)
	err := ix.eachBorn(ctx, lo, hi, func(b *fileBlock) {
		if q.All || by.keyOf(b) == q.Key {
			at := &out[SizeClass(b.size)][b.lifeClass()]
			at.Count++
			at.Bytes, _ = model.SaturatingAdd(at.Bytes, b.size)
		}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Lifetimes implements [Trace].
func (ix *FileIndex) Lifetimes(ctx context.Context, by Group, key Key, rg Range, only StackFilter) (Lifetimes, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	r := ix.reader()
	lo, hi := r.eventRange(rg)
	if r.err != nil {
		return Lifetimes{}, r.err
	}
	g := ix.grouping(by, ix.filtered(Cell{Stacks: only}))
	var lives []model.Time
	var out Lifetimes
	sum := 0.0
	err := ix.eachBorn(ctx, lo, hi, func(b *fileBlock) {
		if g.keyOf(b) != key || !ix.in(g.in, b) {
			return
		}
		out.Threads = addThread(out.Threads, ix.threads[ix.sites.thread[b.site]])
		if b.died == alive {
			out.NeverFreed++
			return
		}
		t := b.diedAt - b.bornAt
		lives = append(lives, t)
		sum += float64(t)
	})
	slices.Sort(out.Threads)
	if err != nil || len(lives) == 0 {
		return out, err
	}
	slices.Sort(lives)
	out.Freed = uint64(len(lives))
	out.Min, out.Median, out.Max = lives[0], lives[len(lives)/2], lives[len(lives)-1]
	out.Mean = sum / float64(len(lives))
	return out, nil
}
