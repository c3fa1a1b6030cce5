package hprof

import (
	"context"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/memtui/memtui/model"
)

// maxDepth bounds the number of superclasses: real ones have a dozen.
const maxDepth = 1000

// class is a class of a dump.
type class struct {
	id, super, loader, signers, domain uint64

	name    string // as Java writes it
	parent  int32  // index of the superclass, -1 for none
	instSum int64  // bytes of the values of an instance in the file, as stated by the class dump
	statics []static
	fields  []field
	longest uint32 // the most bytes of values of an instance
	dumped  bool
	plan    []planned
}

// field is a field of instances.
type field struct {
	name uint64
	kind byte
}

// static is a static field. Its value is an object's id, or the bits of a primitive value.
type static struct {
	name, value uint64
	kind        byte
}

// planned is where the values of an instance refer to an object.
type planned struct {
	at    uint32
	label model.EdgeLabel
}

// classes are the classes of a dump: first those that are dumped, in the order of their rows, then those that objects
// name.
type classes struct {
	list   []class
	dumped int
	byID   map[uint64]int32
	prims  [12]int32 // by type: the class of arrays, -1 for none
	texts  texts

	endless     int64             // classes that are their own superclasses, or have too many
	loaderClass map[uint64]string // names of the classes of class loaders, by id
}

// texts are the texts of a dump, each once.
type texts struct {
	list []string
	at   map[string]uint32
	name map[uint64]uint32 // by id of the file's names
	cut  int64             // names that are too long
}

func newTexts() texts { return texts{at: map[string]uint32{}, name: map[uint64]uint32{}} }

func (t *texts) add(s string) uint32 {
	i, ok := t.at[s]
	if !ok {
		i = uint32(len(t.list))
		t.list, t.at[s] = append(t.list, s), i
	}
	return i
}

// field returns the index of a name of the file.
func (t *texts) field(ctx context.Context, f *file, id uint64) (uint32, error) {
	if i, ok := t.name[id]; ok {
		return i, nil
	}
	name, whole, ok, err := f.name(ctx, id)
	if err != nil {
		return 0, err
	}
	if !ok {
		name = "<name " + hexID(id) + ">"
	}
	if !whole {
		t.cut++
	}
	i := t.add(name)
	t.name[id] = i
	return i, nil
}

// madeStatics counts, by class object, what the virtual machine writes as static fields without the class having them:
// "<resolved_references>", "<init_lock>".
func (k *classes) madeStatics(ctx context.Context, f *file) ([]int64, error) {
	made := make([]int64, k.dumped)
	for i := range made {
		for _, s := range k.list[i].statics {
			if s.kind != typeObject || s.value == 0 {
				continue
			}
			text, err := k.texts.field(ctx, f, s.name)
			if err != nil {
				return nil, err
			}
			if name := k.texts.list[text]; f.strings.has(s.name) && strings.HasPrefix(name, "<") {
				made[i]++
			}
		}
	}
	return made, nil
}

// readClasses reads the class dumps of units, and names the classes of all objects.
func (f *file) readClasses(ctx context.Context, units []*unit) (*classes, error) {
	k := &classes{byID: map[uint64]int32{}, texts: newTexts()}
	c := f.cursor(ctx)
	for _, u := range units {
		c.span(u.from, u.end)
		for _, place := range u.classes {
			c.span(place.at, u.end)
			k.read(c)
			if c.err != nil {
				return nil, c.err
			}
		}
	}
	k.dumped = len(k.list)
	for _, u := range units {
		for _, id := range slices.Sorted(maps.Keys(u.most)) {
			x := &k.list[k.number(id)]
			x.longest = max(x.longest, u.most[id])
		}
	}
	if err := k.nameAll(ctx, f); err != nil {
		return nil, err
	}
	return k, nil
}

// number returns the index of a class, adding it if necessary.
func (k *classes) number(id uint64) int32 {
	n, ok := k.byID[id]
	if !ok {
		n = int32(len(k.list))
		k.byID[id], k.list = n, append(k.list, class{id: id, parent: -1})
	}
	return n
}

