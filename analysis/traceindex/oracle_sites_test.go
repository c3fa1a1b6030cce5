package traceindex

import (
	"context"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/model"
)

// Sites implements [analysis.Trace].
func (ix *Index) Sites(ctx context.Context, q analysis.Query) ([]analysis.Site, error) {
	if q.Range.IsFull() && q.Cell.IsAll() && !q.NoPeaks {
		ix.warm(ctx, q.By)
	}
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	in := ix.Filtered(q.Cell)
	f := ix.FoldIn(q.By, in.Set)
	lo, hi := ix.eventRange(q.Range)
	rows := ix.siteSums(q.By, in, lo, hi, ix.eventsAt(q.At))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !q.NoPeaks {
		ix.addPeaks(ctx, q.By, in, rows, lo, hi)
	}
	ix.addKept(q.By, in, rows, lo, hi)
	rows = slices.DeleteFunc(f.Prune(rows), func(s analysis.Site) bool { return s.None() })
	ix.NameSites(q.By, f, rows)
	return rows, ctx.Err()
}

// siteSums returns one row per key of the group, empty ones included: sums of events [lo, hi), live figures after n
// events, of the blocks in a cell.
func (ix *Index) siteSums(by analysis.Group, in group.Scope, lo, hi, n int) []analysis.Site {
	d, f := group.DimOf(by), ix.FoldIn(by, in.Set)
	sums := ix.sumsIn(d, in, lo, hi, n)
	first, last, at := sums[0], sums[1], sums[2]
	rows := make([]analysis.Site, ix.keyCount(by, in.Set))
	largest := make([]uint64, len(rows))
	for k := range last {
		row := &rows[f.KeyOf(uint32(k))]
		a, b, l := &first[k], &last[k], &at[k]
		bytes := b.AllocBytes - a.AllocBytes
		row.AllocBytes, _ = model.SaturatingAdd(row.AllocBytes, bytes)
		row.AllocCount += uint64(b.AllocCount - a.AllocCount)
		group.AddEnded(row, a, b)
		row.Temporary += uint64(b.Temporary - a.Temporary)
		row.LiveBytes, _ = model.SaturatingAdd(row.LiveBytes, l.LiveBytes())
		row.LiveCount += l.LiveCount()
		if d == column.DimStack && b.AllocCount+b.EndedCount-a.AllocCount-a.EndedCount+uint32(l.LiveCount()) > 0 {
			row.Sites++
		}
		if d == column.DimStack && (bytes > largest[f.KeyOf(uint32(k))] || largest[f.KeyOf(uint32(k))] == 0) {
			row.Stack, largest[f.KeyOf(uint32(k))] = ix.Ids[k], bytes
		}
	}
	ix.mendTemporary(by, in, rows, lo, hi)
	for k := range rows {
		rows[k].Key = analysis.Key(k)
	}
	return rows
}

// mendTemporary moves temporary blocks, which are counted when they end, to the range of their allocation.
func (ix *Index) mendTemporary(by analysis.Group, in group.Scope, rows []analysis.Site, lo, hi int) {
	f := ix.FoldIn(by, in.Set)
	edge := func(event int, change uint64) {
		if event <= 0 || event >= ix.time.n || ix.kind.At(event) != evFree {
			return
		}
		if block := ix.ref.At(event); int(ix.born.At(int(block)))+1 == event && ix.in(in, block) {
			rows[f.KeyOf(ix.key(group.DimOf(by), block))].Temporary += change
		}
	}
	if lo < hi {
		edge(lo, ^uint64(0)) // born before the range
		edge(hi, 1)          // ends just after it
	}
}

func (ix *Index) keyCount(by analysis.Group, set *group.StackSet) int {
	if f := ix.FoldIn(by, set); f != nil {
		return len(f.Names)
	}
	return len(ix.sums[group.DimOf(by)])
}

// addPeaks fills the highest live bytes of each group alone after any event of [lo, hi).
func (ix *Index) addPeaks(ctx context.Context, by analysis.Group, in group.Scope, rows []analysis.Site, lo, hi int) {
	if !in.IsAll() {
		ix.addCellPeaks(by, in, rows, lo, hi)
		return
	}
	if lo == 0 && hi == ix.time.n {
		p := ix.passOf(ctx, by, nil, nil, false)
		for k := range rows {
			if k < len(p.Peak) {
				rows[k].PeakBytes = max(p.Peak[k], rows[k].LiveBytes)
			}
		}
		return
	}
	if lo >= hi {
		return
	}
	ix.replayPeaks(by, in, rows, lo, hi)
}

