package views

import (
	"context"
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// sites is the table of who allocates, by stack or another group, at the instant and over the range.
type sites struct {
	tablePane
	rows    *staged[siteKey, *siteRows]
	ordered *lazy[orderKey, *siteTable]
	shapes  *lazy[shapeKey, *shapeSet]
	trends  *lazy[trendKey, *trendSet]
	lives   *lazy[lifeKey, analysis.Lifetimes]

	table   *siteTable // what the list shows, nil before the first answer
	sort    siteColumn
	up      bool
	adopted Selection // what the list has selected last on behalf of the state
	figures figures
}

// lifeKey determines the lifetimes of one group's blocks.
type lifeKey struct {
	revision uint64
	by       analysis.Group
	key      analysis.Key
	over     analysis.Range
	only     calltree.StackFilter
}

func newSites(e *env) *sites {
	p := &sites{tablePane: newTablePane(e)}
	p.rows = newStaged(e, func(ctx context.Context, k siteKey) (*siteRows, error) { return fetchSites(ctx, e.trace, k) })
	p.ordered = newLazy(e, func(_ context.Context, k orderKey) (*siteTable, error) { return orderSites(k), nil })
	p.shapes = newLazy(e, func(ctx context.Context, k shapeKey) (*shapeSet, error) { return fetchShapes(ctx, e.trace, k) })
	p.trends = newLazy(e, func(ctx context.Context, k trendKey) (*trendSet, error) { return fetchTrends(ctx, e.trace, k) })
	p.lives = newLazy(e, func(ctx context.Context, k lifeKey) (analysis.Lifetimes, error) {
		return e.trace.Lifetimes(ctx, k.by, k.key, k.over, k.only)
	})
	p.list = widget.List{Table: p, Descending: true, Column: int(siteLive)}
	p.moved, p.sortBy, p.enter = p.tell, p.order, p.openBlocks
	return p
}

func (p *sites) name() string          { return "Sites" }
func (p *sites) action() keymap.Action { return keymap.ShowSites }
func (p *sites) needs() model.Facet    { return model.FacetAllocations }
func (p *sites) narrows() bool         { return true }
func (p *sites) follows() string       { return "" }

// function implements functioner.
func (p *sites) function() string {
	row, ok := p.selected()
	if !ok {
		return ""
	}
	return siteFunction(p.table.key.By, row)
}

func (p *sites) scopes() []keymap.Scope {
	if p.blocks.open {
		return []keymap.Scope{keymap.ScopeBlocks, keymap.ScopeTable}
	}
	return []keymap.Scope{keymap.ScopeTable}
}

func (p *sites) about() string {
	if p.blocks.open {
		return "blocks"
	}
	if p.state.Group != analysis.ByStack {
		return "by " + p.state.Group.String()
	}
	return ""
}

func (p *sites) command() []string {
	var words []string
	if key := p.sort.reportKey(); key != "" {
		words = append(words, "--by", key)
	}
	if p.state.Group != analysis.ByStack {
		words = append(words, "--group", p.state.Group.String())
	}
	return words
}

// show implements screen. What depends on the instant is asked for first; nothing else is asked for again while it moves.
func (p *sites) show(s *State) {
	if p.state.Group != s.Group {
		p.list.Home()
		p.blocks.open = false
		if p.sort == siteWhere {
			p.sort = siteLive
		}
	}
	p.state = *s
	if p.trace == nil {
		return
	}
	p.labels.follow(s.Chips)
	whole := siteKey{s.Status.Revision, analysis.Query{At: s.At, Range: s.Range, By: s.Group, Cell: s.only()}}
	part, needed := whole, s.filtersPeaks() || p.sort == sitePeak
	part.NoPeaks = !needed
	p.rows.ask(whole, part, s.settled() || needed)
	rows, ok := p.rows.get()
	if !ok {
		return
	}
	if s.settled() {
		p.shapes.ask(shapeKey{s.Status.Revision, rows.key.By, rows.key.Cell.Stacks, rows.keys})
	}
	key := orderKey{rows: rows, filter: s.Filter, sort: p.sort, up: p.up, labels: p.labels, stacks: s.stacks(), full: s.FullName}
	if p.sort == siteTrend || p.sort == siteShape {
		key.shapes, _ = p.shapes.get()
	}
	p.ordered.ask(key)
	if p.table, ok = p.ordered.get(); !ok {
		return
	}
	p.list.Refresh()
	p.adopt()
	p.askTrends()
	p.explain()
	if p.blocks.open {
		p.blocks.show(&p.state, analysis.BlockQuery{At: s.At, Cell: s.only()}, "live "+atText(s), s.Now())
	}
}

// atText says when the instant is.
func atText(s *State) string {
	if s.AtEnd() {
		return "at the end"
	}
	return "at " + s.Now().String()
}

// adopt selects the row that was selected elsewhere.
func (p *sites) adopt() {
	want := p.state.Selected
	if !want.Set || want == p.adopted || want.By != p.table.key.By || !p.ordered.fresh() {
		return
	}
	p.adopted = want
	p.list.SelectID(groupID(want.By, want.Key))
}

// groupID tells groups of all kinds apart.
func groupID(by analysis.Group, k analysis.Key) uint64 { return uint64(by)<<32 | uint64(k) }

// tell makes the selected row the selection of the program.
func (p *sites) tell() {
	if row, ok := p.selected(); ok {
		p.adopted = Selection{By: p.table.key.By, Key: row.Key, Stack: row.Stack, Set: true}
		p.emit(selectKey{p.adopted})
	}
}

// selected is the selected row.
func (p *sites) selected() (*analysis.Site, bool) {
	i, ok := p.list.Selected()
	if !ok || p.table == nil {
		return nil, false
	}
	return p.table.row(i), true
}

func (t *siteTable) row(i int) *analysis.Site { return &t.rows[t.order[i]] }

// askTrends asks for the sparklines of what is visible. Like shapes and lifetimes they wait until everything is read: they cost
// walks over the trace, which would hold up the reading.
func (p *sites) askTrends() {
	if !p.state.settled() {
		return
	}
	from, to := p.window()
	keys := make([]analysis.Key, 0, to-from)
	for i := from; i < to; i++ {
		keys = append(keys, p.table.row(i).Key)
	}
	p.trends.ask(trendKey{p.state.Status.Revision, p.table.key.By, p.table.key.Cell.Stacks, packKeys(keys)})
}

// Len implements widget.Table.
func (p *sites) Len() int {
	if p.table == nil {
		return 0
	}
	return len(p.table.order)
}

// ID implements widget.Table.
func (p *sites) ID(row int) uint64 { return groupID(p.table.key.By, p.table.row(row).Key) }

// Cell implements widget.Table.
func (p *sites) Cell(row, col int) widget.Cell {
	s := p.table.row(row)
	switch c := siteColumn(col); c {
	case siteShare:
		n, whole := p.shareOfRow(s)
		return widget.Cell{Kind: widget.BarCell, Bar: shareOf(n, whole)}
	case siteCount:
		return widget.Cell{Text: p.figures.count(s.AllocCount)}
	case siteTemp:
		return p.faint(s.Temporary == 0, shareText(s.TemporaryShare()))
	case siteTrend:
		trends, _ := p.trends.get()
		return widget.Cell{Kind: widget.SparkCell, Spark: trends.of(p.table.key.By, p.table.key.Cell.Stacks, s.Key)}
	case siteShape:
		return p.shapeCell(p.shapeOf(s.Key), p.figures.wide)
	case siteName:
		return widget.Cell{Text: p.label(s).name}
	case siteWhere:
		return widget.Cell{Text: p.label(s).where, Style: p.look.Muted}
	case sitePeak:
		if p.table.key.NoPeaks {
			return widget.Cell{}
		}
		return p.faint(s.PeakBytes == 0, p.figures.bytes(s.PeakBytes))
	default:
		n := c.figure()(s)
		return p.faint(n == 0, p.figures.bytes(n))
	}
}

// faint is a number that is muted when it is nothing.
func (p *sites) faint(nothing bool, text string) widget.Cell {
	if nothing {
		return widget.Cell{Text: text, Style: p.look.Muted}
	}
	return widget.Cell{Text: text}
}

// label is how the table shows a row.
func (p *sites) label(s *analysis.Site) siteLabel {
	return p.labels.label(p.state.stacks(), p.table.key.By, s, p.state.FullName)
}

func (p *sites) shapeOf(k analysis.Key) analysis.Shape {
	shapes, _ := p.shapes.get()
	return shapes.of(&p.table.key.Query, k)
}

// shareOfRow is a row's part of what is sorted by: of the sum, or of the largest where sums mean nothing.
func (p *sites) shareOfRow(s *analysis.Site) (n, whole uint64) {
	sum := &p.table.sum
	switch p.sort {
	case siteMean:
		return 0, 0
	case siteTemp:
		return s.Temporary, sum.Temporary
	}
	figure := p.sort.figure()
	return figure(s), figure(sum)
}

// Draw implements tview.Primitive.
func (p *sites) Draw(s tcell.Screen) {
	r := p.rect()
	if p.blocks.open {
		p.blocks.draw(s, r)
		return
	}
	body := r
	if r.H > 3 {
		var title widget.Rect
		title, body = r.CutTop(1)
		widget.TitleLine(s, title, p.look, p.title(), p.answer())
	}
	p.split(body)
	p.columns(p.listAt.W)
	p.list.Empty = p.emptyText()
	p.list.Highlight = filterWord(p.state.Filter)
	p.drawPanes(s, body)
}

// columns lays out the table for its width.
func (p *sites) columns(w int) {
	p.figures = figures{exact: p.state.Exact, wide: w >= 150}
	sum := analysis.Site{}
	if p.table != nil {
		sum = p.table.sum
	}
	p.list.Columns = siteColumns(w, p.figures, &sum, p.by())
	if !p.state.Cell.IsAll() { // they are about all blocks of a group
		hide(&p.list.Columns[siteTrend])
		hide(&p.list.Columns[siteShape])
	}
	p.list.SortColumn, p.list.Column = int(p.sort), int(p.sort)
	p.list.Descending = !p.up
}

// by is what the rows shown are put together by: the state's group may be on its way.
func (p *sites) by() analysis.Group {
	if p.table == nil {
		return p.state.Group
	}
	return p.table.key.By
}

func (p *sites) title() string {
	t := "Sites by " + p.by().String()
	if !p.state.Range.IsWhole() && p.state.Cell.IsAll() {
		t += " · trend, shape: whole run"
	}
	if p.state.Filter != "" {
		t += " · filter “" + p.state.Filter + "”"
	}
	return t
}

// answer says how many rows there are, and how much of everything they are.
func (p *sites) answer() string {
	if p.table == nil {
		return ""
	}
	t, f := p.table, figures{p.state.Exact, true}
	n, unit := len(t.order), " "+p.by().String()
	if p.by() == analysis.ByStack {
		unit = " site"
	}
	if len(t.rows) != 1 {
		unit += "s"
	}
	what, shown, all := "live", t.shown.LiveBytes, t.sum.LiveBytes
	switch p.sort {
	case siteTotal, siteMean, siteCount, siteTemp:
		what, shown, all = "total", t.shown.AllocBytes, t.sum.AllocBytes
	case siteLeaked:
		what, shown, all = "leaked", t.shown.LeakBytes, t.sum.LeakBytes
	}
	if what == "live" && p.state.Status.Unfreed {
		what = "live ≤"
	}
	if !p.rows.settled() || !p.ordered.fresh() {
		what = "adding up… " + what
	}
	if n == len(t.rows) {
		return model.Group(uint64(n)) + unit + " · " + what + " " + f.bytes(all)
	}
	return fmt.Sprintf("%s of %s%s · %s %s of %s", model.Group(uint64(n)), model.Group(uint64(len(t.rows))), unit, what,
		f.bytes(shown), f.bytes(all))
}

// emptyText says why there are no rows, and what to do.
func (p *sites) emptyText() []string {
	if why := unanswered(p.rows, p.ordered); why != nil {
		return why
	}
	switch {
	case p.table == nil:
		return []string{"Adding up…"}
	case len(p.table.rows) > 0:
		return []string{"No " + p.state.Group.String() + " passes the filter “" + p.state.Filter + "”.", "Esc forgets the filter, / changes it."}
	case !p.state.Cell.IsAll():
		return noneInCell(p.state.Cell)
	case !p.state.settled():
		return []string{"Reading: no allocation so far."}
	case !p.state.Range.IsWhole():
		return []string{"Nothing was allocated in this range, and nothing lives at its end.", "u forgets the range."}
	}
	return []string{"This file records no allocation.", "Problems says what was found in it."}
}

// do implements screen.
func (p *sites) do(a keymap.Action) bool {
	if a == keymap.Group {
		p.emit(setGroup{(p.state.Group + 1) % analysis.GroupCount})
		return true
	}
	if p.blocks.open {
		return p.blocks.do(a)
	}
	switch a {
	case keymap.SortReverse:
		p.up = !p.up
		p.changed()
	default:
		return p.doTable(a)
	}
	return true
}

// order sorts by a column; by the same one again reverses.
func (p *sites) order(col int) {
	col = skipColumns(int(p.sort), col, int(siteWhere)+1, func(col int) bool {
		c := siteColumn(col) // a share sorts like its figure, a trend like its shape
		return c == siteShare || c == siteTrend || c == siteWhere && p.state.Group != analysis.ByStack
	})
	p.up = siteColumn(col) == p.sort && !p.up
	p.sort = siteColumn(col)
	p.changed()
}

// openBlocks lists the live blocks of the selected row.
func (p *sites) openBlocks() {
	row, ok := p.selected()
	if !ok {
		return
	}
	p.tell()
	p.blocks.empty = []string{"Nothing of this lives " + atText(&p.state) + ".", "Esc goes back; p goes to the peak, h and l move the instant."}
	p.blocks.start(p.label(row).name, analysis.BlockQuery{By: p.table.key.By, Key: row.Key})
}

func (p *sites) copyText() string {
	if p.blocks.open {
		return p.blocks.copyText()
	}
	row, ok := p.selected()
	if !ok {
		return ""
	}
	return model.Clean(row.Name) + " " + model.Clean(row.Where) + "\n" + p.amounts(row) + "\n" + p.detail.text()
}

// explain fills the detail pane from the selected row.
func (p *sites) explain() {
	row, ok := p.selected()
	if !ok {
		p.detail = detail{}
		return
	}
	by := p.table.key.By
	if p.state.settled() {
		p.lives.ask(lifeKey{p.state.Status.Revision, by, row.Key, p.state.Range, p.table.key.Cell.Stacks})
	}
	p.detail.setGroup(&p.state, by, row)
	shape := p.shapeOf(row.Key)
	p.detail.answer = shape.Kind.String()
	if shape.Kind == analysis.ShapeNone {
		p.detail.answer = ""
	}
	p.detail.facts = []string{p.amounts(row)}
	if text := shapeSentence(shape); text != "" {
		if !p.state.Range.IsWhole() {
			text = "over the whole run " + text
		}
		p.detail.facts = append(p.detail.facts, p.shapeSign(shape.Kind)+" "+text)
	}
	if cell := p.table.key.Cell.Rectangle(); !cell.IsAll() {
		p.detail.facts = append(p.detail.facts[:1], "only blocks of "+cellText(cell)+"; Esc takes that back")
		p.detail.answer = ""
		return
	}
	p.detail.facts = append(p.detail.facts, p.lifetimes(row))
}

// amounts is the row's figures in a sentence.
func (p *sites) amounts(s *analysis.Site) string {
	f := figures{p.state.Exact, true}
	atMost := ""
	if p.state.Status.Unfreed {
		atMost = "≤ "
	}
	mean := ""
	if s.AllocCount > 1 {
		mean = ", " + f.bytes(s.MeanSize()) + " on average"
	}
	peak := ""
	if !p.table.key.NoPeaks {
		peak = " · peak " + f.bytes(s.PeakBytes)
	}
	over := ""
	if s.OverwrittenCount > 0 {
		over = " · overwritten " + f.bytes(s.OverwrittenBytes) + " in " + countBlocks(s.OverwrittenCount)
	}
	return fmt.Sprintf("live %s%s in %s (%s of all)%s · total %s in %s%s%s", atMost, f.bytes(s.LiveBytes),
		countBlocks(s.LiveCount), shareText(shareOf(s.LiveBytes, p.table.sum.LiveBytes)), peak,
		f.bytes(s.AllocBytes), countBlocks(s.AllocCount), mean, over)
}

// lifetimes says how long the blocks of a row lived, and who allocated them.
func (p *sites) lifetimes(s *analysis.Site) string {
	if !p.state.settled() {
		return "lifetimes: when everything is read"
	}
	if p.lives.failure() != nil {
		return "lifetimes: unknown"
	}
	l, ok := p.lives.get()
	if !ok || !p.lives.fresh() {
		return "lifetimes: adding up…"
	}
	text, never := "none was freed", "never freed"
	if p.state.Status.Unfreed {
		text, never = "no free is known", "without a known free"
	}
	switch {
	case l.Freed > 0 && l.Min == l.Max:
		text = fmt.Sprintf("%s freed after %v", model.Group(l.Freed), l.Min)
	case l.Freed > 0:
		text = fmt.Sprintf("%s freed after %v to %v, median %v", model.Group(l.Freed), l.Min, l.Max, l.Median)
	}
	if s.Temporary > 0 {
		text += fmt.Sprintf(", %s of all by the very next event", shareText(s.TemporaryShare()))
	}
	if l.NeverFreed > 0 {
		text += fmt.Sprintf("; %s %s (%s)", model.Group(l.NeverFreed), never, shareText(shareOf(l.NeverFreed, l.Freed+l.NeverFreed)))
	}
	if t := threadsText(l.Threads); t != "" {
		text += "; " + t
	}
	return text
}

// setGroup shows the stack of a group: its own, or the one that allocated most of it.
func (d *detail) setGroup(s *State, by analysis.Group, row *analysis.Site) {
	d.title = row.Name
	if !s.FullName {
		d.title = widget.ShortenTemplates(row.Name)
	}
	if by != analysis.ByStack {
		d.title += " · the stack that allocated most of it"
	}
	if by == analysis.ByThread || by == analysis.BySizeClass {
		d.title = row.Name
		d.setNoStack("press b for the stacks that allocate: a " + by.String() + " has no stack of its own")
		return
	}
	d.setStack(s.stacks(), row.Stack, row.Node, s.FullName)
}
