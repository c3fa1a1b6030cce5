package stacks

import (
	"strings"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// Do carries out an action, or returns false if the screen has no such action.
func (p *Stacks) Do(a keymap.Action) bool {
	switch a {
	case keymap.Flame:
		p.toggleFlame()
	case keymap.Invert:
		if p.pivoted() {
			p.Say(p.Hint("callers are above, callees below: {pivot} ends this view"))
			return true
		}
		p.invert = !p.invert
		p.Changed()
	case keymap.Recursion:
		p.collapse = !p.collapse
		p.Say(map[bool]string{true: "recursive calls are folded into one frame", false: "every recursive call is a frame"}[p.collapse])
		p.Changed()
	case keymap.Cost:
		if p.Prof != nil {
			return false // the event is changed by every screen of a profile
		}
		p.Emit(state.NextCost{})
	case keymap.NextPane, keymap.PreviousPane:
		p.nextPane(a == keymap.NextPane)
	case keymap.Maximize:
		p.whole = !p.whole
		p.detail = false
	case keymap.FindNext, keymap.FindPrevious:
		p.active().findAgain(a == keymap.FindNext)
	case keymap.Back:
		p.functionsShown = max(p.functionsShown, p.State.Prof.Requests) // whatever is still being computed
		return p.back()
	default:
		return p.doPane(a)
	}
	return true
}

// doPane is for the pane that has the focus.
func (p *Stacks) doPane(a keymap.Action) bool {
	if p.Now == nil {
		return false
	}
	if p.detail {
		return ui.ScrollText(&p.info.text, a)
	}
	q := p.active()
	pane := q.rows.Do
	if p.flame {
		pane = q.Graph.Do
	}
	if !pane(a) {
		return false
	}
	q.touched = true
	return true
}

// back closes the detail, then resets the zoom of the flame graph, then ends the search.
func (p *Stacks) back() bool {
	switch {
	case p.detail:
		p.detail = false
	case p.whole:
		p.whole = false
	case p.flame && p.Now != nil && p.active().Graph.ZoomBack():
		p.active().touched = true
	case p.text != "":
		p.Find("")
	default:
		return false
	}
	return true
}

// toggleFlame changes between tree and graph; the selection goes along.
func (p *Stacks) toggleFlame() {
	at := p.Selected()
	p.flame = !p.flame
	if p.Now != nil && at > 0 && p.touched {
		p.selectNode(at)
	}
	if p.Upper != nil {
		p.Upper.toggleFlame()
	}
}

// Find implements finder.
func (p *Stacks) Find(text string) {
	p.text, p.jump = text, text != ""
	if text == "" {
		p.rows.highlight("")
	}
	p.Changed()
}

// FindText returns the text of the search, "" for none.
func (p *Stacks) FindText() string { return p.text }

func (p *Stacks) findAgain(forward bool) {
	f, ok := p.search.Get()
	switch {
	case p.text == "":
		p.Say(p.Hint("no search text: {find} searches"))
	case !ok || f.key.in != p.Now || f.key.text != p.text:
	case forward:
		p.findNext(f.next)
	default:
		p.findNext(f.previous)
	}
}

// findNext goes to the match that step finds from the selection on.
func (p *Stacks) findNext(step func(int32) (int32, bool)) {
	if n, ok := step(p.Selected()); ok {
		p.touched = true
		p.selectNode(n)
	}
}

// Click implements clicker.
func (p *Stacks) Click(x, y int, double bool) {
	if p.Now == nil {
		return
	}
	if p.info.area.Contains(x, y) {
		p.detail = true
		return
	}
	p.detail = false
	p.inUpper = p.Upper != nil && p.upperAt.Contains(x, y)
	q, done := p.active(), false
	if p.flame {
		done = q.Graph.click(x, y, double)
	} else {
		done = q.rows.click(x, y, double)
	}
	q.touched = q.touched || done
}

func (p *Stacks) Drag(_, _, _, _ int, _ bool) {}

func (p *Stacks) Wheel(x, y, rows int) {
	switch {
	case p.info.area.Contains(x, y):
		p.info.text.Scroll(rows)
	case p.Upper != nil && p.upperAt.Contains(x, y):
		p.Upper.Scroll(rows)
	default:
		p.Scroll(rows)
	}
}

// Scroll moves what is visible by rows; negative is up.
func (p *Stacks) Scroll(rows int) {
	switch {
	case p.flame && p.half:
		p.Graph.Scroll(-rows)
	case p.flame:
		p.Graph.Scroll(rows)
	default:
		p.rows.Scroll(rows)
	}
}

// maxCopied is the maximum number of frames that are copied.
const maxCopied = 1000

// CopyText returns the selected stack, the allocating function first; of the root what there is to say about everything.
func (p *Stacks) CopyText() string {
	p = p.active()
	at := p.Selected()
	switch {
	case p.Now == nil:
		return ""
	case at == 0:
		return p.copyHead(0) + "Everything: " + model.Clean(p.sentence(0)) + "\n"
	}
	nodes, left := p.Now.path(at, maxCopied)
	var b strings.Builder
	b.WriteString(p.copyHead(at))
	line := func(n int32) {
		f, _ := p.Now.frame(n)
		name := f.Function
		if name == "" {
			name = p.Now.Name(n)
		}
		b.WriteString(model.Clean(name))
		if place := p.Now.place(n); place != "" {
			b.WriteString("  " + model.Clean(place))
		}
		b.WriteByte('\n')
	}
	for i := range nodes {
		if p.Now.tree.key.invert {
			line(nodes[i])
		} else {
			line(nodes[len(nodes)-1-i])
		}
	}
	if left > 0 {
		b.WriteString("… " + model.Counted(left, "more frame") + "\n")
	}
	return b.String()
}

// question returns the figure of the tree.
func (p *Stacks) question() state.Question {
	if p.Prof != nil {
		return p.Prof.Question(&p.State)
	}
	return state.Question{By: state.CostKey(p.State.Cost)}
}

// Command returns the flags that print the tree.
func (p *Stacks) Command() []string {
	q := p.question()
	q.Table, q.Invert, q.Recursion = "tree", p.inverts(), p.collapse
	return q.Args()
}
