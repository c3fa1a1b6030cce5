package traceindex

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/model"
)

// Leaks implements [analysis.Trace].
func (ix *Index) Leaks(ctx context.Context, q analysis.LeakQuery) (analysis.Leaks, error) {
	if q.Range.IsFull() && q.Cell.IsAll() {
		ix.warm(ctx, q.By)
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	in := ix.Filtered(q.Cell)
	lo, hi := ix.eventRange(q.Range)
	from, to := ix.bounds(q.Range)
	end := min(to, ix.duration())
	var blocks []uint32
	ix.kept(lo, hi, func(b uint32) {
		if end-ix.bornAt(b) >= q.MinAge && ix.in(in, b) {
			blocks = append(blocks, b)
		}
	})
	l := leakList{ix: ix, by: q.By, in: in, from: from, to: to, end: end}
	return l.make(ctx, blocks, lo, hi)
}

// LateFreed implements [analysis.Trace]. Ages are lifetimes.
func (ix *Index) LateFreed(ctx context.Context, c analysis.Cell) (analysis.Leaks, error) {
	ix.warm(ctx, analysis.ByStack)
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	in := ix.Filtered(c)
	duration := ix.duration()
	late := duration - group.PercentOf(duration, group.LatePercent)
	first := ix.time.search(func(t model.Time) bool { return t >= late })
	var blocks []uint32
	for i := first; i < ix.time.n; i++ {
		if ix.kind.At(i) != evFree {
			continue
		}
		if b := ix.ref.At(i); ix.lifetime(int(b), uint32(i)) >= group.PercentOf(duration, group.LongPercent) && ix.in(in, b) {
			blocks = append(blocks, b)
		}
	}
	l := leakList{ix: ix, in: in, to: duration, end: duration, late: true}
	return l.make(ctx, blocks, 0, ix.time.n)
}

func (ix *Index) bornAt(block uint32) model.Time { return ix.time.At(int(ix.born.At(int(block)))) }

// leakList puts blocks together by group.
type leakList struct {
	ix            *Index
	by            analysis.Group
	in            group.Scope
	from, to, end model.Time // the range, and the instant that ages count to
	late          bool       // blocks were freed, at the end of the run

	ages    []model.Time                    // of one group, reused
	history [analysis.HistoryColumns]uint64 // of one group, reused
}

// make groups blocks, which come in any order.
func (l *leakList) make(ctx context.Context, blocks []uint32, lo, hi int) (analysis.Leaks, error) {
	ix := l.ix
	d, f := group.DimOf(l.by), ix.FoldIn(l.by, l.in.Set)
	slices.SortFunc(blocks, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(f.KeyOf(ix.key(d, a)), f.KeyOf(ix.key(d, b))), cmp.Compare(a, b))
	})
	sites := ix.siteSums(l.by, l.in, lo, hi, hi)
	ix.addPeaks(ctx, l.by, l.in, sites, lo, hi)
	ix.addKept(l.by, l.in, sites, lo, hi)
	var out analysis.Leaks
	of := map[analysis.Key][]uint32{}
	for len(blocks) > 0 {
		if err := ctx.Err(); err != nil {
			return analysis.Leaks{}, err
		}
		k := f.KeyOf(ix.key(d, blocks[0]))
		n := 1
		for n < len(blocks) && f.KeyOf(ix.key(d, blocks[n])) == k {
			n++
		}
		site := l.site(sites[k], blocks[:n])
		of[site.Key] = blocks[:n]
		out.Bytes, _ = model.SaturatingAdd(out.Bytes, site.Bytes)
		out.Count += site.Count
		out.Sites = append(out.Sites, site)
		blocks = blocks[n:]
	}
	l.name(out.Sites)
	slices.SortFunc(out.Sites, func(a, b analysis.LeakSite) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Stack, b.Stack))
	})
	for i := range out.Sites[:min(len(out.Sites), group.HistoryRows)] {
		s := &out.Sites[i]
		l.follow(of[s.Key])
		s.History = slices.Clone(l.history[:])
	}
	return out, nil
}

func (l *leakList) name(sites []analysis.LeakSite) {
	rows := make([]analysis.Site, len(sites))
	for i := range sites {
		rows[i] = sites[i].Site
	}
	l.ix.NameSites(l.by, l.ix.FoldIn(l.by, l.in.Set), rows)
	for i := range sites {
		sites[i].Site = rows[i]
	}
}

