package views

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/widget"
)

// About a pivot there are two trees: the screen's own holds what the function calls, another one above it who calls it.

// pivoted reports whether trees turn about a function.
func (p *stacks) pivoted() bool { return p.state.Chips.Pivot() != "" }

// part is what of the stacks the tree is made of.
func (p *stacks) part() calltree.StackPart {
	switch {
	case p.half:
		return calltree.Callers
	case p.pivoted():
		return calltree.Callees
	}
	return calltree.WholeStacks
}

// inverts reports whether the tree is bottom-up.
func (p *stacks) inverts() bool { return p.half || p.invert && !p.pivoted() }

// active is the tree that has the keys.
func (p *stacks) active() *stacks {
	if p.inUpper && p.upper != nil && p.pivoted() && p.upper.now != nil {
		return p.upper
	}
	return p
}

// showUpper keeps the tree of the callers up to date.
func (p *stacks) showUpper(s *State) {
	if p.half || !p.pivoted() {
		p.upper, p.inUpper = nil, false
		return
	}
	if p.upper == nil {
		p.upper = newStacks(p.env)
		p.upper.half = true
	}
	p.upper.flame, p.upper.collapse = p.flame, p.collapse
	if p.upper.text != p.text {
		p.upper.find(p.text)
	}
	p.upper.show(s)
}

// drawTrees draws the tree or the graph, below that of the callers where there is one and room for both.
func (p *stacks) drawTrees(s tcell.Screen, r widget.Rect) {
	p.upperAt = widget.Rect{}
	if !p.pivoted() || p.upper == nil || p.upper.now == nil || p.now == nil || p.now.Total[0] == 0 {
		p.drawTree(s, r, !p.detail)
		return
	}
	const low = 9 // rows below which only the half with the keys is shown
	if r.H < low {
		at := p.active()
		if at == p.upper {
			p.upperAt = r
		}
		at.drawTree(s, r, !p.detail)
		return
	}
	p.upperAt, r = r.CutTop(r.H / 2)
	p.upper.drawTree(s, p.upperAt, p.inUpper && !p.detail)
	line, r := r.CutTop(1)
	name := widget.ShortenScopes(widget.WithoutSignature(p.state.Chips.Pivot()), max(line.W/2, 10))
	up, down := p.look.Glyphs.Up, p.look.Glyphs.Down
	widget.TitleLine(s, line, p.look, string(up)+" callers of "+name+", and what it calls "+string(down), "Tab changes sides")
	p.drawTree(s, r, !p.inUpper && !p.detail)
}

func (p *stacks) drawTree(s tcell.Screen, r widget.Rect, focused bool) {
	if p.flame {
		p.graph.Rising = p.half
		p.graph.draw(s, r, focused)
		return
	}
	p.rows.draw(s, r, focused)
}

// nextPane gives the keys to the callers, the callees, or the detail.
func (p *stacks) nextPane(forward bool) {
	if p.upper == nil {
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

// function implements functioner: the selected one as the tree names it.
func (p *stacks) function() string {
	q := p.active()
	n := q.selected()
	if n == 0 {
		return ""
	}
	if f, _ := q.now.Frame(n); f == 0 {
		return ""
	}
	return q.now.Name(n)
}

func (p *stacks) follows() string { return "" }

// rising turns up and down about where the graph grows upwards.
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
