package trace

import (
	"context"
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Sites is the table of who allocates, by stack or another group, at the instant and over the range.
type Sites struct {
	ui.TablePane
	rows    *ui.Staged[siteKey, *siteRows]
	ordered *ui.Lazy[orderKey, *siteTable]
	shapes  *ui.Lazy[shapeKey, *shapeSet]
	trends  *ui.Lazy[trendKey, *trendSet]
	lives   *ui.Lazy[lifeKey, analysis.Lifetimes]

	table   *siteTable // what the list shows, nil before the first answer
	Sort    siteColumn
	up      bool
	adopted state.Selection // what the list has selected last on behalf of the state
	figures ui.Figures
}

// lifeKey determines the lifetimes of one group's blocks.
type lifeKey struct {
	revision uint64
	by       analysis.Group
	key      analysis.Key
	over     analysis.Range
	only     calltree.StackFilter
}

// NewSites returns the table of sites.
func NewSites(e *ui.Env) *Sites {
	p := &Sites{TablePane: ui.NewTablePane(e)}
	p.rows = ui.NewStaged(e, func(ctx context.Context, k siteKey) (*siteRows, error) { return fetchSites(ctx, e.Trace, k) })
	p.ordered = ui.NewLazy(e, func(_ context.Context, k orderKey) (*siteTable, error) { return orderSites(k), nil })
	p.shapes = ui.NewLazy(e, func(ctx context.Context, k shapeKey) (*shapeSet, error) { return fetchShapes(ctx, e.Trace, k) })
	p.trends = ui.NewLazy(e, func(ctx context.Context, k trendKey) (*trendSet, error) { return fetchTrends(ctx, e.Trace, k) })
	p.lives = ui.NewLazy(e, func(ctx context.Context, k lifeKey) (analysis.Lifetimes, error) {
		return e.Trace.Lifetimes(ctx, k.by, k.key, k.over, k.only)
	})
	p.List = widget.List{Table: p, Descending: true, Column: int(siteLive)}
	p.Moved, p.SortBy, p.Enter = p.tell, p.order, p.openBlocks
	return p
}

func (p *Sites) Name() string { return "Sites" }

func (p *Sites) Action() keymap.Action { return keymap.ShowSites }

func (p *Sites) Needs() model.Facet { return model.FacetAllocations }

func (p *Sites) Narrows() bool { return true }

func (p *Sites) Follows() string { return "" }

// Function implements [ui.Functioner].
func (p *Sites) Function() string {
	row, ok := p.Selected()
	if !ok {
		return ""
	}
	return ui.SiteFunction(p.table.key.By, row)
}

func (p *Sites) Scopes() []keymap.Scope {
	if p.Blocks.Open {
		return []keymap.Scope{keymap.ScopeBlocks, keymap.ScopeTable}
	}
	return []keymap.Scope{keymap.ScopeTable}
}

func (p *Sites) About() string {
	if p.Blocks.Open {
		return "blocks"
	}
	if p.State.Group != analysis.ByStack {
		return "by " + p.State.Group.String()
	}
	return ""
}

func (p *Sites) Command() []string {
	q := state.Question{By: p.Sort.reportKey()}
	if p.State.Group != analysis.ByStack {
		q.Group = p.State.Group.String()
	}
	return q.Args()
}

// Show implements screen. What depends on the instant is asked for first; nothing else is asked for again while it moves.
func (p *Sites) Show(s *state.State) {
	if p.State.Group != s.Group {
		p.List.Home()
		p.Blocks.Open = false
		if p.Sort == siteWhere {
			p.Sort = siteLive
		}
	}
	p.State = *s
	if p.Trace == nil {
		return
	}
	p.Labels.Follow(s.Chips)
	whole := siteKey{s.Status.Revision, analysis.Query{At: s.At, Range: s.Range, By: s.Group, Cell: s.Only()}}
	part, needed := whole, filtersPeaks(s) || p.Sort == SitePeak
	part.NoPeaks = !needed
	p.rows.Ask(whole, part, s.Settled() || needed)
	rows, ok := p.rows.Get()
	if !ok {
		return
	}
	if s.Settled() {
		p.shapes.Ask(shapeKey{s.Status.Revision, rows.key.By, rows.key.Cell.Stacks, rows.keys})
	}
	key := orderKey{rows: rows, filter: s.Filter, sort: p.Sort, up: p.up, labels: p.Labels, stacks: s.Stacks(), full: s.FullName}
	if p.Sort == siteTrend || p.Sort == siteShape {
		key.shapes, _ = p.shapes.Get()
	}
	p.ordered.Ask(key)
	if p.table, ok = p.ordered.Get(); !ok {
		return
	}
	p.List.Refresh()
	p.adopt()
	p.askTrends()
	p.explain()
	if p.Blocks.Open {
		p.Blocks.Show(&p.State, analysis.BlockQuery{At: s.At, Cell: s.Only()}, "live "+atText(s), s.Now())
	}
}

// atText says when the instant is.
func atText(s *state.State) string {
	if s.AtEnd() {
		return "at the end"
	}
	return "at " + s.Now().String()
}

// adopt selects the row that was selected elsewhere.
func (p *Sites) adopt() {
	want := p.State.Selected
	if !want.Set || want == p.adopted || want.By != p.table.key.By || !p.ordered.Fresh() {
		return
	}
	p.adopted = want
	p.List.SelectID(groupID(want.By, want.Key))
}

// groupID tells groups of all kinds apart.
func groupID(by analysis.Group, k analysis.Key) uint64 { return uint64(by)<<32 | uint64(k) }

// tell makes the selected row the selection of the program.
func (p *Sites) tell() {
	if row, ok := p.Selected(); ok {
		p.adopted = state.Selection{By: p.table.key.By, Key: row.Key, Stack: row.Stack, Set: true}
		p.Emit(state.SelectKey{Sel: p.adopted})
	}
}

// Selected is the selected row.
func (p *Sites) Selected() (*analysis.Site, bool) {
	i, ok := p.List.Selected()
	if !ok || p.table == nil {
		return nil, false
	}
	return p.table.row(i), true
}

func (t *siteTable) row(i int) *analysis.Site { return &t.rows[t.order[i]] }

// askTrends asks for the sparklines of what is visible. Like shapes and lifetimes they wait until everything is read: they cost
// walks over the trace, which would hold up the reading.
func (p *Sites) askTrends() {
	if !p.State.Settled() {
		return
	}
	from, to := p.Window()
	keys := make([]analysis.Key, 0, to-from)
	for i := from; i < to; i++ {
		keys = append(keys, p.table.row(i).Key)
	}
	p.trends.Ask(trendKey{p.State.Status.Revision, p.table.key.By, p.table.key.Cell.Stacks, packKeys(keys)})
}

// Len implements widget.Table.
func (p *Sites) Len() int {
	if p.table == nil {
		return 0
	}
	return len(p.table.order)
}

// ID implements widget.Table.
func (p *Sites) ID(row int) uint64 { return groupID(p.table.key.By, p.table.row(row).Key) }

// Cell implements widget.Table.
func (p *Sites) Cell(row, col int) widget.Cell {
	s := p.table.row(row)
	switch c := siteColumn(col); c {
	case siteShare:
		n, whole := p.shareOfRow(s)
		return widget.Cell{Kind: widget.BarCell, Bar: ui.ShareOf(n, whole)}
	case siteCount:
		return widget.Cell{Text: p.figures.Count(s.AllocCount)}
	case siteTemp:
		return p.faint(s.Temporary == 0, ui.ShareText(s.TemporaryShare()))
	case siteTrend:
		trends, _ := p.trends.Get()
		return widget.Cell{Kind: widget.SparkCell, Spark: trends.of(p.table.key.By, p.table.key.Cell.Stacks, s.Key)}
	case siteShape:
		return p.ShapeCell(p.shapeOf(s.Key), p.figures.Wide)
	case siteName:
		return widget.Cell{Text: p.label(s).Name}
	case siteWhere:
		return widget.Cell{Text: p.label(s).Where, Style: p.Look.Muted}
	case SitePeak:
		if p.table.key.NoPeaks {
			return widget.Cell{}
		}
		return p.faint(s.PeakBytes == 0, p.figures.Bytes(s.PeakBytes))
	default:
		n := c.figure()(s)
		return p.faint(n == 0, p.figures.Bytes(n))
	}
}

// faint is a number that is muted when it is nothing.
func (p *Sites) faint(nothing bool, text string) widget.Cell {
	if nothing {
		return widget.Cell{Text: text, Style: p.Look.Muted}
	}
	return widget.Cell{Text: text}
}

// label is how the table shows a row.
func (p *Sites) label(s *analysis.Site) ui.SiteLabel {
	return p.Labels.Label(p.State.Stacks(), p.table.key.By, s, p.State.FullName)
}

func (p *Sites) shapeOf(k analysis.Key) analysis.Shape {
	shapes, _ := p.shapes.Get()
	return shapes.of(&p.table.key.Query, k)
}

// shareOfRow is a row's part of what is sorted by: of the sum, or of the largest where sums mean nothing.
func (p *Sites) shareOfRow(s *analysis.Site) (n, whole uint64) {
	sum := &p.table.sum
	switch p.Sort {
	case siteMean:
		return 0, 0
	case siteTemp:
		return s.Temporary, sum.Temporary
	}
	figure := p.Sort.figure()
	return figure(s), figure(sum)
}

// Draw implements tview.Primitive.
func (p *Sites) Draw(s tcell.Screen) {
	r := p.Rect()
	if p.Blocks.Open {
		p.Blocks.Draw(s, r)
		return
	}
	body := r
	if r.H > 3 {
		var title widget.Rect
		title, body = r.CutTop(1)
		widget.TitleLine(s, title, p.Look, p.Title(), p.answer())
	}
	p.Split(body)
	p.columns(p.ListAt.W)
	p.List.Empty = p.emptyText()
	p.List.Highlight = ui.FilterWord(p.State.Filter)
	p.DrawPanes(s, body)
}

// columns lays out the table for its width.
func (p *Sites) columns(w int) {
	p.figures = ui.Figures{Exact: p.State.Exact, Wide: w >= 150}
	sum := analysis.Site{}
	if p.table != nil {
		sum = p.table.sum
	}
	p.List.Columns = siteColumns(w, p.figures, &sum, p.by())
	if !p.State.Cell.IsAll() { // they are about all blocks of a group
		ui.Hide(&p.List.Columns[siteTrend])
		ui.Hide(&p.List.Columns[siteShape])
	}
	p.List.SortColumn, p.List.Column = int(p.Sort), int(p.Sort)
	p.List.Descending = !p.up
}

// by is what the rows shown are put together by: the state's group may be on its way.
func (p *Sites) by() analysis.Group {
	if p.table == nil {
		return p.State.Group
	}
	return p.table.key.By
}

// Title says what the rows are.
func (p *Sites) Title() string {
	t := "Sites by " + p.by().String()
	if !p.State.Range.IsWhole() && p.State.Cell.IsAll() {
		t += " · trend, shape: whole run"
	}
	if p.State.Filter != "" {
		t += " · filter “" + p.State.Filter + "”"
	}
	return t
}

// answer says how many rows there are, and how much of everything they are.
func (p *Sites) answer() string {
	if p.table == nil {
		return ""
	}
	t, f := p.table, ui.Figures{Exact: p.State.Exact, Wide: true}
	n, unit := len(t.order), " "+p.by().String()
	if p.by() == analysis.ByStack {
		unit = " site"
	}
	if len(t.rows) != 1 {
		unit += "s"
	}
	what, shown, all := "live", t.shown.LiveBytes, t.sum.LiveBytes
	switch p.Sort {
	case siteTotal, siteMean, siteCount, siteTemp:
		what, shown, all = "total", t.shown.AllocBytes, t.sum.AllocBytes
	case siteLeaked:
		what, shown, all = "leaked", t.shown.LeakBytes, t.sum.LeakBytes
	}
	if what == "live" && p.State.Status.Unfreed {
		what = "live ≤"
	}
	if !p.rows.Settled() || !p.ordered.Fresh() {
		what = "adding up… " + what
	}
	if n == len(t.rows) {
		return model.Group(uint64(n)) + unit + " · " + what + " " + f.Bytes(all)
	}
	return fmt.Sprintf("%s of %s%s · %s %s of %s", model.Group(uint64(n)), model.Group(uint64(len(t.rows))), unit, what,
		f.Bytes(shown), f.Bytes(all))
}

// emptyText says why there are no rows, and what to do.
func (p *Sites) emptyText() []string {
	if why := ui.Unanswered(p.rows, p.ordered); why != nil {
		return why
	}
	switch {
	case p.table == nil:
		return []string{"Adding up…"}
	case len(p.table.rows) > 0:
		return []string{"No " + p.State.Group.String() + " passes the filter “" + p.State.Filter + "”.", "Esc forgets the filter, / changes it."}
	case !p.State.Cell.IsAll():
		return ui.NoneInCell(p.State.Cell)
	case !p.State.Settled():
		return []string{"Reading: no allocation so far."}
	case !p.State.Range.IsWhole():
		return []string{"Nothing was allocated in this range, and nothing lives at its end.", "u forgets the range."}
	}
	return []string{"This file records no allocation.", "Problems says what was found in it."}
}

// Do implements screen.
func (p *Sites) Do(a keymap.Action) bool {
	if a == keymap.Group {
		p.Emit(state.SetGroup{By: (p.State.Group + 1) % analysis.GroupCount})
		return true
	}
	if p.Blocks.Open {
		return p.Blocks.Do(a)
	}
	switch a {
	case keymap.SortReverse:
		p.up = !p.up
		p.Changed()
	default:
		return p.DoTable(a)
	}
	return true
}

// order sorts by a column; by the same one again reverses.
func (p *Sites) order(col int) {
	col = ui.SkipColumns(int(p.Sort), col, int(siteWhere)+1, func(col int) bool {
		c := siteColumn(col) // a share sorts like its figure, a trend like its shape
		return c == siteShare || c == siteTrend || c == siteWhere && p.State.Group != analysis.ByStack
	})
	p.up = siteColumn(col) == p.Sort && !p.up
	p.Sort = siteColumn(col)
	p.Changed()
}

// openBlocks lists the live blocks of the selected row.
func (p *Sites) openBlocks() {
	row, ok := p.Selected()
	if !ok {
		return
	}
	p.tell()
	p.Blocks.Empty = []string{"Nothing of this lives " + atText(&p.State) + ".", "Esc goes back; p goes to the peak, h and l move the instant."}
	p.Blocks.Start(p.label(row).Name, analysis.BlockQuery{By: p.table.key.By, Key: row.Key})
}

func (p *Sites) CopyText() string {
	if p.Blocks.Open {
		return p.Blocks.CopyText()
	}
	row, ok := p.Selected()
	if !ok {
		return ""
	}
	return model.Clean(row.Name) + " " + model.Clean(row.Where) + "\n" + p.amounts(row) + "\n" + p.Detail.Text()
}

// explain fills the detail pane from the selected row.
func (p *Sites) explain() {
	row, ok := p.Selected()
	if !ok {
		p.Detail = ui.Detail{}
		return
	}
	by := p.table.key.By
	if p.State.Settled() {
		p.lives.Ask(lifeKey{p.State.Status.Revision, by, row.Key, p.State.Range, p.table.key.Cell.Stacks})
	}
	setGroup(&p.Detail, &p.State, by, row)
	shape := p.shapeOf(row.Key)
	p.Detail.Answer = shape.Kind.String()
	if shape.Kind == analysis.ShapeNone {
		p.Detail.Answer = ""
	}
	p.Detail.Facts = []string{p.amounts(row)}
	if text := ui.ShapeSentence(shape); text != "" {
		if !p.State.Range.IsWhole() {
			text = "over the whole run " + text
		}
		p.Detail.Facts = append(p.Detail.Facts, p.ShapeSign(shape.Kind)+" "+text)
	}
	if cell := p.table.key.Cell.Rectangle(); !cell.IsAll() {
		p.Detail.Facts = append(p.Detail.Facts[:1], "only blocks of "+ui.CellText(cell)+"; Esc takes that back")
		p.Detail.Answer = ""
		return
	}
	p.Detail.Facts = append(p.Detail.Facts, p.lifetimes(row))
}

// amounts is the row's figures in a sentence.
func (p *Sites) amounts(s *analysis.Site) string {
	f := ui.Figures{Exact: p.State.Exact, Wide: true}
	atMost := ""
	if p.State.Status.Unfreed {
		atMost = "≤ "
	}
	mean := ""
	if s.AllocCount > 1 {
		mean = ", " + f.Bytes(s.MeanSize()) + " on average"
	}
	peak := ""
	if !p.table.key.NoPeaks {
		peak = " · peak " + f.Bytes(s.PeakBytes)
	}
	over := ""
	if s.OverwrittenCount > 0 {
		over = " · overwritten " + f.Bytes(s.OverwrittenBytes) + " in " + ui.CountBlocks(s.OverwrittenCount)
	}
	return fmt.Sprintf("live %s%s in %s (%s of all)%s · total %s in %s%s%s", atMost, f.Bytes(s.LiveBytes),
		ui.CountBlocks(s.LiveCount), ui.ShareText(ui.ShareOf(s.LiveBytes, p.table.sum.LiveBytes)), peak,
		f.Bytes(s.AllocBytes), ui.CountBlocks(s.AllocCount), mean, over)
}

// lifetimes says how long the blocks of a row lived, and who allocated them.
func (p *Sites) lifetimes(s *analysis.Site) string {
	if !p.State.Settled() {
		return "lifetimes: when everything is read"
	}
	if p.lives.Failure() != nil {
		return "lifetimes: unknown"
	}
	l, ok := p.lives.Get()
	if !ok || !p.lives.Fresh() {
		return "lifetimes: adding up…"
	}
	text, never := "none was freed", "never freed"
	if p.State.Status.Unfreed {
		text, never = "no free is known", "without a known free"
	}
	switch {
	case l.Freed > 0 && l.Min == l.Max:
		text = fmt.Sprintf("%s freed after %v", model.Group(l.Freed), l.Min)
	case l.Freed > 0:
		text = fmt.Sprintf("%s freed after %v to %v, median %v", model.Group(l.Freed), l.Min, l.Max, l.Median)
	}
	if s.Temporary > 0 {
		text += fmt.Sprintf(", %s of all by the very next event", ui.ShareText(s.TemporaryShare()))
	}
	if l.NeverFreed > 0 {
		text += fmt.Sprintf("; %s %s (%s)", model.Group(l.NeverFreed), never, ui.ShareText(ui.ShareOf(l.NeverFreed, l.Freed+l.NeverFreed)))
	}
	if t := ui.ThreadsText(l.Threads); t != "" {
		text += "; " + t
	}
	return text
}

// setGroup shows the stack of a group: its own, or the one that allocated most of it.
func setGroup(d *ui.Detail, s *state.State, by analysis.Group, row *analysis.Site) {
	d.Title = row.Name
	if !s.FullName {
		d.Title = widget.ShortenTemplates(row.Name)
	}
	if by != analysis.ByStack {
		d.Title += " · the stack that allocated most of it"
	}
	if by == analysis.ByThread || by == analysis.BySizeClass {
		d.Title = row.Name
		d.SetNoStack("press b for the stacks that allocate: a " + by.String() + " has no stack of its own")
		return
	}
	d.SetStack(s.Stacks(), row.Stack, row.Node, s.FullName)
}