// site sums up the blocks of one group, given in the order of birth.
func (l *leakList) site(s analysis.Site, blocks []uint32) analysis.LeakSite {
	out := analysis.LeakSite{Site: s, Count: uint64(len(blocks)), First: l.ix.bornAt(blocks[0]), Last: l.ix.bornAt(blocks[len(blocks)-1])}
	l.ages = l.ages[:0]
	for _, b := range blocks {
		l.ages = append(l.ages, l.age(b))
		out.Bytes, _ = model.SaturatingAdd(out.Bytes, l.ix.size.At(int(b)))
		out.Threads = group.AddThread(out.Threads, l.ix.Threads[l.ix.thread.At(int(b))])
	}
	slices.Sort(out.Threads)
	slices.Sort(l.ages)
	out.Newest, out.Median, out.Oldest = l.ages[0], l.ages[len(l.ages)/2], l.ages[len(l.ages)-1]
	return out
}

// follow adds the blocks up over the range, into l.history.
func (l *leakList) follow(blocks []uint32) {
	clear(l.history[:])
	for _, b := range blocks {
		col := &l.history[group.ColumnOf(l.ix.bornAt(b), l.from, l.to)]
		*col, _ = model.SaturatingAdd(*col, l.ix.size.At(int(b)))
	}
	for i := 1; i < len(l.history); i++ {
		l.history[i], _ = model.SaturatingAdd(l.history[i], l.history[i-1])
	}
}

// age is how long a block has lived at the end, or had lived when it was freed before.
func (l *leakList) age(b uint32) model.Time {
	if died := l.ix.died.At(int(b)); died != alive && l.ix.time.At(int(died)) <= l.end {
		return l.ix.lifetime(int(b), died)
	}
	return l.end - l.ix.bornAt(b)
}

// Lifetimes implements [analysis.Trace].
func (ix *Index) Lifetimes(ctx context.Context, by analysis.Group, key analysis.Key, r analysis.Range, only calltree.Filter) (analysis.Lifetimes, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	in := ix.Filtered(analysis.Cell{Stacks: only})
	d, f := group.DimOf(by), ix.FoldIn(by, in.Set)
	lo, hi := ix.eventRange(r)
	first := firstOver(&ix.born, func(b uint32) bool { return int(b) >= lo })
	var lives []model.Time
	var out analysis.Lifetimes
	sum := 0.0
	for b := first; b < ix.born.N && int(ix.born.At(b)) < hi; b++ {
		if b&column.ChunkMask == 0 && ctx.Err() != nil {
			return analysis.Lifetimes{}, ctx.Err()
		}
		if f.KeyOf(ix.key(d, uint32(b))) != key || !ix.in(in, uint32(b)) {
			continue
		}
		out.Threads = group.AddThread(out.Threads, ix.Threads[ix.thread.At(b)])
		died := ix.died.At(b)
		if died == alive {
			out.Stayed(ix.duration() - ix.bornAt(uint32(b)))
			continue
		}
		t := ix.lifetime(b, died)
		lives = append(lives, t)
		sum += float64(t)
		out.Died(t)
	}
	slices.Sort(out.Threads)
	if len(lives) == 0 {
		return out, ctx.Err()
	}
	slices.Sort(lives)
	out.Min, out.Median = lives[0], lives[len(lives)/2]
	out.Mean = sum / float64(len(lives))
	return out, ctx.Err()
}

// Lives implements [analysis.Trace].
func (ix *Index) Lives(ctx context.Context, keys []analysis.Key) ([]analysis.Lives, error) {
	out := make([]analysis.Lives, len(keys))
	for i, k := range keys {
		l, err := ix.Lifetimes(ctx, analysis.ByStack, k, analysis.FullRange, "")
		if err != nil {
			return nil, err
		}
		out[i] = l.Lives
	}
	return out, nil
}

// HeldAtPeak implements [analysis.Trace].
func (ix *Index) HeldAtPeak(ctx context.Context, key analysis.Key) (model.Time, error) {
	p, ok, err := ix.Peak(ctx, analysis.FullRange)
	if err != nil || !ok {
		return 0, err
	}
	list, err := ix.Blocks(ctx, analysis.BlockQuery{At: p.Instant, Key: key})
	if err != nil || list.Len() > analysis.MostPeakBlocks {
		return 0, err
	}
	type change struct {
		at   model.Time
		size uint64
	}
	var births, deaths []change
	total := uint64(0)
	for i := range list.Len() {
		b := list.Row(i)
		if b.Died == model.NoTime {
			b.Died = ix.Status().Duration
		}
		births, deaths = append(births, change{b.Born, b.Size}), append(deaths, change{b.Died, b.Size})
		total, _ = model.SaturatingAdd(total, b.Size)
	}
	half := func(list []change) model.Time {
		slices.SortFunc(list, func(a, b change) int { return cmp.Compare(a.at, b.at) })
		sum := uint64(0)
		for _, c := range list {
			if sum, _ = model.SaturatingAdd(sum, c.size); sum >= total-total/2 {
				return c.at
			}
		}
		return 0
	}
	return max(half(deaths)-half(births), 0), nil
}
