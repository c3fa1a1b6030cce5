package v8heap

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/memtui/memtui/model"
)

// classing finds the classes of rows.
type classing struct {
	d      *decoding
	named  [2][]uint32 // by string: the class plus one, of objects and of native rows
	byText map[classKey]uint32
	fixed  [numKinds]uint32 // class plus one
	node   [numKinds]uint32 // string of the class
}

type classKey struct {
	kind model.HeapKind
	name string
}

// missing is the name of classes whose name is beyond the file's strings.
const missing = "<string missing>"

// add adds a text of our own, and returns its index.
func (d *decoding) add(text string) uint32 {
	d.more = append(d.more, text)
	return uint32(d.numTexts() - 1)
}

// classes sets the classes of rows, named as in DevTools.
func (d *decoding) classes() error {
	k := &classing{d: d, byText: map[classKey]uint32{}}
	n := d.numTexts()
	for i := range k.named {
		k.named[i] = d.numbers(n)
	}
	d.h.Tables.Axes = make([][]uint32, numAxes)
	for kind := range kinds {
		k.node[kind] = d.add(kinds[kind].name)
	}
	if d.h.Len() > 0 && d.h.Kinds[0] == kindSynthetic && d.name(0) == "" {
		d.h.Names[0] = d.add("(root)")
	}
	anonymous := d.add("(anonymous)")
	for r, kind := range d.h.Kinds {
		if err := d.pause(r); err != nil {
			return err
		}
		if kind == kindClosure && d.name(uint32(r)) == "" {
			d.h.Names[r] = anonymous
		}
		d.h.Entity[r] = k.of(kind, d.h.Names[r])
	}
	d.shorten()
	return nil
}

// nameRows sets the classes of rows, and reports how many there are of each.
func (d *decoding) nameRows() error {
	if err := d.classes(); err != nil {
		return err
	}
	model.ReportCounted(d.ctx, d.h, d.classNames)
	return nil
}

// classNames returns the tables of classes, without the other texts of the file.
func (d *decoding) classNames() *model.HeapTables {
	t := &model.HeapTables{Types: make([]model.HeapType, len(d.h.Tables.Types)), Axes: make([][]uint32, numAxes)}
	t.Axes[axisNode] = make([]uint32, len(t.Types))
	for i, x := range d.h.Tables.Types {
		t.Types[i].Name, t.Axes[axisNode][i] = uint32(2*i), uint32(2*i+1)
		t.Strings = append(t.Strings, strings.Clone(d.text(x.Name)), d.text(d.h.Tables.Axes[axisNode][i]))
	}
	return t
}

func (k *classing) of(kind model.HeapKind, name uint32) uint32 {
	class := kinds[kind].class
	if class != "" {
		if k.fixed[kind] == 0 {
			k.fixed[kind] = k.class(kind, class, noRow) + 1
		}
		return k.fixed[kind] - 1
	}
	native := 0
	if kind == kindNative {
		native = 1
	}
	if int(name) >= len(k.named[native]) {
		return k.class(kind, missing, noRow)
	}
	if x := k.named[native][name]; x > 0 {
		return x - 1
	}
	text := k.d.text(name)
	x := k.class(kind, classOf(kind, text), name)
	k.named[native][name] = x + 1
	return x
}

// classOf returns the class of a row that has a name: for an element of a document, its tag.
func classOf(kind model.HeapKind, name string) string {
	if kind == kindNative && strings.HasPrefix(name, "<") {
		if i := strings.IndexByte(name, ' '); i > 0 {
			return name[:i] + ">"
		}
	}
	return name
}

// maxClass bounds the characters of a class. Templates of C++ have longer names, which rows keep.
const maxClass = 120

// shorten cuts class names that are too long. Among classes with the same cut name, it cuts only that of the one with
// the most bytes, as tables begin with it.
func (d *decoding) shorten() {
	t := d.h.Tables
	type place struct{ class, most uint64 }
	var bytes []uint64
	at := map[string]place{}
	for i := range t.Types {
		name := d.text(t.Types[i].Name)
		if len(name) <= maxClass || utf8.RuneCountInString(name) <= maxClass {
			continue
		}
		if bytes == nil {
			bytes = make([]uint64, len(t.Types))
			for r, class := range d.h.Entity {
				bytes[class], _ = model.SaturatingAdd(bytes[class], d.h.Managed(model.Row(r)))
			}
		}
		short := string([]rune(name)[:maxClass])
		if p, ok := at[short]; !ok || bytes[i] > p.most {
			at[short] = place{uint64(i), bytes[i]}
		}
	}
	for _, short := range slices.Sorted(maps.Keys(at)) {
		t.Types[at[short].class].Name = d.add(short)
	}
}

