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

// RiseReader reads a column from its beginning.
type RiseReader struct {
	c *RiseColumn
	i int
	a riseAnchor
}

// Reader returns a reader that begins at the first value.
func (c *RiseColumn) Reader() RiseReader { return RiseReader{c: c} }

// ReaderAt returns a reader that begins at value i.
func (c *RiseColumn) ReaderAt(i int) RiseReader {
	r := RiseReader{c: c, i: i &^ (riseSpan - 1)}
	for r.i < i {
		r.Next()
	}
	return r
}

// Next returns the next value; there must be one.
func (r *RiseReader) Next() uint64 {
	if r.i%riseSpan == 0 {
		r.a = r.c.Anchor[r.i/riseSpan]
	} else {
		r.c.walk(&r.a, 1)
	}
	r.i++
	return r.a.value
}

// To advances to value i, which must not have been returned yet, and returns it.
func (r *RiseReader) To(i int) uint64 {
	r.i = max(r.i, i&^(riseSpan-1))
	for r.i < i {
		r.Next()
	}
	return r.Next()
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
