package suspects

import (
	"cmp"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// Extent is a figure over several snapshots.
type Extent struct {
	Values []uint64 // by snapshot, 0 where there is none of the type
	least  uint64
}

// First returns the figure of the first snapshot.
func (e *Extent) First() uint64 { return e.Values[0] }

// Last returns the figure of the last snapshot.
func (e *Extent) Last() uint64 { return e.Values[len(e.Values)-1] }

// Least returns the lowest figure.
func (e *Extent) Least() uint64 { return e.least }

// Growth returns what the figure has risen by for good: how much more there is in the last snapshot than in the one
// that had least.
func (e *Extent) Growth() uint64 { return e.Last() - e.least }

// TypeGrowth is how much there is of a type over several snapshots.
type TypeGrowth struct {
	Name, Sub    string // not cleaned; Sub tells types of one name apart
	Bytes, Count Extent // the objects' own bytes
}

// Growing follows the types of objects from snapshot to snapshot. The zero value has seen none.
type Growing struct {
	Snapshots []int // that were added, ascending
	of        map[int]map[key]figures
}

// Add counts snapshot i, with the sizes that objects have under a policy. Nothing else of it is kept.
func (g *Growing) Add(h *model.Heap, i int, p heapgraph.Policy) {
	h = h.Under(p.Of(h.Schema))
	now := map[key]figures{}
	for _, t := range heapgraph.Groups(h, heapgraph.By{Kinds: h.Schema.Objects().Kinds & h.Schema.Real()}) {
		k := key{0, t.Name, t.Sub}
		f := now[k]
		f.count += t.Count
		f.bytes, _ = model.SaturatingAdd(f.bytes, t.Bytes())
		now[k] = f
	}
	if g.of == nil {
		g.of = map[int]map[key]figures{}
	}
	g.of[i] = now
	g.Snapshots = append(g.Snapshots, i)
	slices.Sort(g.Snapshots)
}

// TypesIn returns how many types snapshot i has objects of.
func (g *Growing) TypesIn(i int) int { return len(g.of[i]) }

// Types returns all types that were seen, the most grown first: by bytes, or by how many objects there are.
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
		return cmp.Or(cmp.Compare(y.Growth(), x.Growth()), cmp.Compare(y.Last(), x.Last()), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Sub, b.Sub))
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
