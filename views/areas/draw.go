package areas

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/treemap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Sizes in cells from which boxes have boxes within, and of the smallest box.
const (
	outerWidth = 14
	outerRows  = 4
	leastArea  = 8
)

// arrange lays the parts out in r, keeping the selection.
func (p *Map) arrange(r widget.Rect) {
	m := &p.widget
	m.Lines = p.Look.Glyphs.Plain || colorless(p.Theme.Flame(0))
	m.Chosen, m.Focused = p.Style(themes.FlameSelected), true
	w, h, row := m.Units(r)
	shape := treemap.Shape{W: w, H: h, Tall: 3 - row, Row: row, MinW: outerWidth, MinH: outerRows * row, Min: leastArea * row}
	key := drawnKey{p.now, p.top(), shape}
	if key != p.drawn {
		p.drawn = key
		p.boxes, p.layouts = treemap.Layout(p.now.Tree, key.top, shape, p.layouts)
		p.reselect()
	}
	m.Boxes = m.Boxes[:0]
	for _, b := range p.boxes {
		m.Boxes = append(m.Boxes, p.box(b))
	}
}

// colorless reports whether a style has no color to fill a box with.
func colorless(st tcell.Style) bool {
	fg, bg, _ := st.Decompose()
	return fg == tcell.ColorDefault && bg == tcell.ColorDefault
}

// reselect finds the box of the selected part: the one that has it, or else the largest.
func (p *Map) reselect() {
	m := &p.widget
	m.At = -1
	if len(p.at) > 0 || p.rest {
		way := p.now.Path(p.now.Find(p.at))
		for i, b := range p.boxes {
			if b.Outer {
				continue
			}
			if b.Merged == 0 && len(way) > 0 && b.Node == way[len(way)-1] && !p.rest {
				m.At = i
				return
			}
			if n := p.nearness(b, way); n > 0 && (m.At < 0 || n > p.nearness(p.boxes[m.At], way)) {
				m.At = i
			}
		}
		if m.At >= 0 {
			return
		}
	}
	for i, b := range p.boxes {
		if !b.Outer && (m.At < 0 || b.Weight > p.boxes[m.At].Weight) {
			m.At = i
		}
	}
}

// nearness returns how much of the way to a part leads to a box: 0 where it is elsewhere.
func (p *Map) nearness(b treemap.Box, way []int32) int {
	for i := len(way) - 1; i >= 0; i-- {
		if way[i] == b.Node {
			return 2*i + 2 - boolean(b.Merged > 0 && !p.rest)
		}
		for n := b.Node; n > 0; n = p.now.Nodes[n].Parent {
			if n == way[i] && b.Merged == 0 {
				return 2 * i
			}
		}
	}
	return boolean(b.Merged > 0 && b.Node == 0)
}

func boolean(is bool) int {
	if is {
		return 1
	}
	return 0
}

// box returns how a box looks.
func (p *Map) box(b treemap.Box) widget.MapBox {
	n := &p.now.Nodes[b.Node]
	out := widget.MapBox{Rect: widget.Rect{X: b.X, Y: b.Y, W: b.W, H: b.H}, Outer: b.Outer, Label: p.label(b, false),
		Note: p.amount(b.Weight), Style: p.style(b), Cut: widget.CutEnd}
	switch n.Kind {
	case treemap.Function:
		out.Cut = widget.CutScope
	case treemap.Module, treemap.Folder, treemap.File:
		out.Cut = widget.CutMiddle
	}
	if p.now.key.two {
		sign := [...]string{"-", "=", "+"}[1+direction(b.Sides)]
		out.Label, out.Note = sign+" "+out.Label, p.DeltaCell(b.Sides[0], b.Sides[1], p.amount).Text
	}
	return out
}

// label returns the name of a box, with those of its only parts within parts.
func (p *Map) label(b treemap.Box, full bool) string {
	if b.Merged > 0 {
		return model.CountedAs(b.Merged, "small part", "small parts")
	}
	text := p.now.Nodes[b.Node].Label(full || p.State.FullName)
	if !b.Outer {
		return text
	}
	for n, end := b.Node, p.now.Chain(b.Node); n != end; {
		n = p.now.Nodes[n].First
		text += " " + p.Look.Glyphs.ArrowRight + " " + p.now.Nodes[n].Label(full || p.State.FullName)
	}
	return text
}

// direction returns 1 for what grew, -1 for what shrank, else 0.
func direction(sides [2]uint64) int {
	switch {
	case sides[1] > sides[0]:
		return 1
	case sides[1] < sides[0]:
		return -1
	}
	return 0
}

