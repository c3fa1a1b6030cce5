package traceindex

import (
	"context"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/analysis/traceindex/shared"
	"github.com/memtui/memtui/model"
)

// pass returns the pass of a group over everything loaded, or, while more is arriving, over most of it, with the
// histories of the keys in want.
func (g *grouping) pass(ctx context.Context, want []analysis.Key) (*group.Pass, error) {
	ix, n := g.ix, g.ix.events()
	if p := g.kept(n, want); p != nil {
		return p, nil
	}
	if !ix.settled() || !ix.levelsFit() || g.set != nil {
		return g.makePasses(ctx, n, []*grouping{g}, want)
	}
	err := ix.shared(ctx, passID{g.by, len(want)}, func(ctx context.Context) error {
		groups := []*grouping{g}
		for _, by := range companions(g.by) {
			if other := ix.grouping(by, group.Scope{}); other.kept(n, nil) == nil {
				groups = append(groups, other)
			}
		}
		_, err := g.makePasses(ctx, n, groups, want)
		return err
	})
	if err != nil {
		return nil, err
	}
	if p := g.kept(n, want); p != nil {
		return p, nil
	}
	return g.makePasses(ctx, n, []*grouping{g}, want) // the one in progress was for other keys
}

// companions returns the groups that are computed along with another, at little extra cost.
func companions(by analysis.Group) []analysis.Group {
	together := []analysis.Group{analysis.ByStack, analysis.ByThread, analysis.BySizeClass}
	if group.DimOf(by) == column.DimStack && by != analysis.ByStack {
		together = []analysis.Group{analysis.ByFunction, analysis.ByOwner, analysis.ByFile, analysis.ByModule}
	}
	return slices.DeleteFunc(together, func(other analysis.Group) bool { return other == by })
}

type passID struct {
	by   analysis.Group
	keys int
}

// kept returns the cached pass, or nil if it does not cover the request.
func (g *grouping) kept(n int, want []analysis.Key) *group.Pass {
	ix := g.ix
	p := ix.Groups.PassIn(g.by, g.set)
	fresh := p != nil && (p.Events == n || !ix.status.Final && p.Events > n/4*3)
	if fresh && group.SameNames(p.Fold, g.f) && p.Follows(want) {
		return p
	}
	return nil
}

// makePasses computes and caches the passes of some groups, and returns the first.
func (g *grouping) makePasses(ctx context.Context, n int, groups []*grouping, want []analysis.Key) (*group.Pass, error) {
	ix := g.ix
	var passes []*group.Pass
	var err error
	if ix.levelsFit() {
		passes, err = ix.passes(ctx, n, groups, want)
	} else {
		passes = make([]*group.Pass, 1)
		groups = groups[:1]
		passes[0], err = g.makePass(ctx, n, want)
	}
	if err != nil {
		return nil, err
	}
	for i, p := range passes {
		ix.Groups.KeepPass(groups[i].by, groups[i].set, p)
	}
	return passes[0], nil
}

// makePass is passes for levels that may not fit 63 bits: it replays every event in order.
func (g *grouping) makePass(ctx context.Context, n int, want []analysis.Key) (*group.Pass, error) {
	ix := g.ix
	b := group.NewPassBuilder(g.f, n, g.keys, want)
	edges, err := ix.columnEnds(n)
	if err != nil {
		return nil, err
	}
	err = ix.eachView(ctx, 0, n, func(v *view, from, to int) {
		for from < to { // column by column
			for v.c.first+from >= edges[b.Col] {
				b.EndColumn()
			}
			end := min(to, edges[b.Col]-v.c.first)
			ix.eachChange(v, from, end, func(_ int, r column.Ref, how column.Change) {
				if site, size := ix.siteSize(v, r); g.keeps(site) {
					b.Change(g.key(site, size), size, how)
				}
			})
			from = end
		}
	})
	for b.Col < analysis.HistoryColumns {
		b.EndColumn()
	}
	return b.Out, err
}

// keysOfSites returns the keys of all sites that the group knows, or nil if keys depend on the size.
func (g *grouping) keysOfSites() []analysis.Key {
	if g.d == column.DimSize {
		return nil
	}
	of := g.ix.sites.Stack
	if g.d == column.DimThread {
		of = g.ix.sites.Thread
	}
	keys := make([]analysis.Key, 0, len(of))
	for _, k := range of {
		if int(k) >= g.known(int(k)+1) {
			break // added later
		}
		keys = append(keys, g.f.KeyOf(k))
	}
	return keys
}

