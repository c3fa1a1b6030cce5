package traceindex

import (
	"encoding/binary"
	"sort"
)

// riseColumn is an append-only column of numbers that never fall, in little more than a byte each: every riseSpan-th as it
// is, and between those the distances.
type riseColumn struct {
	n      int
	last   uint64
	anchor []riseAnchor
	steps  column[byte] // those behind an anchor lie in one of its chunks
}

type riseAnchor struct {
	value uint64
	at    uint64 // in steps, of the next value: two bytes each are more than 4 GiB where very many blocks live
}

const riseSpan = 32

func (c *riseColumn) append(v uint64) {
	s := &c.steps
	if c.n%riseSpan == 0 {
		if len(s.rest()) < riseSpan*binary.MaxVarintLen64 {
			s.n = len(s.chunks) << chunkBits
		}
		c.anchor = append(c.anchor, riseAnchor{v, uint64(s.n)})
	} else {
		s.n += binary.PutUvarint(s.rest(), v-c.last)
	}
	c.last = v
	c.n++
}

func (c *riseColumn) at(i int) uint64 {
	a := c.anchor[i/riseSpan]
	return c.walk(&a, i%riseSpan)
}

// walk moves a on by n values.
func (c *riseColumn) walk(a *riseAnchor, n int) uint64 {
	if n == 0 {
		return a.value
	}
	steps := c.steps.chunks[a.at>>chunkBits]
	for ; n > 0; n-- {
		if d := steps[a.at&chunkMask]; d < 0x80 {
			a.value += uint64(d)
			a.at++
			continue
		}
		d, size := binary.Uvarint(steps[a.at&chunkMask:])
		a.value += d
		a.at += uint64(size)
	}
	return a.value
}

// riseReader reads a column from its begin on.
type riseReader struct {
	c *riseColumn
	i int
	a riseAnchor
}

func (c *riseColumn) reader() riseReader { return riseReader{c: c} }

// readerAt is reader from a value on.
func (c *riseColumn) readerAt(i int) riseReader {
	r := riseReader{c: c, i: i &^ (riseSpan - 1)}
	for r.i < i {
		r.next()
	}
	return r
}

// next returns the next value; there must be one.
func (r *riseReader) next() uint64 {
	if r.i%riseSpan == 0 {
		r.a = r.c.anchor[r.i/riseSpan]
	} else {
		r.c.walk(&r.a, 1)
	}
	r.i++
	return r.a.value
}

// to moves on to value i, which must not have been returned yet, and returns it.
func (r *riseReader) to(i int) uint64 {
	r.i = max(r.i, i&^(riseSpan-1))
	for r.i < i {
		r.next()
	}
	return r.next()
}

// search returns the first index whose value is at least v, n if there is none.
func (c *riseColumn) search(v uint64) int {
	k := sort.Search(len(c.anchor), func(i int) bool { return c.anchor[i].value >= v }) - 1
	if k < 0 {
		return 0
	}
	a := c.anchor[k]
	i := k*riseSpan + 1
	for ; i < min((k+1)*riseSpan, c.n); i++ {
		if c.walk(&a, 1) >= v {
			return i
		}
	}
	return i
}
