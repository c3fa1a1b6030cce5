package treemap

import (
	"context"
	"fmt"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// Types adds the objects of a snapshot to one side: by type, and by the type of what dominates them. The reference of a
// retainer is the largest object of the type that it dominates. The error is that of ctx.
func (b *Builder) Types(ctx context.Context, side int, g *heapgraph.Graph) error {
	h := g.Heap
	kinds := h.Schema.Objects().Kinds
	parts := typeParts{b: b, g: g, at: map[typePart]int32{}, names: map[uint32]int32{}}
	for n := range h.Len() {
		if n%model.AskEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if r := model.Row(n); kinds.Has(h.Kinds[r]) {
			b.add(parts.of(r), side, h.Bytes(r), uint64(r))
		}
	}
	return nil
}

// typeParts are the parts of [Builder.Types].
type typeParts struct {
	b      *Builder
	g      *heapgraph.Graph
	at     map[typePart]int32
	names  map[uint32]int32
	recent [256]struct { // some of at: most objects are of few parts
		typePart
		at    int32
		known bool
	}
}

// typePart is a type and the kind and type of a dominator, without gaps, so that hashing it is fast.
type typePart struct{ of, by, from uint32 }

// of returns the part of an object.
func (p *typeParts) of(r model.Row) int32 {
	h := p.g.Heap
	key, up := typePart{of: h.Entity[r]}, model.RootRow
	if p.g.HasDominators() {
		up = p.g.Idom(r)
		key.by, key.from = uint32(h.Kinds[up]), h.Entity[up]
	}
	near := &p.recent[(key.of*31+key.by*7+key.from)%uint32(len(p.recent))]
	if !near.known || near.typePart != key {
		near.typePart, near.at, near.known = key, p.find(key, up), true
	}
	return near.at
}

// find returns a part, adding it if it is new.
func (p *typeParts) find(key typePart, up model.Row) int32 {
	at, ok := p.at[key]
	if ok {
		return at
	}
	name, known := p.names[key.of]
	if !known {
		name = p.b.below(0, Type, p.g.Heap.Tables.Type(key.of))
		p.names[key.of] = name
	}
	at = p.b.below(name, Retainer, retainerName(p.g.Heap, up))
	p.at[key] = at
	return at
}

// noRetainer is the name of the retainer of objects that have no single one.
const noRetainer = "no single object"

// retainerName returns the name of what dominates objects.
func retainerName(h *model.Heap, r model.Row) string {
	if r == model.RootRow {
		return noRetainer
	}
	return heapgraph.Label(h, r)
}

// leastShare is the share of what is shown of which a dominator is a part of its own, and maxDepth the number of levels.
const (
	leastShare = 4096
	maxDepth   = 48
)

// Dominators returns what a row of a snapshot retains, by what it dominates, several levels deep. References are rows, and
// weights retained bytes. The error is that of ctx.
func Dominators(ctx context.Context, g *heapgraph.Graph, top model.Row) (*Tree, error) {
	if !g.HasDominators() || !g.Heap.Has(top) {
		return (&Builder{}).Tree(), nil
	}
	d := &dominated{g: g, least: g.Retained[top] / leastShare}
	d.out = []Node{{Kind: all, Ref: uint64(top), Weight: g.Retained[top], Sides: [2]uint64{After: g.Retained[top]}}}
	from := []int{0}
	for depth := 0; depth < maxDepth && len(from) > 0; depth++ {
		var next []int
		for _, i := range from {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			next = append(next, d.below(i)...)
		}
		from = next
	}
	return ordered(d.out), nil
}

// dominated is a tree of dominators in progress.
type dominated struct {
	g     *heapgraph.Graph
	least uint64
	out   []Node
}

// below adds what a row dominates, and returns the parts that may have parts. Objects that are no part of their own are
// together by type.
func (d *dominated) below(at int) (large []int) {
	row := model.Row(d.out[at].Ref)
	kids := d.g.Children(row)
	if kids.Len() == 0 {
		return nil
	}
	put := func(n Node) {
		n.Parent, n.Sides[After] = int32(at), n.Weight
		d.out = append(d.out, n)
	}
	left, named := d.g.Retained[row], map[string]bool{}
	for i := range kids.Len() {
		r := kids.At(i)
		w := d.g.Retained[r]
		if w < max(d.least, 1) {
			left -= d.small(kids, i, put)
			break
		}
		if left -= min(w, left); d.g.RetainedCount(r) > 1 {
			large = append(large, len(d.out))
		}
		name := ObjectName(d.g.Heap, r)
		if named[name] {
			name += fmt.Sprintf(" #%d", r)
		}
		named[name] = true
		put(Node{Kind: Object, Name: name, Weight: w, Ref: uint64(r)})
	}
	put(Node{Kind: Own, Weight: left, Ref: uint64(row)})
	return large
}

// small adds the children of a row from number i on by type, and returns their sum.
func (d *dominated) small(kids model.Column[model.Row], i int, put func(Node)) (sum uint64) {
	h, rest, names, of := d.g.Heap, Node{Kind: Rest}, map[class]string{}, map[string]*Node{}
	for ; i < kids.Len(); i++ {
		r := kids.At(i)
		n := &rest
		if k := h.Kind(r); k.Naming != model.NamedByKind && !k.About && !k.Named {
			key := class{h.Kinds[r], h.Entity[r]}
			name, known := names[key]
			if !known {
				name = heapgraph.Label(h, r)
				names[key] = name
			}
			if n = of[name]; n == nil {
				n = &Node{Kind: Type, Name: name, Ref: uint64(r)}
				of[name] = n
			}
		}
		add(&n.Weight, d.g.Retained[r])
		n.Merged++
	}
	for _, n := range of {
		if n.Weight < max(d.least, 1) {
			rest.Merged += n.Merged
			add(&rest.Weight, n.Weight)
			continue
		}
		sum += n.Weight
		put(*n)
	}
	put(rest)
	return sum + rest.Weight
}

// ObjectName returns the name of a row with its number, which no other row has.
func ObjectName(h *model.Heap, r model.Row) string {
	name := heapgraph.Label(h, r)
	if h.Kind(r).Naming == model.NamedByKind {
		return name
	}
	return name + " #" + model.Group(uint64(r))
}
