package calltree

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtui/memtui/model"
)

// CallTree is the structure of a call tree, without weights: it is built once per set of options and weighted whenever
// the instant moves ([CallTree.Fold]). Node 0 is the root, "all"; a node's parent has a smaller number.
type CallTree struct {
	parent []int32
	label  []int32
	frame  []model.FrameID // the first frame seen at the node
	mixed  []bool          // the node merges frames of several lines or files; origin knows which weighs most
	leaf   []int32         // by dense stack index: the node that gets the stack's weight
	start  []int32         // children of n are child[start[n]:start[n+1]]
	child  []int32
	begin  []int32 // stacks that end at n are ending[begin[n]:begin[n+1]]
	ending []int32
	labels []string
	cut    int // stacks whose far end was cut off to bound the size of the tree
	origin origin
}

// TreeOptions choose how stacks become a tree.
type TreeOptions struct {
	Invert   bool                // bottom-up: allocating functions first, their callers below
	Collapse bool                // direct recursion becomes one node
	Name     func(string) string // shortens function names and merges those that become equal; nil keeps them
	Class    []uint32            // by frame: functions of one name are distinct if their classes differ; nil for none
}

// maxTreeSteps limits the work for an inverted tree, whose stacks share nothing.
const maxTreeSteps = 1 << 24

// NewCallTree builds the tree of the stacks ids, as analysis.Trace.StackIDs returns them. s may be nil.
func NewCallTree(ctx context.Context, s *model.Stacks, ids []model.StackID, opt TreeOptions) (*CallTree, error) {
	leaves := make([]model.NodeID, len(ids))
	for i, id := range ids {
		leaves[i], _ = s.Node(id)
	}
	return NewNamedLeafTree(ctx, s, leaves, opt, func(i int) string {
		if _, ok := s.Node(ids[i]); !ok {
			return model.UnknownStack(ids[i])
		}
		return NoFrames // it has no frames, or a filter hid them
	})
}

type treeBuilder struct {
	t      *CallTree
	s      *model.Stacks
	opt    TreeOptions
	first  []int32            // by node: its first child, 0 for none
	next   []int32            // by node: the next child of its parent, for the first few
	wide   map[[2]int32]int32 // node, label → child: for the others
	byName map[string]int32
	byFunc []int32           // by FuncID: its label, -1 while it has none
	known  []int32           // by frame: its label plus one, 0 while it has none
	byPair map[classed]int32 // if functions have classes
	taken  map[int32]bool    // labels that are used by a class
}

// classed is a function's name, as the label of its first class, with a class.
type classed struct {
	name  int32
	class uint32
}

// ofClass returns the label of a name within the class of a frame.
func (b *treeBuilder) ofClass(name int32, frame model.FrameID) int32 {
	if b.opt.Class == nil {
		return name
	}
	if b.byPair == nil {
		b.byPair, b.taken = map[classed]int32{}, map[int32]bool{}
	}
	key := classed{name, b.opt.Class[frame]}
	l, ok := b.byPair[key]
	switch {
	case ok:
	case !b.taken[name]:
		l, b.taken[name], b.byPair[key] = name, true, name
	default:
		l = int32(len(b.t.labels))
		b.t.labels = append(b.t.labels, b.t.labels[name])
		b.byPair[key] = l
	}
	return l
}

func (b *treeBuilder) labelOf(name string) int32 {
	l, ok := b.byName[name]
	if !ok {
		l = int32(len(b.t.labels))
		b.byName[name] = l
		b.t.labels = append(b.t.labels, name)
	}
	return l
}

// label returns the label of a node of the stacks' tree.
func (b *treeBuilder) label(n model.NodeID) int32 {
	frame := b.s.Frame[n]
	if b.known == nil {
		b.known = make([]int32, len(b.s.FrameFunc))
	}
	if b.known[frame] > 0 {
		return b.known[frame] - 1
	}
	l := b.ofClass(b.nameOf(frame), frame)
	b.known[frame] = l + 1
	return l
}

// nameOf returns the label of a frame's name, whatever its class.
func (b *treeBuilder) nameOf(frame model.FrameID) int32 {
	f := b.s.FrameFunc[frame]
	if b.s.Functions[f] == "" {
		return b.labelOf(FrameFunction(b.s, frame))
	}
	if b.byFunc[f] < 0 {
		name := b.s.Functions[f]
		if b.opt.Name != nil {
			name = b.opt.Name(name)
		}
		b.byFunc[f] = b.labelOf(name)
	}
	return b.byFunc[f]
}

