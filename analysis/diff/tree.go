package diff

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// CompareTree is two call trees in one: equal frames below equal callers are one node, weighed on both sides.
type CompareTree struct {
	*calltree.CallTree
	Sides  [2]*calltree.Folded // before and after: the same tree with the weights of each; their Children leave out what that side lacks
	Change []uint64            // by node: the sum of |after − before| of what ends here and below, which is the width in a flame graph
}

// NewCompareTree puts the rows of a comparison together into one tree, by bytes or by count. Rows that are no stacks hang off
// the root.
func NewCompareTree(ctx context.Context, c *Comparison, opt calltree.TreeOptions, count bool) (*CompareTree, error) {
	leaves := make([]model.NodeID, len(c.Rows))
	weights := [2][]uint64{make([]uint64, len(c.Rows)), make([]uint64, len(c.Rows))}
	for i := range c.Rows {
		r := &c.Rows[i]
		leaves[i] = r.Node
		weights[0][i], weights[1][i] = r.BeforeBytes, r.AfterBytes
		if count {
			weights[0][i], weights[1][i] = r.BeforeCount, r.AfterCount
		}
	}
	s := model.NewStacks()
	if c.Joined != nil {
		s = c.Joined.Stacks
	}
	tree, err := calltree.NewNamedLeafTree(ctx, s, leaves, opt, func(i int) string { return cmp.Or(c.Rows[i].Key, calltree.NoFrames) })
	if err != nil {
		return nil, err
	}
	t := &CompareTree{CallTree: tree, Change: make([]uint64, tree.Len())}
	for side := range t.Sides {
		t.Sides[side] = tree.Fold(weights[side])
	}
	t.addUp(weights)
	return t, nil
}

// addUp sums the changes of what ends at each node, then those of its children.
func (t *CompareTree) addUp(weights [2][]uint64) {
	own := [2][]uint64{make([]uint64, t.Len()), make([]uint64, t.Len())}
	for i := range weights[0] {
		leaf := t.Leaf(i)
		for side := range own {
			own[side][leaf], _ = model.SaturatingAdd(own[side][leaf], weights[side][i])
		}
	}
	for n := int32(t.Len() - 1); n >= 0; n-- {
		t.Change[n], _ = model.SaturatingAdd(t.Change[n], distance(own[0][n], own[1][n]))
		if n > 0 {
			p := t.Parent(n)
			t.Change[p], _ = model.SaturatingAdd(t.Change[p], t.Change[n])
		}
	}
}

// Delta is after − before of all that passes a node, as [CompareFigures.DeltaBytes].
func (t *CompareTree) Delta(n int32) int64 {
	return signedChange(t.Sides[0].Total[n], t.Sides[1].Total[n])
}

// Children returns the children of n that weigh anything on either side, most change first, then the heavier, equals by name.
// The slice is the caller's.
func (t *CompareTree) Children(n int32) []int32 {
	var out []int32
	for _, c := range t.AllChildren(n) {
		if t.Sides[0].Total[c] > 0 || t.Sides[1].Total[c] > 0 {
			out = append(out, c)
		}
	}
	weight := func(n int32) uint64 { return max(t.Sides[0].Total[n], t.Sides[1].Total[n]) }
	slices.SortFunc(out, func(a, b int32) int {
		return cmp.Or(cmp.Compare(t.Change[b], t.Change[a]), cmp.Compare(weight(b), weight(a)), cmp.Compare(t.Name(a), t.Name(b)))
	})
	return out
}
