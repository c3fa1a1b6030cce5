package hprof

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/memtui/memtui/loaders/internal/cores"
	"github.com/memtui/memtui/loaders/internal/rowindex"
	"github.com/memtui/memtui/model"
)

// decoding is a dump being decoded.
type decoding struct {
	f        *file
	ctx      context.Context
	i        int
	progress func(float64)

	units    []*unit
	k        *classes
	x        *rowindex.Index
	same     int64 // rows with the id of another one
	a        *arrays
	h        *model.Heap
	problems []model.Problem
	rooted   bool
	room     *model.Room // of the heap's columns; nil: memory
	scratch  *model.Room // of temporary data

	mu          sync.Mutex // held while progress is reported
	done, total int64
}

// The most bytes that a row takes while a dump is decoded, in addition to its references.
const decodeRowBytes = 48

func (d *decoding) advance(n int64) {
	if d.progress == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.done += n
	d.progress(0.99 * float64(d.done) / float64(max(d.total, d.done)))
}

func (d *decoding) found(severity model.Severity, code string, at, n int64, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if len(d.f.dumps) > 1 {
		text = fmt.Sprintf("dump %d: ", d.i) + text
	}
	d.problems = model.AddProblem(d.problems, model.Problem{Severity: severity, Code: code, Message: text, Count: n, Offset: at})
}

func (d *decoding) run() (*model.Heap, error) {
	dump := &d.f.dumps[d.i]
	for _, s := range dump.segments {
		d.total += 2 * (s.end - s.from)
	}
	b := d.f.src.Budget()
	d.room, d.scratch = b.Room(d.total/2), b.Room(d.total/2)
	defer d.scratch.Close()
	var err error
	if d.units, err = d.f.scan(d.ctx, dump, d.scratch, d.advance); err != nil {
		return nil, err
	}
	if err := d.rows(); err != nil {
		return nil, err
	}
	layout := findLayout(d.x, d.a, d.f.ids)
	gaps := layout.gaps && d.f.sizes != sizesLayout
	made, err := d.k.madeStatics(d.ctx, d.f)
	if err != nil {
		return nil, err
	}
	if err := sizeAll(d.h, d.k, d.x, d.a, layout, gaps, made); err != nil {
		return nil, err
	}
	d.reportSizes(layout, gaps)
	d.a = nil
	d.nameLoaders()
	model.ReportCounted(d.ctx, d.h, d.k.tables)
	if err := d.link(); err != nil {
		return nil, err
	}
	d.reportMissing()
	d.h.Complete = d.rooted
	return d.h, nil
}

// rows builds the columns of rows.
func (d *decoding) rows() (err error) {
	if d.k, err = d.f.readClasses(d.ctx, d.units); err != nil {
		return err
	}
	var counts [numOrders]int64
	for _, u := range d.units {
		for o := range counts {
			counts[o] += int64(len(u.ids[o]))
		}
	}
	all := 1 + int64(d.k.dumped) + counts[0] + counts[1] + counts[2]
	if all > math.MaxUint32-1 {
		return fmt.Errorf("the dump has %d objects: more than %d cannot be shown", all-1, uint32(math.MaxUint32-2))
	}
	if b := d.f.src.Budget(); !d.room.Fits(b, all*decodeRowBytes) {
		return b.Error("the objects of the dump")
	}
	n := int(all)
	h := &model.Heap{Schema: &schema, Kinds: model.MakeColumn[model.HeapKind](d.room, n), Size: model.MakeColumn[uint16](d.room, n),
		Entity: model.MakeColumn[uint32](d.room, n), IDs: model.MakeColumn[uint64](d.room, n)}
	d.h = h
	self, _ := d.k.named("java.lang.Class")
	h.About = make([]uint32, d.k.dumped+1)
	for i := range d.k.dumped {
		h.Kinds[i+1], h.IDs[i+1], h.Entity[i+1], h.About[i+1] = kindClass, d.k.list[i].id, uint32(self), uint32(i)
	}
	d.k.addPrimitives()
	first := [numOrders]uint32{uint32(d.k.dumped + 1)}
	first[1] = first[0] + uint32(counts[0])
	first[2] = first[1] + uint32(counts[1])
	d.a = &arrays{first: first[1], prims: first[2],
		length: model.MakeColumn[uint32](d.scratch, int(counts[1]+counts[2])), kind: model.MakeColumn[byte](d.scratch, int(counts[2]))}
	for _, u := range d.units {
		u.first = first
		for o := range first {
			first[o] += uint32(len(u.ids[o]))
		}
	}
	if err := d.fill(); err != nil {
		return err
	}
	d.x = rowindex.New(h.IDs, d.scratch)
	return d.ctx.Err()
}

// fill fills the columns of rows from the lists of the units, and frees those.
func (d *decoding) fill() error {
	var next atomic.Int64
	return cores.Run(func() {
		for i := next.Add(1) - 1; i < int64(len(d.units)); i = next.Add(1) - 1 {
			d.fillFrom(d.units[i])
		}
	})
}

func (d *decoding) fillFrom(u *unit) {
	h, a := d.h, d.a
	kinds := [numOrders]model.HeapKind{kindInstance, kindObjects, kindPrimitives}
	for o, ids := range u.ids {
		at := u.first[o]
		copy(h.IDs[at:], ids)
		for i := range ids {
			h.Kinds[int(at)+i] = kinds[o]
		}
	}
	d.entities(u)
	copy(a.length[u.first[ofObjects]-a.first:], u.length[0])
	copy(a.length[u.first[ofPrimitives]-a.first:], u.length[1])
	copy(a.kind[u.first[ofPrimitives]-a.prims:], u.prim)
	for i, t := range u.prim {
		h.Entity[int(u.first[ofPrimitives])+i] = uint32(d.k.prims[t])
	}
	u.lists, u.most = lists{}, nil
}

