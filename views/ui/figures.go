package ui

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/widget"
)

// Figures formats numbers for the room there is: in five cells, rounded with their unit, or exact.
type Figures struct {
	Exact, Wide bool
	Estimated   bool // bytes are estimates, which is marked
}

// FiguresOf returns how figures in blocks look in a state.
func FiguresOf(s *state.State, wide bool) Figures {
	return Figures{Exact: s.Exact, Wide: wide, Estimated: s.Sampled()}
}

// Bytes returns an amount of memory ("32.5K", "32.5 KiB", "33,280 B").
func (f Figures) Bytes(n uint64) string {
	if f.Estimated {
		return model.AsEstimate(f.bytes(n))
	}
	return f.bytes(n)
}

func (f Figures) bytes(n uint64) string {
	switch {
	case f.Exact:
		return model.Bytes(n).Exact()
	case f.Wide:
		return model.Bytes(n).String()
	case n < 1000:
		return model.Bytes(n).String()
	case n < 1024: // the unit would not fit
		return fmt.Sprintf("%.2fK", float64(n)/1024)
	}
	return model.Bytes(n).Short()
}

// BytesWidth returns the cells that bytes needs for amounts up to most.
func (f Figures) BytesWidth(most uint64) int {
	w := 5
	switch {
	case f.Exact:
		w = max(len(model.Bytes(most).Exact()), 5)
	case f.Wide:
		w = 8
	}
	if f.Estimated {
		w++
	}
	return w
}

// Count returns a number of blocks ("12.3k", "12,345").
func (f Figures) Count(n uint64) string {
	if f.Exact || f.Wide {
		return model.Group(n)
	}
	return model.ShortCount(n)
}

// CountWidth returns the cells that count needs for numbers up to most.
func (f Figures) CountWidth(most uint64) int {
	if f.Exact || f.Wide {
		return max(len(model.Group(most)), 6)
	}
	return 5
}

// Time returns an age or a moment ("61.0 ms", "61,034 µs").
func (f Figures) Time(t model.Time) string {
	if f.Exact && t >= 0 {
		return model.Group(uint64(t)) + " µs"
	}
	return t.String()
}

// ShareText returns a share in percent, at most [model.ShareWidth] cells wide.
func ShareText(v float64) string { return model.Share(v).String() }

// PartText returns part of whole in percent, "" of nothing.
func PartText(part, whole uint64) string { return model.ShareOf(part, whole).String() }

// ShareOf returns a share of a whole that may be empty.
func ShareOf(n, whole uint64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(model.ShareOf(n, whole))
}

// SlopeText returns a rate of growth ("+442 KiB/s", "+442K/s").
func SlopeText(slope float64, wide bool) string {
	sign := "+"
	if slope < 0 {
		sign = "-"
	}
	if wide {
		return sign + model.Rate(slope)
	}
	return sign + model.ShortRate(slope)
}

// Slope returns a rate of growth, as [SlopeText] does.
func (f Figures) Slope(slope float64) string {
	if f.Estimated {
		return model.EstimateMark + SlopeText(slope, f.Wide)
	}
	return SlopeText(slope, f.Wide)
}

// VerdictCell returns a verdict in a table: a sign, the word, and, where there is room, how fast a leak grows.
func (e *Env) VerdictCell(v verdict.Verdict, f Figures) widget.Cell {
	rate := ""
	if f.Wide && v.Growth > 0 {
		rate = f.Slope(v.Growth)
	}
	return e.verdictCell(v, rate)
}

// LeakCell returns what [Env.VerdictCell] does, with how fast a leak grows also where there is little room.
func (e *Env) LeakCell(v verdict.Verdict, f Figures) widget.Cell {
	rate := ""
	if v.Growth > 0 {
		rate = f.Slope(v.Growth)
	}
	return e.verdictCell(v, rate)
}

func (e *Env) verdictCell(v verdict.Verdict, rate string) widget.Cell {
	if v.Kind == verdict.None {
		return widget.Cell{}
	}
	text := e.VerdictSign(v.Kind) + " " + VerdictWord(v)
	if rate != "" {
		text += " " + rate
	}
	return widget.Cell{Text: text, Style: e.verdictStyle(v.Kind)}
}

// VerdictWord returns the word of a verdict: what was kept and then freed at the end says so.
func VerdictWord(v verdict.Verdict) string {
	if v.Kind == verdict.Kept && v.Live == 0 {
		return "was kept"
	}
	return v.Kind.String()
}

