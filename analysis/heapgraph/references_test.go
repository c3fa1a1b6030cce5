package heapgraph

import (
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
