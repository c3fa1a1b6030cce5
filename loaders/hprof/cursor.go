package hprof

import (
	"context"
	"encoding/binary"
	"errors"
	"io"

	"github.com/memtui/memtui/loaders"
)

const (
	cursorSize = 512 << 10
	jumpSize   = 8 << 10
	// maxPeek is the most bytes read at once: no record that is read completely is larger.
	maxPeek = 64 << 20
)

// cursor reads a part of a source forward. Only one goroutine may use it.
type cursor struct {
	ctx context.Context
	src *loaders.Source
	mem []byte
	b   []byte // of mem: the bytes read
	p   int    // in b
	off int64  // of b[0] in the source
	end int64  // of the part
	ids int    // bytes of an id
	err error  // of reading; the end of the source is not an error

	jumps bool // most of the part is skipped: little is read at once
}

// span sets the part to read.
func (c *cursor) span(from, end int64) {
	if from >= c.off && from <= c.off+int64(len(c.b)) {
		c.p = int(from - c.off)
	} else {
		c.off, c.p, c.b = from, 0, c.b[:0]
	}
	c.end = end
}

// at returns the offset of the next byte.
func (c *cursor) at() int64 { return c.off + int64(c.p) }

// has reports whether n more bytes are in the part, and makes them c.b[c.p:c.p+n].
func (c *cursor) has(n int) bool {
	return c.p+n <= len(c.b) && c.at()+int64(n) <= c.end || c.fill(n)
}

func (c *cursor) fill(n int) bool {
	if c.err == nil {
		c.err = c.ctx.Err()
	}
	at := c.at()
	if c.err != nil || int64(n) > c.end-at || n > maxPeek {
		return false
	}
	if c.p+n <= len(c.b) {
		return true
	}
	rest := 0
	if c.p <= len(c.b) {
		rest = copy(c.mem, c.b[c.p:])
	}
	size := cursorSize
	if c.jumps {
		size = jumpSize
	}
	if size = max(n, size); len(c.mem) < size {
		mem := make([]byte, size)
		copy(mem, c.mem[:rest])
		c.mem = mem
	}
	want := c.mem[rest:]
	if left := c.end - at - int64(rest); int64(len(want)) > left {
		want = want[:left]
	}
	got, err := c.src.ReadAt(want, at+int64(rest))
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	c.off, c.p, c.b = at, 0, c.mem[:rest+got]
	return len(c.b) >= n
}

// skip skips n bytes. It reports whether they are in the part; if not, nothing is skipped.
func (c *cursor) skip(n int64) bool {
	if n > c.end-c.at() {
		return false
	}
	if next := int64(c.p) + n; next <= int64(len(c.b)) {
		c.p = int(next)
	} else {
		c.off, c.p, c.b = c.off+next, 0, c.b[:0]
	}
	return true
}

func (c *cursor) u1() byte {
	c.p++
	return c.b[c.p-1]
}

func (c *cursor) u2() uint16 {
	c.p += 2
	return binary.BigEndian.Uint16(c.b[c.p-2:])
}

func (c *cursor) u4() uint32 {
	c.p += 4
	return binary.BigEndian.Uint32(c.b[c.p-4:])
}

// id reads an id. Like the other readers, it is called only after has.
func (c *cursor) id() uint64 {
	if c.ids == 8 {
		c.p += 8
		return binary.BigEndian.Uint64(c.b[c.p-8:])
	}
	return uint64(c.u4())
}

// idAt reads the id at the start of b.
func idAt(b []byte, size int) uint64 {
	if size == 8 {
		return binary.BigEndian.Uint64(b)
	}
	return uint64(binary.BigEndian.Uint32(b))
}
