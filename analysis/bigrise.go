package analysis

import (
	"encoding/binary"
	"slices"
	"sort"
)

// riseColumn is an append-only column of numbers that never fall, in little more than a byte each: every riseSpan-th as it
// is, and between those the distances.
type riseColumn struct {
	n      int
	last   uint64
	anchor []riseAnchor
	steps  []byte
}

type riseAnchor struct {
	value uint64
	at    uint32 // in steps, of the next value
}

const riseSpan = 32

func (c *riseColumn) append(v uint64) {
	if c.n%riseSpan == 0 {
		c.anchor = append(doubled(c.anchor, 1), riseAnchor{v, uint32(len(c.steps))})
	} else if d := v - c.last; d < 0x80 && len(c.steps) < cap(c.steps) {
		c.steps = append(c.steps, byte(d))
	} else {
		c.steps = binary.AppendUvarint(doubled(c.steps, binary.MaxVarintLen64), d)
	}
	c.last = v
	c.n++
}

// doubled returns s with room for n more elements, twice as large as before if need be: append alone grows large slices in such
// small steps that it copies all of them five times.
func doubled[T any](s []T, n int) []T {
	if cap(s)-len(s) < n {
		s = slices.Grow(s, max(len(s), n))
	}
	return s
}

func (c *riseColumn) at(i int) uint64 {
	a := c.anchor[i/riseSpan]
	return c.walk(&a, i%riseSpan)
}

// walk moves a on by n values.
func (c *riseColumn) walk(a *riseAnchor, n int) uint64 {
	for ; n > 0; n-- {
		if d := c.steps[a.at]; d < 0x80 {
			a.value += uint64(d)
			a.at++
			continue
		}
		d, size := binary.Uvarint(c.steps[a.at:])
		a.value += d
		a.at += uint32(size)
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