// entities sets the classes of the rows of a unit.
func (d *decoding) entities(u *unit) {
	type known struct {
		class  uint64
		number uint32
		ok     bool
	}
	var recent [recentClasses]known
	for o, list := range u.class {
		entity := d.h.Entity[u.first[o]:][:len(list)]
		for i, class := range list {
			r := &recent[recentOf(class)]
			if !r.ok || r.class != class {
				*r = known{class, uint32(d.k.byID[class]), true}
			}
			entity[i] = r.number
		}
	}
}

// link builds references and tables.
func (d *decoding) link() error {
	if err := d.k.plans(d.ctx, d.f); err != nil {
		return err
	}
	if n := d.k.endless; n > 0 {
		d.found(model.Error, "superclass", d.f.dumps[d.i].at, n,
			"classes have more than %d superclasses, or inherit from themselves", maxDepth)
	}
	l := &linker{f: d.f, ctx: d.ctx, advance: d.advance, k: d.k, x: d.x, h: d.h, units: d.units,
		room: d.room, scratch: d.scratch, start: model.MakeColumn[uint32](d.room, d.h.Len()+1)}
	if err := l.link(); err != nil {
		return err
	}
	d.same, d.x, l.x = d.x.Same, nil, nil // large, and not needed to assemble
	if err := l.assemble(); err != nil {
		return err
	}
	d.rooted = l.start[1] > 0
	if n := l.dangling.Load(); n > 0 {
		d.found(model.Warning, "dangling-reference", d.f.dumps[d.i].at, n, "references lead to ids that no object of the dump has")
	}
	d.h.Tables = d.k.tables()
	return nil
}

// nameLoaders finds the names of the classes of class loaders.
func (d *decoding) nameLoaders() {
	d.k.loaderClass = map[uint64]string{}
	for i := range d.k.list {
		if id := d.k.list[i].loader; id != 0 {
			if r := d.x.Find(id); r != rowindex.None {
				d.k.loaderClass[id] = d.k.list[d.h.Entity[r]].name
			}
		}
	}
}

// reportSizes reports where sizes come from.
func (d *decoding) reportSizes(l layout, gaps bool) {
	at := d.f.dumps[d.i].at
	switch {
	case gaps:
		d.found(model.Note, "sizes", at, 1, "sizes are the distances between objects; --sizes layout computes them from fields instead")
	case l.guessed && d.f.ids == 8:
		d.found(model.Note, "sizes", at, 1, "sizes are computed from fields, for headers of %d bytes and references of %d: a guess, as ids do not show it", l.header, l.reference)
	default:
		d.found(model.Note, "sizes", at, 1, "sizes are computed from fields, for headers of %d bytes and references of %d", l.header, l.reference)
	}
}

// reportMissing reports what the dump lacks.
func (d *decoding) reportMissing() {
	dump := &d.f.dumps[d.i]
	for _, u := range d.units {
		for _, p := range u.problems {
			if p.Code == "truncated" && p.Offset >= 0 && d.f.src.Limited() {
				continue
			}
			d.problems = model.AddProblem(d.problems, p)
		}
	}
	if d.same > 0 {
		d.found(model.Error, "duplicate-id", dump.at, d.same, "objects share the id of another object: references lead to the first")
	}
	if d.k.texts.cut > 0 {
		d.found(model.Warning, "name-length", dump.at, d.k.texts.cut, "names are longer than %s: they were cut", model.Bytes(model.MaxName))
	}
	if !d.rooted {
		d.found(model.Warning, "no-roots", dump.at, 1, "the dump has no roots: what keeps objects alive is unknown")
	}
}

// named finds the first class with a name.
func (k *classes) named(name string) (int32, bool) {
	for i := range k.list {
		if k.list[i].name == name {
			return int32(i), true
		}
	}
	return k.extraType(name), false
}

// extraType adds a class that the file does not have.
func (k *classes) extraType(name string) int32 {
	k.list = append(k.list, class{name: name, parent: -1})
	return int32(len(k.list) - 1)
}

// addPrimitives makes sure that arrays of primitive values have a class that names them.
func (k *classes) addPrimitives() {
	for t, name := range primitives {
		if name != "" && k.prims[t] < 0 {
			k.prims[t] = k.extraType(name + "[]")
		}
	}
}

// tables returns the tables that name the rows.
func (k *classes) tables() *model.HeapTables {
	t := &model.HeapTables{Types: make([]model.HeapType, len(k.list)), Axes: make([][]uint32, numAxes)}
	for axis := axisLoader; axis < numAxes; axis++ {
		t.Axes[axis] = make([]uint32, len(k.list))
	}
	loaders := k.loaderNames()
	for i := range k.list {
		x := &k.list[i]
		t.Types[i].Name = k.texts.add(x.name)
		t.Axes[axisPackage][i] = k.texts.add(packageOf(x.name))
		super := ""
		if x.parent >= 0 {
			super = k.list[x.parent].name
		}
		t.Axes[axisSuper][i] = k.texts.add(super)
		t.Axes[axisLoader][i] = k.texts.add(loaders[x.loader])
	}
	t.Strings = k.texts.list
	return t
}

// packageOf returns the package of a class, or of the elements of an array's.
func packageOf(name string) string {
	name = strings.TrimRight(name, "[]")
	if i := strings.IndexByte(name, '+'); i >= 0 { // of a lambda
		name = name[:i]
	}
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[:i]
	}
	return ""
}
