package trace

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// topSites is a short table of the groups with the highest figure of one cost at the instant: the part of the Sites
// screen that fits anywhere. It is sorted by the program's cost unless another column is chosen.
type topSites struct {
	ui.ListPane
	*ui.Table[topData, analysis.Site]
	env     *ui.Env
	fixed   bool          // the cost is always fixedTo instead of the state's
	fixedTo analysis.Cost // one that does not depend on the instant
	ofRun   bool          // of a run that freed most at its end, it shows the peak
	state   state.State
	adopted state.Selection // the state's selection that the list has already applied
	got     *topRows        // the newest answer; the table shows it once sorted
	labels  *ui.SiteLabels
	lazy    *ui.Staged[topKey, *topRows]
	trends  *ui.Lazy[trendKey, *trendSet]
	alike   map[analysis.Key]bool // of the first rows: another one has the same name and place
	siteStory
}

// topKey determines the rows of the table.
type topKey struct {
	revision uint64
	at       analysis.Instant
	r        analysis.Range
	by       analysis.Group
	cost     analysis.Cost
	only     calltree.Filter
	noPeaks  bool
	ofRun    bool
}

// topRows is the content of the table. Read-only once made.
type topRows struct {
	topKey
	shown analysis.Cost   // the cost of the rows: differs from cost if that is zero everywhere
	level analysis.Level  // at the instant
	sum   analysis.Site   // of all groups; PeakBytes is the largest
	of    uint64          // sum of the cost over all groups
	most  uint64          // the highest cost of a group
	rows  []analysis.Site // the groups with any of the cost
}

// topData determines the table.
type topData struct {
	*topRows
	naming
}

const (
	maxTopTrends = 64
	trendWidth   = 100 // from which on there is room for peaks and trends
)

func newTopSites(e *ui.Env) *topSites {
	t := &topSites{env: e, got: &topRows{}, labels: ui.NewSiteLabels(e.Libraries), siteStory: newSiteStory(e)}
	t.lazy = ui.NewStaged(e, func(ctx context.Context, k topKey) (*topRows, error) { return askTop(ctx, e.Trace, k) })
	t.trends = ui.NewDeepLazy(e, func(ctx context.Context, k trendKey) (*trendSet, error) { return computeTrends(ctx, e.Trace, k) })
	t.Table = ui.NewTable(e, &t.ListPane, topData{topRows: &topRows{}}, ui.Spec[topData, analysis.Site]{
		Rows:    func(d topData) []analysis.Site { return d.rows },
		Columns: t.columns,
		ID:      func(_ topData, s *analysis.Site) uint64 { return uint64(s.Key) },
		First:   topValue,
		Words: func(d topData) func(s *analysis.Site) []string {
			return func(s *analysis.Site) []string { return d.words(d.by, s) }
		},
		Last: func(a, b *analysis.Site) int { return cmp.Or(cmp.Compare(a.Stack, b.Stack), cmp.Compare(a.Key, b.Key)) },
		Most: func(d topData) (bytes, count uint64) { return max(d.sum.AllocBytes, d.sum.LiveBytes), d.sum.AllocCount },
	})
	t.Order, t.Alone = t, true
	return t
}

// data returns the data of the rows shown.
func (t *topSites) data() topData {
	if now := t.Now(); now != nil {
		return now.Of
	}
	return t.Blank
}

// topValue is the column of the cost.
const topValue = 2

