package heapgraph

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders/mvmheap"
	"github.com/memtui/memtui/model"
)

var objects = model.KindsOf(mvmheap.KindObject)

// weakSchema is a format with weak references, and policies that leave out them, or those that leave some rows, or
// both.
func weakSchema() *model.HeapSchema {
	s := *mvmheap.Schema()
	s.Edges = []model.HeapEdgeInfo{{Name: "strong"}, {Name: "weak"}, {Name: "soft"}}
	s.Policies = []model.HeapPolicy{
		{Name: "some", SkipFrom: model.KindsOf(mvmheap.KindInterGenRoots)}, {Name: "all"}, {Name: "strong", Skip: 1<<1 | 1<<2},
		{Name: "both", Skip: 1 << 1, SkipFrom: model.KindsOf(mvmheap.KindInterGenRoots)}, {Name: "lost", Skip: 1<<1 | 1<<2, Lost: true},
	}
	return &s
}

// randomHeap has rows of all kinds in any place, weak references, references to the row itself, repeated references and
// rows that nothing reaches.
func randomHeap(rnd *rand.Rand, n int) *model.Heap {
	kinds, refs := make([]model.HeapKind, n), make([][]model.Row, n)
	many := rnd.IntN(3) + 1
	for r := range n {
		kinds[r] = model.HeapKind(1 + rnd.IntN(4))
		if rnd.IntN(4) == 0 {
			kinds[r] = mvmheap.KindInterGenRoots
		}
		for range rnd.IntN(2 * many) {
			refs[r] = append(refs[r], model.Row(rnd.IntN(n)))
		}
	}
	kinds[0] = mvmheap.KindRoot
	h := modeltest.Heap(mvmheap.Schema(), kinds, refs)
	h.Schema, h.Tables.Axes[1] = weakSchema(), []uint32{3, 4, 3}
	for e, l := range h.Label {
		h.Label[e], _ = h.Schema.Label(model.HeapEdgeKind(rnd.IntN(3)), l.Form(), uint64(mvmheap.Schema().LabelValue(l)))
	}
	return h
}

