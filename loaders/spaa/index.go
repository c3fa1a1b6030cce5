package spaa

import "math/bits"

// index finds numbers by hashes of what they stand for, in eight bytes each. Whether a number that has the hash is the one looked
// for, its user must see for himself. The zero index is empty.
type index struct {
	slots []slot // their number is a power of two
	count int
}

type slot struct {
	tag   uint32 // the hash's upper half; its lower half is where the slot is, or before
	value uint32 // 0 is a free slot; others are one more than the value
}

// seek starts a search: call next until ok is false.
func (x *index) seek(hash uint64) search {
	return search{x.slots, uint32(hash>>32) | 1, uint32(hash)}
}

// search goes over the values that have a hash.
type search struct {
	slots []slot
	tag   uint32
	at    uint32
}

// next returns another value. ok is false behind the last one.
func (s *search) next() (value uint32, ok bool) {
	if len(s.slots) == 0 {
		return 0, false
	}
	for mask := uint32(len(s.slots) - 1); ; {
		c := s.slots[s.at&mask]
		s.at++
		if c.value == 0 {
			return 0, false
		}
		if c.tag == s.tag {
			return c.value - 1, true
		}
	}
}

// full reports whether more values need more room.
func (x *index) full(more int) bool { return 5*(x.count+more) > 4*len(x.slots) }

// clear makes the index empty, with room for as many values as it is said to get.
func (x *index) clear(values int) {
	x.slots, x.count = make([]slot, 1<<bits.Len(uint(max(values, 48)*5/4-1))), 0
}

// put adds a value, for which there is room.
func (x *index) put(hash uint64, value uint32) {
	mask := uint32(len(x.slots) - 1)
	at := uint32(hash)
	for x.slots[at&mask].value != 0 {
		at++
	}
	x.slots[at&mask] = slot{uint32(hash>>32) | 1, value + 1}
	x.count++
}

// mix is a hash of two numbers.
func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xe7037ed1a0b428db)
	return high ^ low
}
