package trace

import (
	"strconv"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// BlockScreen lists single blocks of all sites: those live at the instant, those allocated in the range, or all that
// ever had an address.
type BlockScreen struct {
	ui.Pane
	Blocks ui.BlockPane
	mode   blockMode
	addr   uint64 // searched, 0 for none
}

// blockMode selects the blocks that are listed.
type blockMode uint8

const (
	blocksUsual blockMode = iota // of the range or the lifetime where there is one, else live ones
	blocksLive
	blocksBorn
)

// NewBlocks returns the screen of single blocks.
func NewBlocks(e *ui.Env) *BlockScreen {
	p := &BlockScreen{Pane: ui.NewPane(e), Blocks: ui.NewBlockPane(e)}
	p.Blocks.Parts = blockEvidence(e)
	return p
}

func (p *BlockScreen) Name() string { return "Blocks" }

func (p *BlockScreen) Action() keymap.Action { return keymap.ShowBlocks }

func (p *BlockScreen) Needs() model.Facet { return model.FacetAllocations }

func (p *BlockScreen) Scopes() []keymap.Scope {
	if p.Blocks.Uses != 0 {
		return []keymap.Scope{keymap.ScopeBlocks, keymap.ScopeBlockTable, keymap.ScopeTable}
	}
	return []keymap.Scope{keymap.ScopeBlockTable, keymap.ScopeTable}
}

func (p *BlockScreen) Narrows() bool { return p.Blocks.Uses == 0 }

func (p *BlockScreen) Follows() string {
	if p.Blocks.Uses != 0 {
		return "filters not applied"
	}
	return ""
}

func (p *BlockScreen) About() string {
	switch {
	case p.Blocks.Uses != 0:
		return "uses of an address"
	case p.born():
		return "allocated"
	}
	return "live"
}

func (p *BlockScreen) Command() []string {
	q := state.Question{Format: "csv", Table: "blocks"}
	if p.born() {
		q.Table = "born_blocks"
	}
	q.By, q.Filter = p.Blocks.OrderKey(), p.Blocks.RowFilter(p.State.Filter)
	return q.Args()
}

// Unprinted implements [ui.Unprinted].
func (p *BlockScreen) Unprinted() string {
	if p.Blocks.Uses != 0 || p.addr != 0 {
		return p.Hint("{back} goes back to the blocks of all addresses, which report lists")
	}
	return ""
}

// born reports whether blocks of the range are listed instead of live ones.
func (p *BlockScreen) born() bool {
	s := &p.State
	ended := !s.Cell.IsAll() && s.Cell.LifeFrom != analysis.NeverFreed // few of them are live at any one instant
	return p.mode == blocksBorn || p.mode == blocksUsual && (!s.Range.IsFull() || ended)
}

func (p *BlockScreen) Show(s *state.State) {
	p.State = *s
	if p.Trace == nil {
		return
	}
	q := analysis.BlockQuery{All: true, Addr: p.addr, Cell: s.Only()}
	what, until := "live "+atText(s), s.Now()
	if s.Status.Unfreed {
		what = "live at most " + atText(s)
	}
	p.Blocks.Lives = p.born() || p.Blocks.Uses != 0
	p.Blocks.Filter = s.Filter
	switch {
	case p.Blocks.Uses != 0: // independent of the instant
		q, what, until, p.Blocks.Filter = analysis.BlockQuery{}, "in the whole run", s.Status.Duration, ""
	case p.born():
		q.Born, q.Range, what, until = true, s.Range, "allocated in the range", s.Status.Duration
		if s.Range.IsFull() {
			what = "allocated in the run"
		}
	default:
		q.At = s.At
	}
	if p.Blocks.Query.Sort == analysis.ShortestFirst && !p.Blocks.Lives {
		p.Blocks.Query.Sort = analysis.OldestFirst
	}
	p.Blocks.Empty = p.emptyText()
	p.Blocks.Query.By, p.Blocks.Query.Key = analysis.ByStack, 0
	p.Blocks.Show(s, q, what, until)
}

// emptyText returns why nothing is listed, and what to do.
func (p *BlockScreen) emptyText() []string {
	switch s := &p.State; {
	case p.Blocks.Uses != 0:
		return []string{"No block of this run ever had the address " + ui.AddressText(p.Blocks.Uses) + ".", p.Hint("{back} goes back.")}
	case p.addr != 0 && p.born():
		return []string{"No block allocated in the range holds " + ui.AddressText(p.addr) + ".",
			p.Hint("{open} lists all that ever did; {back} clears the address.")}
	case p.addr != 0:
		return []string{"No block that is live " + atText(s) + " holds " + ui.AddressText(p.addr) + ".",
			p.Hint("{open} lists all that ever did; {back} clears the address.")}
	case s.Filter != "":
		return []string{"No matches for “" + s.Filter + "”.", p.FilterHint()}
	case !s.Cell.IsAll() && !p.born():
		return append(p.NoneInCell(s.Cell), p.Hint("{block-table.only} lists all that were allocated, {peak} goes to the peak."))
	case !s.Cell.IsAll():
		return p.NoneInCell(s.Cell)
	case p.born() && s.Range.IsFull():
		return []string{"Nothing was allocated.", "Problems lists what was found in this file."}
	case p.born():
		return []string{"Nothing was allocated in the range.",
			p.Hint("{clear-range} clears the range, {block-table.only} lists what is live ") + atText(s) + "."}
	case !s.Settled():
		return []string{"Reading: nothing is live so far."}
	}
	return []string{"Nothing is live " + atText(&p.State) + ".",
		p.Hint("{peak} goes to the peak; {block-table.only} lists all blocks that were allocated.")}
}

// Draw implements tview.Primitive.
func (p *BlockScreen) Draw(s tcell.Screen) {
	p.Blocks.Draw(s, p.Rect())
	if l := &p.Blocks.List; l.Len() > 0 { // rows that were not requested may be visible
		if at := p.Blocks.Near.Key; l.Offset() < at.From || l.Offset()+l.Height() > at.From+at.Count {
			p.Changed()
			p.Post(func() {})
		}
	}
}

// Do carries out an action, or returns false if the screen has no such action.
func (p *BlockScreen) Do(a keymap.Action) bool {
	switch a {
	case keymap.Back:
		return p.Blocks.Leave() || p.back()
	case keymap.Open:
		p.openUses()
	case keymap.Only:
		if p.Blocks.Uses != 0 {
			p.Say(p.Hint("all uses of the address are listed; {back} goes back"))
			return true
		}
		if p.born() {
			p.mode = blocksLive
		} else {
			p.mode = blocksBorn
		}
		p.Blocks.List.Home()
		p.Changed()
	case keymap.Group:
		p.Say(p.Hint("blocks are not grouped: {sites} shows them by site, {group} there by owner, function, file, module, thread, size"))
	default:
		return p.Blocks.Do(a)
	}
	return true
}

// back closes the list of uses, then clears the address.
func (p *BlockScreen) back() bool {
	switch {
	case p.Blocks.Uses != 0:
		p.Blocks.Uses = 0
		p.Blocks.Up = false
	case p.addr != 0:
		p.addr = 0
	default:
		return false
	}
	p.Blocks.List.Home()
	p.Changed()
	return true
}

// FocusedList implements [ui.Lister].
func (p *BlockScreen) FocusedList() *widget.List { return p.Blocks.FocusedList() }

// Hides implements [ui.Maximizer].
func (p *BlockScreen) Hides() string { return p.Blocks.Hides() }

// Unopened implements [ui.Unopener].
func (p *BlockScreen) Unopened() string {
	switch {
	case p.Blocks.Uses != 0:
		return "all uses are listed"
	case p.State.Invented():
		return noAddresses
	}
	if i, ok := p.Blocks.List.Selected(); ok && p.addr == 0 {
		if b, have := p.Blocks.Row(i); have && b.Addr == 0 {
			return "the file has no address for this block"
		}
	}
	return ""
}

// noAddresses is the reason why nothing can be found by address.
const noAddresses = "the file has no addresses"

// openUses lists all uses of the selected block's address, or of the address that was searched.
func (p *BlockScreen) openUses() {
	if why := p.Unopened(); why != "" {
		p.Say(why)
		return
	}
	addr := p.addr
	if i, ok := p.Blocks.List.Selected(); ok && addr == 0 {
		b, _ := p.Blocks.Row(i)
		addr = b.Addr
	}
	if addr == 0 {
		return
	}
	p.Blocks.Uses, p.Blocks.Up = addr, false
	p.Blocks.List.Home()
	p.Changed()
}

// SearchHint implements [ui.Hinter]. An address can be typed instead of a filter.
func (p *BlockScreen) SearchHint() string {
	if p.State.Invented() {
		return "text, size>1M, age>2s"
	}
	return "text, size>1M, age>2s, or an address: 0x7f…"
}

// SearchText and Search implement [ui.Searcher].
func (p *BlockScreen) SearchText() string {
	if p.addr != 0 {
		return ui.AddressText(p.addr)
	}
	return p.State.Filter
}

func (p *BlockScreen) Search(text string) {
	p.Blocks.Uses, p.addr = 0, 0
	if addr, ok := parseAddress(text); ok {
		if p.State.Invented() {
			p.Say(noAddresses)
			return
		}
		p.addr, text = addr, ""
	}
	p.Emit(state.SetFilter{Text: text})
}

// parseAddress parses a hexadecimal address with the prefix "0x".
func parseAddress(text string) (addr uint64, ok bool) {
	digits, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(text)), "0x")
	addr, err := strconv.ParseUint(digits, 16, 64)
	return addr, ok && err == nil && addr != 0
}

// Click implements clicker: a double click lists the uses of the block's address.
func (p *BlockScreen) Click(x, y int, double bool) {
	p.Blocks.Click(x, y)
	if _, ok := p.Blocks.List.HitRow(x, y); ok && double {
		p.openUses()
	}
}

func (p *BlockScreen) Drag(_, _, _, _ int, _ bool) {}

func (p *BlockScreen) Wheel(x, y, rows int) { p.Blocks.Wheel(x, y, rows) }

// Fields implements [ui.Filtered].
func (p *BlockScreen) Fields() []analysis.Field { return p.Blocks.Fields() }

func (p *BlockScreen) CopyText() string { return p.Blocks.CopyText() }

// Place implements [ui.Placer].
func (p *BlockScreen) Place() (at lines.Place, ok bool) {
	i, ok := p.Blocks.List.Selected()
	if !ok {
		return at, false
	}
	b, _ := p.Blocks.Row(i)
	return p.Blocks.Place(&p.State, b.Stack)
}

// Difference implements [ui.Differing].
func (p *BlockScreen) Difference(table func(ui.Screen, ui.DiffTable) ui.Screen) ui.Screen {
	return table(p, ui.DiffTable{Blocks: true})
}
