package group

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// Totals of functions that are summed over the tree are those of walks along each stack.
func TestFunctionTablesOfTrees(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		s := randomStacks(r)
		table := func(steps int) []analysis.Function {
			table, r := NewFunctionTable(t.Context(), s, steps), rand.New(rand.NewPCG(seed, 2))
			for id := range len(s.Leaf) + 2 {
				if r.IntN(3) > 0 {
					table.Add(model.StackID(id), r.Uint64N(1<<10)<<r.IntN(55), 1+r.Uint64N(9))
				}
			}
			if err := table.Complete(t.Context()); err != nil {
				t.Fatal(err)
			}
			slices.SortFunc(table.Rows, func(a, b analysis.Function) int { return cmp.Compare(a.Name, b.Name) })
			return table.Rows
		}
		walked, summed := table(0), table(1<<30)
		if !slices.Equal(walked, summed) {
			t.Fatalf("seed %d: over the tree %+v, want %+v", seed, summed, walked)
		}
	}
}

// randomStacks returns stacks in which functions recur, two ids of functions have one name, and some stacks are empty.
func randomStacks(r *rand.Rand) *model.Stacks {
	s := &model.Stacks{
		Functions: []string{"", "a", "b", "c", "b"}, FrameFunc: []model.FuncID{0, 1, 2, 3, 4, 1},
		Parent: []model.NodeID{0}, Frame: []model.FrameID{0}, Depth: []uint32{0}, Leaf: map[model.StackID]model.NodeID{},
	}
	for n := range 1 + r.IntN(40) {
		p := model.NodeID(max(n-r.IntN(4), 0))
		s.Parent, s.Frame = append(s.Parent, p), append(s.Frame, model.FrameID(1+r.IntN(5)))
		s.Depth = append(s.Depth, s.Depth[p]+1)
	}
	for id := range 1 + r.IntN(30) {
		s.Leaf[model.StackID(id)] = model.NodeID(r.IntN(len(s.Parent)))
	}
	return s
}
