package traceindex

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/model"
)

// Leaks implements [analysis.Trace].
func (ix *fileIndex) Leaks(ctx context.Context, q analysis.LeakQuery) (analysis.Leaks, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	r := ix.reader()
	lo, hi := r.eventRange(q.Range)
	if r.err != nil {
		return analysis.Leaks{}, r.err
	}
	in := ix.Filtered(q.Cell)
	l, err := ix.leakSums(ctx, q.By, in, q.Range), error(nil)
	if wholeLeaks(&q) {
		err = l.addWhole(ctx, neverFreed)
	} else {
		err = ix.eachKept(ctx, lo, hi, func(b *fileBlock) {
			if age := l.end - b.bornAt; age >= q.MinAge && ix.in(in, b) {
				l.add(b, age)
			}
		})
	}
	if err = cmp.Or(err, l.err); err != nil {
		return analysis.Leaks{}, err
	}
	return l.list(ctx, lo, hi)
}

// LateFreed implements [analysis.Trace]. Ages are lifetimes.
func (ix *fileIndex) LateFreed(ctx context.Context, c analysis.Cell) (analysis.Leaks, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	in := ix.Filtered(c)
	l, err := ix.leakSums(ctx, analysis.ByStack, in, analysis.FullRange), error(nil)
	if in.IsAll() {
		err = l.addWhole(ctx, freedLate)
	} else {
		err = l.addLate(ctx, in)
	}
	if err = cmp.Or(err, l.err); err != nil {
		return analysis.Leaks{}, err
	}
	return l.list(ctx, 0, ix.events())
}

// addLate adds the blocks that were freed late.
func (l *leakSums) addLate(ctx context.Context, in group.Scope) error {
	ix, duration := l.ix, l.ix.duration()
	late := duration - group.PercentOf(duration, group.LatePercent)
	return ix.eachLong(ctx, group.PercentOf(duration, group.LongPercent), late, func(b *fileBlock) {
		if !ix.overwrites(int(b.died)) && ix.in(in, b) {
			l.add(b, b.diedAt-b.bornAt)
		}
	})
}

// eachLong calls f for the blocks that ended at the instant late or after it, and after a lifetime of at least least, in
// order of birth. A block is valid until f returns.
func (ix *fileIndex) eachLong(ctx context.Context, least, late model.Time, f func(b *fileBlock)) error {
	take := func(b *fileBlock) {
		if b.died != alive && b.diedAt >= late && b.diedAt-b.bornAt >= least {
			f(b)
		}
	}
	records := ix.walkRecords()
	for _, c := range ix.chunks {
		if ix.duration()-c.begin < least {
			break
		}
		if c.end-c.begin >= least { // blocks without a record may also live that long
			v, err := ix.view(c)
			if err != nil {
				return err
			}
			ix.bornIn(v, 0, c.n, take)
			ix.done(v)
			continue
		}
		early := max(late, c.begin+least)
		for r := int(c.firstRec); r < int(c.firstRec+c.records); r++ {
			if ix.records.diedAt.At(r) >= early {
				take(records.to(r))
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// overwrites reports whether an event is an allocation over a live address.
func (ix *fileIndex) overwrites(event int) bool {
	c := ix.chunks[ix.chunkAt(event)]
	_, ok := slices.BinarySearchFunc(c.over, uint32(event-c.first), func(o overEnd, e uint32) int { return cmp.Compare(o.event, e) })
	return ok
}

// leakSums sums up blocks by group, in order of birth.
type leakSums struct {
	*grouping                // whose rows are those of sites
	from, to, end model.Time // the range, and the instant at which ages are taken
	sites         []leakSum
	most          int   // number of sites that fit into memory
	short         error // the error if there are more
	err           error // set to short once there are more
}

// leakSiteBytes is about how much memory one site takes until the answer is complete.
const leakSiteBytes = 1200

type leakSum struct {
	analysis.LeakSite
	ages column.AgeList
}

func (ix *fileIndex) leakSums(ctx context.Context, by analysis.Group, in group.Scope, rg analysis.Range) *leakSums {
	l := &leakSums{grouping: ix.grouping(by, in)}
	l.slot = make([]uint32, l.keys)
	l.from, l.to = ix.bounds(rg)
	l.end = min(l.to, ix.duration())
	l.most = math.MaxInt
	if b := model.BudgetOf(ctx); !b.Fits(leakSiteBytes * int64(l.keys)) {
		l.most = int(b.Left() / leakSiteBytes)
		l.short = b.Error("the list of leaks")
	}
	return l
}

// add adds one block.
func (l *leakSums) add(b *fileBlock, age model.Time) {
	k := l.keyOf(b)
	if l.slot[k] == 0 {
		if len(l.sites) >= l.most {
			l.err, l.sites = l.short, nil
			clear(l.slot)
		}
		if l.err != nil {
			return
		}
		l.put(k, analysis.LeakSite{History: make([]uint64, analysis.HistoryColumns), First: b.bornAt})
	}
	s := &l.sites[l.slot[k]-1]
	s.Count++
	s.Last = b.bornAt
	s.ages.Add(age)
	s.Bytes, _ = model.SaturatingAdd(s.Bytes, b.size)
	col := group.ColumnOf(b.bornAt, l.from, l.to)
	s.History[col], _ = model.SaturatingAdd(s.History[col], b.size)
	s.Threads = group.AddThread(s.Threads, l.ix.Threads[l.ix.sites.Thread[b.site]])
}

// put adds a site of a key that has none.
func (l *leakSums) put(k analysis.Key, s analysis.LeakSite) {
	s.Key = k
	l.sites = append(l.sites, leakSum{LeakSite: s})
	l.slot[k] = uint32(len(l.sites))
}

// list returns the answer, with figures of events [lo, hi).
func (l *leakSums) list(ctx context.Context, lo, hi int) (out analysis.Leaks, err error) {
	if len(l.sites) == 0 {
		return out, ctx.Err()
	}
	rows, err := l.sums(ctx, lo, hi, hi)
	if err == nil {
		err = l.addPeaks(ctx, rows, lo, hi)
	}
	if err == nil {
		err = l.addKept(ctx, rows, lo, hi)
	}
	if err != nil {
		return out, err
	}
	l.ix.NameSites(l.by, l.f, rows)
	l.seal()
	noThreads := l.ix.meta().NoThreads
	out.Sites = make([]analysis.LeakSite, len(rows))
	for i := range rows {
		s := &out.Sites[i]
		*s = l.sites[i].LeakSite
		s.Site = rows[i]
		if noThreads {
			s.Threads = nil
		}
		out.Bytes, _ = model.SaturatingAdd(out.Bytes, s.Bytes)
		out.Count += s.Count
	}
	slices.SortFunc(out.Sites, func(a, b analysis.LeakSite) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(b.Count, a.Count), cmp.Compare(a.Stack, b.Stack),
			cmp.Compare(a.Key, b.Key))
	})
	for i := group.HistoryRows; i < len(out.Sites); i++ {
		out.Sites[i].History = nil
	}
	return out, nil
}

// seal computes what depends on all blocks of a site, unless it is known.
func (l *leakSums) seal() {
	var memory column.AgeMemory
	for i := range l.sites {
		s := &l.sites[i]
		if s.ages.N == 0 {
			continue
		}
		for i := 1; i < len(s.History); i++ {
			s.History[i], _ = model.SaturatingAdd(s.History[i], s.History[i-1])
		}
		slices.Sort(s.Threads)
		s.Newest, s.Median, s.Oldest = s.ages.Least, s.ages.Middle(&memory), s.ages.Most
		s.ages = column.AgeList{}
	}
}