// addCellPeaks is addPeaks for the blocks in a cell. The peaks of the whole run, which scrubbing asks for again and
// again, are kept for the last cell.
func (ix *Index) addCellPeaks(by analysis.Group, in group.Scope, rows []analysis.Site, lo, hi int) {
	key := group.CellPeaksKey{By: by, In: in, Lo: lo, Hi: hi, Keys: len(rows)}
	fold := ix.FoldIn(by, in.Set)
	if peaks := ix.Groups.CellPeaks.Get(key, fold); peaks != nil {
		for k := range rows {
			rows[k].PeakBytes = peaks[k]
		}
		return
	}
	if lo < hi {
		ix.replayPeaks(by, in, rows, lo, hi)
	}
	peaks := make([]uint64, len(rows))
	for k := range rows {
		peaks[k] = rows[k].PeakBytes
	}
	ix.Groups.CellPeaks.Put(key, fold, peaks)
}

// replayPeaks finds the peaks by following every event of [lo, hi).
func (ix *Index) replayPeaks(by analysis.Group, in group.Scope, rows []analysis.Site, lo, hi int) {
	d, f := group.DimOf(by), ix.FoldIn(by, in.Set)
	live := make([]uint64, len(rows))
	for k, c := range ix.sumsIn(d, in, lo)[0] {
		live[f.KeyOf(uint32(k))], _ = model.SaturatingAdd(live[f.KeyOf(uint32(k))], c.LiveBytes())
	}
	seen := make([]bool, len(rows))
	ix.replay(lo, hi, func(event int, block uint32, size uint64, how column.Change) {
		if !ix.in(in, block) {
			return
		}
		k := f.KeyOf(ix.key(d, block))
		if !seen[k] && event > lo {
			rows[k].PeakBytes = live[k] // carried in, and still there after the first event
		}
		seen[k] = true
		live[k] = group.Changed(live[k], size, how)
		rows[k].PeakBytes = max(rows[k].PeakBytes, live[k])
	})
	for k := range rows {
		if !seen[k] {
			rows[k].PeakBytes = live[k] // it held this level after every event of the range
		}
	}
}

// addKept fills what was allocated in events [lo, hi) and is live after them.
func (ix *Index) addKept(by analysis.Group, in group.Scope, rows []analysis.Site, lo, hi int) {
	if lo == 0 {
		d, f := group.DimOf(by), ix.FoldIn(by, in.Set)
		for k, c := range ix.sumsIn(d, in, hi)[0] {
			row := &rows[f.KeyOf(uint32(k))]
			row.LeakBytes, _ = model.SaturatingAdd(row.LeakBytes, c.LiveBytes())
			row.LeakCount += c.LiveCount()
		}
		return
	}
	d, f := group.DimOf(by), ix.FoldIn(by, in.Set)
	ix.kept(lo, hi, func(block uint32) {
		if !ix.in(in, block) {
			return
		}
		row := &rows[f.KeyOf(ix.key(d, block))]
		row.LeakBytes, _ = model.SaturatingAdd(row.LeakBytes, ix.size.At(int(block)))
		row.LeakCount++
	})
}

// kept calls f for every block that is born in events [lo, hi) and alive after them, in order of birth.
func (ix *Index) kept(lo, hi int, f func(block uint32)) {
	from, end := ix.bornIn(lo, hi)
	for b := from; b < end; b++ {
		if int(ix.died.At(b)) >= hi {
			f(uint32(b))
		}
	}
}

// Weights implements [analysis.Trace].
func (ix *Index) Weights(ctx context.Context, c analysis.Cost, q analysis.Query) ([]uint64, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	set := ix.SetOf(q.Cell.Stacks)
	in := group.Scope{Cell: q.Cell.Rectangle()}
	lo, hi := ix.eventRange(q.Range)
	at := ix.eventsAt(q.At)
	if c == analysis.CostPeak {
		at, _ = ix.peakAfter(lo, hi)
	}
	rows := ix.siteSums(analysis.ByStack, in, lo, hi, at)
	if c == analysis.CostLeaked {
		ix.addKept(analysis.ByStack, in, rows, lo, hi)
	}
	out := make([]uint64, len(rows))
	for i := range rows {
		out[i] = rows[i].Cost(c)
	}
	set.Clear(out)
	return out, ctx.Err()
}

