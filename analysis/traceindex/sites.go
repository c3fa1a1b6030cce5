package traceindex

import (
	"context"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/model"
)

// Sites implements [analysis.Trace].
func (ix *fileIndex) Sites(ctx context.Context, q analysis.Query) ([]analysis.Site, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	r := ix.reader()
	lo, hi := r.eventRange(q.Range)
	at := r.eventsAt(q.At)
	if r.err != nil {
		return nil, r.err
	}
	g := ix.grouping(q.By, ix.Filtered(q.Cell))
	rows, err := g.sums(ctx, lo, hi, at)
	if err == nil && !q.NoPeaks {
		err = g.addPeaks(ctx, rows, lo, hi)
	}
	if err == nil {
		err = g.addKept(ctx, rows, lo, hi)
	}
	if err != nil {
		return nil, err
	}
	rows = slices.DeleteFunc(g.f.Prune(rows), func(s analysis.Site) bool { return s.None() })
	ix.NameSites(q.By, g.f, rows)
	return rows, ctx.Err()
}

// addPeaks sets the highest live bytes of each group alone after any event of [lo, hi).
func (g *grouping) addPeaks(ctx context.Context, rows []analysis.Site, lo, hi int) error {
	if g.in.IsAll() && lo == 0 && hi == g.ix.events() {
		g.ix.answerAhead(ctx)
		p, err := g.pass(ctx, nil)
		if err != nil {
			return err
		}
		for i := range rows {
			if r := &rows[i]; int(r.Key) < len(p.Peak) {
				r.PeakBytes = max(p.Peak[r.Key], r.LiveBytes)
			}
		}
		return nil
	}
	if lo >= hi {
		return ctx.Err()
	}
	return g.keptPeaks(ctx, rows, lo, hi)
}

// keptPeaks computes the peaks of a range or a cell. The last ones are cached, as scrubbing asks for them repeatedly.
func (g *grouping) keptPeaks(ctx context.Context, rows []analysis.Site, lo, hi int) error {
	key := group.CellPeaksKey{By: g.by, In: g.in, Lo: lo, Hi: hi, Keys: g.keys}
	peaks := g.ix.Groups.CellPeaks.Get(key, g.f)
	if peaks == nil {
		var err error
		if peaks, err = g.findPeaks(ctx, key); err != nil {
			return err
		}
	}
	for i := range rows {
		rows[i].PeakBytes = peaks[rows[i].Key]
	}
	return nil
}

// findPeaks computes the peaks of a group, along with those of others.
func (g *grouping) findPeaks(ctx context.Context, key group.CellPeaksKey) ([]uint64, error) {
	ix := g.ix
	if !ix.levelsFit() {
		rows := make([]analysis.Site, key.Keys)
		err := g.replayPeaks(ctx, rows, key.Lo, key.Hi)
		peaks := make([]uint64, key.Keys)
		for k := range rows {
			peaks[k] = rows[k].PeakBytes
		}
		return peaks, err
	}
	groups := []*grouping{g}
	for _, by := range companions(g.by) {
		if ix.settled() {
			groups = append(groups, ix.grouping(by, g.in))
		}
	}
	live := make([][]uint64, len(groups))
	for i, g := range groups {
		carried, err := ix.sumsIn(ctx, g.d, g.in, key.Lo)
		if err != nil {
			return nil, err
		}
		live[i] = make([]uint64, g.keys)
		for k, c := range carried[0][:g.known(len(carried[0]))] {
			live[i][g.f.KeyOf(uint32(k))] += c.LiveBytes()
		}
	}
	peaks, err := ix.peaksIn(ctx, groups, key.Lo, key.Hi, live)
	if err != nil {
		return nil, err
	}
	for i, g := range groups {
		if !g.in.IsAll() && !ix.settled() {
			break // blocks may still end and leave the cell
		}
		ix.Groups.CellPeaks.Put(group.CellPeaksKey{By: g.by, In: g.in, Lo: key.Lo, Hi: key.Hi, Keys: g.keys}, g.f, peaks[i])
	}
	return peaks[0], nil
}

// replayPeaks computes the peaks by replaying every event of [lo, hi).
func (g *grouping) replayPeaks(ctx context.Context, rows []analysis.Site, lo, hi int) error {
	ix := g.ix
	carried, err := ix.sumsIn(ctx, g.d, g.in, lo)
	if err != nil {
		return err
	}
	live := make([]uint64, len(rows))
	for k, c := range carried[0][:g.known(len(carried[0]))] {
		key := g.f.KeyOf(uint32(k))
		live[key], _ = model.SaturatingAdd(live[key], c.LiveBytes())
	}
	seen := make([]bool, len(rows))
	err = ix.replay(ctx, lo, hi, func(v *view, event int, r column.Ref, how column.Change) {
		site, size := ix.siteSize(v, r)
		if !g.in.IsAll() {
			if b := ix.refBlock(v, r); !ix.in(g.in, &b) {
				return
			}
		}
		k := g.key(site, size)
		if !seen[k] && event > lo {
			rows[k].PeakBytes = live[k] // carried in, and unchanged after the first event
		}
		seen[k] = true
		live[k] = group.Changed(live[k], size, how)
		rows[k].PeakBytes = max(rows[k].PeakBytes, live[k])
	})
	for k := range rows {
		if !seen[k] {
			rows[k].PeakBytes = live[k] // the level after every event of the range
		}
	}
	return err
}

