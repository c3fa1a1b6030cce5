package v8heap

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/bits"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/internal/json"
)

const (
	chunkBytes = 1 << 20 // per goroutine at once
	readBytes  = 256 << 10
	maxNumber  = 64 // maximum bytes of a number with surrounding blanks, on the fast path
)

// numbers reads a flat array of numbers one by one.
type numbers struct {
	ctx context.Context
	src *loaders.Source
	mem []byte
	b   []byte // mem[:n], the bytes read
	p   int
	off int64 // of b[0]
	end int64 // of the array

	bad   int64 // how many are not integers of 64 bits
	first int64 // offset of the first one
	err   error
}

func newNumbers(ctx context.Context, src *loaders.Source) *numbers {
	return &numbers{ctx: ctx, src: src, mem: make([]byte, readBytes)}
}

// span sets the reader to a part of the file.
func (c *numbers) span(from, end int64) { c.b, c.p, c.off, c.end = nil, 0, from, end }

// at returns the offset of the next byte.
func (c *numbers) at() int64 { return c.off + int64(c.p) }

// fill reads more, and reports whether there is a next byte.
func (c *numbers) fill() bool {
	if c.err != nil {
		return c.p < len(c.b)
	}
	c.off += int64(c.p)
	n := copy(c.mem, c.b[c.p:])
	c.b, c.p = c.mem[:n], 0
	for n < maxNumber && c.off+int64(n) < c.end {
		want := min(int64(len(c.mem)-n), c.end-c.off-int64(n))
		m, err := c.src.ReadSome(c.ctx, c.mem[n:n+int(want)], c.off+int64(n))
		n += m
		if errors.Is(err, io.EOF) && m == 0 {
			c.end = c.off + int64(n)
		} else if err != nil && !errors.Is(err, io.EOF) {
			c.err = err
			break
		}
	}
	c.b = c.mem[:n]
	return n > 0
}

// next returns the next number with the comma after it; 0 for anything else, which is counted.
func (c *numbers) next() uint64 {
	if len(c.b)-c.p < maxNumber {
		c.fill()
	}
	b := c.b[c.p:]
	if len(b) < 16 {
		return c.digits(b)
	}
	x := binary.LittleEndian.Uint64(b) ^ ones*'0'
	other := ((x + ones*(128-10)) | x) & highs // its first byte that is not 0 is the first that is no digit
	n := bits.TrailingZeros64(other) / 8       // 8 for none
	switch {
	case n == 0:
		return c.digits(b)
	case b[n] == ',':
		c.p += n + 1
	case b[n] == '\n' && b[n+1] == ',':
		c.p += n + 2
	default:
		return c.digits(b)
	}
	x <<= 64 - 8*uint(n) // zeros before the digits; the shift is 0 … 56
	x = x*10 + x>>8      // in every second byte two digits
	return ((x&pairs)*(100+1000000<<32) + (x>>16&pairs)*(1+10000<<32)) >> 32
}

// For looking at eight digits at once.
const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
	pairs = 0x000000ff000000ff
)

// digits is next for numbers of any length, one digit after the other.
func (c *numbers) digits(b []byte) (n uint64) {
	i := 0
	for i < len(b) {
		d := b[i] - '0'
		if d > 9 {
			break
		}
		n = n*10 + uint64(d)
		i++
	}
	if i > 0 && i < 19 && i+1 < len(b) {
		if b[i] == ',' {
			c.p += i + 1
			return n
		}
		if b[i] == '\n' && b[i+1] == ',' {
			c.p += i + 2
			return n
		}
	}
	return c.slow()
}

// slow reads a number with any surrounding bytes.
func (c *numbers) slow() uint64 {
	c.blank()
	at := c.at()
	var token [maxNumber]byte
	n, ended, junk := 0, false, false
	for c.p < len(c.b) || c.fill() {
		b := c.b[c.p]
		if b == ',' {
			c.p++
			break
		}
		c.p++
		if b == ' ' || b == '\n' || b == '\r' || b == '\t' {
			ended = true
			continue
		}
		junk = junk || ended || n == len(token)
		if n < len(token) {
			token[n] = b
			n++
		}
	}
	if !junk {
		if u, ok := json.Uint(token[:n]); ok {
			return u
		}
		if f, ok := json.Float(token[:n]); ok && f >= 0 && f < math.MaxInt64 {
			return uint64(f)
		}
	}
	if c.bad++; c.bad == 1 {
		c.first = at
	}
	return 0
}

// blank skips blanks.
func (c *numbers) blank() {
	for c.p < len(c.b) || c.fill() {
		if b := c.b[c.p]; b != ' ' && b != '\n' && b != '\r' && b != '\t' {
			return
		}
		c.p++
	}
}

// skip skips n commas.
func (c *numbers) skip(n int64) {
	for n > 0 && (c.p < len(c.b) || c.fill()) {
		if c.b[c.p] == ',' {
			n--
		}
		c.p++
	}
}
