package traceindex

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/model"
)

// whole has the answers about all blocks of the complete run that take a walk over all events or records, and that the
// first screens and reports ask for. They are computed once the index is settled, when they are first asked for or when
// the index is written, and are kept in its file. Those about single groups are with the groups' passes.
type whole struct {
	mu     sync.Mutex
	lives  *group.LifeSums
	leaks  [2]*group.LeakRows // never freed, and freed late; by stack
	atPeak *peakSums
}

// peakSums is the state at the peak of the run. Read-only once made.
type peakSums struct {
	events int // number of events up to the peak
	sums   [column.DimCount][]column.Cell
	held   []heldSite // the stacks that hold most, most first
}

// heldSite is for how long at least half of what a stack has at the peak is live. It has no pointers: index files store
// it as is.
type heldSite struct {
	Key  uint64
	Time model.Time
}

func (w *whole) keepLives(l *group.LifeSums) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if l != nil {
		w.lives = l
	}
}

// livesOf returns the counts of some stacks, or false if they were not counted, or nothing was.
func (w *whole) livesOf(keys []analysis.Key) ([]analysis.Lives, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.lives.Of(keys)
}

func (w *whole) leakRows(late int) *group.LeakRows {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.leaks[late]
}

func (w *whole) peak() *peakSums {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.atPeak
}

// mostLeakRows is the maximum number of rows that are kept: a hostile file has as many stacks as events.
const mostLeakRows = 1 << 16

// Numbers of the lists of blocks in [whole].
const (
	neverFreed = iota
	freedLate
)

// wholeLeaks reports whether a query is about all blocks of the complete run, by stack.
func wholeLeaks(q *analysis.LeakQuery) bool {
	return q.By == analysis.ByStack && q.Cell.IsAll() && q.Range.IsFull() && q.MinAge <= 0
}

type leakRowsID struct{ late int }

// addWhole adds all blocks that were never freed, or freed late, by stack.
func (l *leakSums) addWhole(ctx context.Context, late int) error {
	if l.ix.settled() {
		rows, err := l.ix.wholeLeaks(ctx, late)
		if err != nil {
			return err
		}
		if rows != nil {
			return l.restore(rows)
		}
	}
	return l.walkWhole(ctx, late)
}

// walkWhole is addWhole without what is known.
func (l *leakSums) walkWhole(ctx context.Context, late int) error {
	if late == freedLate {
		return l.addLate(ctx, group.Scope{})
	}
	return l.ix.eachKept(ctx, 0, l.ix.events(), func(b *fileBlock) { l.add(b, l.end-b.bornAt) })
}

// wholeLeaks returns a list of all blocks by stack, or nil if it has too many stacks to be kept. The index must be
// settled.
func (ix *fileIndex) wholeLeaks(ctx context.Context, late int) (*group.LeakRows, error) {
	if rows := ix.whole.leakRows(late); rows != nil {
		return rows, nil
	}
	err := ix.shared(ctx, leakRowsID{late}, func(ctx context.Context) error {
		sums := ix.leakSums(ctx, analysis.ByStack, group.Scope{}, analysis.FullRange)
		err := sums.walkWhole(ctx, late)
		if err = cmp.Or(err, sums.err); err != nil || len(sums.sites) > mostLeakRows {
			return err
		}
		rows := sums.rows()
		ix.whole.mu.Lock()
		defer ix.whole.mu.Unlock()
		ix.whole.leaks[late] = rows
		return nil
	})
	return ix.whole.leakRows(late), err
}

// rows returns the sums in a form to be kept.
func (l *leakSums) rows() *group.LeakRows {
	l.seal()
	order := make([]*analysis.LeakSite, len(l.sites))
	for i := range order {
		order[i] = &l.sites[i].LeakSite
	}
	slices.SortFunc(order, func(x, y *analysis.LeakSite) int {
		return cmp.Or(cmp.Compare(y.Bytes, x.Bytes), cmp.Compare(y.Count, x.Count), cmp.Compare(l.ix.Ids[x.Key], l.ix.Ids[y.Key]))
	})
	out := &group.LeakRows{Rows: make([]group.LeakRow, 0, len(order))}
	for _, s := range order {
		out.Add(uint64(s.Key), s)
	}
	return out
}

