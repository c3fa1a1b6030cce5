package hprof

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

const (
	formatName = "hprof"
	magic      = "JAVA PROFILE 1.0."
	headLength = len(magic) + 2 + 4 + 8
)

// The tags of records.
const (
	tagString  = 0x01
	tagClass   = 0x02
	tagFrame   = 0x04
	tagStack   = 0x05
	tagDump    = 0x0C
	tagSegment = 0x1C
	tagEnd     = 0x2C
	recordHead = 9
)

// file is an open file: the source of its dumps.
type file struct {
	src     *loaders.Source
	size    int64
	sizes   loaders.HeapSizes
	version int // the last number of the version
	ids     int // bytes of an id
	clock   int64
	strings names
	classes []loadedClass
	frames  []frame
	stacks  []stack
	dumps   []dump

	problems []model.Problem // found while opening

	state   loaders.HeapState
	mu      sync.Mutex
	kept    sections.Cache  // where decoded dumps stay for the next run; nil for none
	places  map[int]*places // by dump: where its rows stand
	readers map[int]*reader // by dump: what reads its objects
	stackAt map[uint32]int  // by serial; nil until asked for, like what follows
	frameAt map[uint64]int  // by id
	classAt map[uint32]int  // by serial
}

// segment is a part of a dump that consists of pieces.
type segment struct{ from, end int64 }

// dump is one heap dump of the file.
type dump struct {
	segments []segment
	at       int64 // of its first record
	time     int64 // µs since the header
}

// loadedClass is a record that names a class.
type loadedClass struct {
	id, name uint64
	serial   uint32
}

// frame is a frame of a thread's stack.
type frame struct {
	id, method, signature, file uint64
	class                       uint32 // serial
	line                        int32
}

// stack is the position of the frames of a stack.
type stack struct {
	serial, thread uint32
	at             int64
	n              uint32
}

// Reasons why a file is useless as a whole.
var (
	errMagic   = errors.New("the magic " + magic + " of heap dumps is missing")
	errVersion = errors.New("only versions 1.0.1, 1.0.2 and 1.0.3 can be read")
	errIDSize  = errors.New("ids must have 4 or 8 bytes")
	errNothing = errors.New("the file holds no heap dump: either it is a profile of another kind, or its writer died before the dump; " +
		"a JVM that is killed while it dumps in parallel leaves the parts in files that end in .p0, .p1 and so on")
)

func (f *file) problem(severity model.Severity, code string, offset int64, format string, args ...any) {
	f.problems = model.AddProblem(f.problems, model.Problem{Severity: severity, Code: code,
		Message: fmt.Sprintf(format, args...), Offset: offset})
}

// refuse returns the error of a file that cannot be used at all.
func (f *file) refuse(offset int64, field string, err error) error {
	return &loaders.FormatError{Format: formatName, Path: f.src.Path(), Offset: offset, Field: field, Err: err}
}

func (f *file) cursor(ctx context.Context) *cursor {
	return &cursor{ctx: ctx, src: f.src, ids: f.ids, end: f.size}
}

// open reads the records of a file, but not the contents of its dumps.
func open(ctx context.Context, src *loaders.Source) (*file, error) {
	f := &file{src: src, size: src.Size(), places: map[int]*places{}, readers: map[int]*reader{}}
	if f.size < 0 { // everything refers to anything: the end must be there
		if _, err := src.ReadSome(ctx, make([]byte, 1), math.MaxInt64/2); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		f.size = src.Size()
	}
	c := f.cursor(ctx)
	c.jumps = true
	if err := f.head(c); err != nil {
		return nil, err
	}
	if err := f.records(c); err != nil {
		return nil, err
	}
	f.strings.sort()
	if len(f.dumps) == 0 {
		return nil, f.refuse(f.size, "", errNothing)
	}
	return f, nil
}

