package views

import (
	"context"
	"fmt"
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// blockPane lists single blocks: in place of a table, as long as it is open, and on a screen of their own.
type blockPane struct {
	*env
	open  bool
	name  string // of the group whose blocks they are
	what  string // which of them ("live at 61.0 ms")
	empty []string
	until model.Time // the instant that ages count to
	state State

	query   analysis.BlockQuery
	uses    uint64     // instead of the query: all blocks that ever held this address; 0 for none
	gone    model.Time // only blocks that ended before, 0 for all
	filter  string
	heading string // in place of the usual title, "" for that
	up      bool   // the order is reversed
	lives   bool   // ages are lifetimes: of blocks that may have ended
	blocks  *lazy[blockKey, *blockTable]
	near    *lazy[nearKey, []analysis.Block]
	list    widget.List
	detail  detail
	labels  *siteLabels
}

// nearKey determines the rows that are read ahead of drawing: rows from … from+count of a list.
type nearKey struct {
	list        *blockTable
	up          bool
	from, count int
}

// The columns of the list.
const (
	blockSize = iota
	blockAge
	blockBorn
	blockDied
	blockThread
	blockAddr
	blockSite
)

func newBlockPane(e *env) blockPane {
	return blockPane{
		env: e, labels: &siteLabels{},
		blocks: newLazy(e, func(ctx context.Context, k blockKey) (*blockTable, error) { return fetchBlocks(ctx, e.trace, k) }),
		near: newLazy(e, func(_ context.Context, k nearKey) ([]analysis.Block, error) {
			rows := make([]analysis.Block, 0, k.count)
			for i := k.from; i < min(k.from+k.count, k.list.Len()); i++ {
				rows = append(rows, k.list.row(i, k.up))
			}
			return rows, nil
		}),
	}
}

// start opens the list for a group, largest blocks first.
func (p *blockPane) start(name string, q analysis.BlockQuery) {
	empty := p.empty
	*p = newBlockPane(p.env) // nothing of another group may be seen
	p.open, p.name, p.query, p.empty = true, name, q, empty
	p.list = widget.List{Table: p, SortColumn: blockSize, Descending: true, Column: -1}
	p.changed()
	p.say("Esc goes back to the table; s sorts by size, age, newest or address")
}

// show asks for the blocks of a query that follows the state: what is of it, and until when they live.
func (p *blockPane) show(s *State, q analysis.BlockQuery, what string, until model.Time) {
	q.Sort, q.By, q.Key = p.query.Sort, p.query.By, p.query.Key
	p.state, p.query, p.what, p.until = *s, q, what, until
	p.ask()
}

// ask asks for the list, and for the rows of it that are visible.
func (p *blockPane) ask() {
	s := &p.state
	key := blockKey{revision: s.Status.Revision, BlockQuery: p.query, uses: p.uses, gone: p.gone}
	if p.filter != "" {
		key.filter, key.stacks, key.labels, key.until, key.full = p.filter, s.stacks(), p.labels, p.until, s.FullName
	}
	p.blocks.ask(key)
	p.list.Refresh()
	if list, ok := p.blocks.get(); ok {
		const page = 256 // rows read at once, at least what two screens show
		from := p.list.Offset() / (page / 2) * (page / 2)
		p.near.ask(nearKey{list, p.up, from, page})
	}
	p.explain()
}

// Len implements widget.Table.
func (p *blockPane) Len() int {
	if list, ok := p.blocks.get(); ok {
		return list.Len()
	}
	return 0
}

// ID implements widget.Table: rows are known by their position.
func (p *blockPane) ID(row int) uint64 { return uint64(row) }

// row returns a block that was read ahead.
func (p *blockPane) row(i int) (analysis.Block, bool) {
	rows, _ := p.near.get()
	if from := p.near.key.from; p.near.fresh() && i >= from && i < from+len(rows) {
		return rows[i-from], true
	}
	return analysis.Block{}, false
}

// Cell implements widget.Table.
func (p *blockPane) Cell(row, col int) widget.Cell {
	b, ok := p.row(row)
	if !ok {
		return widget.Cell{Text: p.look.Glyphs.Ellipsis, Style: p.look.Muted}
	}
	switch col {
	case blockSize:
		return widget.Cell{Text: figures{p.state.Exact, true}.bytes(b.Size)}
	case blockAge:
		return widget.Cell{Text: p.time(p.age(&b))}
	case blockBorn:
		return widget.Cell{Text: p.time(b.Born)}
	case blockDied:
		if b.Died == model.NoTime {
			return widget.Cell{Text: "never", Style: p.look.Muted}
		}
		return widget.Cell{Text: p.time(b.Died)}
	case blockThread:
		return widget.Cell{Text: fmt.Sprint(b.Thread)}
	case blockAddr:
		return widget.Cell{Text: addressText(b.Addr), Style: p.look.Muted}
	}
	return widget.Cell{Text: p.site(&b)}
}

// age is how long a block has lived at the instant of the list, or had lived when it ended before.
func (p *blockPane) age(b *analysis.Block) model.Time { return ageAt(b, p.until) }

// time is a time as the state wants numbers.
func (p *blockPane) time(t model.Time) string {
	if p.state.Exact && t >= 0 {
		return model.Group(uint64(t)) + " µs"
	}
	return t.String()
}

func addressText(addr uint64) string {
	if addr == 0 {
		return "unknown"
	}
	return fmt.Sprintf("0x%x", addr)
}

// site names the stack of a block.
func (p *blockPane) site(b *analysis.Block) string {
	return blockSiteName(p.state.stacks(), p.labels, b.Stack, p.state.FullName)
}

// explain fills the detail pane from the selected block.
func (p *blockPane) explain() {
	i, ok := p.list.Selected()
	b, have := p.row(i)
	if !ok || !have {
		p.detail = detail{}
		return
	}
	leaf, _ := p.state.stacks().Node(b.Stack)
	p.detail.setStack(p.state.stacks(), b.Stack, leaf, p.state.FullName)
	p.detail.title = "Block " + addressText(b.Addr)
	p.detail.answer = model.Bytes(b.Size).Exact() + " · thread " + fmt.Sprint(b.Thread)
	p.detail.facts = []string{fateText(&b)}
	if b.Addr == 0 {
		p.detail.facts = append(p.detail.facts, "the file has no address for it, so that no free can ever match it")
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

// draw shows the list and the selected block in r.
func (p *blockPane) draw(s tcell.Screen, r widget.Rect) {
	title, body := r.CutTop(1)
	widget.TitleLine(s, title, p.look, p.title(), p.answer())
	f := figures{p.state.Exact, true}
	const right = widget.Right
	tw := 9
	if p.state.Exact {
		tw = len(p.time(p.state.Status.Duration))
	}
	site := widget.Column{Title: "SITE", Width: 12, Grow: 1, Drop: 1, Cut: widget.CutScope}
	if p.query.By == analysis.ByStack && !p.query.All { // it would be the same in every row
		hide(&site)
	}
	p.list.Columns = []widget.Column{
		blockSize: {Title: "SIZE", Width: f.bytesWidth(1 << 40), Align: right}, blockAge: {Title: "AGE", Width: tw, Align: right},
		blockBorn: {Title: "BORN", Width: tw, Align: right, Drop: 3}, blockDied: {Title: "FREED", Width: tw, Align: right, Drop: 4},
		blockThread: {Title: "THREAD", Width: 6, Align: right, Drop: 5}, blockAddr: {Title: "ADDRESS", Width: 14, Drop: 2},
		blockSite: site,
	}
	if p.lives {
		p.list.Columns[blockAge].Title = "LIVED"
	}
	p.list.Empty = p.empty
	if !p.blocks.fresh() {
		p.list.Empty = []string{"Looking for blocks…"}
	}
	if why := unanswered(p.blocks); why != nil {
		p.list.Empty = why
	}
	list, detail := body, widget.Rect{}
	if n := p.list.Len(); n > 0 && body.H >= lowHeight-1 {
		list, detail = body.CutBottom(detailHeight(body.H, n))
	}
	if body.W >= sideWidth && detail.H > 0 {
		list, detail = body.CutRight(min(max(body.W*7/20, 56), 90))
		for y := range detail.H {
			s.Put(detail.X, detail.Y+y, p.look.Glyphs.Vertical, p.look.Rule)
		}
		_, detail = detail.CutLeft(1)
	}
	p.list.Focused = true
	p.list.SortColumn, p.list.Descending = p.sortColumn()
	p.list.Draw(s, list, p.look)
	p.detail.draw(s, detail, p.look, false)
}

func (p *blockPane) title() string {
	t := "Blocks of " + p.name
	if p.name == "" {
		t = "Blocks"
	}
	if p.heading != "" {
		t = p.heading
	}
	if p.uses != 0 {
		t = "Uses of " + addressText(p.uses)
	}
	if p.query.Addr != 0 && p.uses == 0 {
		t += " that hold " + addressText(p.query.Addr)
	}
	if p.filter != "" {
		t += " · filter “" + p.filter + "”"
	}
	return t
}

func (p *blockPane) answer() string {
	list, ok := p.blocks.get()
	if !ok || !p.blocks.fresh() {
		return ""
	}
	return list.count() + " " + p.what + ", " + figures{p.state.Exact, true}.bytes(list.bytes) + " · " + p.orderText() + " first"
}

// orderText is what comes first.
func (p *blockPane) orderText() string {
	words := [...][2]string{{"largest", "smallest"}, {"oldest", "newest"}, {"newest", "oldest"}, {"lowest address", "highest address"},
		{"shortest-lived", "longest-lived"}}[p.query.Sort]
	if p.uses != 0 {
		words = [2]string{"earliest", "latest"}
	}
	if p.up {
		return words[1]
	}
	return words[0]
}

// sortColumn is the column that sorts, and its direction.
func (p *blockPane) sortColumn() (col int, descending bool) {
	col = [...]int{blockSize, blockAge, blockAge, blockAddr, blockAge}[p.query.Sort]
	descending = p.query.Sort == analysis.LargestFirst || p.query.Sort == analysis.OldestFirst
	if p.lives && col == blockAge && p.query.Sort != analysis.ShortestFirst || p.uses != 0 {
		col, descending = blockBorn, p.query.Sort == analysis.NewestFirst && p.uses == 0
	}
	return col, descending != p.up
}

// orders are those that s goes through.
func (p *blockPane) orders() []analysis.BlockOrder {
	list := []analysis.BlockOrder{analysis.LargestFirst, analysis.OldestFirst, analysis.NewestFirst, analysis.LowestFirst}
	if p.lives {
		list = append(list, analysis.ShortestFirst)
	}
	return list
}

// nextOrder is the order n further on.
func (p *blockPane) nextOrder(n int) analysis.BlockOrder {
	list := p.orders()
	at := max(slices.Index(list, p.query.Sort), 0)
	return list[(at+n+len(list))%len(list)]
}

// do carries out an action while the list is open.
func (p *blockPane) do(a keymap.Action) bool {
	switch a {
	case keymap.Back:
		p.open = false
	case keymap.Open: // there is nothing further in
	case keymap.Sort, keymap.ColumnRight:
		p.sortBy(p.nextOrder(1))
	case keymap.ColumnLeft:
		p.sortBy(p.nextOrder(-1))
	case keymap.SortReverse:
		p.up = !p.up
		p.list.Home()
	default:
		if !moveList(&p.list, a) {
			return false
		}
	}
	p.changed()
	return true
}

func (p *blockPane) sortBy(o analysis.BlockOrder) {
	if p.uses != 0 {
		p.say("the uses of an address are listed in their order; S reverses it")
		return
	}
	p.up = p.query.Sort == o && !p.up
	p.query.Sort = o
	p.list.Home()
	p.changed()
}

// click selects a block, or sorts by what stands in the header.
func (p *blockPane) click(x, y int) {
	if row, ok := p.list.HitRow(x, y); ok {
		p.list.Select(row)
		p.changed()
		return
	}
	switch col, ok := p.list.HitHeader(x, y); {
	case !ok:
	case col == blockSize:
		p.sortBy(analysis.LargestFirst)
	case col == blockAge && p.lives:
		p.sortBy(analysis.ShortestFirst)
	case col == blockAge, col == blockBorn:
		p.sortBy(analysis.OldestFirst)
	case col == blockAddr:
		p.sortBy(analysis.LowestFirst)
	}
}

// copyText is the selected block and its stack.
func (p *blockPane) copyText() string {
	i, ok := p.list.Selected()
	b, have := p.row(i)
	if !ok || !have {
		return ""
	}
	return fmt.Sprintf("%s at %s, thread %d: %s\n%s", model.Bytes(b.Size).Exact(), addressText(b.Addr), b.Thread,
		fateText(&b), p.detail.text())
}
