package heapgraph

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/memtui/memtui/model"
)

// NewGraph computes the dominators and retained sizes of h. It fails if ctx ends, or names the columns that an
// incomplete snapshot lacks.
func NewGraph(ctx context.Context, h *model.Heap, p Policy) (*Graph, error) {
	return newGraph(ctx, h, p, &shared{}, nil, func(float64) {})
}

// NewReferences is NewGraph without dominators and retained sizes: HasDominators is false and Retained is nil. It takes
// much less memory.
func NewReferences(ctx context.Context, h *model.Heap, p Policy) (*Graph, error) {
	if err := checkHeap(h); err != nil {
		return nil, err
	}
	if wideHeap(h) {
		return follow[uint64](ctx, h, p)
	}
	return follow[uint32](ctx, h, p)
}

// pathRowBytes is the most memory per row that finding paths takes.
const pathRowBytes = 9

func follow[I index](ctx context.Context, h *model.Heap, p Policy) (*Graph, error) {
	s := &shared{}
	c, err := newCore[I](ctx, h, p, s, pathRowBytes, 0, "following references")
	if err != nil {
		return nil, err
	}
	if err := c.leaveOut(ctx, make([]I, h.Len())); err != nil {
		return nil, err
	}
	return &Graph{Heap: c.heap, Policy: p, shared: s, core: c}, nil
}

// newGraph restores or computes a graph, or takes it from one of others, which are under the same policy.
func newGraph(ctx context.Context, h *model.Heap, p Policy, s *shared, others []*Graph, report func(done float64)) (*Graph, error) {
	if err := checkHeap(h); err != nil {
		return nil, err
	}
	if wideHeap(h) {
		return dominate[uint64](ctx, h, p, s, report)
	}
	if g := restore(ctx, h, p, s); g != nil {
		return g, nil
	}
	for _, other := range others {
		if g := other.unchanged(ctx, h, s); g != nil {
			keep(g)
			return g, ctx.Err()
		}
	}
	g, err := dominate[uint32](ctx, h, p, s, report)
	if err == nil {
		keep(g)
	}
	return g, err
}

func dominate[I index](ctx context.Context, h *model.Heap, p Policy, s *shared, report func(done float64)) (*Graph, error) {
	c, err := newCore[I](ctx, h, p, s, model.GraphRowBytes, model.GraphRefBytes, "computing dominators")
	if err != nil {
		return nil, err
	}
	w := newDomWork(ctx, c, report)
	defer w.scratch.Close()
	if err := c.leaveOut(ctx, w.order); err != nil {
		return nil, err
	}
	h.From.Forget() // the labels, which were read for that
	for _, part := range []func() error{w.walk, w.listPreds, w.semiDominators} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	w.immediate()
	w.retain()
	h.From.Forget()
	return c.graph(p, s), nil
}

// graph wraps a core with dominators for callers.
func (c *core[I]) graph(p Policy, s *shared) *Graph {
	return &Graph{Heap: c.heap, Policy: p, Retained: c.retained, Unreachable: c.unreachable,
		UnreachableBytes: c.lostBytes, shared: s, core: c,
		idom: modelColumn[model.Row](c.idom), count: modelColumn[uint64](c.count)}
}

// domTree is the dominator tree by parent: the children of r are rows[start[r]:start[r+1]].
type domTree[I index] struct {
	once  sync.Once
	start []I
	sort  sync.Once
	mu    sync.Mutex // guards rows
	rows  []I        // replaced by a sorted copy
}

// unsorted returns the lists as they are.
func (t *domTree[I]) unsorted() []I {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.rows
}

// below builds the lists of children on first use, each in ascending order until children sorts them.
func (c *core[I]) below() *domTree[I] {
	t := &c.tree
	t.once.Do(func() {
		n := len(c.idom)
		t.start, t.rows = model.MakeColumn[I](c.room, n+1), model.MakeColumn[I](c.room, max(n, 1)-1)
		// The lists are filled from their ends: start[d] moves down from the list's end to its start.
		for r := 1; r < n; r++ {
			t.start[c.idom[r]]++
		}
		sum := I(0)
		for i, k := range t.start {
			sum += k
			t.start[i] = sum
		}
		for r := n - 1; r > 0; r-- {
			d := c.idom[r]
			t.start[d]--
			t.rows[t.start[d]] = I(r)
		}
		c.bytes.Add(columnBytes(t.start) + columnBytes(t.rows))
	})
	return t
}

func (c *core[I]) heavierFirst(a, b I) int {
	if x := cmp.Compare(c.retained[b], c.retained[a]); x != 0 {
		return x
	}
	return cmp.Compare(a, b)
}

func (c *core[I]) children(r uint64) model.Column[model.Row] {
	t := c.below()
	t.sort.Do(func() {
		sorted := model.CloneColumn(c.room, t.rows) // who reads them unsorted goes on meanwhile
		for r := range c.idom {
			if list := sorted[t.start[r]:t.start[r+1]]; len(list) > 1 {
				slices.SortFunc(list, c.heavierFirst)
			}
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		t.rows = sorted
	})
	return modelColumn[model.Row](t.rows[t.start[r]:t.start[r+1]])
}

// Children returns the rows that r immediately dominates, by descending retained bytes, ties by row. The graph owns the
// column. The first call on a graph takes time proportional to its rows.
func (g *Graph) Children(r model.Row) model.Column[model.Row] { return g.core.children(uint64(r)) }

func (g *Graph) heavierFirst(a, b model.Row) int {
	return cmp.Or(cmp.Compare(g.Retained[b], g.Retained[a]), cmp.Compare(a, b))
}

// Accumulation descends from r as long as one child retains at least four fifths of what its dominator does. It returns
// the row where this ends, below which memory is spread over many rows.
func (g *Graph) Accumulation(r model.Row) model.Row {
	for {
		kids := g.Children(r)
		if kids.Len() == 0 || g.Retained[kids.At(0)] < g.Retained[r]-g.Retained[r]/5 {
			return r
		}
		r = kids.At(0)
	}
}
