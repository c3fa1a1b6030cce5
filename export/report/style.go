package report

import (
	"strings"

	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/model"
)

// Style is how text looks.
type Style struct {
	Width int  // of lines, in cells; 0 is 100; limited to 80 … 240
	ASCII bool // only ASCII characters, except in names
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

// text replaces typographic characters if only ASCII is allowed. Names must not be passed to it.
func (s Style) text(t string) string {
	if !s.ASCII {
		return t
	}
	return strings.NewReplacer("·", "-", "µ", "u", "←", "<", "…", "...", "─", "-", "²", "2", "×", "x", "Δ", "d", "›", ">", "≥", ">=", "≤", "<=").Replace(t)
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

// share returns part of whole in percent, or "" if whole is 0.
func (s Style) share(part, whole uint64) string { return model.ShareOf(part, whole).String() }

// shorten returns a name without template arguments. It suits heap types and compared rows, which need not be
// functions.
func (s Style) shorten(name string) string { return s.cuts(funcname.ShortenTemplates(name)) }

// function returns a function's name as screens show it, without template arguments, arguments and return type.
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

func (s Style) spark(values []uint64, width int) string { return cells.Spark(values, width, s.ASCII) }

func (s Style) bar(v, top uint64, width int) string { return cells.Bar(v, top, width, s.ASCII) }
