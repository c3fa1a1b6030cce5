package heapgraph

import (
	"cmp"
	"context"
	"encoding/binary"
	"hash/fnv"
	"io"
	"slices"
	"sort"

	"github.com/memtui/memtui/model"
)

// noRow means no row.
const noRow = ^model.Row(0)

// Identified reports whether objects of two snapshots can be matched by identity.
func Identified(a, b *model.Heap) bool {
	return identifies(a) && identifies(b) && a.Schema.IDs == b.Schema.IDs
}

// identifies reports whether the objects of a snapshot have identities that persist.
func identifies(h *model.Heap) bool {
	return len(h.IDs) > 0 && h.Schema.IDs.Prefix != "" && !h.Schema.IDs.Moves
}

// Identities is the set of objects of a snapshot, to find them in another one when the snapshot itself is gone. An
// object is identified by its id and its type, which never changes: an object that got the address of a freed one
// matches it only if they share the type. Of many objects only a sample is kept, chosen by id so that every snapshot
// keeps the same sample. The zero value is empty.
type Identities struct {
	form model.HeapIDForm
	step uint64   // one in step is kept, a power of two
	ids  []uint64 // as mixed by typedIDs, ascending
}

// mostIdentities is the number of identities that are kept per snapshot: a megabyte of them is enough for any type that
// matters.
const mostIdentities = 1 << 17

// IdentitiesOf returns the identities of the objects of a snapshot.
func IdentitiesOf(h *model.Heap) (o Identities) {
	if !identifies(h) {
		return o
	}
	o.form = h.Schema.IDs
	kinds := h.Schema.Objects().Kinds
	typed := typedIDs{h: h}
	for o.step = 1; !o.fill(&typed, kinds, mostIdentities); o.step *= 2 {
		o.ids = o.ids[:0]
	}
	slices.Sort(o.ids)
	o.ids = slices.Clip(o.ids)
	return o
}

// AllIdentities is [IdentitiesOf] without a sample: it keeps 8 bytes for each object. ok is false if objects have no
// identities, or those do not fit into memory.
func AllIdentities(ctx context.Context, h *model.Heap) (o Identities, ok bool) {
	if !identifies(h) || !model.BudgetOf(ctx).Fits(8*int64(len(h.IDs))) {
		return o, false
	}
	o.form, o.step = h.Schema.IDs, 1
	o.fill(&typedIDs{h: h}, h.Schema.Objects().Kinds, len(h.IDs))
	slices.Sort(o.ids)
	return o, true
}

// KeptByGroup returns how many objects of another snapshot are in the set, by the ids of the groups of [Groups]. ok is
// false if the two cannot be matched. The error is that of ctx.
func (o *Identities) KeptByGroup(ctx context.Context, h *model.Heap, by By) (kept map[uint32]uint64, ok bool, err error) {
	in := o.In(h)
	if in == nil {
		return nil, false, nil
	}
	kept = map[uint32]uint64{}
	x := newRowClasses(h, by)
	for r := range h.IDs {
		if r%model.AskEvery == 0 && ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		if x.has(model.Row(r)) {
			if n := in.Has(model.Row(r)); n > 0 {
				kept[x.of(model.Row(r))] += n
			}
		}
	}
	for id, class := range x.first { // groups may have the id of any of their members
		if n, some := kept[class]; some {
			kept[id] = n
		}
	}
	return kept, true, nil
}

// fill keeps one in step identities; it returns false if those are more than most.
func (o *Identities) fill(typed *typedIDs, kinds model.HeapKinds, most int) bool {
	for r, id := range typed.h.IDs {
		if id == 0 || !kinds.Has(typed.h.Kinds[r]) || !o.keeps(id) {
			continue
		}
		if len(o.ids) == most {
			return false
		}
		o.ids = append(o.ids, typed.of(model.Row(r)))
	}
	return true
}

// keeps reports whether an identity is in the sample.
func (o *Identities) keeps(id uint64) bool {
	const spread = 0x9E3779B97F4A7C15 // addresses share their low bits
	return id*spread>>32&(o.step-1) == 0
}

// In returns a lookup of another snapshot's objects in the set; nil if they have no identities. It is for one
// goroutine.
func (o *Identities) In(h *model.Heap) *IdentitiesIn {
	if o.step == 0 || !identifies(h) || o.form != h.Schema.IDs {
		return nil
	}
	return &IdentitiesIn{o, typedIDs{h: h}}
}