// class returns the class of a name, which is string number at if that is one.
func (k *classing) class(kind model.HeapKind, name string, at uint32) uint32 {
	key := classKey{kind, name}
	if x, ok := k.byText[key]; ok {
		return x
	}
	t := k.d.h.Tables
	if at == noRow || k.d.text(at) != name {
		at = k.d.add(name)
	}
	x := uint32(len(t.Types))
	t.Types = append(t.Types, model.HeapType{Name: at})
	t.Axes[axisNode] = append(t.Axes[axisNode], k.node[kind])
	k.byText[key] = x
	return x
}

// owners computes the sizes of objects with the hidden rows and arrays that they alone own. Browsers write no hidden
// rows by default: then DevTools moves nothing.
func (d *decoding) owners() error {
	if !slices.Contains(d.h.Kinds, kindHidden) {
		return nil
	}
	n := d.h.Len()
	owner, err := d.owned()
	if err != nil {
		return err
	}
	h := d.h
	for r := range n {
		o := owner[r]
		if o >= uint32(n) || o == uint32(r) || o == 0 || h.Kinds[o] == kindSynthetic {
			continue
		}
		if h.Moved == nil {
			h.Moved, h.LargeMoved = model.CloneColumn(d.room, h.Size), maps.Clone(h.LargeSizes)
		}
		sum, _ := model.SaturatingAdd(h.MovedSize(model.Row(o)), h.Managed(model.Row(r)))
		h.SetMoved(model.Row(o), sum)
		h.SetMoved(model.Row(r), 0)
	}
	if h.Moved != nil {
		h.Tally = nil // without the sizes that moved
	}
	return nil
}

const (
	noOwner   = ^uint32(0)
	manyOwner = ^uint32(0) - 1
)

// owned finds the only owner of each row: itself, except for hidden rows and arrays.
func (d *decoding) owned() (owner []uint32, err error) {
	var queue []uint32
	n := d.h.Len()
	owner = d.numbers(n)
	for r, kind := range d.h.Kinds {
		owner[r] = noOwner
		if kind != kindHidden && kind != kindArray {
			owner[r] = uint32(r)
		}
	}
	for r := range n {
		if err := d.pause(r); err != nil {
			return nil, err
		}
		if kind := d.h.Kinds[r]; kind == kindHidden || kind == kindArray {
			continue
		}
		queue = append(queue[:0], uint32(r))
		for len(queue) > 0 {
			q := queue[len(queue)-1]
			queue = queue[:len(queue)-1]
			queue = d.passOwner(owner, queue, q)
		}
	}
	return owner, nil
}

// passOwner passes the owner of a row on to the targets of its references.
func (d *decoding) passOwner(owner, queue []uint32, q uint32) []uint32 {
	mine := owner[q]
	from, end := d.out(q)
	for e := from; e < end; e++ {
		t := d.to[e]
		switch o := owner[t]; {
		case o == t || o == mine || o == manyOwner || schema.LabelKind(d.label[e]) == edgeWeak:
		case o == noOwner:
			owner[t] = mine
			queue = append(queue, t)
		default:
			owner[t] = manyOwner
			queue = append(queue, t)
		}
	}
	return queue
}

// States of detachedness.
const (
	stateUnknown = iota
	stateAttached
	stateDetached
)

// detached passes the state of document nodes on to the targets of their references, and makes a column of it if there
// is any.
func (d *decoding) detached() error {
	var queues [stateDetached + 1][]uint32
	for r, s := range d.states {
		if s > stateDetached {
			d.states[r] = stateUnknown
		} else if s != stateUnknown && d.h.Kinds[r] == kindNative {
			queues[s] = append(queues[s], uint32(r))
		}
	}
	seen := make(rowSet, (len(d.states)+63)/64)
	any := false
	for r, s := range d.states {
		if s != stateUnknown {
			seen.add(uint32(r))
			any = true
		}
	}
	if !any {
		return nil
	}
	for s := stateAttached; s <= stateDetached; s++ {
		for n := 0; len(queues[s]) > 0; n++ {
			if err := d.pause(n); err != nil {
				return err
			}
			r := queues[s][len(queues[s])-1]
			queues[s] = queues[s][:len(queues[s])-1]
			queues[s] = d.handOn(seen, queues[s], r, byte(s))
		}
	}
	words := [...]uint32{d.add(""), d.add("attached"), d.add("detached")}
	column := d.numbers(d.h.Len())
	for r, s := range d.states {
		column[r] = words[s]
	}
	d.h.Axes[axisDetached] = column
	return nil
}

// handOn passes a row's state on to its native targets that have none.
func (d *decoding) handOn(seen rowSet, queue []uint32, r uint32, state byte) []uint32 {
	from, end := d.out(r)
	for e := from; e < end; e++ {
		t := d.to[e]
		if kind := schema.LabelKind(d.label[e]); kind == edgeHidden || kind == edgeWeak || !seen.add(t) || d.h.Kinds[t] != kindNative {
			continue
		}
		d.states[t] = state
		queue = append(queue, t)
	}
	return queue
}
