package heapgraph

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memtui/memtui/loaders/mvmheap"
	"github.com/memtui/memtui/model"
)

// Without dominators paths and references are the same.
func TestReferencesNeedNoDominators(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	type reference struct {
		from model.Row
		edge model.Ref
	}
	for n := 1; n < 40; n += 3 {
		for _, p := range []Policy{mvmheap.RootEdges, mvmheap.AllEdges} {
			h := randomHeap(rnd, n)
			whole := graphOf(t, h, p)
			bare, err := NewReferences(t.Context(), h, p)
			if err != nil || bare.HasDominators() {
				t.Fatal(err)
			}
			for r := range model.Row(h.Len()) {
				want, ok, _ := whole.Path(t.Context(), r, nil)
				got, there, err := bare.Path(t.Context(), r, nil)
				if err != nil || there != ok || !slices.Equal(got, want) {
					t.Fatalf("row %d of %d: %v, not %v", r, n, got, want)
				}
				var in [2][]reference
				for i, g := range []*Graph{whole, bare} {
					for from, edge := range g.In(r) {
						in[i] = append(in[i], reference{from, edge})
					}
				}
				if !slices.Equal(in[0], in[1]) {
					t.Fatalf("to row %d of %d: %v, not %v", r, n, in[1], in[0])
				}
			}
		}
	}
	short := (*model.MemoryError)(nil)
	budget := model.NewBudget(100)
	if _, err := NewReferences(model.WithBudget(t.Context(), budget), heapChain(1000), mvmheap.RootEdges); !errors.As(err, &short) {
		t.Error(err)
	}
}

// What holds is what the policy follows, reference by reference.
func TestHeldReferencesAreThoseFollowed(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	left := 0
	for n := 1; n < 60; n++ {
		h := randomHeap(rnd, n)
		for p := range h.Schema.Policies {
			x, err := NewHolding(t.Context(), h, Policy(p))
			if err != nil {
				t.Fatal(err)
			}
			slow := newHeapTwin(h, Policy(p))
			reached := slow.reach(nil)
			var list []bool
			for r := range model.Row(h.Len()) {
				to := targets(h, r)
				if list = x.Of(r, list); len(list) != len(to) {
					t.Fatalf("row %d has %d references, and %d of them hold or not", r, len(to), len(list))
				}
				var held []model.Row
				for i, holds := range list {
					if holds {
						held = append(held, to[i])
					} else {
						left++
					}
				}
				var want []model.Row
				for _, to := range slow.refs[r] {
					if h.Schema.Policies[p].Lost || reached[r] >= 0 || reached[to] < 0 {
						want = append(want, to)
					}
				}
				if !slices.Equal(held, want) {
					t.Fatalf("policy %d, row %d of %d: %v is held, want %v", p, r, n, held, want)
				}
			}
		}
	}
	if left == 0 {
		t.Error("no reference was left out")
	}
}

// TestBoundsNeedNoPaths computes lower bounds where the root reaches all rows, and where it does not: the paths, which
// take far more memory, stay unknown.
func TestBoundsNeedNoPaths(t *testing.T) {
	for _, lost := range []bool{false, true} {
		h := heapChain(1000)
		if lost {
			h.Start.Narrow[1] = 0 // the root refers to nothing
			for r := 2; r <= h.Len(); r++ {
				h.Start.Narrow[r]--
			}
			h.To.Narrow, h.Label = h.To.Narrow[1:], h.Label[1:]
		}
		g := graphOf(t, h, mvmheap.RootEdges)
		bounds, err := g.core.bounded(context.Background(), newRowClasses(g.Heap, By{Kinds: objects}), nil)
		if err != nil || len(bounds) == 0 {
			t.Fatalf("%d bounds, %v", len(bounds), err)
		}
		for id, n := range bounds {
			if n.Exact != lost || lost != (n.Bytes == 0) {
				t.Errorf("type %d retains %v", id, n)
			}
		}
		if c := g.core.(*core[uint32]); c.paths.from != nil || lost != (c.unreachable > 0) {
			t.Errorf("paths are known, or %d rows are unreachable", c.unreachable)
		}
	}
}