// columns returns the columns of the rows. The last ones are hidden: only filters use them.
func (t *topSites) columns(d topData) []ui.Column[analysis.Site] {
	type site = analysis.Site
	f, bytes := siteFigures(&d.sum, itself), 10
	t.judged().showPeaks(&f.peak, d.by, d.only, d.noPeaks)
	shown := func(c ui.Column[site], title string, width, drop int) ui.Column[site] {
		c.Title, c.Width, c.Drop, c.Fields, c.Tie = title, width, drop, nil, liveCount
		return c
	}
	blocks := shown(f.blocks, titles.Blocks, 9, 5)
	if d.shown == analysis.CostTotal {
		blocks = shown(f.count, titles.Allocs, 9, 5)
	}
	blocks.Shown = d.counted()
	temp := shown(f.temp, titles.Temporary, 0, 8)
	temp.Hidden = d.sampled
	temp.Share = func(s *site) float64 { return float64(model.ShareOf(s.Temporary, s.AllocCount)) }
	value := ui.Column[site]{Title: ui.CostTitle(d.shown), Key: ui.CostNamed(d.shown), Figure: ui.CountFigure, Width: bytes, Tie: liveCount,
		Value: func(s *site) uint64 { return s.Cost(d.shown) }}
	if d.shown.IsBytes() {
		value.Figure = ui.BytesFigure
	}
	off := errors(d.naming, value.Title, d.amount)
	off.Drop = 3
	off.Hidden = off.Hidden || !d.shown.IsBytes() || d.shown == analysis.CostPeak
	cut := siteCut(d.by)
	if d.by == analysis.ByStack {
		cut = widget.CutEnd
	}
	return append([]ui.Column[site]{
		{Title: siteTitle(d.by), Width: 24, Grow: 3, Cut: cut, Text: func(s *site) string { return d.label(d.by, s).Name }},
		{Title: titles.Where, Width: 14, Grow: 1, MaxWidth: 30, Cut: widget.CutFolder, Drop: 2,
			Hidden: d.by != analysis.ByStack, Muted: true,
			Text: func(s *site) string { return d.label(d.by, s).Where }, Cell: func(s *site) widget.Cell { return t.whereCell(d, s) }},
		value, off,
		{Width: 10, Drop: 4, Like: value.Title, Cell: func(s *site) widget.Cell {
			return ui.ShareCell(s.Cost(d.shown), max(d.most, 1))
		}},
		{Title: titles.Share, Width: model.ShareWidth, Right: true, Drop: 1, Like: value.Title,
			Text: func(s *site) string { return ui.PartText(s.Cost(d.shown), d.of) }},
		blocks, shown(f.peak, titles.OwnPeak, bytes, 6), shown(f.total, titles.Allocated, bytes, 7), temp,
		{Title: titles.Trend, Width: 16, Drop: 4, Like: value.Title, Cell: t.trendCell},
	}, unseen(f.all()...)...)
}

// amount returns the bytes of a group by the cost that is shown, and how many blocks they are.
func (d topData) amount(s *analysis.Site) (bytes, blocks uint64) {
	switch d.shown {
	case analysis.CostTotal:
		return s.AllocBytes, s.AllocCount
	case analysis.CostLeaked:
		return s.LeakBytes, s.LeakCount
	}
	return s.LiveBytes, s.LiveCount
}

// whereCell returns the place of a row, with the number of its stack where another row looks the same.
func (t *topSites) whereCell(d topData, s *analysis.Site) widget.Cell {
	where := d.label(d.by, s).Where
	if t.alike[s.Key] {
		where += fmt.Sprintf(" #%d", s.Stack)
	}
	return widget.Cell{Text: where, Style: t.env.Look.Muted}
}

// findAlike finds which of the first rows look the same.
func (t *topSites) findAlike() {
	d, first := t.data(), map[ui.SiteLabel]analysis.Key{}
	if t.alike = map[analysis.Key]bool{}; d.by != analysis.ByStack {
		return
	}
	for i := range min(t.Len(), maxTopTrends) {
		s := t.Row(i)
		l := d.label(d.by, s)
		l.Where = path.Base(l.Where)
		if other, seen := first[l]; seen {
			t.alike[s.Key], t.alike[other] = true, true
		} else {
			first[l] = s.Key
		}
	}
}

func liveCount(s *analysis.Site) uint64 { return s.LiveCount }

// trendCell returns the curve of a row, empty before it is known.
func (t *topSites) trendCell(s *analysis.Site) widget.Cell {
	d := t.data()
	trends, _ := t.trends.Get()
	if trend := trends.of(d.by, d.only, s.Key); trend != nil {
		return widget.Cell{Kind: widget.SparkCell, Spark: trend}
	}
	return widget.Cell{}
}

// littleLeft is the part of the peak up to which what is live at the end is only what a runtime leaves after its end.
const littleLeft = 10

