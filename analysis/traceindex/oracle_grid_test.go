package traceindex

import (
	"context"
	"math/bits"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/model"
)

// Grid implements [analysis.Trace].
func (ix *Index) Grid(ctx context.Context, q analysis.GridQuery) (*analysis.Grid, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	d, f := group.DimOf(q.By), ix.FoldIn(q.By, nil)
	from, to := ix.bornIn(ix.eventRange(q.Range))
	g := new(analysis.Grid)
	for b := from; b < to; b++ {
		if b&column.ChunkMask == 0 {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			ix.yield()
		}
		if !q.All && f.KeyOf(ix.key(d, uint32(b))) != q.Key {
			continue
		}
		size := ix.size.At(b)
		at := &g[analysis.SizeClass(size)][ix.lifeClass(b)]
		at.Count++
		at.Bytes, _ = model.SaturatingAdd(at.Bytes, size)
	}
	return g, nil
}

// bornIn is the half-open range of blocks that are born in events [lo, hi).
func (ix *Index) bornIn(lo, hi int) (from, to int) {
	bornFrom := func(event int) int { return firstOver(&ix.born, func(b uint32) bool { return int(b) >= event }) }
	return bornFrom(lo), bornFrom(hi)
}

func (ix *Index) lifeClass(block int) int {
	died := ix.died.At(block)
	if died == alive {
		return analysis.NeverFreed
	}
	return bits.Len64(uint64(ix.lifetime(block, died)))
}

// in reports whether a block is in a cell.
func (ix *Index) in(c group.Scope, block uint32) bool {
	if c.IsAll() {
		return true
	}
	if c.Set != nil && !c.Set.Has(ix.stack.At(int(block))) {
		return false
	}
	if c.Rectangle().IsAll() {
		return true
	}
	size := analysis.SizeClass(ix.size.At(int(block)))
	return size >= int(c.SizeFrom) && size < int(c.SizeTo) && c.Has(size, ix.lifeClass(int(block)))
}

// sumsIn returns what sumsAt does after each of some numbers of events, of the blocks in a cell alone. There are no
// checkpoints of cells: it looks at all blocks once.
func (ix *Index) sumsIn(d column.Dim, c group.Scope, after ...int) [][]column.Cell {
	c = c.Of(d)
	out := make([][]column.Cell, len(after))
	last := 0
	for i, n := range after {
		if c.IsAll() {
			out[i] = ix.sumsAt(d, n)
			continue
		}
		out[i] = make([]column.Cell, len(ix.sums[d]))
		last = max(last, n)
	}
	if c.IsAll() {
		return out
	}
	_, to := ix.bornIn(0, last)
	for b := range to {
		if !ix.in(c, uint32(b)) {
			continue
		}
		k, size := ix.key(d, uint32(b)), ix.size.At(b)
		begin, end := int(ix.born.At(b)), int(ix.died.At(b))
		how := column.Freed
		switch {
		case end < ix.time.n && ix.kind.At(end) != evFree:
			how = column.Overwrote
		case end == begin+1:
			how = column.FreedAtOnce
		}
		for i, n := range after {
			if begin < n {
				out[i][k].Apply(column.Born, size)
			}
			if end < n {
				out[i][k].Apply(how, size)
			}
		}
	}
	return out
}
