package analysis

import (
	"math"
	"sort"

	"github.com/memtui/memtui/model"
)

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

// search returns the first index for which over is true; over must be false and then true along the column.
func (c *column[T]) search(over func(T) bool) int {
	return sort.Search(c.n, func(i int) bool { return over(c.at(i)) })
}

// timeColumn is a column of times that never fall: four bytes each, eight in chunks that span more than an hour.
type timeColumn struct {
	chunks []timeChunk
	n      int
}

type timeChunk struct {
	base model.Time
	off  []uint32     // from base
	wide []model.Time // instead of off, once an offset does not fit
}

func (c *timeColumn) append(t model.Time) {
	if c.n&chunkMask == 0 {
		c.chunks = append(c.chunks, timeChunk{base: t, off: make([]uint32, chunkLen)})
	}
	k, i := &c.chunks[c.n>>chunkBits], c.n&chunkMask
	if d := t - k.base; k.wide == nil && d <= math.MaxUint32 {
		k.off[i] = uint32(d)
	} else {
		k.widen(i)
		k.wide[i] = t
	}
	c.n++
}

// widen turns the first n offsets into times.
func (k *timeChunk) widen(n int) {
	if k.wide != nil {
		return
	}
	k.wide = make([]model.Time, chunkLen)
	for i := range n {
		k.wide[i] = k.base + model.Time(k.off[i])
	}
	k.off = nil
}

func (c *timeColumn) at(i int) model.Time {
	k := &c.chunks[i>>chunkBits]
	if k.wide != nil {
		return k.wide[i&chunkMask]
	}
	return k.base + model.Time(k.off[i&chunkMask])
}

// search returns the first index for which over is true; over must be false and then true along the column.
func (c *timeColumn) search(over func(model.Time) bool) int {
	return sort.Search(c.n, func(i int) bool { return over(c.at(i)) })
}

// sizeColumn is a column of block sizes: four bytes each, and the few that do not fit beside it.
type sizeColumn struct {
	column[uint32]
	large largeSizes
}

func (c *sizeColumn) append(v uint64) { c.column.append(c.large.low(c.n, v)) }

func (c *sizeColumn) at(i int) uint64 { return c.large.full(i, c.column.at(i)) }

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
