package treemap

import (
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders/mvmheap"
	"github.com/memtui/memtui/model"
)

// heldIn builds a snapshot of objects of 100 bytes, each of a type of its own letter and referred to by one row.
func heldIn(t *testing.T, types string, by ...model.Row) *heapgraph.Graph {
	t.Helper()
	kinds, entity := []model.HeapKind{9}, []uint32{0}
	out := make([][]model.Row, len(types)+1)
	for i, c := range types {
		kinds, entity = append(kinds, mvmheap.KindObject), append(entity, uint32(c-'A'))
		out[by[i]] = append(out[by[i]], model.Row(i+1))
	}
	h := modeltest.Heap(mvmheap.Schema(), kinds, out)
	h.Entity = entity
	for r := range h.Size {
		h.Size[r], h.Extra[r] = 100, 0
	}
	g, err := heapgraph.NewGraph(t.Context(), h, mvmheap.RootEdges)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Parts of two snapshots are matched by the types on the way from the root, and add up to what the roots retain.
func TestDominatorsOfTwoSides(t *testing.T) {
	before, after := heldIn(t, "ABC", 0, 1, 0), heldIn(t, "ABBD", 0, 1, 1, 3)
	tree, err := DominatorSides(t.Context(), before, after)
	if err != nil {
		t.Fatal(err)
	}
	letter := func(l string) string { return before.Heap.Tables.Type(uint32(l[0] - 'A')) }
	for _, c := range []struct {
		path  string
		sides [2]uint64
		rows  int
	}{{"", [2]uint64{400, 500}, 0}, {"A", [2]uint64{200, 400}, 1}, {"AB", [2]uint64{100, 300}, 2}, {"ABD", [2]uint64{0, 100}, 1}, {"C", [2]uint64{100, 0}, 0}} {
		var steps []Step
		for _, l := range c.path {
			steps = append(steps, Step{Type, letter(string(l))})
		}
		n := tree.Find(steps)
		if at := tree.Nodes[n]; len(tree.Path(n)) != len(c.path) || at.Sides != c.sides || at.Merged != c.rows {
			t.Errorf("%q: %+v", c.path, at)
		}
	}
}