// style returns the color of a box: that of its name, or of its change.
func (p *Map) style(b treemap.Box) tcell.Style {
	if p.now.key.two {
		switch direction(b.Sides) {
		case 1:
			return p.filled(themes.Loss)
		case -1:
			return p.filled(themes.Gain)
		}
		return p.Style(themes.FlameRest)
	}
	n := &p.now.Nodes[b.Node]
	if b.Outer || b.Merged > 0 || n.Kind == treemap.Own {
		return p.Style(themes.FlameRest)
	}
	if n.Kind == treemap.Bits && n.Name == treemap.Free {
		return p.Style(themes.FlameRest)
	}
	h := uint32(2166136261)
	for _, c := range []byte(n.Name) {
		h = (h ^ uint32(c)) * 16777619
	}
	return p.Theme.Flame(h)
}

// filled returns the color of a role as a background.
func (p *Map) filled(r themes.Role) tcell.Style {
	fg, bg, _ := p.Style(r).Decompose()
	if p.widget.Lines {
		return p.Style(r)
	}
	return tcell.StyleDefault.Foreground(bg).Background(fg)
}

// amount returns a weight with its unit.
func (p *Map) amount(n uint64) string {
	switch p.facet {
	case model.FacetProfile:
		return p.now.unit.Scaled(n, p.State.Exact)
	case model.FacetAllocations:
		if !p.now.key.cost.IsBytes() {
			return ui.FiguresOf(&p.State, true).Count(n)
		}
	}
	return ui.FiguresOf(&p.State, true).Bytes(n)
}

// what returns what areas are.
func (p *Map) what() string {
	switch p.facet {
	case model.FacetProfile:
		return p.Prof.Key(&p.State).MetricName()
	case model.FacetAllocations:
		return strings.ToLower(ui.CostWords(p.State.Cost))
	case model.FacetHeaps:
		if p.State.Areas.Dominated {
			return "retained bytes"
		}
		return "bytes of objects"
	}
	return "bytes of pages"
}

// parts returns what divides the areas.
func (p *Map) parts() string {
	sep := " " + p.Look.Glyphs.ArrowRight + " "
	switch p.facet {
	case model.FacetProfile, model.FacetAllocations:
		outermost := treemap.Module.String()
		if p.now != nil {
			outermost = strings.ReplaceAll(p.now.Outermost(), "_", " ")
		}
		return outermost + sep + "file" + sep + "function"
	case model.FacetHeaps:
		if p.State.Areas.Dominated {
			return "dominator"
		}
		return "type" + sep + "type of the retainer"
	}
	return "page type" + sep + "use"
}

func (p *Map) title() string {
	what := p.what()
	if p.facet != model.FacetProfile {
		what = strings.ToUpper(what[:1]) + what[1:]
	}
	return what + " by " + p.parts()
}

func (p *Map) answer() string {
	if p.now == nil || p.now.Nodes[0].Weight == 0 {
		return ""
	}
	text := p.amount(p.now.Nodes[0].Sides[1])
	if p.now.key.two {
		text = p.amount(p.now.Nodes[0].Sides[0]) + " " + p.Look.Glyphs.ArrowRight + " " + text
	}
	if p.trees.Running() {
		text = "adding up… " + text
	}
	return text
}

// crumbs returns the way to the part that fills the screen in at most w cells.
func (p *Map) crumbs(w int) string {
	sep := " " + p.Look.Glyphs.ArrowRight + " "
	names := []string{"All"}
	if k := &p.now.key; k.dominated {
		for r := k.top; r != model.RootRow && len(names) < 100; r = p.now.graph.Idom(r) {
			names = append(names[:1:1], append([]string{treemap.ObjectName(p.now.graph.Heap, r)}, names[1:]...)...)
		}
	}
	for _, n := range p.now.Path(p.now.Chain(p.top())) {
		names = append(names, p.now.Nodes[n].Label(p.State.FullName))
	}
	text := widget.Clean(strings.Join(names, sep))
	if widget.Width(text) > w {
		text = widget.TruncateLeft(text, w)
	}
	return text
}

// footRows returns the rows of what is said below the map.
func (p *Map) footRows(r widget.Rect) int {
	if r.H >= 12 {
		return 3
	}
	return 1
}

