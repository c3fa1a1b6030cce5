package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/analysis/verdict"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/widget"
)

// BlockPane lists single blocks: in place of a table while it is open, and on a screen of their own. It is not a
// [Table]: there may be many millions of blocks, of which only visible ones are read, in the few orders that the trace
// supports.
type BlockPane struct {
	*Env
	ListPane
	Open  bool
	name  string // of the group whose blocks they are
	what  string // which of them ("live at 61.0 ms")
	Empty []string
	until model.Time // the instant at which ages are taken
	state state.State

	Query   analysis.BlockQuery
	Uses    uint64     // instead of the query: all blocks that ever held this address; 0 for none
	Gone    model.Time // only blocks that ended before, 0 for all
	Filter  string
	Heading string // in place of the usual title, "" for that
	Up      bool   // the order is reversed
	Lives   bool   // ages are lifetimes: of blocks that may have ended
	blocks  *Lazy[blockKey, *blockTable]
	Near    *Lazy[nearKey, []analysis.Block]
	cols    []Column[analysis.Block]
	labels  *SiteLabels
	said    *SiteVerdicts

	Parts func(s *state.State, b *analysis.Block) []DetailPart // what explains a block in a detail with room; may be nil
}

// nearKey determines the rows that are read ahead of drawing: rows from … from+count of a list.
type nearKey struct {
	list        *blockTable
	up          bool
	From, Count int
}

// NewBlockPane returns a pane without blocks.
func NewBlockPane(e *Env) BlockPane {
	return BlockPane{
		Env: e, labels: NewSiteLabels(e.Libraries), said: NewSiteVerdicts(e),
		blocks: NewLazy(e, func(ctx context.Context, k blockKey) (*blockTable, error) { return askBlocks(ctx, e.Trace, k) }),
		Near: NewLazy(e, func(_ context.Context, k nearKey) ([]analysis.Block, error) {
			rows := make([]analysis.Block, 0, k.Count)
			for i := k.From; i < min(k.From+k.Count, k.list.Len()); i++ {
				rows = append(rows, k.list.row(i, k.up))
			}
			return rows, nil
		}),
	}
}

// Place returns the place of a block's owner in a source file; ok is false where there is none.
func (p *BlockPane) Place(s *state.State, id model.StackID) (at lines.Place, ok bool) {
	return p.labels.Place(s.Stacks(), analysis.ByStack, id, s.FullName)
}

// Start opens the list for a group, largest blocks first.
func (p *BlockPane) Start(name string, q analysis.BlockQuery) {
	empty, parts := p.Empty, p.Parts
	*p = NewBlockPane(p.Env) // so that nothing of another group shows
	p.Open, p.name, p.Query, p.Empty, p.Parts = true, name, q, empty, parts
	p.Changed()
	p.Say(p.Hint("{back} goes back to the table; {sort} sorts by size, age, newest or address"))
}

// SetFilter lists only the blocks that pass a filter.
func (p *BlockPane) SetFilter(text string) {
	p.Filter = text
	p.List.Home()
	p.Changed()
}

// Show requests the blocks of a query that follows the state; what describes them, and ages are taken at until.
func (p *BlockPane) Show(s *state.State, q analysis.BlockQuery, what string, until model.Time) {
	if p.Order, p.Enter, p.Moved = p, func() {}, p.Changed; p.List.Table == nil { // there is nothing further in
		p.List = widget.List{Table: p, Descending: true, Column: -1}
	}
	q.Sort, q.By, q.Key = p.Query.Sort, p.Query.By, p.Query.Key
	p.state, p.Query, p.what, p.until = *s, q, what, until
	p.ask()
}

// ask asks for the list, and for the rows of it that are visible.
func (p *BlockPane) ask() {
	s := &p.state
	key := blockKey{revision: s.Status.Revision, BlockQuery: p.Query, uses: p.Uses, gone: p.Gone}
	if p.Filter != "" {
		key.filter, key.view = p.Filter, p.view()
	}
	p.blocks.Ask(key)
	p.said.Ask(s)
	p.List.Refresh()
	if list, ok := p.blocks.Get(); ok {
		const page = 256 // rows read at once, at least what two screens show
		from := p.List.Offset() / (page / 2) * (page / 2)
		p.Near.Ask(nearKey{list, p.Up, from, page})
	}
	p.explain()
}

