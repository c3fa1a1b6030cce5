package compare

import (
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// blocks selects what a difference of blocks lists.
type blocks uint8

const (
	blocksNew   blocks = iota // live after and not before
	blocksGone                // live before and not after
	blocksSizes               // size classes of live blocks; the only choice for two files
	comparedBlocksCount
)

// Blocks replaces Blocks while the difference is shown: the blocks that were added and those that were freed between
// two instants of one file. Blocks of two files cannot be matched, so only their sizes are compared.
type Blocks struct {
	*Screen
	Blocks ui.BlockPane
	mode   blocks
}

// newBlocks returns the difference of lists of blocks, which replaces a screen.
func newBlocks(e *ui.Env, of ui.Screen) *Blocks {
	by := analysis.BySizeClass
	p := &Blocks{Screen: newScreen(e, of, ui.DiffTable{Group: &by}), Blocks: ui.NewBlockPane(e)}
	p.live = true
	return p
}

func (p *Blocks) About() string {
	if !p.listed() {
		return "difference by size"
	}
	return [...]string{"new blocks", "gone blocks"}[p.mode]
}

// listed reports whether single blocks are listed.
func (p *Blocks) listed() bool {
	m := p.State.Moments(p.Second != nil, p.TimeMap(&p.State))
	return p.mode != blocksSizes && !m[state.SideA].Other && !m[state.SideB].Other && p.Trace != nil
}

// CommandLine implements [ui.Commander].
func (p *Blocks) CommandLine(file []string) []string {
	return p.DiffCommand(&p.State, file, diff.GroupSize.String(), ui.CostNamed(analysis.CostLive), true)
}

// Unprinted implements [ui.Unprinted].
func (p *Blocks) Unprinted() string {
	if !p.listed() {
		return ""
	}
	return p.Hint("{block-table.only} switches to the sizes of blocks, which diff compares")
}

func (p *Blocks) Scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeDifference, keymap.ScopeBlockTable, keymap.ScopeTable}
}

func (p *Blocks) Show(s *state.State) {
	p.Screen.Show(s)
	if !p.listed() {
		return
	}
	m := s.Moments(p.Second != nil, p.TimeMap(s))
	from, to := m[state.SideA].At, m[state.SideB].At
	letters := [2]string{"A", "B"}
	forth := !s.Compare.Swapped // blocks allocated after the earlier instant are new
	if from.T > to.T {
		from, to, forth = to, from, !forth
		letters = [2]string{"B", "A"}
	}
	q, what := analysis.BlockQuery{All: true, Cell: s.Only()}, ""
	p.Blocks.Gone = 0
	if isNew := (p.mode == blocksNew) == forth; isNew {
		q.Leaked, q.Range = true, analysis.Range{From: from.T, To: to.T}
		what = fmt.Sprintf("allocated after %s and live at %s", letters[0], letters[1])
	} else {
		q.At, p.Blocks.Gone = from, min(to.T, s.Status.Duration)+1
		what = fmt.Sprintf("live at %s and freed by %s", letters[0], letters[1])
	}
	p.Blocks.Heading = model.Capital([...]string{"new", "gone"}[p.mode]) + " blocks"
	p.Blocks.Lives, p.Blocks.Filter = true, s.Filter
	p.Blocks.Empty = []string{"No block was " + what + ".",
		p.Hint("{block-table.only} shows the other ones, and sizes; {mark-a} and {mark-b} mark other moments.")}
	if s.Filter != "" {
		p.Blocks.Empty = []string{"No matches for “" + s.Filter + "”.", p.FilterHint()}
	}
	p.Blocks.Query.By, p.Blocks.Query.Key = analysis.ByStack, 0
	p.Blocks.Show(s, q, what, min(to.T, s.Status.Duration))
}

// Draw implements tview.Primitive.
func (p *Blocks) Draw(s tcell.Screen) {
	if !p.listed() {
		p.Screen.Draw(s)
		return
	}
	r := drawCompareHead(p.Screen.table.TablePane.Pane.Env, s, p.Rect(), &p.State, p.Set)
	p.Blocks.Draw(s, r)
	if l := &p.Blocks.List; l.Len() > 0 { // rows that were not requested may be visible
		if at := p.Blocks.Near.Key; l.Offset() < at.From || l.Offset()+l.Height() > at.From+at.Count {
			p.Changed()
			p.Post(func() {})
		}
	}
}

// FocusedList implements [ui.Lister].
func (p *Blocks) FocusedList() *widget.List {
	if p.listed() {
		return p.Blocks.FocusedList()
	}
	return p.Screen.FocusedList()
}

// Hides implements [ui.Maximizer].
func (p *Blocks) Hides() string {
	if p.listed() {
		return p.Blocks.Hides()
	}
	return p.Screen.Hides()
}

// Unopened implements [ui.Unopener].
func (p *Blocks) Unopened() string {
	return p.Hint("end the difference first, with {difference}, to list uses")
}

func (p *Blocks) Do(a keymap.Action) bool {
	switch {
	case a == keymap.Only || a == keymap.Group:
		if p.Second != nil {
			p.Say("blocks of two files cannot be matched: only their sizes are compared")
			return true
		}
		p.mode = (p.mode + 1) % comparedBlocksCount
		p.Blocks.List.Home()
		p.Changed()
	case a == keymap.Open:
		p.Say(p.Unopened())
	case a == keymap.Cost:
		return false
	case !p.listed():
		return p.Screen.Do(a)
	case a == keymap.Back:
		return p.Blocks.Leave()
	default:
		return p.Blocks.Do(a)
	}
	return true
}

// Fields implements [ui.Filtered].
func (p *Blocks) Fields() []analysis.Field {
	if p.listed() {
		return p.Blocks.Fields()
	}
	return p.Screen.Fields()
}

func (p *Blocks) Click(x, y int, double bool) {
	if p.listed() {
		p.Blocks.Click(x, y)
		return
	}
	p.Screen.Click(x, y, double)
}

func (p *Blocks) Wheel(x, y, rows int) {
	if p.listed() {
		p.Blocks.Wheel(x, y, rows)
		return
	}
	p.Screen.Wheel(x, y, rows)
}

func (p *Blocks) CopyText() string {
	if p.listed() {
		return p.Blocks.CopyText()
	}
	return p.Screen.CopyText()
}

func (p *Blocks) Useless(a keymap.Action) bool {
	if p.listed() && (a == keymap.Changes || a == keymap.Normalize) {
		return true
	}
	return a == keymap.Open || a == keymap.Group || p.Screen.Useless(a)
}
