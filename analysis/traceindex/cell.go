package traceindex

import (
	"unsafe"

	"github.com/memtui/memtui/model"
)

// dim is a way to split blocks for which cumulative sums are kept; every [Group] is one of them or folds dimStack.
type dim uint8

const (
	dimStack dim = iota
	dimThread
	dimSize
	dimCount
)

// cell is the cumulative sums of one key. Sums of bytes saturate.
type cell struct {
	allocBytes, endedBytes uint64
	allocCount, endedCount uint32 // blocks that a FREE or an ALLOC over their address ended
	temporary              uint32 // counted at the event that ends the block
	overCount              uint32 // of the ended ones, those that an ALLOC ended
	overBytes              uint64
}

// change is what happens to a block.
type change uint8

const (
	born        change = iota
	freed              // by a FREE
	freedAtOnce        // by the FREE that is the very next event: a temporary block
	overwrote          // by an ALLOC over its address
)

func (c *cell) apply(how change, size uint64) {
	if how == born {
		c.allocBytes, _ = model.SaturatingAdd(c.allocBytes, size)
		c.allocCount++
		return
	}
	c.endedBytes, _ = model.SaturatingAdd(c.endedBytes, size)
	c.endedCount++
	switch how {
	case freedAtOnce:
		c.temporary++
	case overwrote:
		c.overBytes, _ = model.SaturatingAdd(c.overBytes, size)
		c.overCount++
	}
}

// add adds the sums of events that follow.
func (c *cell) add(o *cell) {
	c.allocBytes, _ = model.SaturatingAdd(c.allocBytes, o.allocBytes)
	c.endedBytes, _ = model.SaturatingAdd(c.endedBytes, o.endedBytes)
	c.overBytes, _ = model.SaturatingAdd(c.overBytes, o.overBytes)
	c.allocCount += o.allocCount
	c.endedCount += o.endedCount
	c.overCount += o.overCount
	c.temporary += o.temporary
}

func (c *cell) liveBytes() uint64 { return c.allocBytes - min(c.endedBytes, c.allocBytes) }

func (c *cell) liveCount() uint64 { return uint64(c.allocCount - c.endedCount) }

// checkpoint is a copy of all sums after a number of events.
type checkpoint struct {
	events int
	sums   [dimCount][]cell
}

func (c *checkpoint) memory() int64 {
	n := 0
	for _, s := range c.sums {
		n += len(s)
	}
	return int64(n) * int64(unsafe.Sizeof(cell{}))
}

// checkpointEvery keeps an answer's replay short, and checkpoints below a few bytes per event however many stacks there are.
