// Package calls has what reports print about what calls or refers to what: weighted stacks summed up to a call tree, as
// the screen of stacks shows it, and the neighbors of a type.
package calls

import (
	"container/heap"
	"context"
	"slices"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/model"
)

// Query states what a tree is made of, and how much of it is returned.
type Query struct {
	Stacks  *model.Stacks
	IDs     []model.StackID // the stacks of a trace; nil where Leaves say which they are
	Leaves  []model.NodeID
	Weights []uint64 // of the stacks
	Own     []uint64 // of their leaves alone; nil if that is all of the weight
	Marks   []uint8  // of the stacks; nil for none
	calltree.TreeOptions
	Depth int // most levels, 0 is all
	Limit int // most rows, the heaviest ones, 0 is all
}

// Row is a node of the tree.
type Row struct {
	Depth       int // 1 is the top
	Name        string
	Frame       model.FrameID // the heaviest one that the node has, 0 for none
	Mixed       bool          // it has frames of other lines, too
	Self, Total uint64        // bottom-up, only functions at the top have a weight of their own
	Mark        uint8         // the highest of its stacks
}

// Tree is a call tree, or its heaviest rows.
type Tree struct {
	Rows  []Row // each below its parent, the heaviest first
	All   uint64
	Count int // of the rows without the limit
}

// Build sums the stacks of a query up. The error is that of ctx.
func Build(ctx context.Context, q *Query) (*Tree, error) {
	tree, err := q.tree(ctx)
	if err != nil {
		return nil, err
	}
	f := tree.Fold(q.Weights)
	if q.Own != nil {
		f.WithOwn(q.Own)
	}
	depth := make([]int, f.Len())
	out := &Tree{All: f.Total[0]}
	for n := 1; n < f.Len(); n++ {
		depth[n] = depth[f.Parent(int32(n))] + 1
		if f.Total[n] > 0 && (q.Depth <= 0 || depth[n] <= q.Depth) {
			out.Count++
		}
	}
	marks := q.highest(tree, f.Len())
	shown := func(n int32) bool { return q.Depth <= 0 || depth[n] <= q.Depth }
	if q.Limit > 0 && q.Limit < out.Count {
		picked := heaviest(f, q.Limit, shown)
		shown = func(n int32) bool { return picked[n] }
	}
	self := f.Self
	if q.Invert {
		own := f
		if q.Own != nil {
			own = tree.Fold(q.Own)
		}
		self = func(n int32) uint64 {
			if depth[n] > 1 {
				return 0
			}
			return own.Total[n]
		}
	}
	for open := below(f, 0, shown); len(open) > 0; {
		n := open[len(open)-1]
		open = append(open[:len(open)-1], below(f, n, shown)...)
		_, mixed := f.Frame(n)
		out.Rows = append(out.Rows, Row{depth[n], f.Name(n), f.Heaviest(n), mixed, self(n), f.Total[n], marks[n]})
	}
	return out, ctx.Err()
}

// highest returns the highest mark of the stacks of each node.
func (q *Query) highest(tree *calltree.CallTree, nodes int) []uint8 {
	out := make([]uint8, nodes)
	if len(q.Marks) == 0 {
		return out
	}
	only := make([]uint64, len(q.Marks))
	for mark := uint8(1); mark <= slices.Max(q.Marks); mark++ {
		for i, m := range q.Marks {
			only[i] = 0
			if m == mark {
				only[i] = 1
			}
		}
		for n, total := range tree.Fold(only).Total {
			if total > 0 {
				out[n] = mark
			}
		}
	}
	return out
}

func (q *Query) tree(ctx context.Context) (*calltree.CallTree, error) {
	if q.IDs != nil {
		return calltree.NewCallTree(ctx, q.Stacks, q.IDs, q.TreeOptions)
	}
	return calltree.NewLeafTree(ctx, q.Stacks, q.Leaves, q.TreeOptions)
}

// below returns the children of a node that are shown, the heaviest last.
func below(f *calltree.Folded, n int32, shown func(int32) bool) []int32 {
	list := slices.DeleteFunc(f.Children(n), func(c int32) bool { return !shown(c) })
	slices.Reverse(list)
	return list
}

// heaviest returns the n nodes that weigh most. No node weighs more than its parent, so they form a tree.
func heaviest(f *calltree.Folded, n int, shown func(int32) bool) map[int32]bool {
	open, picked := &queue{of: f}, map[int32]bool{}
	for at := int32(0); len(picked) < n; {
		for _, c := range f.Children(at) {
			if shown(c) {
				heap.Push(open, c)
			}
		}
		if open.Len() == 0 {
			break
		}
		at = heap.Pop(open).(int32)
		picked[at] = true
	}
	return picked
}

// queue orders nodes by weight, the heaviest first, equal ones by number.
type queue struct {
	of   *calltree.Folded
	list []int32
}

func (q *queue) Len() int { return len(q.list) }
func (q *queue) Less(i, j int) bool {
	a, b := q.list[i], q.list[j]
	if x, y := q.of.Total[a], q.of.Total[b]; x != y {
		return x > y
	}
	return a < b
}
func (q *queue) Swap(i, j int) { q.list[i], q.list[j] = q.list[j], q.list[i] }
func (q *queue) Push(n any)    { q.list = append(q.list, n.(int32)) }
func (q *queue) Pop() any {
	last := q.list[len(q.list)-1]
	q.list = q.list[:len(q.list)-1]
	return last
}

// Selected returns a query for the weights of a selection, and the factor that they were multiplied by.
func Selected(s *weights.Selection) (q *Query, factor float64) {
	w := s.Scaled()
	return &Query{Stacks: s.Stacks, Leaves: w.Leaves, Weights: w.Weights, Own: w.Own}, w.Factor
}
