package hprof

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/memtui/memtui/model"
)

// walk visits the objects of a decoded dump again, in the order of the file. Objects without a callback are skipped.
type walk struct {
	classes  []bool                                              // by class: whether its instances are visited
	instance func(r uint32, values []byte) error                 // values are valid until it returns
	objects  func(r uint32, length uint32) error                 // an array of objects
	wants    func(r uint32, kind byte, length uint32) bool       // reports whether content is called for an array
	content  func(r uint32, kind byte, b []byte, cut bool) error // with the beginning of an array, valid until it returns

	f   *file
	h   *model.Heap
	c   *cursor
	row [numOrders]uint32
}

// mostContent bounds how much of an array is read.
const mostContent = 16 << 20

// placesOf returns the positions of the rows of a dump that Open decoded as h.
func (f *file) placesOf(i int, h *model.Heap) (*places, error) {
	if err := f.has(i); err != nil {
		return nil, err
	}
	f.mu.Lock()
	p := f.places[i]
	f.mu.Unlock()
	if p == nil || h.Schema != &schema {
		return nil, fmt.Errorf("snapshot %d was not decoded", i)
	}
	return p, nil
}

// run visits the objects of all units that have wanted rows.
func (w *walk) run(ctx context.Context, f *file, p *places, h *model.Heap) error {
	w.f, w.h, w.c = f, h, f.cursor(ctx)
	for i := range p.units {
		u := &p.units[i]
		w.c.span(u.from, u.end)
		w.row = u.first
		for w.c.at() < u.end && w.c.has(1) {
			if ok, err := w.piece(); err != nil || !ok {
				if err == nil {
					err = w.c.err
				}
				if err != nil {
					return err
				}
				break
			}
		}
		if w.c.err != nil {
			return w.c.err
		}
	}
	return nil
}

// piece visits the next piece of a heap record. It reports whether there is one.
func (w *walk) piece() (ok bool, err error) {
	c, tag := w.c, w.c.b[w.c.p]
	order := ofPrimitives
	switch tag {
	case pieceInstance:
		order = ofInstances
	case pieceObjects:
		order = ofObjects
	case piecePrimitives, pieceNoData:
	default:
		return (&linkWork{c: c}).other(tag), nil
	}
	if !w.h.Has(model.Row(w.row[order])) {
		return false, nil
	}
	switch tag {
	case pieceInstance:
		ok, err = w.visitInstance()
	case pieceObjects:
		ok, err = w.visitObjects()
	case piecePrimitives:
		ok, err = w.visitValues()
	default:
		ok = c.skip(int64(1 + c.ids + 9))
	}
	w.row[order]++
	return ok, err
}

func (w *walk) visitInstance() (bool, error) {
	c, r := w.c, w.row[ofInstances]
	head := 1 + 2*c.ids + 8
	if !c.has(head) {
		return false, nil
	}
	n := int(binary.BigEndian.Uint32(c.b[c.p+head-4:]))
	if e := w.h.Entity[r]; w.instance == nil || int(e) >= len(w.classes) || !w.classes[e] || !c.has(head+n) {
		return c.skip(int64(head) + int64(n)), nil
	}
	err := w.instance(r, c.b[c.p+head:c.p+head+n])
	c.p += head + n
	return true, err
}

func (w *walk) visitObjects() (bool, error) {
	c := w.c
	head := 1 + 2*c.ids + 8
	if !c.has(head) {
		return false, nil
	}
	n := binary.BigEndian.Uint32(c.b[c.p+1+c.ids+4:])
	var err error
	if w.objects != nil {
		err = w.objects(w.row[ofObjects], n)
	}
	return c.skip(int64(head) + int64(n)*int64(c.ids)), err
}

func (w *walk) visitValues() (bool, error) {
	c, r := w.c, w.row[ofPrimitives]
	head := 1 + c.ids + 9
	if !c.has(head) {
		return false, nil
	}
	b := c.b[c.p : c.p+head]
	length, kind := binary.BigEndian.Uint32(b[head-5:]), b[head-1]
	bytes := int64(length) * int64(typeSize(kind, 0))
	if w.wants == nil || !w.wants(r, kind, length) {
		return c.skip(int64(head) + bytes), nil
	}
	part := min(bytes, mostContent)
	if !c.has(head + int(part)) {
		return c.skip(int64(head) + bytes), nil
	}
	err := w.content(r, kind, c.b[c.p+head:c.p+head+int(part)], part < bytes)
	return c.skip(int64(head) + bytes), err
}

// layouts are the positions of the fields of instances.
type layouts struct {
	ctx context.Context
	f   *file
	k   *classes
}

// layouts reads the classes of a decoded dump again.
func (f *file) layouts(ctx context.Context, p *places) (*layouts, error) {
	k := &classes{byID: map[uint64]int32{}, texts: newTexts()}
	c := f.cursor(ctx)
	for _, at := range p.classes {
		c.span(at, f.size)
		if k.read(c); c.err != nil {
			return nil, c.err
		}
	}
	k.dumped = len(k.list)
	return &layouts{ctx, f, k}, k.nameAll(ctx, f)
}

// slot finds a field that a class, or its superclass of a name, declares; its kind is 0 if there is none. Errors of the
// file are left to the readers of values.
func (l *layouts) slot(number int32, of, field string) (slot, error) {
	for s := range slots(l.k.chain(number), l.f.ids, math.MaxInt) {
		if s.of.name != of {
			continue
		}
		if n, err := l.k.texts.field(l.ctx, l.f, s.name); err != nil || l.k.texts.list[n] == field {
			return s, err
		}
	}
	return slot{}, nil
}

// number reads a value, 0 if it is missing.
func (s slot) number(values []byte, ids int) int64 {
	n := typeSize(s.kind, ids)
	if n == 0 || s.at+n > len(values) {
		return 0
	}
	b := values[s.at : s.at+n]
	switch n {
	case 1:
		return int64(int8(b[0]))
	case 2:
		return int64(int16(binary.BigEndian.Uint16(b)))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(b)))
	}
	return int64(binary.BigEndian.Uint64(b))
}

// referred returns the target of a field of row r; ok is false if there is none.
func referred(h *model.Heap, r uint32, field string) (to uint32, ok bool) {
	ends, first := h.Out(model.Row(r))
	for i, t := range ends.All() {
		e := first + model.Ref(i)
		if h.Label[e].Form() == model.LabelString && h.EdgeText(e) == field {
			return uint32(t), true
		}
	}
	return 0, false
}
