package views

import (
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// comparedBlocks says what a difference of blocks lists.
type comparedBlocks uint8

const (
	blocksNew   comparedBlocks = iota // live after and not before
	blocksGone                        // live before and not after
	blocksSizes                       // size classes of what is live, all that there is between two files
	comparedBlocksCount
)

// compareBlocks stands for Blocks while the difference is shown: the blocks that came and those that went between two instants of one
// file. Those of two files are not the same by anything, so that only their sizes can be compared.
type compareBlocks struct {
	*compareScreen
	blocks blockPane
	mode   comparedBlocks
}

func newCompareBlocks(e *env, of screen) *compareBlocks {
	p := &compareBlocks{compareScreen: newCompareScreen(e, of, compareSites, false, false), blocks: newBlockPane(e)}
	p.own, p.live, p.mine = true, true, analysis.BySizeClass
	p.blocks.list = widget.List{Table: &p.blocks, SortColumn: blockSize, Descending: true, Column: -1}
	return p
}

func (p *compareBlocks) about() string {
	if !p.listed() {
		return "difference by size"
	}
	return [...]string{"new ones", "gone ones"}[p.mode]
}

// listed reports whether single blocks are listed.
func (p *compareBlocks) listed() bool {
	m := p.state.moments(p.second != nil, p.timeMap(&p.state))
	return p.mode != blocksSizes && !m[sideA].other && !m[sideB].other && p.trace != nil
}

func (p *compareBlocks) scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeDifference, keymap.ScopeBlockTable, keymap.ScopeTable}
}

func (p *compareBlocks) show(s *State) {
	p.compareScreen.show(s)
	if !p.listed() {
		return
	}
	m := s.moments(p.second != nil, p.timeMap(s))
	from, to := m[sideA].at, m[sideB].at
	letters := [2]string{"A", "B"}
	forth := !s.Compare.Swapped // what came after the earlier instant is new
	if from.T > to.T {
		from, to, forth = to, from, !forth
		letters = [2]string{"B", "A"}
	}
	q, what := analysis.BlockQuery{All: true, Cell: s.only()}, ""
	p.blocks.gone = 0
	if came := (p.mode == blocksNew) == forth; came {
		q.Leaked, q.Range = true, analysis.Range{From: from.T, To: to.T}
		what = fmt.Sprintf("born after %s and live at %s", letters[0], letters[1])
	} else {
		q.At, p.blocks.gone = from, min(to.T, s.Status.Duration)+1
		what = fmt.Sprintf("live at %s and freed by %s", letters[0], letters[1])
	}
	p.blocks.heading = capital([...]string{"new", "gone"}[p.mode]) + " blocks"
	p.blocks.lives, p.blocks.filter = true, s.Filter
	p.blocks.empty = []string{"No block was " + what + ".", "o shows the other ones, and sizes; A and B mark other moments."}
	if s.Filter != "" {
		p.blocks.empty = []string{"No block passes the filter “" + s.Filter + "”.", "Esc forgets the filter, / changes it."}
	}
	p.blocks.query.By, p.blocks.query.Key = analysis.ByStack, 0
	p.blocks.show(s, q, what, min(to.T, s.Status.Duration))
}

// Draw implements tview.Primitive.
func (p *compareBlocks) Draw(s tcell.Screen) {
	if !p.listed() {
		p.compareScreen.Draw(s)
		return
	}
	r := p.drawCompareHead(s, p.rect(), &p.state, p.set)
	p.blocks.list.Highlight = filterWord(p.blocks.filter)
	p.blocks.draw(s, r)
	if l := &p.blocks.list; l.Len() > 0 { // other rows may be visible than were asked for
		if at := p.blocks.near.key; l.Offset() < at.from || l.Offset()+l.Height() > at.from+at.count {
			p.changed()
			p.post(func() {})
		}
	}
}

func (p *compareBlocks) do(a keymap.Action) bool {
	switch {
	case a == keymap.Only || a == keymap.Group:
		if p.second != nil {
			p.say("blocks of two files are not the same by anything: only their sizes are compared")
			return true
		}
		p.mode = (p.mode + 1) % comparedBlocksCount
		p.blocks.list.Home()
		p.changed()
	case a == keymap.Open:
		p.say("d ends the difference; Enter lists the uses of an address there")
	case a == keymap.Cost:
		return false
	case !p.listed():
		return p.compareScreen.do(a)
	case a == keymap.Back:
		return false
	default:
		return p.blocks.do(a)
	}
	return true
}

func (p *compareBlocks) click(x, y int, double bool) {
	if p.listed() {
		p.blocks.click(x, y)
		return
	}
	p.compareScreen.click(x, y, double)
}

func (p *compareBlocks) wheel(x, y, rows int) {
	if p.listed() {
		p.blocks.list.Scroll(rows)
		p.changed()
		return
	}
	p.compareScreen.wheel(x, y, rows)
}

func (p *compareBlocks) copyText() string {
	if p.listed() {
		return p.blocks.copyText()
	}
	return p.compareScreen.copyText()
}

func (p *compareBlocks) useless(a keymap.Action) bool {
	if p.listed() && (a == keymap.Changes || a == keymap.Normalise) {
		return true
	}
	return a == keymap.Open || a == keymap.Group || p.compareScreen.useless(a)
}

// died reports whether a block ended before an instant.
func died(b *analysis.Block, before model.Time) bool {
	return b.Died != model.NoTime && b.Died < before
}
