package hprof

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sort"
	"sync"

	"github.com/memtui/memtui/model"
)

// errPlace reports that a piece is not where it was when the dump was decoded.
var errPlace = errors.New("the object is no longer at its place in the file")

const (
	// keptUnits is how many parts of a dump keep the positions of their rows, a few MiB each at most.
	keptUnits = 3
	// keptClasses is how many classes keep their declarations.
	keptClasses = 4 << 10
	// maxValues is how many bytes of an instance are read. Real ones have a few hundred.
	maxValues = 4 << 20
)

// reader reads the contents of objects of one decoded dump. It caches the positions of rows in the most recently used
// parts of the file, and the declarations of classes.
type reader struct {
	f *file
	p *places

	mu       sync.Mutex // held while something is read
	c        *cursor
	units    []unitPlaces // the most recently used one is last
	nameOf   map[uint64]uint64
	rowOf    map[uint64]model.Row // class objects, by id
	classes  map[model.Row]*class // by row
	texts    texts                // names of their fields
	bigChars *bool                // the byte order of texts, nil until known
}

// unitPlaces is the positions of the rows of a unit, relative to its beginning.
type unitPlaces struct {
	unit int
	at   [numOrders][]uint32
}

// reader returns the reader of a dump that was decoded as h.
func (f *file) reader(ctx context.Context, i int, h *model.Heap) (*reader, error) {
	if err := f.has(i); err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	p := f.places[i]
	if p == nil {
		return nil, fmt.Errorf("snapshot %d has not been decoded", i)
	}
	if d := f.readers[i]; d != nil && d.p == p {
		return d, nil
	}
	d := &reader{f: f, p: p, c: f.cursor(ctx), nameOf: map[uint64]uint64{}, rowOf: map[uint64]model.Row{},
		classes: map[model.Row]*class{}, texts: newTexts()}
	for _, c := range f.classes {
		d.nameOf[c.id] = c.name
	}
	for r := len(p.classes); r > 0; r-- { // the first one of an id counts
		if r < len(h.IDs) {
			d.rowOf[h.IDs[r]] = model.Row(r)
		}
	}
	f.readers[i] = d
	return d, nil
}

// begin sets the context of the cursor. The lock is held.
func (d *reader) begin(ctx context.Context) { d.c.ctx, d.c.err = ctx, nil }

// failed returns why the last read failed.
func (d *reader) failed() error {
	if d.c.err != nil {
		return d.c.err
	}
	return errPlace
}

// orderOf returns the order of rows that a kind belongs to; ok is false for the root and class objects.
func orderOf(k model.HeapKind) (order int, ok bool) {
	switch k {
	case kindInstance:
		return ofInstances, true
	case kindObjects:
		return ofObjects, true
	case kindPrimitives:
		return ofPrimitives, true
	}
	return 0, false
}

// to moves to the piece of an instance or array, and checks that it is there.
func (d *reader) to(h *model.Heap, r model.Row) error {
	o, ok := orderOf(h.Kinds[r])
	if !ok {
		return errPlace
	}
	u := sort.Search(len(d.p.units), func(i int) bool { return model.Row(d.p.units[i].first[o]) > r }) - 1
	if u < 0 {
		return errPlace
	}
	at, err := d.unit(u)
	if err != nil {
		return err
	}
	n := int(r - model.Row(d.p.units[u].first[o]))
	if n >= len(at.at[o]) {
		return errPlace
	}
	d.c.span(d.p.units[u].from+int64(at.at[o][n]), d.p.units[u].end)
	if !d.c.has(1+d.c.ids) || idAt(d.c.b[d.c.p+1:], d.c.ids) != h.IDs[r] {
		return d.failed()
	}
	return nil
}

// unit returns the positions of the rows of a unit.
func (d *reader) unit(n int) (*unitPlaces, error) {
	if i := slices.IndexFunc(d.units, func(u unitPlaces) bool { return u.unit == n }); i >= 0 {
		u := d.units[i]
		d.units = append(slices.Delete(d.units, i, i+1), u)
		return &d.units[len(d.units)-1], nil
	}
	out := unitPlaces{unit: n}
	place, u := d.p.units[n], &unit{most: map[uint64]uint32{}}
	d.c.span(place.from, place.end)
	for d.c.at() < place.end {
		at := uint32(d.c.at() - place.from)
		if !u.piece(d.c) {
			return nil, d.failed()
		}
		for o := range u.ids {
			if len(u.ids[o]) > len(out.at[o]) {
				out.at[o] = append(out.at[o], at)
			}
		}
	}
	if len(d.units) >= keptUnits {
		d.units = slices.Delete(d.units, 0, 1)
	}
	d.units = append(d.units, out)
	return &d.units[len(d.units)-1], nil
}

