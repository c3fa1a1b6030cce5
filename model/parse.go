package model

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// ParseSize reads an amount of memory: "4096", "64KiB", "64K", "1.5M", "2GB". Units are binary, upper or lower case.
func ParseSize(s string) (Bytes, error) {
	num, unit := splitUnit(s)
	unit = strings.TrimSuffix(strings.TrimSuffix(strings.ToUpper(unit), "B"), "I")
	shift := 0
	if unit != "" {
		i := strings.Index(binarySfx, unit)
		if len(unit) != 1 || i < 0 {
			return 0, fmt.Errorf("size %q: unknown unit; write 4096, 64KiB or 1.5M", s)
		}
		shift = 10 * (i + 1)
	}
	if n, err := strconv.ParseUint(num, 10, 64); err == nil && n <= math.MaxUint64>>shift {
		return Bytes(n << shift), nil
	}
	f, err := strconv.ParseFloat(num, 64)
	f *= math.Exp2(float64(shift))
	if err != nil || !(f >= 0 && f < math.MaxUint64) {
		return 0, fmt.Errorf("size %q: write 4096, 64KiB or 1.5M", s)
	}
	return Bytes(f), nil
}

var timeUnits = []struct {
	name string
	us   float64
}{{"us", 1}, {"µs", 1}, {"ms", 1e3}, {"s", 1e6}, {"m", 60e6}, {"h", 3600e6}, {"d", 86400e6}}

// ParseTime reads a time or a duration: "12.5s", "350ms", "900us", "4h3m", or "50%" of duration. "0" needs no unit.
func ParseTime(s string, duration Time) (Time, error) {
	bad := fmt.Errorf("time %q: write 12.5s, 350ms, 900us, 4h3m or 50%%", s)
	rest := strings.ReplaceAll(strings.TrimSpace(s), " ", "")
	if rest == "0" {
		return 0, nil
	}
	if p, ok := strings.CutSuffix(rest, "%"); ok {
		f, err := strconv.ParseFloat(p, 64)
		if err != nil || !(f >= 0 && f <= 100) {
			return 0, fmt.Errorf("time %q: a percentage lies between 0%% and 100%%", s)
		}
		return Time(float64(duration) * f / 100), nil
	}
	sum := 0.0
	for again := true; again; again = rest != "" {
		num, tail := splitUnit(rest)
		unit := tail
		if i := strings.IndexAny(tail, "0123456789."); i >= 0 {
			unit = tail[:i]
		}
		f, err := strconv.ParseFloat(num, 64)
		us, ok := unitOf(unit)
		if err != nil || !ok || !(f >= 0) {
			return 0, bad
		}
		sum += f * us
		rest = tail[len(unit):]
	}
	if sum >= float64(MaxTime) {
		return MaxTime, nil
	}
	return Time(math.Round(sum)), nil
}

// CheckTime refuses a time beyond the end of a recording. Where the two differ by less than is usually shown, it tells both in
// microseconds.
func CheckTime(t, end Time) error {
	if t <= end {
		return nil
	}
	at, last := t.String(), end.String()
	if at == last {
		at, last = Group(uint64(t))+" µs", Group(uint64(end))+" µs"
	}
	return fmt.Errorf("%s is beyond the end of the recording, which is at %s", at, last)
}

func unitOf(name string) (us float64, ok bool) {
	for _, u := range timeUnits {
		if u.name == name {
			return u.us, true
		}
	}
	return 0, false
}

// splitUnit cuts s behind its leading digits and points.
func splitUnit(s string) (num, unit string) {
	s = strings.TrimSpace(s)
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.') {
		i++
	}
	return s[:i], strings.TrimSpace(s[i:])
}
