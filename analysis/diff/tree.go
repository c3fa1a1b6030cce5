package diff

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
)

// CompareShape is the structure of the call tree of a comparison, without weights: equal frames below equal callers are
// one node. It is built once for two files and weighted whenever the sides change ([CompareShape.Weigh]). It is
// immutable.
type CompareShape struct {
	*calltree.CallTree
	Stacks *model.Stacks // of the frames of nodes

	nodes []model.NodeID   // of all known stacks: the joined nodes where they end, 0 for rows that are texts
	texts []string         // by index in nodes
	at    []int32          // by node of the joined stacks: its index in nodes plus one, 0 if it has none
	named map[string]int32 // by text: its index in nodes
	pick  []int32          // by index in the tree: the index in nodes; nil if all are in the tree
}

// ShapeOptions choose how the rows of a comparison become a tree.
type ShapeOptions struct {
	calltree.TreeOptions
	View *calltree.FilteredStacks // the joined stacks to show; nil for all, including rows that are not stacks
}

// NewCompareShape builds the tree of all stacks of both sides of a comparison. Rows that are not stacks are children of
// the root. old may be nil, or is of the same joined stacks and options: it is returned if it has all rows, else a
// top-down tree keeps its numbers of nodes.
func NewCompareShape(ctx context.Context, c *Comparison, opt ShapeOptions, old *CompareShape) (*CompareShape, error) {
	if old != nil && old.knows(c) {
		return old, nil
	}
	s := &CompareShape{Stacks: model.NewStacks(), named: map[string]int32{}}
	if c.Joined != nil {
		s.Stacks = c.Joined.Stacks
	}
	s.at = make([]int32, len(s.Stacks.Parent))
	if old != nil {
		s.enter(old.nodes, old.texts)
	}
	s.enter(stacksIn(c))
	leaves := s.nodes
	if opt.View != nil {
		leaves = s.narrow(opt.View)
	}
	var err error
	s.CallTree, err = calltree.NewNamedLeafTree(ctx, s.Stacks, leaves, opt.TreeOptions, func(i int) string {
		if s.pick != nil {
			i = int(s.pick[i])
		}
		return cmp.Or(s.texts[i], calltree.NoFrames)
	})
	return s, err
}

// index returns the index of a row in nodes; ok is false if it is unknown.
func (s *CompareShape) index(r *Row) (i int32, ok bool) {
	if r.Node != 0 {
		return s.at[r.Node] - 1, s.at[r.Node] > 0
	}
	i, ok = s.named[r.Key]
	return i, ok
}

// knows reports whether all rows of a comparison are known.
func (s *CompareShape) knows(c *Comparison) bool {
	for i := range c.Rows {
		if _, ok := s.index(&c.Rows[i]); !ok {
			return false
		}
	}
	return true
}

// NodeOf returns the node of the tree for a stack that ends at a node of the joined stacks; ok is false if the tree
// does not have it.
func (s *CompareShape) NodeOf(joined model.NodeID) (n int32, ok bool) {
	if int(joined) >= len(s.at) || s.at[joined] == 0 {
		return 0, false
	}
	i := s.at[joined] - 1
	if s.pick != nil {
		at, ok := slices.BinarySearch(s.pick, i)
		if !ok {
			return 0, false
		}
		i = int32(at)
	}
	return s.Leaf(int(i)), true
}

// stacksIn returns the stacks of both sides of a comparison, of any weight, and the texts of rows that are not stacks.
// Neither order depends on weights.
func stacksIn(c *Comparison) (nodes []model.NodeID, texts []string) {
	for side, of := range []*Side{c.Before, c.After} {
		for i := range of.Rows {
			if n := of.Rows[i].Node; n != 0 {
				nodes = append(nodes, c.Joined.node[side][n])
			}
		}
	}
	for i := range c.Rows {
		if c.Rows[i].Node == 0 {
			texts = append(texts, c.Rows[i].Key)
		}
	}
	slices.Sort(nodes)
	slices.Sort(texts)
	nodes = slices.Compact(nodes)
	texts = append(make([]string, len(nodes)), texts...)
	return append(nodes, make([]model.NodeID, len(texts)-len(nodes))...), texts
}

// enter adds nodes and texts that have no index yet.
func (s *CompareShape) enter(nodes []model.NodeID, texts []string) {
	for i, n := range nodes {
		if _, ok := s.index(&Row{Node: n, Key: texts[i]}); ok {
			continue
		}
		if n != 0 {
			s.at[n] = int32(len(s.nodes) + 1)
		} else {
			s.named[texts[i]] = int32(len(s.nodes))
		}
		s.nodes, s.texts = append(s.nodes, n), append(s.texts, texts[i])
	}
}

// narrow reduces the tree to the stacks that a filter keeps, and returns where they end in the filtered tree.
func (s *CompareShape) narrow(view *calltree.FilteredStacks) (leaves []model.NodeID) {
	s.Stacks, s.pick = view.Stacks, []int32{}
	for i, n := range s.nodes {
		if n == 0 {
			continue
		}
		if leaf, kept := view.Node(n); kept {
			leaves, s.pick = append(leaves, leaf), append(s.pick, int32(i))
		}
	}
	return leaves
}