// classRow returns the class object of an instance or array; ok is false if the dump has none.
func (d *reader) classRow(h *model.Heap, r model.Row) (row model.Row, ok bool) {
	n := h.Entity[r]
	return model.Row(n) + 1, int(n) < len(d.p.classes)
}

// class returns the class of a class object.
func (d *reader) class(row model.Row) (*class, error) {
	if x := d.classes[row]; x != nil {
		return x, nil
	}
	d.c.span(d.p.classes[row-1], d.f.size)
	k := classes{byID: map[uint64]int32{}}
	if k.read(d.c); len(k.list) == 0 {
		return nil, d.failed()
	}
	x := &k.list[0]
	var err error
	if x.name, err = d.className(x.id); err != nil {
		return nil, err
	}
	if len(d.classes) >= keptClasses {
		clear(d.classes)
		d.texts = newTexts()
	}
	d.classes[row] = x
	return x, nil
}

// fieldName returns the name of a field.
func (d *reader) fieldName(id uint64) (string, error) {
	n, err := d.texts.field(d.c.ctx, d.f, id)
	if err != nil {
		return "", err
	}
	return d.texts.list[n], nil
}

func (d *reader) className(id uint64) (string, error) {
	n, ok := d.nameOf[id]
	if !ok {
		return "<class " + hexID(id) + ">", nil
	}
	name, err := d.name(n)
	return className(name), err
}

// name reads a name of the file.
func (d *reader) name(id uint64) (string, error) {
	name, _, ok, err := d.f.name(d.c.ctx, id)
	if !ok {
		name = "<name " + hexID(id) + ">"
	}
	return name, err
}

// chain returns a class and its superclasses. If one cannot be read, the chain ends and failed is the reason.
func (d *reader) chain(x *class, failed *error) iter.Seq[*class] {
	return func(yield func(*class) bool) {
		for depth := 1; yield(x) && depth < maxDepth; depth++ {
			row, ok := d.rowOf[x.super]
			if x.super == 0 || !ok {
				return
			}
			if x, *failed = d.class(row); *failed != nil {
				return
			}
		}
	}
}

// named returns the class object with a name as in the file; ok is false if there is none.
func (d *reader) named(name string) (row model.Row, ok bool, err error) {
	for _, c := range d.f.classes {
		p, found := d.f.strings.find(c.name)
		if !found || p.length != int64(len(name)) {
			continue
		}
		text, err := d.name(c.name)
		if err != nil {
			return 0, false, err
		}
		if row, ok = d.rowOf[c.id]; ok && text == name {
			return row, true, nil
		}
	}
	return 0, false, nil
}

// instance returns the values of the instance at the cursor, and skips its head.
func (d *reader) instance() ([]byte, error) {
	c := d.c
	head := 1 + 2*c.ids + 8
	if !c.has(head) {
		return nil, d.failed()
	}
	n := int(min(binary.BigEndian.Uint32(c.b[c.p+head-4:]), maxValues))
	c.p += head
	if !c.has(n) {
		return nil, d.failed()
	}
	return c.b[c.p : c.p+n], nil
}

// array is the array at the cursor.
type array struct {
	at     int64 // of the first element
	length int64
	kind   byte // of elements
	empty  bool // the file has no elements
}

func (d *reader) array() (a array, err error) {
	c := d.c
	tag := c.b[c.p]
	head := 1 + c.ids + 9
	if tag == pieceObjects {
		head = 1 + 2*c.ids + 8
	}
	if !c.has(head) {
		return a, d.failed()
	}
	b := c.b[c.p : c.p+head]
	a = array{at: c.at() + int64(head), length: int64(binary.BigEndian.Uint32(b[1+c.ids+4:])), kind: typeObject, empty: tag == pieceNoData}
	if tag != pieceObjects {
		a.kind = b[head-1]
	}
	return a, nil
}

// elements returns the bytes of up to most elements, starting with number from. They are valid until the next read.
func (d *reader) elements(a array, from, most int64) ([]byte, error) {
	size := int64(typeSize(a.kind, d.c.ids))
	n := min(max(a.length-from, 0), most, maxValues/8)
	if a.empty || n == 0 || size == 0 {
		return nil, nil
	}
	d.c.span(a.at+from*size, d.c.end)
	if !d.c.has(int(n * size)) {
		return nil, d.failed()
	}
	return d.c.b[d.c.p : d.c.p+int(n*size)], nil
}
