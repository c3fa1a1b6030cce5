package heapgraph

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtui/memtui/model"
)

// Owners are rows of one kind and type that dominate the queried objects, through a field of one name.
type Owners struct {
	Label    string    // as [Label], or their value on an axis; not cleaned
	Edge     string    // the field: "[]" for elements, "" if no reference leads down directly; not cleaned
	Row      model.Row // the one whose queried objects retain most
	Rows     uint64    // number of dominators
	Count    uint64    // queried objects below them
	Bytes    uint64    // own bytes of these objects
	Retained uint64    // bytes retained by these objects
	By       []Owners  // dominators of the dominators, most retained first
	More     int       // number left out of By
}

// OwnersQuery asks for the dominators of objects.
type OwnersQuery struct {
	Types map[uint32]bool // types of the objects
	Axis  int             // the key by which dominators are grouped: 0 is their type
	Depth int             // number of levels
	Most  int             // dominators per level; those left out retain least
}

// ownedRow is a row with the figures of the queried objects below it.
type ownedRow struct {
	row                    model.Row
	count, bytes, retained uint64
}

// above is a row that dominates another one.
type above struct {
	ownedRow           // row is the dominator
	below    model.Row // the row that it dominates directly
	key      ownerKey
}

// ownerKey is the key by which dominators are grouped.
type ownerKey struct {
	class uint64
	edge  uint64 // 0 for none, 1 for an element, else a string
}

// ownerSearch computes Owners.
type ownerSearch struct {
	ctx   context.Context
	g     *Graph
	q     OwnersQuery
	texts map[string]uint64
	known map[uint64]uint64 // by kind and name: the key by which rows are grouped
	next  map[model.Row]model.Row
}

const rootClass = ^uint64(0)

// FindOwners groups the dominators of all objects of some types by kind and name, level by level. A chain of rows of
// one group counts as one dominator. Objects below another queried object retain nothing of their own.
func (g *Graph) FindOwners(ctx context.Context, q OwnersQuery) (*Owners, error) {
	x := &ownerSearch{ctx: ctx, g: g, q: q, texts: map[string]uint64{}, known: map[uint64]uint64{}}
	rows, err := x.objects()
	if err != nil {
		return nil, err
	}
	top := &Owners{}
	top.sum(rows)
	return top, x.level(top, rows, 0)
}

// sum adds up the figures of rows.
func (o *Owners) sum(rows []ownedRow) {
	o.Rows = uint64(len(rows))
	all, most := ownedRow{}, uint64(0)
	for i := range rows {
		if all.count == 0 || rows[i].retained > most {
			o.Row, most = rows[i].row, rows[i].retained
		}
		all.merge(&rows[i])
	}
	o.Count, o.Bytes, o.Retained = all.count, all.bytes, all.retained
}

func (r *ownedRow) merge(o *ownedRow) {
	r.count += o.count
	r.bytes, _ = model.SaturatingAdd(r.bytes, o.bytes)
	r.retained, _ = model.SaturatingAdd(r.retained, o.retained)
}

// objects returns the queried objects.
func (x *ownerSearch) objects() (rows []ownedRow, err error) {
	h, kinds := x.g.Heap, x.g.Heap.Schema.Objects().Kinds
	in := func(r model.Row) bool { return kinds.Has(h.Kinds[r]) && x.q.Types[h.Entity[r]] }
	n := 0
	for r := range h.Kinds {
		if in(model.Row(r)) {
			n++
		}
	}
	const perRow = 128 // for a list and for the one built from it
	if b := model.BudgetOf(x.ctx); !b.Fits(perRow * int64(n)) {
		return nil, b.Error("the retainers of the objects")
	}
	rows = make([]ownedRow, 0, n)
	inner := newRowBits(h.Len()) // rows below a queried object
	outer := newRowBits(h.Len()) // queried rows below no other
	var way []model.Row
	for n := range h.Kinds {
		r := model.Row(n)
		if n%pauseEvery == 0 && x.ctx.Err() != nil {
			return nil, x.ctx.Err()
		}
		if !in(r) {
			continue
		}
		way = way[:0]
		at := r
		for at != model.RootRow && !inner.has(uint64(at)) && !outer.has(uint64(at)) {
			way = append(way, at)
			at = x.g.Idom(at)
		}
		for i := len(way) - 1; i >= 0; i-- {
			if up := x.g.Idom(way[i]); up != model.RootRow && (in(up) || inner.has(uint64(up))) {
				inner.set(uint64(way[i]))
			} else {
				outer.set(uint64(way[i]))
			}
		}
		owned := ownedRow{row: r, count: 1, bytes: h.Bytes(r)}
		if !inner.has(uint64(r)) {
			owned.retained = x.g.Retained[r]
		}
		rows = append(rows, owned)
	}
	return rows, nil
}

// class returns the key by which a row is grouped.
func (x *ownerSearch) class(r model.Row) uint64 {
	h := x.g.Heap
	if r == model.RootRow {
		return rootClass
	}
	entity := uint32(0)
	switch k := h.Kind(r); {
	case x.q.Axis > 0 && byRow(h, x.q.Axis):
		if axis := h.Axes[x.q.Axis]; int(r) < len(axis) {
			entity = axis[r]
		}
	case k.About && int(r) < len(h.About):
		entity = h.About[r]
	case k.Naming != model.NamedByKind:
		entity = h.Entity[r]
	}
	key := uint64(h.Kinds[r])<<32 | uint64(entity)
	class, ok := x.known[key]
	if !ok {
		text := x.label(r)
		if class, ok = x.texts[text]; !ok {
			class = uint64(len(x.texts))
			x.texts[text] = class
		}
		x.known[key] = class
	}
	return class
}

