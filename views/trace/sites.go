package trace

import (
	"context"
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Sites is the table of the groups that allocate, by stack or another key, at the instant and over the range.
type Sites struct {
	siteStory
	groupPane
	evidence *siteEvidence
	*ui.Table[siteData, analysis.Site]
	rows   *ui.Staged[siteKey, *siteRows]
	trends *ui.Lazy[trendKey, *trendSet]
}

// NewSites returns the table of sites.
func NewSites(e *ui.Env) *Sites {
	p := &Sites{groupPane: newGroupPane(e), siteStory: newSiteStory(e)}
	p.evidence = newSiteEvidence(e, &p.siteStory)
	p.Blocks.Parts = blockEvidence(e)
	p.rows = ui.NewStaged(e, func(ctx context.Context, k siteKey) (*siteRows, error) { return askSites(ctx, e.Trace, k) })
	p.trends = ui.NewDeepLazy(e, func(ctx context.Context, k trendKey) (*trendSet, error) { return computeTrends(ctx, e.Trace, k) })
	p.Table = ui.NewTable(e, &p.ListPane, siteData{siteRows: &siteRows{}}, p.siteSpec())
	p.Moved, p.row = p.publishSelection, func() (analysis.Group, *analysis.Site, bool) {
		s, ok := p.Selected()
		return p.by(), s, ok
	}
	p.Enter = func() {
		p.openBlocks(analysis.LargestFirst, "Nothing of this is live "+atText(&p.State)+".",
			p.Hint("{back} goes back; {peak} goes to the peak, {step-back} and {step-forward} move the instant."))
	}
	return p
}

func (p *Sites) Name() string { return "Sites" }

func (p *Sites) Action() keymap.Action { return keymap.ShowSites }

func (p *Sites) Scopes() []keymap.Scope { return p.groupScopes() }

func (p *Sites) About() string {
	if p.Blocks.Open {
		return "blocks"
	}
	if p.State.Group != analysis.ByStack {
		return "by " + p.State.Group.String()
	}
	return ""
}

// ShownStacks implements [ui.Stacked].
func (p *Sites) ShownStacks() ([]model.StackID, bool) {
	return p.shownStacks(p.Len(), func(i int) model.StackID { return p.Row(i).Stack })
}

func (p *Sites) Command() []string {
	if p.Blocks.Open {
		return p.blocksCommand()
	}
	var q state.Question
	q.By = p.Sorted().OrderKey()
	if q.Table = "sites"; p.State.Group != analysis.ByStack {
		q.Table, q.Group = "groups", p.State.Group.String()
	}
	q.Filter = p.RowFilter(p.State.Filter)
	return q.Args()
}

// Show shows a state. What depends on the instant is requested first; nothing else is requested again while it
// moves.
func (p *Sites) Show(s *state.State) {
	if p.State.Group != s.Group {
		p.List.Home()
		p.Blocks.Open = false
	}
	p.State = *s
	if p.Trace == nil {
		return
	}
	p.labels.Follow(s.Filters)
	whole := siteKey{s.Status.Revision, analysis.Query{At: s.At, Range: s.Range, By: s.Group, Cell: s.Only()}}
	part, needed := whole, filtersPeaks(s) || p.Sorted().Title == titles.Peak
	part.NoPeaks = !needed
	p.Blank = siteData{siteRows: p.blank(whole), naming: p.named(s)}
	p.rows.Ask(whole, part, s.Settled() || needed)
	rows, ok := p.rows.Get()
	if !ok {
		return
	}
	if _, ok := s.Deep(); ok {
		p.askVerdicts(s, rows.key.By, rows.key.Cell.Stacks)
	}
	d := siteData{siteRows: rows, naming: p.named(s)}
	if p.Sorted().Title == titles.Verdict {
		d.verdicts, _ = p.verdicts.Get()
	}
	if !p.Ask(d, s.Filter) {
		return
	}
	p.adopt(p.by(), p.Fresh())
	p.askTrends()
	p.explain()
	if p.Blocks.Open {
		p.Blocks.Show(&p.State, analysis.BlockQuery{At: s.At, Cell: s.Only()}, "live "+atText(s), s.Now())
	}
}

// blank returns the data of the columns before the first answer.
func (p *Sites) blank(k siteKey) *siteRows {
	if p.Blank.key == k {
		return p.Blank.siteRows
	}
	return &siteRows{key: k}
}

// atText returns the instant in words.
func atText(s *state.State) string {
	if s.AtEnd() {
		return "at the end"
	}
	return "at " + s.Now().String()
}

// askTrends requests the sparklines of the visible rows. Like verdicts and lifetimes they wait until everything is
// read: they take walks over the trace, which would delay the reading.
func (p *Sites) askTrends() {
	revision, ok := p.State.Deep()
	if !ok {
		return
	}
	from, to := p.Window()
	keys := make([]analysis.Key, 0, to-from)
	for i := from; i < to; i++ {
		keys = append(keys, p.Row(i).Key)
	}
	p.trends.Ask(trendKey{revision, p.by(), p.Now().Of.key.Cell.Stacks, packKeys(keys)})
}

// trendCell returns the curve of a row, empty before it is known.
func (p *Sites) trendCell(s *analysis.Site) widget.Cell {
	trends, _ := p.trends.Get()
	return widget.Cell{Kind: widget.SparkCell, Spark: trends.of(p.by(), p.Now().Of.key.Cell.Stacks, s.Key)}
}

// shareCell returns a row's share of the sort figure: of the sum, or of the largest if sums are meaningless.
func (p *Sites) shareCell(s *analysis.Site) widget.Cell {
	c := p.Sorted()
	if c.Value == nil {
		c = &p.Columns()[0]
	}
	return ui.ShareCell(c.Value(s), c.Total)
}

// verdictAbout returns the verdict about a row, none before it is known.
func (p *Sites) verdictAbout(k analysis.Key) verdict.Verdict {
	q := &p.Now().Of.key.Query
	return p.verdictOf(q.By, q.Cell.Stacks, k)
}

// Draw implements tview.Primitive.
func (p *Sites) Draw(s tcell.Screen) {
	p.Detail.Samples = p.State.Sampled()
	r := p.Rect()
	if p.Blocks.Open {
		p.Blocks.Draw(s, r)
		return
	}
	body := p.DrawTitled(s, r, p.Title(), p.answer())
	p.Split(body)
	p.Layout(p.ListAt.W, &p.State)
	p.List.Empty = p.emptyText()
	p.DrawPanes(s)
}

// by returns the grouping of the rows shown: those of the state's group may still be computed.
func (p *Sites) by() analysis.Group {
	if t := p.Now(); t != nil {
		return t.Of.key.By
	}
	return p.State.Group
}

// Title returns what the rows are.
func (p *Sites) Title() string {
	t := "Sites by " + p.by().String()
	if !p.State.Range.IsFull() && p.State.Cell.IsAll() {
		t += " · trend, verdict: whole run"
	}
	if p.State.Cell.IsAll() && !p.State.Settled() {
		trends, _ := p.trends.Get()
		t += ofWhen("peak", p.judged().aboutPeaks()) + ofWhen("trend", trends.about()) + ofWhen("verdict", p.judged().about())
	}
	if p.State.Filter != "" {
		t += " · filter “" + p.State.Filter + "”"
	}
	return t
}

// answer returns the number of rows, and their share of the total.
func (p *Sites) answer() string {
	t, f := p.Now(), ui.FiguresOf(&p.State, true)
	if t == nil {
		return ""
	}
	n, unit := len(t.Order), " "+p.by().String()
	if p.by() == analysis.ByStack {
		unit = " site"
	}
	if len(t.Rows) != 1 {
		unit += "s"
	}
	what, shown, all := "live", t.Shown.LiveBytes, t.Of.sum.LiveBytes
	switch p.Sorted().Title {
	case titles.Allocated, titles.Mean, titles.Allocs, titles.Temporary:
		what, shown, all = "total", t.Shown.AllocBytes, t.Of.sum.AllocBytes
	case titles.Leaked:
		what, shown, all = "unfreed", t.Shown.LeakBytes, t.Of.sum.LeakBytes
	}
	if what == "live" && p.State.Status.Unfreed {
		what = "live ≤"
	}
	if !p.rows.Settled() || !p.Fresh() {
		what = "summing… " + what
	}
	if n == len(t.Rows) {
		return model.Group(uint64(n)) + unit + " · " + what + " " + f.Bytes(all)
	}
	return fmt.Sprintf("%s of %s%s · %s %s of %s", model.Group(uint64(n)), model.Group(uint64(len(t.Rows))), unit, what,
		f.Bytes(shown), f.Bytes(all))
}

// emptyText returns why there are no rows, and what to do.
func (p *Sites) emptyText() []string {
	if why := ui.Unanswered(p.rows, p.Table); why != nil {
		return why
	}
	switch {
	case p.Now() == nil:
		return []string{"Summing…"}
	case len(p.Now().Rows) > 0:
		return []string{"No matches for “" + p.State.Filter + "”.", p.FilterHint()}
	case !p.State.Cell.IsAll():
		return p.NoneInCell(p.State.Cell)
	case !p.State.Settled():
		return []string{"Reading: no allocation so far."}
	case !p.State.Range.IsFull():
		return []string{"Nothing was allocated in this range, and nothing is live at its end.", p.Hint("{clear-range} clears the range.")}
	}
	return []string{"This file has no allocations.", "Problems lists what was found in it."}
}

// Do carries out an action, or returns false if the screen has no such action.
func (p *Sites) Do(a keymap.Action) bool {
	switch {
	case a == keymap.Group:
		p.groupFurther()
		return true
	case p.Blocks.Open:
		return p.Blocks.Do(a)
	}
	return p.DoTable(a)
}

func (p *Sites) CopyText() string {
	if p.Blocks.Open {
		return p.Blocks.CopyText()
	}
	row, ok := p.Selected()
	if !ok {
		return ""
	}
	return model.Clean(row.Name) + " " + model.Clean(row.Where) + "\n" + strings.Join(p.Detail.Sentences(p.Detail.Facts), "\n") + "\n" + p.Detail.Text()
}

// explain fills the detail pane from the selected row.
func (p *Sites) explain() {
	row, ok := p.Selected()
	if !ok {
		p.Detail = ui.Detail{}
		return
	}
	by, key := p.by(), &p.Now().Of.key
	among := groupAmong{row, by, key.Cell.Stacks, p.Now().Of.sum.LiveBytes, key.NoPeaks}
	p.askLives(&p.State, among)
	if p.Detail.Parts = nil; p.State.Settled() && p.HasRoom() {
		p.Detail.Parts = p.evidence.parts(&p.State, among)
	}
	setGroup(p.Pane.Env, &p.Detail, &p.State, by, row)
	p.Detail.Answer = ui.VerdictWord(p.verdictAbout(row.Key))
	p.Detail.Facts = p.facts(&p.State, among)
	if cell := key.Cell.Rectangle(); !cell.IsAll() {
		p.Detail.Facts = append(p.Detail.Facts[:1], "only blocks of "+cell.Text()+p.Hint("; {back} clears that filter"))
		p.Detail.Answer = ""
	}
}

// Difference implements [ui.Differing].
func (p *Sites) Difference(table func(ui.Screen, ui.DiffTable) ui.Screen) ui.Screen {
	return table(p, ui.DiffTable{})
}

// Fields implements [ui.Filtered].
func (p *Sites) Fields() []analysis.Field { return p.fields(p.Table.Fields()) }