// addKept sets what was allocated in events [lo, hi) and is live after them.
func (g *grouping) addKept(ctx context.Context, rows []analysis.Site, lo, hi int) error {
	ix := g.ix
	if lo == 0 {
		sums, err := ix.sumsIn(ctx, g.d, g.in, hi)
		if err != nil {
			return err
		}
		cells := sums[0][:g.known(len(sums[0]))]
		for k := range cells {
			if i := g.row(g.f.KeyOf(uint32(k))); i >= 0 {
				c, row := &cells[k], &rows[i]
				row.LeakBytes, _ = model.SaturatingAdd(row.LeakBytes, c.LiveBytes())
				row.LeakCount += c.LiveCount()
			}
		}
		return nil
	}
	return ix.eachKept(ctx, lo, hi, func(b *fileBlock) {
		i := g.row(g.keyOf(b))
		if i < 0 || !ix.in(g.in, b) {
			return
		}
		row := &rows[i]
		row.LeakBytes, _ = model.SaturatingAdd(row.LeakBytes, b.size)
		row.LeakCount++
	})
}

// Weights implements [analysis.Trace].
func (ix *fileIndex) Weights(ctx context.Context, c analysis.Cost, q analysis.Query) ([]uint64, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	r := ix.reader()
	lo, hi := r.eventRange(q.Range)
	at := r.eventsAt(q.At)
	if c == analysis.CostPeak {
		at, _ = r.peakAfter(lo, hi)
	}
	if r.err != nil {
		return nil, r.err
	}
	set := ix.SetOf(q.Cell.Stacks)
	q.Cell = q.Cell.Rectangle()
	g := ix.grouping(analysis.ByStack, group.Scope{Cell: q.Cell})
	if c == analysis.CostLeaked || c == analysis.CostTemporary {
		out, err := g.rowWeights(ctx, c, lo, hi)
		set.Clear(out)
		return out, err
	}
	if c == analysis.CostTotal || c == analysis.CostCount {
		at = lo
	} else {
		hi = at
	}
	sums, err := ix.sumsIn(ctx, column.DimStack, group.Scope{Cell: q.Cell}, at, hi)
	if err != nil {
		return nil, err
	}
	out := make([]uint64, g.keys)
	for k := range out {
		switch a, b := &sums[0][k], &sums[1][k]; c {
		case analysis.CostTotal:
			out[k] = b.AllocBytes - a.AllocBytes
		case analysis.CostCount:
			out[k] = uint64(b.AllocCount - a.AllocCount)
		case analysis.CostLiveCount:
			out[k] = a.LiveCount()
		default:
			out[k] = a.LiveBytes()
		}
	}
	set.Clear(out)
	return out, ctx.Err()
}

// rowWeights returns the costs that cannot be computed from sums alone.
func (g *grouping) rowWeights(ctx context.Context, c analysis.Cost, lo, hi int) ([]uint64, error) {
	rows, err := g.sums(ctx, lo, hi, lo)
	if err == nil && c == analysis.CostLeaked {
		err = g.addKept(ctx, rows, lo, hi)
	}
	if err != nil {
		return nil, err
	}
	out := make([]uint64, len(rows))
	for i := range rows {
		out[i] = rows[i].Cost(c)
	}
	return out, ctx.Err()
}

// Functions implements [analysis.Trace].
func (ix *fileIndex) Functions(ctx context.Context, rg analysis.Range, in analysis.Cell) ([]analysis.Function, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	r := ix.reader()
	lo, hi := r.eventRange(rg)
	if r.err != nil {
		return nil, r.err
	}
	sums, err := ix.sumsIn(ctx, column.DimStack, group.Scope{Cell: in.Rectangle()}, lo, hi)
	if err != nil {
		return nil, err
	}
	set, before, after := ix.SetOf(in.Stacks), sums[0], sums[1]
	counted := func(k int) bool {
		return before[k].AllocCount != after[k].AllocCount && (set == nil || set.Has(uint32(k)))
	}
	stacks, steps := set.Stacks(ix.Stacks()), 0
	for k := range after {
		if leaf, _ := stacks.Node(ix.Ids[k]); leaf != 0 && counted(k) {
			steps += int(stacks.Depth[leaf])
		}
	}
	t := group.NewFunctionTable(ctx, stacks, steps)
	t.Bare = set != nil
	for k := range after {
		if !counted(k) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t.Add(ix.Ids[k], after[k].AllocBytes-before[k].AllocBytes, uint64(after[k].AllocCount-before[k].AllocCount))
	}
	return t.Rows, t.Complete(ctx)
}