// askTop computes the rows. If nothing is live, or of a complete run little, it takes the peak instead.
func askTop(ctx context.Context, t analysis.Trace, k topKey) (*topRows, error) {
	out := &topRows{topKey: k, shown: k.cost}
	var err error
	if out.level, err = t.Live(ctx, k.at); err != nil {
		return nil, err
	}
	at, live := k.at, k.cost == analysis.CostLive || k.cost == analysis.CostLiveCount
	if k.cost == analysis.CostPeak || live && (out.level.Count == 0 || k.ofRun) {
		peak, _, err := t.Peak(ctx, k.r)
		if err != nil {
			return nil, err
		}
		if !live || out.level.Count == 0 || out.level.Bytes <= peak.Bytes/littleLeft {
			out.shown, at = analysis.CostPeak, peak.Instant
		}
	}
	sites, err := t.Sites(ctx, analysis.Query{At: at, Range: k.r, By: k.by, Cell: analysis.Cell{Stacks: k.only}, NoPeaks: k.noPeaks})
	if err != nil {
		return nil, err
	}
	for i := range sites {
		cost := sites[i].Cost(out.shown)
		out.of, _ = model.SaturatingAdd(out.of, cost)
		out.most = max(out.most, cost)
		addSite(&out.sum, &sites[i])
	}
	out.rows = slices.DeleteFunc(sites, func(s analysis.Site) bool { return s.Cost(out.shown) == 0 })
	return out, nil
}

// askTrends requests the sparklines of the first rows. They wait until everything is read, like those of Sites.
func (t *topSites) askTrends() {
	revision, ok := t.state.Deep()
	if !ok || t.state.Settled() && !t.lazy.Fresh() || !t.Fresh() {
		return
	}
	d := t.data()
	keys := make([]analysis.Key, min(t.Len(), maxTopTrends))
	for i := range keys {
		keys[i] = t.Row(i).Key
	}
	t.trends.Ask(trendKey{revision, d.by, d.only, packKeys(keys)})
}

// Show adopts a state.
func (t *topSites) Show(s *state.State) {
	t.state = *s
	t.labels.Follow(s.Filters)
	cost, at := s.Cost, s.At
	if t.fixed {
		cost, at = t.fixedTo, analysis.End // the cost does not depend on it
	}
	if s.Status.Events > 0 {
		whole := topKey{s.Status.Revision, at, s.Range, s.Group, cost, s.Filters, false,
			t.ofRun && s.AtEnd() && s.Settled() && s.Range.IsFull()}
		part, needed := whole, filtersPeaks(s) || t.Sorted().Title == titles.OwnPeak
		part.noPeaks = !needed
		t.lazy.Ask(whole, part, s.Settled() || needed)
	}
	if t.got, _ = t.lazy.Get(); t.got != nil {
		t.Ask(topData{t.got, naming{t.labels, s.Stacks(), s.FullName, s.Sampled(), s.Sampling()}}, s.Filter)
	} else {
		t.got = &topRows{}
		t.Forget()
	}
	t.findAlike()
	t.askTrends()
	t.List.Empty = t.empty()
	if by := t.data().by; s.Selected.Set && s.Selected != t.adopted && s.Selected.By == by &&
		t.lazy.Settled() && t.Fresh() {
		t.adopted = s.Selected
		t.List.SelectID(uint64(s.Selected.Key))
	}
	t.askStory()
}

// askStory asks for what there is to say about the selected row. It waits as trends do.
func (t *topSites) askStory() {
	if g, ok := t.among(); ok && (t.state.Live() || t.state.Settled() && t.lazy.Fresh()) {
		t.askVerdicts(&t.state, g.by, g.only)
		t.askLives(&t.state, g)
	}
}

// among returns the selected group.
func (t *topSites) among() (groupAmong, bool) {
	s, ok := t.Selected()
	d := t.data()
	return groupAmong{s, d.by, d.only, d.sum.LiveBytes, d.noPeaks}, ok
}

// waits reports whether there has been no answer yet.
func (t *topSites) waits() bool {
	return t.Now() == nil && t.Failure() == nil && !t.lazy.Failed() && t.state.Status.Events > 0
}

