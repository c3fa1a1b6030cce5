package views

import (
	"strings"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
)

// do implements screen.
func (p *stacks) do(a keymap.Action) bool {
	switch a {
	case keymap.Flame:
		p.toggleFlame()
	case keymap.Invert:
		if p.pivoted() {
			p.say("callers stand above, callees below: # ends that")
			return true
		}
		p.invert = !p.invert
		p.changed()
	case keymap.Recursion:
		p.collapse = !p.collapse
		p.say(map[bool]string{true: "direct recursion is one frame", false: "every recursive call is a frame"}[p.collapse])
		p.changed()
	case keymap.Cost:
		if p.prof != nil {
			p.nextEvent(&p.state)
			return true
		}
		p.emit(setCost{(p.state.Cost + 1) % analysis.CostCountOf})
	case keymap.NextPane, keymap.PreviousPane:
		p.nextPane(a == keymap.NextPane)
	case keymap.Maximise:
		p.whole = !p.whole
		p.detail = false
	case keymap.FindNext, keymap.FindPrevious:
		p.active().findAgain(a == keymap.FindNext)
	case keymap.Back:
		return p.back()
	default:
		return p.doPane(a)
	}
	return true
}

// doPane is for the pane that has the keys.
func (p *stacks) doPane(a keymap.Action) bool {
	if p.now == nil {
		return false
	}
	if p.detail {
		return scrollText(&p.info.text, a)
	}
	q := p.active()
	pane := q.rows.do
	if p.flame {
		pane = q.graph.do
	}
	if !pane(a) {
		return false
	}
	q.touched = true
	return true
}

// back leaves the detail, then the zoom of the flame graph, then the search.
func (p *stacks) back() bool {
	switch {
	case p.detail:
		p.detail = false
	case p.whole:
		p.whole = false
	case p.flame && p.now != nil && p.active().graph.ZoomBack():
		p.active().touched = true
	case p.text != "":
		p.find("")
	default:
		return false
	}
	return true
}

// toggleFlame changes between tree and graph; the selection goes along.
func (p *stacks) toggleFlame() {
	at := p.selected()
	p.flame = !p.flame
	if p.now != nil && at > 0 && p.touched {
		p.selectNode(at)
	}
	if p.upper != nil {
		p.upper.toggleFlame()
	}
}

// find implements finder.
func (p *stacks) find(text string) {
	p.text, p.jump = text, text != ""
	if text == "" {
		p.rows.highlight("")
	}
	p.changed()
}

func (p *stacks) findText() string { return p.text }

func (p *stacks) findAgain(forward bool) {
	f, ok := p.search.get()
	switch {
	case p.text == "":
		p.say("nothing is searched: / does")
	case !ok || f.key.in != p.now || f.key.text != p.text:
	case forward:
		p.findNext(f.next)
	default:
		p.findNext(f.previous)
	}
}

// findNext goes to the match that step finds from the selection on.
func (p *stacks) findNext(step func(int32) (int32, bool)) {
	if n, ok := step(p.selected()); ok {
		p.touched = true
		p.selectNode(n)
	}
}

// click implements clicker.
func (p *stacks) click(x, y int, double bool) {
	if p.now == nil {
		return
	}
	if p.info.area.Contains(x, y) {
		p.detail = true
		return
	}
	p.detail = false
	p.inUpper = p.upper != nil && p.upperAt.Contains(x, y)
	q, done := p.active(), false
	if p.flame {
		done = q.graph.click(x, y, double)
	} else {
		done = q.rows.click(x, y, double)
	}
	q.touched = q.touched || done
}

func (p *stacks) drag(_, _, _, _ int, _ bool) {}

func (p *stacks) wheel(x, y, rows int) {
	switch {
	case p.info.area.Contains(x, y):
		p.info.text.Scroll(rows)
	case p.upper != nil && p.upperAt.Contains(x, y):
		p.upper.scroll(rows)
	default:
		p.scroll(rows)
	}
}

func (p *stacks) scroll(rows int) {
	switch {
	case p.flame && p.half:
		p.graph.Scroll(-rows)
	case p.flame:
		p.graph.Scroll(rows)
	default:
		p.rows.Scroll(rows)
	}
}

// maxCopied bounds the frames that are copied.
const maxCopied = 1000

// copyText is the selected stack, the allocating function first.
func (p *stacks) copyText() string {
	p = p.active()
	at := p.selected()
	if at == 0 {
		return ""
	}
	nodes, left := p.now.path(at, maxCopied)
	var b strings.Builder
	line := func(n int32) {
		f, _ := p.now.frame(n)
		name := f.Function
		if name == "" {
			name = p.now.Name(n)
		}
		b.WriteString(model.Clean(name))
		if place := p.now.place(n); place != "" {
			b.WriteString("  " + model.Clean(place))
		}
		b.WriteByte('\n')
	}
	for i := range nodes {
		if p.now.tree.key.invert {
			line(nodes[i])
		} else {
			line(nodes[len(nodes)-1-i])
		}
	}
	if left > 0 {
		b.WriteString("… " + plural(left, "more frame", "more frames") + "\n")
	}
	return b.String()
}

// command names the table of the report that is sorted by the same cost.
func (p *stacks) command() []string {
	if p.prof != nil {
		return p.prof.arguments(&p.state)
	}
	by := [...]string{"live_bytes", "live_count", "peak_bytes", "alloc_bytes", "alloc_count", "", "temporary_count"}[p.state.Cost]
	if by == "" { // leaks are in every report
		return nil
	}
	return []string{"--by", by}
}
