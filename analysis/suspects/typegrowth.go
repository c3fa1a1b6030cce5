package suspects

import (
	"cmp"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// Extent is a figure over several snapshots.
type Extent struct {
	Values []uint64 // by snapshot, 0 if it has none of the type
	least  uint64
}

// First returns the figure of the first snapshot.
func (e *Extent) First() uint64 { return e.Values[0] }

// Last returns the figure of the last snapshot.
func (e *Extent) Last() uint64 { return e.Values[len(e.Values)-1] }

// Least returns the lowest figure.
func (e *Extent) Least() uint64 { return e.least }

// Growth returns the permanent rise of the figure: the last snapshot minus the least one.
func (e *Extent) Growth() uint64 { return e.Last() - e.least }

// TypeGrowth is the figures of a type over several snapshots.
type TypeGrowth struct {
	Name, Sub    string // not cleaned; Sub distinguishes types of one name
	Bytes, Count Extent // the objects' own bytes
}

// Growing tracks the types of objects from snapshot to snapshot. The zero value is empty.
type Growing struct {
	Snapshots []int // snapshots that were added, ascending
	of        map[int]map[key]figures
	types     map[int]int // by snapshot: types of all objects, also of those that only the runtime makes up
}

// Add counts snapshot i, with the sizes of objects under a policy. It keeps only the counts.
func (g *Growing) Add(h *model.Heap, i int, p heapgraph.Policy) {
	h = h.Under(p.Of(h.Schema))
	now := map[key]figures{}
	all := h.Schema.Objects().Kinds
	list := heapgraph.Groups(h, heapgraph.By{Kinds: all & h.Schema.Real()})
	types := len(list)
	if all&^h.Schema.Real() != 0 {
		types = len(heapgraph.Types(h))
	}
	for _, t := range list {
		k := key{0, t.Name, t.Sub}
		f := now[k]
		f.count += t.Count
		f.bytes, _ = model.SaturatingAdd(f.bytes, t.Bytes())
		now[k] = f
	}
	if g.of == nil {
		g.of, g.types = map[int]map[key]figures{}, map[int]int{}
	}
	g.of[i], g.types[i] = now, types
	g.Snapshots = append(g.Snapshots, i)
	slices.Sort(g.Snapshots)
}

// TypesIn returns the number of types of the objects in snapshot i, as [heapgraph.Types] lists them.
func (g *Growing) TypesIn(i int) int { return g.types[i] }

// Types returns all types, most growth first: in bytes, or in the number of objects.
func (g *Growing) Types(counts bool) []TypeGrowth {
	known := map[key]bool{}
	var list []TypeGrowth
	for _, i := range g.Snapshots {
		for k := range g.of[i] {
			if !known[k] {
				known[k] = true
				list = append(list, g.follow(k))
			}
		}
	}
	of := func(t *TypeGrowth) *Extent { return &t.Bytes }
	if counts {
		of = func(t *TypeGrowth) *Extent { return &t.Count }
	}
	slices.SortFunc(list, func(a, b TypeGrowth) int {
		x, y := of(&a), of(&b)
		return cmp.Or(cmp.Compare(y.Growth(), x.Growth()), cmp.Compare(y.Last(), x.Last()),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Sub, b.Sub))
	})
	return list
}

// follow returns the figures of one type.
func (g *Growing) follow(k key) TypeGrowth {
	t := TypeGrowth{Name: k.name, Sub: k.sub}
	for _, i := range g.Snapshots {
		f := g.of[i][k]
		t.Bytes.Values, t.Count.Values = append(t.Bytes.Values, f.bytes), append(t.Count.Values, f.count)
	}
	t.Bytes.least, t.Count.least = slices.Min(t.Bytes.Values), slices.Min(t.Count.Values)
	return t
}
