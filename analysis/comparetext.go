package analysis

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/memtui/memtui/model"
)

// CompareWords are the nouns of a comparison's sentences.
type CompareWords struct {
	Measure string              // what bytes hold, as the thing that changes: "live memory", "alloc_bytes"
	Counted string              // what counts count, plural: "blocks", "objects"; "" leaves them out
	Thing   string              // what a row is: "stack", "type", "page type"
	Amount  func(uint64) string // how bytes are written; nil: three digits with a binary unit
	Name    func(string) string // how names of rows are written; nil: cleaned
}

func (w *CompareWords) fill() {
	if w.Amount == nil {
		w.Amount = func(n uint64) string { return model.Bytes(n).String() }
	}
	if w.Name == nil {
		w.Name = model.Clean
	}
}

// Direction says which side is which, and what a sign means.
func (c *Comparison) Direction() string {
	out := "before (A): " + model.Clean(c.Before.Label) + " · after (B): " + model.Clean(c.After.Label) + " · + is growth from A to B, - is shrinkage"
	if c.Swapped {
		out += " · sides are swapped"
	}
	return out
}

// Normalised says what was done to the figures of before, "" where nothing was.
func (c *Comparison) Normalised() string {
	if c.Per == NormalNone {
		return ""
	}
	what := [...]string{"", "total", "duration", "number of allocations", "number of collections", "number of markers"}[c.Per]
	return "figures of before are multiplied by " + factor(c.Factor()) + ", as if both sides had the same " + what
}

func factor(f float64) string { return strconv.FormatFloat(f, 'g', 4, 64) }

// Sentence sums up in one sentence what changed.
func (c *Comparison) Sentence(w CompareWords) string {
	w.fill()
	t := &c.Totals
	var out strings.Builder
	change := t.DeltaBytes()
	if c.Per != NormalNone && distance(t.BeforeBytes, t.AfterBytes) <= uint64(len(c.Rows)/2) {
		change = 0 // every row before was rounded
	}
	switch {
	case c.Counts[ChangeSame] == len(c.Rows):
		return fmt.Sprintf("Nothing changed: %s is %s on both sides.", w.Measure, w.Amount(t.AfterBytes))
	case change == 0:
		fmt.Fprintf(&out, "From before to after %s stayed at %s in all", w.Measure, w.Amount(t.AfterBytes))
	default:
		verb := "grew"
		if change < 0 {
			verb = "shrank"
		}
		fmt.Fprintf(&out, "From before to after %s %s by %s%s, from %s to %s", w.Measure, verb, w.Amount(distance(t.BeforeBytes, t.AfterBytes)),
			percentText(t), w.Amount(t.BeforeBytes), w.Amount(t.AfterBytes))
	}
	if n := t.DeltaCount(); w.Counted != "" && n != 0 {
		sign := "+"
		if n < 0 {
			sign = "-"
		}
		d, word := distance(t.BeforeCount, t.AfterCount), w.Counted
		if d == 1 {
			word = strings.TrimSuffix(word, "s")
		}
		fmt.Fprintf(&out, " (%s%s %s)", sign, model.Group(d), word)
	}
	out.WriteString(c.most(&w))
	out.WriteString(".")
	return out.String()
}

func percentText(f *CompareFigures) string {
	p, ok := f.Percent()
	switch {
	case !ok || math.Abs(p) < 0.05:
		return ""
	case p >= 1000:
		return fmt.Sprintf(" (%s times as much)", factor(float64(f.AfterBytes)/float64(f.BeforeBytes)))
	}
	return fmt.Sprintf(" (%+.1f %%)", p)
}

// most names the row that changed most, and its part of all that changed in the same direction.
func (c *Comparison) most(w *CompareWords) string {
	if len(c.Rows) == 0 || c.Rows[0].DeltaBytes() == 0 {
		return ""
	}
	r := &c.Rows[0]
	grows, sum := r.DeltaBytes() > 0, c.moved[0]
	if !grows {
		sum = c.moved[1]
	}
	word := "growth"
	if !grows {
		word = "shrinkage"
	}
	name := w.Name(c.Name(r))
	if name == "" {
		name = "the " + w.Thing + " without a name"
	}
	share := math.Abs(float64(r.DeltaBytes())) / sum * 100
	if (c.Totals.DeltaBytes() > 0) == grows || c.Totals.DeltaBytes() == 0 {
		return fmt.Sprintf("; %.0f %% of the %s is %s", share, word, name)
	}
	return fmt.Sprintf("; but %s %s by %s", name, map[bool]string{true: "grew", false: "shrank"}[grows], w.Amount(distance(r.BeforeBytes, r.AfterBytes)))
}

// Losses says what could not be matched, and what fell together, one sentence each.
func (c *Comparison) Losses(w CompareWords) []string {
	w.fill()
	var out []string
	u := &c.Unmatched
	if u[0].Rows+u[1].Rows > 0 {
		out = append(out, fmt.Sprintf("Without a partner: %s of before (%s) and %s of after (%s).",
			countOf(u[0].Rows, w.Thing), w.Amount(u[0].Bytes), countOf(u[1].Rows, w.Thing), w.Amount(u[1].Bytes)))
	}
	if n := &c.Nameless; n[0].Rows+n[1].Rows > 0 {
		out = append(out, fmt.Sprintf("Of these the files do not name %s of before (%s) and %s of after (%s).",
			countOf(n[0].Rows, w.Thing), w.Amount(n[0].Bytes), countOf(n[1].Rows, w.Thing), w.Amount(n[1].Bytes)))
	}
	if c.Merged[0]+c.Merged[1] > 0 {
		out = append(out, fmt.Sprintf("Added up because they look the same: %s of before and %s of after.",
			countOf(c.Merged[0], w.Thing), countOf(c.Merged[1], w.Thing)))
	}
	return out
}

func countOf(n int, thing string) string {
	switch {
	case n == 1, thing == "series":
	case strings.HasSuffix(thing, "s"):
		thing += "es"
	default:
		thing += "s"
	}
	return model.Group(uint64(n)) + " " + thing
}
