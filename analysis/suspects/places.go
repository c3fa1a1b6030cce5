package suspects

import (
	"context"
	"math"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// places maps positions in the order of the dominator tree to their contents. All axes share it, because looking up
// rows in that order is what takes time.
type places struct {
	heapgraph.Order
	h      *model.Heap
	kinds  model.HeapKinds // of objects
	known  bool            // it is known which objects the first snapshot has, too
	exact  bool            // that is no estimate
	typeAt []uint32        // by place: the number of the row's type, noType for other rows than objects
	types  []typed
	byID   []uint32 // by id of a type: one more than its number
	rest   map[uint32]uint32
}

// typed is the objects of one type.
type typed struct {
	id                 uint32
	count, bytes, same uint64
}

const noType = math.MaxUint32

// newPlaces counts the objects of types, and says where they stand. first are those of the first snapshot, nil where
// they tell nothing.
func newPlaces(ctx context.Context, h *model.Heap, order heapgraph.Order, first *heapgraph.IdentitiesIn) (*places, error) {
	x := &places{Order: order, h: h, kinds: h.Schema.Objects().Kinds & h.Schema.Real(), typeAt: make([]uint32, order.Rows.Len()),
		byID: make([]uint32, len(h.Tables.Types)), rest: map[uint32]uint32{}}
	if first != nil {
		x.known, x.exact = true, first.Exact()
	}
	for r := range model.Row(h.Len()) {
		if r%pauseEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if !x.kinds.Has(h.Kinds[r]) {
			continue
		}
		t := x.enter(h.Entity[r])
		t.count++
		t.bytes, _ = model.SaturatingAdd(t.bytes, h.Bytes(r))
		if first != nil {
			t.same += first.Has(r)
		}
	}
	for p, r := range order.Rows.All() {
		if p%pauseEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		x.typeAt[p] = x.typeOf(r)
	}
	return x, nil
}

// enter returns the type of an id, a new one where it is the first object's of it.
func (x *places) enter(id uint32) *typed {
	n := x.number(id)
	if n == noType {
		x.types = append(x.types, typed{id: id})
		if n = uint32(len(x.types)) - 1; int(id) < len(x.byID) {
			x.byID[id] = n + 1
		} else { // beyond the tables of a damaged file
			x.rest[id] = n
		}
	}
	return &x.types[n]
}

// number returns the number of the type of an id, noType for one that no object has.
func (x *places) number(id uint32) uint32 {
	if int(id) < len(x.byID) {
		return x.byID[id] - 1
	}
	if n, ok := x.rest[id]; ok {
		return n
	}
	return noType
}

// typeOf returns the number of a row's type, noType for other rows than objects.
func (x *places) typeOf(r model.Row) uint32 {
	if !x.kinds.Has(x.h.Kinds[r]) {
		return noType
	}
	return x.number(x.h.Entity[r])
}

// end returns where in the order the row at p and all below it end.
func (x *places) end(p uint64) uint64 { return x.End(p) }

// row returns the row at position p of the order.
func (x *places) row(p uint64) model.Row { return x.Rows.At(int(p)) }
