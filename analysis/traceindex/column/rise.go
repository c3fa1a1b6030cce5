package column

import (
	"encoding/binary"
	"sort"
)

// RiseColumn is an append-only column of numbers that never fall. It takes little more than a byte per number: every
// riseSpan-th one is stored as is, and the differences between those.
type RiseColumn struct {
	N      int
	Last   uint64
	Anchor []riseAnchor
	Steps  Column[byte] // those after an anchor are in one of its chunks
}

type riseAnchor struct {
	value uint64
	At    uint64 // offset in steps of the next value: steps may be more than 4 GiB if very many blocks live
}

const riseSpan = 32

// Append adds a value, which must be no less than the one before.
func (c *RiseColumn) Append(v uint64) {
	s := &c.Steps
	if c.N%riseSpan == 0 {
		if len(s.rest()) < riseSpan*binary.MaxVarintLen64 {
			s.N = len(s.Chunks) << ChunkBits
			s.rest() // adds the chunk that the next values are written to
		}
		c.Anchor = append(c.Anchor, riseAnchor{v, uint64(s.N)})
	} else if chunk, step := s.Chunks[len(s.Chunks)-1], v-c.Last; step < 0x80 {
		chunk[s.N&ChunkMask] = byte(step)
		s.N++
	} else {
		s.N += binary.PutUvarint(chunk[s.N&ChunkMask:], step)
	}
	c.Last = v
	c.N++
}

// At returns the value at index i, which must be within the column.
func (c *RiseColumn) At(i int) uint64 {
	a := c.Anchor[i/riseSpan]
	return c.walk(&a, i%riseSpan)
}

// walk advances a by n values.
func (c *RiseColumn) walk(a *riseAnchor, n int) uint64 {
	if n == 0 {
		return a.value
	}
	steps := c.Steps.Chunks[a.At>>ChunkBits]
	for ; n > 0; n-- {
		if d := steps[a.At&ChunkMask]; d < 0x80 {
			a.value += uint64(d)
			a.At++
			continue
		}
		d, size := binary.Uvarint(steps[a.At&ChunkMask:])
		a.value += d
		a.At += uint64(size)
	}
	return a.value
}

// RiseReader reads a column in order, or with leaps. It decodes all numbers of an anchor at once.
type RiseReader struct {
	c      *RiseColumn
	span   int              // number of the anchor of values, -1 for none
	known  int              // number of values
	values [riseSpan]uint64 // those of the anchor
}

// Reader returns a reader.
func (c *RiseColumn) Reader() RiseReader { return RiseReader{c: c, span: -1} }

// To returns the value at index i, which must be within the column.
func (r *RiseReader) To(i int) uint64 {
	if i/riseSpan != r.span || i%riseSpan >= r.known {
		r.load(i / riseSpan)
	}
	return r.values[i%riseSpan]
}

// load decodes the values of an anchor, as many as there are by now.
func (r *RiseReader) load(span int) {
	a := r.c.Anchor[span]
	r.span, r.known = span, min(riseSpan, r.c.N-span*riseSpan)
	r.values[0] = a.value
	if r.known == 1 {
		return
	}
	steps, v := r.c.Steps.Chunks[a.At>>ChunkBits][a.At&ChunkMask:], a.value
	for i := 1; i < r.known; i++ {
		d, size := uint64(steps[0]), 1
		if d >= 0x80 {
			d, size = binary.Uvarint(steps)
		}
		v += d
		r.values[i%riseSpan], steps = v, steps[size:]
	}
}

// Search returns the first index whose value is at least v, or n if there is none.
func (c *RiseColumn) Search(v uint64) int {
	k := sort.Search(len(c.Anchor), func(i int) bool { return c.Anchor[i].value >= v }) - 1
	if k < 0 {
		return 0
	}
	a := c.Anchor[k]
	i := k*riseSpan + 1
	for ; i < min((k+1)*riseSpan, c.N); i++ {
		if c.walk(&a, 1) >= v {
			return i
		}
	}
	return i
}

// Fits reports whether a column that was read from a file has n values and the anchors for them.
func (c *RiseColumn) Fits(n int) bool { return c.N == n && len(c.Anchor) == (n+riseSpan-1)/riseSpan }
