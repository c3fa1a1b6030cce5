package heapgraph

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/memtui/memtui/model"
)

// NewGraph computes dominators and retained sizes of h. The error is that of ctx, or says which columns an incomplete
// snapshot lacks.
func NewGraph(ctx context.Context, h *model.Heap, p Policy) (*Graph, error) {
	return newGraph(ctx, h, p, &shared{}, func(float64) {})
}

// NewReferences is NewGraph without dominators and retained sizes: Idom, Retained and RetainedCount are nil. It takes much
// less memory.
func NewReferences(ctx context.Context, h *model.Heap, p Policy) (*Graph, error) {
	if err := checkHeap(h); err != nil {
		return nil, err
	}
	if b := model.BudgetOf(ctx); !b.Fits(pathRowBytes * int64(h.Len())) {
		return nil, b.Error("following references")
	}
	g := &Graph{Heap: h, Policy: p, shared: &shared{}}
	if err := g.leaveOut(ctx, make([]model.Row, h.Len())); err != nil {
		return nil, err
	}
	return g, nil
}

func newGraph(ctx context.Context, h *model.Heap, p Policy, shared *shared, report func(done float64)) (*Graph, error) {
	if err := checkHeap(h); err != nil {
		return nil, err
	}
	if b := model.BudgetOf(ctx); !b.Fits(model.GraphRowBytes*int64(h.Len()) + model.GraphRefBytes*int64(len(h.To))) {
		return nil, b.Error("computing dominators")
	}
	g := &Graph{Heap: h, Policy: p, shared: shared}
	w := newDomWork(ctx, g, report)
	if err := g.leaveOut(ctx, w.order); err != nil {
		return nil, err
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

// pathRowBytes are what a row of a snapshot takes at most while paths are found.
const pathRowBytes = 9

// checkHeap makes sure that the graph can be walked without looking at bounds again.
func checkHeap(h *model.Heap) error {
	n := h.Len()
	switch {
	case n == 0:
		return fmt.Errorf("the snapshot has no rows")
	case len(h.Start) != n+1 || len(h.Label) != len(h.To) || int(h.Start[n]) != len(h.To):
		return fmt.Errorf("the snapshot's references are missing: the file ends within it")
	case len(h.Size) != n || len(h.Extra) != n && h.Schema.Split || len(h.Entity) != n:
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

// leaveOut replaces the references of rows whose references the policy leaves out by those that hold, and those that lead where
// nothing else does.
func (g *Graph) leaveOut(ctx context.Context, scratch []model.Row) error {
	h, p := g.Heap, g.Policy.Of(g.Heap.Schema)
	if p.Skip == 0 && p.SkipFrom == 0 {
		return nil
	}
	cut, rows, err := g.cutRows(ctx)
	if err != nil || len(rows) == 0 {
		return err
	}
	g.cut, g.kept = cut, make(map[model.Row][]model.Row, len(rows))
	for _, r := range rows {
		g.kept[r] = g.holding(r, nil)
	}
	seen := newRowBits(h.Len())
	if err := g.flood(ctx, scratch, seen, nil, model.RootRow); err != nil {
		return err
	}
	for _, r := range rows {
		g.kept[r] = g.holding(r, seen)
	}
	return nil
}

// cutRows lists the rows that have references which the policy leaves out.
func (g *Graph) cutRows(ctx context.Context) (cut rowBits, rows []model.Row, err error) {
	h, p := g.Heap, g.Policy.Of(g.Heap.Schema)
	add := func(r model.Row) {
		if cut == nil {
			cut = newRowBits(h.Len())
		}
		cut.set(r)
		rows = append(rows, r)
	}
	for r, k := range h.Kinds {
		if r%pauseEvery == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		first, end := h.Start[r], h.Start[r+1]
		if p.SkipFrom.Has(k) {
			if first < end {
				add(model.Row(r))
			}
			continue
		}
		for e := first; p.Skip != 0 && e < end; e++ {
			if p.Skip.Has(h.Schema.LabelKind(h.Label[e])) {
				add(model.Row(r))
				break
			}
		}
	}
	return cut, rows, nil
}

// skips reports whether the policy leaves out reference e of row r, unless nothing else reaches where it leads.
func (g *Graph) skips(r model.Row, e uint32) bool {
	p, s := g.Policy.Of(g.Heap.Schema), g.Heap.Schema
	return p.SkipFrom.Has(g.Heap.Kinds[r]) || p.Skip != 0 && p.Skip.Has(s.LabelKind(g.Heap.Label[e]))
}

// holding returns the targets of a row's references that hold; those left out, too, where they lead to rows that are not in reached.
func (g *Graph) holding(r model.Row, reached rowBits) []model.Row {
	to, first := g.Heap.Out(r)
	var rest []model.Row
	for i, t := range to {
		if !g.skips(r, first+uint32(i)) || reached != nil && !reached.has(t) {
			rest = append(rest, t)
		}
	}
	return slices.Clip(rest)
}

// out returns the targets of r's references under the policy, in the file's order.
func (g *Graph) out(r model.Row) []model.Row {
	if g.cut != nil && g.cut.has(r) {
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
func (g *Graph) tree() *domTree {
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

func (g *Graph) heavierFirst(a, b model.Row) int {
	if c := cmp.Compare(g.Retained[b], g.Retained[a]); c != 0 {
		return c
	}
	return cmp.Compare(a, b)
}

// Children returns the rows that r immediately dominates, by retained bytes descending, ties by row. The slice is the graph's.
// The first call on a graph takes time in proportion to its rows.
func (g *Graph) Children(r model.Row) []model.Row {
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
func (g *Graph) Accumulation(r model.Row) model.Row {
	for {
		kids := g.Children(r)
		if len(kids) == 0 || g.Retained[kids[0]] < g.Retained[r]-g.Retained[r]/5 {
			return r
		}
		r = kids[0]
	}
}

// Top returns the rows, but for virtual ones, that retain most, descending, ties by row; all of them where limit is 0.
func (g *Graph) Top(limit int) []model.Row {
	if limit <= 0 {
		limit = len(g.Idom)
	}
	var top []model.Row
	real := g.Heap.Schema.Real()
	for r := range g.Idom {
		if !real.Has(g.Heap.Kinds[r]) {
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
