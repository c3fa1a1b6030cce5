package trace

import (
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// drawTitle draws both sections with their answers, the one that is shown marked, and the minimum age.
func (p *Leaks) drawTitle(s tcell.Screen, r widget.Rect) {
	found, haveFound := p.found.Get()
	gone, haveGone := p.late.Get()
	age, least := "min age "+p.State.MinAge.String(), 0
	if p.State.MinAge == 0 {
		age = "min age 0"
	} else {
		least = widget.Width(age) + 2 // the active section must be visible
	}
	never, late := "never freed "+p.sums(found, haveFound, p.found.Failure() != nil, !p.inLate),
		"freed late "+p.sums(gone, haveGone, p.late.Failure() != nil, p.inLate)
	if !p.inLate && haveGone && gone.Count > 0 {
		if more := "freed late " + p.sums(gone, true, false, true) + p.Hint(": {leaks.cost}"); widget.Width(never+more)+7+least <= r.W {
			late = more
		}
	}
	if p.inLate {
		never += p.Hint(": {leaks.cost}")
	}
	if !p.found.Fresh() {
		never += " …" // more is coming
	}
	if f := p.State.Filter; f != "" && p.Now() != nil {
		shown := fmt.Sprintf("%d of %d · %s", p.Len(), len(p.Now().Rows),
			ui.FiguresOf(&p.State, true).Bytes(p.Now().Shown.Bytes))
		if p.inLate {
			late = "freed late " + shown
		} else {
			never = "never freed " + shown
		}
	}
	x, end := r.X+1, r.X+r.W-1
	if !p.inLate {
		end -= least // a minimum age that is on is always seen
	}
	for i, text := range [...]string{never, late} {
		st := p.Look.Muted
		mark := "  "
		if (i == 1) == p.inLate {
			st, mark = p.Look.Title, p.Look.Glyphs.ArrowRight+" "
		}
		x += widget.Print(s, x, r.Y, end-x, mark+text+"  ", st)
	}
	if room := r.X + r.W - x - 2; room >= widget.Width(age) && !p.inLate {
		widget.PrintRight(s, r.X, r.Y, r.W-1, age, p.Style(themes.Accent))
	}
}

// sums returns a summary of a list of leaks, a shorter one unless long is set. failed reports that there will be none.
func (p *Leaks) sums(l *leakList, ok, failed, long bool) string {
	switch {
	case failed:
		return "unknown"
	case !ok:
		return "…"
	case l.Count == 0:
		return "nothing"
	}
	atMost := ""
	if p.State.Status.Unfreed {
		atMost = "≤ "
	}
	text := atMost + ui.FiguresOf(&p.State, true).Bytes(l.Bytes)
	if long {
		text += " in " + p.State.Blocks(l.Count)
	}
	return text
}

// note returns a warning if the figures are less certain than they seem, else "".
func (p *Leaks) note() string {
	t, ok := p.totals.Get()
	switch {
	case p.inLate && p.late.Good() && p.Len() > 0:
		return "Freed in the last 2 % of the run after living for at least half of it."
	case p.inLate || !ok || t.AllocCount == 0:
		return ""
	case t.UnaddressedCount == t.AllocCount:
		return "! No addresses in this file: frees are unknown, so everything looks like a leak."
	case t.UnaddressedCount > 0:
		return fmt.Sprintf("! %s of %s have no address, their frees are unknown: the figures are upper bounds.",
			model.Group(t.UnaddressedCount), model.Blocks(t.AllocCount))
	case p.State.Status.FreesNever && p.State.Status.Final:
		return "! This file records no frees: everything looks like a leak."
	case !p.State.Range.IsFull():
		return p.Hint("Allocated in the range and still live at its end; {clear-range} clears the range.")
	}
	return ""
}

// leastGrown is the part of all that was never freed or freed late from which on what grew is worth a line.
const leastGrown = 0.01

// grewText says which sites grew like a leak until the program freed everything, "" if none of any size did. Where they
// are not listed, it names the key that lists them.
func (p *Leaks) grewText() string {
	l, ok := p.late.Get()
	found, known := p.found.Get()
	if !ok || !known || !p.late.Good() || l.grew.sites == 0 ||
		float64(l.grew.bytes) < leastGrown*(float64(l.Bytes)+float64(found.Bytes)) {
		return ""
	}
	g, f := &l.grew, ui.FiguresOf(&p.State, true)
	what, them := "a leak", "it"
	label := p.labels.Label(p.State.Stacks(), analysis.ByStack, &g.most.Site, p.State.FullName)
	name := widget.Clean(label.Name)
	if label.Where != "" {
		name += " at " + widget.Clean(label.Where)
	}
	if g.sites > 1 {
		name, what, them = name+" and "+model.Counted(g.sites-1, "other site"), "leaks", "them"
	}
	text := fmt.Sprintf("%s %s grew like %s, %s, until the program freed %s at its end: %s", p.VerdictSign(verdict.Late), name, what,
		f.Slope(g.growth), them, f.Bytes(g.bytes))
	switch {
	case !p.inLate:
		return text + p.Hint(" ({leaks.cost} lists "+them+")")
	case g.younger:
		return text + ", with blocks too young for this list"
	}
	return text
}

// emptyText returns why there are no rows, and what to do.
func (p *Leaks) emptyText() []string {
	t, _ := p.totals.Get()
	shown := ui.Failing(p.found)
	if p.inLate {
		shown = p.late
	}
	if why := ui.Unanswered(shown, p.Table); why != nil {
		return why
	}
	switch {
	case p.Now() == nil:
		return []string{"Summing…"}
	case len(p.Now().Rows) > 0:
		return []string{"No matches for “" + p.State.Filter + "”.", p.FilterHint()}
	case p.inLate && !p.State.Cell.IsAll():
		return append([]string{"No such block was freed late."}, p.NoneInCell(p.State.Cell)...)
	case p.inLate:
		return []string{"No block was freed in the last 2 % of the run after living for at least half of it.",
			p.Hint("{leaks.cost} goes back to what was never freed.")}
	case !p.State.Cell.IsAll():
		return p.NoneInCell(p.State.Cell)
	case p.State.MinAge > 0:
		return []string{"No block that was never freed is " + p.State.MinAge.String() + " old at the end.",
			p.Hint("{min-age-down} lowers the minimum age.")}
	case t.AllocCount == 0 && p.State.Range.IsFull():
		return []string{"Nothing was allocated, so nothing leaked."}
	case t.AllocCount == 0:
		return []string{"Nothing was allocated in this range, so nothing leaked.", p.Hint("{clear-range} clears the range.")}
	case !p.State.Range.IsFull():
		return []string{"Nothing that was allocated in this range is live at its end: " + allFreed(t.AllocCount),
			p.Hint("{clear-range} clears the range.")}
	case !p.State.Settled():
		return []string{"Nothing is left of the " + model.Blocks(t.AllocCount) + " read so far."}
	}
	return []string{p.Look.Glyphs.Check + " Nothing leaked: " + allFreed(t.AllocCount)}
}

// allFreed reports that n blocks were freed.
func allFreed(n uint64) string {
	if n == 1 {
		return "its only block was freed."
	}
	return "all " + model.Blocks(n) + " were freed."
}

// explain fills the detail pane from the selected row.
func (p *Leaks) explain() {
	row, ok := p.Selected()
	if !ok {
		p.Detail = ui.Detail{}
		return
	}
	setGroup(p.Pane.Env, &p.Detail, &p.State, p.Now().Of.by, &row.Site)
	f := ui.FiguresOf(&p.State, true)
	p.Detail.Answer = p.State.Blocks(row.Count)
	if row.Count > 1 && !p.State.Sampled() {
		each := " each"
		if row.Bytes%row.Count != 0 {
			each = " on average"
		}
		p.Detail.Answer += " · " + f.Bytes(model.Mean(row.Bytes, row.Count)) + each
	}
	p.Detail.Facts, p.Detail.Lead = []string{p.frequency(row), p.freedText(row)}, nil
	p.Detail.Lead = p.judgment(row)
	by := p.Now().Of.by
	if p.Detail.Parts = nil; p.State.Settled() && p.HasRoom() {
		g := groupAmong{Site: &row.Site, by: by, only: p.State.Filters}
		p.Detail.Parts = p.evidence.withBlocks(&p.State, g, p.blockQuery())
	}
}

// judgment returns the verdict about a row in sentences. In a range, what is said of the complete run says so.
func (p *Leaks) judgment(row *analysis.LeakSite) (lead []string) {
	l, about := p.Now().Of, ""
	switch {
	case p.State.Live():
		about = "over the first " + l.verdicts.To().String() + ": "
	case l.part:
		about = "in the complete run: "
	}
	v := l.said(row)
	if text := ui.VerdictSentence(v); text != "" {
		lead = append(lead, p.VerdictSign(v.Kind)+" "+about+text)
	}
	return lead
}

// frequency returns when the blocks were allocated, and by which threads.
func (p *Leaks) frequency(s *analysis.LeakSite) string {
	text := "allocated at " + s.First.String()
	if s.Count > 1 {
		first, last := model.Ends(s.First, s.Last, "")
		text = fmt.Sprintf("one new block every %s, from %s to %s; median age %v", (s.Last - s.First).Each(s.Count-1),
			first, last, s.Median)
	}
	if t := ui.ThreadsText(s.Threads); t != "" {
		text += "; " + t
	}
	return text
}

// lateText returns how long the blocks of a site lived that were freed late, and how many younger ones went with them.
func (p *Leaks) lateText(s *analysis.LeakSite) string {
	text := fmt.Sprintf("freed within the last 2 %% of the run, after living for %v", s.Oldest)
	if s.Newest != s.Oldest {
		text = fmt.Sprintf("freed within the last 2 %% of the run, after living for %v to %v", s.Newest, s.Oldest)
	}
	if v := p.Now().Of.said(s); v.Late > s.Count {
		text += fmt.Sprintf("; with younger ones, %s (%v) were freed at the end", model.Blocks(v.Late), model.Bytes(v.LateBytes))
	}
	return text
}

// freedText returns what became of the blocks of a site.
func (p *Leaks) freedText(s *analysis.LeakSite) string {
	when := "at the end of the run"
	switch {
	case !p.State.Range.IsFull():
		when = "at the end of the range"
	case p.State.Live():
		when = "now"
	}
	which, among := "of this site", ""
	if cell := p.State.Cell.Rectangle(); !cell.IsAll() {
		among = " with " + cell.Text()
		which += among
	}
	switch {
	case p.inLate:
		return p.lateText(s)
	case s.AllocCount == 1 && p.State.Status.Unfreed:
		return "no free is known of the only block " + which + ", perhaps because it has no address"
	case s.AllocCount == 1:
		return "never freed: the only block " + which + " is live " + when
	case s.LeakCount >= s.AllocCount && p.State.Status.Unfreed:
		return fmt.Sprintf("none of the %s %s has a known free, perhaps because they have no address", model.Blocks(s.AllocCount), which)
	case s.LeakCount >= s.AllocCount:
		return fmt.Sprintf("never freed: %s of %s %s are live %s", model.Group(s.LeakCount), model.Blocks(s.AllocCount), which, when)
	}
	are := "are"
	if s.LeakCount == 1 {
		are = "is"
	}
	text := fmt.Sprintf("%s of %s%s (%s) %s live %s", model.Group(s.LeakCount),
		model.Blocks(s.AllocCount), among, ui.ShareText(s.LeakShare()), are, when)
	if s.Count < s.LeakCount {
		text += fmt.Sprintf(", %s of them at least %v old", model.Group(s.Count), p.State.MinAge)
	}
	return text + "; the others were freed"
}
