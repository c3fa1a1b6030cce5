package hprof

import (
	"cmp"
	"context"
	"slices"

	"github.com/memtui/memtui/loaders/internal/rowindex"
	"github.com/memtui/memtui/model"
)

// collectionClass describes how a class of the library stores its elements.
type collectionClass struct {
	name    string
	length  string // field
	storage string // field of the array, "" for nodes without one
	form    model.HeapCollectionForm
	slots   uint32 // of the array, for one element
}

// Ring buffers have two fields that determine their length.
const (
	ringHead = "head"
	ringTail = "tail"
)

var collectionClasses = []collectionClass{
	{"java.util.ArrayList", "size", "elementData", model.CollectionList, 1},
	{"java.util.Vector", "elementCount", "elementData", model.CollectionList, 1},
	{"java.util.ArrayDeque", ringTail, "elements", model.CollectionList, 1},
	{"java.util.PriorityQueue", "size", "queue", model.CollectionList, 1},
	{"java.util.concurrent.PriorityBlockingQueue", "size", "queue", model.CollectionList, 1},
	{"java.util.LinkedList", "size", "", model.CollectionList, 1},
	{"java.util.HashMap", "size", "table", model.CollectionTable, 1},
	{"java.util.Hashtable", "count", "table", model.CollectionTable, 1},
	{"java.util.WeakHashMap", "size", "table", model.CollectionTable, 1},
	{"java.util.IdentityHashMap", "size", "table", model.CollectionTable, 2},
	{"java.util.TreeMap", "size", "", model.CollectionTable, 1},
	{"java.util.concurrent.ConcurrentHashMap", "baseCount", "table", model.CollectionTable, 1},
	{"java.lang.ThreadLocal$ThreadLocalMap", "size", "table", model.CollectionTable, 1},
	{"android.util.ArrayMap", "mSize", "mArray", model.CollectionTable, 2},
	{"android.util.SparseArray", "mSize", "mValues", model.CollectionTable, 1},
}

// boxes are the classes of boxed values, with the bytes of their values.
var boxes = map[string]uint64{
	"java.lang.Boolean": 1, "java.lang.Byte": 1, "java.lang.Character": 2, "java.lang.Short": 2,
	"java.lang.Integer": 4, "java.lang.Float": 4, "java.lang.Long": 8, "java.lang.Double": 8,
}

// knownLayout is the positions of the fields that determine the elements of instances of a class.
type knownLayout struct {
	*collectionClass
	length, head slot
}

// pending is a collection whose storage is not completely known yet.
type pending struct {
	row, storage uint32 // storage is rowindex.None if there is none
	capacity     uint32
	length       int64
	of           *collectionClass
	shared       bool // another collection has the same storage
}

// wasteWork finds the collections of a dump.
type wasteWork struct {
	f       *file
	h       *model.Heap
	known   []knownLayout // by class
	list    []pending     // by storage
	storage []uint64      // a bit for each row: it is the storage of a collection
	slot    uint64        // bytes of a reference
	visit   func(*model.HeapCollection) error
}

func (w *wasteWork) stores(r uint32) bool { return w.storage[r>>6]>>(r&63)&1 != 0 }

// Collections implements [model.HeapWaste]: collections of the library, other arrays that have null elements or only
// zeros, and boxed values.
func (f *file) Collections(ctx context.Context, i int, h *model.Heap, visit func(c *model.HeapCollection) error) error {
	p, err := f.placesOf(i, h)
	if err != nil {
		return err
	}
	w := &wasteWork{f: f, h: h, storage: make([]uint64, h.Len()/64+1), slot: 4, visit: visit}
	if err := w.collect(ctx, p); err != nil {
		return err
	}
	bare, err := w.arrays(ctx, p)
	if err != nil {
		return err
	}
	if err := w.visitAll(); err != nil {
		return err
	}
	for _, c := range bare {
		if err := visit(&c); err != nil {
			return err
		}
	}
	return w.boxed(ctx)
}

// layoutsOf finds the layouts of the classes that are collections, or derive from one.
func (w *wasteWork) layoutsOf(ctx context.Context, p *places) ([]bool, error) {
	l, err := w.f.layouts(ctx, p)
	if err != nil {
		return nil, err
	}
	w.known = make([]knownLayout, len(l.k.list))
	wanted := make([]bool, len(l.k.list))
	for i := range l.k.list {
		of := l.collectionOf(int32(i))
		if of == nil {
			continue
		}
		known := knownLayout{collectionClass: of}
		if known.length, err = l.slot(int32(i), of.name, of.length); err != nil {
			return nil, err
		}
		if of.length == ringTail {
			if known.head, err = l.slot(int32(i), of.name, ringHead); err != nil {
				return nil, err
			}
		}
		w.known[i], wanted[i] = known, known.length.kind != 0
	}
	return wanted, nil
}

// collectionOf returns the collection class that a class is, or derives from.
func (l *layouts) collectionOf(number int32) *collectionClass {
	for x := range l.k.chain(number) {
		if i := slices.IndexFunc(collectionClasses, func(c collectionClass) bool { return c.name == x.name }); i >= 0 {
			return &collectionClasses[i]
		}
	}
	return nil
}

