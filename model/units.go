package model

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Time is microseconds since the start of the file. Sums saturate at [MaxTime].
type Time int64

const (
	MaxTime   Time = math.MaxInt64
	Second    Time = 1_000_000
	NoTime    Time = -1 // unknown, or "before everything": no event has it
	NoOffset       = int64(-1)
	kibi           = 1 << 10
	binarySfx      = "KMGTPE"
)

// Bytes is an amount of memory. Sums saturate at 2^64-1; whoever adds them up flags that.
type Bytes uint64

// String renders b for people: three significant digits, binary units, a space before the unit ("32.5 KiB"). Amounts
// below 1,024 are exact. [Bytes.Exact] renders the exact number.
func (b Bytes) String() string {
	if b < kibi {
		return strconv.FormatUint(uint64(b), 10) + " B"
	}
	f, unit := scaleBinary(float64(b))
	return threeDigits(f) + " " + string(binarySfx[unit]) + "iB"
}

// Short renders b in at most five cells for axes and narrow columns ("32.5K", "960").
func (b Bytes) Short() string {
	if b < kibi {
		return strconv.FormatUint(uint64(b), 10)
	}
	f, unit := scaleBinary(float64(b))
	return threeDigits(f) + string(binarySfx[unit])
}

// scaleBinary divides f until it prints as less than 1,024, and returns the index of the unit in binarySfx.
func scaleBinary(f float64) (float64, int) {
	unit := -1
	for unit < len(binarySfx)-1 && (f >= kibi || (unit >= 0 && f >= 1023.5)) {
		f /= kibi
		unit++
	}
	return f, unit
}

// threeDigits prints f, 0 ≤ f < 1024, with three significant digits ("1.13", "32.5", "390", "1023" with four).
func threeDigits(f float64) string {
	switch {
	case f < 9.995:
		return strconv.FormatFloat(f, 'f', 2, 64)
	case f < 99.95:
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return strconv.FormatFloat(f, 'f', 0, 64)
}

// Exact renders b with thousands separators and its unit ("439,382 B").
func (b Bytes) Exact() string { return Group(uint64(b)) + " B" }

// String renders t with three significant digits and the unit that fits ("76.0 ms", "1.25 s", "4 h 03 m").
func (t Time) String() string {
	if t < 0 {
		return "-" + (-max(t, -MaxTime)).String()
	}
	us := float64(t)
	switch {
	case t < 1000:
		return strconv.FormatInt(int64(t), 10) + " µs"
	case us < 999_500:
		return threeDigits(us/1e3) + " ms"
	case t < 100*Second:
		return threeDigits(us/1e6) + " s"
	case t < 3600*Second:
		return fmt.Sprintf("%d m %02d s", t/Second/60, t/Second%60)
	case t < 48*3600*Second:
		return fmt.Sprintf("%d h %02d m", t/Second/3600, t/Second/60%60)
	case t < 1000*24*3600*Second:
		return fmt.Sprintf("%d d %02d h", t/Second/86400, t/Second/3600%24)
	}
	return threeSignificant(us/1e6/86400/365.25) + " years"
}

// In renders t as a number of units, if times are not microseconds ("2.13M instructions"); "" means microseconds.
func (t Time) In(unit string) string {
	if unit == "" {
		return t.String()
	}
	if t == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	return ShortCount(uint64(max(t, 0))) + " " + Clean(unit)
}

func threeSignificant(f float64) string {
	if f < 1000 {
		return threeDigits(f)
	}
	return Group(uint64(f))
}

// Duration converts t, saturating where nanoseconds overflow (292 years).
func (t Time) Duration() time.Duration {
	if t > Time(math.MaxInt64/1000) {
		return math.MaxInt64
	}
	return time.Duration(t) * time.Microsecond
}

// Add returns t+d, saturating at MaxTime. ok is false if it did. Both must be ≥ 0.
func (t Time) Add(d uint64) (sum Time, ok bool) {
	if d > uint64(MaxTime-t) {
		return MaxTime, false
	}
	return t + Time(d), true
}

// Group renders n with thousands separators ("7,028").
func Group(n uint64) string {
	s := strconv.FormatUint(n, 10)
	if len(s) <= 3 {
		return s
	}
	out := make([]byte, 0, len(s)+len(s)/3)
	for i := range len(s) {
		if i > 0 && (len(s)-i)%3 == 0 {
			out = append(out, ',')
		}
		out = append(out, s[i])
	}
	return string(out)
}

// ShortCount renders a count in at most five cells ("7,028", "12.3k", "4.50M"); k, M, G are powers of ten.
func ShortCount(n uint64) string {
	if n < 10_000 {
		return Group(n)
	}
	f, unit := float64(n), -1
	for unit < 5 && f >= 999.5 {
		f /= 1000
		unit++
	}
	return threeDigits(f) + string("kMGTPE"[unit])
}

// SaturatingAdd returns a+b, or 2^64-1 and false if the sum does not fit.
func SaturatingAdd(a, b uint64) (uint64, bool) {
	if s := a + b; s >= a {
		return s, true
	}
	return math.MaxUint64, false
}
