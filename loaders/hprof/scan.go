package hprof

import (
	"context"
	"encoding/binary"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/memtui/memtui/loaders/internal/cores"
	"github.com/memtui/memtui/model"
)

// The tags of pieces that are not roots.
const (
	pieceClass      = 0x20
	pieceInstance   = 0x21
	pieceObjects    = 0x22
	piecePrimitives = 0x23
	pieceNoData     = 0xC3
	pieceHeap       = 0xFE
)

// rootForm describes the body of a kind of root record after the id.
type rootForm struct {
	text   string
	ids    int // more ids
	rest   int // bytes after them
	thread bool
	object bool // the id is a thread's object
}

// roots are the kinds of root records, by tag. Where thread is set, the record belongs to a thread whose number follows
// the id.
var roots = map[byte]rootForm{
	0xFF: {text: "<unknown>"},
	0x01: {text: "<jni-global>", ids: 1},
	0x02: {text: "<jni-local>", rest: 8, thread: true},
	0x03: {text: "<java-frame>", rest: 8, thread: true},
	0x04: {text: "<native-stack>", rest: 4, thread: true},
	0x05: {text: "<sticky-class>"},
	0x06: {text: "<thread-block>", rest: 4, thread: true},
	0x07: {text: "<monitor>"},
	0x08: {text: "<thread-object>", rest: 8, object: true},
	0x89: {text: "<interned-string>"},
	0x8A: {text: "<finalizing>"},
	0x8B: {text: "<debugger>"},
	0x8C: {text: "<reference-cleanup>"},
	0x8D: {text: "<vm-internal>"},
	0x8E: {text: "<jni-monitor>", rest: 8},
	0x90: {text: "<unreachable>"},
}

// root is a root record.
type root struct {
	id     uint64
	thread uint32 // serial
	frame  int32  // of the frame in the thread's stack, -1 for none
	stack  uint32 // serial, of a thread's object
	tag    byte
}

// typeSize returns the bytes of a value of a type in the file, 0 for unknown types.
func typeSize(t byte, ids int) int {
	switch t {
	case typeObject:
		return ids
	case typeBoolean, typeByte:
		return 1
	case typeChar, typeShort:
		return 2
	case typeFloat, typeInt:
		return 4
	case typeDouble, typeLong:
		return 8
	}
	return 0
}

// The types of values.
const (
	typeObject  = 2
	typeBoolean = 4
	typeChar    = 5
	typeFloat   = 6
	typeDouble  = 7
	typeByte    = 8
	typeShort   = 9
	typeInt     = 10
	typeLong    = 11
)

// unitBytes is the size of the part of a dump that is one piece of work.
const unitBytes = 4 << 20

// The three orders of rows after the classes.
const (
	ofInstances = iota
	ofObjects
	ofPrimitives
	numOrders
)

// lists are what the first pass reads of rows, in the order of the file.
type lists struct {
	ids    [numOrders][]uint64
	class  [2][]uint64 // of instances and of arrays of objects
	length [2][]uint32 // of arrays of objects and of primitive values
	prim   []byte      // types of the latter
}

// unit is a part of a dump with its rows: the result of the first pass, used by the second.
type unit struct {
	lists
	from, end int64
	first     [numOrders]uint32 // number of the first row of each order
	classes   []classPlace
	roots     []root
	problems  []model.Problem
	most      map[uint64]uint32 // by class: the most bytes of values of an instance
	recent    [recentClasses]recentClass
	broken    bool // a piece could not be read
}

const recentClasses = 64

// recentClass caches an entry of the map of classes.
type recentClass struct {
	class uint64
	most  uint32
	known bool
}

// recentOf returns the index of a class among the recent ones.
func recentOf(class uint64) uint64 { return class * 0x9E3779B97F4A7C15 >> 58 }

// sawClass records the bytes of values of an instance of a class.
func (u *unit) sawClass(class uint64, values uint32) {
	r := &u.recent[recentOf(class)]
	if r.known && r.class == class && r.most >= values {
		return
	}
	most := max(u.most[class], values)
	u.most[class] = most
	*r = recentClass{class, most, true}
}

// classPlace is the position of the class dump of a class.
type classPlace struct {
	id uint64
	at int64 // after its tag
}