// History implements [analysis.Trace]. If n exceeds HistoryColumns, columns repeat.
func (ix *fileIndex) History(ctx context.Context, by analysis.Group, only calltree.Filter, keys []analysis.Key, n int) ([][]uint64, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	p, err := ix.grouping(by, ix.Filtered(analysis.Cell{Stacks: only})).pass(ctx, keys)
	if err != nil {
		return nil, err
	}
	out, err := p.Histories(keys, n)
	if err != nil {
		return nil, err
	}
	return out, ctx.Err()
}

// Histograms implements [analysis.Trace].
func (ix *fileIndex) Histograms(ctx context.Context, rg analysis.Range) (sizes, lifetimes []analysis.Bucket, err error) {
	g, err := ix.Grid(ctx, analysis.GridQuery{Range: rg, All: true})
	if err != nil {
		return nil, nil, err
	}
	var bySize, byLife [analysis.SizeClasses]analysis.Bucket
	for s := range g {
		for l, c := range g[s] {
			bySize[s].AddAll(c)
			if l != analysis.NeverFreed {
				byLife[l].AddAll(c)
			}
		}
	}
	return group.Buckets(&bySize), group.Buckets(&byLife), nil
}

// Grid implements [analysis.Trace].
func (ix *fileIndex) Grid(ctx context.Context, q analysis.GridQuery) (*analysis.Grid, error) {
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
	if g := ix.grids.Get(n, lo, hi); g != nil {
		return g, ctx.Err()
	}
	g, err := ix.makeGrid(ctx, q, lo, hi)
	if err == nil && ix.events() == n { // later events may end blocks
		ix.grids.Put(n, lo, hi, *g)
	}
	return g, err
}

func (ix *fileIndex) makeGrid(ctx context.Context, q analysis.GridQuery, lo, hi int) (*analysis.Grid, error) {
	by, out := ix.grouping(q.By, group.Scope{}), new(analysis.Grid)
	var grids []*analysis.Grid
	err := ix.together(ctx, lo, hi, func() chunkWork {
		g := new(analysis.Grid)
		grids = append(grids, g)
		counts := blockCounts{ix: ix, grid: g}
		if !q.All {
			counts.by, counts.key = by, q.Key
		}
		return func(_ int, v *view, from, to int) { counts.add(v, from, to) }
	})
	if err != nil {
		return nil, err
	}
	for _, g := range grids {
		out.Add(g)
	}
	return out, nil
}

// blockCounts counts blocks by size and lifetime.
type blockCounts struct {
	ix    *fileIndex
	grid  *analysis.Grid  // nil if it is not needed
	lives *group.LifeSums // nil if they are not needed
	by    *grouping       // of key; nil for all blocks
	key   analysis.Key
}

// add counts the blocks that are born in events [from, to) of a view.
func (b *blockCounts) add(v *view, from, to int) {
	for p := v.payload(from); p < len(v.event) && int(v.event[p]) < to; p++ {
		size := v.events.Size[p]
		if v.events.Kind[v.event[p]] != model.Alloc || b.by != nil && b.by.key(v.site[p], size) != b.key {
			continue
		}
		class := b.ix.lifeClass(v, p)
		if b.grid != nil {
			b.grid[analysis.SizeClass(size)][class].Add(1, size)
		}
		if b.lives != nil {
			b.countLife(v, p, class)
		}
	}
}

// Lifetimes implements [analysis.Trace].
func (ix *fileIndex) Lifetimes(ctx context.Context, by analysis.Group, key analysis.Key, rg analysis.Range,
	only calltree.Filter) (analysis.Lifetimes, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	r := ix.reader()
	lo, hi := r.eventRange(rg)
	if r.err != nil {
		return analysis.Lifetimes{}, r.err
	}
	g := ix.grouping(by, ix.Filtered(analysis.Cell{Stacks: only}))
	var all group.Lifetimes
	parts := shared.InOrder[group.Lifetimes]{Take: all.Add}
	err := ix.together(ctx, lo, hi, func() chunkWork {
		return func(n int, v *view, from, to int) {
			var l group.Lifetimes
			for p := v.payload(from); p < len(v.event) && int(v.event[p]) < to; p++ {
				if v.events.Kind[v.event[p]] == model.Alloc && g.key(v.site[p], v.events.Size[p]) == key && g.keeps(v.site[p]) {
					ix.addLifetime(&l, v, p)
				}
			}
			parts.Put(n, l)
		}
	})
	if err != nil {
		return analysis.Lifetimes{}, err
	}
	return all.Sum(!ix.meta().NoThreads), nil
}

// addLifetime adds the lifetime of a block of a view.
func (ix *fileIndex) addLifetime(l *group.Lifetimes, v *view, p int) {
	b := ix.blockOf(v, p)
	l.Thread(ix.Threads[ix.sites.Thread[b.site]])
	if b.died == alive {
		l.Stayed(ix.duration() - b.bornAt)
	} else {
		l.Died(b.diedAt - b.bornAt)
	}
}
