package heapgraph

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/memtui/memtui/model"
)

// flood walks breadth first from the root under the policy, over rows that are not in seen, and adds them to it. Where from is
// not nil, it takes each row's predecessor. The walk ends when target is found, unless that is the root. queue is scratch space
// for as many rows as there are.
func (g *Graph) flood(ctx context.Context, queue []model.Row, seen rowBits, from []model.Row, target model.Row) error {
	if seen.has(model.RootRow) {
		return nil
	}
	seen.set(model.RootRow)
	queue[0] = model.RootRow
	touched := uint32(0)
	for i, n := 0, 1; i < n; i++ {
		touched += g.touchQueue(queue[i:n])
		r := queue[i]
		for _, t := range g.out(r) {
			if seen.has(t) {
				continue
			}
			seen.set(t)
			queue[n] = t
			n++
			if from != nil {
				from[t] = r
			}
			if t == target {
				return nil
			}
		}
		if i%pauseEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if touched != 0 {
		queue[0] = model.RootRow // as it was: keeps the touches from being optimized away
	}
	return nil
}

// touchQueue is for rows that wait in a walk's queue: see touchFar.
func (g *Graph) touchQueue(waiting []model.Row) (touched uint32) {
	if len(waiting) <= touchFar {
		return 0
	}
	start, to := g.Heap.Start, g.Heap.To
	touched = start[waiting[touchFar]]
	if len(to) > 0 {
		touched += uint32(to[min(int(start[waiting[touchNear]]), len(to)-1)])
	}
	return touched
}

// pathTree holds a shortest path to every row: its predecessor there.
type pathTree struct {
	mu   sync.Mutex
	seen rowBits
	from []model.Row // nil until asked for
}

// shortest returns the tree of shortest paths, made on first use.
func (g *Graph) shortest(ctx context.Context) (*pathTree, error) {
	p := &g.caches.paths
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.from != nil {
		return p, nil
	}
	seen, from := newRowBits(g.Heap.Len()), make([]model.Row, g.Heap.Len())
	if err := g.flood(ctx, make([]model.Row, len(from)), seen, from, model.RootRow); err != nil {
		return nil, err
	}
	p.seen, p.from = seen, from
	g.caches.bytes.Add(int64(4*len(from) + 8*len(seen)))
	return p, nil
}

// Path returns a shortest path from the root to row that passes none of the rows in without: of several the first in the order
// of a breadth-first walk that takes references in the file's order. ok is false when there is none. The first step is the root.
func (g *Graph) Path(ctx context.Context, row model.Row, without map[model.Row]bool) (path []Step, ok bool, err error) {
	if int(row) >= g.Heap.Len() {
		return nil, false, nil
	}
	if len(without) == 0 {
		p, err := g.shortest(ctx)
		if err != nil || !p.seen.has(row) {
			return nil, false, err
		}
		return g.steps(p.from, row), true, nil
	}
	if without[row] || without[model.RootRow] {
		return nil, false, nil
	}
	seen, from := newRowBits(g.Heap.Len()), make([]model.Row, g.Heap.Len())
	for r, out := range without {
		if out && int(r) < g.Heap.Len() {
			seen.set(r)
		}
	}
	if err := g.flood(ctx, make([]model.Row, len(from)), seen, from, row); err != nil || !seen.has(row) {
		return nil, false, err
	}
	return g.steps(from, row), true, nil
}

// steps follows predecessors back from row. The reference of each step is the first that leads there, of those that hold it.
func (g *Graph) steps(from []model.Row, row model.Row) []Step {
	var path []Step
	for row != model.RootRow {
		path = append(path, Step{row, g.reference(from[row], row)})
		row = from[row]
	}
	path = append(path, Step{Row: model.RootRow})
	slices.Reverse(path)
	return path
}

// reference returns the first reference from one row to another that holds it, the first of all where none does.
func (g *Graph) reference(from, row model.Row) uint32 {
	to, first := g.Heap.Out(from)
	at := first + uint32(slices.Index(to, row))
	if g.cut == nil || !g.cut.has(from) {
		return at
	}
	for i, t := range to {
		if e := first + uint32(i); t == row && !g.skips(from, e) {
			return e
		}
	}
	return at
}

// PathLengths counts the steps from the root to every row; a row that cannot be reached has none.
func (g *Graph) PathLengths(ctx context.Context) ([]uint32, error) {
	p, err := g.shortest(ctx)
	if err != nil {
		return nil, err
	}
	length := make([]uint32, len(p.from))
	var way []model.Row
	for r := range length {
		way = way[:0]
		for at := model.Row(r); at != model.RootRow && length[at] == 0 && p.seen.has(at); at = p.from[at] {
			way = append(way, at)
		}
		for i := len(way) - 1; i >= 0; i-- {
			length[way[i]] = length[p.from[way[i]]] + 1
		}
	}
	return length, nil
}

// inEdges lists references by target: those to r come from rows from[start[r]:start[r+1]], ascending.
type inEdges struct {
	once  sync.Once
	start []uint32
	from  []model.Row
}

// incoming makes the lists of incoming references on first use.
func (g *Graph) incoming() *inEdges {
	in := &g.shared.in
	in.once.Do(func() {
		h := g.Heap
		in.start, in.from = make([]uint32, h.Len()+1), make([]model.Row, len(h.To))
		for _, t := range h.To {
			in.start[t]++
		}
		sum := uint32(0)
		for i, c := range in.start {
			sum += c
			in.start[i] = sum
		}
		// Backwards, so that each list's start sinks to where it belongs and the sources ascend.
		for r := h.Len() - 1; r >= 0; r-- {
			to, _ := h.Out(model.Row(r))
			for i := len(to) - 1; i >= 0; i-- {
				t := to[i]
				in.start[t]--
				in.from[in.start[t]] = model.Row(r)
			}
		}
		g.shared.bytes.Add(int64(4 * (len(in.start) + len(in.from))))
	})
	return in
}

// In iterates over the references to row as recorded, whatever the policy: their source and their number, ascending. The first
// call on a snapshot takes time in proportion to its references, without dominators every call does.
func (g *Graph) In(row model.Row) iter.Seq2[model.Row, uint32] {
	return func(yield func(model.Row, uint32) bool) {
		if g.Idom == nil { // there was no memory for them, nor is there any for lists of references
			g.scanIn(row, yield)
			return
		}
		in := g.incoming()
		sources := in.from[in.start[row]:in.start[row+1]]
		for i, r := range sources {
			if i > 0 && sources[i-1] == r {
				continue // all references of one source were told at once
			}
			to, first := g.Heap.Out(r)
			for k, t := range to {
				if t == row && !yield(r, first+uint32(k)) {
					return
				}
			}
		}
	}
}

// scanIn calls yield for the references to row until it wants no more.
func (g *Graph) scanIn(row model.Row, yield func(model.Row, uint32) bool) {
	r, h := 0, g.Heap
	for e, t := range h.To {
		if t != row {
			continue
		}
		for int(h.Start[r+1]) <= e {
			r++
		}
		if !yield(model.Row(r), uint32(e)) {
			return
		}
	}
}

// InCount returns the number of references to row.
func (g *Graph) InCount(row model.Row) int {
	in := g.incoming()
	return int(in.start[row+1] - in.start[row])
}
