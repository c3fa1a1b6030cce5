package traceindex

import (
	"context"
	"math/bits"
	"slices"
	"sort"
	"sync"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/model"
)

// keeps reports whether the stack of a site passes the filter.
func (g *grouping) keeps(site uint32) bool {
	return g.set == nil || g.set.Has(g.ix.sites.Stack[site])
}

// key returns the key of a site's block in a dimension.
func (ix *fileIndex) key(d column.Dim, site uint32, size uint64) uint32 {
	switch d {
	case column.DimStack:
		return ix.sites.Stack[site]
	case column.DimThread:
		return ix.sites.Thread[site]
	}
	return sizeClass(size)
}

// sumsAt returns the sums of one dimension after n events, with a cell for each key known now. The result may be
// shared: read-only.
func (ix *fileIndex) sumsAt(d column.Dim, n int) ([]column.Cell, error) {
	now := ix.sums[d]
	if n >= ix.events() {
		return now, nil
	}
	if p := ix.whole.peak(); p != nil && n == p.events {
		return p.sums[d], nil
	}
	out := make([]column.Cell, len(now))
	k, from := ix.chunkAt(n), 0
	c := ix.chunks[k]
	part := ix.ahead(c, n > c.first)
	if i := sort.Search(len(ix.checkpoints), func(i int) bool { return ix.checkpoints[i].chunk > k }); i > 0 {
		from = ix.checkpoints[i-1].chunk
		copy(out, ix.checkpoints[i-1].Sums[d])
	}
	for ; from < k; from++ {
		column.AddCells(out, ix.chunks[from].sums[d])
	}
	v, err := part()
	if v != nil {
		ix.addBegin(out, d, v, n-c.first)
		ix.done(v)
	}
	return out, err
}

// ahead starts reading a chunk, if it is needed, and returns a function that returns its view. That must be called,
// with the lock held all the time.
func (ix *fileIndex) ahead(c *chunk, needed bool) func() (*view, error) {
	if !needed {
		return func() (*view, error) { return nil, nil }
	}
	var v *view
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = model.Guarded(func() (err error) {
			v, err = ix.view(c)
			return err
		})
	}()
	return func() (*view, error) {
		<-done
		return v, err
	}
}

// addBegin adds the first n events of a view to the sums of a dimension. It is eachChange inlined, since it runs on
// every move of the cursor. hot kernel
func (ix *fileIndex) addBegin(out []column.Cell, d column.Dim, v *view, n int) {
	of := ix.sites.Stack
	if d == column.DimThread {
		of = ix.sites.Thread
	}
	if d == column.DimSize {
		of = nil
	}
	over := v.c.over
	kinds, sizes, sites, refs := v.events.Kind[:n], v.events.Size, v.site, v.refs
	p, free := 0, 0
	for i, kind := range kinds {
		switch kind {
		case model.Alloc:
			if len(over) > 0 && int(over[0].event) == i {
				site, size := ix.siteSize(v, over[0].ref)
				out[ix.key(d, site, size)].Apply(column.Overwrote, size)
				over = over[1:]
			}
			size := sizes[p]
			k := sizeClass(size)
			if of != nil {
				k = of[sites[p]]
			}
			c := &out[k]
			c.AllocBytes, _ = model.SaturatingAdd(c.AllocBytes, size)
			c.AllocCount++
			p++
		case model.Free:
			r := refs[free]
			free++
			if r == column.NoRef {
				continue
			}
			var site uint32
			var size uint64
			q, ok := r.Local()
			if ok {
				site, size = sites[q], sizes[q]
			} else {
				site, size = ix.records.origin.At(int(r))
			}
			k := sizeClass(size)
			if of != nil {
				k = of[site]
			}
			c := &out[k]
			c.EndedBytes, _ = model.SaturatingAdd(c.EndedBytes, size)
			c.EndedCount++
			if (ok && q == p-1 || i == 0) && ix.howFreed(v, i, p, r) == column.FreedAtOnce {
				c.Temporary++
			}
		default:
			p++
		}
	}
}

// allSums returns sumsAt for several numbers of events, computed in parallel.
func (ix *fileIndex) allSums(ctx context.Context, d column.Dim, after []int) ([][]column.Cell, error) {
	out, errs := make([][]column.Cell, len(after)), make([]error, len(after))
	var adding sync.WaitGroup
	for i, n := range after {
		if k := slices.Index(after, n); k == i {
			adding.Go(func() { errs[i] = model.Guarded(func() (err error) { out[i], err = ix.sumsAt(d, n); return err }) })
		}
	}
	adding.Wait()
	for i, n := range after {
		k := slices.Index(after, n)
		if out[i] = out[k]; errs[k] != nil { // shared: read-only
			return nil, errs[k]
		}
	}
	return out, ctx.Err()
}

