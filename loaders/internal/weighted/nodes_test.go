package weighted

import (
	"math/rand/v2"
	"testing"

	"github.com/memtui/memtui/model"
)

// TestNodesAreThoseOfAMap compares the table with a map, for keys that repeat and keys that differ in high bits only.
func TestNodesAreThoseOfAMap(t *testing.T) {
	type key struct {
		parent model.NodeID
		frame  model.FrameID
	}
	for _, shift := range []int{0, 12, 24} {
		var n nodes
		known := map[key]model.NodeID{}
		random := rand.New(rand.NewPCG(1, 2))
		for range 200_000 {
			k := key{model.NodeID(random.IntN(300) << shift), model.FrameID(random.IntN(300) << shift)}
			fresh := model.NodeID(len(known) + 1)
			want, ok := known[k]
			if !ok {
				want = fresh
				known[k] = fresh
			}
			if got, added := n.find(k.parent, k.frame, fresh); got != want || added == ok {
				t.Fatalf("keys << %d: %v: got %d, added %t, want %d", shift, k, got, added, want)
			}
		}
	}
}

// TestStacksAreThoseOfChildren compares stacks in both orders with nodes looked up frame by frame.
func TestStacksAreThoseOfChildren(t *testing.T) {
	b := &Builder{stacks: model.NewStacks()}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		rootFirst := make([]model.FrameID, random.IntN(6))
		for i := range rootFirst {
			rootFirst[i] = model.FrameID(random.IntN(4))
		}
		leafFirst := make([]model.FrameID, len(rootFirst))
		for i, f := range rootFirst {
			leafFirst[len(rootFirst)-1-i] = f
		}
		first, second := b.Stack(rootFirst), b.LeafStack(leafFirst)
		want := model.NodeID(0)
		for _, f := range rootFirst {
			want = b.Child(want, f)
		}
		if first != want || second != want {
			t.Fatalf("%v: %d root first, %d leaf first, want %d", rootFirst, first, second, want)
		}
	}
}
