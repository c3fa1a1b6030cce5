package spaa

import (
	"encoding/binary"
	"math/bits"
)

// index finds numbers by hashes of their keys, in eight bytes each. Its user must check that a number with the hash is
// the one searched for. The zero index is empty; a used one must be freed.
type index struct {
	slots scratch // 2^n, each 0 if free, otherwise the value plus one, below the hash's upper half
	mask  uint32
	count int
}

const slotSize = 8

// at returns the slot of that number, modulo the number of slots, which must not be 0.
func (x *index) at(n uint32) uint64 {
	return binary.LittleEndian.Uint64(x.slots.b[slotSize*int(n&x.mask):])
}

func (x *index) empty() bool { return len(x.slots.b) == 0 }

// seek starts a search: call next until ok is false. Nothing may be put until then.
func (x *index) seek(hash uint64) search { return search{x, hash >> 32, uint32(hash)} }

// search iterates over the values of a hash.
type search struct {
	x   *index
	tag uint64
	n   uint32
}

// next returns the next value. ok is false after the last one.
func (s *search) next() (value uint32, ok bool) {
	if s.x.empty() {
		return 0, false
	}
	for {
		c := s.x.at(s.n)
		s.n++
		if uint32(c) == 0 {
			return 0, false
		}
		if c>>32 == s.tag {
			return uint32(c) - 1, true
		}
	}
}

// full reports whether more values need more slots.
func (x *index) full(more int) bool { return 5*slotSize*(x.count+more) > 4*len(x.slots.b) }

// clear empties the index, with capacity for the given number of values.
func (x *index) clear(values int) {
	x.free()
	n := 1 << bits.Len(uint(max(values, 48)*5/4-1))
	x.slots, x.mask = newScratch(slotSize*n), uint32(n-1)
}

func (x *index) free() {
	x.slots.free()
	x.count = 0
}

// put adds a value, which must fit.
func (x *index) put(hash uint64, value uint32) {
	n := uint32(hash)
	for uint32(x.at(n)) != 0 {
		n++
	}
	binary.LittleEndian.PutUint64(x.slots.b[slotSize*int(n&x.mask):], hash&^(1<<32-1)|uint64(value+1))
	x.count++
}

// mix returns a hash of two numbers.
func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xe7037ed1a0b428db)
	return high ^ low
}