func (t *topSites) empty() []string {
	s, d := &t.state, t.data()
	if why := ui.Unanswered(t.lazy, t.Table); why != nil {
		return why
	}
	switch {
	case s.Status.Events == 0 && s.Status.Stopped:
		return []string{"Stopped before the first events."}
	case s.Status.Events == 0 && !s.Status.Final:
		return []string{"Reading the first events."}
	case t.waits():
		return []string{"Summing…"}
	case len(d.rows) > 0 && s.Filter != "":
		return []string{"No matches for “" + s.Filter + "”.", t.env.FilterHint()}
	case !s.Range.IsFull():
		return []string{"Nothing was allocated in this range.", t.env.Hint("{clear-range} clears the range.")}
	case s.Status.Events == 0:
		return []string{"The file has no events.", "Problems lists what was found in it."}
	}
	if s.Status.Final && s.Status.FreesNever && d.level.Count == 0 {
		return []string{"This file has no allocations.", "Problems lists what was found in it."}
	}
	return []string{"Nothing has this cost.", t.env.Hint("{sort} shows the next one.")}
}

// title returns the heading and the summary at its right.
func (t *topSites) title() (title, answer string) {
	d := t.data()
	what := "Top " + [...]string{"allocators", "functions", "owners", "files", "modules", "threads", "sizes"}[d.by]
	if t.state.Status.Events == 0 || t.waits() {
		return what, ""
	}
	answer = costText(d.shown)
	switch d.shown {
	case analysis.CostLive, analysis.CostLiveCount:
		answer += " " + t.whenText()
	case analysis.CostPeak:
		if !t.fixed && d.shown != d.cost {
			what := "little"
			if d.level.Count == 0 {
				what = "nothing"
			}
			answer = what + " is live " + t.whenText() + ": " + answer
		}
		if !t.state.Range.IsFull() {
			answer += " in the range"
		}
	default:
		if !t.state.Range.IsFull() {
			answer += " in the range"
		}
	}
	answer += t.orderText()
	if now := t.Now(); now != nil && t.state.Filter != "" {
		answer += fmt.Sprintf(" · %s of %s pass the filter", model.Group(uint64(len(now.Order))),
			model.Group(uint64(len(now.Rows))))
	}
	return what, answer
}

// orderText returns how the rows are sorted, if not by the cost with the highest first.
func (t *topSites) orderText() string {
	byCost := t.Sorted().Title == t.Columns()[topValue].Title
	switch {
	case byCost && !t.Reversed():
		return ""
	case byCost:
		return ", the smallest first"
	case t.Reversed():
		return " · sorted by " + t.Sorted().Title + ", reversed"
	}
	return " · sorted by " + t.Sorted().Title
}

// costText returns the sort key of a table in words.
func costText(c analysis.Cost) string {
	return "by " + [...]string{
		"live bytes", "live blocks", "live bytes at the peak", "allocated bytes", "allocated blocks", "unfreed bytes", "temporary blocks",
	}[c]
}

// whenText returns the instant of the rows in words.
func (t *topSites) whenText() string {
	switch at := t.data().at; {
	case at == analysis.End && !t.state.Status.Final:
		return "so far"
	case at == analysis.End:
		return "at the end"
	case at.Events != 0:
		return "at the peak"
	default:
		return "at " + ui.TimeText(at.T, t.state.Exact)
	}
}

// draw shows the table below its heading. Column titles need room for some rows as well.
func (t *topSites) draw(s tcell.Screen, r widget.Rect, focused bool) {
	head, body := r.CutTop(1)
	look := t.env.Look
	if focused {
		look = ui.FocusedLook(look)
	}
	title, answer := t.title()
	if !t.state.Settled() && r.W >= trendWidth {
		trends, _ := t.trends.Get()
		answer += ofWhen("peaks", t.judged().aboutPeaks()) + ofWhen("trends", trends.about())
	}
	if widget.Width(answer)+len("Top allocators")+4 > r.W {
		answer = ""
	}
	widget.TitleLine(s, head, look, title, answer)
	t.Layout(body.W, &t.state)
	t.List.Focused = focused
	t.List.HideHeader = body.H < 7
	t.List.Draw(s, body, t.env.Look)
}

// Function returns the function of the selected row, "" for none.
func (t *topSites) Function() string {
	s, ok := t.Selected()
	if !ok {
		return ""
	}
	return t.labels.FilterName(t.state.Stacks(), t.data().by, s)
}

// place returns the place of the selected row in a source file; ok is false where it has none.
func (t *topSites) place() (at lines.Place, ok bool) {
	s, ok := t.Selected()
	if !ok {
		return at, false
	}
	return t.labels.Place(t.state.Stacks(), t.data().by, s.Stack, t.state.FullName)
}

