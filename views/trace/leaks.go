package trace

import (
	"context"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Leaks is the table of what was never freed, or, in its other section, only when the run was ending.
type Leaks struct {
	ui.TablePane
	found   *ui.Lazy[leakKey, *leakList]
	late    *ui.Lazy[lateKey, *leakList]
	totals  *ui.Lazy[totalsKey, analysis.Totals]
	ordered *ui.Lazy[leakOrder, *leakTable]

	table   *leakTable // what the list shows, nil before the first answer
	inLate  bool       // the section of what was freed late
	sort    leakColumn
	up      bool
	adopted state.Selection
	figures ui.Figures
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

// NewLeaks returns the screen of what was never freed, or freed late.
func NewLeaks(e *ui.Env) *Leaks {
	p := &Leaks{TablePane: ui.NewTablePane(e)}
	p.found = ui.NewLazy(e, func(ctx context.Context, k leakKey) (*leakList, error) {
		l, err := e.Trace.Leaks(ctx, k.LeakQuery)
		return &leakList{l, k.By}, err
	})
	p.late = ui.NewLazy(e, func(ctx context.Context, k lateKey) (*leakList, error) {
		l, err := e.Trace.LateFreed(ctx, k.in)
		return &leakList{l, analysis.ByStack}, err
	})
	p.totals = ui.NewLazy(e, func(ctx context.Context, k totalsKey) (analysis.Totals, error) { return e.Trace.Totals(ctx, k.over) })
	p.ordered = ui.NewLazy(e, func(_ context.Context, k leakOrder) (*leakTable, error) { return orderLeaks(k), nil })
	p.List = widget.List{Table: p, Descending: true, Column: int(leakBytes)}
	p.Moved, p.SortBy, p.Enter = p.tell, p.order, p.openBlocks
	return p
}

func (p *Leaks) Name() string { return "Leaks" }

func (p *Leaks) Action() keymap.Action { return keymap.ShowLeaks }

func (p *Leaks) Needs() model.Facet { return model.FacetAllocations }

func (p *Leaks) Narrows() bool { return true }

func (p *Leaks) Follows() string { return "" }

// Function implements [ui.Functioner].
func (p *Leaks) Function() string {
	row, ok := p.selected()
	if !ok {
		return ""
	}
	return ui.SiteFunction(p.table.found.by, &row.Site)
}

func (p *Leaks) Scopes() []keymap.Scope {
	if p.Blocks.Open {
		return []keymap.Scope{keymap.ScopeBlocks, keymap.ScopeTable}
	}
	return []keymap.Scope{keymap.ScopeLeaks, keymap.ScopeTable}
}

func (p *Leaks) About() string {
	switch {
	case p.Blocks.Open:
		return "blocks"
	case p.inLate:
		return "late-freed"
	case p.State.Group != analysis.ByStack:
		return "by " + p.State.Group.String()
	}
	return ""
}

func (p *Leaks) Command() []string {
	var q state.Question
	if p.State.MinAge > 0 {
		q.MinAge = model.MomentAt(p.State.MinAge)
	}
	if p.State.Group != analysis.ByStack && !p.inLate {
		q.Group = p.State.Group.String()
	}
	return q.Args()
}

// group is what the section shown is put together by.
func (p *Leaks) group() analysis.Group {
	if p.inLate {
		return analysis.ByStack
	}
	return p.State.Group
}

// Show implements screen. Nothing here depends on the instant, so that moving it costs nothing.
func (p *Leaks) Show(s *state.State) {
	if p.State.Group != s.Group {
		p.List.Home()
		p.Blocks.Open = false
		if p.sort == leakWhere {
			p.sort = leakBytes
		}
	}
	p.State = *s
	if p.Trace == nil {
		return
	}
	p.Labels.Follow(s.Chips)
	p.found.Ask(leakKey{s.Status.Revision, analysis.LeakQuery{Range: s.Range, MinAge: s.MinAge, By: s.Group, Cell: s.Only()}})
	if p.inLate || s.Settled() { // what is late is not known before
		p.late.Ask(lateKey{s.Status.Revision, s.Only()})
	}
	p.totals.Ask(totalsKey{s.Status.Revision, s.Range})
	found, ok := p.found.Get()
	if p.inLate {
		found, ok = p.late.Get()
	}
	if !ok {
		return
	}
	p.ordered.Ask(leakOrder{found, s.Filter, p.sort, p.up, p.Labels, s.Stacks(), s.FullName})
	if p.table, ok = p.ordered.Get(); !ok {
		return
	}
	p.List.Refresh()
	p.adopt()
	p.explain()
	if p.Blocks.Open {
		p.showBlocks()
	}
}

// showBlocks keeps the list of blocks up to date.
func (p *Leaks) showBlocks() {
	s := &p.State
	if p.inLate { // of blocks that are gone, list those that were there just before
		at := s.Status.Duration - s.Status.Duration/50 - 1
		p.Blocks.Show(s, analysis.BlockQuery{At: analysis.At(max(at, 0)), Cell: s.Only()}, "live at "+at.String(), at)
		return
	}
	q := analysis.BlockQuery{Leaked: true, Range: s.Range, MinAge: s.MinAge, Cell: s.Only()}
	p.Blocks.Show(s, q, "never freed", min(s.Range.To, s.Status.Duration))
}

// adopt selects the row that was selected elsewhere.
func (p *Leaks) adopt() {
	want := p.State.Selected
	if !want.Set || want == p.adopted || want.By != p.table.found.by || !p.ordered.Fresh() {
		return
	}
	p.adopted = want
	p.List.SelectID(groupID(want.By, want.Key))
}

// tell makes the selected row the selection of the program.
func (p *Leaks) tell() {
	if row, ok := p.selected(); ok {
		p.adopted = state.Selection{By: p.table.found.by, Key: row.Key, Stack: row.Stack, Set: true}
		p.Emit(state.SelectKey{Sel: p.adopted})
	}
}

// selected is the selected row.
func (p *Leaks) selected() (*analysis.LeakSite, bool) {
	i, ok := p.List.Selected()
	if !ok || p.table == nil {
		return nil, false
	}
	return p.table.row(i), true
}

func (t *leakTable) row(i int) *analysis.LeakSite { return &t.found.Sites[t.order[i]] }

// Len implements widget.Table.
func (p *Leaks) Len() int {
	if p.table == nil {
		return 0
	}
	return len(p.table.order)
}

// ID implements widget.Table.
func (p *Leaks) ID(row int) uint64 { return groupID(p.table.found.by, p.table.row(row).Key) }

// Cell implements widget.Table.
func (p *Leaks) Cell(row, col int) widget.Cell {
	s := p.table.row(row)
	switch leakColumn(col) {
	case leakBytes:
		return widget.Cell{Text: p.figures.Bytes(s.Bytes)}
	case leakBlocks:
		return widget.Cell{Text: p.figures.Count(s.Count)}
	case leakShare:
		return widget.Cell{Text: ui.ShareText(s.LeakShare())}
	case leakOldest:
		return widget.Cell{Text: p.age(s.Oldest)}
	case leakNewest:
		return widget.Cell{Text: p.age(s.Newest)}
	case leakShape:
		return p.ShapeCell(s.Shape, p.figures.Wide)
	case leakTrend:
		return widget.Cell{Kind: widget.SparkCell, Spark: s.History}
	case leakSite:
		return widget.Cell{Text: p.label(s).Name}
	}
	return widget.Cell{Text: p.label(s).Where, Style: p.Look.Muted}
}

// label is how the table shows a row.
func (p *Leaks) label(s *analysis.LeakSite) ui.SiteLabel {
	return p.Labels.Label(p.State.Stacks(), p.table.found.by, &s.Site, p.State.FullName)
}

func (p *Leaks) age(t model.Time) string {
	if p.State.Exact {
		return model.Group(uint64(max(t, 0))) + " µs"
	}
	return t.String()
}

// Do implements screen.
func (p *Leaks) Do(a keymap.Action) bool {
	switch a {
	case keymap.Group:
		if p.inLate {
			p.Say("what was freed late is listed by stack only")
			return true
		}
		p.Emit(state.SetGroup{By: (p.State.Group + 1) % analysis.GroupCount})
		return true
	case keymap.AgeUp:
		p.setAge(1)
		return true
	case keymap.AgeDown:
		p.setAge(-1)
		return true
	}
	if p.Blocks.Open {
		return p.Blocks.Do(a)
	}
	switch a {
	case keymap.NextPane:
		p.nextSection(1)
	case keymap.PreviousPane:
		p.nextSection(-1)
	case keymap.SortReverse:
		p.up = !p.up
		p.Changed()
	default:
		return p.DoTable(a)
	}
	return true
}

// nextSection goes from what was never freed to its stack, to what was freed late, to its stack, and to the first again;
// the other way round where dir is -1.
func (p *Leaks) nextSection(dir int) {
	at, late := 0, p.inLate
	if p.InDetail {
		at++
	}
	if p.inLate {
		at += 2
	}
	at = (at + dir + 4) % 4
	if at%2 == 1 && p.List.Len() == 0 { // no stack to see
		at = (at + dir + 4) % 4
	}
	p.InDetail, p.inLate = at%2 == 1, at >= 2
	if p.inLate != late {
		p.List.Home()
		p.sort, p.up = leakBytes, false
	}
	p.Changed()
}

func (p *Leaks) setAge(dir int) {
	if p.inLate { // where it means nothing
		p.inLate, p.Blocks.Open = false, false
	}
	age := NextAge(p.State.MinAge, p.State.Status.Duration, dir)
	if age == p.State.MinAge {
		p.Say("no other step that way: the run lasted " + p.State.Status.Duration.String())
	}
	p.Emit(state.SetMinAge{Age: age})
}

// order sorts by a column; by the same one again reverses.
func (p *Leaks) order(col int) {
	c := leakColumn(ui.SkipColumns(int(p.sort), col, int(leakWhere)+1, func(col int) bool {
		c := leakColumn(col) // a trend sorts like its shape
		return c == leakTrend || c == leakWhere && p.group() != analysis.ByStack || p.inLate && (c == leakShare || c == leakShape)
	}))
	p.up = c == p.sort && !p.up
	p.sort = c
	p.Changed()
}

// openBlocks lists the blocks of the selected row.
func (p *Leaks) openBlocks() {
	row, ok := p.selected()
	if !ok {
		return
	}
	p.tell()
	p.Blocks.Empty = []string{"None of these blocks is left.", "Esc goes back."}
	p.Blocks.Start(p.label(row).Name, analysis.BlockQuery{By: p.table.found.by, Key: row.Key})
}

func (p *Leaks) CopyText() string {
	if p.Blocks.Open {
		return p.Blocks.CopyText()
	}
	row, ok := p.selected()
	if !ok {
		return ""
	}
	text := model.Clean(row.Name) + " " + model.Clean(row.Where) + "\n"
	for _, f := range p.Detail.Facts {
		text += f + "\n"
	}
	return text + p.Detail.Text()
}

// Draw implements tview.Primitive.
func (p *Leaks) Draw(s tcell.Screen) {
	r := p.Rect()
	if p.Blocks.Open {
		p.Blocks.Draw(s, r)
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
		widget.Print(s, line.X+1, line.Y, line.W-1, note, p.Look.Muted)
	}
	p.Split(body)
	p.figures = ui.Figures{Exact: p.State.Exact, Wide: p.ListAt.W >= 110}
	all := &leakList{by: p.group()}
	if p.table != nil {
		all = p.table.found
	}
	p.List.Columns = leakColumns(p.figures, all, p.inLate)
	p.List.SortColumn, p.List.Column, p.List.Descending = int(p.sort), int(p.sort), !p.up
	p.List.Empty, p.List.Highlight = p.emptyText(), ui.FilterWord(p.State.Filter)
	p.DrawPanes(s, body)
}
