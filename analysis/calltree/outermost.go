package calltree

import (
	"context"

	"github.com/memtui/memtui/model"
)

// OutermostBytes is about how much memory [EachOutermost] takes for each node.
const OutermostBytes = 4 + 4

// EachOutermost calls f with each selected node that has no node of the same row above it. All nodes above a selected
// one must be selected. of has the rows of frames, numbers below rows. It goes through the tree in depth first, by links
// to the first child and the next sibling, and takes the same time for stacks of any depth. The error is that of ctx.
func EachOutermost(ctx context.Context, st *model.Stacks, of []uint32, rows int, selected []bool,
	f func(node model.NodeID, row uint32)) error {
	first, next := make([]model.NodeID, len(selected)), make([]model.NodeID, len(selected))
	for i := len(selected) - 1; i > 0; i-- {
		if selected[i] {
			p := st.Parent[i]
			next[i], first[p] = first[p], model.NodeID(i)
		}
	}
	above := make([]uint32, rows) // nodes of each row on the way from the root
	steps := 0
	for node := first[0]; node != 0; {
		if steps++; steps%model.AskEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row := of[st.Frame[node]]
		if above[row] == 0 {
			f(node, row)
		}
		above[row]++
		if first[node] != 0 {
			node = first[node]
			continue
		}
		for above[of[st.Frame[node]]]--; next[node] == 0; above[of[st.Frame[node]]]-- {
			if node = st.Parent[node]; node == 0 {
				return nil
			}
		}
		node = next[node]
	}
	return nil
}
