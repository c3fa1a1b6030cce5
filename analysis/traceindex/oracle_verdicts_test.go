package traceindex

import (
	"context"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
)

// Verdicts implements [analysis.Trace]: it takes every block there is.
func (ix *Index) Verdicts(ctx context.Context, by analysis.Group, only calltree.Filter) (verdict.List, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if group.DimOf(by) != column.DimStack || ix.time.n == 0 {
		return nil, ctx.Err()
	}
	columns, err := ix.Curve(ctx, analysis.FullRange, verdict.ClockParts)
	if err != nil {
		return nil, err
	}
	edges := ix.windows(verdict.NewClock(analysis.AllocsIn(columns)))
	end := edges[verdict.Windows]
	keys := len(ix.sums[column.DimStack])
	g := verdict.NewGatherer(edges, 0, keys)
	var dates [verdict.Windows + 1]model.Time
	for w, event := range edges {
		dates[w] = ix.time.At(int(min(event, end-1)))
	}
	g.Date(dates)
	sites := make([]struct{ born, freed, late, lateBytes uint64 }, keys)
	for b := range ix.size.N {
		k, died := ix.stack.At(b), ix.died.At(b)
		block := verdict.Block{Size: ix.size.At(b), Born: ix.born.At(b), Died: died, BornAt: ix.bornAt(uint32(b))}
		if died != alive {
			block.DiedAt = ix.time.At(int(died))
		}
		g.Add(int(k), &block)
		v := &sites[k]
		if block.Born < end {
			v.born++
			if died < end {
				v.freed++
			} else if died != alive {
				v.late++
				v.lateBytes, _ = model.SaturatingAdd(v.lateBytes, block.Size)
			}
		}
	}
	ended := ix.sumsAt(column.DimStack, int(end))
	out, evidence := make(verdict.List, keys), make([]*verdict.Evidence, keys)
	for k := range sites {
		now := &ix.sums[column.DimStack][k]
		evidence[k] = g.Site(k, sites[k].born, sites[k].freed, ended[k].LiveBytes())
		v := evidence[k].Judge(ix.time.At(int(end) - 1))
		v.Key, v.Live, v.Bytes, v.Late, v.LateBytes = uint32(k), now.LiveCount(), now.LiveBytes(), sites[k].late, sites[k].lateBytes
		v.Ended = uint64(now.EndedCount)
		out[k] = v
	}
	verdict.Together(out, evidence, ix.Places())
	out = out.Settled()
	if ix.totals.FreedCount == 0 {
		out = out.WithoutFrees()
	}
	if by == analysis.ByStack {
		return out, ctx.Err()
	}
	f, set := ix.FoldIn(by, ix.SetOf(only)), ix.SetOf(only)
	return out.By(func(stack uint32) (uint32, bool) { return uint32(f.KeyOf(stack)), set == nil || set.Has(stack) }), ctx.Err()
}

// windows are the events before each window, and before everything is given back.
func (ix *Index) windows(clock verdict.Clock) (edges [verdict.Windows + 1]uint32) {
	born := slices.Collect(func(yield func(uint32) bool) {
		for b := range ix.size.N {
			if !yield(ix.born.At(b)) {
				return
			}
		}
	})
	born = append(born, uint32(ix.time.n))
	all := len(born) - 1
	end, ok := ix.peakAfter(int(born[clock.Windows(uint64(all))[verdict.Windows-1]]), ix.time.n)
	if !ok {
		end = ix.time.n
	}
	last, _ := slices.BinarySearch(born[:all], uint32(end))
	for w, before := range clock.Windows(uint64(last)) {
		edges[w] = born[before]
	}
	edges[0], edges[verdict.Windows] = 0, uint32(end)
	return edges
}