func (u *unit) problem(code string, at int64, format string, args ...any) {
	u.problems = model.AddProblem(u.problems, model.Problem{Severity: model.Error, Code: code, Offset: at,
		Message: fmt.Sprintf(format, args...)})
}

// scanner scans the parts of a dump, on all cores.
type scanner struct {
	f       *file
	ctx     context.Context
	advance func(bytes int64)
	room    *model.Room
	next    atomic.Int64
	mu      sync.Mutex
	err     error
}

// scan finds the contents of a dump: units in the order of the file, with their lists in a room.
func (f *file) scan(ctx context.Context, d *dump, room *model.Room, advance func(int64)) ([]*unit, error) {
	s := &scanner{f: f, ctx: ctx, advance: advance, room: room}
	jobs := jobsOf(d.segments)
	found := make([][]*unit, len(jobs))
	s.fail(cores.Run(func() {
		c, spare := f.cursor(ctx), &lists{}
		for i := s.next.Add(1) - 1; i < int64(len(jobs)) && s.failed() == nil; i = s.next.Add(1) - 1 {
			for _, seg := range jobs[i] {
				list := s.segment(c, seg, found[i], spare)
				if s.fail(c.err); c.err != nil {
					return
				}
				found[i] = list
			}
		}
	}))
	var units []*unit
	for _, list := range found {
		units = append(units, list...)
	}
	return units, s.err
}

// jobsOf groups short segments.
func jobsOf(segments []segment) (jobs [][]segment) {
	size := int64(unitBytes)
	for _, s := range segments {
		if size >= unitBytes {
			jobs, size = append(jobs, nil), 0
		}
		jobs[len(jobs)-1] = append(jobs[len(jobs)-1], s)
		size += s.end - s.from
	}
	return jobs
}

