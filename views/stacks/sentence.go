package stacks

import (
	"math"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// maxPath is the maximum number of frames of a path in the detail.
const maxPath = 300

// Title returns the cost, and the form of the tree.
func (p *Stacks) Title() string {
	cost, invert, collapse := p.State.Cost, p.invert, p.collapse
	pivot := p.pivoted()
	if p.Now != nil {
		cost, invert, collapse = p.Now.key.cost, p.Now.tree.key.invert, p.Now.tree.key.collapse
		pivot = p.Now.tree.key.part != calltree.FullStacks
	}
	t := ui.CostWords(cost)
	switch {
	case p.comparing() && p.Now == nil:
		t = "Difference"
	case p.comparing():
		t = p.Now.set.Title
	case p.Prof != nil:
		t = p.profTitle()
	}
	if p.Now != nil && p.Now.peak >= 0 {
		t += ", " + p.Now.peak.String()
	}
	switch {
	case pivot:
		t += ", around one function"
	case invert:
		t += ", bottom-up"
	default:
		t += ", top-down"
	}
	if collapse {
		t += ", recursion folded"
	}
	if p.comparing() {
		t += p.sides.Signs(p.Rect())
	}
	return t
}

// answer returns the total weight, and how much of it a search finds.
func (p *Stacks) answer(w int) string {
	if p.Now == nil || p.Now.Total[0] == 0 {
		return ""
	}
	all := p.bound() + p.weight(p.Now.Total[0]) + " = 100 %"
	if p.Now.set != nil {
		all = p.changedAnswer()
	}
	if cut := p.Now.Cut(); cut > 0 {
		all = model.Counted(cut, "stack") + " cut · " + all
	}
	f := p.matching()
	if f == nil {
		return all
	}
	word := "“" + widget.Truncate(p.text, max(w/5, 8)) + "”"
	if p.Look.Glyphs.Plain {
		word = `"` + widget.Truncate(p.text, max(w/5, 8)) + `"`
	}
	if f.weight == 0 {
		return word + " matches nothing · " + all
	}
	return word + " matches " + ui.PartText(f.weight, f.key.in.Total[0]) + " · " + all
}

// bound returns the sign of figures that are bounds: lower ones while more is read, upper ones if blocks cannot be
// freed.
func (p *Stacks) bound() string {
	switch {
	case p.Now.set != nil:
		return ""
	case p.Prof != nil:
		return p.profBound()
	}
	live := p.Now.key.cost <= analysis.CostPeak || p.Now.key.cost == analysis.CostLeaked
	switch st := &p.State.Status; {
	case live && st.Unfreed:
		return "≤ "
	case !st.Final && !live, p.Now.Total[0] == math.MaxUint64:
		return "≥ "
	}
	return ""
}

// emptyText returns why there is no tree, and what to do.
func (p *Stacks) emptyText() []string {
	if p.comparing() {
		return p.unchanged()
	}
	if why := ui.Unanswered(p.tree, p.weights); why != nil {
		return why
	}
	switch {
	case p.Prof != nil:
		return p.profEmpty()
	case p.Trace == nil:
		return []string{"This file has no allocations."}
	case p.Now == nil:
		return []string{"Building the tree …"}
	}
	other := p.Hint("{stacks.cost} shows another cost, {peak} goes to the peak.")
	if p.State.Status.Events == 0 {
		if p.State.Profile.Complete {
			return []string{"This file has no events: nothing was allocated while it was recorded."}
		}
		return []string{"No allocation was read from this file.", "Problems lists what is wrong with it."}
	}
	if !p.Now.key.cell.IsAll() {
		return append(p.NoneInCell(p.Now.key.cell), other)
	}
	switch p.Now.key.cost {
	case analysis.CostLive, analysis.CostLiveCount:
		if p.State.AtEnd() && p.State.Status.FreesNever {
			return []string{"This file has no allocations.", "Problems lists what was found in it."}
		}
		if p.State.AtEnd() {
			return []string{"Nothing is live at the end: everything was freed.", other}
		}
		return []string{"Nothing is live at " + p.State.Now().String() + ".", other}
	case analysis.CostLeaked:
		return []string{"Nothing is unfreed: every block was freed.", other}
	case analysis.CostTemporary:
		return []string{"No block was freed by the very next event.", p.Hint("{stacks.cost} shows another cost.")}
	}
	if !p.State.Range.IsFull() {
		return []string{"Nothing was allocated in the range.", p.Hint("{clear-range} clears the range, {stacks.cost} shows another cost.")}
	}
	return []string{"Nothing was allocated.", p.Hint("{stacks.cost} shows another cost.")}
}

// stackDetail is the pane about the selected frame: its name, place, weights and the path to it.
type stackDetail struct {
	text widget.TextView
	area widget.Rect // where it was drawn last, for the mouse
	of   int32       // the node that it shows
}

// draw shows the detail next to the tree, or below it, or not at all.
func (d *stackDetail) draw(p *Stacks, s tcell.Screen, side, below widget.Rect) {
	d.area = side
	if side.Empty() {
		d.area = below
	}
	focused := p.detail
	p = p.active()
	at := p.Selected()
	if d.area.Empty() || p.Now == nil {
		return
	}
	look := *p.Look
	if focused {
		look.Title = p.Look.Sorted
	}
	title, rest := d.area.CutTop(1)
	if !side.Empty() {
		for y := d.area.Y; y < d.area.Y+d.area.H; y++ {
			s.Put(d.area.X-1, y, p.Look.Glyphs.Vertical, p.Look.Rule)
		}
	}
	name := widget.ShortenScopes(p.Now.label(at), max(title.W/2, 10))
	widget.TitleLine(s, title, &look, name, p.shares(at, title.W))
	d.text.Replace(p.detailLines(at, rest.W-2, rest.H))
	if d.of != at {
		d.of = at
		d.text.Home()
	}
	_, rest = rest.CutLeft(1)
	d.text.Draw(s, rest, &look)
}

// shares returns a frame's weight, of all and of its parent.
func (p *Stacks) shares(n int32, w int) string {
	if p.Now.set != nil {
		return p.delta(n).Text
	}
	total := p.Now.Total[n]
	out := p.weight(total) + " · " + ui.PartText(total, p.Now.Total[0]) + " of all"
	parent := p.Now.Parent(n)
	if parent <= 0 || w < 60 {
		return out
	}
	return out + " · " + ui.PartText(total, p.Now.Total[parent]) + " of " + widget.Truncate(p.Now.label(parent), w/5)
}

// detailLines returns the text of the detail. The path is one line where that fits into what w and h leave, else a
// frame a line.
func (p *Stacks) detailLines(n int32, w, h int) []widget.Line {
	if n == 0 {
		return []widget.Line{widget.Plain("Everything: " + p.sentence(n))}
	}
	f, mixed := p.Now.frame(n)
	name := f.Function
	if name == "" {
		name = p.Now.Name(n)
	}
	lines := []widget.Line{{Spans: []widget.Span{{Text: name}, {Text: "  " + p.Now.place(n), Style: p.Look.Muted}}, Indent: 2}}
	what := p.sentence(n)
	if mixed {
		what += " · several lines: the heaviest is shown"
	}
	lines = append(lines, widget.Line{Spans: []widget.Span{{Text: what, Style: p.Look.Muted}}, Indent: 2})
	const tall, most = 8, 4
	if h < tall {
		path, said := p.pathLine(n), p.verdicts(n, 1)
		if len(widget.Wrap(path, w)) <= h-2 {
			return append(append(lines, widget.Plain(path)), said...)
		}
		return append(append(lines, said...), p.pathRows(n, w)...)
	}
	lines = append(lines, p.verdicts(n, most)...)
	return append(append(lines, widget.Line{}), p.pathRows(n, w)...)
}

// sentence returns a frame's weight in the other unit, its own share, and what is below it.
func (p *Stacks) sentence(n int32) string {
	var parts []string
	if p.Now.set != nil {
		parts = p.changedSentence(n)
	}
	if f, _ := p.Now.Frame(n); n > 0 && f == 0 {
		parts = append(parts, "the file does not define this stack")
	}
	if b := p.besideText(n); b != "" {
		parts = append(parts, b)
	}
	one, many := "callee", "callees"
	if p.Now.tree.key.invert {
		one, many = "caller", "callers"
	} else if p.Now.set == nil {
		parts = append(parts, "self "+p.amount(p.Now.Self(n)))
	}
	switch kids := p.Now.Children(n); len(kids) {
	case 0:
	case 1:
		parts = append(parts, "1 "+one+": "+p.Now.label(kids[0]))
	default:
		most := ", the heaviest " + p.Now.label(kids[0]) + " with " + ui.PartText(p.Now.Total[kids[0]], p.Now.Total[n])
		if p.Now.set != nil {
			most = ", the most changed " + p.Now.label(kids[0]) + " by " + p.delta(kids[0]).Text
		}
		parts = append(parts, model.CountedAs(len(kids), one, many)+most)
	}
	return strings.Join(parts, " · ")
}

// besideText returns a frame's weight in blocks if the cost is bytes, and vice versa; "" if unknown.
func (p *Stacks) besideText(n int32) string {
	w, ok := p.other.Get()
	if !ok || w.key.tree != p.Now.tree || w.key.at != p.Now.key.at || w.key.over != p.Now.key.over ||
		complement(w.key.cost) != p.Now.key.cost {
		return ""
	}
	bytes, blocks := p.Now.Total[n], uint64(0)
	for _, i := range p.through.of(p.Now.tree, n) {
		if i < len(w.weight) {
			blocks, _ = model.SaturatingAdd(blocks, w.weight[i])
		}
	}
	if w.key.cost.IsBytes() {
		bytes, blocks = blocks, bytes
	}
	if blocks == 0 {
		return ""
	}
	if p.State.Sampled() { // whose mean size says nothing
		if w.key.cost.IsBytes() {
			return p.State.Estimate(model.Bytes(bytes).String())
		}
		return p.State.Blocks(blocks)
	}
	mean := model.Bytes(bytes / blocks).String()
	if w.key.cost.IsBytes() {
		return model.Bytes(bytes).String() + ", " + mean + " each on average"
	}
	if blocks == 1 {
		return "1 block"
	}
	return model.Blocks(blocks) + " of " + mean + " on average"
}

// pathLine returns the path to a frame in one line, callers first; "" for a frame without callers.
func (p *Stacks) pathLine(n int32) string {
	nodes, left := p.Now.path(n, maxPath)
	if len(nodes) < 2 {
		return ""
	}
	names := make([]string, 0, len(nodes)+1)
	if left > 0 {
		names = append(names, "("+model.Counted(left, "frame")+")")
	}
	for _, m := range nodes {
		names = append(names, p.Now.label(m))
	}
	if p.Now.tree.key.invert {
		slices.Reverse(names)
	}
	return strings.Join(names, " "+p.Look.Glyphs.ArrowRight+" ")
}

// pathRows returns the path to a frame, nearest caller first, one line of at most w cells each with the place at its
// end.
func (p *Stacks) pathRows(n int32, w int) []widget.Line {
	nodes, left := p.Now.path(n, maxPath)
	head := "by "
	if p.Now.tree.key.invert {
		head = "calls "
	}
	var lines []widget.Line
	for _, m := range slices.Backward(nodes[:len(nodes)-1]) {
		place := widget.ShortenPath(p.Now.place(m), w/3)
		room := w - len(head) - widget.Width(place) - 1
		name := widget.TruncateMiddle(p.Now.label(m), room)
		lines = append(lines, widget.Line{Spans: []widget.Span{
			{Text: head, Style: p.Look.Muted}, {Text: name},
			{Text: strings.Repeat(" ", max(room-widget.Width(name), 0)+1)}, {Text: place, Style: p.Look.Muted},
		}})
	}
	if left > 0 {
		lines = append(lines, widget.Plain("… "+model.Counted(left, "more frame")))
	}
	return lines
}
