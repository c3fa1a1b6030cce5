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
	return len(a.IDs) > 0 && len(b.IDs) > 0 && a.Schema.IDs.Prefix != "" && a.Schema.IDs == b.Schema.IDs
}

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