// Len implements widget.Table.
func (p *BlockPane) Len() int {
	if list, ok := p.blocks.Get(); ok {
		return list.Len()
	}
	return 0
}

// ID implements widget.Table: rows are known by their position.
func (p *BlockPane) ID(row int) uint64 { return uint64(row) }

// Row returns a block that was read ahead.
func (p *BlockPane) Row(i int) (analysis.Block, bool) {
	rows, _ := p.Near.Get()
	if from := p.Near.Key.From; p.Near.Fresh() && i >= from && i < from+len(rows) {
		return rows[i-from], true
	}
	return analysis.Block{}, false
}

// Cell implements widget.Table.
func (p *BlockPane) Cell(row, col int) widget.Cell {
	b, ok := p.Row(row)
	if !ok {
		return widget.Cell{Text: p.Look.Glyphs.Ellipsis, Style: p.Look.Muted}
	}
	return p.cols[col].Draw(&b, p.figures(), p.Look)
}

func (p *BlockPane) figures() Figures { return FiguresOf(&p.state, true) }

// view returns what the columns depend on now.
func (p *BlockPane) view() blockView {
	v := blockView{stacks: p.state.Stacks(), labels: p.labels, full: p.state.FullName, until: p.until, lived: p.Lives,
		times: 9, noAddr: p.state.Invented(), noThreads: p.state.NoThreads(), sampled: p.state.Sampled()}
	if p.state.Exact {
		v.times = len(p.figures().Time(p.state.Status.Duration))
	}
	v.same = p.Query.By == analysis.ByStack && !p.Query.All
	return v
}

// Columns returns the columns of the list.
func (p *BlockPane) Columns() []Column[analysis.Block] {
	cols := p.view().columns()
	for i := range cols {
		if cols[i].Title == titles.Verdict {
			cols[i].Cell = func(b *analysis.Block) widget.Cell { return p.VerdictCell(p.said.Stack(b.Stack), Figures{}) }
		}
	}
	return cols
}

// Fields returns the figures of blocks that filters can compare.
func (p *BlockPane) Fields() []analysis.Field { return fields(p.Columns()) }

// Ages returns a function that returns the age of a listed block.
func (p *BlockPane) Ages() func(b *analysis.Block) model.Time {
	until := p.until
	return func(b *analysis.Block) model.Time { return b.Age(until) }
}

// RowFilter returns the filter as command lines take it, or "" if it compares fields that reports do not have.
func (p *BlockPane) RowFilter(text string) string { return rowFilter(p.Columns(), text) }

// AddressText formats an address, or returns that it is unknown.
func AddressText(addr uint64) string {
	if addr == 0 {
		return "unknown"
	}
	return fmt.Sprintf("0x%x", addr)
}

// explain fills the detail pane from the selected block.
func (p *BlockPane) explain() {
	i, ok := p.List.Selected()
	b, have := p.Row(i)
	if !ok || !have {
		p.Detail = Detail{}
		return
	}
	leaf, _ := p.state.Stacks().Node(b.Stack)
	p.Detail.SetStack(p.state.Stacks(), b.Stack, leaf, p.state.FullName)
	p.Detail.Title = "Block " + AddressText(b.Addr)
	p.Detail.Answer = model.Bytes(b.Size).Exact() + p.threadText(" · thread ", &b)
	p.Detail.Facts = []string{p.endText(&b)}
	if said := p.said.Stack(b.Stack); said.Kind != verdict.None {
		p.Detail.Facts = append(p.Detail.Facts, "its site: "+strings.TrimSpace(p.VerdictSign(said.Kind)+" "+VerdictSentence(said)))
	}
	if p.Detail.Samples = p.state.Sampled(); p.Detail.Samples {
		p.Detail.Title = "Sample " + AddressText(b.Addr)
		own := "its own size is not known"
		if size, ok := p.state.Sampling().Size(b.Size); ok {
			own = "its own size is " + model.Bytes(size).Exact()
		}
		p.Detail.Facts = append(p.Detail.Facts, "it represents "+model.Bytes(b.Size).Exact()+" that were allocated there: "+own)
	}
	if p.Detail.Parts = nil; p.Parts != nil && p.state.Settled() && p.HasRoom() {
		p.Detail.Parts = p.Parts(&p.state, &b)
	}
	switch {
	case p.state.Invented():
		p.Detail.Title = "Block"
		p.Detail.Facts = append(p.Detail.Facts, "the file has no addresses: of several blocks of equal size and stack, the newest is assumed to be freed first")
	case b.Addr == 0:
		p.Detail.Facts = append(p.Detail.Facts, "the file has no address for it, so no free can be matched to it")
	}
}

