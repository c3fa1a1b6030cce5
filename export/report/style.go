package report

import (
	"math"
	"strings"

	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/model"
)

// Style is how text looks.
type Style struct {
	Width int  // of lines, in cells; 0 is 100, and it is kept within 80 … 240
	ASCII bool // no character outside ASCII but those of names
	Color bool // bold and dim by escape sequences
	Exact bool // bytes as exact numbers
}

const (
	minWidth     = 80
	defaultWidth = 100
	maxWidth     = 240
)

func (s Style) width() int {
	if s.Width == 0 {
		return defaultWidth
	}
	return min(max(s.Width, minWidth), maxWidth)
}

// text replaces our own typography where only ASCII is wanted. Names must not pass through it.
func (s Style) text(t string) string {
	if !s.ASCII {
		return t
	}
	return strings.NewReplacer("·", "-", "µ", "u", "←", "<", "…", "...", "─", "-", "²", "2", "×", "x", "Δ", "d", "›", ">").Replace(t)
}

func (s Style) cut() string { return s.text("…") }

func (s Style) bytes(n uint64) string {
	if s.Exact {
		return model.Group(n)
	}
	return model.Bytes(n).String()
}

func (s Style) count(n uint64) string { return model.Group(n) }

func (s Style) time(t model.Time) string { return s.text(t.String()) }

// share returns part of whole in percent, "" of nothing.
func (s Style) share(part, whole uint64) string { return model.ShareOf(part, whole).String() }

// shorten returns a name without the arguments of templates. Types of heaps and what is compared may be no functions.
func (s Style) shorten(name string) string { return s.cuts(funcname.ShortenTemplates(name)) }

// function returns a function's name as screens show it: without template arguments, arguments and return type.
func (s Style) function(name string) string { return s.cuts(funcname.Bare(name)) }

func (s Style) cuts(name string) string { return strings.ReplaceAll(name, "…", s.cut()) }

// rate returns a slope in bytes per second, signed.
func (s Style) rate(perSecond float64) string {
	sign := "+"
	if perSecond < 0 {
		sign, perSecond = "-", -perSecond
	}
	return sign + model.ShortRate(perSecond)
}

func (s Style) bold(t string) string { return s.escape("1", t) }

func (s Style) dim(t string) string { return s.escape("2", t) }

func (s Style) escape(code, t string) string {
	if !s.Color || t == "" {
		return t
	}
	return "\x1b[" + code + "m" + t + "\x1b[0m"
}

// ramp returns the glyphs of bars and curves from empty to full.
func (s Style) ramp() []string {
	if s.ASCII {
		return strings.Split(" |.|:|-|=|+|*|%|#", "|")
	}
	return strings.Split(" |▁|▂|▃|▄|▅|▆|▇|█", "|")
}

// spark draws a small curve: the highest value is full, and what is not 0 is never invisible.
func (s Style) spark(values []uint64, width int) string {
	ramp, top := s.ramp(), uint64(0)
	for _, v := range values {
		top = max(top, v)
	}
	if top == 0 || len(values) == 0 {
		return ""
	}
	var out strings.Builder
	for i := range width {
		lo, hi := i*len(values)/width, max((i+1)*len(values)/width, i*len(values)/width+1)
		most := uint64(0)
		for _, v := range values[lo:hi] {
			most = max(most, v)
		}
		out.WriteString(ramp[level(most, top, len(ramp)-1)])
	}
	return out.String()
}

// level scales v ≤ top to 0 … steps, rounding to nearest but never to 0 what is not 0.
func level(v, top uint64, steps int) int {
	if v == 0 || top == 0 {
		return 0
	}
	return max(1, int(math.Round(float64(v)/float64(top)*float64(steps))))
}

// bar returns a horizontal bar of at most width cells.
func (s Style) bar(v, top uint64, width int) string {
	if s.ASCII {
		return strings.Repeat("#", level(v, top, width))
	}
	eighths := level(v, top, width*8)
	out := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		out += string([]rune(" ▏▎▍▌▋▊▉")[rest])
	}
	return out
}
