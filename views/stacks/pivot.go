package stacks

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// With a pivot there are two trees: the screen's own has the callees of the function, another one above it the callers.

// pivoted reports whether there is a pivot.
func (p *Stacks) pivoted() bool { return p.State.Filters.Pivot() != "" }

// part returns the part of the stacks in the tree.
func (p *Stacks) part() calltree.Part {
	switch {
	case p.half:
		return calltree.Callers
	case p.pivoted():
		return calltree.Callees
	}
	return calltree.FullStacks
}

// inverts reports whether the tree is bottom-up.
func (p *Stacks) inverts() bool { return p.half || p.invert && !p.pivoted() }

// active returns the tree that has the focus.
func (p *Stacks) active() *Stacks {
	if p.inUpper && p.Upper != nil && p.pivoted() && p.Upper.Now != nil {
		return p.Upper
	}
	return p
}

// showUpper keeps the tree of the callers up to date.
func (p *Stacks) showUpper(s *state.State) {
	if p.half || !p.pivoted() {
		p.Upper, p.inUpper = nil, false
		return
	}
	if p.Upper == nil {
		p.Upper = NewStacks(p.Env, p.sides)
		p.Upper.half = true
	}
	p.Upper.flame, p.Upper.collapse = p.flame, p.collapse
	if p.Upper.text != p.text {
		p.Upper.Find(p.text)
	}
	p.Upper.Show(s)
}

// drawTrees draws the tree or the graph, below that of the callers if there is one and both fit.
func (p *Stacks) drawTrees(s tcell.Screen, r widget.Rect) {
	p.upperAt = widget.Rect{}
	if !p.pivoted() || p.Upper == nil || p.Upper.Now == nil || p.Now == nil || p.Now.Total[0] == 0 {
		p.drawTree(s, r, !p.detail)
		return
	}
	const low = 9 // rows below which only the half with the focus is shown
	if r.H < low {
		at := p.active()
		if at == p.Upper {
			p.upperAt = r
		}
		at.drawTree(s, r, !p.detail)
		return
	}
	p.upperAt, r = r.CutTop(r.H / 2)
	p.Upper.drawTree(s, p.upperAt, p.inUpper && !p.detail)
	line, r := r.CutTop(1)
	name := widget.ShortenScopes(funcname.WithoutSignature(p.State.Filters.Pivot()), max(line.W/2, 10))
	up, down := p.Look.Glyphs.Up, p.Look.Glyphs.Down
	widget.TitleLine(s, line, p.Look, string(up)+" callers of "+name+", callees "+string(down),
		p.Hint("{next-pane} changes sides"))
	p.drawTree(s, r, !p.inUpper && !p.detail)
}

func (p *Stacks) drawTree(s tcell.Screen, r widget.Rect, focused bool) {
	if p.flame {
		p.Graph.Rising = p.half
		p.Graph.draw(s, r, focused)
		return
	}
	p.rows.draw(s, r, focused)
}

// nextPane moves the focus to the callers, the callees, or the detail.
func (p *Stacks) nextPane(forward bool) {
	if p.Upper == nil {
		p.detail = !p.detail && !p.whole
		return
	}
	// 0 callees, 1 detail, 2 callers
	at, n := 0, 3
	switch {
	case p.detail:
		at = 1
	case p.inUpper:
		at = 2
	}
	step := 1
	if !forward {
		step = n - 1
	}
	at = (at + step) % n
	if at == 1 && p.whole {
		at = (at + step) % n
	}
	p.detail = at == 1
	if at != 1 {
		p.inUpper = at == 2
	}
}

// Function implements [ui.Functioner]: the selected one as the tree names it.
func (p *Stacks) Function() string {
	q := p.active()
	n := q.Selected()
	if n == 0 {
		return ""
	}
	if f, _ := q.Now.Frame(n); f == 0 {
		return ""
	}
	return q.Now.Name(n)
}

// Place implements [ui.Placer].
func (p *Stacks) Place() (lines.Place, bool) {
	q := p.active()
	n := q.Selected()
	if n == 0 || q.Now.tree.key.stacks == nil {
		return lines.Place{}, false
	}
	return ui.PlaceOf(q.Now.tree.key.stacks, q.Now.Heaviest(n))
}

func (p *Stacks) Follows() string { return "" }

// rising swaps up and down if the graph grows upwards.
func (g *flamePane) rising(a keymap.Action) keymap.Action {
	if !g.Rising {
		return a
	}
	switch a {
	case keymap.Up:
		return keymap.Down
	case keymap.Down:
		return keymap.Up
	case keymap.PageUp:
		return keymap.PageDown
	case keymap.PageDown:
		return keymap.PageUp
	}
	return a
}
