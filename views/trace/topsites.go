package trace

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// topSites is a short table of the groups with the highest figure of one cost at the instant: the part of the Sites screen
// that fits anywhere. It is no [ui.Table]: its order is the program's choice of a cost, its rows are chosen and cut where they are
// summed up, so that moving the instant does not sort all groups twice, and it takes another cost where nothing is live.
type topSites struct {
	env     *ui.Env
	list    widget.List
	fixed   bool          // the cost is always fixedTo instead of the state's
	fixedTo analysis.Cost // one that does not depend on the instant
	state   state.State
	adopted state.Selection // the state's selection that the list follows already
	rows    topRows
	cols    []ui.Column[analysis.Site]
	up      bool // the smallest first
	labels  *ui.SiteLabels
	lazy    *ui.Staged[topKey, topRows]
	trends  *ui.Lazy[trendKey, *trendSet]
}

type topKey struct {
	revision uint64
	at       analysis.Instant
	r        analysis.Range
	by       analysis.Group
	cost     analysis.Cost
	only     calltree.Filter
	filter   string
	stacks   *model.Stacks // for labels
	full     bool
	noPeaks  bool
	up       bool
}

// topRows is the content of the table.
type topRows struct {
	topKey
	shown  analysis.Cost   // what the rows are sorted by: not cost where that is zero everywhere
	level  analysis.Level  // at the instant
	of     uint64          // sum of the cost over all groups
	groups int             // groups with any of the cost
	hits   int             // of these, groups that pass the filter
	rows   []analysis.Site // the first of these, highest first unless up
	most   uint64          // the highest cost of rows
}

const (
	maxTopRows   = 500
	maxTopTrends = 64
)

func newTopSites(e *ui.Env) *topSites {
	t := &topSites{env: e, labels: ui.NewSiteLabels(e.Libraries)}
	t.lazy = ui.NewStaged(e, func(ctx context.Context, k topKey) (topRows, error) { return fetchTop(ctx, e.Trace, t.labels, k) })
	t.trends = ui.NewLazy(e, func(ctx context.Context, k trendKey) (*trendSet, error) { return fetchTrends(ctx, e.Trace, k) })
	t.list = widget.List{Table: t, Column: -1}
	t.setColumns()
	return t
}

// topValue is the column of the cost.
const topValue = 2

// columns returns those of the rows, with room for rounded or exact figures.
func (t *topSites) columns() []ui.Column[analysis.Site] {
	type site = analysis.Site
	d, bytes := &t.rows, 10
	if t.state.Exact {
		bytes = 16
	}
	f := siteFigures(&site{}, itself)
	f.peak.Title, f.peak.Width, f.peak.Drop, f.peak.Known = titles.OwnPeak, bytes, 6, func(*site) bool { return !d.noPeaks }
	f.total.Title, f.total.Width, f.total.Drop = titles.Allocated, bytes, 7
	f.temp.Title, f.temp.Drop, f.temp.Share = titles.Temporary, 8, func(s *site) float64 { return float64(model.ShareOf(s.Temporary, s.AllocCount)) }
	blocks := f.blocks
	if d.shown == analysis.CostTotal {
		blocks = f.count
	}
	blocks.Title, blocks.Width, blocks.Drop = titles.Blocks, 9, 5
	value := ui.Column[site]{Title: t.valueTitle(), Figure: ui.CountFigure, Width: bytes, MaxWidth: bytes, Value: func(s *site) uint64 { return s.Cost(d.shown) }}
	if d.shown.IsBytes() {
		value.Figure = ui.BytesFigure
	}
	cut := siteCut(d.by)
	if d.by == analysis.ByStack {
		cut = widget.CutEnd
	}
	return []ui.Column[site]{
		{Title: siteTitle(d.by), Width: 24, Grow: 3, Cut: cut, Text: func(s *site) string { return t.label(s).Name }},
		{Title: titles.Where, Width: 14, Grow: 1, MaxWidth: 30, Cut: widget.CutFolder, Drop: 2, Hidden: d.by != analysis.ByStack, Muted: true,
			Text: func(s *site) string { return t.label(s).Where }},
		value,
		{Width: 10, Drop: 3, Like: value.Title, Cell: func(s *site) widget.Cell {
			return ui.ShareCell(s.Cost(d.shown), max(d.most, 1))
		}},
		{Title: titles.Share, Width: model.ShareWidth, Right: true, Drop: 1, Like: value.Title, Text: func(s *site) string { return ui.PartText(s.Cost(d.shown), d.of) }},
		blocks, f.peak, f.total, f.temp,
		{Title: titles.Trend, Width: 16, Drop: 4, Cell: t.trendCell},
	}
}

