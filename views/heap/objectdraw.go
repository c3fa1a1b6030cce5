package heap

import (
	"fmt"
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Draw implements tview.Primitive. It shows the row, the path to it, and its references out and in.
func (p *object) Draw(s tcell.Screen) {
	r := p.Rect()
	for i := range p.lists {
		p.lists[i].ListAt = widget.Rect{}
	}
	if p.graph == nil || p.graph.Heap.Len() == 0 {
		p.drawEmpty(s, r)
		return
	}
	const low = 12
	if r.H < low {
		if r.H > 3 {
			var title widget.Rect
			title, r = r.CutTop(1)
			widget.TitleLine(s, title, p.Look, p.Title(), p.retains())
		}
		p.drawList(s, p.focus, r)
		return
	}
	title, r := r.CutTop(1)
	widget.TitleLine(s, title, p.Look, p.Title(), p.retains())
	for _, fact := range p.facts() {
		for _, line := range widget.Wrap(fact, max(r.W-2, 1)) {
			var row widget.Rect
			row, r = r.CutTop(1)
			widget.Print(s, row.X+1, row.Y, row.W-2, line, p.Look.Text)
		}
	}
	if p.big {
		p.drawList(s, p.focus, r)
		return
	}
	p.drawLists(s, r)
}

// drawLists divides the area between the lists: the path gets the lines for its steps, references get the rest. In a
// wide area, the fields of the row are at the left, and the references to it at the right.
func (p *object) drawLists(s tcell.Screen, r widget.Rect) {
	const wide = 110
	if r.W >= ui.SideWidth {
		left, right := r.CutLeft(r.W / 2)
		_, right = right.CutLeft(1)
		path, in := right.CutTop(min(max(p.lists[listPath].Len(), 1)+1, max(right.H/2, 4)))
		p.drawList(s, listOut, left)
		p.drawList(s, listPath, path)
		p.drawList(s, listIn, in)
		return
	}
	steps := min(max(p.lists[listPath].Len(), 1)+1, max(r.H/3, 4))
	path, r := r.CutTop(steps)
	p.drawList(s, listPath, path)
	if r.W >= wide {
		left, right := r.CutLeft(r.W / 2)
		p.drawList(s, listOut, left)
		_, right = right.CutLeft(1)
		p.drawList(s, listIn, right)
		return
	}
	half := r.H / 2
	if n := p.lists[listIn].Len() + 2; n < r.H-half {
		half = r.H - n
	} else if n := p.lists[listOut].Len() + 2; n < half {
		half = max(n, 3)
	}
	out, in := r.CutTop(half)
	p.drawList(s, listOut, out)
	p.drawList(s, listIn, in)
}

// drawList draws one list under its title.
func (p *object) drawList(s tcell.Screen, i int, r widget.Rect) {
	l := &p.lists[i]
	l.ListAt = r
	l.List.Focused = i == p.focus
	title, body := r.CutTop(1)
	look := *p.Look
	if l.List.Focused {
		look.Title = p.Look.Sorted
	}
	name, answer, empty := p.describe(i)
	widget.TitleLine(s, title, &look, name, answer)
	l.Layout(body.W, &p.State)
	l.List.Columns[0].MaxWidth = max(body.W/3, 12)
	l.List.HideHeader = l.path || body.H < 4
	l.List.Empty = []string{empty}
	l.List.Highlight = ui.FilterWord(p.text)
	l.List.Draw(s, body, p.Look)
}

// describe returns the title of a list, its answer, and the text to show when it is empty.
func (p *object) describe(i int) (name, answer, empty string) {
	switch {
	case i == listPath:
		return p.describePath()
	case i == listOut && p.texts.Failure() != nil && !p.plain:
		return "Fields", "unknown", ui.Unanswered(p.texts)[0]
	case i == listOut && p.listsFields():
		return "Fields", p.fields.heading(p.lists[i].Len()), p.none("It has no fields.")
	case p.refs.Failure() != nil:
		return [...]string{"References out", "References in"}[i], "unknown", ui.Unanswered(p.refs)[0]
	case p.set == nil:
		return [...]string{"References out", "References in"}[i], "", "searching…"
	case i == listOut:
		return "References out", p.refAnswer(p.set.outN, len(p.set.out), p.lists[i].Len(), p.onlyOut),
			p.none("It has no references to other objects.")
	}
	return "References in", p.refAnswer(p.set.inN, len(p.set.in), p.lists[i].Len(), p.onlyIn), p.none("It has no referrers.")
}

func (p *object) none(text string) string {
	if p.text != "" {
		return "None matches “" + p.text + "”: " + p.Hint("{back} shows all.")
	}
	return text
}

// refAnswer returns the number of references, and how they are grouped.
func (p *object) refAnswer(all, rows, shown int, only refOnly) string {
	text := model.Counted(all, "reference")
	switch {
	case only.set:
		text = fmt.Sprintf("%s of the same kind of %s", model.Group(uint64(rows)), model.Group(uint64(all)))
	case !p.single && rows != all:
		text += " in " + model.Counted(rows, "group")
	}
	if shown != rows {
		text += ", " + model.Group(uint64(shown)) + " matching"
	}
	return text
}

func (p *object) describePath() (name, answer, empty string) {
	name = "Shortest path from the root"
	if n := len(p.State.Heap.Excluded()); n > 0 {
		name += " without " + model.Counted(n, "object")
	}
	switch {
	case p.paths.Failure() != nil:
		return name, "unknown", ui.Unanswered(p.paths)[0]
	case p.path == nil:
		return name, "", "searching…"
	case !p.path.found && p.State.Heap.Without != "":
		return name, "none", p.Hint("There is no other path: every one contains an excluded object. {clear-range} includes all again.")
	case !p.path.found:
		return name, "none", "There is no path from the root: it is unreachable."
	}
	return name, p.path.summary(), ""
}

func (p *object) Title() string { return namedRow(p.graph.Heap, p.shown, p.State.FullName) }

func (p *object) retains() string {
	g := p.graph
	return fmt.Sprintf("retains %s in %s · %s", ui.BytesText(g.Retained[p.shown], p.State.Exact),
		retainedText(g, p.shown), ui.ShareText(ui.ShareOf(g.Retained[p.shown], g.Retained[model.RootRow])))
}

// heldByRoot says why nothing but the root dominates the row.
func (p *object) heldByRoot() string {
	others := func(v refRow) bool { return v.end != model.RootRow }
	switch {
	case p.set != nil && p.set.inN > 0 && !p.onlyIn.set && !slices.ContainsFunc(p.set.in, others):
		return "held by the root itself, and by no object"
	case p.path != nil && p.path.found && len(p.path.steps) == 2:
		return "held by the root itself, and by objects: none of these alone keeps it alive"
	}
	return "no single dominator: several paths lead here from the root"
}

// facts say in a few lines what the row is and what holds it.
func (p *object) facts() []string {
	g, h, r := p.graph, p.graph.Heap, p.shown
	what := kindText(h, r)
	for axis := 1; axis < len(h.Schema.Axes); axis++ {
		if text := h.OnAxis(axis, r); text != "" {
			what += " · " + text
		}
	}
	if id := h.IDText(r); id != "" {
		what += " · " + id
	}
	what += fmt.Sprintf(" · #%s of %s · %s", model.Group(uint64(r)), model.Group(uint64(h.Len())),
		sizeText(h.Schema, h.Managed(r), h.Unmanaged(r), p.State.Exact))
	held := "dominated by " + namedRow(h, g.Idom(r), p.State.FullName) + ", which retains " +
		ui.BytesText(g.Retained[g.Idom(r)], p.State.Exact)
	switch {
	case p.State.Heap.RowOf >= 0 && p.State.Heap.RowOf != p.State.Snapshot():
		held = fmt.Sprintf("the selected object is of snapshot #%d: object numbers do not carry over to another snapshot", p.State.Heap.RowOf)
	case r == model.RootRow:
		held = p.Hint("everything reachable is retained by it: {open} follows a reference, {dominators-of-this} shows what retains how much")
	case g.Idom(r) == model.RootRow:
		held = p.heldByRoot()
	}
	lines := []string{what, held}
	switch f := p.fields; {
	case f == nil:
	case f.text != "":
		lines = append(lines, "“"+model.Clean(f.text)+"”"+f.more)
	case !f.values && f.secret():
		lines = append(lines, p.Hint("values are hidden: {values} shows them"))
	}
	return lines
}
