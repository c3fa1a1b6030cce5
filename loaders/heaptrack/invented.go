package heaptrack

import "github.com/memtui/memtui/model"

// Addresses of blocks that have none.
const (
	firstInvented = 1 << 16
	inventedEvery = 16
	// nowhere is the address of a block that was never allocated.
	nowhere = 1 << 44
)

// invented gives addresses to the blocks of interpreted files: the block of an "a" line that was allocated last is the first to die. An
// address is used again after its block, the one given up last first.
type invented struct {
	size  []uint64 // by "a" line
	trace []uint32
	head  []uint32 // by "a" line: the block that lives and was allocated last, as a slot + 1; 0 for none

	below []uint32 // by slot: the block below it, or the next slot that is not used; + 1
	spare uint32   // the slot that was given up last, + 1
	full  bool
}

// add takes an "a" line.
func (t *invented) add(size uint64, trace uint32) {
	t.size, t.trace, t.head = append(t.size, size), append(t.trace, trace), append(t.head, 0)
}

// roomy reports whether there is room for another block.
func (t *invented) roomy(b *model.Budget) bool {
	if t.spare == 0 && len(t.below)%checkEvery == 0 && len(t.below) > 0 && !t.full {
		t.full = b.Full(model.BudgetOfFile) || len(t.below) == 1<<32-2
	}
	return t.spare != 0 || !t.full
}

// alloc returns the address of a new block. There must be room.
func (t *invented) alloc(info uint32) uint64 {
	slot := t.spare
	if slot == 0 {
		t.below = append(t.below, 0)
		slot = uint32(len(t.below))
	} else {
		t.spare = t.below[slot-1]
	}
	t.below[slot-1], t.head[info] = t.head[info], slot
	return firstInvented + uint64(slot-1)*inventedEvery
}

// free returns the address of the block that dies, nowhere if none lives.
func (t *invented) free(info uint32) uint64 {
	slot := t.head[info]
	if slot == 0 {
		return nowhere
	}
	t.head[info], t.below[slot-1], t.spare = t.below[slot-1], t.spare, slot
	return firstInvented + uint64(slot-1)*inventedEvery
}
