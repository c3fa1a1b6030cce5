// Package arg holds the types of command-line flags: values as users write them, and groups of flags that several
// commands have. Its errors are mistakes of the user.
package arg

import (
	"fmt"
	"math"
	"strings"

	"github.com/memtui/memtui/model"
)

// Limit is the maximum of a figure as the user writes it: absolute, or relative to the figure of another file. The zero
// Limit is absent.
type Limit struct {
	Text  string // as written
	kind  limitKind
	bytes int64         // absolute, or in addition to the base
	share model.Decimal // percent in addition to the base, or a multiple of the base
}

type limitKind uint8

const (
	limitNone limitKind = iota
	limitBytes
	limitBeyond
	limitPercent
	limitTimes
)

// Given reports whether the limit is present.
func (l *Limit) Given() bool { return l.kind != limitNone }

// Relative reports whether the limit is relative to another file's figure.
func (l *Limit) Relative() bool { return l.kind > limitBytes }

// NoMore returns the limit +0%: no more than the base.
func NoMore() Limit { return Limit{Text: "+0%", kind: limitPercent} }

// UnmarshalText reads 512M, +1M, +10% or 1.2x.
func (l *Limit) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	*l = Limit{Text: s, kind: limitBytes}
	bad := fmt.Errorf("invalid limit %q: write 512M, or relative to --base +1M, +10%% or 1.2x", s)
	number, beyond := strings.CutPrefix(s, "+")
	var rest string
	var err error
	switch {
	case strings.HasSuffix(number, "%"):
		l.kind = limitPercent
		if l.share, rest, err = model.CutDecimal(strings.TrimSuffix(number, "%")); err != nil || rest != "" || !beyond {
			return bad
		}
		return nil
	case strings.HasSuffix(number, "x"):
		l.kind = limitTimes
		if l.share, rest, err = model.CutDecimal(strings.TrimSuffix(number, "x")); err != nil || rest != "" || beyond {
			return bad
		}
		return nil
	case beyond:
		l.kind = limitBeyond
	}
	var size Bytes
	if err = size.UnmarshalText([]byte(number)); err != nil {
		return bad
	}
	l.bytes = int64(size)
	return nil
}

// Resolve returns the limit in bytes. base matters only for relative limits. The result saturates.
func (l *Limit) Resolve(base int64) int64 {
	size := uint64(max(base, -base, 0))
	switch l.kind {
	case limitBeyond:
		return addClamped(base, l.bytes)
	case limitPercent:
		return addClamped(base, int64(min(l.share.Times(size, 100), math.MaxInt64)))
	case limitTimes:
		n := int64(min(l.share.Times(size, 1), math.MaxInt64))
		if base < 0 {
			return -n
		}
		return n
	}
	return l.bytes
}

// addClamped returns a+b for b ≥ 0, at most the largest number.
func addClamped(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// RateLimit is a limit per time: 1K/s, 10M/h, or relative like a [Limit].
type RateLimit struct {
	Limit
	Per     string  // the unit of time as written; "" is a second
	Seconds float64 // length of the unit; 0 is one second
}

// UnmarshalText reads a rate limit.
func (r *RateLimit) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	size, per, ok := CutLast(s, '/')
	if !ok {
		if err := r.Limit.UnmarshalText(text); err != nil || r.kind == limitBytes || r.kind == limitBeyond {
			return fmt.Errorf("invalid rate %q: write 1K/s or 10M/h, or relative to --base +1K/s, +10%% or 1.2x", s)
		}
		return nil
	}
	num, den, known := model.TimeUnit(strings.TrimSpace(per))
	if err := r.Limit.UnmarshalText([]byte(size)); err != nil || !known || r.kind != limitBytes && r.kind != limitBeyond {
		return fmt.Errorf("invalid rate %q: write 1K/s or 10M/h", s)
	}
	r.Text, r.Per = s, strings.ToLower(strings.TrimSpace(per))
	r.Seconds = float64(num) / float64(den) / float64(model.Second)
	return nil
}

// LiveLimit is a limit at an instant: 50%=10M.
type LiveLimit struct {
	Limit
	At model.Moment
}

// UnmarshalText reads a limit at an instant.
func (l *LiveLimit) UnmarshalText(text []byte) error {
	at, size, ok := strings.Cut(string(text), "=")
	if !ok {
		return fmt.Errorf("invalid limit %q: write 50%%=10M, peak=1G or 12s=+10%%", text)
	}
	if err := l.At.UnmarshalText([]byte(at)); err != nil {
		return err
	}
	return l.Limit.UnmarshalText([]byte(size))
}