// Totals implements [analysis.Trace].
func (ix *Index) Totals(_ context.Context, r analysis.Range) (analysis.Totals, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	lo, hi := ix.eventRange(r)
	if lo == 0 && hi == ix.time.n {
		return ix.totals, nil
	}
	t := analysis.Totals{Events: uint64(hi - lo)}
	for i := lo; i < hi; i++ {
		if ix.kind.At(i) == evFreeUnknown {
			t.UnmatchedFrees++
		}
	}
	ix.replay(lo, hi, func(event int, block uint32, size uint64, how column.Change) { ix.addTotals(&t, block, size, how) })
	t.FreeCount = t.FreedCount + t.UnmatchedFrees
	t.TemporaryCount = 0
	for _, s := range ix.siteSums(analysis.BySizeClass, group.Scope{}, lo, hi, lo) {
		t.TemporaryCount += s.Temporary
	}
	for _, m := range ix.marks {
		if int(m.event) < lo || int(m.event) >= hi {
			continue
		}
		if !m.gc {
			t.MarkerCount++
			continue
		}
		t.GCCount++
		t.GCObjects, _ = model.SaturatingAdd(t.GCObjects, m.id)
		t.GCBytes, _ = model.SaturatingAdd(t.GCBytes, m.bytes)
	}
	return t, nil
}

func (ix *Index) addTotals(t *analysis.Totals, block uint32, size uint64, how column.Change) {
	switch how {
	case column.Born:
		t.AllocCount++
		t.AllocBytes, _ = model.SaturatingAdd(t.AllocBytes, size)
		if ix.addr.At(int(block)) == 0 {
			t.UnaddressedCount++
			t.UnaddressedBytes, _ = model.SaturatingAdd(t.UnaddressedBytes, size)
		}
	case column.Overwrote:
		t.OverwrittenCount++
		t.OverwrittenBytes, _ = model.SaturatingAdd(t.OverwrittenBytes, size)
	default:
		t.FreedCount++
		t.FreedBytes, _ = model.SaturatingAdd(t.FreedBytes, size)
	}
}

// Functions implements [analysis.Trace]: it goes up each stack.
func (ix *Index) Functions(ctx context.Context, r analysis.Range, in analysis.Cell) ([]analysis.Function, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	lo, hi := ix.eventRange(r)
	set := ix.SetOf(in.Stacks)
	t := functionsOracle{stacks: set.Stacks(ix.Stacks()), bare: set != nil, byName: map[string]int{}}
	for _, row := range ix.siteSums(analysis.ByStack, group.Scope{Cell: in.Rectangle()}, lo, hi, lo) {
		if row.AllocCount > 0 && (set == nil || set.Has(uint32(row.Key))) {
			t.add(ix.Ids[row.Key], row.AllocBytes, row.AllocCount)
		}
	}
	return t.rows, ctx.Err()
}

type functionsOracle struct {
	stacks *model.Stacks
	bare   bool
	byName map[string]int
	rows   []analysis.Function
}

func (t *functionsOracle) add(id model.StackID, bytes, count uint64) {
	names, leaf := []string{model.UnknownStack(id)}, model.NodeID(0)
	if n, ok := t.stacks.Node(id); ok && n != 0 {
		names, leaf = nil, n
	} else if ok && t.bare {
		names = []string{calltree.NoFrames}
	}
	for n := leaf; n != 0; n = t.stacks.Parent[n] {
		names = append(names, t.stacks.Functions[t.stacks.FrameFunc[t.stacks.Frame[n]]])
	}
	for i, name := range names {
		k, ok := t.byName[name]
		if !ok {
			k = len(t.rows)
			t.byName[name] = k
			t.rows = append(t.rows, analysis.Function{Name: name})
		}
		row := &t.rows[k]
		if i == 0 {
			row.SelfBytes, _ = model.SaturatingAdd(row.SelfBytes, bytes)
			row.SelfCount += count
		}
		if !slices.Contains(names[:i], name) {
			row.TotalBytes, _ = model.SaturatingAdd(row.TotalBytes, bytes)
			row.TotalCount += count
		}
	}
}
