package diff

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memtui/memtui/model"
)

// Words are the nouns of a comparison's sentences.
type Words struct {
	Measure string              // what bytes measure, as the thing that changes: "live memory", "alloc_bytes"
	Counted string              // what counts count, plural: "blocks", "objects"; "" leaves them out
	Thing   string              // what a row represents: "stack", "type", "page type"
	Things  string              // its plural; "" for the usual one
	Unknown string              // why rows are left out
	Sums    bool                // rows are unknown, so nothing is said about them
	Amount  func(uint64) string // how changes of bytes are written; nil: three digits with a binary unit
	Side    SideAmounts         // how bytes of the sides are written; nil: as changes
	Name    func(string) string // how names of rows are written; nil: cleaned
}

// SideAmounts say how bytes of each side are written, before and after: only those of a sampled side are marked as
// estimates.
type SideAmounts [2]func(uint64) string

func (w *Words) fill() {
	if w.Amount == nil {
		w.Amount = func(n uint64) string { return model.Bytes(n).String() }
	}
	for i := range w.Side {
		if w.Side[i] == nil {
			w.Side[i] = w.Amount
		}
	}
	if w.Name == nil {
		w.Name = model.Clean
	}
}

// Count returns a number of rows.
func (w *Words) Count(n int) string {
	if w.Things == "" {
		return model.Counted(n, w.Thing)
	}
	return model.CountedAs(n, w.Thing, w.Things)
}

// off returns an error with its sign.
func (w *Words) off(n uint64) string { return ErrorText(w.Amount(n)) }

// SamplingNote returns a warning if figures that were estimated from samples are compared with others, "" if both are
// or neither is. sampled are the words of [model.ProfileEvent.Sampled] for each side.
func SamplingNote(names, sampled [2]string) string {
	if (sampled[0] == "") == (sampled[1] == "") {
		return ""
	}
	a, b := 0, 1
	if sampled[0] == "" {
		a, b = b, a
	}
	return fmt.Sprintf("%s is %s and %s is not: small differences, and stacks that only one of them has, may come from the sampling; differences of counts, and of groups by size, may be between samples and blocks, and then say nothing",
		names[a], sampled[a], names[b])
}

// Blocks returns what counts of two traces count: "blocks"; "samples" where both are sampled the same way; "" where one
// is, or the other one differently, as these cannot be compared. sampled are the words of [model.Meta.Sampled] for each side.
func Blocks(sampled [2]string) string {
	switch {
	case sampled == [2]string{}:
		return "blocks"
	case sampled[0] == sampled[1]:
		return "samples"
	}
	return ""
}

// Direction returns which side is which, and what a sign means.
func (c *Comparison) Direction() string {
	out := "before (A): " + model.Clean(c.Before.Label) + " · after (B): " + model.Clean(c.After.Label) +
		" · + is growth from A to B, - is shrinkage"
	if c.Swapped {
		out += " · sides are swapped"
	}
	return out
}

// Normalized returns how the figures of before were scaled, "" if they were not.
func (c *Comparison) Normalized() string {
	if c.Per == NormalNone {
		return ""
	}
	what := [...]string{"", "total", "duration", "number of allocations", "number of collections", "number of markers"}[c.Per]
	return "figures before are scaled by " + factor(c.Factor()) + ", as if both sides had the same " + what
}

func factor(f float64) string { return strconv.FormatFloat(f, 'g', 4, 64) }

