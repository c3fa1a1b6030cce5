package column

import (
	"unsafe"

	"github.com/memtui/memtui/model"
)

// Dim is a key by which cumulative sums of blocks are kept. Every analysis.Group is one of them or is folded from
// DimStack.
type Dim uint8

const (
	DimStack Dim = iota
	DimThread
	DimSize
	DimCount
)

// Cell is the cumulative sums of one key. Sums of bytes saturate. Counts cannot overflow: an index has fewer than 1<<32
// events, and each adds at most one to each count.
type Cell struct {
	AllocBytes, EndedBytes uint64
	AllocCount, EndedCount uint32 // blocks ended by a FREE, or by an ALLOC at their address
	Temporary              uint32 // counted at the event that ends the block
	OverCount              uint32 // ended blocks that an ALLOC ended
	OverBytes              uint64
}

// IsZero reports whether c is the zero cell. It is inlined, which comparing cells is not.
func (c *Cell) IsZero() bool {
	return c.AllocBytes|c.EndedBytes|c.OverBytes == 0 && c.AllocCount|c.EndedCount|c.Temporary|c.OverCount == 0
}

// Change is what happens to a block.
type Change uint8

const (
	Born        Change = iota
	Freed              // by a FREE
	FreedAtOnce        // by the FREE that is the very next event: a temporary block
	Overwrote          // by an ALLOC at its address
)

// Apply adds a change of a block of the given size. Sums that overflow stay at the maximum.
func (c *Cell) Apply(how Change, size uint64) {
	if how == Born {
		c.AllocBytes, _ = model.SaturatingAdd(c.AllocBytes, size)
		c.AllocCount++
		return
	}
	c.EndedBytes, _ = model.SaturatingAdd(c.EndedBytes, size)
	c.EndedCount++
	switch how {
	case FreedAtOnce:
		c.Temporary++
	case Overwrote:
		c.OverBytes, _ = model.SaturatingAdd(c.OverBytes, size)
		c.OverCount++
	}
}

// Add adds the sums of later events.
func (c *Cell) Add(o *Cell) {
	c.AllocBytes, _ = model.SaturatingAdd(c.AllocBytes, o.AllocBytes)
	c.EndedBytes, _ = model.SaturatingAdd(c.EndedBytes, o.EndedBytes)
	c.OverBytes, _ = model.SaturatingAdd(c.OverBytes, o.OverBytes)
	c.AllocCount += o.AllocCount
	c.EndedCount += o.EndedCount
	c.OverCount += o.OverCount
	c.Temporary += o.Temporary
}

// LiveBytes returns the bytes that are neither freed nor overwritten.
func (c *Cell) LiveBytes() uint64 { return c.AllocBytes - min(c.EndedBytes, c.AllocBytes) }

// LiveCount returns the blocks that are neither freed nor overwritten.
func (c *Cell) LiveCount() uint64 { return uint64(c.AllocCount - c.EndedCount) }

// Checkpoint is a copy of all sums after a number of events.
type Checkpoint struct {
	Events int
	Sums   [DimCount][]Cell
}

// Memory returns about how many bytes the checkpoint takes.
func (c *Checkpoint) Memory() int64 {
	n := 0
	for _, s := range c.Sums {
		n += len(s)
	}
	return int64(n) * int64(unsafe.Sizeof(Cell{}))
}

// checkpointEvery keeps replays for an answer short, and checkpoints below a few bytes per event for any number of
// stacks.
