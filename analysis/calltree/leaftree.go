package calltree

import (
	"context"
	"slices"

	"github.com/memtui/memtui/model"
)

// NoFrames is the name of a stack without frames.
const NoFrames = "<no frames>"

// NewLeafTree builds the tree of stacks that are given by their leaf nodes: the dense index of a stack is its index in
// leaves, which may repeat.
func NewLeafTree(ctx context.Context, s *model.Stacks, leaves []model.NodeID, opt TreeOptions) (*CallTree, error) {
	return NewNamedLeafTree(ctx, s, leaves, opt, func(int) string { return NoFrames })
}

// NewNamedLeafTree is NewLeafTree with names for the stacks without frames, by dense index. s may be nil if no stack
// has frames.
func NewNamedLeafTree(ctx context.Context, s *model.Stacks, leaves []model.NodeID, opt TreeOptions,
	bare func(i int) string) (*CallTree, error) {
	if s == nil {
		s = new(model.Stacks)
	}
	b := &treeBuilder{
		t: &CallTree{leaf: make([]int32, len(leaves))}, s: s, opt: opt,
		wide: map[[2]int32]int32{}, byName: map[string]int32{},
		byFunc: slices.Repeat([]int32{-1}, len(s.Functions)),
	}
	b.node(-1, b.labelOf("all"), 0)
	var err error
	if opt.Invert {
		err = b.leavesUp(ctx, leaves)
	} else {
		err = b.leavesDown(ctx, leaves)
	}
	if err != nil {
		return nil, err
	}
	for i, leaf := range leaves {
		if leaf == 0 {
			b.t.leaf[i] = b.step(0, b.labelOf(bare(i)), 0)
		}
	}
	b.t.link()
	b.t.origin.stacks, b.t.origin.leaves, b.t.origin.labels, b.t.origin.opt = s, leaves, b.known, opt
	return b.t, nil
}

// leavesDown builds a top-down tree from the stacks' own tree, in which parents come first.
func (b *treeBuilder) leavesDown(ctx context.Context, leaves []model.NodeID) error {
	of := make([]int32, max(len(b.s.Parent), 1))
	for n := 1; n < len(of); n++ {
		if n%model.AskEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		of[n] = b.step(of[b.s.Parent[n]], b.label(model.NodeID(n)), b.s.Frame[n])
	}
	for i, leaf := range leaves {
		b.t.leaf[i] = of[leaf] // the root for stacks without frames
	}
	b.t.origin.of = of
	return nil
}

// leavesUp builds an inverted tree: it walks every stack from its leaf, once for all that share it.
func (b *treeBuilder) leavesUp(ctx context.Context, leaves []model.NodeID) error {
	depth := maxTreeSteps / max(len(leaves), 1)
	known := make([]int32, max(len(b.s.Parent), 1)) // by node; 0 if not known yet
	for i, leaf := range leaves {
		if i&1023 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if known[leaf] != 0 {
			b.t.leaf[i] = known[leaf]
			continue
		}
		n, left := int32(0), depth
		for at := leaf; at != 0; at = b.s.Parent[at] {
			if left--; left < 0 {
				b.t.cut++
				break
			}
			n = b.step(n, b.label(at), b.s.Frame[at])
		}
		known[leaf], b.t.leaf[i] = n, n
	}
	return nil
}