// sumsIn returns sumsAt for several numbers of events, counting blocks in a cell only.
func (ix *fileIndex) sumsIn(ctx context.Context, d column.Dim, in group.Scope, after ...int) (out [][]column.Cell, err error) {
	in = in.Of(d)
	if in.IsAll() {
		return ix.allSums(ctx, d, after)
	}
	if ix.settled() {
		kept, err := ix.cellSums(ctx, in)
		for i := 0; i < len(after) && err == nil; i++ {
			var sums []column.Cell
			if i > 0 && after[i] == after[i-1] {
				sums = out[i-1] // read-only
			} else {
				sums, err = kept.sumsAt(ix, d, after[i])
			}
			out = append(out, sums)
		}
		return out, err
	}
	last := 0
	for _, n := range after {
		out = append(out, make([]column.Cell, 0))
		last = max(last, n)
	}
	add := func(i int, b *fileBlock, how column.Change) {
		k := ix.key(d, b.site, b.size)
		if n := len(ix.sums[d]); len(out[i]) < n { // there may be more since this began
			out[i] = append(out[i], make([]column.Cell, n-len(out[i]))...)
		}
		out[i][k].Apply(how, b.size)
	}
	err = ix.replay(ctx, 0, last, func(v *view, event int, r column.Ref, how column.Change) {
		b := ix.refBlock(v, r)
		if !ix.in(in, &b) {
			return
		}
		for i, n := range after {
			if event < n {
				add(i, &b, how)
			}
		}
	})
	for i := range out {
		out[i] = append(out[i], make([]column.Cell, len(ix.sums[d])-len(out[i]))...)
	}
	return out, err
}

func (b *fileBlock) lifeClass() int {
	if b.died == alive {
		return analysis.NeverFreed
	}
	return bits.Len64(uint64(b.diedAt - b.bornAt))
}

// in reports whether a block is in a cell.
func (ix *fileIndex) in(c group.Scope, b *fileBlock) bool {
	if c.Set != nil && !c.Set.Has(ix.sites.Stack[b.site]) {
		return false
	}
	return c.Rectangle().IsAll() || c.Has(analysis.SizeClass(b.size), b.lifeClass())
}

// grouping is a group as one answer sees it from begin to end, while more may be loaded.
type grouping struct {
	ix   *fileIndex
	by   analysis.Group
	d    column.Dim
	f    *group.Fold
	in   group.Scope     // only blocks in it; without its filter of stacks where f applies that
	set  *group.StackSet // the filtered stacks, nil for all
	keys int
	slot []uint32 // by key: the number of its row + 1, 0 if it has none; nil if each key is the number of its row
}

func (ix *fileIndex) grouping(by analysis.Group, in group.Scope) *grouping {
	g := &grouping{ix: ix, by: by, d: group.DimOf(by), f: ix.FoldIn(by, in.Set), in: in.Of(group.DimOf(by)), set: in.Set}
	g.keys = len(ix.sums[g.d])
	if g.f != nil {
		g.keys = len(g.f.Names)
	}
	return g
}

// key returns the key of a site's block in the group.
func (g *grouping) key(site uint32, size uint64) analysis.Key {
	return g.f.KeyOf(g.ix.key(g.d, site, size))
}

func (g *grouping) keyOf(b *fileBlock) analysis.Key { return g.key(b.site, b.size) }

// row returns the number of the row of a key, or -1 if it has none.
func (g *grouping) row(k analysis.Key) int {
	if g.slot == nil {
		return int(k)
	}
	return int(g.slot[k]) - 1
}

// newRows returns empty rows, which have their keys.
func (g *grouping) newRows() []analysis.Site {
	if g.slot == nil {
		rows := make([]analysis.Site, g.keys)
		for k := range rows {
			rows[k].Key = analysis.Key(k)
		}
		return rows
	}
	rows := make([]analysis.Site, slices.Max(g.slot))
	for k, n := range g.slot {
		if n > 0 {
			rows[n-1].Key = analysis.Key(k)
		}
	}
	return rows
}

// siteRowBytes is about how much memory a row takes while it is computed.
const siteRowBytes = 256

// sums returns one row per key that has a row, including empty ones: sums of events [lo, hi), live figures after n
// events.
func (g *grouping) sums(ctx context.Context, lo, hi, n int) ([]analysis.Site, error) {
	ix, d, f := g.ix, g.d, g.f
	if b := model.BudgetOf(ctx); !b.Fits(siteRowBytes * int64(g.keys)) {
		return nil, b.Error("the list of sites")
	}
	sums, err := ix.sumsIn(ctx, d, g.in, lo, hi, n)
	if err != nil {
		return nil, err
	}
	first, last, at := sums[0], sums[1], sums[2]
	rows := g.newRows()
	largest := make([]uint64, len(rows))
	for k := range last[:g.known(len(last))] {
		i := g.row(f.KeyOf(uint32(k)))
		if i < 0 {
			continue
		}
		row := &rows[i]
		a, b, l := &first[k], &last[k], &at[k]
		bytes := b.AllocBytes - a.AllocBytes
		row.AllocBytes, _ = model.SaturatingAdd(row.AllocBytes, bytes)
		row.AllocCount += uint64(b.AllocCount - a.AllocCount)
		group.AddEnded(row, a, b)
		row.Temporary += uint64(b.Temporary - a.Temporary)
		row.LiveBytes, _ = model.SaturatingAdd(row.LiveBytes, l.LiveBytes())
		row.LiveCount += l.LiveCount()
		if d == column.DimStack && (b.AllocCount > a.AllocCount || b.EndedCount > a.EndedCount || l.LiveCount() > 0) {
			row.Sites++
		}
		if d == column.DimStack && (bytes > largest[i] || largest[i] == 0) {
			row.Stack, largest[i] = ix.Ids[k], bytes
		}
	}
	// Temporary blocks are counted when they end, but belong to the range of their allocation.
	err = ix.temporaryAtEdges(lo, hi, func(b *fileBlock, change uint64) {
		if i := g.row(g.keyOf(b)); i >= 0 && ix.in(g.in, b) {
			rows[i].Temporary += change
		}
	})
	return rows, err
}

