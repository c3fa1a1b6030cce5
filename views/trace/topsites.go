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
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// topSites is a short table of the groups with the highest figure of one cost at the instant: the part of the Sites screen
// that fits anywhere.
type topSites struct {
	env     *ui.Env
	list    widget.List
	fixed   bool          // the cost is always fixedTo instead of the state's
	fixedTo analysis.Cost // one that does not depend on the instant
	state   state.State
	adopted state.Selection // the state's selection that the list follows already
	rows    topRows
	labels  ui.SiteLabels
	lazy    *ui.Staged[topKey, topRows]
	trends  *ui.Lazy[trendKey, *trendSet]
}

type topKey struct {
	revision uint64
	at       analysis.Instant
	r        analysis.Range
	by       analysis.Group
	cost     analysis.Cost
	only     calltree.StackFilter
	filter   string
	stacks   *model.Stacks // for labels
	full     bool
	noPeaks  bool
}

// topRows is the content of the table.
type topRows struct {
	topKey
	shown  analysis.Cost   // what the rows are sorted by: not cost where that is zero everywhere
	level  analysis.Level  // at the instant
	of     uint64          // sum of the cost over all groups
	groups int             // groups with any of the cost
	hits   int             // of these, groups that pass the filter
	rows   []analysis.Site // the first of these, highest first
}

const (
	maxTopRows   = 500
	maxTopTrends = 64
)

// Columns of the table, in order.
const (
	topName = iota
	topWhere
	topValue
	topBar
	topShare
	topBlocks
	topPeak
	topTotal
	topTemporary
	topTrend
)

func newTopSites(e *ui.Env) *topSites {
	t := &topSites{env: e}
	t.lazy = ui.NewStaged(e, func(ctx context.Context, k topKey) (topRows, error) { return fetchTop(ctx, e.Trace, &t.labels, k) })
	t.trends = ui.NewLazy(e, func(ctx context.Context, k trendKey) (*trendSet, error) { return fetchTrends(ctx, e.Trace, k) })
	t.list = widget.List{Table: t, SortColumn: topValue, Descending: true, Column: -1}
	t.setColumns()
	return t
}

// setColumns makes room for rounded or exact figures.
func (t *topSites) setColumns() {
	bytes := 10
	if t.state.Exact {
		bytes = 16
	}
	const right = widget.Right
	t.list.Columns = []widget.Column{
		topName:      {Title: "SITE", Width: 24, Grow: 3},
		topWhere:     {Title: "WHERE", Width: 14, Grow: 1, MaxWidth: 30, Cut: widget.CutFolder, Drop: 2},
		topValue:     {Title: t.valueTitle(), Width: bytes, Align: right},
		topBar:       {Width: 10, Drop: 3},
		topShare:     {Title: "SHARE", Width: model.ShareWidth, Align: right, Drop: 1},
		topBlocks:    {Title: "BLOCKS", Width: 9, Align: right, Drop: 5},
		topPeak:      {Title: "OWN PEAK", Width: bytes, Align: right, Drop: 6},
		topTotal:     {Title: "TOTAL", Width: bytes, Align: right, Drop: 7},
		topTemporary: {Title: "TEMP", Width: model.ShareWidth, Align: right, Drop: 8},
		topTrend:     {Title: "TREND", Width: 16, Drop: 4},
	}
	switch t.rows.by {
	case analysis.ByFunction:
		t.list.Columns[topName].Cut = widget.CutScope
	case analysis.ByFile, analysis.ByModule:
		t.list.Columns[topName].Cut = widget.CutFolder
	}
	if t.rows.by != analysis.ByStack {
		t.list.Columns[topName].Title, t.list.Columns[topWhere] = capitals(t.rows.by), widget.Column{Width: 1, Drop: 9}
	}
}

func (t *topSites) valueTitle() string {
	return [...]string{"LIVE", "LIVE", "AT PEAK", "TOTAL", "COUNT", "LEAKED", "TEMPORARY"}[t.rows.shown]
}

