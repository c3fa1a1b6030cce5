package traceindex

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/shared"
	"github.com/memtui/memtui/model"
)

// Blocks implements [analysis.Trace]. The list takes four bytes per block, and reads the rest when Row is called.
func (ix *fileIndex) Blocks(ctx context.Context, q analysis.BlockQuery) (analysis.BlockList, error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if q.Sort == analysis.LowestFirst && ix.invented() { // the order would mean nothing
		q.Sort = analysis.LargestFirst
	}
	l, err := ix.blocks(ctx, q)
	if err != nil {
		return nil, err
	}
	l.noAddr = q.NoAddr || ix.invented()
	return l, nil
}

// invented reports whether addresses are not those of the program. Answers then leave them out.
func (ix *fileIndex) invented() bool { return ix.meta().InventedAddresses }

// meta returns what is known about the file.
func (ix *fileIndex) meta() model.Meta {
	if ix.Store == nil {
		return model.Meta{}
	}
	if p := ix.Store.Current(); p != nil {
		return p.Meta
	}
	return model.Meta{}
}

func (ix *fileIndex) blocks(ctx context.Context, q analysis.BlockQuery) (*fileBlocks, error) {
	r := ix.reader()
	lo, hi := r.eventRange(q.Range)
	if !q.Leaked && !q.Born {
		lo, hi = 0, r.eventsAt(q.At)
	}
	if r.err != nil {
		return nil, r.err
	}
	_, to := ix.bounds(q.Range)
	end := min(to, ix.duration())
	in := ix.Filtered(q.Cell)
	g := ix.grouping(q.By, in)
	plain := q.All && in.IsAll() && q.Addr == 0 && (q.Sort == analysis.OldestFirst || q.Sort == analysis.NewestFirst)
	if plain && !q.Born && !q.Leaked {
		return ix.liveBlocks(ctx, hi, q.Sort == analysis.NewestFirst)
	}
	if !q.Born && q.Addr == 0 && q.Sort != analysis.LowestFirst {
		until := model.Time(model.MaxTime)
		if q.Leaked {
			until = end - q.MinAge
		}
		s, err := ix.keptRefs(ctx, q, in, g, lo, hi, until)
		return &fileBlocks{ix: ix, bytes: s.bytes, sorted: s}, err
	}
	unheld := q.Addr != 0 && ix.invented()
	wanted := func(b *fileBlock) bool {
		switch {
		case unheld:
		case !q.Born && int(b.died) < hi, q.Leaked && end-b.bornAt < q.MinAge:
		case !q.All && g.keyOf(b) != q.Key, !ix.in(in, b), q.Addr != 0 && !b.holds(q.Addr):
		default:
			return true
		}
		return false
	}
	return ix.collect(ctx, lo, hi, q.Sort, wanted)
}

// collect returns the blocks that are born in events [lo, hi) and for which wanted is true. wanted must be safe for
// concurrent use.
func (ix *fileIndex) collect(ctx context.Context, lo, hi int, by analysis.BlockOrder, wanted func(b *fileBlock) bool) (*fileBlocks, error) {
	all := blockCollector{list: &fileBlocks{ix: ix}, by: by}
	parts := shared.InOrder[*blockCollector]{Take: all.merge}
	err := ix.together(ctx, lo, hi, func() chunkWork {
		return func(n int, v *view, from, to int) {
			part := &blockCollector{list: &fileBlocks{}, by: by}
			ix.bornIn(v, from, to, func(b *fileBlock) {
				if wanted(b) {
					part.add(b)
				}
			})
			parts.Put(n, part)
		}
	})
	if err != nil {
		return nil, err
	}
	all.sort()
	return all.list, ctx.Err()
}

func (b *fileBlock) holds(addr uint64) bool {
	x := analysis.Block{Addr: b.addr, Size: b.size}
	return x.Holds(addr)
}

// blockCollector builds a sorted list.
type blockCollector struct {
	list *fileBlocks
	by   analysis.BlockOrder
	rows []ranked // used if they are not sorted by birth
}

func (c *blockCollector) add(b *fileBlock) {
	c.list.bytes, _ = model.SaturatingAdd(c.list.bytes, b.size)
	key := b.addr
	switch c.by {
	case analysis.OldestFirst, analysis.NewestFirst:
		c.list.born = append(c.list.born, b.born)
		return
	case analysis.LargestFirst:
		key = ^b.size
	case analysis.ShortestFirst:
		if key = math.MaxUint64; b.died != alive {
			key = uint64(b.diedAt - b.bornAt)
		}
	}
	c.rows = append(c.rows, ranked{key, b.born})
}

// merge adds the blocks of a later part.
func (c *blockCollector) merge(part *blockCollector) {
	c.list.bytes, _ = model.SaturatingAdd(c.list.bytes, part.list.bytes)
	c.list.born = append(c.list.born, part.list.born...)
	c.rows = append(c.rows, part.rows...)
}

func (c *blockCollector) sort() {
	if c.by == analysis.NewestFirst {
		slices.Reverse(c.list.born)
	}
	if len(c.rows) == 0 {
		return
	}
	slices.SortFunc(c.rows, func(a, b ranked) int { return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.block, b.block)) })
	c.list.born = make([]uint32, len(c.rows))
	for i := range c.rows {
		c.list.born[i] = c.rows[i].block
	}
}

