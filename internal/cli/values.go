package cli

import (
	"fmt"
	"math"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/analysis"
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
	var size byteNum
	if err = size.UnmarshalText([]byte(number)); err != nil {
		return bad
	}
	l.bytes = int64(size)
	return nil
}

// resolve returns the limit in bytes; base counts for relative ones only. It saturates.
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

// addClamped returns a+b for b ≥ 0, at most the largest number.
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
			return fmt.Errorf("invalid rate %q: write 1K/s or 10M/h, or relative to --base +1K/s, +10%% or 1.2x", s)
		}
		return nil
	}
	num, den, known := model.TimeUnit(strings.TrimSpace(per))
	if err := r.limit.UnmarshalText([]byte(size)); err != nil || !known || r.kind != limitBytes && r.kind != limitBeyond {
		return fmt.Errorf("invalid rate %q: write 1K/s or 10M/h", s)
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
		return fmt.Errorf("invalid limit %q: write 50%%=10M, peak=1G or 12s=+10%%", text)
	}
	if err := l.at.UnmarshalText([]byte(at)); err != nil {
		return err
	}
	return l.limit.UnmarshalText([]byte(size))
}

// leastLeak is the size of leaks that make a check fail: a switch that may have a value.
type leastLeak struct {
	given bool
	text  string // as written, "" for any size
	bytes uint64
}

// IsBool tells the parser that no word need follow.
func (l *leastLeak) IsBool() bool { return true }

// Decode reads --no-leaks or --no-leaks=1MiB; of an environment or a config file also true and false.
func (l *leastLeak) Decode(ctx *kong.DecodeContext) error {
	*l = leastLeak{given: true}
	if ctx.Scan.Peek().Type != kong.FlagValueToken {
		return nil
	}
	text := fmt.Sprint(ctx.Scan.Pop().Value)
	switch text {
	case "true":
		return nil
	case "false":
		l.given = false
		return nil
	}
	n, err := model.ParseSize(text)
	if err == nil {
		l.text, l.bytes = text, uint64(n)
	}
	return err
}

// cell is a cell of sizes and lifetimes as the user writes it: by a size and a lifetime that are in it.
type cell struct{ analysis.Cell }

// UnmarshalText reads "64,1ms", "4K,never" or "any,10us".
func (c *cell) UnmarshalText(text []byte) error {
	size, life, ok := strings.Cut(strings.ToLower(strings.TrimSpace(string(text))), ",")
	if !ok {
		return fmt.Errorf("invalid cell %q: write a size and a lifetime such as 64,1ms or 4K,never", text)
	}
	c.SizeTo, c.LifeTo = analysis.SizeClasses, analysis.LifeClasses
	if size != "any" {
		n, err := model.ParseSize(size)
		if err != nil {
			return err
		}
		class := uint8(analysis.SizeClass(uint64(n)))
		c.SizeFrom, c.SizeTo = class, class+1
	}
	switch life = strings.TrimSpace(life); life {
	case "any":
	case "never":
		c.LifeFrom = analysis.NeverFreed
	default:
		t, err := model.ParseTime(life)
		if err != nil {
			return err
		}
		b := analysis.Block{Died: t}
		c.LifeFrom = uint8(b.LifeClass())
		c.LifeTo = c.LifeFrom + 1
	}
	return nil
}

// timeIn returns a moment in a file that ends at end and whose peak is at peak. A moment beyond the end is a mistake in usage.
func timeIn(m model.Moment, end, peak model.Time) (model.Time, error) {
	t := m.In(end, peak)
	return t, notBeyond(t, end)
}

// notBeyond says that a time beyond the end is a mistake in usage.
func notBeyond(t, end model.Time) error {
	if err := model.CheckTime(t, end); err != nil {
		return usageError(err)
	}
	return nil
}

// span returns the range that two moments name, as [model.Period.In] returns it. Its errors are mistakes in usage.
func span(from, to model.Moment, end, peak model.Time) (first, last model.Time, err error) {
	if first, last, err = (model.Period{From: from, To: to}).In(end, peak); err != nil {
		err = usageError(err)
	}
	return first, last, err
}

// length is a length of time as the user writes it: 10s, or 10% of the duration.
type length struct{ model.Moment }

// UnmarshalText reads a length of time.
func (l *length) UnmarshalText(text []byte) (err error) {
	l.Moment, err = model.ParseLength(string(text))
	return err
}

// byteNum is an amount of memory as the user writes it: 64KiB, 1.5M, 4096. What does not fit 63 bits is the largest that does.
type byteNum int64

// UnmarshalText reads an amount of memory.
func (b *byteNum) UnmarshalText(text []byte) error {
	n, err := model.ParseSize(string(text))
	if err == nil {
		*b = byteNum(min(n, math.MaxInt64))
	}
	return err
}
