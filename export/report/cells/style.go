package cells

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/model"
)

// Style is how text looks.
type Style struct {
	Width int  // of lines, in cells; 0 is 100; limited to 80 … 240
	ASCII bool // only ASCII characters, except in names
	Color bool // bold and dim by escape sequences
	Exact bool // bytes as exact numbers

	Estimated bool // bytes are estimates, which is marked
	Scaled    bool // amounts of all metrics are
}

const (
	minWidth     = 80
	defaultWidth = 100
	maxWidth     = 240
)

// LineWidth returns how wide lines are.
func (s Style) LineWidth() int {
	if s.Width == 0 {
		return defaultWidth
	}
	return min(max(s.Width, minWidth), maxWidth)
}

// Text replaces typographic characters if only ASCII is allowed. Names must not be passed to it.
func (s Style) Text(t string) string {
	if !s.ASCII {
		return t
	}
	return strings.NewReplacer("·", "-", "µ", "u", "←", "<", "…", "...", "─", "-", "²", "2", "×", "x", "Δ", "d", "›",
		">", "≥", ">=", "≤", "<=", "±", "+-").Replace(t)
}

// Cut returns the mark of what was cut off.
func (s Style) Cut() string { return s.Text("…") }

// Bytes formats a number of bytes.
func (s Style) Bytes(n uint64) string {
	text := model.Bytes(n).String()
	if s.Exact {
		text = model.Group(n)
	}
	if s.Estimated {
		return model.AsEstimate(text)
	}
	return text
}

// Short formats a number of bytes in a few cells, for axes and legends.
func (s Style) Short(n uint64) string {
	if s.Estimated {
		return model.AsEstimate(model.Bytes(n).Short())
	}
	return model.Bytes(n).Short()
}

// Count formats a number of things.
func (s Style) Count(n uint64) string { return model.Group(n) }

// Time formats a time.
func (s Style) Time(t model.Time) string { return s.Text(t.String()) }

// Share returns part of whole in percent, or "" if whole is 0.
func (s Style) Share(part, whole uint64) string { return model.ShareOf(part, whole).String() }

// Shorten returns a name without template arguments. Unlike Function, it suits heap types and compared rows.
func (s Style) Shorten(name string) string { return s.cuts(funcname.ShortenTemplates(name)) }

// Function returns a function's name as screens show it, without template arguments, arguments and return type.
func (s Style) Function(name string) string { return s.cuts(funcname.Bare(name)) }

func (s Style) cuts(name string) string { return strings.ReplaceAll(name, "…", s.Cut()) }

// Rate returns a slope in bytes per second, signed.
func (s Style) Rate(perSecond float64) string {
	sign := "+"
	if perSecond < 0 {
		sign, perSecond = "-", -perSecond
	}
	if s.Estimated {
		sign = model.EstimateMark + sign
	}
	return sign + model.ShortRate(perSecond)
}

// Stated returns how figures look that are no estimates, although others of the file are.
func (s Style) Stated() Style {
	s.Estimated, s.Scaled = false, false
	return s
}

// Bold emphasizes text.
func (s Style) Bold(t string) string { return s.escape("1", t) }

// Dim takes emphasis from text.
func (s Style) Dim(t string) string { return s.escape("2", t) }

func (s Style) escape(code, t string) string {
	if !s.Color || t == "" {
		return t
	}
	return "\x1b[" + code + "m" + t + "\x1b[0m"
}

// Spark draws a small curve.
func (s Style) Spark(values []uint64, width int) string { return Spark(values, width, s.ASCII) }

// Bar draws a bar as long as v is of top.
func (s Style) Bar(v, top uint64, width int) string { return Bar(v, top, width, s.ASCII) }

// Amount renders a sum of a metric of stacks: bytes and times with their units, everything else as a number.
func (s Style) Amount(m model.Measure, a model.Amount) string {
	if s.Scaled {
		return model.AsEstimate(s.Stated().amount(m, a))
	}
	return s.amount(m, a)
}

func (s Style) amount(m model.Measure, a model.Amount) string {
	f := a.Float64()
	switch {
	case a.IsFloat():
		return fmt.Sprintf("%.6g", f)
	case f < 0 || f >= math.MaxUint64:
		return a.String()
	case m.Bytes:
		return s.Bytes(a.Uint64())
	case m.Tick > 0 && !s.Exact && f*m.Tick < math.MaxInt64/2:
		return s.Time(model.Time(f * m.Tick))
	}
	return model.Group(a.Uint64())
}

// Bits formats the bytes of n bits.
func (s Style) Bits(n uint64) string {
	if n > math.MaxUint64/8 {
		return s.Bytes(math.MaxUint64)
	}
	return s.Bytes(8 * n)
}

// Change formats a difference in bytes, signed.
func (s Style) Change(n int64) string {
	mark, sign := "", "+"
	if s.Estimated {
		mark = model.EstimateMark
	}
	if n < 0 {
		sign = "-"
	}
	if n == 0 {
		return "0"
	}
	return mark + sign + s.Stated().Bytes(Magnitude(n))
}

// AtLeast formats bytes that may be a lower bound.
func (s Style) AtLeast(n uint64, bound bool) string {
	if bound {
		return s.Text("≥ ") + s.Bytes(n)
	}
	return s.Bytes(n)
}

// Signed formats a change of a number, with its sign.
func Signed(n int64) string {
	if n < 0 {
		return "-" + model.Group(Magnitude(n))
	}
	if n == 0 {
		return "0"
	}
	return "+" + model.Group(uint64(n))
}

// Magnitude returns a number without its sign.
func Magnitude(n int64) uint64 {
	if n < 0 {
		return uint64(-n)
	}
	return uint64(n)
}

// StartTime renders an absolute start in UTC. Values beyond the calendar are written as plain numbers.
func StartTime(us uint64) string {
	const year9999 = 253402300800_000000
	if us >= year9999 {
		return model.Group(us) + " µs after 1970"
	}
	return time.UnixMicro(int64(us)).UTC().Format("2006-01-02 15:04:05 UTC")
}
