package hprof

import (
	"cmp"
	"context"
	"encoding/binary"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/memtui/memtui/loaders/internal/cores"
	"github.com/memtui/memtui/loaders/internal/rowindex"
	"github.com/memtui/memtui/model"
)

// extra is a reference that the file has outside of its row's piece: from a thread's object to a local variable.
type extra struct {
	row, to uint32
	label   model.EdgeLabel
}

// linked are the references of the rows of a unit, in their order.
type linked struct {
	to    []uint32
	label []model.EdgeLabel
}

// linker builds the references of a dump.
type linker struct {
	f       *file
	ctx     context.Context
	advance func(int64)
	k       *classes
	x       *rowindex.Index
	h       *model.Heap
	start   []uint32 // by row, shifted by one: number of references
	units   []*unit
	room    *model.Room // of the heap's columns

	scratch  *model.Room
	extra    []extra
	fixed    map[string]model.EdgeLabel
	classOf  model.EdgeLabel
	front    linked // of the root and of classes
	out      [][2]linked
	dangling atomic.Int64
	next     atomic.Int64
	mu       sync.Mutex
	large    map[uint64]uint64 // by unit and position in it: indexes that do not fit their labels
	err      error
}

// text returns a label with a text of our own.
func (l *linker) text(s string) model.EdgeLabel {
	label, ok := l.fixed[s]
	if !ok {
		label, _ = schema.Label(edgeStrong, model.LabelString, uint64(l.k.texts.add(s)))
		l.fixed[s] = label
	}
	return label
}

// add adds a reference to an object, unless it is null or dangling.
func (l *linker) add(out *linked, id uint64, label model.EdgeLabel) {
	if id == 0 {
		return
	}
	if r := l.x.Find(id); r != rowindex.None {
		out.to, out.label = append(out.to, r), append(out.label, label)
		return
	}
	l.dangling.Add(1)
}

// threads returns the rows of threads' objects by serial.
func (l *linker) threads() map[uint32]uint32 {
	rows := map[uint32]uint32{}
	for _, u := range l.units {
		for _, r := range u.roots {
			if roots[r.tag].object {
				if row := l.x.Find(r.id); row != rowindex.None {
					rows[r.thread] = row
				}
			}
		}
	}
	return rows
}

// linkRoots builds the references of the root, and collects those that belong to threads.
func (l *linker) linkRoots() {
	threads := l.threads()
	for _, u := range l.units {
		for _, r := range u.roots {
			form := roots[r.tag]
			row, ok := threads[r.thread]
			if !form.thread || !ok {
				l.add(&l.front, r.id, l.text(form.text))
				continue
			}
			if to := l.x.Find(r.id); to != rowindex.None {
				l.extra = append(l.extra, extra{row, to, l.text(form.text)})
			} else if r.id != 0 {
				l.dangling.Add(1)
			}
		}
	}
	slices.SortStableFunc(l.extra, func(a, b extra) int { return int(int64(a.row) - int64(b.row)) })
	l.start[1] = uint32(len(l.front.to))
}

// extras returns the extra references of rows starting with from.
func (l *linker) extras(from uint32) []extra {
	i, _ := slices.BinarySearchFunc(l.extra, from, func(e extra, r uint32) int { return int(int64(e.row) - int64(r)) })
	return l.extra[i:]
}

// linkClasses builds the references of class objects.
func (l *linker) linkClasses(ctx context.Context) error {
	labels := [4]model.EdgeLabel{l.text("<super>"), l.text("<classloader>"), l.text("<signers>"), l.text("<protection-domain>")}
	more := l.extras(1)
	for i := range l.k.list[:l.k.dumped] {
		x, before := &l.k.list[i], len(l.front.to)
		for j, id := range [4]uint64{x.super, x.loader, x.signers, x.domain} {
			l.add(&l.front, id, labels[j])
		}
		for _, s := range x.statics {
			if s.kind != typeObject || s.value == 0 {
				continue
			}
			text, err := l.k.texts.field(ctx, l.f, s.name)
			if err != nil {
				return err
			}
			label, _ := schema.Label(edgeStrong, model.LabelString, uint64(text))
			l.add(&l.front, s.value, label)
		}
		more = l.front.take(more, uint32(i+1))
		l.start[i+2] = uint32(len(l.front.to) - before)
	}
	return nil
}

// take adds the extra references of a row, and returns the rest.
func (out *linked) take(more []extra, row uint32) []extra {
	for len(more) > 0 && more[0].row <= row {
		out.to, out.label = append(out.to, more[0].to), append(out.label, more[0].label)
		more = more[1:]
	}
	return more
}

// link builds all references, by unit.
func (l *linker) link() error {
	l.fixed, l.large = map[string]model.EdgeLabel{}, map[uint64]uint64{}
	l.classOf = l.text("<class>")
	l.linkRoots()
	if err := l.linkClasses(l.ctx); err != nil {
		return err
	}
	l.out = make([][2]linked, len(l.units))
	err := cores.Run(func() {
		w := linkWork{linker: l, c: l.f.cursor(l.ctx)}
		for i := l.next.Add(1) - 1; i < int64(len(l.units)); i = l.next.Add(1) - 1 {
			if w.unit(int(i)); w.c.err != nil {
				l.mu.Lock()
				l.err = w.c.err
				l.mu.Unlock()
				return
			}
			l.advance(l.units[i].end - l.units[i].from)
		}
	})
	return cmp.Or(err, l.err)
}