func (b *treeBuilder) node(parent, label int32, frame model.FrameID) int32 {
	n := int32(len(b.t.parent))
	b.t.parent = append(b.t.parent, parent)
	b.t.label = append(b.t.label, label)
	b.t.frame = append(b.t.frame, frame)
	b.t.mixed = append(b.t.mixed, false)
	b.first, b.next = append(b.first, 0), append(b.next, 0)
	return n
}

// listed is the number of children of a node that are searched linearly: most nodes have one.
const listed = 8

// child returns the child of n with the label, and creates it if there is none; made reports that.
func (b *treeBuilder) child(n, label int32, frame model.FrameID) (c int32, made bool) {
	last := int32(0)
	seen := 0
	for c = b.first[n]; c != 0; c = b.next[c] {
		if b.t.label[c] == label {
			return c, false
		}
		last = c
		seen++
	}
	if seen < listed {
		c = b.node(n, label, frame)
		if last == 0 {
			b.first[n] = c
		} else {
			b.next[last] = c
		}
		return c, true
	}
	key := [2]int32{n, label}
	c, known := b.wide[key]
	if !known {
		c = b.node(n, label, frame)
		b.wide[key] = c
	}
	return c, !known
}

// step returns the child of n with the label, and creates it if there is none.
func (b *treeBuilder) step(n, label int32, frame model.FrameID) int32 {
	c, made := n, false
	if !b.opt.Collapse || n == 0 || b.t.label[n] != label {
		c, made = b.child(n, label, frame)
	}
	if !made && b.t.frame[c] != frame {
		b.t.mixed[c] = true
	}
	return c
}

// link builds the lists of children, and of stacks that end at a node.
func (t *CallTree) link() {
	n := len(t.parent)
	t.start, t.child = chain(n, t.parent[1:])
	for i := range t.child {
		t.child[i]++ // the root has no parent
	}
	t.begin, t.ending = chain(n, t.leaf)
}

// chain returns, for each of n keys, the indexes of keys that equal it: list[start[k]:start[k+1]], ascending.
func chain(n int, keys []int32) (start, list []int32) {
	start = make([]int32, n+1)
	for _, k := range keys {
		start[k+1]++
	}
	for i := range n {
		start[i+1] += start[i]
	}
	list = make([]int32, len(keys))
	at := slices.Clone(start[:n])
	for i, k := range keys {
		list[at[k]] = int32(i)
		at[k]++
	}
	return start, list
}

// Len returns the number of nodes.
func (t *CallTree) Len() int { return len(t.parent) }

// Cut returns the number of stacks whose root end was cut off to bound an inverted tree.
func (t *CallTree) Cut() int { return t.cut }

// Parent returns the node's caller (top-down) or callee (bottom-up), -1 for the root.
func (t *CallTree) Parent(n int32) int32 { return t.parent[n] }

// OnlyChild returns the child of a node that has no other, whatever they weigh.
func (t *CallTree) OnlyChild(n int32) (child int32, ok bool) {
	list := t.child[t.start[n]:t.start[n+1]]
	if len(list) != 1 {
		return 0, false
	}
	return list[0], true
}

// AllChildren returns the children of a node, whatever they weigh. The slice is the tree's.
func (t *CallTree) AllChildren(n int32) []int32 { return t.child[t.start[n]:t.start[n+1]] }

// Name returns the function of a node, not cleaned.
func (t *CallTree) Name(n int32) string { return t.labels[t.label[n]] }

// Label identifies the node's name within this tree: equal names have equal labels, unless their classes differ.
func (t *CallTree) Label(n int32) int32 { return t.label[n] }

// Leaf returns the node that gets the weight of the stack with dense index i, 0 for a stack that the tree does not know
// yet.
func (t *CallTree) Leaf(i int) int32 {
	if i < 0 || i >= len(t.leaf) {
		return 0
	}
	return t.leaf[i]
}

// Frame returns the first frame that was added to a node; mixed reports whether it merges frames of other lines, of
// which [Folded.Heaviest] returns the heaviest.
func (t *CallTree) Frame(n int32) (f model.FrameID, mixed bool) { return t.frame[n], t.mixed[n] }

