package views

import (
	"context"
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// leaks is the table of what was never freed, or, in its other section, only when the run was ending.
type leaks struct {
	tablePane
	found   *lazy[leakKey, *leakList]
	late    *lazy[lateKey, *leakList]
	totals  *lazy[totalsKey, analysis.Totals]
	ordered *lazy[leakOrder, *leakTable]

	table   *leakTable // what the list shows, nil before the first answer
	inLate  bool       // the section of what was freed late
	sort    leakColumn
	up      bool
	adopted Selection
	figures figures
}

// leakKey determines what counts as a leak.
type leakKey struct {
	revision uint64
	analysis.LeakQuery
}

// lateKey determines what was freed late.
type lateKey struct {
	revision uint64
	in       analysis.Cell
}

// totalsKey determines the sums of a range.
type totalsKey struct {
	revision uint64
	over     analysis.Range
}

func newLeaks(e *env) *leaks {
	p := &leaks{tablePane: newTablePane(e)}
	p.found = newLazy(e, func(ctx context.Context, k leakKey) (*leakList, error) {
		l, err := e.trace.Leaks(ctx, k.LeakQuery)
		return &leakList{l, k.By}, err
	})
	p.late = newLazy(e, func(ctx context.Context, k lateKey) (*leakList, error) {
		l, err := e.trace.LateFreed(ctx, k.in)
		return &leakList{l, analysis.ByStack}, err
	})
	p.totals = newLazy(e, func(ctx context.Context, k totalsKey) (analysis.Totals, error) { return e.trace.Totals(ctx, k.over) })
	p.ordered = newLazy(e, func(_ context.Context, k leakOrder) (*leakTable, error) { return orderLeaks(k), nil })
	p.list = widget.List{Table: p, Descending: true, Column: int(leakBytes)}
	p.moved, p.sortBy, p.enter = p.tell, p.order, p.openBlocks
	return p
}

func (p *leaks) name() string          { return "Leaks" }
func (p *leaks) action() keymap.Action { return keymap.ShowLeaks }
func (p *leaks) needs() model.Facet    { return model.FacetAllocations }
func (p *leaks) narrows() bool         { return true }
func (p *leaks) follows() string       { return "" }

// function implements functioner.
func (p *leaks) function() string {
	row, ok := p.selected()
	if !ok {
		return ""
	}
	return siteFunction(p.table.found.by, &row.Site)
}

func (p *leaks) scopes() []keymap.Scope {
	if p.blocks.open {
		return []keymap.Scope{keymap.ScopeBlocks, keymap.ScopeTable}
	}
	return []keymap.Scope{keymap.ScopeLeaks, keymap.ScopeTable}
}

func (p *leaks) about() string {
	switch {
	case p.blocks.open:
		return "blocks"
	case p.inLate:
		return "late-freed"
	case p.state.Group != analysis.ByStack:
		return "by " + p.state.Group.String()
	}
	return ""
}

func (p *leaks) command() []string {
	var words []string
	if p.state.MinAge > 0 {
		words = append(words, "--min-age", fmt.Sprintf("%dus", p.state.MinAge))
	}
	if p.state.Group != analysis.ByStack && !p.inLate {
		words = append(words, "--group", p.state.Group.String())
	}
	return words
}

// group is what the section shown is put together by.
func (p *leaks) group() analysis.Group {
	if p.inLate {
		return analysis.ByStack
	}
	return p.state.Group
}

// show implements screen. Nothing here depends on the instant, so that moving it costs nothing.
func (p *leaks) show(s *State) {
	if p.state.Group != s.Group {
		p.list.Home()
		p.blocks.open = false
		if p.sort == leakWhere {
			p.sort = leakBytes
		}
	}
	p.state = *s
	if p.trace == nil {
		return
	}
	p.labels.follow(s.Chips)
	p.found.ask(leakKey{s.Status.Revision, analysis.LeakQuery{Range: s.Range, MinAge: s.MinAge, By: s.Group, Cell: s.only()}})
	if p.inLate || s.settled() { // what is late is not known before
		p.late.ask(lateKey{s.Status.Revision, s.only()})
	}
	p.totals.ask(totalsKey{s.Status.Revision, s.Range})
	found, ok := p.found.get()
	if p.inLate {
		found, ok = p.late.get()
	}
	if !ok {
		return
	}
	p.ordered.ask(leakOrder{found, s.Filter, p.sort, p.up, p.labels, s.stacks(), s.FullName})
	if p.table, ok = p.ordered.get(); !ok {
		return
	}
	p.list.Refresh()
	p.adopt()
	p.explain()
	if p.blocks.open {
		p.showBlocks()
	}
}

// showBlocks keeps the list of blocks up to date.
func (p *leaks) showBlocks() {
	s := &p.state
	if p.inLate { // of blocks that are gone, list those that were there just before
		at := s.Status.Duration - s.Status.Duration/50 - 1
		p.blocks.show(s, analysis.BlockQuery{At: analysis.At(max(at, 0)), Cell: s.only()}, "live at "+at.String(), at)
		return
	}
	q := analysis.BlockQuery{Leaked: true, Range: s.Range, MinAge: s.MinAge, Cell: s.only()}
	p.blocks.show(s, q, "never freed", min(s.Range.To, s.Status.Duration))
}

// adopt selects the row that was selected elsewhere.
func (p *leaks) adopt() {
	want := p.state.Selected
	if !want.Set || want == p.adopted || want.By != p.table.found.by || !p.ordered.fresh() {
		return
	}
	p.adopted = want
	p.list.SelectID(groupID(want.By, want.Key))
}

// tell makes the selected row the selection of the program.
func (p *leaks) tell() {
	if row, ok := p.selected(); ok {
		p.adopted = Selection{By: p.table.found.by, Key: row.Key, Stack: row.Stack, Set: true}
		p.emit(selectKey{p.adopted})
	}
}

// selected is the selected row.
func (p *leaks) selected() (*analysis.LeakSite, bool) {
	i, ok := p.list.Selected()
	if !ok || p.table == nil {
		return nil, false
	}
	return p.table.row(i), true
}

func (t *leakTable) row(i int) *analysis.LeakSite { return &t.found.Sites[t.order[i]] }

// Len implements widget.Table.
func (p *leaks) Len() int {
	if p.table == nil {
		return 0
	}
	return len(p.table.order)
}

// ID implements widget.Table.
func (p *leaks) ID(row int) uint64 { return groupID(p.table.found.by, p.table.row(row).Key) }

// Cell implements widget.Table.
func (p *leaks) Cell(row, col int) widget.Cell {
	s := p.table.row(row)
	switch leakColumn(col) {
	case leakBytes:
		return widget.Cell{Text: p.figures.bytes(s.Bytes)}
	case leakBlocks:
		return widget.Cell{Text: p.figures.count(s.Count)}
	case leakShare:
		return widget.Cell{Text: shareText(s.LeakShare())}
	case leakOldest:
		return widget.Cell{Text: p.age(s.Oldest)}
	case leakNewest:
		return widget.Cell{Text: p.age(s.Newest)}
	case leakShape:
		return p.shapeCell(s.Shape, p.figures.wide)
	case leakTrend:
		return widget.Cell{Kind: widget.SparkCell, Spark: s.History}
	case leakSite:
		return widget.Cell{Text: p.label(s).name}
	}
	return widget.Cell{Text: p.label(s).where, Style: p.look.Muted}
}

// label is how the table shows a row.
func (p *leaks) label(s *analysis.LeakSite) siteLabel {
	return p.labels.label(p.state.stacks(), p.table.found.by, &s.Site, p.state.FullName)
}

func (p *leaks) age(t model.Time) string {
	if p.state.Exact {
		return model.Group(uint64(max(t, 0))) + " µs"
	}
	return t.String()
}

// do implements screen.
func (p *leaks) do(a keymap.Action) bool {
	switch a {
	case keymap.Group:
		if p.inLate {
			p.say("what was freed late is listed by stack only")
			return true
		}
		p.emit(setGroup{(p.state.Group + 1) % analysis.GroupCount})
		return true
	case keymap.AgeUp:
		p.setAge(1)
		return true
	case keymap.AgeDown:
		p.setAge(-1)
		return true
	}
	if p.blocks.open {
		return p.blocks.do(a)
	}
	switch a {
	case keymap.NextPane:
		p.nextSection(1)
	case keymap.PreviousPane:
		p.nextSection(-1)
	case keymap.SortReverse:
		p.up = !p.up
		p.changed()
	default:
		return p.doTable(a)
	}
	return true
}

// nextSection goes from what was never freed to its stack, to what was freed late, to its stack, and to the first again;
// the other way round where dir is -1.
func (p *leaks) nextSection(dir int) {
	at, late := 0, p.inLate
	if p.inDetail {
		at++
	}
	if p.inLate {
		at += 2
	}
	at = (at + dir + 4) % 4
	if at%2 == 1 && p.list.Len() == 0 { // no stack to see
		at = (at + dir + 4) % 4
	}
	p.inDetail, p.inLate = at%2 == 1, at >= 2
	if p.inLate != late {
		p.list.Home()
		p.sort, p.up = leakBytes, false
	}
	p.changed()
}

func (p *leaks) setAge(dir int) {
	if p.inLate { // where it means nothing
		p.inLate, p.blocks.open = false, false
	}
	age := nextAge(p.state.MinAge, p.state.Status.Duration, dir)
	if age == p.state.MinAge {
		p.say("no other step that way: the run lasted " + p.state.Status.Duration.String())
	}
	p.emit(setMinAge{age})
}

// order sorts by a column; by the same one again reverses.
func (p *leaks) order(col int) {
	c := leakColumn(skipColumns(int(p.sort), col, int(leakWhere)+1, func(col int) bool {
		c := leakColumn(col) // a trend sorts like its shape
		return c == leakTrend || c == leakWhere && p.group() != analysis.ByStack || p.inLate && (c == leakShare || c == leakShape)
	}))
	p.up = c == p.sort && !p.up
	p.sort = c
	p.changed()
}

// openBlocks lists the blocks of the selected row.
func (p *leaks) openBlocks() {
	row, ok := p.selected()
	if !ok {
		return
	}
	p.tell()
	p.blocks.empty = []string{"None of these blocks is left.", "Esc goes back."}
	p.blocks.start(p.label(row).name, analysis.BlockQuery{By: p.table.found.by, Key: row.Key})
}

func (p *leaks) copyText() string {
	if p.blocks.open {
		return p.blocks.copyText()
	}
	row, ok := p.selected()
	if !ok {
		return ""
	}
	text := model.Clean(row.Name) + " " + model.Clean(row.Where) + "\n"
	for _, f := range p.detail.facts {
		text += f + "\n"
	}
	return text + p.detail.text()
}

// Draw implements tview.Primitive.
func (p *leaks) Draw(s tcell.Screen) {
	r := p.rect()
	if p.blocks.open {
		p.blocks.draw(s, r)
		return
	}
	body := r
	if r.H > 3 {
		var title widget.Rect
		title, body = r.CutTop(1)
		p.drawTitle(s, title)
	}
	if note := p.note(); note != "" && body.H > 5 {
		var line widget.Rect
		line, body = body.CutTop(1)
		widget.Print(s, line.X+1, line.Y, line.W-1, note, p.look.Muted)
	}
	p.split(body)
	p.figures = figures{exact: p.state.Exact, wide: p.listAt.W >= 110}
	all := &leakList{by: p.group()}
	if p.table != nil {
		all = p.table.found
	}
	p.list.Columns = leakColumns(p.figures, all, p.inLate)
	p.list.SortColumn, p.list.Column, p.list.Descending = int(p.sort), int(p.sort), !p.up
	p.list.Empty, p.list.Highlight = p.emptyText(), filterWord(p.state.Filter)
	p.drawPanes(s, body)
}
