package ui

import (
	"context"
	"fmt"
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/widget"
)

// BlockPane lists single blocks: in place of a table, as long as it is open, and on a screen of their own.
type BlockPane struct {
	*Env
	Open  bool
	name  string // of the group whose blocks they are
	what  string // which of them ("live at 61.0 ms")
	Empty []string
	until model.Time // the instant that ages count to
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
	List    widget.List
	detail  Detail
	labels  *SiteLabels
}

// nearKey determines the rows that are read ahead of drawing: rows from … from+count of a list.
type nearKey struct {
	list        *blockTable
	up          bool
	From, Count int
}

// The columns of the list.
const (
	BlockSize = iota
	blockAge
	blockBorn
	blockDied
	blockThread
	blockAddr
	blockSite
)

// NewBlockPane returns a pane without blocks.
func NewBlockPane(e *Env) BlockPane {
	return BlockPane{
		Env: e, labels: &SiteLabels{},
		blocks: NewLazy(e, func(ctx context.Context, k blockKey) (*blockTable, error) { return fetchBlocks(ctx, e.Trace, k) }),
		Near: NewLazy(e, func(_ context.Context, k nearKey) ([]analysis.Block, error) {
			rows := make([]analysis.Block, 0, k.Count)
			for i := k.From; i < min(k.From+k.Count, k.list.Len()); i++ {
				rows = append(rows, k.list.row(i, k.up))
			}
			return rows, nil
		}),
	}
}

// Start opens the list for a group, largest blocks first.
func (p *BlockPane) Start(name string, q analysis.BlockQuery) {
	empty := p.Empty
	*p = NewBlockPane(p.Env) // nothing of another group may be seen
	p.Open, p.name, p.Query, p.Empty = true, name, q, empty
	p.List = widget.List{Table: p, SortColumn: BlockSize, Descending: true, Column: -1}
	p.Changed()
	p.Say("Esc goes back to the table; s sorts by size, age, newest or address")
}

// Show asks for the blocks of a query that follows the state: what is of it, and until when they live.
func (p *BlockPane) Show(s *state.State, q analysis.BlockQuery, what string, until model.Time) {
	q.Sort, q.By, q.Key = p.Query.Sort, p.Query.By, p.Query.Key
	p.state, p.Query, p.what, p.until = *s, q, what, until
	p.ask()
}

// ask asks for the list, and for the rows of it that are visible.
func (p *BlockPane) ask() {
	s := &p.state
	key := blockKey{revision: s.Status.Revision, BlockQuery: p.Query, uses: p.Uses, gone: p.Gone}
	if p.Filter != "" {
		key.filter, key.stacks, key.labels, key.until, key.full = p.Filter, s.Stacks(), p.labels, p.until, s.FullName
	}
	p.blocks.Ask(key)
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
	switch col {
	case BlockSize:
		return widget.Cell{Text: Figures{p.state.Exact, true}.Bytes(b.Size)}
	case blockAge:
		return widget.Cell{Text: p.time(p.age(&b))}
	case blockBorn:
		return widget.Cell{Text: p.time(b.Born)}
	case blockDied:
		if b.Died == model.NoTime {
			return widget.Cell{Text: "never", Style: p.Look.Muted}
		}
		return widget.Cell{Text: p.time(b.Died)}
	case blockThread:
		return widget.Cell{Text: fmt.Sprint(b.Thread)}
	case blockAddr:
		return widget.Cell{Text: AddressText(b.Addr), Style: p.Look.Muted}
	}
	return widget.Cell{Text: p.site(&b)}
}

// age is how long a block has lived at the instant of the list, or had lived when it ended before.
func (p *BlockPane) age(b *analysis.Block) model.Time { return ageAt(b, p.until) }

// time is a time as the state wants numbers.
func (p *BlockPane) time(t model.Time) string {
	if p.state.Exact && t >= 0 {
		return model.Group(uint64(t)) + " µs"
	}
	return t.String()
}

// AddressText renders an address, or says that it is unknown.
func AddressText(addr uint64) string {
	if addr == 0 {
		return "unknown"
	}
	return fmt.Sprintf("0x%x", addr)
}

// site names the stack of a block.
func (p *BlockPane) site(b *analysis.Block) string {
	return blockSiteName(p.state.Stacks(), p.labels, b.Stack, p.state.FullName)
}

// explain fills the detail pane from the selected block.
func (p *BlockPane) explain() {
	i, ok := p.List.Selected()
	b, have := p.Row(i)
	if !ok || !have {
		p.detail = Detail{}
		return
	}
	leaf, _ := p.state.Stacks().Node(b.Stack)
	p.detail.SetStack(p.state.Stacks(), b.Stack, leaf, p.state.FullName)
	p.detail.Title = "Block " + AddressText(b.Addr)
	p.detail.Answer = model.Bytes(b.Size).Exact() + " · thread " + fmt.Sprint(b.Thread)
	p.detail.Facts = []string{fateText(&b)}
	if b.Addr == 0 {
		p.detail.Facts = append(p.detail.Facts, "the file has no address for it, so that no free can ever match it")
	}
}

// fateText says when a block came and went.
func fateText(b *analysis.Block) string {
	switch {
	case b.Died != model.NoTime:
		return fmt.Sprintf("allocated at %v, freed at %v after %v", b.Born, b.Died, b.Died-b.Born)
	case b.Addr == 0:
		return fmt.Sprintf("allocated at %v, no free is known", b.Born)
	}
	return fmt.Sprintf("allocated at %v, never freed", b.Born)
}