// read reads a class dump, which is complete.
func (k *classes) read(c *cursor) {
	if !c.has(7*c.ids + 8) {
		return
	}
	x := class{id: c.id(), parent: -1, dumped: true}
	c.u4()
	x.super, x.loader, x.signers, x.domain = c.id(), c.id(), c.id(), c.id()
	c.p += 2 * c.ids
	x.instSum = int64(c.u4())
	for part := range 3 {
		if !c.has(2) {
			return
		}
		for n := c.u2(); n > 0; n-- {
			if !x.member(c, part) {
				return
			}
		}
	}
	if _, twice := k.byID[x.id]; !twice {
		k.byID[x.id] = int32(len(k.list))
	}
	k.list = append(k.list, x)
}

func (x *class) member(c *cursor, part int) bool {
	if part == 0 {
		return skipMember(c, part)
	}
	if !c.has(c.ids + 1) {
		return false
	}
	name, kind := c.id(), c.u1()
	size := typeSize(kind, c.ids)
	if part == 2 {
		x.fields = append(x.fields, field{name, kind})
		return true
	}
	if !c.has(size) {
		return false
	}
	value := uint64(0)
	for range size {
		value = value<<8 | uint64(c.u1())
	}
	x.statics = append(x.statics, static{name, value, kind})
	return true
}

// nameAll names the classes, and finds superclasses, the classes of arrays of primitive values and those of weak
// references.
func (k *classes) nameAll(ctx context.Context, f *file) error {
	names := make(map[uint64]uint64, len(f.classes))
	for _, c := range f.classes {
		names[c.id] = c.name
	}
	for t := range k.prims {
		k.prims[t] = -1
	}
	for i := range k.list {
		x := &k.list[i]
		x.name = "<class " + hexID(x.id) + ">"
		if id, ok := names[x.id]; ok {
			name, whole, ok, err := f.name(ctx, id)
			if err != nil {
				return err
			}
			if !whole {
				k.texts.cut++
			}
			if ok {
				x.name = className(name)
			}
			if t := primitiveOf(name); ok && t > 0 && k.prims[t] < 0 && x.dumped {
				k.prims[t] = int32(i)
			}
		}
		if n, ok := k.byID[x.super]; ok && x.super != 0 && int(n) < k.dumped {
			x.parent = n
		}
	}
	k.cutChains()
	return nil
}

// cutChains removes the superclass of classes that are among their own superclasses, or have too many.
func (k *classes) cutChains() {
	const under = -1 // on the current chain
	depth := make([]int32, len(k.list))
	var way []int32
	for i := range k.list {
		way = way[:0]
		at := int32(i)
		for at >= 0 && depth[at] == 0 {
			depth[at] = under
			way = append(way, at)
			at = k.list[at].parent
		}
		for j := len(way) - 1; j >= 0; j-- {
			x := &k.list[way[j]]
			if up := x.parent; up >= 0 && (depth[up] == under || depth[up] >= maxDepth) {
				x.parent = -1
				k.endless++
			}
			depth[way[j]] = 1
			if x.parent >= 0 {
				depth[way[j]] += depth[x.parent]
			}
		}
	}
}

// primitives are the names of primitive types, by type, and their letters in the names of arrays.
var primitives = [12]string{
	typeBoolean: "boolean", typeChar: "char", typeFloat: "float", typeDouble: "double",
	typeByte: "byte", typeShort: "short", typeInt: "int", typeLong: "long",
}

const primitiveLetters = "    ZCFDBSIJ" // by type

// primitiveOf returns the element type of a class of arrays of primitive values, 0 for other classes.
func primitiveOf(name string) int {
	switch {
	case len(name) == 2 && name[0] == '[' && name[1] != ' ':
		return max(strings.IndexByte(primitiveLetters, name[1]), 0)
	case strings.HasSuffix(name, "[]"): // Android's
		return max(slices.Index(primitives[1:], name[:len(name)-2])+1, 0)
	}
	return 0
}