// linkWork is the state of one linking goroutine.
type linkWork struct {
	*linker
	c    *cursor
	out  [2]linked // of instances, of arrays of objects
	lost int64
	at   int // unit
}

// unit builds the references of a unit's instances and arrays of objects.
func (w *linkWork) unit(i int) {
	u := w.units[i]
	w.at = i
	for o := range w.out {
		w.out[o].to, w.out[o].label = w.out[o].to[:0], w.out[o].label[:0]
	}
	row := u.first
	more := [2][]extra{w.extras(row[ofInstances]), w.extras(row[ofObjects])}
	c := w.c
	c.span(u.from, u.end)
	for c.at() < u.end && c.has(1) {
		switch tag := c.b[c.p]; tag {
		case pieceInstance:
			r := row[ofInstances]
			w.instance(r)
			more[0] = w.out[0].take(more[0], r)
			w.start[r+1] = uint32(len(w.out[0].to)) // an end; counts converts it below
			row[ofInstances]++
		case pieceObjects:
			r := row[ofObjects]
			w.objects(r)
			more[1] = w.out[1].take(more[1], r)
			w.start[r+1] = uint32(len(w.out[1].to))
			row[ofObjects]++
		case piecePrimitives:
			n := 1 + c.ids + 9
			if !c.has(n) {
				return
			}
			b := c.b[c.p : c.p+n]
			c.skip(int64(n) + int64(binary.BigEndian.Uint32(b[n-5:]))*int64(typeSize(b[n-1], 0)))
		default:
			if !w.other(tag) {
				return
			}
		}
	}
	w.dangling.Add(w.lost)
	w.lost = 0
	for o := range w.out {
		l := &w.linker.out[i][o]
		l.to, l.label = model.CloneColumn(w.scratch, w.out[o].to), model.CloneColumn(w.scratch, w.out[o].label)
	}
	w.counts(u, row)
}

// counts converts the ends of the references of each row to counts.
func (w *linkWork) counts(u *unit, end [numOrders]uint32) {
	for o := range w.out {
		for r := end[o]; r > u.first[o]+1; r-- {
			w.start[r] -= w.start[r-1]
		}
	}
}

// other skips a piece without references.
func (w *linkWork) other(tag byte) bool {
	c := w.c
	switch tag {
	case pieceClass:
		return (&unit{}).classDump(c)
	case pieceNoData:
		return c.skip(int64(1 + c.ids + 9))
	case pieceHeap:
		return c.skip(int64(1 + 4 + c.ids))
	}
	form := roots[tag]
	return c.skip(int64(1 + (1+form.ids)*c.ids + form.rest))
}

func (w *linkWork) instance(r uint32) {
	c := w.c
	head := 1 + 2*c.ids + 8
	if !c.has(head) {
		return
	}
	n := int(binary.BigEndian.Uint32(c.b[c.p+head-4:]))
	class := &w.k.list[w.h.Entity[r]]
	out := &w.out[0]
	w.one(out, class.id, w.classOf)
	if len(class.plan) == 0 || !c.has(head+n) {
		c.skip(int64(head) + int64(n))
		return
	}
	b := c.b[c.p+head : c.p+head+n]
	for _, p := range class.plan {
		if int(p.at)+c.ids > n {
			break
		}
		if id := idAt(b[p.at:], c.ids); id != 0 {
			w.one(out, id, p.label)
		}
	}
	c.p += head + n
}

// one adds a reference that is not null.
func (w *linkWork) one(out *linked, id uint64, label model.EdgeLabel) {
	if r := w.x.Find(id); r != rowindex.None {
		out.to, out.label = append(out.to, r), append(out.label, label)
	} else if id != 0 {
		w.lost++
	}
}

const elementsAtOnce = 8 << 10

func (w *linkWork) objects(r uint32) {
	c, out := w.c, &w.out[1]
	head := 1 + 2*c.ids + 8
	if !c.has(head) {
		return
	}
	n := int64(binary.BigEndian.Uint32(c.b[c.p+1+c.ids+4:]))
	w.one(out, w.k.list[w.h.Entity[r]].id, w.classOf)
	c.p += head
	for i := int64(0); i < n; {
		part := min(n-i, elementsAtOnce)
		if !c.has(int(part) * c.ids) {
			return
		}
		b := c.b[c.p : c.p+int(part)*c.ids]
		for k := int64(0); k < part; k++ {
			if id := idAt(b[int(k)*c.ids:], c.ids); id != 0 {
				w.element(out, id, uint64(i+k))
			}
		}
		c.p += len(b)
		i += part
	}
}

func (w *linkWork) element(out *linked, id, i uint64) {
	label, ok := schema.Label(edgeStrong, model.LabelIndex, i)
	before := len(out.to)
	w.one(out, id, label)
	if !ok && len(out.to) > before {
		w.mu.Lock()
		w.large[uint64(w.at)<<32|uint64(before)] = i
		w.mu.Unlock()
	}
}
