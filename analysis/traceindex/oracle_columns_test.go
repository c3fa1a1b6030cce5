package traceindex

import (
	"math"
	"sort"

	"github.com/memtui/memtui/model"
)

// firstOver returns the first index of a column for which over is true; over must be false and then true along the column.
func firstOver[T any](c *column[T], over func(T) bool) int {
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
