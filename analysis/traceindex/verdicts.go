package traceindex

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/analysis/traceindex/tally"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
)

// mostJudged limits the number of sites that are judged, largest first. In a hostile file every event may be a site.
const mostJudged = 1 << 15

// Verdicts implements [analysis.Trace].
func (ix *fileIndex) Verdicts(ctx context.Context, by analysis.Group, only calltree.Filter) (verdict.List, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if group.DimOf(by) != column.DimStack || !ix.settled() && !ix.followed() {
		return nil, ctx.Err()
	}
	list, err := ix.judgedNow(ctx)
	if err != nil {
		return nil, err
	}
	if ix.settled() && ix.statusNow().FreesNever {
		list = list.WithoutFrees()
	}
	if by == analysis.ByStack {
		return slices.Clone(list), nil // the file may be closed when it is read
	}
	g := ix.grouping(by, ix.Filtered(analysis.Cell{Stacks: only}))
	return list.By(func(stack uint32) (uint32, bool) {
		return uint32(g.f.KeyOf(stack)), g.set == nil || g.set.Has(stack)
	}), nil
}

// followed reports whether a recording is read while it grows.
func (ix *fileIndex) followed() bool {
	p := ix.Profile()
	return p != nil && p.Meta.Live != ""
}

// soFar are verdicts about a recording that is followed, up to a number of events.
type soFar struct {
	mu     sync.Mutex
	list   verdict.List
	events int
	at     time.Time
}

// freshFor is how long verdicts about a recording that is followed are kept: the questions of one screen share them.
const freshFor = 2 * time.Second

// judgedNow returns the verdicts, or those so far. The lock is held.
func (ix *fileIndex) judgedNow(ctx context.Context) (verdict.List, error) {
	if ix.settled() {
		err := ix.judged(ctx)
		return ix.verdicts, err
	}
	k := &ix.soFar
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.list != nil && (k.events == ix.events() || time.Since(k.at) < freshFor) {
		return k.list, nil
	}
	list, err := ix.judge(ctx, nil)
	if err == nil {
		k.list, k.events, k.at = list, ix.events(), time.Now()
	}
	return list, err
}

// judged computes the verdicts unless they are known. The lock is held, and the index settled.
func (ix *fileIndex) judged(ctx context.Context) error {
	return ix.shared(ctx, judgeID{}, func(ctx context.Context) error {
		if ix.verdicts != nil {
			return nil
		}
		out, err := ix.judge(ctx, ix.tally)
		if err == nil {
			ix.verdicts = out
		}
		return err
	})
}

type judgeID struct{}

