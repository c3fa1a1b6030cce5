package traceindex

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/model"
)

// Blocks implements [analysis.Trace]. The list holds four bytes per block and reads the rest when asked for a row.
func (ix *Index) Blocks(ctx context.Context, q analysis.BlockQuery) (analysis.BlockList, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	in := ix.Filtered(q.Cell)
	d, f := group.DimOf(q.By), ix.FoldIn(q.By, in.Set)
	l := &blockList{ix: ix, noAddr: q.NoAddr}
	take := func(b uint32) {
		if (q.All || f.KeyOf(ix.key(d, b)) == q.Key) && ix.in(in, b) && (q.Addr == 0 || ix.holds(b, q.Addr)) {
			l.blocks = append(l.blocks, b)
			l.bytes, _ = model.SaturatingAdd(l.bytes, ix.size.At(int(b)))
		}
	}
	lo, hi := ix.eventRange(q.Range)
	switch {
	case q.Leaked:
		_, to := ix.bounds(q.Range)
		end := min(to, ix.duration())
		ix.kept(lo, hi, func(b uint32) {
			if end-ix.bornAt(b) >= q.MinAge {
				take(b)
			}
		})
	case q.Born:
		from, to := ix.bornIn(lo, hi)
		for b := from; b < to; b++ {
			take(uint32(b))
		}
	default:
		ix.kept(0, ix.eventsAt(q.At), take)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l.sort(q.Sort)
	return l, ctx.Err()
}

// holds reports whether an address lies in a block.
func (ix *Index) holds(block uint32, addr uint64) bool {
	b := analysis.Block{Addr: ix.addr.At(int(block)), Size: ix.size.At(int(block))}
	return b.Holds(addr)
}

type blockList struct {
	ix     *Index
	blocks []uint32
	bytes  uint64
	noAddr bool // rows have none
}

// sort orders blocks, which are in the order of birth.
func (l *blockList) sort(by analysis.BlockOrder) {
	key := l.ix.sortKey(by)
	if by == analysis.NewestFirst {
		slices.Reverse(l.blocks)
	}
	if key == nil {
		return
	}
	rows := make([]ranked, len(l.blocks))
	for i, b := range l.blocks {
		rows[i] = ranked{key(int(b)), b}
	}
	slices.SortFunc(rows, func(a, b ranked) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.block, b.block)) })
	for i := range rows {
		l.blocks[i] = rows[i].block
	}
}

// sortKey is what blocks are sorted by, smaller ones first; nil for the order of birth, either way.
func (ix *Index) sortKey(by analysis.BlockOrder) func(block int) uint64 {
	switch by {
	case analysis.LargestFirst:
		return func(b int) uint64 { return ^ix.size.At(b) }
	case analysis.LowestFirst:
		return ix.addr.At
	case analysis.ShortestFirst:
		return func(b int) uint64 {
			if died := ix.died.At(b); died != alive {
				return uint64(ix.lifetime(b, died))
			}
			return math.MaxUint64
		}
	}
	return nil
}

func (l *blockList) Len() int { return len(l.blocks) }

func (l *blockList) Bytes() uint64 { return l.bytes }

func (l *blockList) Row(i int) analysis.Block {
	l.ix.mu.RLock()
	defer l.ix.mu.RUnlock()
	b := l.ix.block(int(l.blocks[i]))
	if l.noAddr {
		b.Addr = 0
	}
	return b
}

// block is a block as others see it.
func (ix *Index) block(b int) analysis.Block {
	out := analysis.Block{
		Addr: ix.addr.At(b), Size: ix.size.At(b), Born: ix.bornAt(uint32(b)), Died: model.NoTime,
		Stack: ix.Ids[ix.stack.At(b)], Thread: ix.Threads[ix.thread.At(b)],
	}
	if died := ix.died.At(b); died != alive {
		out.Died = ix.time.At(int(died))
	}
	return out
}

// Uses implements [analysis.Trace].
func (ix *Index) Uses(ctx context.Context, addr uint64, limit int) (blocks []analysis.Block, total int, err error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if addr == 0 {
		return nil, 0, ctx.Err()
	}
	for b, n := ix.addr.N-1, 0; b >= 0; b, n = b-1, n+1 {
		if n&column.ChunkMask == column.ChunkMask {
			if ctx.Err() != nil {
				return nil, 0, ctx.Err()
			}
			ix.yield()
		}
		if !ix.holds(uint32(b), addr) {
			continue
		}
		if total++; total <= limit {
			blocks = append(blocks, ix.block(b))
		}
	}
	slices.Reverse(blocks)
	return blocks, total, ctx.Err()
}

// Events implements [analysis.Trace]. It does not know the addresses of frees that end no block.
func (ix *Index) Events(ctx context.Context, q analysis.EventQuery) (list []analysis.Event, left int, err error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	lo, hi := ix.eventRange(q.Range)
	in := ix.Filtered(q.Cell)
	n := min(lo+q.Skip, hi)
	for looked := 0; n < hi && (q.Limit == 0 || len(list) < q.Limit) && (q.Look == 0 || looked < q.Look); looked++ {
		e, kept := ix.event(n, in)
		if kept {
			list = append(list, e)
		}
		n++
	}
	return list, hi - n, ctx.Err()
}

// event is an event as others see it; kept reports whether it is about blocks of a scope.
func (ix *Index) event(n int, in group.Scope) (e analysis.Event, kept bool) {
	e = analysis.Event{Number: uint64(n), Time: ix.time.At(n)}
	b := ix.ref.At(n)
	switch ix.kind.At(n) {
	case evMark:
		m := ix.marks[sort.Search(len(ix.marks), func(i int) bool { return int(ix.marks[i].event) >= n })]
		e.Mark, e.Kind = ix.publicMark(m), model.Marker
		if m.gc {
			e.Kind = model.GC
		}
		return e, in.IsAll()
	case evFreeUnknown:
		e.Kind, e.Stray = model.Free, true
		return e, in.IsAll()
	case evFree:
		e.Kind = model.Free
	case evAllocOver:
		old := ix.overwritten[sort.Search(len(ix.overwritten), func(i int) bool { return int(ix.overwritten[i].event) >= n })].block
		ended := ix.block(int(old))
		e.Ended, kept = &ended, ix.in(in, old)
	}
	e.Block = ix.block(int(b))
	e.Addr = e.Block.Addr
	return e, kept || ix.in(in, b)
}
