package memdump

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
)

// stream reads the body of a .mb, value by value. After its end everything reads as zero and ended is set, so that a
// record is read without checks and checked once. Only one goroutine may use it.
type stream struct {
	in    chunkSource
	chunk []byte
	buf   []byte // of chunk: fed bytes
	pos   int
	base  int64 // offset of buf[0]

	after error // comes after buf, nil while unknown
	ended bool  // a read reached the end
	big   bool  // a varint did not fit 64 bits
}

func newStream(in chunkSource, base int64) *stream { return &stream{in: in, base: base} }

// offset returns the offset of the next byte.
func (s *stream) offset() int64 { return s.base + int64(s.pos) }

// err returns why the stream ended: nil at a regular end, a *damage, or a read error.
func (s *stream) err() error {
	if s.after == nil || errors.Is(s.after, io.EOF) {
		return nil
	}
	return s.after
}

// more feeds another chunk, preceded by the rest of the previous one, at most headroom.
func (s *stream) more() bool {
	left := s.buf[s.pos:]
	if s.after != nil || len(left) > headroom {
		return false
	}
	chunk, n, err := s.in.feed(s.chunk)
	s.after = err
	if chunk == nil {
		return false
	}
	// Feeders refill a returned chunk only after the next feed: its end can be copied now.
	start := headroom - len(left)
	copy(chunk[start:], left)
	s.base += int64(s.pos)
	s.chunk, s.buf, s.pos = chunk, chunk[start:headroom+n], 0
	return n > 0
}

// need makes n bytes, at most headroom, contiguous.
func (s *stream) need(n int) bool {
	for len(s.buf)-s.pos < n {
		if !s.more() {
			s.ended = true
			return false
		}
	}
	return !s.ended
}

// atEnd reports whether no byte is left. It does not end the stream.
func (s *stream) atEnd() bool {
	for len(s.buf) == s.pos && s.after == nil {
		s.more()
	}
	return s.ended || len(s.buf) == s.pos
}

func (s *stream) u8() uint8 {
	if !s.need(1) {
		return 0
	}
	s.pos++
	return s.buf[s.pos-1]
}

func (s *stream) f32() float32 {
	if !s.need(4) {
		return 0
	}
	s.pos += 4
	return math.Float32frombits(binary.LittleEndian.Uint32(s.buf[s.pos-4:]))
}

// uvarint reads a number of any length; it saturates at 64 bits.
func (s *stream) uvarint() uint64 {
	if s.pos < len(s.buf) && !s.ended && s.buf[s.pos] < 0x80 {
		s.pos++
		return uint64(s.buf[s.pos-1])
	}
	v, over := uint64(0), false
	for shift := 0; ; shift += 7 {
		b := uint64(s.u8())
		if s.ended {
			return 0
		}
		low := b & 0x7f
		if shift > 63 || shift == 63 && low > 1 {
			over = over || low != 0
		} else {
			v |= low << shift
		}
		if b < 0x80 {
			break
		}
	}
	if over {
		s.big = true
		return math.MaxUint64
	}
	return v
}

// skip skips n bytes.
func (s *stream) skip(n uint64) {
	for n > uint64(len(s.buf)-s.pos) && !s.ended {
		n -= uint64(len(s.buf) - s.pos)
		s.pos = len(s.buf)
		if !s.more() && s.pos == len(s.buf) {
			s.ended = true
		}
	}
	if !s.ended {
		s.pos += int(n)
	}
}

// appendTo appends n bytes to b, fewer at the end. It allocates only for available bytes.
func (s *stream) appendTo(b []byte, n uint64) []byte {
	for n > 0 && s.need(1) {
		part := s.buf[s.pos:]
		if uint64(len(part)) > n {
			part = part[:n]
		}
		b = append(b, part...)
		s.pos += len(part)
		n -= uint64(len(part))
	}
	return b
}