// Sentence returns a summary of what changed.
func (c *Comparison) Sentence(w Words) string {
	w.fill()
	t := &c.Totals
	before, after := w.Side[0](t.BeforeBytes), w.Side[1](t.AfterBytes)
	var out strings.Builder
	switch {
	case c.unlike():
		return fmt.Sprintf("How %s changed is unknown: one side counts samples, and the other one blocks, or samples of another kind.", w.Measure)
	case !w.Sums && c.Counts[ChangeSame] == len(c.Rows) && t.DeltaBytes() == 0 && (w.Counted == "" || t.DeltaCount() == 0):
		return fmt.Sprintf("Nothing changed: %s is %s on both sides.", w.Measure, w.Amount(t.AfterBytes))
	case c.Errors && c.within() && c.beyond == 0:
		return fmt.Sprintf("No difference of %s exceeds the error of sampling (%s): %s before, %s after.",
			w.Measure, w.off(c.TotalError), before, after)
	case t.DeltaBytes() == 0:
		fmt.Fprintf(&out, "From before to after %s stayed at %s in total", w.Measure, after)
	case c.Errors && c.within():
		fmt.Fprintf(&out, "From before to after %s changed by no more than the error of sampling (%s) in total, from %s to %s",
			w.Measure, w.off(c.TotalError), before, after)
	default:
		verb := "grew"
		if t.DeltaBytes() < 0 {
			verb = "shrank"
		}
		fmt.Fprintf(&out, "From before to after %s %s by %s%s%s, from %s to %s", w.Measure, verb,
			w.Amount(distance(t.BeforeBytes, t.AfterBytes)), c.offTotal(&w), percentText(t), before, after)
	}
	if !c.Errors || !c.within() {
		out.WriteString(w.countsText(t))
	}
	out.WriteString(c.most(&w))
	out.WriteString(".")
	return out.String()
}

// offTotal returns the error of the change in total, "" if there is none.
func (c *Comparison) offTotal(w *Words) string {
	if c.TotalError == 0 {
		return ""
	}
	return " " + w.off(c.TotalError)
}

// countsText returns how counts changed, in parentheses; "" if they did not.
func (w *Words) countsText(t *Figures) string {
	n := t.DeltaCount()
	if w.Counted == "" || n == 0 {
		return ""
	}
	sign := "+"
	if n < 0 {
		sign = "-"
	}
	d, word := distance(t.BeforeCount, t.AfterCount), w.Counted
	if d == 1 {
		word = strings.TrimSuffix(word, "s")
	}
	return fmt.Sprintf(" (%s%s %s)", sign, model.Group(d), word)
}

// percentText returns the change in percent, in parentheses; "" if there is none.
func percentText(f *Figures) string {
	p := model.Change(f.BeforeBytes, f.AfterBytes)
	if p == "" {
		return ""
	}
	return " (" + strings.Replace(p, " ×", " times as much", 1) + ")"
}

// most names the row with the largest part of the change: none whose change may be due to sampling. If the change in
// total may be, it is the row that changed most.
func (c *Comparison) most(w *Words) string {
	whole := c.Totals
	if c.Errors && c.within() {
		whole = Figures{}
	}
	at, p := MostOfChange(&whole, len(c.Rows), func(i int) *Figures {
		if r := &c.Rows[i]; r.Certainty() != CertainChange || r.Within() {
			return nil
		}
		return &c.Rows[i].Figures
	})
	switch {
	case at < 0 && c.Within > 0:
		return "; no " + w.Thing + " alone changed so by more than the error of sampling"
	case at < 0:
		return ""
	}
	p.nested = c.Before.nested || c.After.nested
	if p.Name = w.Name(c.Name(&c.Rows[at])); p.Name == "" {
		p.Name = "the " + w.Thing + " without a name"
	}
	return p.Text(w.Amount)
}

// PartOfChange is the part of one row in a total change. Its share is that of the net change: growth less shrinkage.
type PartOfChange struct {
	Name       string // ready to print
	row, total Figures
	opposed    bool   // another row changed in the opposite direction, so the shares of the others add up to more than 100 %
	nested     bool   // another row changed in the opposite direction: shares of the others exceed 100 %
	Of         string // the unit of the change, if the sentence has several: " of objects"
}

// MostOfChange returns the row with the largest change in the direction of the total. If the total did not change, it
// is the row that changed most. Rows come by size of their change, largest first; those of which it is not known are
// nil. The caller sets the name. most is
// negative if no row changed.
func MostOfChange(whole *Figures, n int, row func(int) *Figures) (most int, p PartOfChange) {
	most, p.total = -1, *whole
	for i := range n {
		switch r := row(i); {
		case r == nil:
		case r.opposes(whole):
			p.opposed = true
		case most < 0 && r.DeltaBytes() != 0:
			most, p.row = i, *r
		}
	}
	return most, p
}

