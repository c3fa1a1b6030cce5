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
		switch {
		case p.now == nil:
		case p.flame:
			p.hotFrames()
		default:
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
	if a == keymap.Open {
		a = keymap.Toggle
	}
	return p.DoTree(p.Tree, a)
}

func (p *CompareStacks) doFlame(a keymap.Action) bool {
	if a == keymap.Back {
		return p.graph.ZoomBack()
	}
	return p.DoFlame(&p.graph, p.Root(), p.hotFrames, a)
}

// Find implements finder.
func (p *CompareStacks) Find(text string) {
	p.text, p.match = text, ui.NameMatcher(text)
	if p.Tree.Highlight = strings.ToLower(text); strings.HasPrefix(text, "/") && len(text) > 1 {
		p.Tree.Highlight = "" // an expression: whole names are marked
	}
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
		ui.ClickFlame(&p.graph, x, y, double)
	default:
		ui.ClickTree(p.Tree, x, y, double)
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