// publish makes the selected row the selection of all screens.
func (t *topSites) publish() {
	if s, ok := t.Selected(); ok {
		t.adopted = state.Selection{By: t.data().by, Key: s.Key, Stack: s.Stack, Set: true}
		t.env.Emit(state.SelectKey{Sel: t.adopted})
	}
}

// Do handles the actions of a focused table.
func (t *topSites) Do(a keymap.Action) bool {
	switch {
	case ui.MoveList(&t.List, a):
		t.publish()
	case a == keymap.Open:
		t.publish()
		t.env.Open(keymap.ShowSites)
	case a == keymap.Group:
		t.env.Emit(state.SetGroup{By: t.state.Group.Next()})
	default:
		return t.OrderBy(a)
	}
	return true
}

// OrderBy implements [ui.Orderly]. Where the program's cost is shown, the next order is that of the next cost.
func (t *topSites) OrderBy(a keymap.Action) bool {
	steps := map[keymap.Action]analysis.Cost{keymap.Sort: 1, keymap.ColumnRight: 1, keymap.ColumnLeft: analysis.CostCountOf - 1}
	step, ok := steps[a]
	if !ok || t.fixed {
		return t.Table.OrderBy(a)
	}
	t.weighBy((t.state.Cost + step) % analysis.CostCountOf)
	return true
}

// weighBy sets the program's cost, and sorts by it.
func (t *topSites) weighBy(c analysis.Cost) {
	t.Table.Home()
	t.env.Emit(state.SetCost{Cost: c})
}

// click selects a row, opens it, or sorts by the column in the header.
func (t *topSites) click(x, y int, double bool) {
	if _, title := t.List.HitHeader(x, y); title && t.List.HideHeader || !t.Hit(x, y) {
		return
	}
	t.publish()
	if double {
		t.env.Open(keymap.ShowSites)
	}
}

// ClickTitle implements [ui.Orderly]. The title of a cost selects it for the program; the same one again reverses the
// order.
func (t *topSites) ClickTitle(col int) {
	d := t.data()
	costs := map[string]analysis.Cost{titles.Blocks: analysis.CostLiveCount, titles.Allocs: analysis.CostCount,
		titles.Allocated: analysis.CostTotal, titles.Temporary: analysis.CostTemporary}
	cost, ok := costs[t.Columns()[col].Title]
	switch {
	case !ok || t.fixed || col == topValue:
		t.Table.ClickTitle(col)
	case cost == d.shown: // the column of the cost is next to it
		t.Table.ClickTitle(topValue)
	default:
		t.weighBy(cost)
	}
}

// CopyText returns the selected row, the evidence about it, and its stack.
func (t *topSites) CopyText() string {
	g, ok := t.among()
	if !ok {
		return ""
	}
	s := g.Site
	text := model.Clean(s.Name)
	if s.Where != "" {
		text += "  " + model.Clean(s.Where)
	}
	shown := t.data().shown
	value := t.state.Blocks(s.Cost(shown))
	if shown.IsBytes() {
		value = t.state.Estimate(model.Bytes(s.Cost(shown)).Exact())
	}
	_, answer := t.title()
	var stack ui.Detail
	setGroup(t.env, &stack, &t.state, g.by, s)
	return text + "  " + value + " " + answer + "\n" + strings.Join(t.facts(&t.state, g), "\n") + "\n" + stack.Text()
}

// Command returns the arguments of the report that contains the table.
func (t *topSites) Command() []string {
	q := t.question()
	return q.Args()
}

// tableCommand returns the arguments of the report that prints only the table.
func (t *topSites) tableCommand() []string {
	q := t.question()
	switch q.Table = "sites"; {
	case q.Group != "":
		q.Table = "groups"
	case q.By == "":
		q.Table = "peak_sites"
	}
	return q.Args()
}

// question returns the question with the order and the grouping of the table.
func (t *topSites) question() state.Question {
	by := [...]string{"live_bytes", "live_count", "", "alloc_bytes", "alloc_count", "leaked_bytes", "temporary_count"}[t.data().shown]
	q := state.Question{By: by} // the report always has a table of the peak
	if t.state.Group != analysis.ByStack {
		q.Group = t.state.Group.String()
	}
	return q
}
