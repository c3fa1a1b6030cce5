package compare

import (
	"strings"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// Do implements screen.
func (p *CompareStacks) Do(a keymap.Action) bool {
	switch a {
	case keymap.Flame:
		p.flame = !p.flame
		if n, ok := p.other(); ok {
			p.choose(n)
		}
	case keymap.Invert:
		p.invert = !p.invert
	case keymap.Cost:
		if p.Prof != nil {
			return false
		}
		p.Emit(state.NextCost{})
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
		if p.inDetail && p.info.Move(a) {
			break
		}
		if p.flame && !p.doFlame(a) || !p.flame && !p.doTree(a) {
			return false
		}
	}
	p.Changed()
	return true
}

// other is what was selected in the pane that was shown until now.
func (p *CompareStacks) other() (int32, bool) {
	p.flame = !p.flame
	n, ok := p.selected()
	p.flame = !p.flame
	return n, ok && p.now != nil
}

func (p *CompareStacks) doTree(a keymap.Action) bool {
	switch a {
	case keymap.Collapse:
		p.Tree.Close()
	case keymap.Expand:
		p.Tree.Open()
	case keymap.Toggle, keymap.Open:
		p.Tree.Toggle()
	case keymap.ExpandAll:
		if !p.Tree.OpenAll() {
			p.Say("more is below than can be opened at once: open parts of it")
		}
	default:
		return ui.MoveList(&p.Tree.List, a)
	}
	return true
}

func (p *CompareStacks) doFlame(a keymap.Action) bool {
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
			p.Say("the selected frame has the full width already")
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

// Find implements finder.
func (p *CompareStacks) Find(text string) {
	p.text = text
	p.Tree.Highlight = strings.ToLower(text)
	if n, ok := p.selected(); ok && text != "" && !p.matches(n) {
		p.findNext(true)
	}
	p.Changed()
}

// FindText returns what is searched for, "" for nothing.
func (p *CompareStacks) FindText() string { return p.text }

// findNext goes to the next frame whose name matches, in the order of the tree's nodes.
func (p *CompareStacks) findNext(forward bool) {
	from, ok := p.selected()
	if !ok || p.now == nil || p.text == "" {
		p.Say("/ searches")
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
	p.Say("no frame that changed has that in its name")
}

func (p *CompareStacks) CopyText() string {
	if p.now == nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(model.Clean(p.info.Title) + "  " + p.info.Answer + "\n")
	for _, f := range p.info.Frames {
		b.WriteString("  " + model.Clean(f.Name) + "  " + model.Clean(f.Where) + "\n")
	}
	return b.String()
}

// Click implements clicker.
func (p *CompareStacks) Click(x, y int, double bool) {
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
		if row, ok := p.Tree.HitRow(x, y); ok {
			p.Tree.Select(row)
			if _, marker := p.Tree.HitMarker(x, y); marker || double {
				p.Tree.Toggle()
			}
		}
	}
	p.Changed()
}

// Drag implements clicker: nothing here can be dragged.
func (p *CompareStacks) Drag(_, _, _, _ int, _ bool) {}

// Wheel implements clicker.
func (p *CompareStacks) Wheel(x, y, rows int) {
	switch {
	case p.side.Contains(x, y):
		p.info.Scroll(rows)
	case p.flame:
		p.graph.Page(rows)
	default:
		p.Tree.Scroll(rows)
	}
	p.Changed()
}
