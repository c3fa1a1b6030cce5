package weights

import (
	"context"
	"math"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// A walk from each leaf to the root takes as many steps as all stacks have frames. Where that is far more than the tree
// has nodes, weights are summed over the tree instead.
const (
	manySteps    = 1 << 22
	stepsPerNode = 4
	treeBytes    = 8 + 4 + 4 + 1 // by node, for the sums
)

// deep reports whether totals are better summed over the tree: stacks are deep, share most of their frames, and there
// is memory for the sums.
func (s *Selection) deep(ctx context.Context) bool {
	steps, nodes := uint64(0), uint64(len(s.Stacks.Parent))
	for r := range s.Profile.Records.Len() {
		if _, ok := s.Weight(model.RecordID(r)); ok {
			steps += uint64(s.Stacks.Depth[s.Node(model.RecordID(r))])
		}
	}
	return steps > manySteps && steps > stepsPerNode*nodes && model.BudgetOf(ctx).Fits(int64(nodes)*treeBytes)
}

// treeTotals calls add with the rows of the functions that are in selected stacks, of by frame, and what those stacks
// weigh. It calls add several times for a row, once for each node that is outermost among those of the row. A stack
// counts once, however often the row is in it. ok is false where weights are not small integers, whose sums are exact in
// any order; add was not called then.
func (s *Selection) treeTotals(ctx context.Context, of []uint32, rows int,
	add func(row uint32, sum uint64)) (ok bool, err error) {
	st := s.Stacks
	sums, selected := make([]uint64, len(st.Parent)), make([]bool, len(st.Parent))
	most := math.MaxUint64 / uint64(s.Profile.Records.Len()+1) // so many weights up to this cannot overflow
	for r := range s.Profile.Records.Len() {
		n, ok := s.Weight(model.RecordID(r))
		if !ok {
			continue
		}
		small, is := smallInteger(n, most)
		if !is {
			return false, nil
		}
		node := s.Node(model.RecordID(r))
		sums[node] += small
		selected[node] = true
	}
	for i := len(sums) - 1; i > 0; i-- { // children come after their parents
		if selected[i] {
			sums[st.Parent[i]] += sums[i]
			selected[st.Parent[i]] = true
		}
	}
	return true, calltree.EachOutermost(ctx, st, of, rows, selected, func(node model.NodeID, row uint32) { add(row, sums[node]) })
}

// smallInteger returns n if it is an integer from 0 to most.
func smallInteger(n model.Number, most uint64) (small uint64, ok bool) {
	small = uint64(min(max(n.Float64(), 0), 1<<62))
	return small, small <= most && n == model.Unsigned(small)
}