// threadText returns a block's thread after some words, "" if the file has no threads.
func (p *BlockPane) threadText(words string, b *analysis.Block) string {
	if p.state.NoThreads() {
		return ""
	}
	return words + fmt.Sprint(b.Thread)
}

// endText returns when a block was allocated and freed.
func (p *BlockPane) endText(b *analysis.Block) string {
	about := ""
	if p.state.Profile != nil && p.state.Profile.Meta.CoarseTimes {
		about = "about "
	}
	switch {
	case b.Died != model.NoTime:
		return fmt.Sprintf("allocated at %s%v, freed at %s%v after %s%v", about, b.Born, about, b.Died, about, b.Died-b.Born)
	case b.Addr == 0 && !p.state.Invented():
		return fmt.Sprintf("allocated at %s%v, no free is known", about, b.Born)
	}
	return fmt.Sprintf("allocated at %s%v, never freed", about, b.Born)
}

// Draw shows the list and the selected block in r.
func (p *BlockPane) Draw(s tcell.Screen, r widget.Rect) {
	title, body := r.CutTop(1)
	widget.TitleLine(s, title, p.Look, p.Title(), p.answer())
	p.cols = p.Columns()
	p.List.Columns = layoutOf(p.cols, p.figures(), 1<<40, 1)
	p.List.Empty = p.Empty
	if p.Open && p.Filter != "" {
		p.List.Empty = []string{"No matches for “" + p.Filter + "”.", p.FilterHint()}
	}
	p.List.Highlight = FilterWord(p.Filter)
	if !p.blocks.Fresh() {
		p.List.Empty = []string{"Searching for blocks…"}
	}
	if why := Unanswered(p.blocks); why != nil {
		p.List.Empty = why
	}
	p.List.SortColumn, p.List.Descending = p.sortColumn()
	at := p.DetailAt
	if p.Split(body); p.DetailAt != at {
		p.Changed() // what explains a block depends on the room for it
		p.Post(func() {})
	}
	p.draw(s, p.Look)
}

// Title returns which blocks are listed.
func (p *BlockPane) Title() string {
	t := "Blocks of " + p.name
	if p.name == "" {
		t = "Blocks"
	}
	if p.Heading != "" {
		t = p.Heading
	}
	if p.Uses != 0 {
		t = "Uses of " + AddressText(p.Uses)
	}
	if p.Query.Addr != 0 && p.Uses == 0 {
		t += " that hold " + AddressText(p.Query.Addr)
	}
	if p.Filter != "" {
		t += " · filter “" + p.Filter + "”"
	}
	return t
}

func (p *BlockPane) answer() string {
	list, ok := p.blocks.Get()
	if !ok || !p.blocks.Fresh() {
		return ""
	}
	return list.count(p.state.Blocks) + " " + p.what + ", " + p.figures().Bytes(list.bytes) + " · " + p.orderText() + " first"
}

// orderText returns what comes first.
func (p *BlockPane) orderText() string {
	words := [...][2]string{{"largest", "smallest"}, {"oldest", "newest"}, {"newest", "oldest"}, {"lowest address", "highest address"},
		{"shortest-lived", "longest-lived"}}[p.Query.Sort]
	if p.Uses != 0 {
		words = [2]string{"earliest", "latest"}
	}
	if p.Up {
		return words[1]
	}
	return words[0]
}

// sortColumn returns the column that sorts, and its direction.
func (p *BlockPane) sortColumn() (col int, descending bool) {
	ages := titles.Age
	if p.Lives {
		ages = titles.Born
	}
	title := [...]string{titles.Size, ages, ages, titles.Address, titles.Lived}[p.Query.Sort]
	descending = p.Query.Sort == analysis.LargestFirst || p.Query.Sort == analysis.OldestFirst
	if p.Lives && title == titles.Born || p.Uses != 0 {
		title, descending = titles.Born, p.Query.Sort == analysis.NewestFirst && p.Uses == 0
	}
	return slices.IndexFunc(p.cols, func(c Column[analysis.Block]) bool { return c.Title == title }), descending != p.Up
}

