package views

import (
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// maxPath bounds the frames of a path that the detail shows.
const maxPath = 300

// costWords is a cost in a title.
func costWords(c analysis.Cost) string {
	return [...]string{"Live bytes", "Live blocks", "Live bytes at the peak", "Allocated bytes", "Allocations",
		"Leaked bytes", "Temporary blocks"}[c]
}

// title says what is weighed, and how.
func (p *stacks) title() string {
	cost, invert, collapse := p.state.Cost, p.invert, p.collapse
	if p.now != nil {
		cost, invert, collapse = p.now.key.cost, p.now.tree.key.invert, p.now.tree.key.collapse
	}
	t := costWords(cost)
	if p.now != nil && p.now.peak >= 0 {
		t += ", " + p.now.peak.String()
	}
	if invert {
		t += ", bottom-up"
	} else {
		t += ", top-down"
	}
	if collapse {
		t += ", recursion folded"
	}
	return t
}

// answer is what everything together weighs, and how much of it a search finds.
func (p *stacks) answer(w int) string {
	if p.now == nil {
		return ""
	}
	all := p.bound() + p.amount(p.now.Total[0]) + " = 100 %"
	if cut := p.now.Cut(); cut > 0 {
		all = plural(cut, "stack", "stacks") + " cut · " + all
	}
	f := p.matching()
	if f == nil {
		return all
	}
	word := "“" + widget.Truncate(p.text, max(w/5, 8)) + "”"
	if p.look.Glyphs.Plain {
		word = `"` + widget.Truncate(p.text, max(w/5, 8)) + `"`
	}
	if f.weight == 0 {
		return word + " matches nothing · " + all
	}
	return word + " matches " + stackShare(f.weight, f.key.in.Total[0]) + " · " + all
}

// bound is the sign of figures that are not exact: what is read so far is less, blocks that cannot be freed are more.
func (p *stacks) bound() string {
	live := p.now.key.cost <= analysis.CostPeak || p.now.key.cost == analysis.CostLeaked
	switch st := &p.state.Status; {
	case live && st.Unfreed:
		return "≤ "
	case !st.Final && !live:
		return "≥ "
	}
	return ""
}

// emptyText says why there is no tree, and what to do.
func (p *stacks) emptyText() []string {
	switch {
	case p.trace == nil:
		return []string{"This file has no allocations."}
	case p.now == nil:
		return []string{"Putting stacks together …"}
	}
	const other = "c shows another cost, p goes to the peak."
	if p.state.Status.Events == 0 {
		return []string{"No allocation was read from this file.", "The Problems screen says what is wrong with it."}
	}
	switch p.now.key.cost {
	case analysis.CostLive, analysis.CostLiveCount:
		if p.state.AtEnd() {
			return []string{"Nothing is live at the end: everything was freed.", other}
		}
		return []string{"Nothing is live at " + p.state.Now().String() + ".", other}
	case analysis.CostLeaked:
		return []string{"Nothing was leaked: every block was freed.", other}
	case analysis.CostTemporary:
		return []string{"No block was freed by the very next event.", "c shows another cost."}
	}
	if !p.state.Range.IsWhole() {
		return []string{"Nothing was allocated in the range.", "u forgets the range, c shows another cost."}
	}
	return []string{"Nothing was allocated.", "c shows another cost."}
}

// stackDetail is the whole of the selected frame: its name, place, weights and the path to it.
type stackDetail struct {
	text widget.TextView
	area widget.Rect // where it was drawn last, for the mouse
	of   int32       // the node that it shows
}

// draw shows the detail beside the tree, or below it, or not at all.
func (d *stackDetail) draw(p *stacks, s tcell.Screen, side, below widget.Rect) {
	d.area = side
	if side.Empty() {
		d.area = below
	}
	at := p.selected()
	if d.area.Empty() || p.now == nil {
		return
	}
	look := *p.look
	if p.detail {
		look.Title = p.look.Sorted
	}
	title, rest := d.area.CutTop(1)
	if !side.Empty() {
		for y := d.area.Y; y < d.area.Y+d.area.H; y++ {
			s.Put(d.area.X-1, y, p.look.Glyphs.Vertical, p.look.Rule)
		}
	}
	name := p.now.Name(at)
	widget.TitleLine(s, title, &look, widget.Truncate(name, max(title.W/2, 10)), p.shares(at, title.W))
	d.text.Replace(p.detailLines(at, !side.Empty() || rest.H >= 9))
	if d.of != at {
		d.of = at
		d.text.Home()
	}
	_, rest = rest.CutLeft(1)
	d.text.Draw(s, rest, &look)
}

// shares is a frame's weight, of all and of its parent.
func (p *stacks) shares(n int32, w int) string {
	total := p.now.Total[n]
	out := p.amount(total) + " · " + stackShare(total, p.now.Total[0]) + " of all"
	parent := p.now.Parent(n)
	if parent <= 0 || w < 60 {
		return out
	}
	return out + " · " + stackShare(total, p.now.Total[parent]) + " of " + widget.Truncate(p.now.Name(parent), w/5)
}

// detailLines is the text of the detail; tall lists the path a frame a line.
func (p *stacks) detailLines(n int32, tall bool) []widget.Line {
	if n == 0 {
		return []widget.Line{widget.Plain("Everything: " + p.sentence(n))}
	}
	f, mixed := p.now.frame(n)
	name := f.Function
	if name == "" {
		name = p.now.Name(n)
	}
	lines := []widget.Line{{Spans: []widget.Span{{Text: name}, {Text: "  " + p.now.place(n), Style: p.look.Muted}}, Indent: 2}}
	what := p.sentence(n)
	if mixed {
		what += " · several lines: the first is shown"
	}
	lines = append(lines, widget.Line{Spans: []widget.Span{{Text: what, Style: p.look.Muted}}, Indent: 2})
	if tall {
		return append(append(lines, widget.Line{}), p.pathRows(n)...)
	}
	return append(lines, p.pathLine(n))
}

// sentence tells a frame's own share and what is below it.
func (p *stacks) sentence(n int32) string {
	out := "self " + p.amount(p.now.Self[n])
	kids := p.now.Children(n)
	word := "callee"
	if p.now.tree.key.invert {
		word = "caller"
	}
	switch len(kids) {
	case 0:
		return out + " · no " + word + "s"
	case 1:
		return out + " · 1 " + word + ": " + p.now.Name(kids[0])
	}
	return out + " · " + model.Group(uint64(len(kids))) + " " + word + "s, the heaviest " + p.now.Name(kids[0]) + " with " +
		stackShare(p.now.Total[kids[0]], p.now.Total[n])
}

// pathLine is the way to a frame in one line, callers first.
func (p *stacks) pathLine(n int32) widget.Line {
	nodes, left := p.now.path(n, maxPath)
	arrow := " " + p.look.Glyphs.ArrowRight + " "
	names := make([]string, 0, len(nodes)+1)
	for _, m := range nodes {
		names = append(names, p.now.Name(m))
	}
	if left > 0 {
		names = append([]string{"(" + plural(left, "frame", "frames") + ")"}, names...)
	}
	if p.now.tree.key.invert {
		for i, j := 0, len(names)-1; i < j; i, j = i+1, j-1 {
			names[i], names[j] = names[j], names[i]
		}
	}
	return widget.Line{Spans: []widget.Span{{Text: strings.Join(names, arrow)}}}
}

// pathRows is the way to a frame, the selected frame first, a line each.
func (p *stacks) pathRows(n int32) []widget.Line {
	nodes, left := p.now.path(n, maxPath)
	head := "called from"
	if p.now.tree.key.invert {
		head = "calls"
	}
	lines := []widget.Line{{Spans: []widget.Span{{Text: head, Style: p.look.Header}}}}
	for i := len(nodes) - 2; i >= 0; i-- {
		m := nodes[i]
		lines = append(lines, widget.Line{Spans: []widget.Span{
			{Text: p.now.Name(m)}, {Text: "  " + p.now.place(m), Style: p.look.Muted},
		}, Indent: 2})
	}
	if left > 0 {
		lines = append(lines, widget.Plain("… "+plural(left, "more frame", "more frames")))
	}
	if len(nodes) < 2 {
		return nil
	}
	return lines
}
