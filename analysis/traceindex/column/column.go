package column

import (
	"math"

	"github.com/memtui/memtui/model"
)

// A column grows by whole chunks, so that nothing is copied while a trace loads and no more than one chunk is wasted.
const (
	ChunkBits = 16
	ChunkLen  = 1 << ChunkBits
	ChunkMask = ChunkLen - 1
)

// Column is an append-only array without pointers, in chunks of ChunkLen values.
type Column[T any] struct {
	Chunks [][]T
	N      int
	Files  *model.Room // of further chunks, nil for memory
}

// Append adds a value at the end.
func (c *Column[T]) Append(v T) {
	c.rest()[0] = v
	c.N++
}

// rest returns the unused part of the last chunk, which is never empty: a full chunk is followed by a new one.
func (c *Column[T]) rest() []T {
	if c.N>>ChunkBits == len(c.Chunks) {
		c.Chunks = append(c.Chunks, model.MakeColumn[T](c.Files, ChunkLen))
	}
	return c.Chunks[c.N>>ChunkBits][c.N&ChunkMask:]
}

// Room appends n zero values, or as many as are contiguous, and returns them.
func (c *Column[T]) Room(n int) []T {
	rest := c.rest()
	n = min(n, len(rest))
	c.N += n
	return rest[:n]
}

// ColumnFrom returns a column of the given values, which it keeps.
func ColumnFrom[T any](all []T) Column[T] {
	c := Column[T]{N: len(all), Chunks: make([][]T, 0, (len(all)+ChunkMask)>>ChunkBits)}
	for len(all) > 0 {
		n := min(len(all), ChunkLen)
		c.Chunks = append(c.Chunks, all[:n:n])
		all = all[n:]
	}
	return c
}

// At returns the value at index i, which must be within the column.
func (c *Column[T]) At(i int) T { return c.Chunks[i>>ChunkBits][i&ChunkMask] }

// Ref returns a pointer to a value, which stays valid.
func (c *Column[T]) Ref(i int) *T { return &c.Chunks[i>>ChunkBits][i&ChunkMask] }

// Set replaces the value at index i, which must be within the column.
func (c *Column[T]) Set(i int, v T) { c.Chunks[i>>ChunkBits][i&ChunkMask] = v }

// LargeSizes has, by index, the sizes for which a column stores largeSize.
type LargeSizes map[int]uint64

const largeSize = math.MaxUint32

// Low records a size, and returns what the column stores for it at i.
func (l *LargeSizes) Low(i int, v uint64) uint32 {
	if v < largeSize {
		return uint32(v)
	}
	if *l == nil {
		*l = LargeSizes{}
	}
	(*l)[i] = v
	return largeSize
}

// Full returns the size at i, given what the column stores.
func (l LargeSizes) Full(i int, v uint32) uint64 {
	if v != largeSize {
		return uint64(v)
	}
	return l[i]
}

// OriginColumn stores the sites of blocks next to their sizes, as readers need both: each access to uncached memory is
// slow.
type OriginColumn struct {
	Column[Origin]
	Large LargeSizes
}

// Origin is the site of a block, and its size as far as 32 bits hold it.
type Origin struct{ Site, Size uint32 }

// At returns the site and the size of block i.
func (c *OriginColumn) At(i int) (site uint32, size uint64) {
	o := c.Column.At(i)
	return o.Site, c.Large.Full(i, o.Size)
}

// Resize returns a slice of n elements of any value. It reuses s if that is large enough.
func Resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/8)
	}
	return s[:n]
}
