package views

import (
	"strings"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
)

// do implements screen.
func (p *compareStacks) do(a keymap.Action) bool {
	switch a {
	case keymap.Flame:
		p.flame = !p.flame
		if n, ok := p.other(); ok {
			p.choose(n)
		}
	case keymap.Invert:
		p.invert = !p.invert
	case keymap.Cost:
		if p.prof != nil {
			return false
		}
		p.emit(nextCost{})
	case keymap.NextPane, keymap.PreviousPane:
		p.inDetail = !p.inDetail && !p.side.Empty()
	case keymap.FindNext, keymap.FindPrevious:
		p.findNext(a == keymap.FindNext)
	case keymap.HotPath:
		if p.now != nil {
			p.hotPath()
		}
	default:
		if p.now == nil {
			return false
		}
		if p.inDetail && p.info.move(a) {
			break
		}
		if p.flame && !p.doFlame(a) || !p.flame && !p.doTree(a) {
			return false
		}
	}
	p.changed()
	return true
}

// other is what was selected in the pane that was shown until now.
func (p *compareStacks) other() (int32, bool) {
	p.flame = !p.flame
	n, ok := p.selected()
	p.flame = !p.flame
	return n, ok && p.now != nil
}

func (p *compareStacks) doTree(a keymap.Action) bool {
	switch a {
	case keymap.Collapse:
		p.tree.Close()
	case keymap.Expand:
		p.tree.Open()
	case keymap.Toggle, keymap.Open:
		p.tree.Toggle()
	case keymap.ExpandAll:
		if !p.tree.OpenAll() {
			p.say("more is below than can be opened at once: open parts of it")
		}
	default:
		return moveList(&p.tree.List, a)
	}
	return true
}

func (p *compareStacks) doFlame(a keymap.Action) bool {
	switch a {
	case keymap.Up:
		p.graph.Up()
	case keymap.Down:
		p.graph.Down()
	case keymap.Left:
		p.graph.Side(-1)
	case keymap.Right:
		p.graph.Side(1)
	case keymap.PageUp:
		p.graph.Page(-1)
	case keymap.PageDown:
		p.graph.Page(1)
	case keymap.First:
		p.graph.Select(0)
	case keymap.Open, keymap.ZoomIn:
		if !p.graph.ZoomIn() {
			p.say("the selected frame has the full width already")
		}
	case keymap.ZoomOut:
		p.graph.ZoomOut()
	case keymap.ZoomReset:
		p.graph.ZoomReset()
	case keymap.Back:
		return p.graph.ZoomBack()
	default:
		return false
	}
	return true
}

// find implements finder.
func (p *compareStacks) find(text string) {
	p.text = text
	p.tree.Highlight = strings.ToLower(text)
	if n, ok := p.selected(); ok && text != "" && !p.matches(n) {
		p.findNext(true)
	}
	p.changed()
}

func (p *compareStacks) findText() string { return p.text }

// findNext goes to the next frame whose name matches, in the order of the tree's nodes.
func (p *compareStacks) findNext(forward bool) {
	from, ok := p.selected()
	if !ok || p.now == nil || p.text == "" {
		p.say("/ searches")
		return
	}
	n, step := int32(p.now.Len()), int32(1)
	if !forward {
		step = n - 1
	}
	for at, i := (from+step)%n, int32(0); i < n; at, i = (at+step)%n, i+1 {
		if at > 0 && p.matches(at) && p.now.Change[at] > 0 {
			p.choose(at)
			return
		}
	}
	p.say("no frame that changed has that in its name")
}

func (p *compareStacks) copyText() string {
	if p.now == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(model.Clean(p.info.title) + "  " + p.info.answer + "\n")
	for _, f := range p.info.frames {
		b.WriteString("  " + model.Clean(f.name) + "  " + model.Clean(f.where) + "\n")
	}
	return b.String()
}

// click implements clicker.
func (p *compareStacks) click(x, y int, double bool) {
	p.inDetail = p.side.Contains(x, y)
	switch {
	case p.now == nil || p.inDetail:
	case p.flame:
		if id, ok := p.graph.Hit(x, y); ok {
			p.graph.Select(id)
			if double {
				p.graph.ZoomIn()
			}
		}
	default:
		if row, ok := p.tree.HitRow(x, y); ok {
			p.tree.Select(row)
			if _, marker := p.tree.HitMarker(x, y); marker || double {
				p.tree.Toggle()
			}
		}
	}
	p.changed()
}

// drag implements clicker: nothing here can be dragged.
func (p *compareStacks) drag(_, _, _, _ int, _ bool) {}

// wheel implements clicker.
func (p *compareStacks) wheel(x, y, rows int) {
	switch {
	case p.side.Contains(x, y):
		p.info.scroll(rows)
	case p.flame:
		p.graph.Page(rows)
	default:
		p.tree.Scroll(rows)
	}
	p.changed()
}