// Weigh weights the tree with a comparison that has no rows other than those it was built from.
func (s *CompareShape) Weigh(c *Comparison) *Tree {
	weights := [2][]uint64{make([]uint64, len(s.nodes)), make([]uint64, len(s.nodes))}
	for i := range c.Rows {
		r := &c.Rows[i]
		if at, ok := s.index(r); ok {
			weights[0][at], _ = model.SaturatingAdd(weights[0][at], r.BeforeBytes)
			weights[1][at], _ = model.SaturatingAdd(weights[1][at], r.AfterBytes)
		}
	}
	before, after := s.picked(weights[0]), s.picked(weights[1])
	t := &Tree{Sides: [2]*calltree.Folded{s.Fold(before), s.Fold(after)}}
	t.Folded = s.Fold(t.changes(len(before)))
	return t
}

// picked returns the weights of the stacks in the tree, out of those of all known stacks.
func (s *CompareShape) picked(weights []uint64) []uint64 {
	if s.pick == nil {
		return weights
	}
	out := make([]uint64, len(s.pick))
	for i, k := range s.pick {
		out[i] = weights[k]
	}
	return out
}

// Tree is the call tree of a comparison with the weights of its nodes on both sides. Its own weights are changes: the
// sum of |after − before| of the stacks that end at or below a node, which is its width in a flame graph.
type Tree struct {
	*calltree.Folded
	Sides [2]*calltree.Folded // before and after: the same tree; their Children leave out nodes absent on that side
}

// changes returns the changes by stack. If several stacks end at a node, their joint change is the weight of the first
// of them.
func (t *Tree) changes(stacks int) []uint64 {
	out, done := make([]uint64, stacks), make([]bool, t.Sides[0].Len())
	for i := range out {
		if n := t.Sides[0].Leaf(i); !done[n] {
			done[n], out[i] = true, distance(t.Sides[0].Self(n), t.Sides[1].Self(n))
		}
	}
	return out
}

// There reports whether a node has a weight on either side.
func (t *Tree) There(n int32) bool { return t.Sides[0].Total[n] > 0 || t.Sides[1].Total[n] > 0 }

// HasChildren reports whether any child of n has a weight on either side.
func (t *Tree) HasChildren(n int32) bool {
	return t.Sides[0].HasChildren(n) || t.Sides[1].HasChildren(n)
}

// Children returns the children of n with a weight on either side, largest change first, then the heavier, equal ones
// by name. The caller owns the slice.
func (t *Tree) Children(n int32) []int32 {
	var out []int32
	for _, c := range t.AllChildren(n) {
		if t.There(c) {
			out = append(out, c)
		}
	}
	weight := func(n int32) uint64 { return max(t.Sides[0].Total[n], t.Sides[1].Total[n]) }
	slices.SortFunc(out, func(a, b int32) int {
		return cmp.Or(cmp.Compare(t.Total[b], t.Total[a]), cmp.Compare(weight(b), weight(a)), cmp.Compare(t.Name(a), t.Name(b)))
	})
	return out
}

// ComparedNeighbor is a caller or callee of a function, and how much of the function's weight goes that way on each
// side.
type ComparedNeighbor struct {
	Name   string // not cleaned; "" where there is no caller
	Weight [2]uint64
}

// ComparedAround is [calltree.Around] on both sides.
type ComparedAround struct {
	Name             string
	Total, Self      [2]uint64
	Callers, Callees []ComparedNeighbor // by size of the change, equals by name
}

// Around returns the callers and callees of the function of node n. It works on top-down and on bottom-up trees.
func (t *Tree) Around(n int32, inverted bool) ComparedAround {
	before, after := t.Sides[0].Around(n, inverted), t.Sides[1].Around(n, inverted)
	return ComparedAround{
		Name: before.Name, Total: [2]uint64{before.Total, after.Total}, Self: [2]uint64{before.Self, after.Self},
		Callers: bothSides(before.Callers, after.Callers), Callees: bothSides(before.Callees, after.Callees),
	}
}

// bothSides merges the neighbors of one name of both sides. Different functions of one name are merged.
func bothSides(before, after []calltree.Neighbor) (out []ComparedNeighbor) {
	at := map[string]int{}
	for side, list := range [][]calltree.Neighbor{before, after} {
		for _, n := range list {
			i, ok := at[n.Name]
			if !ok {
				i = len(out)
				at[n.Name] = i
				out = append(out, ComparedNeighbor{Name: n.Name})
			}
			out[i].Weight[side], _ = model.SaturatingAdd(out[i].Weight[side], n.Weight)
		}
	}
	slices.SortFunc(out, func(a, b ComparedNeighbor) int {
		return cmp.Or(cmp.Compare(distance(b.Weight[0], b.Weight[1]), distance(a.Weight[0], a.Weight[1])), cmp.Compare(a.Name, b.Name))
	})
	return out
}