// SureCell returns the confidence of a verdict.
func SureCell(v verdict.Verdict) widget.Cell {
	if v.Kind == verdict.None || v.Kind == verdict.Unknown {
		return widget.Cell{}
	}
	return widget.Cell{Text: model.Share(v.Confidence).Certainty()}
}

// VerdictSign returns the sign that accompanies the color of a verdict.
func (e *Env) VerdictSign(k verdict.Kind) string {
	g := &e.Look.Glyphs
	switch k {
	case verdict.Leak:
		return g.Loss
	case verdict.Late:
		return g.Gain
	case verdict.Kept:
		return g.Bullet
	case verdict.Bounded, verdict.InFlight:
		return g.Same
	}
	return " "
}

func (e *Env) verdictStyle(k verdict.Kind) tcell.Style {
	switch k {
	case verdict.Leak:
		return e.Style(themes.Loss)
	case verdict.Late:
		return e.Style(themes.Warning)
	}
	return e.Look.Text
}

// Certain returns a confidence in words, and how fast a leak grows ("96 % certain, +67.0 KiB/s").
func Certain(confidence, growth float64) string {
	text := model.Share(confidence).Certainty() + " certain"
	if growth > 0 {
		text += ", " + SlopeText(growth, true)
	}
	return text
}

// VerdictSentence returns a verdict with how certain it is and its evidence, "" for none.
func VerdictSentence(v verdict.Verdict) string {
	if v.Kind == verdict.None {
		return ""
	}
	if v.Kind == verdict.Unknown {
		return strings.TrimSuffix(v.Kind.String()+": "+v.Evidence(), ": ")
	}
	return VerdictWord(v) + " (" + Certain(float64(v.Confidence), v.Growth) + "): " + v.Evidence()
}

// ThreadsText names threads ("thread 2", "threads 1, 2, 3"), "" for none.
func ThreadsText(threads []uint16) string {
	if len(threads) == 0 {
		return ""
	}
	text := "thread "
	if len(threads) > 1 {
		text = "threads "
	}
	for i, t := range threads {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(t)
	}
	if len(threads) == 8 {
		text += " …"
	}
	return text
}

// hide leaves a column out at any width.
func hide(c *widget.Column) { c.Width, c.Drop = math.MaxInt16, 99 }

// CostNamed returns the name of a cost in reports and profiles.
func CostNamed(c analysis.Cost) string { return state.CostKey(c) }

// CostTitle returns the title of the column of a cost.
func CostTitle(c analysis.Cost) string {
	return [...]string{titles.Live, titles.Blocks, titles.AtPeak, titles.Allocated, titles.Allocs, titles.Leaked, titles.Temporary}[c]
}

// AtMost returns the prefix of figures that are upper bounds.
func AtMost(s *state.State) string {
	if s.Status.Unfreed {
		return "≤ "
	}
	return ""
}

// FilterFor returns a filter that matches a name literally.
func FilterFor(name string) string {
	if strings.ContainsAny(name, " !/<>=") || name == "" {
		return "/" + regexp.QuoteMeta(name) + "/"
	}
	return name
}

// FilterTexts is a row of texts without figures, for filters.
type FilterTexts []string

// Texts implements [analysis.Row].
func (f FilterTexts) Texts() []string { return f }

// Value implements [analysis.Row]: there are no figures.
func (f FilterTexts) Value(string, bool) (float64, bool) { return 0, false }

// FilterWord returns the text that a filter looks for, for highlighting; "" when it compares or excludes only.
func FilterWord(filter string) string {
	for _, w := range strings.Fields(strings.ToLower(filter)) {
		if !strings.ContainsAny(w, "!/<>=") {
			return w
		}
	}
	return ""
}

// CostWords returns a cost in a title.
func CostWords(c analysis.Cost) string {
	return [...]string{"Live bytes", "Live blocks", "Live bytes at the peak", "Allocated bytes", "Allocations",
		"Unfreed bytes", "Temporary blocks"}[c]
}

// NameMatcher returns a function for a search text: it matches part of a name, ignoring case, or /regular expression/.
// An incomplete expression is taken as text.
func NameMatcher(text string) func(string) bool {
	if strings.HasPrefix(text, "/") && len(text) > 1 {
		if expr, err := regexp.Compile("(?i)" + strings.TrimSuffix(text[1:], "/")); err == nil {
			return func(name string) bool { return expr.MatchString(model.Matched(name)) }
		}
	}
	lower := strings.ToLower(text)
	return func(name string) bool { return strings.Contains(strings.ToLower(model.Matched(name)), lower) }
}