func graphOf(t *testing.T, h *model.Heap, p Policy) *Graph {
	t.Helper()
	g, err := NewGraph(context.Background(), h, p)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// heapTwin is the slow answer to everything: the policy as it is defined, and reachability for each removed row.
type heapTwin struct {
	h    *model.Heap
	refs [][]model.Row
}

// targets are what a row refers to.
func targets(h *model.Heap, r model.Row) (list []model.Row) {
	to, _ := h.Out(r)
	for _, t := range to.All() {
		list = append(list, t)
	}
	return list
}

func newHeapTwin(h *model.Heap, p Policy) *heapTwin {
	t := &heapTwin{h: h}
	for r := range h.Kinds {
		t.refs = append(t.refs, targets(h, model.Row(r)))
	}
	how := h.Schema.Policies[p]
	strict := &heapTwin{h: h}
	skipped := make([]bool, h.To.Len())
	for r, k := range h.Kinds {
		to, first := h.Out(model.Row(r))
		var held []model.Row
		for i, target := range to.All() {
			e := first + model.Ref(i)
			if skipped[e] = how.SkipFrom.Has(k) || how.Skip.Has(h.Schema.LabelKind(h.Label[e])); !skipped[e] {
				held = append(held, target)
			}
		}
		strict.refs = append(strict.refs, held)
	}
	if how.Lost {
		return strict
	}
	inR := strict.reach(nil)
	for r := range h.Kinds {
		to, first := h.Out(model.Row(r))
		t.refs[r] = nil
		for i, target := range to.All() {
			if !skipped[first+model.Ref(i)] || inR[target] < 0 {
				t.refs[r] = append(t.refs[r], target)
			}
		}
	}
	return t
}

// reach returns the distance of every row from the root without the rows in out, -1 for none.
func (t *heapTwin) reach(out map[model.Row]bool) []int {
	dist := make([]int, len(t.refs))
	for i := range dist {
		dist[i] = -1
	}
	if out[0] {
		return dist
	}
	dist[0] = 0
	for changed := true; changed; {
		changed = false
		for r, to := range t.refs {
			if dist[r] < 0 {
				continue
			}
			for _, w := range to {
				if !out[w] && (dist[w] < 0 || dist[w] > dist[r]+1) {
					dist[w], changed = dist[r]+1, true
				}
			}
		}
	}
	return dist
}

// orphans is a twin of the rows that are not reached: the root refers to those of them that are held by rows only which
// they reach themselves, to one of each cycle. With all it has all other references, too.
func (t *heapTwin) orphans(all bool) *heapTwin {
	dist, o := t.reach(nil), &heapTwin{h: t.h, refs: make([][]model.Row, len(t.refs))}
	reaches := make([]map[model.Row]bool, len(t.refs))
	for r := range t.refs {
		reaches[r] = map[model.Row]bool{model.Row(r): true}
		for list := []model.Row{model.Row(r)}; len(list) > 0; list = list[1:] {
			for _, w := range t.refs[list[0]] {
				if dist[r] < 0 && dist[w] < 0 && !reaches[r][w] {
					reaches[r][w] = true
					list = append(list, w)
				}
			}
		}
	}
	for r := range t.refs {
		first := dist[r] < 0
		for s := range t.refs {
			first = first && (!reaches[s][model.Row(r)] || s >= r && reaches[r][model.Row(s)])
		}
		if first {
			o.refs[0] = append(o.refs[0], model.Row(r))
		}
		for _, w := range t.refs[r] {
			if all || dist[r] < 0 && dist[w] < 0 {
				o.refs[r] = append(o.refs[r], w)
			}
		}
	}
	return o
}

// dominated are the rows that are reached with d but not without, d included.
func (t *heapTwin) dominated(d model.Row, with []int) map[model.Row]bool {
	without, set := t.reach(map[model.Row]bool{d: true}), map[model.Row]bool{}
	for r := range with {
		if with[r] >= 0 && without[r] < 0 || d == 0 || model.Row(r) == d {
			set[model.Row(r)] = true
		}
	}
	return set
}

// Columns of either width answer as the slow twin does.
func TestDominatorsAgreeWithRemovingEachRow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for round := range 600 {
		h := randomHeap(rnd, 1+rnd.IntN(28))
		for p := range Policy(len(weakSchema().Policies)) {
			slow := newHeapTwin(h, p)
			for _, h := range []*model.Heap{h, modeltest.Widen(h)} {
				g := graphOf(t, h, p)
				checkDominators(t, g, slow)
				checkPaths(t, rnd, g, slow)
				checkGroups(t, g, slow)
				if round%4 == 0 {
					checkBounds(t, g, slow)
				}
				checkPreorder(t, g)
			}
			if t.Failed() {
				t.Fatalf("round %d, policy %v: kinds %v, start %v, to %v", round, p, h.Kinds, h.Start, h.To)
			}
		}
	}
}

// checkPreorder looks whether what a row dominates follows it.
func checkPreorder(t *testing.T, g *Graph) {
	t.Helper()
	o, err := g.Preorder(context.Background())
	if err != nil || o.Rows.Len() != g.Heap.Len() {
		t.Fatalf("%d rows, %v", o.Rows.Len(), err)
	}
	for i, r := range o.Rows.All() {
		d := g.Idom(r)
		at := o.Place.At(int(d))
		if o.Place.At(int(r)) != uint64(i) || uint64(i) < at || uint64(i) >= o.End(at) || o.End(uint64(i)) != uint64(i)+g.RetainedCount(r) {
			t.Errorf("row %d, which %d dominates, stands at %d", r, d, i)
		}
	}
}

