package heapgraph

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memtui/memtui/model"
)

// What is around a type counts every reference, and every row once.
func TestAroundType(t *testing.T) {
	h := randomHeap(rand.New(rand.NewPCG(3, 4)), 200)
	all := uint64(0)
	for id := range uint32(3) {
		got, err := Around(t.Context(), h, map[uint32]bool{id: true})
		if err != nil {
			t.Fatal(err)
		}
		in := func(r model.Row) bool { return h.Schema.Objects().Kinds.Has(h.Kinds[r]) && h.Entity[r] == id }
		var count, to, from uint64
		retainers, held := map[model.Row]bool{}, map[model.Row]bool{}
		for r := range model.Row(h.Len()) {
			if in(r) {
				count++
			}
			ends, _ := h.Out(r)
			for _, e := range ends.All() {
				if in(r) {
					from++
					held[e] = true
				}
				if in(e) {
					to++
					retainers[r] = true
				}
			}
		}
		sum := func(list []Neighbors) (rows, references uint64) {
			for _, n := range list {
				rows, references = rows+n.Rows, references+n.References
			}
			return rows, references
		}
		up, upRefs := sum(got.Retainers)
		down, downRefs := sum(got.References)
		if got.Count != count || up != uint64(len(retainers)) || upRefs != to || down != uint64(len(held)) || downRefs != from {
			t.Errorf("type %d: %+v, not %d objects, %d retainers by %d references, %d held by %d", id, got, count, len(retainers), to, len(held), from)
		}
		all += count
		if !slices.IsSortedFunc(got.Retainers, func(a, b Neighbors) int { return int(b.Rows) - int(a.Rows) }) {
			t.Errorf("type %d: retainers are out of order", id)
		}
	}
	if all == 0 {
		t.Error("no type has objects")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Around(ctx, h, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}