// OrderKey returns what reports call the order, "" for the usual one.
func (p *BlockPane) OrderKey() string {
	switch by := p.Query.Sort; {
	case by == analysis.OldestFirst && p.Up, by == analysis.NewestFirst && !p.Up:
		return "last_allocated"
	case by == analysis.OldestFirst, by == analysis.NewestFirst:
		return "first_allocated"
	case by == analysis.LowestFirst:
		return "address"
	case by == analysis.ShortestFirst:
		return "lifetime"
	}
	return ""
}

// orders returns the orders that the sort key cycles through.
func (p *BlockPane) orders() []analysis.BlockOrder {
	list := []analysis.BlockOrder{analysis.LargestFirst, analysis.OldestFirst, analysis.NewestFirst}
	if !p.state.Invented() {
		list = append(list, analysis.LowestFirst)
	}
	if p.Lives {
		list = append(list, analysis.ShortestFirst)
	}
	return list
}

// nextOrder returns the order n steps further.
func (p *BlockPane) nextOrder(n int) analysis.BlockOrder {
	list := p.orders()
	at := max(slices.Index(list, p.Query.Sort), 0)
	return list[(at+n+len(list))%len(list)]
}

// Do carries out an action while the list is open.
func (p *BlockPane) Do(a keymap.Action) bool {
	switch {
	case p.Act(a):
	case a != keymap.Back:
		return false
	case p.Open && p.Filter != "":
		p.SetFilter("")
	default:
		p.Open = false
	}
	p.Changed()
	return true
}

// OrderBy implements [Orderly].
func (p *BlockPane) OrderBy(a keymap.Action) bool {
	switch a {
	case keymap.SortReverse:
		p.Up = !p.Up
		p.List.Home()
	case keymap.ColumnLeft:
		p.sortBy(p.nextOrder(-1))
	default:
		p.sortBy(p.nextOrder(1))
	}
	return true
}

func (p *BlockPane) sortBy(o analysis.BlockOrder) {
	if p.Uses != 0 {
		p.Say(p.Hint("the uses of an address are listed in order of time; {sort-reverse} reverses it"))
		return
	}
	p.Up = p.Query.Sort == o && !p.Up
	p.Query.Sort = o
	p.List.Home()
	p.Changed()
}

// Click selects a block, or sorts by what is in the header.
func (p *BlockPane) Click(x, y int) {
	p.click(x, y, false)
	p.Changed()
}

// Wheel scrolls what is under the pointer.
func (p *BlockPane) Wheel(x, y, rows int) {
	p.wheel(x, y, rows)
	p.Changed()
}

// ClickTitle implements [Orderly]. Only some columns can sort blocks.
func (p *BlockPane) ClickTitle(col int) {
	orders := map[string]analysis.BlockOrder{titles.Size: analysis.LargestFirst, titles.Age: analysis.OldestFirst,
		titles.Born:  analysis.OldestFirst,
		titles.Lived: analysis.ShortestFirst, titles.Address: analysis.LowestFirst}
	if o, ok := orders[p.cols[col].Title]; ok {
		p.sortBy(o)
	}
}

// CopyText returns the selected block and its stack.
func (p *BlockPane) CopyText() string {
	i, ok := p.List.Selected()
	b, have := p.Row(i)
	if !ok || !have {
		return ""
	}
	at, thread := AddressText(b.Addr), p.threadText(", thread ", &b)
	if p.state.Sampled() {
		return fmt.Sprintf("sample at %s%s: %s\n%s", at, thread, strings.Join(p.Detail.Sentences(p.Detail.Facts), "; "), p.Detail.Text())
	}
	return fmt.Sprintf("%s at %s%s: %s\n%s", model.Bytes(b.Size).Exact(), at, thread, p.endText(&b), p.Detail.Text())
}

// died reports whether a block ended before an instant.
func died(b *analysis.Block, before model.Time) bool {
	return b.Died != model.NoTime && b.Died < before
}
