package heapgraph

import (
	"cmp"
	"slices"

	"github.com/memtui/memtui/model"
)

// HeapRefs are references of one row that share their text (index labels all count as "Index") and the kind and type of
// their other end.
type HeapRefs struct {
	Edge   string // as Heap.EdgeText where there is one; not cleaned
	Kind   model.HeapKind
	Label  string // of the other end, see HeapLabel; not cleaned
	Count  uint64
	Bytes  uint64    // of the other ends themselves, once for each reference
	First  model.Row // first other end
	Number uint32    // of the first reference
}

// refKey is what references are grouped by.
type refKey struct {
	label  model.EdgeLabel
	kind   model.HeapKind
	entity uint32
}

type refGroups struct {
	h    *model.Heap
	at   map[refKey]int
	list []HeapRefs
}

func (g *refGroups) add(end model.Row, e uint32) {
	key := refKey{label: g.h.Label[e], kind: g.h.Kinds[end], entity: uint32(end)}
	if k := key.label.Kind(); k == model.LabelIndex || k == model.LabelLarge {
		key.label = model.LabelIndex
	}
	if !key.kind.Virtual() {
		key.entity = g.h.Entity[end]
	}
	i, ok := g.at[key]
	if !ok {
		i = len(g.list)
		g.at[key] = i
		g.list = append(g.list, HeapRefs{Kind: key.kind, Label: HeapLabel(g.h, end), First: end, Number: e})
	}
	r := &g.list[i]
	r.Count++
	r.Bytes, _ = model.SaturatingAdd(r.Bytes, g.h.Bytes(end))
}

// sorted gives the groups their texts; those of one count keep their order in the file.
func (g *refGroups) sorted() []HeapRefs {
	for i := range g.list {
		r := &g.list[i]
		r.Edge = g.h.EdgeText(r.Number)
		if k := g.h.Label[r.Number].Kind(); r.Count > 1 && (k == model.LabelIndex || k == model.LabelLarge) {
			r.Edge = "Index"
		}
	}
	slices.SortStableFunc(g.list, func(a, b HeapRefs) int { return cmp.Compare(b.Count, a.Count) })
	return g.list
}

// OutGroups groups the references of row as recorded, most first.
func (g *HeapGraph) OutGroups(row model.Row) []HeapRefs {
	groups := refGroups{h: g.Heap, at: map[refKey]int{}}
	to, first := g.Heap.Out(row)
	for i, t := range to {
		groups.add(t, first+uint32(i))
	}
	return groups.sorted()
}

// InGroups groups the references to row as recorded, most first.
func (g *HeapGraph) InGroups(row model.Row) []HeapRefs {
	groups := refGroups{h: g.Heap, at: map[refKey]int{}}
	for r, e := range g.In(row) {
		groups.add(r, e)
	}
	return groups.sorted()
}
