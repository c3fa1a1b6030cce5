package model

import (
	"fmt"
	"math"
	"strings"
)

// ParseSize reads an amount of memory: 4096, 64KiB, 64K, 1.5M, 2GB. Units are binary, upper or lower case. What does
// not fit 64 bits becomes the largest value.
func ParseSize(text string) (Bytes, error) {
	d, unit, err := CutDecimal(strings.TrimSpace(text))
	if err != nil {
		return 0, fmt.Errorf("invalid size %q: write 64KiB, 1.5M or 4096", text)
	}
	unit = strings.ToUpper(strings.TrimSpace(unit))
	if unit == "" || unit == "B" {
		return Bytes(d.Times(1, 1)), nil
	}
	letter := strings.TrimSuffix(strings.TrimSuffix(unit, "B"), "I")
	i := strings.Index(binarySfx, letter)
	if len(letter) != 1 || i < 0 {
		return 0, fmt.Errorf("invalid size %q: unknown unit %q", text, strings.ToLower(unit))
	}
	return Bytes(d.Times(1<<(10*(i+1)), 1)), nil
}

// ParseShare reads a share of something, such as 12.5%, in percent. It may be above 100%.
func ParseShare(text string) (Decimal, error) {
	number, ok := strings.CutSuffix(strings.TrimSpace(text), "%")
	d, rest, err := CutDecimal(strings.TrimSpace(number))
	if !ok || err != nil || rest != "" {
		return Decimal{}, fmt.Errorf("invalid percentage %q: write 12.5%%", text)
	}
	return d, nil
}

// TimeUnit returns the length of a unit: num/den microseconds.
func TimeUnit(name string) (num, den uint64, ok bool) {
	switch name {
	case "ns":
		return 1, 1000, true
	case "us", "µs", "μs":
		return 1, 1, true
	case "ms":
		return 1000, 1, true
	case "s":
		return 1e6, 1, true
	case "m", "min":
		return 60e6, 1, true
	case "h":
		return 3600e6, 1, true
	case "d":
		return 24 * 3600e6, 1, true
	}
	return 0, 0, false
}

// ParseTime reads numbers with units, one after the other: 4h3m, or a plain 0. Case does not matter, and blanks may
// surround units. Times are rounded down to microseconds; those beyond [MaxTime] become MaxTime.
func ParseTime(text string) (Time, error) {
	s := strings.ToLower(strings.TrimSpace(text))
	if s == "0" {
		return 0, nil
	}
	sum, rest := uint64(0), s
	for {
		d, tail, err := CutDecimal(rest)
		if err != nil {
			return 0, fmt.Errorf("invalid time %q: write 12.5s, 350ms, 900us, 5min, 4h3m, 50%%, peak or end", s)
		}
		end := strings.IndexAny(tail, "0123456789.")
		if end < 0 {
			end = len(tail)
		}
		num, den, ok := TimeUnit(strings.TrimSpace(tail[:end]))
		if !ok {
			return 0, fmt.Errorf("invalid time %q: %q has an unknown unit; write us, ms, s, min or h", s, strings.TrimSpace(rest))
		}
		sum, _ = SaturatingAdd(sum, d.Times(num, den))
		if rest = tail[end:]; rest == "" {
			return Time(min(sum, math.MaxInt64)), nil
		}
	}
}