// IdentitiesIn looks up objects of a snapshot among those of another one.
type IdentitiesIn struct {
	*Identities
	typed typedIDs
}

// Has returns 0 if the other snapshot does not have the object of a row, or the object is not in the sample; else the
// number of objects that it represents.
func (o *IdentitiesIn) Has(r model.Row) (stands uint64) {
	if id := o.typed.h.IDs[r]; id != 0 && o.keeps(id) {
		if _, ok := slices.BinarySearch(o.ids, o.typed.of(r)); ok {
			return o.step
		}
	}
	return 0
}

// typedIDs combines identities with types.
type typedIDs struct {
	h      *model.Heap
	hashes []uint64 // by entity: hash of the name of its type, 0 if not computed yet
}

func (t *typedIDs) of(r model.Row) uint64 {
	h, e := t.h, uint64(t.h.Entity[r])
	if h.Kind(r).Naming != model.NamedByType || e >= uint64(len(h.Tables.Types)) {
		return h.IDs[r] ^ hashOf(typeName(h, r))
	}
	if t.hashes == nil {
		t.hashes = make([]uint64, len(h.Tables.Types))
	}
	if t.hashes[e] == 0 {
		t.hashes[e] = hashOf(typeName(h, r))
	}
	return h.IDs[r] ^ t.hashes[e]
}

// hashOf returns a hash that is the same in every run.
func hashOf(s string) uint64 {
	f := fnv.New64a()
	io.WriteString(f, s)
	return f.Sum64()
}

// typeName returns the part of an object's type that never changes.
func typeName(h *model.Heap, r model.Row) string {
	if h.Kind(r).Naming == model.NamedByType {
		return h.OnAxis(0, r)
	}
	return Label(h, r)
}

// AppendTo appends the set in a form that can be compared with that of another snapshot.
func (o *Identities) AppendTo(b []byte) []byte {
	b = binary.AppendUvarint(b, o.step)
	for _, id := range o.ids {
		b = binary.LittleEndian.AppendUint64(b, id)
	}
	return b
}

// Exact reports whether every object is kept, not only a sample.
func (o *Identities) Exact() bool { return o.step == 1 }

// byID is the rows of a snapshot that have an identity, in ascending order of it.
type byID struct {
	heap *model.Heap
	rows model.Column[model.Row]
}

func rowsByID(h *model.Heap) *byID {
	if wideHeap(h) {
		return &byID{h, modelColumn[model.Row](sortedByID[uint64](h))}
	}
	return &byID{h, modelColumn[model.Row](sortedByID[uint32](h))}
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

// same returns the row of another snapshot with the object of a row. It returns noRow if there is none, if another
// object has got its identity, or if objects are not identified.
func (w *growth) same(g *Graph, r model.Row, other *byID) model.Row {
	if other == nil || g.Heap.IDs[r] == 0 {
		return noRow
	}
	id := g.Heap.IDs[r]
	ids := other.heap.IDs
	i := sort.Search(other.rows.Len(), func(i int) bool { return ids[other.rows.At(i)] >= id })
	if i == other.rows.Len() || ids[other.rows.At(i)] != id {
		return noRow
	}
	if row := other.rows.At(i); typeName(g.Heap, r) == typeName(other.heap, row) {
		return row
	}
	return noRow
}

// sameDominator reports whether an object has the same dominator as before: the same object, or a row without identity
// but with the same name.
func (w *growth) sameDominator(before, after model.Row) bool {
	a, b := w.before.Idom(before), w.after.Idom(after)
	x, y := w.before.Heap.IDs[a], w.after.Heap.IDs[b]
	if x == 0 {
		return y == 0 && Label(w.before.Heap, a) == Label(w.after.Heap, b)
	}
	return x == y && typeName(w.before.Heap, a) == typeName(w.after.Heap, b)
}

// taken returns the number of rows directly below a place that had another dominator before, and the bytes they retain.
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

// retainedOnce returns the bytes that rows retain together; a row dominated by another one does not count twice.
func (g *Graph) retainedOnce(rows []model.Row) (bytes uint64) {
	inside := map[model.Row]bool{model.RootRow: false} // by row: it is one of them or dominated by one
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