// trendCell returns the curve of a row, empty before it is known.
func (t *topSites) trendCell(s *analysis.Site) widget.Cell {
	trends, _ := t.trends.Get()
	if trend := trends.of(t.rows.by, t.rows.only, s.Key); trend != nil {
		return widget.Cell{Kind: widget.SparkCell, Spark: trend}
	}
	return widget.Cell{}
}

// setColumns lays the table out.
func (t *topSites) setColumns() {
	t.cols = t.columns()
	t.list.Columns = ui.Layout(t.cols, t.figures(), 0, 0)
	t.list.SortColumn, t.list.Descending = topValue, !t.rows.up
}

func (t *topSites) figures() ui.Figures { return ui.Figures{Exact: t.state.Exact, Wide: true} }

func (t *topSites) valueTitle() string {
	return [...]string{titles.Live, titles.Live, titles.AtPeak, titles.Allocated, titles.Count, titles.Leaked, titles.Temporary}[t.rows.shown]
}

// Fields returns the figures that filters can compare.
func (t *topSites) Fields() []analysis.Field {
	return ui.Fields(siteFigures(&analysis.Site{}, itself).all())
}

// fetchTop finds the rows. Where nothing is live it takes what was live at the peak, so that the table always says something.
func fetchTop(ctx context.Context, t analysis.Trace, labels *ui.SiteLabels, k topKey) (topRows, error) {
	out := topRows{topKey: k, shown: k.cost}
	var err error
	if out.level, err = t.Live(ctx, k.at); err != nil {
		return out, err
	}
	if out.shown == analysis.CostLive && out.level.Count == 0 || out.shown == analysis.CostLiveCount && out.level.Count == 0 {
		out.shown = analysis.CostPeak
	}
	at := k.at
	if out.shown == analysis.CostPeak {
		p, _, err := t.Peak(ctx, k.r)
		if err != nil {
			return out, err
		}
		at = p.Instant
	}
	sites, err := t.Sites(ctx, analysis.Query{At: at, Range: k.r, By: k.by, Cell: analysis.Cell{Stacks: k.only}, NoPeaks: k.noPeaks})
	if err != nil {
		return out, err
	}
	out.choose(sites, labels)
	return out, nil
}

// askTrends asks for the sparklines of the first rows. They wait until everything is read, as those of Sites.
func (t *topSites) askTrends() {
	if !t.state.Settled() || !t.lazy.Fresh() {
		return
	}
	keys := make([]analysis.Key, min(len(t.rows.rows), maxTopTrends))
	for i := range keys {
		keys[i] = t.rows.rows[i].Key
	}
	t.trends.Ask(trendKey{t.rows.revision, t.rows.by, t.rows.only, packKeys(keys)})
}

// choose keeps the rows that have any of the cost and pass the filter, highest first.
func (t *topRows) choose(sites []analysis.Site, labels *ui.SiteLabels) {
	sum := analysis.Site{}
	for i := range sites {
		t.of, _ = model.SaturatingAdd(t.of, sites[i].Cost(t.shown))
		addSite(&sum, &sites[i])
	}
	sites = slices.DeleteFunc(sites, func(s analysis.Site) bool { return s.Cost(t.shown) == 0 })
	t.groups = len(sites)
	if t.filter != "" {
		cols := siteFigures(&sum, itself).all()
		filter, names := ui.Filter(t.filter, ui.Fields(cols)), naming{labels, t.stacks, t.full}
		row := ui.NewFilterRow(cols, func(s *analysis.Site) []string { return names.words(t.by, s) })
		sites = slices.DeleteFunc(sites, func(s analysis.Site) bool {
			row.Row = &s
			return !filter.Match(row)
		})
	}
	t.hits = len(sites)
	sign := 1
	if t.up {
		sign = -1
	}
	slices.SortFunc(sites, func(a, b analysis.Site) int {
		return cmp.Or(sign*cmp.Compare(b.Cost(t.shown), a.Cost(t.shown)), cmp.Compare(b.LiveCount, a.LiveCount),
			cmp.Compare(a.Stack, b.Stack), cmp.Compare(a.Key, b.Key))
	})
	t.rows = sites[:min(len(sites), maxTopRows)]
	for i := range t.rows {
		t.most = max(t.most, t.rows[i].Cost(t.shown))
	}
}