// liveBlocks returns all blocks that are alive after n events, by birth. Blocks of earlier chunks are only counted: a
// row is searched when it is read.
func (ix *fileIndex) liveBlocks(ctx context.Context, n int, newest bool) (*fileBlocks, error) {
	r := ix.reader()
	l := &fileBlocks{ix: ix, bytes: r.levelAt(n).Bytes, events: n, records: ix.recordsBefore(n), newest: newest}
	if r.err != nil {
		return nil, r.err
	}
	total := 0
	for from := 0; from < l.records; from += column.ChunkLen {
		count := 0
		for _, died := range ix.records.died.Chunks[from>>column.ChunkBits][:min(column.ChunkLen, l.records-from)] {
			if int(died) >= n {
				count++
			}
		}
		total += count
		l.counts = append(l.counts, total)
	}
	err := ix.keptOfChunk(ctx, 0, n, func(b *fileBlock) { l.born = append(l.born, b.born) })
	return l, err
}

// fileBlocks is a list of blocks by the events of their births.
type fileBlocks struct {
	ix     *fileIndex
	born   []uint32
	bytes  uint64
	noAddr bool // rows have no addresses

	sorted *sortedRefs // used instead if not nil

	// Before those of born come the blocks of the first records that are alive after events events.
	events, records int
	counts          []int // number of these, up to and including each chunk of the column
	newest          bool  // everything in reverse order

	mu   sync.Mutex
	rows map[uint32]analysis.Block // recently read
}

const keptRows = 4096

// Len implements [analysis.BlockList].
func (l *fileBlocks) Len() int {
	if l.sorted != nil {
		return l.sorted.n
	}
	return l.counted() + len(l.born)
}

func (l *fileBlocks) counted() int {
	if len(l.counts) == 0 {
		return 0
	}
	return l.counts[len(l.counts)-1]
}

// event returns the event of the birth of row i. The index is locked.
func (l *fileBlocks) event(i int) uint32 {
	if l.sorted != nil {
		return l.sorted.event(i)
	}
	if l.newest {
		i = l.Len() - 1 - i
	}
	if i >= l.counted() {
		return l.born[i-l.counted()]
	}
	k, _ := slices.BinarySearch(l.counts, i+1)
	if k > 0 {
		i -= l.counts[k-1]
	}
	found := uint32(0)
	l.ix.keptRecords(k*column.ChunkLen, min((k+1)*column.ChunkLen, l.records), l.events, func(r int) {
		if i == 0 {
			found = uint32(l.ix.records.born.At(r))
		}
		i--
	})
	return found
}

// Bytes implements [analysis.BlockList].
func (l *fileBlocks) Bytes() uint64 { return l.bytes }

// Row implements [analysis.BlockList]. What can no longer be read from the input is 0.
func (l *fileBlocks) Row(i int) analysis.Block {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ix.mu.RLock()
	defer l.ix.mu.RUnlock()
	event := l.event(i)
	if b, ok := l.rows[event]; ok {
		return b
	}
	if len(l.rows) >= keptRows || l.rows == nil {
		l.rows = map[uint32]analysis.Block{}
	}
	b, err := l.ix.bornAt(int(event), !l.noAddr)
	if err != nil {
		return analysis.Block{Died: model.NoTime}
	}
	row := l.ix.public(&b)
	if l.ix.status.Final || l.ix.status.Stopped { // otherwise it may still end
		l.rows[event] = row
	}
	return row
}

// bornAt returns the block that is born at an event, with its address if addr is set.
func (ix *fileIndex) bornAt(event int, addr bool) (b fileBlock, err error) {
	c := ix.chunks[ix.chunkAt(event)]
	rec := ix.records.born.Search(uint64(event))
	if rec == ix.records.len() || int(ix.records.born.At(rec)) != event {
		v, err := ix.view(c)
		if err != nil {
			return b, err
		}
		defer ix.done(v)
		if b = ix.blockOf(v, v.payload(event-c.first)); !addr {
			b.addr = 0
		}
		return b, nil
	}
	if b = ix.recordBlock(rec); addr {
		b.addr, err = ix.addrOf(c, event)
	}
	return b, err
}

// addrOf returns the address of an event of a chunk.
func (ix *fileIndex) addrOf(c *chunk, event int) (uint64, error) {
	buffer := ix.columns.Get().(*model.Columns)
	defer ix.columns.Put(buffer)
	r, run := ix.usedReader(), ix.runOf(event)
	events, _ := r.read(c, run, buffer)
	if r.err != nil {
		return 0, r.err
	}
	ix.readers.Put(r)
	return events.Addr[event-ix.runBegin(run)], nil
}

// Uses implements [analysis.Trace].
func (ix *fileIndex) Uses(ctx context.Context, addr uint64, limit int) (blocks []analysis.Block, total int, err error) {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	if addr == 0 || ix.invented() {
		return nil, 0, ctx.Err()
	}
	all := shared.Last[analysis.Block]{Most: max(limit, 0)}
	take := func(part *shared.Last[analysis.Block]) { all.Add(part.Total, part.List...) }
	parts := shared.InOrder[*shared.Last[analysis.Block]]{Take: take}
	err = ix.together(ctx, 0, ix.events(), func() chunkWork {
		return func(n int, v *view, from, to int) {
			part := &shared.Last[analysis.Block]{Most: all.Most}
			for p := v.payload(from); p < len(v.event) && int(v.event[p]) < to; p++ {
				x := analysis.Block{Addr: v.events.Addr[v.event[p]], Size: v.events.Size[p]}
				if v.events.Kind[v.event[p]] == model.Alloc && x.Holds(addr) {
					b := ix.blockOf(v, p)
					part.Add(1, ix.public(&b))
				}
			}
			parts.Put(n, part)
		}
	})
	return all.List, all.Total, err
}

// ranked is a block with its sort key, adjacent in memory.
type ranked struct {
	key   uint64 // smaller ones first
	block uint32
}
