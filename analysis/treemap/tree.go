package treemap

import (
	"cmp"
	"path"
	"slices"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/model"
)

// Kind is what a part is.
type Kind uint8

const (
	all      Kind = iota
	Module        // of stacks: a library or a program
	Folder        // of stacks: of sources, where the file does not say what they were built into
	File          // of stacks
	Function      // of stacks
	Type          // of objects
	Retainer      // the type of what dominates objects
	Object        // a row of a heap snapshot, with what it retains
	Own           // what an object takes itself, next to what it retains
	Pages         // the pages of a type
	Bits          // occupied or free ones
	Rest          // small parts together
)

// String returns the name of the kind in reports.
func (k Kind) String() string {
	return [...]string{"all", "module", "folder", "file", "function", "type", "retainer", "object", "itself", "page_type", "bits",
		"others"}[k]
}

// IsPlace reports whether parts of the kind are named by paths.
func (k Kind) IsPlace() bool { return k == Module || k == Folder || k == File }

// Node is a part. Its children follow each other in the tree, those with most weight first, ties by name.
type Node struct {
	Kind   Kind
	Name   string // not cleaned; "" where the recording has none
	Parent int32
	First  int32 // index of the first child
	Len    int32 // number of children
	Weight uint64
	Sides  [2]uint64 // before and after, of a comparison; its weight is the sum of the larger sides of its parts
	Merged int       // of the rest, and of a type below what dominates its objects: how many are together
	Ref    uint64    // what it represents, depending on Kind
}

// Tree is parts within parts. Its first node is all of it, and parents come before their children. It is read-only.
type Tree struct{ Nodes []Node }

// Children returns the indexes of the children of a node, first ≤ i < end.
func (t *Tree) Children(n int32) (first, end int32) {
	at := &t.Nodes[n]
	return at.First, at.First + at.Len
}

// Path returns the nodes from below the first one down to n.
func (t *Tree) Path(n int32) (path []int32) {
	for ; n > 0; n = t.Nodes[n].Parent {
		path = append(path, n)
	}
	slices.Reverse(path)
	return path
}

// Label returns the name of a part for people, in full or shortened, not cleaned; Rest says how many parts it is.
func (n *Node) Label(full bool) string {
	switch {
	case n.Kind == Rest:
		return model.Counted(n.Merged, "small part")
	case n.Kind == all:
		return "all"
	case n.Kind == Own:
		return "itself"
	case n.Kind == Type && n.Merged > 1:
		return model.Group(uint64(n.Merged)) + " × " + n.Name
	case n.Name == "" && n.Kind.IsPlace():
		return calltree.Unnamed
	case n.Kind == Function && !full:
		return funcname.Bare(n.Name)
	case n.Kind.IsPlace() && !full:
		return path.Base(n.Name)
	}
	return n.Name
}

// Step names a part among those next to it.
type Step struct {
	Kind Kind
	Name string
}

// Find follows steps from the first node, as far as the tree has them.
func (t *Tree) Find(steps []Step) (at int32) {
	for _, step := range steps {
		next := int32(-1)
		for i, end := t.Children(at); i < end; i++ {
			if n := &t.Nodes[i]; n.Kind == step.Kind && n.Name == step.Name {
				next = i
				break
			}
		}
		if next < 0 {
			break
		}
		at = next
	}
	return at
}

// Named returns the part of the first node that has a name, in full or as [Node.Label] shortens it, or 0 and the names of
// all its parts.
func (t *Tree) Named(name string) (n int32, names []string) {
	first, end := t.Children(0)
	for _, full := range []bool{true, false} {
		for i := first; i < end; i++ {
			at := &t.Nodes[i]
			if full && at.Name == name || at.Label(full) == name {
				return i, nil
			}
		}
	}
	for i := first; i < end; i++ {
		names = append(names, t.Nodes[i].Label(false))
	}
	return 0, names
}

// Below returns the tree whose first node is a node of this one.
func (t *Tree) Below(n int32) *Tree {
	out, from := []Node{t.Nodes[n]}, []int32{n}
	out[0].Parent = 0
	for i := 0; i < len(out); i++ { // level by level
		first, end := t.Children(from[i])
		out[i].First = int32(len(out))
		for c := first; c < end; c++ {
			at := t.Nodes[c]
			at.Parent = int32(i)
			out, from = append(out, at), append(from, c)
		}
	}
	return &Tree{out}
}

// Steps returns the way from the first node to n.
func (t *Tree) Steps(n int32) (steps []Step) {
	for _, i := range t.Path(n) {
		steps = append(steps, Step{t.Nodes[i].Kind, t.Nodes[i].Name})
	}
	return steps
}