// Show adopts a state.
func (t *topSites) Show(s *state.State) {
	t.state = *s
	t.labels.Follow(s.Filters)
	cost, at := s.Cost, s.At
	if t.fixed {
		cost, at = t.fixedTo, analysis.End // which it does not depend on
	}
	if s.Status.Events > 0 {
		whole := topKey{s.Status.Revision, at, s.Range, s.Group, cost, s.Filters, s.Filter, s.Stacks(), s.FullName, false, t.up}
		part := whole
		part.noPeaks = !filtersPeaks(s)
		t.lazy.Ask(whole, part, s.Settled() || filtersPeaks(s))
	}
	t.rows, _ = t.lazy.Get()
	t.askTrends()
	t.setColumns()
	t.list.Empty = t.empty()
	t.list.Refresh()
	if s.Selected.Set && s.Selected != t.adopted && s.Selected.By == t.rows.by && t.lazy.Settled() {
		t.adopted = s.Selected
		t.list.SelectID(uint64(s.Selected.Key))
	}
}

// waits reports whether there has been no answer yet.
func (t *topSites) waits() bool {
	_, ok := t.lazy.Get()
	return !ok && !t.lazy.Failed() && t.state.Status.Events > 0
}

func (t *topSites) empty() []string {
	s := &t.state
	if why := ui.Unanswered(t.lazy); why != nil {
		return why
	}
	switch {
	case s.Status.Events == 0 && s.Status.Stopped:
		return []string{"Stopped before the first events."}
	case s.Status.Events == 0 && !s.Status.Final:
		return []string{"Reading the first events."}
	case t.waits():
		return []string{"Summing…"}
	case t.rows.groups > 0 && s.Filter != "":
		return []string{"No row passes the filter “" + s.Filter + "”.", t.env.FilterHint()}
	case !s.Range.IsWhole():
		return []string{"Nothing was allocated in this range.", t.env.Hint("{clear-range} clears the range.")}
	case s.Status.Events == 0:
		return []string{"The file has no events.", "Problems says what was found in it."}
	}
	if s.Status.Final && s.Status.FreesNever && t.rows.level.Count == 0 {
		return []string{"This file has no allocations.", "Problems says what was found in it."}
	}
	return []string{"Nothing has this cost.", t.env.Hint("{sort} shows the next one.")}
}

// title returns the heading and what it says at its right.
func (t *topSites) title() (title, answer string) {
	what := "Top " + [...]string{"allocators", "functions", "owners", "files", "modules", "threads", "sizes"}[t.rows.by]
	if t.state.Status.Events == 0 || t.waits() {
		return what, ""
	}
	answer = costText(t.rows.shown)
	switch t.rows.shown {
	case analysis.CostLive, analysis.CostLiveCount:
		answer += " " + t.whenText()
	case analysis.CostPeak:
		if !t.fixed && t.rows.shown != t.rows.cost {
			answer = "nothing is live " + t.whenText() + ": " + answer
		}
		if !t.state.Range.IsWhole() {
			answer += " in the range"
		}
	default:
		if !t.state.Range.IsWhole() {
			answer += " in the range"
		}
	}
	if t.rows.up {
		answer += ", the smallest first"
	}
	if t.rows.filter != "" {
		answer += fmt.Sprintf(" · %s of %s pass the filter", model.Group(uint64(t.rows.hits)), model.Group(uint64(t.rows.groups)))
	}
	return what, answer
}

// costText says what a table is sorted by.
func costText(c analysis.Cost) string {
	return "by " + [...]string{
		"live bytes", "live blocks", "live bytes at the peak", "allocated bytes", "allocated blocks", "leaked bytes", "temporary blocks",
	}[c]
}

// whenText names the rows' instant.
func (t *topSites) whenText() string {
	switch {
	case t.rows.at == analysis.End && !t.state.Status.Final:
		return "so far"
	case t.rows.at == analysis.End:
		return "at the end"
	case t.rows.at.Events != 0:
		return "at the peak"
	}
	return "at " + ui.TimeText(t.rows.at.T, t.state.Exact)
}

// draw shows the table below its heading. Column titles need room for some rows as well.
func (t *topSites) draw(s tcell.Screen, r widget.Rect, focused bool) {
	head, body := r.CutTop(1)
	look := t.env.Look
	if focused {
		look = ui.Dressed(look)
	}
	title, answer := t.title()
	if widget.Width(answer)+len("Top allocators")+4 > r.W {
		answer = ""
	}
	widget.TitleLine(s, head, look, title, answer)
	t.list.Focused = focused
	t.list.HideHeader = body.H < 7
	t.list.Draw(s, body, t.env.Look)
}

// Len, ID and Cell implement widget.Table.
func (t *topSites) Len() int { return len(t.rows.rows) }

func (t *topSites) ID(row int) uint64 { return uint64(t.rows.rows[row].Key) }

