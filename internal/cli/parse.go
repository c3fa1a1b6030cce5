package cli

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"

	"github.com/memtui/memtui/model"
)

// moment is a point in time as the user writes it: it can be resolved only when the file is known. The zero moment was
// not given.
type moment struct {
	kind  momentKind
	time  model.Time // absolute
	share decimal    // of the duration, in percent
}

type momentKind uint8

const (
	notGiven momentKind = iota
	absolute
	percent
	peakTime
	endTime
)

func (m moment) given() bool { return m.kind != notGiven }

// UnmarshalText reads a time: 12.5s, 350ms, 4h3m, 50%, peak, end, or a plain 0.
func (m *moment) UnmarshalText(text []byte) error {
	s := strings.ToLower(strings.TrimSpace(string(text)))
	switch s {
	case "peak":
		*m = moment{kind: peakTime}
		return nil
	case "end":
		*m = moment{kind: endTime}
		return nil
	case "start", "0":
		*m = moment{kind: absolute}
		return nil
	}
	if number, ok := strings.CutSuffix(s, "%"); ok {
		d, rest, err := readDecimal(number)
		if err != nil || rest != "" || d.over(100) {
			return fmt.Errorf("%q is no share of the duration: write 0%% to 100%%", s)
		}
		*m = moment{kind: percent, share: d}
		return nil
	}
	t, err := parseTime(s)
	if err != nil {
		return err
	}
	*m = moment{kind: absolute, time: t}
	return nil
}

// resolve is the moment in a file of that duration, whose peak is at peak.
func (m moment) resolve(duration, peak model.Time) model.Time {
	switch m.kind {
	case absolute:
		return m.time
	case percent:
		return model.Time(m.share.times(uint64(duration), 100))
	case peakTime:
		return peak
	}
	return duration
}

// in is the moment in a file that ends at end and whose peak is at peak. A moment beyond the end is a mistake in usage.
func (m moment) in(end, peak model.Time) (model.Time, error) {
	t := m.resolve(end, peak)
	return t, notBeyond(t, end)
}

// notBeyond says that a time beyond the end is a mistake in usage.
func notBeyond(t, end model.Time) error {
	if err := model.CheckTime(t, end); err != nil {
		return usageError(err)
	}
	return nil
}

// span is the range that two moments name in a file that ends at end and whose peak is at peak, model.NoTime for one that was not
// given. It is a mistake in usage if one is beyond the end, or the range ends before it begins.
func span(from, to moment, end, peak model.Time) (first, last model.Time, err error) {
	first, last = model.NoTime, model.NoTime
	if from.given() {
		first = from.resolve(end, peak)
	}
	if to.given() {
		last = to.resolve(end, peak)
	}
	if to.given() && first > last {
		return first, last, usageError(fmt.Errorf("the range ends at %s, before it begins at %s", last, first))
	}
	return first, last, notBeyond(max(first, last), end)
}

// units of time, in microseconds or, below one, in parts of it. Longer names stand before their prefixes' ends are cut.
func timeUnit(name string) (num, den uint64, ok bool) {
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

// parseTime reads numbers with units, one after the other: 4h3m. Times beyond the last representable one are that.
func parseTime(s string) (model.Time, error) {
	sum, rest := uint64(0), s
	for {
		d, tail, err := readDecimal(rest)
		if err != nil {
			return 0, fmt.Errorf("%q is no time: write 12.5s, 350ms, 900us, 4h3m, 50%%, peak or end", s)
		}
		end := strings.IndexAny(tail, "0123456789.")
		if end < 0 {
			end = len(tail)
		}
		num, den, ok := timeUnit(strings.TrimSpace(tail[:end]))
		if !ok {
			return 0, fmt.Errorf("%q is no time: %q needs a unit such as s, ms or us", s, strings.TrimSpace(rest))
		}
		sum, _ = model.SaturatingAdd(sum, d.times(num, den))
		if rest = tail[end:]; rest == "" {
			return model.Time(min(sum, uint64(model.MaxTime))), nil
		}
	}
}

// byteNum is an amount of memory as the user writes it: 64KiB, 1.5M, 4096. K, KB and KiB are all 1,024.
type byteNum int64

// UnmarshalText reads an amount of memory.
func (b *byteNum) UnmarshalText(text []byte) error {
	n, err := parseSize(string(text))
	if err == nil {
		*b = byteNum(n)
	}
	return err
}

// parseSize reads a size; what does not fit 63 bits is the largest that does.
func parseSize(s string) (int64, error) {
	d, unit, err := readDecimal(strings.TrimSpace(s))
	if err != nil {
		return 0, fmt.Errorf("%q is no size: write 64KiB, 1.5M or 4096", s)
	}
	unit = strings.ToLower(strings.TrimSpace(unit))
	letter := strings.TrimSuffix(strings.TrimSuffix(unit, "b"), "i")
	shift := strings.Index("kmgtpe", letter)*10 + 10
	switch {
	case unit == "" || unit == "b":
		shift = 0
	case len(letter) != 1 || shift < 10:
		return 0, fmt.Errorf("%q is no size: %q is no unit of memory", s, unit)
	}
	return int64(min(d.times(1<<shift, 1), math.MaxInt64)), nil
}

// decimal is mantissa / 10^digits, exact.
type decimal struct {
	mantissa uint64
	digits   int // at most maxDigits
}

// maxDigits is how many decimal places count; further ones are ignored.
const maxDigits = 12

var errNumber = errors.New("not a number")

// readDecimal reads an unsigned decimal number from the start of s and returns what follows it.
func readDecimal(s string) (d decimal, rest string, err error) {
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
		if d.mantissa > (math.MaxUint64-9)/10 {
			return d, s, errNumber
		}
		d.mantissa = d.mantissa*10 + uint64(c-'0')
		if point {
			d.digits++
		}
	}
	if !seen {
		return d, s, errNumber
	}
	return d, s[i:], nil
}

func (d decimal) scale() uint64 {
	n := uint64(1)
	for range d.digits {
		n *= 10
	}
	return n
}

// over reports whether d > n.
func (d decimal) over(n uint64) bool {
	hi, lo := bits.Mul64(n, d.scale())
	return hi == 0 && d.mantissa > lo
}

// times is floor(d × num / den), saturating.
func (d decimal) times(num, den uint64) uint64 {
	hi, lo := bits.Mul64(d.mantissa, num)
	over, by := bits.Mul64(d.scale(), den)
	if over != 0 || hi >= by {
		return math.MaxUint64
	}
	quotient, _ := bits.Div64(hi, lo, by)
	return quotient
}