// Cut returns the tree with at most so many levels below the first node, and parts of a part; 0 is all. The other parts
// become one, the rest, after those of their parent.
func (t *Tree) Cut(levels, parts int) *Tree {
	const merged = -1 // in place of a node
	out := []Node{t.Nodes[0]}
	from, depth := []int32{0}, []int{0}
	for i := 0; i < len(out); i++ { // level by level
		out[i].First, out[i].Len = int32(len(out)), 0
		if from[i] == merged || levels > 0 && depth[i] >= levels {
			continue
		}
		first, end := t.Children(from[i])
		kept := end
		if parts > 0 && end-first > int32(parts)+1 { // one part alone stays what it is
			kept = first + int32(parts)
		}
		for c := first; c < kept; c++ {
			n := t.Nodes[c]
			n.Parent = int32(i)
			out, from, depth = append(out, n), append(from, c), append(depth, depth[i]+1)
		}
		if kept < end {
			rest := t.merge(kept, end)
			rest.Parent = int32(i)
			out, from, depth = append(out, rest), append(from, merged), append(depth, depth[i]+1)
		}
		out[i].Len = int32(len(out)) - out[i].First
	}
	return &Tree{out}
}

// merge returns the sum of parts.
func (t *Tree) merge(first, end int32) Node {
	out := Node{Kind: Rest}
	for c := first; c < end; c++ {
		n := &t.Nodes[c]
		add(&out.Weight, n.Weight)
		add(&out.Sides[0], n.Sides[0])
		add(&out.Sides[1], n.Sides[1])
		if out.Merged++; n.Kind == Rest {
			out.Merged += n.Merged - 1
		}
	}
	return out
}

func add(sum *uint64, n uint64) { *sum, _ = model.SaturatingAdd(*sum, n) }

// Builder adds up parts, of one side or of both sides of a comparison. The zero value is ready.
type Builder struct {
	nodes []Node
	at    map[place]int32
	heavy []uint64 // by node: the most that was added at once, for what Ref represents
}

// place is a part of a part.
type place struct {
	parent int32
	Step
}

// The sides of a comparison. A tree of one side is After.
const (
	Before = iota
	After
)

// below returns the part of a part that has a name, added where it is new.
func (b *Builder) below(parent int32, kind Kind, name string) int32 {
	b.begin()
	key := place{parent, Step{kind, name}}
	n, ok := b.at[key]
	if !ok {
		n = int32(len(b.nodes))
		b.nodes, b.heavy = append(b.nodes, Node{Kind: kind, Name: name, Parent: parent}), append(b.heavy, 0)
		b.at[key] = n
	}
	return n
}

func (b *Builder) begin() {
	if b.at == nil {
		b.at, b.nodes, b.heavy = map[place]int32{}, []Node{{}}, []uint64{0}
	}
}

// add adds to the weight of a part without parts. Ref becomes that of the most that is added at once, of what is after
// where there is any.
func (b *Builder) add(n int32, side int, weight, ref uint64) {
	at := &b.nodes[n]
	if side == After && at.Sides[After] == 0 {
		b.heavy[n] = 0
	}
	if weight > b.heavy[n] && (side == After || at.Sides[After] == 0) {
		b.heavy[n], at.Ref = weight, ref
	}
	add(&at.Sides[side], weight)
}

// Tree returns what was added, in the order of trees. Parts that weigh nothing are left out.
func (b *Builder) Tree() *Tree {
	b.begin()
	for i := len(b.nodes) - 1; i >= 0; i-- { // parents come before their children
		n := &b.nodes[i]
		if n.Len == 0 {
			n.Weight = max(n.Sides[Before], n.Sides[After])
		}
		if i > 0 && n.Weight > 0 {
			up := &b.nodes[n.Parent]
			up.Len++
			add(&up.Weight, n.Weight)
			add(&up.Sides[Before], n.Sides[Before])
			add(&up.Sides[After], n.Sides[After])
		}
	}
	return ordered(b.nodes)
}

// ordered returns nodes level by level, heaviest first.
func ordered(nodes []Node) *Tree {
	kids := make([][]int32, len(nodes))
	for i := 1; i < len(nodes); i++ {
		if nodes[i].Weight > 0 {
			kids[nodes[i].Parent] = append(kids[nodes[i].Parent], int32(i))
		}
	}
	out, from := &Tree{[]Node{nodes[0]}}, []int32{0}
	for i := 0; i < len(out.Nodes); i++ {
		list := kids[from[i]]
		slices.SortFunc(list, func(a, b int32) int { return heavierFirst(&nodes[a], &nodes[b]) })
		out.Nodes[i].First, out.Nodes[i].Len = int32(len(out.Nodes)), int32(len(list))
		for _, c := range list {
			n := nodes[c]
			n.Parent = int32(i)
			out.Nodes, from = append(out.Nodes, n), append(from, c)
		}
	}
	return out
}

// heavierFirst orders parts next to each other: the rest comes last.
func heavierFirst(a, b *Node) int {
	if (a.Kind == Rest) != (b.Kind == Rest) {
		if a.Kind == Rest {
			return 1
		}
		return -1
	}
	return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Kind, b.Kind))
}
