package views

import (
	"strconv"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// blockScreen lists single blocks of all sites: those that live at the instant, those allocated in the range, or all that
// ever held an address.
type blockScreen struct {
	pane
	blocks blockPane
	mode   blockMode
	addr   uint64 // searched, 0 for none
}

// blockMode says which blocks are listed.
type blockMode uint8

const (
	blocksUsual blockMode = iota // of the range or the lifetime where there is one, else live ones
	blocksLive
	blocksBorn
)

func newBlocks(e *env) *blockScreen {
	p := &blockScreen{pane: newPane(e), blocks: newBlockPane(e)}
	p.blocks.list = widget.List{Table: &p.blocks, SortColumn: blockSize, Descending: true, Column: -1}
	return p
}

func (p *blockScreen) name() string          { return "Blocks" }
func (p *blockScreen) action() keymap.Action { return keymap.ShowBlocks }
func (p *blockScreen) needs() model.Facet    { return model.FacetAllocations }
func (p *blockScreen) scopes() []keymap.Scope {
	if p.blocks.uses != 0 {
		return []keymap.Scope{keymap.ScopeBlocks, keymap.ScopeBlockTable, keymap.ScopeTable}
	}
	return []keymap.Scope{keymap.ScopeBlockTable, keymap.ScopeTable}
}
func (p *blockScreen) narrows() bool { return p.blocks.uses == 0 }
func (p *blockScreen) follows() string {
	if p.blocks.uses != 0 {
		return "all stacks here"
	}
	return ""
}

func (p *blockScreen) about() string {
	switch {
	case p.blocks.uses != 0:
		return "uses of an address"
	case p.born():
		return "allocated"
	}
	return "live"
}

func (p *blockScreen) command() []string {
	if p.born() {
		return []string{"-f", "csv", "--table", "born_blocks"}
	}
	return []string{"-f", "csv", "--table", "blocks"}
}

// born reports whether blocks of the range are listed instead of live ones.
func (p *blockScreen) born() bool {
	s := &p.state
	ended := !s.Cell.IsAll() && s.Cell.LifeFrom != analysis.NeverFreed // few of them live at any one instant
	return p.mode == blocksBorn || p.mode == blocksUsual && (!s.Range.IsWhole() || ended)
}

func (p *blockScreen) show(s *State) {
	p.state = *s
	if p.trace == nil {
		return
	}
	q := analysis.BlockQuery{All: true, Addr: p.addr, Cell: s.only()}
	what, until := "live "+atText(s), s.Now()
	if s.Status.Unfreed {
		what = "live at most " + atText(s)
	}
	p.blocks.lives = p.born() || p.blocks.uses != 0
	p.blocks.filter = s.Filter
	switch {
	case p.blocks.uses != 0: // nothing but what is loaded matters
		q, what, until, p.blocks.filter = analysis.BlockQuery{}, "in the whole run", s.Status.Duration, ""
	case p.born():
		q.Born, q.Range, what, until = true, s.Range, "allocated in the range", s.Status.Duration
		if s.Range.IsWhole() {
			what = "allocated in the run"
		}
	default:
		q.At = s.At
	}
	if p.blocks.query.Sort == analysis.ShortestFirst && !p.blocks.lives {
		p.blocks.query.Sort = analysis.OldestFirst
	}
	p.blocks.empty = p.emptyText()
	p.blocks.query.By, p.blocks.query.Key = analysis.ByStack, 0
	p.blocks.show(s, q, what, until)
}

// emptyText says why nothing is listed, and what to do.
func (p *blockScreen) emptyText() []string {
	switch s := &p.state; {
	case p.blocks.uses != 0:
		return []string{"No block of this run ever held " + addressText(p.blocks.uses) + ".", "Esc goes back."}
	case p.addr != 0 && p.born():
		return []string{"No block allocated in the range holds " + addressText(p.addr) + ".", "Enter lists all that ever did; Esc forgets the address."}
	case p.addr != 0:
		return []string{"No block that lives " + atText(s) + " holds " + addressText(p.addr) + ".", "Enter lists all that ever did; Esc forgets the address."}
	case s.Filter != "":
		return []string{"No block passes the filter “" + s.Filter + "”.", "Esc forgets the filter, / changes it."}
	case !s.Cell.IsAll() && !p.born():
		return append(noneInCell(s.Cell), "o lists all that were allocated, p goes to the peak.")
	case !s.Cell.IsAll():
		return noneInCell(s.Cell)
	case p.born() && s.Range.IsWhole():
		return []string{"Nothing was allocated.", "Problems says what was found in this file."}
	case p.born():
		return []string{"Nothing was allocated in the range.", "u forgets the range, o lists what lives " + atText(s) + "."}
	case !s.settled():
		return []string{"Reading: nothing lives so far."}
	}
	return []string{"Nothing lives " + atText(&p.state) + ".", "p goes to the peak; o lists all blocks that were allocated."}
}

// Draw implements tview.Primitive.
func (p *blockScreen) Draw(s tcell.Screen) {
	p.blocks.list.Highlight = filterWord(p.blocks.filter)
	p.blocks.draw(s, p.rect())
	if l := &p.blocks.list; l.Len() > 0 { // other rows may be visible than were asked for
		if at := p.blocks.near.key; l.Offset() < at.from || l.Offset()+l.Height() > at.from+at.count {
			p.changed()
			p.post(func() {})
		}
	}
}

// do implements screen.
func (p *blockScreen) do(a keymap.Action) bool {
	switch a {
	case keymap.Back:
		return p.back()
	case keymap.Open:
		p.openUses()
	case keymap.Only:
		if p.blocks.uses != 0 {
			p.say("all uses of the address are listed; Esc goes back")
			return true
		}
		if p.born() {
			p.mode = blocksLive
		} else {
			p.mode = blocksBorn
		}
		p.blocks.list.Home()
		p.changed()
	case keymap.Group:
		p.say("blocks are not grouped: 3 shows them by site, b there by function, file, module, thread, size")
	default:
		return p.blocks.do(a)
	}
	return true
}

// back takes back the list of uses, then the address.
func (p *blockScreen) back() bool {
	switch {
	case p.blocks.uses != 0:
		p.blocks.uses = 0
		p.blocks.up = false
	case p.addr != 0:
		p.addr = 0
	default:
		return false
	}
	p.blocks.list.Home()
	p.changed()
	return true
}

// openUses lists all uses of the selected block's address, or of the address that was searched.
func (p *blockScreen) openUses() {
	if p.blocks.uses != 0 {
		return
	}
	addr := p.addr
	if i, ok := p.blocks.list.Selected(); ok && addr == 0 {
		b, have := p.blocks.row(i)
		if have && b.Addr == 0 {
			p.say("the file has no address for this block")
			return
		}
		addr = b.Addr
	}
	if addr == 0 {
		return
	}
	p.blocks.uses, p.blocks.up = addr, false
	p.blocks.list.Home()
	p.changed()
}

// searchText and search implement addressFinder.
func (p *blockScreen) searchText() string {
	if p.addr != 0 {
		return addressText(p.addr)
	}
	return p.state.Filter
}

func (p *blockScreen) search(text string) {
	p.blocks.uses, p.addr = 0, 0
	if addr, ok := parseAddress(text); ok {
		p.addr, text = addr, ""
	}
	p.emit(setFilter{text})
}

// parseAddress reads an address in hexadecimal; "0x" must be before it.
func parseAddress(text string) (addr uint64, ok bool) {
	digits, ok := strings.CutPrefix(strings.ToLower(strings.TrimSpace(text)), "0x")
	addr, err := strconv.ParseUint(digits, 16, 64)
	return addr, ok && err == nil && addr != 0
}

// click implements clicker: a double click lists the uses of the block's address.
func (p *blockScreen) click(x, y int, double bool) {
	p.blocks.click(x, y)
	if _, ok := p.blocks.list.HitRow(x, y); ok && double {
		p.openUses()
	}
}

func (p *blockScreen) drag(_, _, _, _ int, _ bool) {}
func (p *blockScreen) wheel(_, _, rows int)        { p.blocks.list.Scroll(rows); p.changed() }
func (p *blockScreen) copyText() string            { return p.blocks.copyText() }
