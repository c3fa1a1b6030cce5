package tally

import (
	"math/bits"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// MostStacks is the number of stacks whose lifetimes are counted. In a hostile file every event may have its own.
const MostStacks = 1 << 15

const pieceStacks = 1 << 7

// livesPiece has the lifetimes of the blocks of some stacks.
type livesPiece [pieceStacks]lives

// lives counts the blocks of a stack by their lifetimes. No trace has as many as 32 bits do not hold.
type lives struct {
	longest, oldest model.Time
	lived, ages     [analysis.LifeClasses]uint32 // the shortest lives share a cache line with the fields above
}

// of returns the counts of a stack, nil beyond MostStacks.
func (t *Tally) of(stack uint32) *lives {
	if stack >= MostStacks {
		return nil
	}
	piece := int(stack / pieceStacks)
	for piece >= len(t.lives) {
		t.lives = append(t.lives, nil)
	}
	if t.lives[piece] == nil {
		t.lives[piece] = new(livesPiece)
		clear(t.lives[piece][:]) // a fresh page that is read before it is written faults twice
	}
	return &t.lives[piece][stack%pieceStacks]
}

// died counts a block that ended.
func (t *Tally) died(stack uint32, size uint64, lived model.Time) {
	class := bits.Len64(uint64(lived))
	t.Grid[bits.Len64(size)][class].Add(1, size)
	if l := t.of(stack); l != nil {
		l.lived[class]++
		l.longest = max(l.longest, lived)
	}
}

// Begin begins to add records. It reports whether that has not begun before: they must be added once.
func (t *Tally) Begin() bool {
	fresh := !t.begun
	t.begun = true
	return fresh
}

// Died counts a block with a record that ended.
func (t *Tally) Died(stack uint32, size uint64, lived model.Time) { t.died(stack, size, lived) }

// Stayed counts a block that was never freed. age is that at the end of the run.
func (t *Tally) Stayed(stack uint32, size uint64, age model.Time) {
	t.Grid[bits.Len64(size)][analysis.NeverFreed].Add(1, size)
	if l := t.of(stack); l != nil {
		l.ages[bits.Len64(uint64(age))]++
		l.oldest = max(l.oldest, age)
	}
}

// Lives sets the counts of some stacks, and reports whether they are all known.
func (t *Tally) Lives(keys []analysis.Key, to []analysis.Lives) bool {
	for i, key := range keys {
		l := t.of(uint32(key))
		if l == nil {
			return false
		}
		to[i] = analysis.Lives{Longest: l.longest, Oldest: l.oldest}
		for class := range l.lived {
			to[i].Lived[class], to[i].Ages[class] = uint64(l.lived[class]), uint64(l.ages[class])
			to[i].Freed += uint64(l.lived[class])
			to[i].NeverFreed += uint64(l.ages[class])
		}
	}
	return true
}