func (s *scanner) fail(err error) {
	if err == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

func (s *scanner) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// segment adds the units of a segment to a list. spare has the memory in which lists grow.
func (s *scanner) segment(c *cursor, seg segment, list []*unit, spare *lists) []*unit {
	c.span(seg.from, seg.end)
	for from := seg.from; from < seg.end; {
		u := &unit{from: from, most: map[uint64]uint32{}, lists: spare.emptied()}
		ok := true
		for ok && c.at() < seg.end && c.at()-from < unitBytes {
			ok = u.piece(c)
		}
		u.end = c.at()
		*spare, u.lists = u.lists, u.copied(s.room)
		list = append(list, u)
		s.advance(u.end - from)
		if s.f.src.Budget().Full(model.BudgetOfFile) {
			s.fail(s.f.src.Budget().Error("the objects of the dump"))
			return list
		}
		if !ok {
			u.broken = true
			s.advance(seg.end - u.end)
			return list
		}
		from = u.end
	}
	return list
}

// piece reads one piece. If it cannot, it returns false and does not move.
func (u *unit) piece(c *cursor) bool {
	at := c.at()
	if !c.has(1) {
		return false
	}
	tag, ids := c.b[c.p], c.ids
	ok := false
	switch tag {
	case pieceInstance:
		ok = u.instance(c)
	case piecePrimitives, pieceNoData:
		ok = u.primitives(c, tag == piecePrimitives)
	case pieceObjects:
		ok = u.objects(c)
	case pieceClass:
		ok = u.classDump(c)
	case pieceHeap:
		ok = c.skip(int64(1 + 4 + ids))
	default:
		form, known := roots[tag]
		if !known {
			if c.err == nil {
				u.problem("piece", at, "a heap record holds a subrecord of unknown type 0x%02X: the rest of the record was not read", tag)
			}
			return false
		}
		ok = u.root(c, tag, form)
	}
	if !ok && c.err == nil {
		u.problem("truncated", at, "a subrecord of type 0x%02X extends beyond its heap record", tag)
	}
	return ok
}

func (u *unit) instance(c *cursor) bool {
	n := 1 + 2*c.ids + 8
	if !c.has(n) {
		return false
	}
	b := c.b[c.p : c.p+n]
	values := binary.BigEndian.Uint32(b[n-4:])
	if !c.skip(int64(n) + int64(values)) {
		return false
	}
	class := idAt(b[1+c.ids+4:], c.ids)
	u.ids[ofInstances] = append(u.ids[ofInstances], idAt(b[1:], c.ids))
	u.sawClass(class, values)
	u.class[0] = append(u.class[0], class)
	return true
}

func (u *unit) objects(c *cursor) bool {
	n := 1 + 2*c.ids + 8
	if !c.has(n) {
		return false
	}
	b := c.b[c.p : c.p+n]
	length := binary.BigEndian.Uint32(b[1+c.ids+4:])
	if !c.skip(int64(n) + int64(length)*int64(c.ids)) {
		return false
	}
	class := idAt(b[1+c.ids+8:], c.ids)
	u.sawClass(class, 0)
	u.ids[ofObjects] = append(u.ids[ofObjects], idAt(b[1:], c.ids))
	u.class[1] = append(u.class[1], class)
	u.length[0] = append(u.length[0], length)
	return true
}

func (u *unit) primitives(c *cursor, data bool) bool {
	n := 1 + c.ids + 9
	if !c.has(n) {
		return false
	}
	b := c.b[c.p : c.p+n]
	length, t := binary.BigEndian.Uint32(b[n-5:]), b[n-1]
	size := typeSize(t, 0)
	if size == 0 {
		u.problem("piece", c.at(), "an array has elements of unknown type %d: the rest of the record was not read", t)
		return false
	}
	skip := int64(n)
	if data {
		skip += int64(length) * int64(size)
	}
	if !c.skip(skip) {
		return false
	}
	u.ids[ofPrimitives] = append(u.ids[ofPrimitives], idAt(b[1:], c.ids))
	u.length[1] = append(u.length[1], length)
	u.prim = append(u.prim, t)
	return true
}

func (u *unit) root(c *cursor, tag byte, form rootForm) bool {
	n := 1 + (1+form.ids)*c.ids + form.rest
	if !c.has(n) {
		return false
	}
	b := c.b[c.p : c.p+n]
	r := root{id: idAt(b[1:], c.ids), tag: tag, frame: -1}
	if form.thread || form.object {
		r.thread = binary.BigEndian.Uint32(b[1+c.ids:])
	}
	if form.object {
		r.stack = binary.BigEndian.Uint32(b[5+c.ids:])
	}
	if form.thread && form.rest == 8 {
		r.frame = int32(binary.BigEndian.Uint32(b[5+c.ids:]))
	}
	u.roots = append(u.roots, r)
	return c.skip(int64(n))
}

// classDump records the position of a class dump, and skips it.
func (u *unit) classDump(c *cursor) bool {
	start, size := c.at(), c.end
	back := func() bool { c.span(start, size); return false }
	head := 1 + 7*c.ids + 8
	if !c.has(head + 2) {
		return false
	}
	place := classPlace{id: idAt(c.b[c.p+1:], c.ids), at: start + 1}
	c.p += head
	for part := range 3 { // constants, statics, fields
		if !c.has(2) {
			return back()
		}
		for n := c.u2(); n > 0; n-- {
			if !skipMember(c, part) {
				return back()
			}
		}
	}
	u.classes = append(u.classes, place)
	return true
}

// skipMember skips a constant, static or field of a class dump.
func skipMember(c *cursor, part int) bool {
	name := c.ids
	if part == 0 {
		name = 2
	}
	if !c.has(name + 1) {
		return false
	}
	t := c.b[c.p+name]
	c.p += name + 1
	size := typeSize(t, c.ids)
	if size == 0 {
		return false
	}
	return part == 2 || c.skip(int64(size))
}

// emptied returns the lists without their values.
func (l *lists) emptied() lists {
	out := *l
	for i := range out.ids {
		out.ids[i] = out.ids[i][:0]
	}
	for i := range out.class {
		out.class[i], out.length[i] = out.class[i][:0], out.length[i][:0]
	}
	out.prim = out.prim[:0]
	return out
}

// copied returns a copy without spare capacity.
func (l *lists) copied(room *model.Room) (out lists) {
	for i := range l.ids {
		out.ids[i] = model.CloneColumn(room, l.ids[i])
	}
	for i := range l.class {
		out.class[i], out.length[i] = model.CloneColumn(room, l.class[i]), model.CloneColumn(room, l.length[i])
	}
	out.prim = model.CloneColumn(room, l.prim)
	return out
}
