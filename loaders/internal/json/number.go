package json

import (
	"math"
	"strconv"
	"strings"
)

// wordEnd returns how many bytes of b, possibly all, look like a number or a literal.
func wordEnd(b []byte) int {
	for _, word := range [...]string{"true", "false", "null"} {
		if len(b) >= len(word) && string(b[:len(word)]) == word {
			return len(word)
		}
	}
	return numberEnd(b)
}

// numberEnd returns the length of the number at the start of b, or the index of the first byte that does not continue
// it.
func numberEnd(b []byte) (n int) {
	if n < len(b) && b[n] == '-' {
		n++
	}
	from := n
	if n < len(b) && b[n] == '0' {
		n++
	} else if n = digitsEnd(b, n); n == from {
		return n
	}
	if n < len(b) && b[n] == '.' {
		from = n + 1
		if n = digitsEnd(b, from); n == from {
			return n
		}
	}
	if n < len(b) && b[n]|0x20 == 'e' {
		if n++; n < len(b) && (b[n] == '-' || b[n] == '+') {
			n++
		}
		n = digitsEnd(b, n)
	}
	return n
}

// digitsEnd returns the index of the first byte from i that is not a digit.
func digitsEnd(b []byte, i int) int {
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}

// number reports whether b, accepted by [numberEnd], is a complete number: it ends with a digit.
func number(b []byte) bool { return b[len(b)-1]-'0' <= 9 }

// IsNumber reports whether b is a JSON number.
func IsNumber(b []byte) bool { return len(b) > 0 && numberEnd(b) == len(b) && number(b) }

// Uint reads digits as an integer of 64 bits; ok is false for anything else.
func Uint(b []byte) (n uint64, ok bool) {
	if len(b) > 20 {
		return 0, false
	}
	if len(b) == 20 {
		n, err := strconv.ParseUint(string(b), 10, 64)
		return n, err == nil && b[0] != '+'
	}
	for _, c := range b {
		if c -= '0'; c > 9 {
			return 0, false
		}
		n = n*10 + uint64(c)
	}
	return n, len(b) > 0
}

// Int reads an integer of 64 bits with or without a sign; ok is false for anything else.
func Int(b []byte) (n int64, ok bool) {
	digits := b
	if len(b) > 0 && b[0] == '-' {
		digits = b[1:]
	}
	u, ok := Uint(digits)
	switch {
	case !ok || u > 1<<63 || u == 1<<63 && len(digits) == len(b):
		return 0, false
	case len(digits) < len(b):
		return -int64(u), true
	}
	return int64(u), true
}

// tens is the powers of ten that floats represent exactly.
var tens = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

// Float reads a number as the nearest float. ok is false for anything else; a number too large becomes infinite.
func Float(b []byte) (f float64, ok bool) {
	digits, point, n := 0, -1, uint64(0)
	for i, c := range b {
		if c == '.' && point < 0 && i > 0 {
			point = i
			continue
		}
		if c -= '0'; c > 9 {
			return slowFloat(b)
		}
		n = n*10 + uint64(c)
		digits++
	}
	if digits == 0 || digits > 18 || n > 1<<53 || point == len(b)-1 {
		return slowFloat(b)
	}
	if point < 0 {
		return float64(n), true
	}
	return float64(n) / tens[len(b)-1-point], true // exact operands: the nearest float
}

func slowFloat(b []byte) (float64, bool) {
	if len(b) == 0 || b[0] != '-' && b[0]-'0' > 9 || strings.Trim(string(b), "0123456789.eE+-") != "" {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil && !math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}