// opposes reports whether f changed in the opposite direction of whole.
func (f *Figures) opposes(whole *Figures) bool {
	a, b := f.DeltaBytes(), whole.DeltaBytes()
	return a > 0 && b < 0 || a < 0 && b > 0
}

// Text returns the end of a sentence about the total change: "; f grew by 1.20 MiB, 56.0 % of the growth". The amount
// says of what the share is: sentences also name a change of counts. If the row changed by more than the total, as
// others changed in the opposite direction, it has no share: "; f grew by 1.20 MiB, others shrank". The row must not have
// changed opposite to the total. Text returns "" for a row that did not change.
func (p *PartOfChange) Text(amount func(uint64) string) string {
	part, whole := distance(p.row.BeforeBytes, p.row.AfterBytes), distance(p.total.BeforeBytes, p.total.AfterBytes)
	if part == 0 {
		return ""
	}
	verb, other, noun := "grew", "shrank", "growth"
	if p.row.DeltaBytes() < 0 {
		verb, other, noun = "shrank", "grew", "shrinkage"
	}
	if p.opposed {
		noun = "net " + noun
	}
	what := p.Name
	if p.nested {
		what = "what is within " + what
	}
	text := fmt.Sprintf("; %s %s by %s", what, verb, amount(part))
	switch {
	case whole == 0 || part > whole && p.nested: // the changes of the others are not known separately
		return text
	case part > whole:
		return text + ", others " + other
	}
	return text + fmt.Sprintf(", %v of the %s%s", model.ShareOf(part, whole), noun, p.Of)
}

// Bounds returns what lower bounds among the rows mean, "" without any.
func (c *Comparison) Bounds() string {
	bound, unknown := 0, 0
	for i := range c.Rows {
		if c.Rows[i].AtLeast != [2]bool{} {
			bound++
		}
		if c.Rows[i].Certainty() == UnknownChange {
			unknown++
		}
	}
	switch {
	case bound == 0:
		return ""
	case unknown == 0:
		return "≥: at least, as exact figures take too long, or rows with the same name overlap"
	}
	return "≥: at least, as exact figures take too long, or rows with the same name overlap; how much " +
		model.Counted(unknown, "row") + " changed is unknown (?)"
}

// Losses returns what could not be matched, and what was merged, one sentence each.
func (c *Comparison) Losses(w Words) []string {
	w.fill()
	var out []string
	side := func(i int, of Sum) string {
		bound := ""
		if of.AtLeast {
			bound = "≥ "
		}
		return w.Count(of.Rows) + " (" + bound + w.Side[i](of.Bytes) + ")"
	}
	if text := perSide(c.Unmatched, "only in ", side); text != "" {
		out = append(out, model.Capital(text)+".")
	}
	if text := perSide(c.Nameless, "in ", side); text != "" {
		out = append(out, "Without names in their file: "+text+".")
	}
	if c.Unknown > 0 {
		out = append(out, "Left out because "+w.Unknown+": "+w.Count(c.Unknown)+".")
	}
	if text := c.Bounds(); text != "" {
		out = append(out, text+".")
	}
	if c.Merged[0]+c.Merged[1] > 0 {
		out = append(out, fmt.Sprintf("Merged, as their names are the same: %s in A, %s in B.",
			w.Count(c.Merged[0]), w.Count(c.Merged[1])))
	}
	return out
}

// perSide returns what is on each side, after "only in" or the like; "" if there is nothing on either.
func perSide(sums [2]Sum, where string, say func(side int, of Sum) string) string {
	var parts []string
	for i, name := range []string{"A", "B"} {
		if sums[i].Rows > 0 {
			parts = append(parts, where+name+": "+say(i, sums[i]))
		}
	}
	return strings.Join(parts, "; ")
}