func (t *topSites) Cell(row, col int) widget.Cell {
	return t.cols[col].Draw(&t.rows.rows[row], t.figures(), t.env.Look)
}

// label returns how a row is shown.
func (t *topSites) label(s *analysis.Site) ui.SiteLabel {
	return t.labels.Label(t.state.Stacks(), t.rows.by, s, t.state.FullName)
}

// Selected returns the row under the pointer.
func (t *topSites) Selected() (*analysis.Site, bool) {
	row, ok := t.list.Selected()
	if !ok || row >= len(t.rows.rows) {
		return nil, false
	}
	return &t.rows.rows[row], true
}

// Function returns the one that the selected row stands for, "" for none.
func (t *topSites) Function() string {
	s, ok := t.Selected()
	if !ok {
		return ""
	}
	return t.labels.FilterName(t.state.Stacks(), t.rows.by, s)
}

// tell tells everybody which row is selected.
func (t *topSites) tell() {
	if s, ok := t.Selected(); ok {
		t.adopted = state.Selection{By: t.rows.by, Key: s.Key, Stack: s.Stack, Set: true}
		t.env.Emit(state.SelectKey{Sel: t.adopted})
	}
}

// Do handles the actions of a focused table.
func (t *topSites) Do(a keymap.Action) bool {
	switch {
	case ui.MoveList(&t.list, a):
		t.tell()
	case a == keymap.Open:
		t.tell()
		t.env.Open(keymap.ShowSites)
	case a == keymap.Group:
		t.env.Emit(state.SetGroup{By: (t.state.Group + 1) % analysis.GroupCount})
	case t.fixed:
		return false
	case a == keymap.Sort, a == keymap.ColumnRight:
		t.env.Emit(state.SetCost{Cost: (t.state.Cost + 1) % analysis.CostCountOf})
	case a == keymap.SortReverse:
		t.reverse()
	case a == keymap.ColumnLeft:
		t.env.Emit(state.SetCost{Cost: (t.state.Cost + analysis.CostCountOf - 1) % analysis.CostCountOf})
	default:
		return false
	}
	return true
}

// click selects a row, or opens it, or weighs by what stands in the header; false means that there is none.
func (t *topSites) click(x, y int, double bool) bool {
	if col, ok := t.list.HitHeader(x, y); ok && !t.list.HideHeader {
		t.clickTitle(col)
		return true
	}
	row, ok := t.list.HitRow(x, y)
	if !ok {
		return false
	}
	t.list.Select(row)
	t.tell()
	if double {
		t.env.Open(keymap.ShowSites)
	}
	return true
}

// reverse shows the smallest first, or the highest again.
func (t *topSites) reverse() {
	t.up = !t.up
	t.list.Home()
	t.env.Changed()
}

// clickTitle weighs by a column, by the same one again reverses.
func (t *topSites) clickTitle(col int) {
	costs := map[string]analysis.Cost{titles.Blocks: analysis.CostLiveCount, titles.Allocated: analysis.CostTotal, titles.Temporary: analysis.CostTemporary}
	if t.rows.shown == analysis.CostTotal {
		costs[titles.Blocks] = analysis.CostCount
	}
	c := &t.cols[col]
	cost, ok := costs[c.Title]
	switch {
	case col == topValue || c.Like != "" || ok && cost == t.rows.shown:
		t.reverse()
	case ok && !t.fixed:
		t.up = false
		t.env.Emit(state.SetCost{Cost: cost})
	}
}

// CopyText returns the selected row.
func (t *topSites) CopyText() string {
	s, ok := t.Selected()
	if !ok {
		return ""
	}
	text := model.Clean(s.Name)
	if s.Where != "" {
		text += "  " + model.Clean(s.Where)
	}
	value := model.Group(s.Cost(t.rows.shown)) + " blocks"
	if t.rows.shown.IsBytes() {
		value = model.Bytes(s.Cost(t.rows.shown)).Exact()
	}
	_, answer := t.title()
	return text + "  " + value + " " + answer
}

// Command returns the arguments of the report that has the table among others.
func (t *topSites) Command() []string {
	q := t.question()
	return q.Args()
}

// tableCommand returns the arguments of the report that prints the table alone.
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

// question asks for the order and the groups of the table.
func (t *topSites) question() state.Question {
	by := [...]string{"live_bytes", "live_count", "", "alloc_bytes", "alloc_count", "leaked_bytes", "temporary_count"}[t.rows.shown]
	q := state.Question{By: by} // the report has a table of the peak anyway
	if t.state.Group != analysis.ByStack {
		q.Group = t.state.Group.String()
	}
	return q
}