func checkDominators(t *testing.T, g *Graph, slow *heapTwin) {
	t.Helper()
	h, dist, unreached, listed := g.Heap, slow.reach(nil), 0, 0
	all := h.Schema.Policies[g.Policy].Lost
	doms, orphans := make([]map[model.Row]bool, h.Len()), slow.orphans(all)
	below := orphans.reach(nil)
	for r := range h.Len() {
		if doms[r] = slow.dominated(model.Row(r), dist); all || dist[r] < 0 {
			doms[r] = orphans.dominated(model.Row(r), below)
		}
		if dist[r] < 0 {
			unreached++
		}
		if dist[r] < 0 && below[r] < 0 {
			t.Errorf("row %d hangs nowhere", r)
		}
	}
	for r := range h.Len() {
		row, bytes := model.Row(r), uint64(0)
		for d := range doms[r] {
			bytes += h.Bytes(d)
		}
		if g.Retained[r] != bytes || g.RetainedCount(row) != uint64(len(doms[r])) {
			t.Errorf("row %d retains %d in %d, want %d in %d", r, g.Retained[r], g.RetainedCount(row), bytes, len(doms[r]))
		}
		want := model.RootRow // the strict dominator that dominates least
		for d := range doms {
			if d != r && doms[d][row] && len(doms[d]) < len(doms[want]) {
				want = model.Row(d)
			}
		}
		if g.Idom(row) != want {
			t.Errorf("row %d is dominated by %d, want %d", r, g.Idom(row), want)
		}
		children := g.Children(row)
		listed += children.Len()
		for i, c := range children.All() {
			if g.Idom(c) != row || i > 0 && g.heavierFirst(children.At(i-1), c) >= 0 {
				t.Errorf("children of %d: %v", r, children)
			}
		}
	}
	if g.Unreachable != unreached || listed != h.Len()-1 {
		t.Errorf("%d unreachable, want %d; %d children", g.Unreachable, unreached, listed)
	}
}

func checkPaths(t *testing.T, rnd *rand.Rand, g *Graph, slow *heapTwin) {
	t.Helper()
	n := g.Heap.Len()
	for _, without := range []map[model.Row]bool{nil, {model.Row(rnd.IntN(n)): true}, {model.Row(rnd.IntN(n)): true, model.Row(rnd.IntN(n)): true, 99: true}} {
		dist := slow.reach(without)
		for r := range n {
			path, ok, err := g.Path(context.Background(), model.Row(r), without)
			if err != nil || ok != (dist[r] >= 0) || ok && len(path) != dist[r]+1 {
				t.Fatalf("path to %d without %v: %v, %v, %v; want %d steps", r, without, path, ok, err, dist[r])
			}
			for i, s := range path {
				if without[s.Row] || i > 0 && !heldBy(g, path[i-1].Row, s) || i == 0 && s.Row != 0 || i > 0 && !refersTo(g.Heap, path[i-1].Row, s) {
					t.Errorf("path to %d without %v: %v", r, without, path)
				}
			}
		}
	}
}

// heldBy reports whether the reference of a step counts under the policy, or none of those that lead there does.
func heldBy(g *Graph, r model.Row, s Step) bool {
	skips := g.core.(interface{ skips(r, e uint64) bool }).skips
	if !skips(uint64(r), uint64(s.Edge)) {
		return true
	}
	to, first := g.Heap.Out(r)
	for i, t := range to.All() {
		if t == s.Row && !skips(uint64(r), uint64(first)+uint64(i)) {
			return false
		}
	}
	return true
}

// refersTo reports whether s.Edge is a reference from r to s.Row.
func refersTo(h *model.Heap, r model.Row, s Step) bool {
	to, first := h.Out(r)
	return s.Edge >= first && s.Edge < first+model.Ref(to.Len()) && h.To.At(int(s.Edge)) == s.Row
}

