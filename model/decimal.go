package model

import (
	"errors"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Decimal is an unsigned decimal number as users write it, exact to maxDigits decimal places. The zero Decimal is 0.
type Decimal struct {
	mantissa uint64
	digits   int // decimal places; at most maxDigits
}

// maxDigits is how many decimal places count; further ones are ignored.
const maxDigits = 12

var errNumber = errors.New("not a number")

// CutDecimal reads a decimal number from the start of s and returns the rest of s. It fails if s does not begin with a
// digit or point, and if the number does not fit.
func CutDecimal(s string) (d Decimal, rest string, err error) {
	i, seen, point := 0, false, false
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if c < '0' || c > '9' {
			break
		}
		seen = true
		if point && d.digits == maxDigits {
			continue
		}
		if d.mantissa > (math.MaxUint64-uint64(c-'0'))/10 {
			return Decimal{}, s, errNumber
		}
		d.mantissa = d.mantissa*10 + uint64(c-'0')
		if point {
			d.digits++
		}
	}
	if !seen {
		return Decimal{}, s, errNumber
	}
	return d, s[i:], nil
}

// scale returns 10^digits.
func (d Decimal) scale() uint64 {
	n := uint64(1)
	for range d.digits {
		n *= 10
	}
	return n
}

// Over reports whether d > n.
func (d Decimal) Over(n uint64) bool {
	hi, lo := bits.Mul64(n, d.scale())
	return hi == 0 && d.mantissa > lo
}

// Times returns floor(d × num / den), or 2^64-1 if that does not fit. den is from 1 to 2^24.
func (d Decimal) Times(num, den uint64) uint64 {
	hi, lo := bits.Mul64(d.mantissa, num)
	by := d.scale() * den // 10^maxDigits is below 2^40
	if hi >= by {
		return math.MaxUint64
	}
	quotient, _ := bits.Div64(hi, lo, by)
	return quotient
}

// Float64 returns the nearest float.
func (d Decimal) Float64() float64 { return float64(d.mantissa) / float64(d.scale()) }

// Percent returns the float nearest to d percent, equal to that of the same [Share].
func (d Decimal) Percent() float64 { return float64(d.mantissa) / float64(d.scale()*100) }

// String returns d with as many decimal places as were written.
func (d Decimal) String() string {
	s := strconv.FormatUint(d.mantissa, 10)
	if d.digits == 0 {
		return s
	}
	s = strings.Repeat("0", max(d.digits+1-len(s), 0)) + s
	return s[:len(s)-d.digits] + "." + s[len(s)-d.digits:]
}