// label returns the name of a row's group.
func (x *ownerSearch) label(r model.Row) string {
	h := x.g.Heap
	k := h.Kind(r)
	if x.q.Axis == 0 || k.Naming == model.NamedByKind {
		if k.Marked && k.About {
			return k.Title + " " + Label(h, r)
		}
		return Label(h, r)
	}
	if k.About && !byRow(h, x.q.Axis) && int(r) < len(h.About) {
		return h.Tables.OnAxis(x.q.Axis, h.About[r])
	}
	return h.OnAxis(x.q.Axis, r)
}

// up returns the nearest dominator of a row that belongs to another group, and the row that it dominates directly on
// the way.
func (x *ownerSearch) up(r model.Row) (to, below model.Row) {
	class := x.class(r)
	var way []model.Row
	at := r
	for {
		if end, ok := x.next[at]; ok {
			at = end
			break
		}
		to := x.g.Idom(at)
		if to == model.RootRow || x.class(to) != class {
			break
		}
		way = append(way, at)
		at = to
	}
	for _, r := range way {
		x.next[r] = at
	}
	return x.g.Idom(at), at
}

// above returns the nearest dominators of rows.
func (x *ownerSearch) above(rows []ownedRow) ([]above, error) {
	x.next = map[model.Row]model.Row{}
	list := make([]above, len(rows))
	for i, r := range rows {
		if i%pauseEvery == 0 && x.ctx.Err() != nil {
			return nil, x.ctx.Err()
		}
		to, below := x.up(r.row)
		r.row = to
		list[i] = above{ownedRow: r, below: below, key: ownerKey{class: x.class(to)}}
	}
	return list, nil
}

// level finds the dominators of the rows of a group.
func (x *ownerSearch) level(of *Owners, rows []ownedRow, depth int) error {
	if err := x.ctx.Err(); err != nil || depth >= x.q.Depth || len(rows) == 0 || rows[0].row == model.RootRow {
		return err
	}
	list, err := x.above(rows)
	if err != nil || depth > 0 && !slices.ContainsFunc(list, func(a above) bool { return a.row != model.RootRow }) {
		return err // dominance by the root or through several paths is not reported
	}
	slices.SortFunc(list, func(a, b above) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.below, b.below)) })
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && list[to].row == list[from].row {
			to++
		}
		if list[from].row != model.RootRow {
			x.edges(list[from:to])
		}
		from = to
	}
	slices.SortStableFunc(list, func(a, b above) int {
		return cmp.Or(cmp.Compare(a.key.class, b.key.class), cmp.Compare(a.key.edge, b.key.edge))
	})
	return x.together(of, list, depth)
}

// edges sets the references through which a row leads to those that it dominates, which are ascending.
func (x *ownerSearch) edges(list []above) {
	h := x.g.Heap
	to, first := h.Out(list[0].row)
	for i, t := range to.All() {
		n, ok := slices.BinarySearchFunc(list, t, func(a above, t model.Row) int { return cmp.Compare(a.below, t) })
		for ; ok && n < len(list) && list[n].below == t && list[n].key.edge == 0; n++ {
			switch l := h.Label[first+model.Ref(i)]; {
			case l.Indexed():
				list[n].key.edge = 1
			case l.Form() == model.LabelString:
				list[n].key.edge = 2 + uint64(h.Schema.LabelValue(l))
			}
		}
	}
}

// together groups the dominators of a level, and continues with the next one.
func (x *ownerSearch) together(of *Owners, list []above, depth int) error {
	type part struct {
		owner Owners
		rows  []ownedRow
	}
	var parts []part
	for from := 0; from < len(list); {
		to := from + 1
		for to < len(list) && list[to].key == list[from].key {
			to++
		}
		p := part{Owners{Label: x.label(list[from].row), Edge: x.edge(list[from].key)}, merged(list[from:to])}
		p.owner.sum(p.rows)
		parts = append(parts, p)
		from = to
	}
	slices.SortStableFunc(parts, func(a, b part) int {
		return cmp.Or(cmp.Compare(b.owner.Retained, a.owner.Retained), cmp.Compare(b.owner.Count, a.owner.Count))
	})
	if x.q.Most > 0 && len(parts) > x.q.Most {
		of.More, parts = len(parts)-x.q.Most, parts[:x.q.Most]
	}
	of.By = make([]Owners, len(parts))
	for i := range parts {
		of.By[i] = parts[i].owner
		if err := x.level(&of.By[i], parts[i].rows, depth+1); err != nil {
			return err
		}
		parts[i].rows = nil
	}
	return nil
}

// merged sums up what is below each row; equal rows are adjacent.
func merged(list []above) (rows []ownedRow) {
	for i := range list {
		r := &list[i].ownedRow
		if n := len(rows); n > 0 && rows[n-1].row == r.row {
			rows[n-1].merge(r)
		} else {
			rows = append(rows, *r)
		}
	}
	return rows
}

// edge returns the name of a key's reference.
func (x *ownerSearch) edge(k ownerKey) string {
	switch k.edge {
	case 0:
		return ""
	case 1:
		return "[]"
	}
	return x.g.Heap.Tables.String(uint32(k.edge - 2))
}