// Draw shows the list and the selected block in r.
func (p *BlockPane) Draw(s tcell.Screen, r widget.Rect) {
	title, body := r.CutTop(1)
	widget.TitleLine(s, title, p.Look, p.Title(), p.answer())
	f := Figures{p.state.Exact, true}
	const right = widget.Right
	tw := 9
	if p.state.Exact {
		tw = len(p.time(p.state.Status.Duration))
	}
	site := widget.Column{Title: "SITE", Width: 12, Grow: 1, Drop: 1, Cut: widget.CutScope}
	if p.Query.By == analysis.ByStack && !p.Query.All { // it would be the same in every row
		Hide(&site)
	}
	p.List.Columns = []widget.Column{
		BlockSize: {Title: "SIZE", Width: f.BytesWidth(1 << 40), Align: right}, blockAge: {Title: "AGE", Width: tw, Align: right},
		blockBorn: {Title: "BORN", Width: tw, Align: right, Drop: 3}, blockDied: {Title: "FREED", Width: tw, Align: right, Drop: 4},
		blockThread: {Title: "THREAD", Width: 6, Align: right, Drop: 5}, blockAddr: {Title: "ADDRESS", Width: 14, Drop: 2},
		blockSite: site,
	}
	if p.Lives {
		p.List.Columns[blockAge].Title = "LIVED"
	}
	p.List.Empty = p.Empty
	if !p.blocks.Fresh() {
		p.List.Empty = []string{"Looking for blocks…"}
	}
	if why := Unanswered(p.blocks); why != nil {
		p.List.Empty = why
	}
	list, detail := body, widget.Rect{}
	if n := p.List.Len(); n > 0 && body.H >= LowHeight-1 {
		list, detail = body.CutBottom(DetailHeight(body.H, n))
	}
	if body.W >= SideWidth && detail.H > 0 {
		list, detail = body.CutRight(min(max(body.W*7/20, 56), 90))
		for y := range detail.H {
			s.Put(detail.X, detail.Y+y, p.Look.Glyphs.Vertical, p.Look.Rule)
		}
		_, detail = detail.CutLeft(1)
	}
	p.List.Focused = true
	p.List.SortColumn, p.List.Descending = p.sortColumn()
	p.List.Draw(s, list, p.Look)
	p.detail.Draw(s, detail, p.Look, false)
}

// Title says which blocks are listed.
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
	return list.count() + " " + p.what + ", " + Figures{p.state.Exact, true}.Bytes(list.bytes) + " · " + p.orderText() + " first"
}

// orderText is what comes first.
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

// sortColumn is the column that sorts, and its direction.
func (p *BlockPane) sortColumn() (col int, descending bool) {
	col = [...]int{BlockSize, blockAge, blockAge, blockAddr, blockAge}[p.Query.Sort]
	descending = p.Query.Sort == analysis.LargestFirst || p.Query.Sort == analysis.OldestFirst
	if p.Lives && col == blockAge && p.Query.Sort != analysis.ShortestFirst || p.Uses != 0 {
		col, descending = blockBorn, p.Query.Sort == analysis.NewestFirst && p.Uses == 0
	}
	return col, descending != p.Up
}

// orders are those that s goes through.
func (p *BlockPane) orders() []analysis.BlockOrder {
	list := []analysis.BlockOrder{analysis.LargestFirst, analysis.OldestFirst, analysis.NewestFirst, analysis.LowestFirst}
	if p.Lives {
		list = append(list, analysis.ShortestFirst)
	}
	return list
}

// nextOrder is the order n further on.
func (p *BlockPane) nextOrder(n int) analysis.BlockOrder {
	list := p.orders()
	at := max(slices.Index(list, p.Query.Sort), 0)
	return list[(at+n+len(list))%len(list)]
}

// Do carries out an action while the list is open.
func (p *BlockPane) Do(a keymap.Action) bool {
	switch a {
	case keymap.Back:
		p.Open = false
	case keymap.Open: // there is nothing further in
	case keymap.Sort, keymap.ColumnRight:
		p.sortBy(p.nextOrder(1))
	case keymap.ColumnLeft:
		p.sortBy(p.nextOrder(-1))
	case keymap.SortReverse:
		p.Up = !p.Up
		p.List.Home()
	default:
		if !MoveList(&p.List, a) {
			return false
		}
	}
	p.Changed()
	return true
}

func (p *BlockPane) sortBy(o analysis.BlockOrder) {
	if p.Uses != 0 {
		p.Say("the uses of an address are listed in their order; S reverses it")
		return
	}
	p.Up = p.Query.Sort == o && !p.Up
	p.Query.Sort = o
	p.List.Home()
	p.Changed()
}

// Click selects a block, or sorts by what stands in the header.
func (p *BlockPane) Click(x, y int) {
	if row, ok := p.List.HitRow(x, y); ok {
		p.List.Select(row)
		p.Changed()
		return
	}
	switch col, ok := p.List.HitHeader(x, y); {
	case !ok:
	case col == BlockSize:
		p.sortBy(analysis.LargestFirst)
	case col == blockAge && p.Lives:
		p.sortBy(analysis.ShortestFirst)
	case col == blockAge, col == blockBorn:
		p.sortBy(analysis.OldestFirst)
	case col == blockAddr:
		p.sortBy(analysis.LowestFirst)
	}
}

// CopyText is the selected block and its stack.
func (p *BlockPane) CopyText() string {
	i, ok := p.List.Selected()
	b, have := p.Row(i)
	if !ok || !have {
		return ""
	}
	return fmt.Sprintf("%s at %s, thread %d: %s\n%s", model.Bytes(b.Size).Exact(), AddressText(b.Addr), b.Thread,
		fateText(&b), p.detail.Text())
}

// died reports whether a block ended before an instant.
func died(b *analysis.Block, before model.Time) bool {
	return b.Died != model.NoTime && b.Died < before
}
