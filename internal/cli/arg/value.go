package arg

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"time"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// Cell is a cell of sizes and lifetimes. The user writes a size and a lifetime that are in it.
type Cell struct{ analysis.Cell }

// UnmarshalText reads "64,1ms", "4K,never" or "any,10us".
func (c *Cell) UnmarshalText(text []byte) error {
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

// Length is a length of time as the user writes it: 10s, or 10% of the duration.
type Length struct{ model.Moment }

// UnmarshalText reads a length of time.
func (l *Length) UnmarshalText(text []byte) (err error) {
	l.Moment, err = model.ParseLength(string(text))
	return err
}

// Duration is a length of time as the user writes it, not relative to another: 10s, 5min.
type Duration time.Duration

// UnmarshalText reads a length of time.
func (d *Duration) UnmarshalText(text []byte) error {
	m, err := model.ParseLength(string(text))
	if n := m.Of(0); err != nil || n != m.Of(model.Second) || n <= 0 {
		return fmt.Errorf("invalid length of time %q: write 500ms, 10s, 5min or 1h30m", text)
	}
	*d = Duration(m.Of(0).Duration())
	return nil
}

// Bytes is an amount of memory as the user writes it: 64KiB, 1.5M, 4096. Amounts that do not fit 63 bits become the
// largest that does.
type Bytes int64

// UnmarshalText reads an amount of memory.
func (b *Bytes) UnmarshalText(text []byte) error {
	n, err := model.ParseSize(string(text))
	if err == nil {
		*b = Bytes(min(n, math.MaxInt64))
	}
	return err
}

// Pattern is a regular expression as the user writes it; the zero Pattern is absent.
type Pattern struct{ Expr *regexp.Regexp }

// UnmarshalText reads an expression.
func (p *Pattern) UnmarshalText(text []byte) (err error) {
	p.Expr, err = regexp.Compile(string(text))
	return err
}

// CutLast is strings.Cut at the last separator.
func CutLast(s string, sep byte) (before, after string, found bool) {
	i := strings.LastIndexByte(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+1:], true
}