func (f *file) head(c *cursor) error {
	switch {
	case !c.has(len(magic)+2) || !bytes.HasPrefix(c.b, []byte(magic)):
		if c.err != nil {
			return c.err
		}
		return f.refuse(0, "magic", errMagic)
	case c.b[len(magic)] < '1' || c.b[len(magic)] > '3' || c.b[len(magic)+1] != 0:
		return f.refuse(int64(len(magic)), "magic", errVersion)
	case !c.has(headLength):
		return f.refuse(f.size, "truncated", errNothing)
	}
	f.version = int(c.b[len(magic)] - '0')
	c.p += len(magic) + 2
	if f.ids = int(c.u4()); f.ids != 4 && f.ids != 8 {
		return f.refuse(int64(len(magic)+2), "id-size", fmt.Errorf("ids of %d bytes: %w", uint32(f.ids), errIDSize))
	}
	c.ids = f.ids
	f.clock = int64(binary.BigEndian.Uint64(c.b[c.p:]))
	c.p += 8
	return nil
}

// records reads the records of the file. Its error is that of reading, or of memory.
func (f *file) records(c *cursor) error {
	var wraps, last uint32 // the clock of records wraps around every 71 minutes
	open := false          // the last dump may get more segments
	for n := 0; c.has(recordHead); n++ {
		if n%(1<<16) == 0 && f.src.Budget().Full(model.BudgetOfFile) {
			return f.src.Budget().Error("the names in the file")
		}
		at := c.at()
		tag, us, length := c.u1(), c.u4(), int64(c.u4())
		if us < last && last-us > 1<<31 {
			wraps++
		}
		last = us
		if tag == tagDump || tag == tagSegment {
			length = f.heapLength(c, tag, at, length)
			if !open || tag == tagDump {
				f.dumps = append(f.dumps, dump{at: at, time: int64(wraps)<<32 + int64(us)})
			}
			d := &f.dumps[len(f.dumps)-1]
			d.segments = append(d.segments, segment{at + recordHead, min(at+recordHead+length, f.size)})
			open = tag == tagSegment
		} else if tag == tagEnd {
			open = false
		}
		f.record(c, tag, at, length)
		c.span(at+recordHead, f.size)
		if !c.skip(length) {
			f.cut(c.at(), "the file ends within a record of %d bytes", length)
			return c.err
		}
	}
	if rest := f.size - c.at(); rest > 0 && c.err == nil {
		f.cut(c.at(), "the file ends within the header of a record")
	}
	return c.err
}

// cut reports that the file ends too early. There is no problem if that is the limit of decompression.
func (f *file) cut(offset int64, format string, args ...any) {
	if !f.src.Limited() {
		f.problem(model.Error, "truncated", offset, format, args...)
	}
}

// heapLength returns the length of a heap record at an offset: its writer may have died before writing the length, and
// beyond 4 GiB the file has it modulo 2^32.
func (f *file) heapLength(c *cursor, tag byte, at, length int64) int64 {
	left := f.size - at - recordHead
	ends := c.has(recordHead) && c.b[c.p] == tagEnd && bytes.Equal(c.b[c.p+5:c.p+9], make([]byte, 4)) // it is empty
	if length == 0 && left > 0 && !ends {
		f.problem(model.Error, "record-length", at,
			"a heap record has no length because its writer died: it is read to the end of the file")
		return left
	}
	if tag == tagDump && left > length && (left-length)%(1<<32) == 0 {
		return left
	}
	return length
}

// record stores the needed part of a record.
func (f *file) record(c *cursor, tag byte, at, length int64) {
	size := func(ids, rest int) int { return ids*f.ids + rest }
	c.end = min(f.size, at+recordHead+length)
	switch {
	case tag == tagString && length >= int64(f.ids) && c.has(f.ids):
		id := c.id()
		f.strings.add(id, c.at(), length-int64(f.ids))
	case tag == tagClass && c.has(size(2, 8)):
		serial, id := c.u4(), c.id()
		c.u4()
		f.classes = append(f.classes, loadedClass{id: id, serial: serial, name: c.id()})
	case tag == tagFrame && c.has(size(4, 8)):
		f.frames = append(f.frames, frame{id: c.id(), method: c.id(), signature: c.id(), file: c.id(), class: c.u4(), line: int32(c.u4())})
	case tag == tagStack && c.has(12):
		f.stacks = append(f.stacks, stack{serial: c.u4(), thread: c.u4(), n: c.u4(), at: c.at()})
	}
}
