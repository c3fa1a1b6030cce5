package heapgraph

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/memtui/memtui/model"
)

// NewHeapGraph computes dominators and retained sizes of h. The error is that of ctx, or says which columns an incomplete
// snapshot lacks.
func NewHeapGraph(ctx context.Context, h *model.Heap, p EdgePolicy) (*HeapGraph, error) {
	return newHeapGraph(ctx, h, p, &heapShared{}, func(float64) {})
}

// NewHeapReferences is NewHeapGraph without dominators and retained sizes: Idom, Retained and RetainedCount are nil. It takes much
// less memory.
func NewHeapReferences(ctx context.Context, h *model.Heap, p EdgePolicy) (*HeapGraph, error) {
	if err := checkHeap(h); err != nil {
		return nil, err
	}
	if b := model.BudgetOf(ctx); !b.Fits(pathRowBytes * int64(h.Len())) {
		return nil, b.Error("following references")
	}
	g := &HeapGraph{Heap: h, Policy: p, shared: &heapShared{}}
	if p == RootEdges {
		if err := g.leaveOutInterGen(ctx, make([]model.Row, h.Len())); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func newHeapGraph(ctx context.Context, h *model.Heap, p EdgePolicy, shared *heapShared, report func(done float64)) (*HeapGraph, error) {
	if err := checkHeap(h); err != nil {
		return nil, err
	}
	if b := model.BudgetOf(ctx); !b.Fits(graphRowBytes*int64(h.Len()) + graphRefBytes*int64(len(h.To))) {
		return nil, b.Error("finding out what holds memory")
	}
	g := &HeapGraph{Heap: h, Policy: p, shared: shared}
	w := newDomWork(ctx, g, report)
	if p == RootEdges {
		if err := g.leaveOutInterGen(ctx, w.order); err != nil {
			return nil, err
		}
	}
	for _, part := range []func() error{w.walk, w.listPreds, w.semiDominators} {
		if err := part(); err != nil {
			return nil, err
		}
	}
	w.immediate()
	w.retain()
	return g, nil
}

// Bytes that a row and a reference of a snapshot take at most while its graph is made.
const (
	graphRowBytes = 30
	graphRefBytes = 8
	pathRowBytes  = 9 // while paths are found
)

// checkHeap makes sure that the graph can be walked without looking at bounds again.
func checkHeap(h *model.Heap) error {
	n := h.Len()
	switch {
	case n == 0:
		return fmt.Errorf("the snapshot has no rows")
	case len(h.Start) != n+1 || len(h.Label) != len(h.To) || int(h.Start[n]) != len(h.To):
		return fmt.Errorf("the snapshot's references are missing: the file ends within it")
	case len(h.Size) != n || len(h.Extra) != n || len(h.Entity) != n:
		return fmt.Errorf("the snapshot's sizes or types are missing: the file ends within it")
	}
	if !slices.IsSorted(h.Start) {
		return fmt.Errorf("the snapshot's references overlap")
	}
	for e, to := range h.To {
		if int(to) >= n {
			return fmt.Errorf("reference %d leads to row %d of %d", e, to, n)
		}
	}
	return nil
}

// leaveOutInterGen replaces the references of inter-generational roots by those that nothing else reaches.
func (g *HeapGraph) leaveOutInterGen(ctx context.Context, scratch []model.Row) error {
	h, kept := g.Heap, map[model.Row][]model.Row{}
	for r, k := range h.Kinds {
		if k == model.KindInterGenRoots && h.Start[r] < h.Start[r+1] {
			kept[model.Row(r)] = nil
		}
	}
	if len(kept) == 0 {
		return nil
	}
	g.kept = kept
	seen := newRowBits(h.Len())
	if err := g.flood(ctx, scratch, seen, nil, model.RootRow); err != nil {
		return err
	}
	rest := map[model.Row][]model.Row{}
	for r := range kept {
		to, _ := h.Out(r)
		rest[r] = slices.DeleteFunc(slices.Clone(to), seen.has)
	}
	g.kept = rest
	return nil
}

// out are the targets of r's references under the policy, in the file's order.
func (g *HeapGraph) out(r model.Row) []model.Row {
	if g.kept != nil && g.Heap.Kinds[r] == model.KindInterGenRoots {
		return g.kept[r]
	}
	return g.Heap.To[g.Heap.Start[r]:g.Heap.Start[r+1]]
}

// domTree is the dominator tree downwards: the children of r are rows[start[r]:start[r+1]].
type domTree struct {
	once  sync.Once
	start []uint32
	mu    sync.RWMutex // held for reading where rows is read before it is sorted
	sort  sync.Once
	rows  []model.Row
}

// tree makes the children's lists on first use, each in ascending order until Children sorts them.
func (g *HeapGraph) tree() *domTree {
	t := &g.caches.tree
	t.once.Do(func() {
		n := len(g.Idom)
		t.start, t.rows = make([]uint32, n+1), make([]model.Row, max(n, 1)-1)
		// The lists are filled from their ends: start[d] sinks from the list's end to its start.
		for r := 1; r < n; r++ {
			t.start[g.Idom[r]]++
		}
		sum := uint32(0)
		for i, c := range t.start {
			sum += c
			t.start[i] = sum
		}
		for r := n - 1; r > 0; r-- {
			d := g.Idom[r]
			t.start[d]--
			t.rows[t.start[d]] = model.Row(r)
		}
		g.caches.bytes.Add(int64(8 * n))
	})
	return t
}

func (g *HeapGraph) heavierFirst(a, b model.Row) int {
	if c := cmp.Compare(g.Retained[b], g.Retained[a]); c != 0 {
		return c
	}
	return cmp.Compare(a, b)
}

// Children are the rows that r immediately dominates, by retained bytes descending, ties by row. The slice is the graph's.
// The first call on a graph takes time in proportion to its rows.
func (g *HeapGraph) Children(r model.Row) []model.Row {
	t := g.tree()
	t.sort.Do(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		for r := range g.Idom {
			if list := t.rows[t.start[r]:t.start[r+1]]; len(list) > 1 {
				slices.SortFunc(list, g.heavierFirst)
			}
		}
	})
	return t.rows[t.start[r]:t.start[r+1]]
}

// Accumulation descends from r as long as one child retains at least four fifths of what its dominator does, and returns
// where that ends: the row below which memory is spread over many.
func (g *HeapGraph) Accumulation(r model.Row) model.Row {
	for {
		kids := g.Children(r)
		if len(kids) == 0 || g.Retained[kids[0]] < g.Retained[r]-g.Retained[r]/5 {
			return r
		}
		r = kids[0]
	}
}

// Top are the rows of kinds 1 to 4 that retain most, descending, ties by row; all of them where limit is 0.
func (g *HeapGraph) Top(limit int) []model.Row {
	if limit <= 0 {
		limit = len(g.Idom)
	}
	var top []model.Row
	for r := range g.Idom {
		if g.Heap.Kinds[r].Virtual() {
			continue
		}
		// Twice as many as asked for are gathered before the lighter half goes.
		if top = append(top, model.Row(r)); len(top) >= 2*limit {
			slices.SortFunc(top, g.heavierFirst)
			top = top[:limit]
		}
	}
	slices.SortFunc(top, g.heavierFirst)
	return top[:min(limit, len(top))]
}
