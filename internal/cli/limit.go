package cli

import (
	"fmt"
	"math"
	"strings"

	"github.com/memtui/memtui/model"
)

// limit is the most that a figure may be as the user writes it: absolute, or relative to the figure of another file. The zero
// limit was not given.
type limit struct {
	text  string
	kind  limitKind
	bytes int64         // absolute, or beyond the base
	share model.Decimal // percent beyond the base, or how many times the base
}

type limitKind uint8

const (
	limitNone limitKind = iota
	limitBytes
	limitBeyond
	limitPercent
	limitTimes
)

func (l *limit) given() bool { return l.kind != limitNone }

func (l *limit) relative() bool { return l.kind > limitBytes }

// UnmarshalText reads 512M, +1M, +10% or 1.2x.
func (l *limit) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	*l = limit{text: s, kind: limitBytes}
	bad := fmt.Errorf("%q is no limit: write 512M, or relative to --base +1M, +10%% or 1.2x", s)
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
	var size byteNum
	if err = size.UnmarshalText([]byte(number)); err != nil {
		return bad
	}
	l.bytes = int64(size)
	return nil
}

// resolve is the limit in bytes; base counts for relative ones only. It saturates.
func (l *limit) resolve(base int64) int64 {
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

// addClamped is a+b for b ≥ 0, at most the largest number.
func addClamped(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// rateLimit is a limit per time: 1K/s, 10M/h, or relative as a limit is.
type rateLimit struct {
	limit
	per     string  // the unit of time as written; "" is a second
	seconds float64 // that it has; 0 is one
}

// UnmarshalText reads one.
func (r *rateLimit) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	size, per, ok := cutLast(s, '/')
	if !ok {
		if err := r.limit.UnmarshalText(text); err != nil || r.kind == limitBytes || r.kind == limitBeyond {
			return fmt.Errorf("%q is no rate: write 1K/s or 10M/h, or relative to --base +1K/s, +10%% or 1.2x", s)
		}
		return nil
	}
	num, den, known := model.TimeUnit(strings.TrimSpace(per))
	if err := r.limit.UnmarshalText([]byte(size)); err != nil || !known || r.kind != limitBytes && r.kind != limitBeyond {
		return fmt.Errorf("%q is no rate: write 1K/s or 10M/h", s)
	}
	r.text, r.per = s, strings.ToLower(strings.TrimSpace(per))
	r.seconds = float64(num) / float64(den) / float64(model.Second)
	return nil
}

// liveLimit is a limit at an instant: 50%=10M.
type liveLimit struct {
	limit
	at model.Moment
}

// UnmarshalText reads one.
func (l *liveLimit) UnmarshalText(text []byte) error {
	at, size, ok := strings.Cut(string(text), "=")
	if !ok {
		return fmt.Errorf("%q says no instant: write 50%%=10M, peak=1G or 12s=+10%%", text)
	}
	if err := l.at.UnmarshalText([]byte(at)); err != nil {
		return err
	}
	return l.limit.UnmarshalText([]byte(size))
}
