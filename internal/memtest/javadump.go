package memtest

import (
	"encoding/binary"
	"fmt"
)

// JavaSpec describes a made-up heap dump of Java. The same spec always gives the same bytes.
//
// A class shop.Cache has a static field with an array of so many instances of shop.Note, each with an int and, as its
// field text, an array of 20 bytes. A weak reference refers to the first one, and nothing refers to one more, the last
// instance.
type JavaSpec struct {
	Notes int
	IDs   int    // bytes of an id: 4, or 8 if 0
	Dumps int    // 1 if 0; each has ten more notes than the previous one
	Late  bool   // one record per dump: instances, then classes, then roots; names come last
	Cycle bool   // shop.Note and shop.Cache are superclasses of each other
	Minor string // of the version: "2" if ""
}

// javaDump is a file being made.
type javaDump struct {
	spec   JavaSpec
	names  map[string]uint64
	early  []byte // records of names and classes
	pieces [3][]byte
	next   uint64
}

const javaBase = 0x700000000 // base of addresses; ids of 4 bytes have only their low half

// Java returns the bytes of a dump.
func Java(s JavaSpec) []byte {
	if s.IDs == 0 {
		s.IDs = 8
	}
	if s.Minor == "" {
		s.Minor = "2"
	}
	j := &javaDump{spec: s, names: map[string]uint64{}}
	head := append([]byte("JAVA PROFILE 1.0."+s.Minor), 0)
	head = binary.BigEndian.AppendUint32(head, uint32(s.IDs))
	head = binary.BigEndian.AppendUint64(head, 1_700_000_000_000)
	var dumps []byte
	for i := range max(s.Dumps, 1) {
		j.pieces, j.next = [3][]byte{}, javaBase
		j.heap(s.Notes + 10*i)
		dumps = j.write(dumps, uint32(i)*1000)
	}
	if s.Late {
		return append(append(head, dumps...), j.early...)
	}
	return append(append(head, j.early...), dumps...)
}

// write adds the records of a dump.
func (j *javaDump) write(out []byte, us uint32) []byte {
	classes, objects, roots := j.pieces[0], j.pieces[1], j.pieces[2]
	if j.spec.Late {
		return javaRecord(out, 0x0C, us, append(append(objects, classes...), roots...))
	}
	out = javaRecord(out, 0x1C, us, append(classes, roots...))
	out = javaRecord(out, 0x1C, us, objects)
	return javaRecord(out, 0x2C, us, nil)
}

func javaRecord(out []byte, tag byte, us uint32, body []byte) []byte {
	out = binary.BigEndian.AppendUint32(append(out, tag), us)
	return append(binary.BigEndian.AppendUint32(out, uint32(len(body))), body...)
}

func (j *javaDump) id(out []byte, id uint64) []byte {
	if j.spec.IDs == 4 {
		return binary.BigEndian.AppendUint32(out, uint32(id))
	}
	return binary.BigEndian.AppendUint64(out, id)
}

// place returns the address of the next object.
func (j *javaDump) place(bytes uint64) uint64 {
	if j.next == javaBase && j.spec.IDs == 4 {
		j.next = 0x1000
	}
	at := j.next
	j.next += (bytes + 7) / 8 * 8
	return at
}

func (j *javaDump) name(s string) uint64 {
	id, ok := j.names[s]
	if !ok {
		id = uint64(100 + len(j.names))
		j.names[s] = id
		j.early = javaRecord(j.early, 0x01, 0, append(j.id(nil, id), s...))
	}
	return id
}

// javaField is a field of a class: its type, and its value if it is static.
type javaField struct {
	name  string
	kind  byte
	value uint64
}

func (j *javaDump) class(id, super uint64, name string, statics, fields []javaField) {
	if _, known := j.names[name]; !known {
		body := j.id([]byte{0, 0, 0, byte(len(j.names))}, id)
		record := j.id(append(body, 0, 0, 0, 0), j.name(name))
		j.early = javaRecord(j.early, 0x02, 0, record)
	}
	b := append(j.id([]byte{0x20}, id), 0, 0, 0, 0)
	b = j.id(b, super)
	for range 5 {
		b = j.id(b, 0)
	}
	b = append(b, 0, 0, 0, 16, 0, 0)
	b = binary.BigEndian.AppendUint16(b, uint16(len(statics)))
	for _, f := range statics {
		b = j.id(append(j.id(b, j.name(f.name)), f.kind), f.value)
	}
	b = binary.BigEndian.AppendUint16(b, uint16(len(fields)))
	for _, f := range fields {
		b = append(j.id(b, j.name(f.name)), f.kind)
	}
	j.pieces[0] = append(j.pieces[0], b...)
}

func (j *javaDump) instance(id, class uint64, values []byte) {
	b := j.id(append(j.id([]byte{0x21}, id), 0, 0, 0, 0), class)
	b = binary.BigEndian.AppendUint32(b, uint32(len(values)))
	j.pieces[1] = append(append(j.pieces[1], b...), values...)
}

// heap writes the pieces of one dump.
func (j *javaDump) heap(notes int) {
	var class [8]uint64
	for i := range class {
		class[i] = j.place(104)
	}
	object, self, note, cache, reference, weak, bytes, objects := class[0], class[1], class[2], class[3], class[4],
		class[5], class[6], class[7]
	array := j.place(uint64(16 + 4*notes))
	noteSuper := object
	if j.spec.Cycle {
		noteSuper = cache
	}
	cacheSuper := object
	if j.spec.Cycle {
		cacheSuper = note
	}
	j.class(object, 0, "java/lang/Object", nil, nil)
	j.class(self, object, "java/lang/Class", nil, nil)
	j.class(note, noteSuper, "shop/Note", nil, []javaField{{name: "number", kind: 10}, {name: "text", kind: 2}})
	j.class(cache, cacheSuper, "shop/Cache", []javaField{{"NOTES", 2, array}}, nil)
	j.class(reference, object, "java/lang/ref/Reference", nil, []javaField{{name: "referent", kind: 2}})
	j.class(weak, reference, "java/lang/ref/WeakReference", nil, nil)
	j.class(bytes, object, "[B", nil, nil)
	j.class(objects, object, "[Ljava/lang/Object;", nil, nil)
	elements, first := j.id(binary.BigEndian.AppendUint32(append(j.id([]byte{0x22}, array), 0, 0, 0, 0), uint32(notes)), objects), uint64(0)
	var rest []byte
	rest, j.pieces[1] = j.pieces[1], nil
	for i := range notes + 1 {
		text, at := j.place(40), j.place(24)
		j.instance(at, note, j.id(binary.BigEndian.AppendUint32(nil, uint32(i)), text))
		b := binary.BigEndian.AppendUint32(append(j.id([]byte{0x23}, text), 0, 0, 0, 0), 20)
		j.pieces[1] = append(append(append(j.pieces[1], b...), 8), fmt.Sprintf("note %015d", i)...)
		if i < notes {
			elements = j.id(elements, at)
		}
		if i == 0 {
			first = at
		}
	}
	j.pieces[1] = append(append(rest, elements...), j.pieces[1]...)
	holder := j.place(16)
	j.instance(holder, weak, j.id(nil, first))
	j.pieces[2] = j.id(append(j.pieces[2], 0x05), cache)
	j.pieces[2] = j.id(append(j.pieces[2], 0x05), note)
	j.pieces[2] = j.id(j.id(append(j.pieces[2], 0x01), holder), 77)
}
