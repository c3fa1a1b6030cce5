package heapgraph

import (
	"context"
	"iter"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/memtui/memtui/model"
)

// flood walks breadth-first from the root under the policy, over rows that are not in seen, and adds them to it. If
// from is not nil, it records each row's predecessor there. The walk ends when target is found, unless that is the
// root. queue is scratch space for one entry per row.
func (c *core[I]) flood(ctx context.Context, queue []I, seen rowBits, from []I, target I) error {
	if seen.has(0) {
		return nil
	}
	seen.set(0)
	queue[0] = 0
	touched := I(0)
	var at bounds[I]
	for i, n := 0, 1; i < n; {
		rows := queue[i:min(i+len(at), n)]
		touched += c.fetch(rows, &at)
		for k, r := range rows {
			for _, t := range c.outOf(r, &at[k]) {
				if seen.has(uint64(t)) {
					continue
				}
				seen.set(uint64(t))
				queue[n] = t
				n++
				if from != nil {
					from[t] = r
				}
				if t == target {
					return nil
				}
			}
		}
		if i += len(rows); i%pauseEvery < len(at) && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if touched != 0 {
		queue[0] = 0 // unchanged: keeps the touches from being optimized away
	}
	return nil
}

// bounds are where the references of rows that follow each other in a queue begin and end. Such rows are scattered in
// memory: the references of as many rows are read at once, so that the processor waits for them together.
type bounds[I index] [32][2]I

// fetch reads the bounds of rows, and the first reference of each. It returns a sum of these that means nothing.
func (c *core[I]) fetch(rows []I, at *bounds[I]) (touched I) {
	start, to := c.start, c.to
	for k, r := range rows[:min(len(rows), len(at))] {
		at[k] = [2]I{start[r], start[r+1]}
	}
	for k := range min(len(rows), len(at)) {
		if i := at[k][0]; int(i) < len(to) {
			touched += to[i]
		}
	}
	return touched
}

// outOf is out of a row whose bounds are known.
func (c *core[I]) outOf(r I, at *[2]I) []I {
	if c.cut != nil && c.cut.set.has(uint64(r)) {
		return c.cut.out(r)
	}
	return c.to[at[0]:at[1]]
}

// pathTree records a shortest path to every row, by its predecessor there.
type pathTree[I index] struct {
	mu   sync.Mutex
	seen rowBits
	from []I // nil until needed
}

// shortest returns the tree of shortest paths, and computes it on first use.
func (c *core[I]) shortest(ctx context.Context) (*pathTree[I], error) {
	p := &c.paths
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.from != nil {
		return p, nil
	}
	return p, c.findPaths(ctx, p, make([]I, c.heap.Len()))
}

// reached returns the rows that the root reaches, nil if it reaches all of them. It computes no paths, which take far
// more memory.
func (c *core[I]) reached(ctx context.Context) (rowBits, error) {
	if c.unreachable == 0 {
		return nil, nil
	}
	p := &c.paths
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.from != nil {
		return p.seen, nil
	}
	seen := newRowBits(c.heap.Len())
	return seen, c.flood(ctx, make([]I, c.heap.Len()), seen, nil, 0)
}

// findPaths fills a tree of shortest paths, and a queue with the rows that the root reaches, in the order of the walk.
func (c *core[I]) findPaths(ctx context.Context, p *pathTree[I], queue []I) error {
	seen, from := newRowBits(c.heap.Len()), make([]I, c.heap.Len())
	if err := c.flood(ctx, queue, seen, from, 0); err != nil {
		return err
	}
	p.seen, p.from = seen, from
	c.bytes.Add(columnBytes(from) + int64(8*len(seen)))
	return nil
}

// breadthFirst returns the rows that the root reaches, each after its predecessor on its shortest path, and those
// paths.
func (c *core[I]) breadthFirst(ctx context.Context) (order []I, p *pathTree[I], err error) {
	p = &c.paths
	p.mu.Lock()
	defer p.mu.Unlock()
	order = make([]I, c.heap.Len())
	if p.from == nil {
		err = c.findPaths(ctx, p, order)
	} else {
		err = c.flood(ctx, order, newRowBits(len(order)), nil, 0)
	}
	return order[:len(order)-c.unreachable], p, err
}

// memory returns what the graph has computed since it was made, and the references that the policy replaces.
func (c *core[I]) memory() int64 { return c.cut.bytes() + c.bytes.Load() }

// Path returns a shortest path from the root to row that passes none of the rows in without. Of several it is the first
// in a breadth-first walk that takes references in the file's order. ok is false if there is none. The first step is
// the root.
func (g *Graph) Path(ctx context.Context, row model.Row, without map[model.Row]bool) (path []Step, ok bool, err error) {
	if !g.Heap.Has(row) {
		return nil, false, nil
	}
	return g.core.path(ctx, row, without)
}

func (c *core[I]) path(ctx context.Context, row model.Row, without map[model.Row]bool) (path []Step, ok bool, err error) {
	if len(without) == 0 {
		p, err := c.shortest(ctx)
		if err != nil || !p.seen.has(uint64(row)) {
			return nil, false, err
		}
		return c.steps(p.from, I(row)), true, nil
	}
	if without[row] || without[model.RootRow] {
		return nil, false, nil
	}
	seen, from := newRowBits(c.heap.Len()), make([]I, c.heap.Len())
	for r, out := range without {
		if out && c.heap.Has(r) {
			seen.set(uint64(r))
		}
	}
	if err := c.flood(ctx, make([]I, len(from)), seen, from, I(row)); err != nil || !seen.has(uint64(row)) {
		return nil, false, err
	}
	return c.steps(from, I(row)), true, nil
}

// steps follows predecessors back from row. The reference of each step is the first strong one between the two rows.
func (c *core[I]) steps(from []I, row I) []Step {
	var path []Step
	for row != 0 {
		path = append(path, Step{model.Row(row), c.stepBetween(from[row], row)})
		row = from[row]
	}
	path = append(path, Step{Row: model.RootRow})
	slices.Reverse(path)
	return path
}

// stepBetween returns the first strong reference from one row to another, or the first of any kind if none is strong.
func (c *core[I]) stepBetween(from, row I) model.Ref {
	if e, ok := c.reference(uint64(from), uint64(row)); ok {
		return e
	}
	first := c.start[from]
	return model.Ref(first) + model.Ref(slices.Index(c.to[first:c.start[from+1]], row))
}

// inEdges lists references by target: those to r come from rows from[start[r]:start[r+1]], ascending.
type inEdges[I index] struct {
	once  sync.Once
	start []I
	from  []I
	bytes atomic.Int64 // of both
}

// incoming builds the lists of incoming references on first use, regardless of the policy.
func (c *core[I]) incoming() *inEdges[I] {
	in := c.in
	in.once.Do(func() {
		in.fill(c, func(r I) []I { return c.to[c.start[r]:c.start[r+1]] }, nil)
		in.bytes.Add(columnBytes(in.start) + columnBytes(in.from))
	})
	return in
}

// fill makes the lists of the references that out tells, to the rows of a set; nil is all.
func (in *inEdges[I]) fill(c *core[I], out func(r I) []I, of rowBits) {
	n, sum := c.heap.Len(), I(0)
	in.start = model.MakeColumn[I](c.room, n+1)
	for r := range n {
		for _, t := range out(I(r)) {
			if of == nil || of.has(uint64(t)) {
				in.start[t]++
			}
		}
	}
	for i, k := range in.start {
		sum += k
		in.start[i] = sum
	}
	in.from = model.MakeColumn[I](c.room, int(sum))
	// Backwards, so that each list's start moves down to its place and the sources ascend.
	for r := n - 1; r >= 0; r-- {
		to := out(I(r))
		for i := len(to) - 1; i >= 0; i-- {
			if t := to[i]; of == nil || of.has(uint64(t)) {
				in.start[t]--
				in.from[in.start[t]] = I(r)
			}
		}
	}
}

func (c *core[I]) sources(r uint64) model.Column[model.Row] {
	in := c.incoming()
	return modelColumn[model.Row](in.from[in.start[r]:in.start[r+1]])
}

// In iterates over the recorded references to row, regardless of the policy: their source and their number, ascending.
// The first call on a snapshot takes time proportional to its references; without dominators every call does.
func (g *Graph) In(row model.Row) iter.Seq2[model.Row, model.Ref] {
	return func(yield func(model.Row, model.Ref) bool) {
		if !g.HasDominators() { // without memory for dominators there is none for lists of references
			g.scanIn(row, yield)
			return
		}
		last := noRow
		for _, r := range g.core.sources(uint64(row)).All() {
			if r == last {
				continue // all references of one source were yielded at once
			}
			last = r
			to, first := g.Heap.Out(r)
			for k, t := range to.All() {
				if t == row && !yield(r, first+model.Ref(k)) {
					return
				}
			}
		}
	}
}

// scanIn calls yield for the references to row until it returns false.
func (g *Graph) scanIn(row model.Row, yield func(model.Row, model.Ref) bool) {
	r, h := 0, g.Heap
	for e, t := range h.To.All() {
		if t != row {
			continue
		}
		for h.Start.At(r+1) <= model.Ref(e) {
			r++
		}
		if !yield(model.Row(r), model.Ref(e)) {
			return
		}
	}
}

// InCount returns the number of references to row.
func (g *Graph) InCount(row model.Row) int {
	sources := g.core.sources(uint64(row))
	return sources.Len()
}