// drawFoot says what is selected, and what areas and colors mean.
func (p *Map) drawFoot(s tcell.Screen, r widget.Rect) {
	if r.Empty() {
		return
	}
	b, ok := p.selected()
	var lines []string
	if ok {
		lines = p.fitted(b, r.W-2, max(r.H-1, 1))
	}
	for i, line := range lines {
		widget.Print(s, r.X+1, r.Y+i, r.W-2, line, p.Look.Text)
	}
	if r.H > len(lines) {
		widget.Print(s, r.X+1, r.Y+r.H-1, r.W-2, p.meaning(), p.Look.Muted)
	}
}

// fitted returns what a box is in lines of w cells. Where there are too many, its name loses its beginning, not its
// figures.
func (p *Map) fitted(b treemap.Box, w, rows int) []string {
	const step, least = 4, 12
	names := widget.Clean(p.named(b, false))
	lines := widget.Wrap(widget.Clean(names+": "+p.said(b)), w)
	for most := widget.Width(names) - step; len(lines) > rows && most >= least; most -= step {
		lines = widget.Wrap(widget.Clean(widget.TruncateLeft(names, most)+": "+p.said(b)), w)
	}
	return lines[:min(len(lines), rows)]
}

// meaning says what areas and colors are.
func (p *Map) meaning() string {
	if p.now.unlike != "" {
		return p.now.unlike
	}
	if p.now.key.two {
		return "Area: " + p.what() + ", of the larger side. + grew, - shrank, = stayed."
	}
	text := "Area: " + p.what() + "."
	switch {
	case p.facet == model.FacetTimeline|model.FacetPages:
		return text + " Gray is free."
	case p.widget.Lines:
		return text
	}
	return text + " Color: the name; gray: groups and small parts."
}

// sentence says what a box is.
func (p *Map) sentence(b treemap.Box, full bool) string { return p.named(b, full) + ": " + p.said(b) }

// said returns the figures of a box.
func (p *Map) said(b treemap.Box) string {
	t := p.now
	if t.key.two {
		return p.amount(b.Sides[0]) + " " + p.Look.Glyphs.ArrowRight + " " + p.amount(b.Sides[1]) + " (" +
			p.DeltaCell(b.Sides[0], b.Sides[1], p.amount).Text + ", " + ui.PercentChange(p.Look, b.Sides[0], b.Sides[1]) + ")"
	}
	weight := b.Sides[1]
	said := fmt.Sprintf("%s, %s of all", p.amount(weight), ui.PartText(weight, t.Nodes[0].Weight))
	if up := t.Nodes[b.Node].Parent; b.Node > 0 && up > 0 && b.Merged == 0 {
		said += fmt.Sprintf(", %s of %s", ui.PartText(weight, t.Nodes[up].Weight), t.Nodes[up].Label(false))
	}
	return said
}

// named returns the name of a part, and what it is in: of a file and a module the file is enough.
func (p *Map) named(b treemap.Box, full bool) string {
	t, sep := p.now, " "+p.Look.Glyphs.ArrowRight+" "
	var names []string
	for _, n := range t.Path(b.Node) {
		at := &t.Nodes[n]
		if at.Kind == treemap.File {
			names = nil
		}
		names = append(names, at.Label(full || at.Kind.IsPlace()))
	}
	if b.Merged > 0 {
		names = append(names, p.label(b, full))
	}
	return strings.Join(names, sep)
}

// emptyText says why there is no map, and what to do; nil where there is one.
func (p *Map) emptyText() []string {
	switch {
	case p.facet == model.FacetHeaps && p.load == nil:
		return p.Loads.Waiting(&p.State)
	case p.facet == model.FacetHeaps && p.load.Unlinked():
		return p.UnlinkedText(p.load)
	case p.none && p.State.Compare.On:
		return []string{"These two sides have no areas in common: Stacks compares them."}
	case p.none:
		return []string{"There is nothing to divide yet."}
	}
	if why := ui.Unanswered(p.trees); why != nil {
		return why
	}
	switch {
	case p.now == nil && p.facet == model.FacetHeaps:
		return []string{"Computing dominators…", p.Loads.Progress()}
	case p.now == nil:
		return []string{"Adding up…"}
	case p.now.Nodes[0].Weight > 0:
		return nil
	case p.facet == model.FacetProfile:
		return p.Prof.NoWeight(p.Env, p.Prof.Key(&p.State))
	}
	if p.facet != model.FacetAllocations {
		return []string{"Nothing here has any bytes."}
	}
	return []string{"Nothing here has " + p.what() + ".", p.Hint("{back} removes the last filter, {clear-range} the range, {treemap.cost} shows another cost.")}
}
