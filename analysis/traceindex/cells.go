package traceindex

import (
	"context"
	"slices"
	"sort"
	"sync"

	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/model/sections"
)

// cellSums are the sums of the blocks in a cell of the size × lifetime grid, stored like those of all blocks. Read-only
// once made.
type cellSums struct {
	in          group.Scope
	members     *membership
	events      int                            // number of events of the index
	now         [column.DimCount][]column.Cell // sums after all of them
	chunks      [][column.DimCount][]byte
	checkpoints []chunkSums
}

// cellCache keeps the sums of the last cell that was queried.
type cellCache struct {
	mu   sync.Mutex
	kept *cellSums

	members *membership // of the last cell whose blocks were queried
	events  int         // number of events of the index at that time
}

// membersOf returns the membership that keepMembers stored, or nil if it is for another cell or another number of
// events.
func (k *cellCache) membersOf(in group.Scope, events int) *membership {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.members == nil || k.members.in != in || k.events != events {
		return nil
	}
	return k.members
}

func (k *cellCache) keepMembers(m *membership, events int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.members, k.events = m, events
}

func (k *cellCache) get(in group.Scope, events int) *cellSums {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.kept == nil || k.kept.in != in || k.kept.events != events {
		return nil
	}
	return k.kept
}

func (k *cellCache) put(s *cellSums) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.kept = s
}

// cellSums returns the sums of a cell. The index must be settled.
func (ix *fileIndex) cellSums(ctx context.Context, in group.Scope) (*cellSums, error) {
	n := ix.events()
	if s := ix.cells.get(in, n); s != nil {
		return s, nil
	}
	err := ix.shared(ctx, in, func(ctx context.Context) error {
		s, err := ix.makeCellSums(ctx, in)
		if err == nil {
			ix.cells.put(s)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if s := ix.cells.get(in, n); s != nil {
		return s, nil
	}
	return ix.makeCellSums(ctx, in) // another cell has replaced it
}

func (ix *fileIndex) makeCellSums(ctx context.Context, in group.Scope) (*cellSums, error) {
	s := &cellSums{in: in, members: ix.membership(in), events: ix.events(), chunks: make([][column.DimCount][]byte, len(ix.chunks))}
	err := ix.together(ctx, 0, s.events, func() chunkWork {
		w := cellSummer{ix: ix, in: s.members, sites: make([]column.Cell, len(ix.sites.Keys))}
		for d := range ix.sums {
			w.cells[d] = make([]column.Cell, len(ix.sums[d]))
		}
		return func(n int, v *view, _, _ int) { s.chunks[n] = w.chunk(v) }
	})
	if err != nil {
		return nil, err
	}
	for d := range ix.sums {
		s.now[d] = make([]column.Cell, len(ix.sums[d]))
	}
	since, whole := 0, 0 // bytes since the last checkpoint, and bytes of one checkpoint
	for d := range s.now {
		whole += len(sections.BytesOf(s.now[d]))
	}
	for k, grown := range s.chunks {
		for d := range s.now {
			column.AddCells(s.now[d], grown[d])
			since += len(grown[d])
		}
		if since >= whole { // checkpoints take no more memory than chunks
			c := chunkSums{chunk: k + 1}
			for d := range s.now {
				c.Sums[d] = slices.Clone(s.now[d])
			}
			s.checkpoints = append(s.checkpoints, c)
			since = 0
		}
	}
	return s, nil
}

// cellSummer sums up the blocks of a cell in one chunk after the other.
type cellSummer struct {
	ix      *fileIndex
	in      *membership
	member  []bool
	sites   []column.Cell
	touched []uint32 // sites
	cells   [column.DimCount][]column.Cell
	keys    [column.DimCount][]uint32
}

func (w *cellSummer) chunk(v *view) (out [column.DimCount][]byte) {
	ix := w.ix
	w.member = w.in.of(v, w.member)
	bySize := w.cells[column.DimSize]
	ix.eachChange(v, 0, v.c.n, func(_ int, r column.Ref, how column.Change) {
		if !w.in.has(r, w.member) {
			return
		}
		site, size := ix.siteSize(v, r)
		c := &w.sites[site]
		if c.IsZero() {
			w.touched = append(w.touched, site)
		}
		c.Apply(how, size)
		bySize[sizeClass(size)].Apply(how, size)
	})
	for _, site := range w.touched {
		w.add(column.DimStack, ix.sites.Stack[site], site)
		w.add(column.DimThread, ix.sites.Thread[site], site)
		w.sites[site] = column.Cell{}
	}
	for k, c := range bySize {
		if !c.IsZero() {
			w.keys[column.DimSize] = append(w.keys[column.DimSize], uint32(k))
		}
	}
	w.touched = w.touched[:0]
	for d := range w.cells {
		slices.Sort(w.keys[d])
		out[d] = column.AppendCells(nil, w.keys[d], w.cells[d])
		for _, k := range w.keys[d] {
			w.cells[d][k] = column.Cell{}
		}
		w.keys[d] = w.keys[d][:0]
	}
	return out
}

func (w *cellSummer) add(d column.Dim, k, site uint32) {
	c := &w.cells[d][k]
	if c.IsZero() {
		w.keys[d] = append(w.keys[d], k)
	}
	c.Add(&w.sites[site])
}

// sumsAt is [fileIndex.sumsAt] for the blocks in the cell.
func (s *cellSums) sumsAt(ix *fileIndex, d column.Dim, n int) ([]column.Cell, error) {
	if n >= s.events {
		return s.now[d], nil
	}
	out := make([]column.Cell, len(s.now[d]))
	k, from := ix.chunkAt(n), 0
	if i := sort.Search(len(s.checkpoints), func(i int) bool { return s.checkpoints[i].chunk > k }); i > 0 {
		from = s.checkpoints[i-1].chunk
		copy(out, s.checkpoints[i-1].Sums[d])
	}
	for ; from < k; from++ {
		column.AddCells(out, s.chunks[from][d])
	}
	if n == ix.chunks[k].first {
		return out, nil
	}
	v, err := ix.view(ix.chunks[k])
	if err != nil {
		return nil, err
	}
	defer ix.done(v)
	member := s.members.of(v, nil)
	ix.eachChange(v, 0, n-v.c.first, func(_ int, r column.Ref, how column.Change) {
		if s.members.has(r, member) {
			site, size := ix.siteSize(v, r)
			out[ix.key(d, site, size)].Apply(how, size)
		}
	})
	return out, nil
}
