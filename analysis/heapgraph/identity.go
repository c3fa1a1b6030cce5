package heapgraph

import (
	"cmp"
	"slices"
	"sort"

	"github.com/memtui/memtui/model"
)

// noRow stands for a row that there is not.
const noRow = ^model.Row(0)

// Identified reports whether two snapshots tell which of their objects are the same.
func Identified(a, b *model.Heap) bool {
	return identifies(a) && identifies(b) && a.Schema.IDs == b.Schema.IDs
}

// identifies reports whether the objects of a snapshot have identities that they keep.
func identifies(h *model.Heap) bool {
	return len(h.IDs) > 0 && h.Schema.IDs.Prefix != "" && !h.Schema.IDs.Moves
}

// Identities tell which objects of a snapshot another one has, too, without the snapshot. Of many objects only a part is kept, chosen
// by identity, so that it is the same part in every snapshot. The zero value knows none.
type Identities struct {
	form model.HeapIDForm
	step uint64   // one in so many is kept, a power of two
	ids  []uint64 // ascending
}

// mostIdentities is how many identities of a snapshot are kept: enough for any type that counts, in a megabyte.
const mostIdentities = 1 << 17

// IdentitiesOf returns those of the objects of a snapshot.
func IdentitiesOf(h *model.Heap) (o Identities) {
	if !identifies(h) {
		return o
	}
	o.form = h.Schema.IDs
	kinds := h.Schema.Objects().Kinds
	for o.step = 1; !o.fill(h, kinds); o.step *= 2 {
		o.ids = o.ids[:0]
	}
	slices.Sort(o.ids)
	o.ids = slices.Clip(o.ids)
	return o
}

// fill keeps one in step identities; false means that those are too many.
func (o *Identities) fill(h *model.Heap, kinds model.HeapKinds) bool {
	for r, id := range h.IDs {
		if id == 0 || !kinds.Has(h.Kinds[r]) || !o.keeps(id) {
			continue
		}
		if len(o.ids) == mostIdentities {
			return false
		}
		o.ids = append(o.ids, id)
	}
	return true
}

// keeps reports whether an identity belongs to the part that is kept.
func (o *Identities) keeps(id uint64) bool {
	const spread = 0x9E3779B97F4A7C15 // addresses have the same low bits
	return id*spread>>32&(o.step-1) == 0
}

// Tell reports whether objects of another snapshot can be told apart by them.
func (o *Identities) Tell(h *model.Heap) bool {
	return o.step > 0 && identifies(h) && o.form == h.Schema.IDs
}

// Has reports whether the snapshot has the object of a row of another one, which it can [Identities.Tell]. It is 0 where the object is not
// kept; else one object stands for as many as it returns.
func (o *Identities) Has(h *model.Heap, r model.Row) (stands uint64) {
	if id := h.IDs[r]; id != 0 && o.keeps(id) {
		if _, ok := slices.BinarySearch(o.ids, id); ok {
			return o.step
		}
	}
	return 0
}

// Exact reports whether every object is kept.
func (o *Identities) Exact() bool { return o.step == 1 }

// byID is the rows of a snapshot that have an identity, ascending by it.
type byID struct {
	ids  []uint64 // by row
	rows model.Column[model.Row]
}

func rowsByID(h *model.Heap) *byID {
	if wideHeap(h) {
		return &byID{h.IDs, modelColumn[model.Row](sortedByID[uint64](h))}
	}
	return &byID{h.IDs, modelColumn[model.Row](sortedByID[uint32](h))}
}

func sortedByID[I index](h *model.Heap) []I {
	rows := make([]I, 0, len(h.IDs))
	for r, id := range h.IDs {
		if id != 0 {
			rows = append(rows, I(r))
		}
	}
	slices.SortFunc(rows, func(a, b I) int { return cmp.Or(cmp.Compare(h.IDs[a], h.IDs[b]), cmp.Compare(a, b)) })
	return rows
}

// same returns the row of another snapshot that is the object of a row; noRow where there is none, or objects cannot be told apart.
func (w *growth) same(g *Graph, r model.Row, other *byID) model.Row {
	if other == nil || g.Heap.IDs[r] == 0 {
		return noRow
	}
	id := g.Heap.IDs[r]
	i := sort.Search(other.rows.Len(), func(i int) bool { return other.ids[other.rows.At(i)] >= id })
	if i == other.rows.Len() || other.ids[other.rows.At(i)] != id {
		return noRow
	}
	return other.rows.At(i)
}

// sameDominator reports whether an object has the dominator that it had: the same object, or a row without identity of the same name.
func (w *growth) sameDominator(before, after model.Row) bool {
	a, b := w.before.Idom(before), w.after.Idom(after)
	x, y := w.before.Heap.IDs[a], w.after.Heap.IDs[b]
	return x == y && (x != 0 || Label(w.before.Heap, a) == Label(w.after.Heap, b))
}

// taken counts the rows directly below a place that another object dominated before, and what they retain.
func (w *growth) taken(p *growPlace) (rows int, bytes uint64) {
	if w.was == nil {
		return 0, 0
	}
	for _, r := range p.after {
		for _, c := range w.after.Children(r).All() {
			if old := w.same(w.after, c, w.was); old != noRow && !w.sameDominator(old, c) {
				rows++
				bytes, _ = model.SaturatingAdd(bytes, w.after.Retained[c])
			}
		}
	}
	return rows, bytes
}

// retainedOnce returns what rows retain, those that another one of them dominates left out.
func (g *Graph) retainedOnce(rows []model.Row) (bytes uint64) {
	inside := map[model.Row]bool{model.RootRow: false} // by row: it is one of them, or dominated by one
	for _, r := range rows {
		inside[r] = true
	}
	var way []model.Row
	for _, r := range rows {
		way = way[:0]
		at := g.Idom(r)
		for _, known := inside[at]; !known; _, known = inside[at] {
			way = append(way, at)
			at = g.Idom(at)
		}
		for _, above := range way {
			inside[above] = inside[at]
		}
		if !inside[at] {
			bytes, _ = model.SaturatingAdd(bytes, g.Retained[r])
		}
	}
	return bytes
}