// collect lists the collections, in the order of their storage.
func (w *wasteWork) collect(ctx context.Context, p *places) error {
	wanted, err := w.layoutsOf(ctx, p)
	if err != nil {
		return err
	}
	v := walk{classes: wanted}
	v.instance = func(r uint32, values []byte) error {
		of := &w.known[w.h.Entity[r]]
		x := pending{row: r, storage: rowindex.None, length: of.length.number(values, w.f.ids), of: of.collectionClass}
		if of.head.kind != 0 {
			x.length -= of.head.number(values, w.f.ids)
		}
		if of.storage != "" {
			if to, ok := referred(w.h, r, of.storage); ok {
				x.storage = to
				w.storage[to>>6] |= 1 << (to & 63)
			}
		}
		if w.list = append(w.list, x); len(w.list)%(1<<16) == 0 && w.f.src.Budget().Full(model.BudgetOfFile) {
			return w.f.src.Budget().Error("the collections of the dump")
		}
		return nil
	}
	if err := v.run(ctx, w.f, p, w.h); err != nil {
		return err
	}
	slices.SortFunc(w.list, func(a, b pending) int { return cmp.Or(cmp.Compare(a.storage, b.storage), cmp.Compare(a.row, b.row)) })
	for i := 1; i < len(w.list); i++ {
		w.list[i].shared = w.list[i].storage != rowindex.None && w.list[i].storage == w.list[i-1].storage
	}
	return nil
}

// arrays records the lengths of storage arrays, and lists the other arrays that have null elements or only zeros.
func (w *wasteWork) arrays(ctx context.Context, p *places) (bare []model.HeapCollection, err error) {
	const conclusive = 16 // elements of an array that determine the size of a reference
	next := 0
	add := func(r uint32, n, length int64) error {
		c := model.HeapCollection{Row: model.Row(r), Storage: model.Row(r), Form: model.CollectionArray, Len: n, Capacity: length}
		if bare = append(bare, c); len(bare)%(1<<16) == 0 && w.f.src.Budget().Full(model.BudgetOfFile) {
			return w.f.src.Budget().Error("the arrays of the dump")
		}
		return nil
	}
	v := walk{}
	v.objects = func(r uint32, length uint32) error {
		if length >= conclusive && w.h.Bytes(model.Row(r)) >= 8*uint64(length) {
			w.slot = 8
		}
		for next < len(w.list) && w.list[next].storage <= r {
			if w.list[next].storage == r {
				w.list[next].capacity = length
			}
			next++
		}
		if n := w.filled(r); !w.stores(r) && n < int64(length) {
			return add(r, n, int64(length))
		}
		return nil
	}
	v.wants = func(r uint32, _ byte, length uint32) bool { return length > 0 && !w.stores(r) }
	v.content = func(r uint32, kind byte, b []byte, cut bool) error {
		if cut || slices.ContainsFunc(b, func(x byte) bool { return x != 0 }) {
			return nil
		}
		return add(r, 0, int64(len(b)/typeSize(kind, 0)))
	}
	if err := v.run(ctx, w.f, p, w.h); err != nil {
		return nil, err
	}
	for i := range bare {
		c := &bare[i]
		if c.Wasted = w.h.Bytes(c.Row); c.Len > 0 {
			c.Wasted = w.slot * uint64(c.Capacity-c.Len)
		}
	}
	return bare, nil
}

// filled returns how many elements of an array of objects are not null.
func (w *wasteWork) filled(r uint32) (n int64) {
	_, first := w.h.Out(model.Row(r))
	to, _ := w.h.Out(model.Row(r))
	for i := range to.Len() {
		if w.h.Label[first+model.Ref(i)].Indexed() {
			n++
		}
	}
	return n
}

// visitAll visits the collections.
func (w *wasteWork) visitAll() error {
	for i := range w.list {
		x := &w.list[i]
		c := model.HeapCollection{Row: model.Row(x.row), Storage: model.Row(x.row), Form: x.of.form, Len: x.length,
			Capacity: int64(x.capacity / x.of.slots)}
		room := uint64(0)
		if x.storage != rowindex.None {
			c.Storage = model.Row(x.storage)
			filled := w.filled(x.storage)
			if x.of.length == ringTail && c.Len < 0 {
				c.Len += int64(x.capacity)
			}
			if x.of.name == "java.util.concurrent.ConcurrentHashMap" { // concurrent additions are counted elsewhere
				c.Len = max(c.Len, filled)
			}
			if !x.shared {
				room = w.slot * uint64(max(int64(x.capacity)-filled, 0))
			}
		}
		c.Len = max(c.Len, 0)
		if c.Wasted = room; c.Len == 0 {
			c.Wasted = w.h.Bytes(c.Row)
			if x.storage != rowindex.None && !x.shared && x.capacity > 0 {
				c.Wasted += w.h.Bytes(c.Storage)
			}
		}
		if err := w.visit(&c); err != nil {
			return err
		}
	}
	return nil
}

// boxed visits the boxed values.
func (w *wasteWork) boxed(ctx context.Context) error {
	values := make([]uint64, len(w.h.Tables.Types))
	for i := range values {
		values[i] = boxes[w.h.Tables.Type(uint32(i))]
	}
	for r, k := range w.h.Kinds {
		if r%(1<<16) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if k != kindInstance || int(w.h.Entity[r]) >= len(values) || values[w.h.Entity[r]] == 0 {
			continue
		}
		row := model.Row(r)
		c := model.HeapCollection{Row: row, Storage: row, Form: model.CollectionBox, Len: 1, Capacity: 1,
			Wasted: w.h.Bytes(row) - min(values[w.h.Entity[r]], w.h.Bytes(row))}
		if err := w.visit(&c); err != nil {
			return err
		}
	}
	return nil
}