// capitals names a group as column titles do.
func capitals(by analysis.Group) string {
	return [...]string{"SITE", "FUNCTION", "FILE", "MODULE", "THREAD", "SIZE"}[by]
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
	return out, out.choose(sites, labels)
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
func (t *topRows) choose(sites []analysis.Site, labels *ui.SiteLabels) error {
	filter, err := analysis.ParseFilter(t.filter)
	if err != nil {
		return err
	}
	sum := analysis.Site{}
	for i := range sites {
		t.of, _ = model.SaturatingAdd(t.of, sites[i].Cost(t.shown))
		sum = addSite(sum, &sites[i])
	}
	sites = slices.DeleteFunc(sites, func(s analysis.Site) bool { return s.Cost(t.shown) == 0 })
	t.groups = len(sites)
	if t.filter != "" {
		sites = slices.DeleteFunc(sites, func(s analysis.Site) bool {
			return !filter.Match(&filterSite{site: &s, sum: &sum, label: labels.Label(t.stacks, t.by, &s, t.full)})
		})
	}
	t.hits = len(sites)
	slices.SortFunc(sites, func(a, b analysis.Site) int {
		return cmp.Or(cmp.Compare(b.Cost(t.shown), a.Cost(t.shown)), cmp.Compare(b.LiveCount, a.LiveCount),
			cmp.Compare(a.Stack, b.Stack), cmp.Compare(a.Key, b.Key))
	})
	t.rows = sites[:min(len(sites), maxTopRows)]
	return nil
}

// Show adopts a state.
func (t *topSites) Show(s *state.State) {
	t.state = *s
	t.labels.Follow(s.Chips)
	cost, at := s.Cost, s.At
	if t.fixed {
		cost, at = t.fixedTo, analysis.End // which it does not depend on
	}
	if s.Status.Events > 0 {
		whole := topKey{s.Status.Revision, at, s.Range, s.Group, cost, s.Chips, s.Filter, s.Stacks(), s.FullName, false}
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
		return []string{"Adding up…"}
	case t.rows.groups > 0 && s.Filter != "":
		return []string{"No row passes the filter " + s.Filter + ".", "Esc forgets it, / changes it."}
	case !s.Range.IsWhole():
		return []string{"Nothing was allocated in this range.", "u forgets the range."}
	case s.Status.Events == 0:
		return []string{"The file has no events.", "Its problems, if any, are on the Problems screen."}
	}
	if s.Status.Final && s.Status.FreesNever && t.rows.level.Count == 0 {
		return []string{"No allocation is in this file.", "The Problems screen says what was found in it."}
	}
	return []string{"Nothing has this cost.", "s takes the next one."}
}

// title is the heading and what it says at its right.
func (t *topSites) title() (title, answer string) {
	what := "Top " + [...]string{"allocators", "functions", "files", "modules", "threads", "sizes"}[t.rows.by]
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
	s := &t.rows.rows[row]
	exact := t.state.Exact
	value := s.Cost(t.rows.shown)
	switch col {
	case topName:
		return widget.Cell{Text: t.label(s).Name}
	case topWhere:
		return widget.Cell{Text: t.label(s).Where, Style: t.env.Style(themes.Muted)}
	case topValue:
		if t.rows.shown.IsBytes() {
			return widget.Cell{Text: ui.BytesText(value, exact)}
		}
		return widget.Cell{Text: model.Group(value)}
	case topBar:
		return widget.Cell{Kind: widget.BarCell, Bar: float64(value) / float64(max(t.rows.rows[0].Cost(t.rows.shown), 1))}
	case topShare:
		return widget.Cell{Text: ui.PartText(value, t.rows.of)}
	case topBlocks:
		if t.rows.shown == analysis.CostTotal {
			return widget.Cell{Text: model.Group(s.AllocCount)}
		}
		return widget.Cell{Text: model.Group(s.LiveCount)}
	case topPeak:
		if t.rows.noPeaks {
			return widget.Cell{}
		}
		return widget.Cell{Text: ui.BytesText(s.PeakBytes, exact)}
	case topTotal:
		return widget.Cell{Text: ui.BytesText(s.AllocBytes, exact)}
	case topTemporary:
		return widget.Cell{Text: ui.PartText(s.Temporary, s.AllocCount)}
	}
	trends, _ := t.trends.Get()
	if trend := trends.of(t.rows.by, t.rows.only, s.Key); trend != nil {
		return widget.Cell{Kind: widget.SparkCell, Spark: trend}
	}
	return widget.Cell{}
}

// label is how a row is shown.
func (t *topSites) label(s *analysis.Site) ui.SiteLabel {
	return t.labels.Label(t.state.Stacks(), t.rows.by, s, t.state.FullName)
}

// Selected is the row under the pointer.
func (t *topSites) Selected() (*analysis.Site, bool) {
	row, ok := t.list.Selected()
	if !ok || row >= len(t.rows.rows) {
		return nil, false
	}
	return &t.rows.rows[row], true
}

// function is the one that the selected row stands for, "" for none.
func (t *topSites) Function() string {
	s, ok := t.Selected()
	if !ok {
		return ""
	}
	return ui.SiteFunction(t.rows.by, s)
}

// choose tells everybody which row is selected.
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
	case a == keymap.SortReverse, a == keymap.ColumnLeft:
		t.env.Emit(state.SetCost{Cost: (t.state.Cost + analysis.CostCountOf - 1) % analysis.CostCountOf})
	default:
		return false
	}
	return true
}

// click selects a row, or opens it; false means that there is none.
func (t *topSites) click(x, y int, double bool) bool {
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

// CopyText is the selected row.
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

// Command is the arguments of the report that prints the table.
func (t *topSites) Command() []string {
	by := [...]string{"live_bytes", "live_count", "", "alloc_bytes", "alloc_count", "leaked_bytes", "temporary_count"}[t.rows.shown]
	q := state.Question{By: by} // the report has a table of the peak anyway
	if t.state.Group != analysis.ByStack {
		q.Group = t.state.Group.String()
	}
	return q.Args()
}
