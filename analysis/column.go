package analysis

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
	if c.n&chunkMask == 0 {
		c.chunks = append(c.chunks, make([]T, chunkLen))
	}
	c.chunks[c.n>>chunkBits][c.n&chunkMask] = v
	c.n++
}

func (c *column[T]) at(i int) T { return c.chunks[i>>chunkBits][i&chunkMask] }

func (c *column[T]) set(i int, v T) { c.chunks[i>>chunkBits][i&chunkMask] = v }

// search returns the first index in [lo, hi) for which over is true; over must be false and then true along the column.
func (c *column[T]) search(lo, hi int, over func(T) bool) int {
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		if over(c.at(mid)) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
