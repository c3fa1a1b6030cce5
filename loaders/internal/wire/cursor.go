// Package wire reads little-endian records with one check at the end.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// ErrShort says that a value is longer than what is left.
var ErrShort = errors.New("the input ends here")

// Error is the first failure of a cursor and where the value that failed begins.
type Error struct {
	Offset int64
	Err    error
}

// Error says place and cause.
func (e *Error) Error() string { return fmt.Sprintf("at byte %d: %v", e.Offset, e.Err) }

// Unwrap returns [ErrShort].
func (e *Error) Unwrap() error { return e.Err }

// Cursor reads values from a byte slice, one after the other. After the first failure everything reads as zero and Err
// tells what failed, so that a record is read straight through and checked once. It allocates nothing.
type Cursor struct {
	b    []byte
	pos  int
	base int64
	err  *Error
}

// NewCursor returns a cursor over b, whose first byte has the absolute offset base.
func NewCursor(b []byte, base int64) *Cursor { return &Cursor{b: b, base: base} }

// Err returns the first failure, nil while there is none.
func (c *Cursor) Err() error {
	if c.err == nil {
		return nil
	}
	return c.err
}

// Offset is the absolute offset of the next byte, or that of the value that failed.
func (c *Cursor) Offset() int64 { return c.base + int64(c.pos) }

// Len is the number of bytes that are left, 0 after a failure.
func (c *Cursor) Len() int {
	if c.err != nil {
		return 0
	}
	return len(c.b) - c.pos
}

// Bytes returns the next n bytes, not copied; nil when there are fewer. n may come from a file: it is compared unsigned.
func (c *Cursor) Bytes(n uint64) []byte {
	if n > uint64(c.Len()) || c.err != nil {
		c.fail(ErrShort)
		return nil
	}
	b := c.b[c.pos : c.pos+int(n)]
	c.pos += int(n)
	return b
}

// U32 reads four bytes.
func (c *Cursor) U32() uint32 {
	if b := c.Bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// U64 reads eight bytes.
func (c *Cursor) U64() uint64 {
	if b := c.Bytes(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (c *Cursor) fail(err error) {
	if c.err == nil {
		c.err = &Error{c.Offset(), err}
	}
}