// className writes the name of a class as Java does: a.b.C, int[].
func className(name string) string {
	dims := 0
	for dims < len(name) && name[dims] == '[' {
		dims++
	}
	if dims == 0 || dims > 255 {
		return strings.ReplaceAll(name, "/", ".")
	}
	base := name[dims:]
	switch {
	case strings.HasPrefix(base, "L") && strings.HasSuffix(base, ";"):
		base = strings.ReplaceAll(base[1:len(base)-1], "/", ".")
	case len(base) == 1 && base != " " && strings.Contains(primitiveLetters, base):
		base = primitives[strings.IndexByte(primitiveLetters, base[0])]
	default:
		return strings.ReplaceAll(name, "/", ".")
	}
	return base + strings.Repeat("[]", dims)
}

// chain returns a class and its superclasses.
func (k *classes) chain(i int32) iter.Seq[*class] {
	return func(yield func(*class) bool) {
		for ; i >= 0 && yield(&k.list[i]); i = k.list[i].parent {
		}
	}
}

// slot is a field of an instance, and the position of its value among those of the instance. The zero slot is none.
type slot struct {
	field
	of *class // the declaring class
	at int
}

// slots returns the fields of an instance within the first n bytes of its values: those of its class first, then those
// of each superclass. classes is the chain; references take ids bytes.
func slots(classes iter.Seq[*class], ids, n int) iter.Seq[slot] {
	return func(yield func(slot) bool) {
		at := 0
		for x := range classes {
			for _, fd := range x.fields {
				size := typeSize(fd.kind, ids)
				if size == 0 || size > n-at || !yield(slot{fd, x, at}) {
					return
				}
				at += size
			}
			if at == n {
				return
			}
		}
	}
}

// strength returns the kind of the referent's reference for instances of a class.
func (k *classes) strength(i int32) (kind model.HeapEdgeKind) {
	for x := range k.chain(i) {
		switch x.name {
		case "java.lang.ref.SoftReference":
			kind = edgeSoft
		case "java.lang.ref.WeakReference":
			kind = edgeWeak
		case "java.lang.ref.PhantomReference":
			kind = edgePhantom
		case "java.lang.ref.FinalReference":
			kind = edgeFinal
		}
		if kind != edgeStrong {
			break
		}
	}
	return kind
}

// plans determines, for every class with instances, where their values refer to objects.
func (k *classes) plans(ctx context.Context, f *file) error {
	for i := range k.list {
		if k.list[i].longest == 0 {
			continue
		}
		var plan []planned
		kind := k.strength(int32(i))
		for s := range slots(k.chain(int32(i)), f.ids, int(k.list[i].longest)) {
			if s.kind != typeObject {
				continue
			}
			label, err := k.label(ctx, f, &s, kind)
			if err != nil {
				return err
			}
			plan = append(plan, planned{uint32(s.at), label})
		}
		k.list[i].plan = slices.Clip(plan)
	}
	return nil
}

// label returns the label of a field.
func (k *classes) label(ctx context.Context, f *file, s *slot, kind model.HeapEdgeKind) (model.EdgeLabel, error) {
	text, err := k.texts.field(ctx, f, s.name)
	if k.texts.list[text] != "referent" || s.of.name != "java.lang.ref.Reference" {
		kind = edgeStrong
	}
	l, _ := schema.Label(kind, model.LabelString, uint64(text))
	return l, err
}

// sumFields returns, by class, the bytes that all fields of an instance take in the program, given the size of a
// reference.
func (k *classes) sumFields(reference int64) []int64 {
	own, sums := make([]int64, len(k.list)), make([]int64, len(k.list))
	for i := range k.list {
		for _, fd := range k.list[i].fields {
			own[i] += valueSize(fd.kind, reference)
		}
	}
	for i := range sums {
		for at := int32(i); at >= 0; at = k.list[at].parent {
			sums[i] += own[at]
		}
	}
	return sums
}

// valueSize returns the bytes of a value in the program.
func valueSize(kind byte, reference int64) int64 {
	if kind == typeObject {
		return reference
	}
	return int64(typeSize(kind, 0))
}

func hexID(id uint64) string {
	const digits = "0123456789abcdef"
	b := []byte{}
	for ; id > 0 || len(b) == 0; id >>= 4 {
		b = append(b, digits[id&15])
	}
	slices.Reverse(b)
	return "0x" + string(b)
}