// known caps n at the number of keys that the dimension had when the grouping was made.
func (g *grouping) known(n int) int {
	if g.f != nil {
		return min(n, len(g.f.Of))
	}
	return min(n, g.keys)
}

// temporaryAtEdges calls f with -1 for a temporary block that ends with the first of events [lo, hi), and with 1 for
// one that ends with the first event after them.
func (ix *fileIndex) temporaryAtEdges(lo, hi int, f func(b *fileBlock, change uint64)) error {
	if lo >= hi {
		return nil
	}
	for _, edge := range []struct {
		event  int
		change uint64
	}{{lo, ^uint64(0)}, {hi, 1}} {
		if edge.event <= 0 || edge.event >= ix.events() {
			continue
		}
		v, err := ix.view(ix.chunks[ix.chunkAt(edge.event)])
		if err != nil {
			return err
		}
		defer ix.done(v)
		i := edge.event - v.c.first
		ix.eachChange(v, i, i+1, func(_ int, r column.Ref, how column.Change) {
			if how == column.FreedAtOnce {
				b := ix.refBlock(v, r)
				f(&b, edge.change)
			}
		})
	}
	return nil
}

// Totals implements [analysis.Trace].
func (ix *fileIndex) Totals(ctx context.Context, rg analysis.Range) (analysis.Totals, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	r := ix.reader()
	lo, hi := r.eventRange(rg)
	if lo == 0 && hi == ix.events() || r.err != nil {
		return ix.totals, r.err
	}
	t := analysis.Totals{}
	for k := ix.chunkAt(lo); k < len(ix.chunks) && ix.chunks[k].first < hi; k++ {
		c := ix.chunks[k]
		if c.first >= lo && c.first+c.n <= hi {
			t.Add(c.totals)
			continue
		}
		v, err := ix.view(c)
		if err != nil {
			return t, err
		}
		part := ix.partTotals(v, max(lo-c.first, 0), min(hi-c.first, c.n))
		ix.done(v)
		t.Add(&part)
	}
	err := ix.temporaryAtEdges(lo, hi, func(_ *fileBlock, change uint64) { t.TemporaryCount += change })
	return t, err
}

// partTotals sums events [from, to) of a view.
func (ix *fileIndex) partTotals(v *view, from, to int) analysis.Totals {
	t := analysis.Totals{Events: uint64(max(to-from, 0))}
	add := func(a *uint64, b uint64) { *a, _ = model.SaturatingAdd(*a, b) }
	for i := from; i < to; i++ {
		if v.events.Kind[i] == model.Free {
			t.FreeCount++
		}
	}
	ix.eachChange(v, from, to, func(event int, r column.Ref, how column.Change) {
		_, size := ix.siteSize(v, r)
		switch how {
		case column.Born:
			t.AllocCount++
			add(&t.AllocBytes, size)
			if v.events.Addr[event] == 0 {
				t.UnaddressedCount++
				add(&t.UnaddressedBytes, size)
			}
		case column.Overwrote:
			t.OverwrittenCount++
			add(&t.OverwrittenBytes, size)
		case column.FreedAtOnce:
			t.TemporaryCount++
			fallthrough
		default:
			t.FreedCount++
			add(&t.FreedBytes, size)
		}
	})
	t.UnmatchedFrees = t.FreeCount - t.FreedCount
	first, last := ix.marksIn(v.c.first+from, v.c.first+to)
	for _, m := range ix.marks[first:max(first, last)] {
		if !m.gc {
			t.MarkerCount++
			continue
		}
		t.GCCount++
		add(&t.GCObjects, m.id)
		add(&t.GCBytes, m.bytes)
	}
	return t
}

// public converts a block to its public form.
func (ix *fileIndex) public(b *fileBlock) analysis.Block {
	return analysis.Block{
		Addr: b.addr, Size: b.size, Born: b.bornAt, Died: b.diedAt,
		Stack: ix.Ids[ix.sites.Stack[b.site]], Thread: ix.Threads[ix.sites.Thread[b.site]],
	}
}
