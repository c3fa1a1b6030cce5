package symbols

import (
	"bytes"
	"encoding/binary"
)

// fields reads numbers. After the end they are zero, and bad is set.
type fields struct {
	b     []byte
	off   int
	order binary.ByteOrder
	bad   bool
}

// uint reads a number of 1, 2, 3, 4 or 8 bytes.
func (r *fields) uint(size int) uint64 {
	if r.bad || len(r.b)-r.off < size {
		r.bad = true
		return 0
	}
	b := r.b[r.off:]
	r.off += size
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(r.order.Uint16(b))
	case 3:
		if r.order == binary.ByteOrder(binary.BigEndian) {
			return uint64(b[0])<<16 | uint64(b[1])<<8 | uint64(b[2])
		}
		return uint64(b[2])<<16 | uint64(b[1])<<8 | uint64(b[0])
	case 4:
		return uint64(r.order.Uint32(b))
	}
	return r.order.Uint64(b)
}

// length reads the length of a unit, and whether its offsets have 8 bytes.
func (r *fields) length() (n uint64, wide bool) {
	if n = r.uint(4); n == 0xffffffff {
		return r.uint(8), true
	}
	return n, false
}

func (r *fields) offset(wide bool) uint64 {
	if wide {
		return r.uint(8)
	}
	return r.uint(4)
}

// uleb reads a number of variable length; it loses bits beyond 64.
func (r *fields) uleb() (n uint64) {
	if r.off < len(r.b) && r.b[r.off] < 0x80 && !r.bad { // nearly all are short
		r.off++
		return uint64(r.b[r.off-1])
	}
	for shift := uint(0); ; shift += 7 {
		b := r.uint(1)
		if shift < 64 {
			n |= b & 0x7f << shift
		}
		if r.bad || b < 0x80 {
			return n
		}
	}
}

// sleb reads a number of variable length with a sign.
func (r *fields) sleb() (n int64) {
	for shift := uint(0); ; {
		b := r.uint(1)
		if shift < 64 {
			n |= int64(b&0x7f) << shift
		}
		shift += 7
		if r.bad || b < 0x80 {
			if b&0x40 != 0 && shift < 64 {
				n |= -1 << shift
			}
			return n
		}
	}
}

// skip skips bytes.
func (r *fields) skip(n uint64) {
	if r.bad || n > uint64(len(r.b)-r.off) {
		r.bad = true
		return
	}
	r.off += int(n)
}

// seek moves to an offset.
func (r *fields) seek(off uint64) {
	if off > uint64(len(r.b)) {
		r.bad = true
		return
	}
	r.off = int(off)
}

// skipString skips a zero-terminated string, and returns it.
func (r *fields) skipString() []byte {
	if r.bad {
		return nil
	}
	end := bytes.IndexByte(r.b[r.off:], 0)
	if end < 0 {
		r.bad = true
		return nil
	}
	s := r.b[r.off : r.off+end]
	r.off += end + 1
	return s
}