func checkGroups(t *testing.T, g *Graph, slow *heapTwin) {
	t.Helper()
	h, with := g.Heap, slow.reach(nil)
	for kind := mvmheap.KindObject; kind <= mvmheap.KindFrame; kind++ {
		kinds := model.KindsOf(kind)
		got, err := g.RetainedByGroups(context.Background(), By{Kinds: kinds})
		if err != nil {
			t.Error(err)
		}
		for id := range uint32(3) {
			out, set, rows := map[model.Row]bool{}, uint64(0), uint64(0)
			for r, k := range h.Kinds {
				if k == kind && h.Entity[r] == id {
					out[model.Row(r)] = true
				}
			}
			for r, d := range slow.reach(out) {
				if d < 0 && with[r] >= 0 {
					set += h.Bytes(model.Row(r))
					rows++
				}
			}
			if b, n, err := g.RetainedByGroup(context.Background(), By{Kinds: kinds}, id); b != set || n != rows || err != nil {
				t.Errorf("the set of kind %v type %d retains %d in %d, want %d in %d", kind, id, b, n, set, rows)
			}
			if got[id].Bytes != set {
				t.Errorf("kind %v type %d retains %v, want %d", kind, id, got[id], set)
			}
		}
	}
}

// checkBounds asks what every group of some axis retains, and what is known of it without counting.
func checkBounds(t *testing.T, g *Graph, slow *heapTwin) {
	t.Helper()
	h, with := g.Heap, slow.reach(nil)
	for _, by := range []By{{Kinds: objects}, {Kinds: objects, Axis: 1}, {Kinds: objects | model.KindsOf(mvmheap.KindSTable), Axis: axisKind}} {
		all, err := g.RetainedByGroups(context.Background(), by)
		if err != nil {
			t.Fatal(err)
		}
		least, err := g.core.bounded(context.Background(), newRowClasses(h, by), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range Groups(h, by) {
			rows, err := GroupRows(context.Background(), h, by, group.ID)
			if err != nil || uint64(len(rows)) != group.Count {
				t.Fatalf("%d rows, not %d: %v", len(rows), group.Count, err)
			}
			out, want, largest := map[model.Row]bool{}, uint64(0), uint64(0)
			for _, r := range rows {
				if out[r] = true; with[r] >= 0 {
					largest = max(largest, g.Retained[r])
				}
			}
			for r, d := range slow.reach(out) {
				if d < 0 && with[r] >= 0 {
					want += h.Bytes(model.Row(r))
				}
			}
			if got := all[group.ID]; got != (SetSize{want, true}) {
				t.Errorf("%+v: %q retains %v, want %d", by, group.Name, got, want)
			}
			if got := least[group.ID]; got.Bytes > want || got.Bytes < largest || got.Exact && got.Bytes != want {
				t.Errorf("%+v: %q retains %v at least, but %d, of which one row has %d", by, group.Name, got, want, largest)
			}
			if n, _, err := g.RetainedByGroup(context.Background(), by, group.ID); n != want || err != nil {
				t.Errorf("%+v: %q retains %d, want %d: %v", by, group.Name, n, want, err)
			}
		}
	}
}

// TestRetainedBySetsStops has chains in which every row passes all sets before it: what the budget does not allow is
// absent.
func TestRetainedBySetsStops(t *testing.T) {
	h := heapChain(3000)
	h.Tables.Types = make([]model.HeapType, 1000)
	for r := range h.Entity {
		h.Entity[r] = uint32(r % 1000)
	}
	g := graphOf(t, h, mvmheap.RootEdges)
	all, err := g.core.retainedBySets(context.Background(), newRowClasses(g.Heap, By{Kinds: objects}), 1<<30)
	if err != nil || len(all) != 1000 {
		t.Fatalf("%d sets, %v", len(all), err)
	}
	some, err := g.core.retainedBySets(context.Background(), newRowClasses(g.Heap, By{Kinds: objects}), 50_000)
	if err != nil || len(some) < 2 || len(some) > 100 {
		t.Errorf("%d sets, %v", len(some), err)
	}
	for id, n := range some {
		if n != all[id] {
			t.Errorf("type %d retains %d, want %d", id, n, all[id])
		}
	}
	bounds, err := g.core.bounded(context.Background(), newRowClasses(h, By{Kinds: objects}), some)
	if err != nil || len(bounds) != 1000 {
		t.Fatalf("%d sets, %v", len(bounds), err)
	}
	for id, n := range bounds {
		if _, exact := some[id]; n.Exact != exact || n.Bytes > all[id] || n.Bytes == 0 {
			t.Errorf("type %d retains %v, want at most %d", id, n, all[id])
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := g.RetainedByGroups(ctx, By{Kinds: objects}); err == nil {
		t.Error("not canceled")
	}
}

// TestRetainedBySetsLeavesTheLargest has a chain of which every row passes two rows of one type: that costs more than
// the budget allows, but what the small types of the chain retain is found all the same.
func TestRetainedBySetsLeavesTheLargest(t *testing.T) {
	h := heapChain(3000)
	h.Tables.Types = make([]model.HeapType, 1000)
	for r := range h.Entity {
		h.Entity[r] = uint32(r / 2)
	}
	h.Entity[2999] = h.Entity[1]
	g := graphOf(t, h, mvmheap.RootEdges)
	x := newRowClasses(g.Heap, By{Kinds: objects})
	sets, err := g.core.retainedBySets(context.Background(), x, 30_000)
	if err != nil || len(sets) < 10 {
		t.Fatalf("%d sets, %v", len(sets), err)
	}
	if _, ok := sets[0]; ok || sets[1498] != 4 {
		t.Errorf("the last type retains %d; the first is known: %v", sets[1498], ok)
	}
}

// TestRetainedBySetsOfManyReferences has a row of thousands of references, of which the policy leaves out one, that
// holds what a set reaches, too: to find that out takes a step for each, not a look through all of them.
func TestRetainedBySetsOfManyReferences(t *testing.T) {
	const n, first, hub = 3000, 4, 3
	schema := *mvmheap.Schema()
	schema.Edges = []model.HeapEdgeInfo{{Name: "reference"}, {Name: "weak"}}
	schema.Policies = []model.HeapPolicy{{Name: "strong", Skip: 1 << 1}}
	kinds, out := []model.HeapKind{mvmheap.KindRoot}, [][]model.Row{{1, 2, hub}, nil, nil, {1}}
	for r := range model.Row(n) {
		out[1], out[hub], out = append(out[1], first+r), append(out[hub], first+r), append(out, nil)
	}
	for len(kinds) < len(out) {
		kinds = append(kinds, mvmheap.KindObject)
	}
	h := modeltest.Heap(&schema, kinds, out)
	_, weak := h.Out(hub)
	h.Label[weak], _ = schema.Label(1, model.LabelUnknown, 0)
	for r := range h.Entity {
		h.Entity[r] = 9
	}
	h.Entity[1], h.Entity[2] = 5, 5
	g := graphOf(t, h, 0)
	by := By{Kinds: objects}
	sets, err := g.RetainedByGroups(t.Context(), by)
	if got := sets[5]; err != nil || got != (SetSize{h.Bytes(1) + h.Bytes(2), true}) {
		t.Errorf("two rows retain %v, %v", got, err)
	}
	if bytes, _, err := g.RetainedByGroup(t.Context(), by, 9); err != nil || sets[9] != (SetSize{bytes, true}) {
		t.Errorf("the others retain %v, want %d, %v", sets[9], bytes, err)
	}
}

func TestIncomingReferences(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for round := range 200 {
		h := randomHeap(rnd, 1+rnd.IntN(20))
		if round%2 == 1 {
			h = modeltest.Widen(h)
		}
		g := graphOf(t, h, mvmheap.AllEdges)
		for r := range g.Heap.Len() {
			var want, got []model.Ref
			for e, to := range g.Heap.To.All() {
				if int(to) == r {
					want = append(want, model.Ref(e))
				}
			}
			for from, e := range g.In(model.Row(r)) {
				if got = append(got, e); !refersTo(g.Heap, from, Step{model.Row(r), e}) {
					t.Errorf("reference %d does not lead from %d to %d", e, from, r)
				}
			}
			if !slices.Equal(got, want) || g.InCount(model.Row(r)) != len(want) {
				t.Errorf("references to %d: %v, want %v", r, got, want)
			}
			n := uint64(0)
			for _, refs := range g.InGroups(model.Row(r)) {
				n += refs.Count
			}
			if int(n) != len(want) {
				t.Errorf("groups of references to %d hold %d, want %d", r, n, len(want))
			}
		}
	}
}

// heapChain is a list of n rows after the root, with a reference from its end back to its start.
func heapChain(n int) *model.Heap {
	h := &model.Heap{Schema: mvmheap.Schema(), Kinds: make([]model.HeapKind, n), Size: make([]uint16, n), Extra: make([]uint32, n), Entity: make([]uint32, n),
		Start: model.Column[model.Ref]{Narrow: make([]uint32, n+1)}, To: model.Column[model.Row]{Narrow: make([]uint32, n)}, Label: make([]model.EdgeLabel, n), Tables: &model.HeapTables{}}
	for r := range n {
		h.Kinds[r], h.Size[r], h.Start.Narrow[r], h.To.Narrow[r] = mvmheap.KindObject, 1, uint32(r), uint32(r+1)
	}
	h.Kinds[0], h.Start.Narrow[n], h.To.Narrow[n-1] = mvmheap.KindRoot, uint32(n), 1
	return h
}

func TestLongChain(t *testing.T) {
	n := 10_000_000
	if testing.Short() {
		n = 100_000
	}
	g := graphOf(t, heapChain(n), mvmheap.RootEdges)
	if g.Retained[0] != uint64(n) || g.Retained[n-1] != 1 || g.Idom(model.Row(n-1)) != model.Row(n-2) || g.RetainedCount(model.Row(n/2)) != uint64(n-n/2) {
		t.Errorf("retained %d and %d, dominator %d", g.Retained[0], g.Retained[n-1], g.Idom(model.Row(n-1)))
	}
	if path, ok, err := g.Path(context.Background(), model.Row(n-1), nil); !ok || err != nil || len(path) != n {
		t.Errorf("%d steps, %v, %v", len(path), ok, err)
	}
	if by, err := g.core.retainedBySets(context.Background(), newRowClasses(g.Heap, By{Kinds: objects}), 1<<30); err != nil || by[0] != uint64(n-1) {
		t.Errorf("%v, %v", by, err)
	}
	if r := g.Accumulation(0); int(r) <= n/2 || g.Retained[r] > 5 {
		t.Errorf("accumulation at %d", r)
	}
}

func TestDamagedSnapshotsHaveNoGraph(t *testing.T) {
	breaks := []func(*model.Heap){
		func(h *model.Heap) { h.Kinds = nil },
		func(h *model.Heap) {
			h.Start, h.To, h.Label = model.Column[model.Ref]{}, model.Column[model.Row]{}, nil
		},
		func(h *model.Heap) { h.Size = nil },
		func(h *model.Heap) { h.To.Set(1, 99) },
		func(h *model.Heap) { h.Start.Set(1, 3) },
		func(h *model.Heap) { h.Label = h.Label[1:] },
	}
	for i, f := range breaks {
		h := modeltest.Heap(mvmheap.Schema(), []model.HeapKind{9, 1, 1}, [][]model.Row{{1}, {2}, {}})
		f(h)
		for _, h := range []*model.Heap{h, modeltest.Widen(h)} {
			if _, err := NewGraph(context.Background(), h, mvmheap.RootEdges); err == nil {
				t.Errorf("damage %d: no error", i)
			}
		}
		Sum(h)
		Groups(h, By{Kinds: objects})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewGraph(ctx, heapChain(200_000), mvmheap.RootEdges); err != context.Canceled {
		t.Errorf("canceled: %v", err)
	}
}

func TestRetainedSaturates(t *testing.T) {
	h := modeltest.Heap(mvmheap.Schema(), []model.HeapKind{9, 1, 1}, [][]model.Row{{1}, {2}, {}})
	for r := range model.Row(3) {
		h.Extra[r], h.Large[r] = model.LargeExtra, 1<<63
	}
	g := graphOf(t, h, mvmheap.RootEdges)
	if g.Retained[0] != 1<<64-1 || g.Retained[1] != 1<<64-1 || g.Retained[2] != 1<<63+3 {
		t.Errorf("%v", g.Retained)
	}
}