// Folded is a call tree with weights.
type Folded struct {
	*CallTree
	Total   []uint64 // by node: weight of the stacks that pass it
	weights []uint64 // by stack
	own     []uint64 // by stack: the weight of its leaf alone; nil if that is all of the weight
	passing passing
}

// WithOwn sets what each stack's leaf weighs alone, and keeps the slice. Call it before others can see f.
func (f *Folded) WithOwn(own []uint64) *Folded {
	f.own = own[:min(len(own), len(f.weights))]
	return f
}

// Fold weights the tree with one figure per stack, as analysis.Trace.Weights returns it, and keeps the slice. Stacks
// that the tree does not know yet are left out.
func (t *CallTree) Fold(weights []uint64) *Folded {
	f := &Folded{CallTree: t, Total: make([]uint64, len(t.parent)), weights: weights[:min(len(weights), len(t.leaf))]}
	sum, fits := uint64(0), true
	for i, w := range f.weights {
		f.Total[t.leaf[i]], _ = model.SaturatingAdd(f.Total[t.leaf[i]], w)
		if sum += w; sum < w {
			fits = false
		}
	}
	if fits {
		f.addUp()
		return f
	}
	for n := len(t.parent) - 1; n > 0; n-- {
		if w := f.Total[n]; w > 0 {
			p := t.parent[n]
			f.Total[p], _ = model.SaturatingAdd(f.Total[p], w)
		}
	}
	return f
}

// addUp adds the weight of every node to its parent; the sum of all weights must not overflow. Most nodes of large
// trees are the only child of the node before them: their weight is carried in a register. This is a hot kernel.
func (f *Folded) addUp() {
	total, carry := f.Total, uint64(0)
	parent := f.parent[:len(total)]
	for n := len(total) - 1; n > 0; n-- {
		w := total[n]
		if carry > 0 {
			w += carry
			total[n] = w
		}
		if carry = 0; w == 0 {
			continue
		}
		if p := int(parent[n]); p == n-1 {
			carry = w
		} else {
			total[p] += w
		}
	}
	if len(total) > 0 {
		total[0] += carry
	}
}

// Self returns the weight of the stacks that end at a node, or of their leaves alone where that is known.
func (f *Folded) Self(n int32) (weight uint64) {
	own := f.weights
	if f.own != nil {
		own = f.own
	}
	for _, i := range f.ending[f.begin[n]:f.begin[n+1]] {
		if int(i) < len(own) {
			weight, _ = model.SaturatingAdd(weight, own[i])
		}
	}
	return weight
}

// Children returns the children of n with a nonzero weight, heaviest first, equal ones by name. The caller owns the
// slice.
func (f *Folded) Children(n int32) []int32 {
	var out []int32
	for _, c := range f.child[f.start[n]:f.start[n+1]] {
		if f.Total[c] > 0 {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b int32) int {
		if x, y := f.Total[a], f.Total[b]; x != y {
			return cmp.Compare(y, x)
		}
		return cmp.Compare(f.Name(a), f.Name(b)) // slow, so last
	})
	return out
}

// HasChildren reports whether any child of n has a nonzero weight.
func (f *Folded) HasChildren(n int32) bool {
	return slices.ContainsFunc(f.child[f.start[n]:f.start[n+1]], func(c int32) bool { return f.Total[c] > 0 })
}

// HotPath descends from n into the heaviest child as long as that has at least half of its parent's weight, and returns
// the nodes below n on the way.
func (f *Folded) HotPath(n int32) []int32 {
	var out []int32
	for {
		best := int32(-1)
		for _, c := range f.child[f.start[n]:f.start[n+1]] {
			if best < 0 || f.Total[c] > f.Total[best] {
				best = c
			}
		}
		if best < 0 || f.Total[best] == 0 || f.Total[best] < f.Total[n]-f.Total[n]/2 {
			return out
		}
		out = append(out, best)
		n = best
	}
}

// Matching returns the weight of the stacks with a frame whose name satisfies match, each stack once.
func (f *Folded) Matching(match func(name string) bool) (weight uint64) {
	hit := make([]bool, len(f.labels))
	for i, l := range f.labels {
		hit[i] = i != 0 && match(l)
	}
	under := make([]bool, len(f.parent))
	for n := 1; n < len(f.parent); n++ {
		under[n] = hit[f.label[n]] || under[f.parent[n]]
	}
	for i, w := range f.weights {
		if under[f.leaf[i]] {
			weight, _ = model.SaturatingAdd(weight, w)
		}
	}
	return weight
}
