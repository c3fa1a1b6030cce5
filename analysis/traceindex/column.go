package traceindex

import "math"

// A column grows by whole chunks, so that nothing is copied while a trace loads and no more than one chunk is wasted.
const (
	chunkBits = 16
	chunkLen  = 1 << chunkBits
	chunkMask = chunkLen - 1
)

// column is an append-only array without pointers, in chunks of chunkLen values.
type column[T any] struct {
	chunks [][]T
	n      int
}

func (c *column[T]) append(v T) {
	c.rest()[0] = v
	c.n++
}

// rest is what is left of the last chunk, never nothing: a new one follows where that is full.
func (c *column[T]) rest() []T {
	if c.n>>chunkBits == len(c.chunks) {
		c.chunks = append(c.chunks, make([]T, chunkLen))
	}
	return c.chunks[c.n>>chunkBits][c.n&chunkMask:]
}

// room appends n values, or as many as lie together, and returns them. They are zero.
func (c *column[T]) room(n int) []T {
	rest := c.rest()
	n = min(n, len(rest))
	c.n += n
	return rest[:n]
}

// columnFrom is a column of given values, which it keeps.
func columnFrom[T any](all []T) column[T] {
	c := column[T]{n: len(all), chunks: make([][]T, 0, (len(all)+chunkMask)>>chunkBits)}
	for len(all) > 0 {
		n := min(len(all), chunkLen)
		c.chunks = append(c.chunks, all[:n:n])
		all = all[n:]
	}
	return c
}

func (c *column[T]) at(i int) T { return c.chunks[i>>chunkBits][i&chunkMask] }

// ref is the place of a value, valid for good.
func (c *column[T]) ref(i int) *T { return &c.chunks[i>>chunkBits][i&chunkMask] }

func (c *column[T]) set(i int, v T) { c.chunks[i>>chunkBits][i&chunkMask] = v }

// largeSizes are the sizes, by place in a column, for which that says largeSize.
type largeSizes map[int]uint64

const largeSize = math.MaxUint32

// low is what the column has for a size at i.
func (l *largeSizes) low(i int, v uint64) uint32 {
	if v < largeSize {
		return uint32(v)
	}
	if *l == nil {
		*l = largeSizes{}
	}
	(*l)[i] = v
	return largeSize
}

// full is the size at i, given what the column has.
func (l largeSizes) full(i int, v uint32) uint64 {
	if v != largeSize {
		return uint64(v)
	}
	return l[i]
}

// originColumn has the sites of blocks beside their sizes, as who asks for one asks for the other: in memory that no cache
// holds, each place costs.
type originColumn struct {
	column[origin]
	large largeSizes
}

type origin struct{ site, size uint32 }

func (c *originColumn) at(i int) (site uint32, size uint64) {
	o := c.column.at(i)
	return o.site, c.large.full(i, o.size)
}
