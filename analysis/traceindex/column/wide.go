package column

import (
	"math"
	"math/bits"
)

// Shown reduces a level of 128 bits to 64: levels saturate only when they are shown.
func Shown(hi, lo uint64) uint64 {
	if hi != 0 {
		return math.MaxUint64
	}
	return lo
}

// Add128 adds a number to one of 128 bits.
func Add128(hi, lo, v uint64) (uint64, uint64) {
	lo, carry := bits.Add64(lo, v, 0)
	return hi + carry, lo
}

// Sub128 takes a number from one of 128 bits, which it does not exceed.
func Sub128(hi, lo, v uint64) (uint64, uint64) {
	lo, borrow := bits.Sub64(lo, v, 0)
	return hi - borrow, lo
}

// ChangedKeys appends the keys whose cells are not zero.
func ChangedKeys(keys []uint32, cells []Cell) []uint32 {
	for k := range cells {
		if !cells[k].IsZero() {
			keys = append(keys, uint32(k))
		}
	}
	return keys
}
