package heaptrack

import (
	"sync/atomic"

	"github.com/memtui/memtui/model"
)

// Addresses of blocks that have none in the file.
const (
	firstInvented = 1 << 16
	inventedEvery = 32 // table of addresses works best with one block per 32 bytes
	// neverAllocated is the address of a block that was never allocated.
	neverAllocated = 1 << 44
)

// invented assigns slots, which represent addresses, to the blocks of interpreted files: the last allocated block of an
// "a" line is the first to be freed. A slot is reused after its block was freed, the last freed one first. Slots count
// from 1.
type invented struct {
	kinds // by "a" line
	shown atomic.Pointer[kinds]

	heads []uint32 // by "a" line + 1: the slot of the last allocated live block; first the last freed slot; 0 for none
	below []uint32 // by slot: the next one below in its stack of slots
	born  []uint8  // by "a" line: 1 if it ever had a block
	full  bool
}

// kinds are "a" lines: the size and the stack that blocks share. Entries are only added.
type kinds struct {
	sizes  []uint64
	traces []uint32
	both   []uint64 // 32 bits each, for the fast path, as accesses are random
	large  bool     // some sizes do not fit 32 bits
}

func (t *invented) init() {
	t.heads, t.below = make([]uint32, 1), make([]uint32, 1)
	t.show()
}

// show publishes the kinds so far to decoders. They do not change.
func (t *invented) show() {
	if old := t.shown.Load(); old == nil || len(old.sizes) < len(t.sizes) {
		now := t.kinds
		t.shown.Store(&now)
	}
}

// use marks the stacks of all kinds that have blocks.
func (t *invented) use(used []uint64) {
	for i, born := range t.born {
		if trace := t.traces[i]; born != 0 && trace > 0 {
			used[(trace-1)/64] |= 1 << ((trace - 1) % 64)
		}
	}
}

// addressOf returns the address that a slot represents, neverAllocated for 0.
func addressOf(slot uint64) uint64 {
	if slot == 0 {
		return neverAllocated
	}
	return firstInvented + (slot-1)*inventedEvery
}

// add adds an "a" line.
func (t *invented) add(size uint64, trace uint32) {
	t.sizes, t.traces, t.both = append(t.sizes, size), append(t.traces, trace), append(t.both, size<<32|uint64(trace))
	t.large = t.large || size >= 1<<32
	t.heads, t.born = append(t.heads, 0), append(t.born, 0)
}

// fits reports whether another block fits.
func (t *invented) fits(b *model.Budget) bool {
	if n := len(t.below) - 1; t.heads[0] == 0 && n%checkEvery == 0 && n > 0 && !t.full {
		t.full = b.Full(model.BudgetOfFile) || n == 1<<32-checkEvery
	}
	return t.heads[0] != 0 || !t.full
}

// another returns a new slot.
func (t *invented) another() uint32 {
	t.below = append(t.below, 0)
	return uint32(len(t.below) - 1)
}

// alloc returns the address of a new block, which must fit.
func (t *invented) alloc(info uint32) uint64 {
	slot := t.heads[0]
	if slot == 0 {
		slot = t.another()
	}
	t.heads[0], t.below[slot], t.heads[info+1] = t.below[slot], t.heads[info+1], slot
	return addressOf(uint64(slot))
}

// free returns the address of the freed block, neverAllocated if none is live.
func (t *invented) free(info uint32) uint64 {
	slot := t.heads[info+1]
	if slot != 0 {
		t.heads[info+1], t.below[slot], t.heads[0] = t.below[slot], t.heads[0], slot
	}
	return addressOf(uint64(slot))
}
