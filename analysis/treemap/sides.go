package treemap

import (
	"context"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// DominatorSides returns what the roots of two snapshots retain. Parts are the rows with the same names on the way from
// the root, as snapshots of most formats have no objects in common. The reference of a part is the row that retains most
// of it, of after where there is one. The error is that of ctx.
func DominatorSides(ctx context.Context, before, after *heapgraph.Graph) (*Tree, error) {
	d := &dominatedSides{graphs: [2]*heapgraph.Graph{before, after}}
	d.build.begin()
	top := &retainers{}
	for side, g := range d.graphs {
		if !g.HasDominators() {
			return (&Builder{}).Tree(), nil
		}
		d.names[side] = map[class]string{}
		top.add(g, side, model.RootRow)
		d.least = max(d.least, g.Retained[model.RootRow]/leastShare, 1)
	}
	level := []*retainers{top}
	for depth := 0; len(level) > 0; depth++ {
		var next []*retainers
		for _, p := range level {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			next = append(next, d.divide(p, depth < maxDepth)...)
		}
		level = next
	}
	return d.build.Tree(), nil
}

// dominatedSides is the dominator trees of two snapshots in progress.
type dominatedSides struct {
	graphs [2]*heapgraph.Graph
	names  [2]map[class]string
	build  Builder
	least  uint64 // what parts of their own retain
}

// class is what rows of one name have in common.
type class struct {
	kind   model.HeapKind
	entity uint32
}

// retainers are the rows of a part.
type retainers struct {
	node  int32
	all   [2]int
	bytes [2]uint64
	rows  [2][]model.Row // those that dominate others
	most  [2]model.Row   // that retains most
}

func (p *retainers) add(g *heapgraph.Graph, side int, r model.Row) {
	if p.all[side] == 0 || g.Retained[r] > g.Retained[p.most[side]] {
		p.most[side] = r
	}
	p.all[side]++
	add(&p.bytes[side], g.Retained[r])
	if g.RetainedCount(r) > 1 {
		p.rows[side] = append(p.rows[side], r)
	}
}

// ref returns the row that represents the part.
func (p *retainers) ref() uint64 {
	if p.all[After] > 0 {
		return uint64(p.most[After])
	}
	return uint64(p.most[Before])
}

// divide adds what is directly below a part, and returns the parts that are.
func (d *dominatedSides) divide(p *retainers, deeper bool) (parts []*retainers) {
	if len(p.rows[Before])+len(p.rows[After]) == 0 || !deeper {
		for side, n := range p.bytes {
			d.build.add(p.node, side, n, uint64(p.most[side]))
		}
		return nil
	}
	own, of := p.bytes, map[string]*retainers{}
	for side, rows := range p.rows {
		g := d.graphs[side]
		for _, r := range rows {
			kids := g.Children(r)
			for i := range kids.Len() {
				kid := kids.At(i)
				own[side] -= min(own[side], g.Retained[kid])
				name := d.name(side, kid)
				if of[name] == nil {
					of[name] = &retainers{}
				}
				of[name].add(g, side, kid)
			}
		}
		d.build.add(d.build.below(p.node, Own, ""), side, own[side], uint64(p.most[side]))
	}
	for name, part := range of {
		if max(part.bytes[Before], part.bytes[After]) < d.least {
			rest := d.build.below(p.node, Rest, "")
			for side, n := range part.bytes {
				d.build.add(rest, side, n, p.ref())
			}
			d.build.nodes[rest].Merged++
			continue
		}
		part.node = d.build.below(p.node, Type, name)
		at := &d.build.nodes[part.node]
		at.Ref, at.Merged = part.ref(), part.all[After]
		parts = append(parts, part)
	}
	return parts
}

// name returns what a row of a side is matched by.
func (d *dominatedSides) name(side int, r model.Row) string {
	h := d.graphs[side].Heap
	if k := h.Kind(r); k.Naming == model.NamedByKind || k.About || k.Named {
		return heapgraph.Label(h, r)
	}
	key := class{h.Kinds[r], h.Entity[r]}
	name, ok := d.names[side][key]
	if !ok {
		name = heapgraph.Label(h, r)
		d.names[side][key] = name
	}
	return name
}
