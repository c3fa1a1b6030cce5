package traceindex

import (
	"math"
	"sort"

	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/model"
)

// firstOver returns the first index of a column for which over is true; over must be false and then true along the
// column.
func firstOver[T any](c *column.Column[T], over func(T) bool) int {
	return sort.Search(c.N, func(i int) bool { return over(c.At(i)) })
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
	if c.n&column.ChunkMask == 0 {
		c.chunks = append(c.chunks, timeChunk{base: t, off: make([]uint32, column.ChunkLen)})
	}
	k, i := &c.chunks[c.n>>column.ChunkBits], c.n&column.ChunkMask
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
	k.wide = make([]model.Time, column.ChunkLen)
	for i := range n {
		k.wide[i] = k.base + model.Time(k.off[i])
	}
	k.off = nil
}

func (c *timeColumn) At(i int) model.Time {
	k := &c.chunks[i>>column.ChunkBits]
	if k.wide != nil {
		return k.wide[i&column.ChunkMask]
	}
	return k.base + model.Time(k.off[i&column.ChunkMask])
}

// search returns the first index for which over is true; over must be false and then true along the column.
func (c *timeColumn) search(over func(model.Time) bool) int {
	return sort.Search(c.n, func(i int) bool { return over(c.At(i)) })
}

// sizeColumn is a column of block sizes: four bytes each, and the few that do not fit beside it.
type sizeColumn struct {
	column.Column[uint32]
	large column.LargeSizes
}

func (c *sizeColumn) Append(v uint64) { c.Column.Append(c.large.Low(c.N, v)) }

func (c *sizeColumn) At(i int) uint64 { return c.large.Full(i, c.Column.At(i)) }
