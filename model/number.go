package model

import (
	"cmp"
	"math"
	"math/big"
	"math/bits"
	"strconv"
)

// Number is one weight, exactly as in the file: an integer of 64 bits, signed or not, or a float. The zero Number is 0.
type Number struct {
	bits uint64
	kind uint8
}

// Unsigned, Signed and Float are numbers of their kinds; Float must be finite.
func Unsigned(n uint64) Number { return Number{n, bitsUnsigned} }

// Signed returns the number of a signed integer.
func Signed(n int64) Number { return Number{uint64(n), bitsSigned} }

// Float returns the number of a float that is not an integer of 64 bits.
func Float(f float64) Number { return Number{math.Float64bits(f), bitsFloat} }

// packed returns bits that are small for common numbers: the sign is last, and the bits of a float are reversed.
func (n Number) packed() uint64 {
	switch n.kind {
	case bitsSigned:
		return n.bits<<1 ^ uint64(int64(n.bits)>>63)
	case bitsFloat:
		return bits.Reverse64(n.bits)
	}
	return n.bits
}

// unpacked returns the number with these packed bits.
func (n Number) unpacked() Number {
	switch n.kind {
	case bitsSigned:
		n.bits = n.bits>>1 ^ -(n.bits & 1)
	case bitsFloat:
		n.bits = bits.Reverse64(n.bits)
	}
	return n
}

// Float64 returns the nearest float.
func (n Number) Float64() float64 {
	switch n.kind {
	case bitsSigned:
		return float64(int64(n.bits))
	case bitsFloat:
		return math.Float64frombits(n.bits)
	}
	return float64(n.bits)
}

// Integer reports whether the number is an integer.
func (n Number) Integer() bool { return n.kind != bitsFloat }

// Small returns the number if it is an integer from 0 to most.
func (n Number) Small(most uint64) (v uint64, ok bool) {
	return n.bits, n.kind == bitsUnsigned && n.bits <= most
}

// Amount is a sum of numbers. Integers are added exactly, in 128 bits; with a float among them, the sum is a float. The
// zero Amount is 0.
type Amount struct {
	high  int64 // high and low are one signed number
	low   uint64
	float float64
	mixed bool
}

// Add adds a number.
func (a *Amount) Add(n Number) {
	switch n.kind {
	case bitsFloat:
		a.float += math.Float64frombits(n.bits)
		a.mixed = true
	case bitsSigned:
		a.add128(int64(n.bits)>>63, n.bits)
	default:
		a.add128(0, n.bits)
	}
}

// Sum adds another amount.
func (a *Amount) Sum(b Amount) {
	a.add128(b.high, b.low)
	a.float += b.float
	a.mixed = a.mixed || b.mixed
}

func (a *Amount) add128(high int64, low uint64) {
	sum, carry := bits.Add64(a.low, low, 0)
	a.low = sum
	a.high += high + int64(carry)
}

// Minus returns a - b.
func (a Amount) Minus(b Amount) Amount {
	low, borrow := bits.Sub64(a.low, b.low, 0)
	return Amount{a.high - b.high - int64(borrow), low, a.float - b.float, a.mixed || b.mixed}
}

// IsZero reports whether the amount is 0.
func (a Amount) IsZero() bool { return a.Float64() == 0 }

// IsFloat reports whether the sum has a float.
func (a Amount) IsFloat() bool { return a.mixed }

// Float64 returns the nearest float.
func (a Amount) Float64() float64 {
	switch {
	case a.high == 0:
		return float64(a.low) + a.float
	case a.high == -1 && a.low > 1<<63:
		return -float64(-a.low) + a.float
	}
	return float64(a.high)*(1<<64) + float64(a.low) + a.float
}

// Compare orders amounts.
func (a Amount) Compare(b Amount) int {
	if a.mixed || b.mixed {
		return cmp.Compare(a.Float64(), b.Float64())
	}
	return cmp.Or(cmp.Compare(a.high, b.high), cmp.Compare(a.low, b.low))
}

// Uint64 returns the amount without its fraction: 0 if it is negative, 2^64-1 if it is larger.
func (a Amount) Uint64() uint64 {
	switch {
	case a.mixed:
		return uint64(max(0, min(a.Float64(), math.MaxUint64/2)))
	case a.high < 0:
		return 0
	case a.high > 0:
		return math.MaxUint64
	}
	return a.low
}

// Number returns the amount as a number: exact if it is an integer of 64 bits, otherwise the nearest float.
func (a Amount) Number() Number {
	switch {
	case !a.mixed && a.high == 0:
		return Unsigned(a.low)
	case !a.mixed && a.high == -1 && int64(a.low) < 0:
		return Signed(int64(a.low))
	}
	return Float(max(-math.MaxFloat64, min(math.MaxFloat64, a.Float64())))
}

// Exact returns the amount if it is an integer from 0 to 2^64-1.
func (a Amount) Exact() (n uint64, ok bool) { return a.low, a.high == 0 && !a.mixed }

// String returns the exact decimal number; for floats, the shortest that parses to the same value.
func (a Amount) String() string {
	switch {
	case a.mixed:
		return strconv.FormatFloat(a.Float64(), 'g', -1, 64)
	case a.high == 0:
		return strconv.FormatUint(a.low, 10)
	}
	n := new(big.Int).Lsh(big.NewInt(a.high), 64)
	return n.Add(n, new(big.Int).SetUint64(a.low)).String()
}