// restore sets the sums to rows that were kept.
func (l *leakSums) restore(from *group.LeakRows) error {
	l.sites = make([]leakSum, 0, len(from.Rows))
	for i := range from.Rows {
		s, err := from.Site(i)
		if err != nil {
			return err
		}
		l.put(analysis.Key(from.Rows[i].Key), s)
	}
	return nil
}

type peakID struct{}

// findPeak returns the state at the peak of the run, which must have events.
func (ix *fileIndex) findPeak(ctx context.Context) (*peakSums, error) {
	if p := ix.whole.peak(); p != nil {
		return p, nil
	}
	if !ix.settled() {
		return ix.peakNow()
	}
	err := ix.shared(ctx, peakID{}, func(ctx context.Context) error {
		p, err := ix.peakNow()
		if err != nil {
			return err
		}
		if p.held, err = ix.heldAtPeak(ctx, p, p.largest()); err != nil {
			return err
		}
		ix.whole.mu.Lock()
		defer ix.whole.mu.Unlock()
		ix.whole.atPeak = p
		return nil
	})
	return ix.whole.peak(), err
}

// peakNow returns the state at the peak of what is loaded.
func (ix *fileIndex) peakNow() (*peakSums, error) {
	p, r := &peakSums{}, ix.reader()
	p.events, _ = r.peakAfter(0, ix.events())
	if r.err != nil {
		return nil, r.err
	}
	for d := range p.sums {
		sums, err := ix.sumsAt(column.Dim(d), p.events)
		if err != nil {
			return nil, err
		}
		p.sums[d] = slices.Clone(sums)
	}
	return p, nil
}

// index returns the index of a stack in held, -1 if it is not there.
func (p *peakSums) index(key analysis.Key) int {
	return slices.IndexFunc(p.held, func(h heldSite) bool { return h.Key == uint64(key) })
}

// largest returns the stacks that hold most.
func (p *peakSums) largest() []analysis.Key {
	cells, all := p.sums[column.DimStack], uint64(0)
	for i := range cells {
		all, _ = model.SaturatingAdd(all, cells[i].LiveBytes())
	}
	held := analysis.Held{All: all}
	var keys []analysis.Key
	for k := range cells {
		if held.Large(cells[k].LiveBytes()) {
			keys = append(keys, analysis.Key(k))
		}
	}
	slices.SortStableFunc(keys, func(a, b analysis.Key) int { return cmp.Compare(cells[b].LiveBytes(), cells[a].LiveBytes()) })
	return slices.DeleteFunc(keys, func(k analysis.Key) bool { return !held.Has(cells[k].LiveBytes(), cells[k].LiveCount()) })
}

// HeldAtPeak implements [analysis.Trace].
func (ix *fileIndex) HeldAtPeak(ctx context.Context, key analysis.Key) (model.Time, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if ix.events() == 0 {
		return 0, ctx.Err()
	}
	p, err := ix.findPeak(ctx)
	if err != nil {
		return 0, err
	}
	if i := p.index(key); i >= 0 {
		return p.held[i].Time, ctx.Err()
	}
	held, err := ix.heldAtPeak(ctx, p, []analysis.Key{key})
	if err != nil {
		return 0, err
	}
	return held[0].Time, nil
}

// heldAtPeak finds out for how long stacks hold what they have at the peak, in one walk over the blocks live then.
func (ix *fileIndex) heldAtPeak(ctx context.Context, p *peakSums, keys []analysis.Key) ([]heldSite, error) {
	out := make([]heldSite, len(keys))
	blocks := make([]analysis.PeakBlocks, len(keys))
	slot, any := make([]int32, len(ix.sums[column.DimStack])), false
	for i, k := range keys {
		out[i].Key = uint64(k)
		if int(k) < len(slot) && p.sums[column.DimStack][k].LiveCount() <= analysis.MostPeakBlocks {
			slot[k], any = int32(i)+1, true
			blocks[i].Grow(int(p.sums[column.DimStack][k].LiveCount()))
		}
	}
	if !any {
		return out, ctx.Err()
	}
	wanted := func(site uint32) bool { return slot[ix.sites.Stack[site]] > 0 }
	err := ix.eachKeptOf(ctx, 0, p.events, wanted, func(b *fileBlock) {
		died := b.diedAt
		if b.died == alive {
			died = ix.duration()
		}
		blocks[slot[ix.sites.Stack[b.site]]-1].Add(b.size, b.bornAt, died)
	})
	for i := range out {
		out[i].Time = blocks[i].Held()
	}
	return out, err
}
