package heapgraph

import (
	"cmp"
	"slices"

	"github.com/memtui/memtui/model"
)

// Refs are references of one row that share their text (index labels all count as "Index") and the kind and type of
// their other end.
type Refs struct {
	Edge   string // as Heap.EdgeText if it has one; not cleaned
	kind   model.HeapKind
	label  string // of the other end, see Label; not cleaned
	Count  uint64
	Bytes  uint64    // own bytes of the distinct other ends
	First  model.Row // first other end
	Number model.Ref // of the first reference
}

// refKey is the key by which references are grouped.
type refKey struct {
	label  model.EdgeLabel
	kind   model.HeapKind
	entity uint64
}

// refGroups groups the references of one row. Rows without a type stay separate, as their own names distinguish them.
// Around many rows they are merged, and so are references of all labels (see neighborSet).
type refGroups struct {
	h    *model.Heap
	at   map[refKey]int
	ends map[groupEnd]struct{}
	list []Refs
}

// groupEnd is a row that was counted as the other end of a group.
type groupEnd struct {
	group int
	row   model.Row
}

func newRefGroups(h *model.Heap) refGroups {
	return refGroups{h: h, at: map[refKey]int{}, ends: map[groupEnd]struct{}{}}
}

func (g *refGroups) add(end model.Row, e model.Ref) {
	key := refKey{label: g.h.Label[e], kind: g.h.Kinds[end], entity: uint64(end)}
	if key.label.Indexed() {
		key.label, _ = g.h.Schema.Label(g.h.Schema.LabelKind(key.label), model.LabelIndex, 0)
	}
	if g.h.Kind(end).Naming != model.NamedByKind {
		key.entity = uint64(g.h.Entity[end])
	}
	i, ok := g.at[key]
	if !ok {
		i = len(g.list)
		g.at[key] = i
		g.list = append(g.list, Refs{kind: key.kind, label: Label(g.h, end), First: end, Number: e})
	}
	r := &g.list[i]
	r.Count++
	if _, again := g.ends[groupEnd{i, end}]; again {
		return
	}
	g.ends[groupEnd{i, end}] = struct{}{}
	r.Bytes, _ = model.SaturatingAdd(r.Bytes, g.h.Bytes(end))
}

// sorted sets the groups' texts and sorts them by count; ties stay in the file's order.
func (g *refGroups) sorted() []Refs {
	for i := range g.list {
		r := &g.list[i]
		r.Edge = g.h.EdgeText(r.Number)
		if r.Count > 1 && g.h.Label[r.Number].Indexed() {
			r.Edge = "Index"
		}
	}
	slices.SortStableFunc(g.list, func(a, b Refs) int { return cmp.Compare(b.Count, a.Count) })
	return g.list
}

// OutGroups groups the recorded references of row, most first.
func (g *Graph) OutGroups(row model.Row) []Refs {
	groups := newRefGroups(g.Heap)
	to, first := g.Heap.Out(row)
	for i, t := range to.All() {
		groups.add(t, first+model.Ref(i))
	}
	return groups.sorted()
}

// InGroups groups the recorded references to row, most first.
func (g *Graph) InGroups(row model.Row) []Refs {
	groups := newRefGroups(g.Heap)
	for r, e := range g.In(row) {
		groups.add(r, e)
	}
	return groups.sorted()
}