// judge returns the verdicts of all sites, by key. It takes one walk over the records, and reads only chunks that are
// so long that a block may live long without a record, and the one in which the program begins to free everything.
func (ix *fileIndex) judge(ctx context.Context, t *tally.Tally) (verdict.List, error) {
	if ix.events() == 0 {
		return verdict.List{}, ctx.Err()
	}
	j, err := ix.newJudge(ctx)
	if err != nil {
		return nil, err
	}
	if t != nil && !t.Begin() {
		t = nil
	}
	records := ix.walkRecords()
	for _, c := range ix.chunks {
		if j.reads(c) {
			v, err := ix.view(c)
			if err != nil {
				return nil, err
			}
			ix.bornIn(v, 0, c.n, j.add)
			ix.done(v)
		}
		for r := int(c.firstRec); r < int(c.firstRec+c.records); r++ {
			b := records.to(r)
			if !j.reads(c) {
				j.add(b)
			}
			if t != nil {
				ix.tallyRecord(b)
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	if t != nil {
		t.Recorded = true
	}
	return j.verdicts(), nil
}

// judge holds what verdicts are computed from.
type judge struct {
	*verdict.Gatherer
	ix     *fileIndex
	clock  verdict.Clock
	edges  [verdict.Windows + 1]uint32 // events before each window
	window int                         // allocations per window of the complete run, where they are equal
	end    int                         // number of events until the program begins to free everything
	at     model.Time
	then   []column.Cell // sums by stack at end
	slot   []int32       // by stack: its number in the Gatherer + 1, 0 for none
	judged []uint32      // by that number: the stack
	late   []lateBlocks  // by that number
	block  verdict.Block
}

// lateBlocks are blocks that were freed after the end.
type lateBlocks struct{ count, bytes uint64 }

func (ix *fileIndex) newJudge(ctx context.Context) (*judge, error) {
	r := ix.reader()
	allocs := int(ix.curve.AllocCount)
	j := &judge{ix: ix, window: allocs / verdict.Windows}
	for _, exact := range []bool{false, true} { // few runs need the exact one
		if !exact || j.clock.OfTime() {
			columns, err := ix.columnsNow(ctx, analysis.FullRange, verdict.ClockParts, exact)
			if err != nil {
				return nil, err
			}
			j.clock = verdict.NewClock(analysis.AllocsIn(columns))
		}
	}
	j.end = r.beforeTeardown(int(j.clock.Windows(uint64(allocs))[verdict.Windows-1]))
	j.at = r.timeAt(max(j.end-1, 0))
	for w, before := range j.clock.Windows(uint64(r.levelAt(j.end).AllocCount)) {
		j.edges[w] = uint32(r.eventOfAlloc(int(before)))
	}
	j.edges[0], j.edges[verdict.Windows] = 0, uint32(j.end)
	if r.err != nil {
		return nil, r.err
	}
	early, err := ix.sumsAt(column.DimStack, int(j.edges[verdict.Windows/3]))
	if err == nil {
		j.then, err = ix.sumsAt(column.DimStack, j.end)
	}
	if err == nil {
		err = j.choose(ctx, early)
	}
	if err != nil {
		return nil, err
	}
	short := model.Time(0)
	for _, c := range ix.chunks {
		if !j.reads(c) {
			short = max(short, c.end-c.begin)
		}
	}
	j.Gatherer = verdict.NewGatherer(j.edges, short, len(j.judged))
	var dates [verdict.Windows + 1]model.Time
	for w, event := range j.edges {
		dates[w] = r.timeAt(min(int(event), max(j.end-1, 0)))
	}
	j.Date(dates)
	j.late = make([]lateBlocks, len(j.judged))
	return j, r.err
}

// reads reports whether a chunk must be read, as its blocks may live long without a record, or be freed late.
func (j *judge) reads(c *chunk) bool {
	switch {
	case len(j.ix.chunks) <= verdict.Windows, c.first < j.end && j.end < c.first+c.n:
		return true
	case !j.clock.OfTime():
		return int(c.totals.AllocCount) > j.window
	}
	first, _ := slices.BinarySearch(j.edges[:], uint32(c.first)+1)
	return first+1 < len(j.edges) && int(j.edges[first+1]) < c.first+c.n
}

// choose selects the sites to judge: those with live blocks at the end or after it, and those that other sites may have
// replaced since the first third of the run; the largest if there are too many.
func (j *judge) choose(ctx context.Context, early []column.Cell) error {
	for k := range j.then {
		if early[k].LiveCount()+j.then[k].LiveCount()+j.ix.sums[column.DimStack][k].LiveCount() > 0 {
			j.judged = append(j.judged, uint32(k))
		}
	}
	if len(j.judged) > mostJudged {
		slices.SortStableFunc(j.judged, func(a, b uint32) int { return cmp.Compare(j.then[b].LiveBytes(), j.then[a].LiveBytes()) })
		j.judged = j.judged[:mostJudged]
		slices.Sort(j.judged)
	}
	if b := model.BudgetOf(ctx); !b.Fits(verdict.SiteBytes * int64(len(j.judged))) {
		return b.Error("the verdicts about sites")
	}
	j.slot = make([]int32, len(j.then))
	for i, k := range j.judged {
		j.slot[k] = int32(i) + 1
	}
	return nil
}

// add adds the next block.
func (j *judge) add(b *fileBlock) {
	slot := int(j.slot[j.ix.sites.Stack[b.site]]) - 1
	if slot < 0 {
		return
	}
	j.block = verdict.Block{Size: b.size, Born: b.born, Died: b.died, BornAt: b.bornAt, DiedAt: b.diedAt}
	j.Add(slot, &j.block)
	if int(b.born) < j.end && int(b.died) >= j.end && b.died != alive {
		j.late[slot].count++
		j.late[slot].bytes, _ = model.SaturatingAdd(j.late[slot].bytes, b.size)
	}
}

// verdicts judges all sites.
func (j *judge) verdicts() verdict.List {
	out, evidence := make(verdict.List, len(j.judged)), make([]*verdict.Evidence, len(j.judged))
	for i, k := range j.judged {
		then, now := &j.then[k], &j.ix.sums[column.DimStack][k]
		evidence[i] = j.Site(i, uint64(then.AllocCount), uint64(then.EndedCount), then.LiveBytes())
		v := evidence[i].Judge(j.at)
		v.Key, v.Live, v.Bytes, v.Late, v.LateBytes = k, now.LiveCount(), now.LiveBytes(), j.late[i].count, j.late[i].bytes
		v.Ended = uint64(now.EndedCount)
		out[i] = v
	}
	verdict.Together(out, evidence, j.ix.Places())
	return out.Settled()
}

// beforeTeardown returns the number of events up to the highest level at or after an allocation: what is freed later is
// cleanup at exit.
func (r *runReader) beforeTeardown(alloc int) int {
	n, ok := r.peakAfter(r.eventOfAlloc(alloc), r.ix.events())
	if !ok {
		return r.ix.events()
	}
	return n
}

// eventOfAlloc returns the number of events before allocation number allocs.
func (r *runReader) eventOfAlloc(allocs int) int {
	ix := r.ix
	run := sort.Search(ix.curve.Base.N, func(i int) bool {
		r.verify(i, i)
		return int(ix.curve.Base.At(i).AllocCount) > allocs
	})
	if run == ix.curve.Base.N || r.err != nil {
		return ix.events()
	}
	if r.load(run); r.err != nil {
		return 0
	}
	begin := ix.runBegin(run)
	return begin + sort.Search(ix.runEnd(run)-begin, func(i int) bool { return int(r.levels[i].AllocCount) > allocs })
}
