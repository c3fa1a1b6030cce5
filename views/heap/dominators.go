package heap

import (
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Dominators descends the dominator tree: what a row retains, the largest first.
type Dominators struct {
	ui.TablePane
	sets  *ui.Lazy[domKey, *domSet]
	paths *ui.Lazy[pathKey, *pathSet]
	table *ui.Table[domData, domRow]

	load   *ui.HeapLoad
	graph  *ui.HeapGraph // of the table
	top    model.Row     // whose children are listed
	only   domOnly
	wanted domWant
	placed *domSet // the set whose wanted row was selected
}

// domOnly restricts children to those of one type or frame.
type domOnly struct {
	set    bool
	top    model.Row // below which
	kind   model.HeapKind
	entity uint32
}

// domWant is a row to select as soon as it is in the table.
type domWant struct {
	set bool
	row model.Row
}

// NewDominators returns the screen of what retains memory.
func NewDominators(e *ui.Env) *Dominators {
	p := &Dominators{TablePane: ui.NewTablePane(e)}
	p.sets = ui.NewLazy(e, listDominated)
	p.paths = ui.NewLazy(e, findPath)
	p.table = ui.NewTable(e, &p.ListPane, domData{domSet: &domSet{}}, p.domSpec())
	p.Enter = p.descend
	return p
}

func (p *Dominators) Name() string { return "Dominators" }

func (p *Dominators) Action() keymap.Action { return keymap.ShowDominators }

func (p *Dominators) Needs() model.Facet { return model.FacetHeaps }

func (p *Dominators) Scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeDominators, keymap.ScopeTable, keymap.ScopeHeap}
}

func (p *Dominators) Command() []string { return nil }

// CommandLine returns the command that lists what the row dominates directly.
func (p *Dominators) CommandLine(file []string) []string {
	top := int(p.top)
	q := state.Question{Below: &top}
	p.table.Narrow(&q, p.State.Filter)
	return command(&p.State, "dominators", q, file)
}

// Unprinted implements [ui.Unprinted].
func (p *Dominators) Unprinted() string {
	if p.State.Heap.ByType || p.only.set {
		return p.Hint("commands list single objects: {table.group} shows them")
	}
	return ""
}

func (p *Dominators) About() string {
	return p.State.Heap.Policy.Of(schemaOf(&p.State)).About
}

// Fields implements [ui.Filtered].
func (p *Dominators) Fields() []analysis.Field { return p.table.Fields() }

// Show shows a state.
func (p *Dominators) Show(s *state.State) {
	p.State = *s
	p.load = p.Loads.Ask(s)
	if p.load == nil || p.load.Unlinked() {
		p.graph = nil
		p.table.Forget()
	}
	if p.load == nil {
		return
	}
	g := p.Loads.AskGraph(p.load, s.Heap.Policy)
	if g == nil {
		p.List.Refresh()
		return
	}
	top := s.Top()
	if g.I != s.Snapshot() || int(top) >= g.Heap.Len() {
		top = model.RootRow
	}
	if p.only.top != top {
		p.only = domOnly{}
	}
	p.sets.Ask(domKey{graph: g, top: top, grouped: s.Heap.ByType && !p.only.set, only: p.only})
	set, ok := p.sets.Get()
	if !ok {
		return
	}
	if p.graph == nil || p.top != set.top || p.graph != set.graph {
		p.List.Home()
	}
	if !p.table.Ask(domData{set, s.FullName}, s.Filter) {
		return
	}
	p.adopt(p.table.Now().Of.domSet)
	p.explain()
}

// adopt updates the state for the rows in the list.
func (p *Dominators) adopt(t *domSet) {
	p.top, p.graph = t.top, t.graph
	if t.wanted.set && t != p.placed { // a row that dominates nothing: shown among its neighbors
		p.placed, p.wanted = t, t.wanted
	}
	if p.wanted.set && p.sets.Fresh() && p.table.Fresh() {
		p.List.SelectID(domID(p.wanted.row))
		p.wanted = domWant{}
	}
}

// Draw implements tview.Primitive.
func (p *Dominators) Draw(s tcell.Screen) {
	r := p.Rect()
	body := p.DrawTitled(s, r, p.Title(), p.answer())
	if body.H >= 6 && p.table.Now() != nil {
		var crumbs widget.Rect
		crumbs, body = body.CutTop(1)
		text := p.crumbs(crumbs.W - 2)
		widget.Print(s, crumbs.X+1, crumbs.Y, crumbs.W-2, text, p.Look.Muted)
	}
	p.Split(body)
	p.table.Layout(p.ListAt.W, &p.State)
	p.List.Empty = p.emptyText()
	p.DrawPanes(s)
}

// Title returns what the tree begins with.
func (p *Dominators) Title() string {
	if p.table.Now() == nil || p.top == model.RootRow {
		return "Dominators"
	}
	t := "Dominated by " + namedRow(p.graph.Heap, p.top, p.State.FullName)
	if p.only.set {
		t += " · " + p.OnlyText()
	}
	return t
}

// OnlyText returns which rows are shown, "" for all.
func (p *Dominators) OnlyText() string {
	h := p.graph.Heap
	switch k := h.Schema.Kind(p.only.kind); k.Naming {
	case model.NamedByFrame:
		name, file, line := h.Tables.Frame(p.only.entity)
		return "only " + frameText(name, file, line, p.State.FullName)
	case model.NamedByKind:
		return "only " + k.Title
	}
	return "only " + ui.HeapName(h.Tables.Type(p.only.entity))
}

func (p *Dominators) answer() string {
	if p.table.Now() == nil {
		return ""
	}
	text := ""
	if p.graph.I != p.State.Snapshot() {
		text = fmt.Sprintf("still #%d: ", p.graph.I)
	}
	g := p.graph
	if t := p.table.Now(); p.only.set { // not all of what the top retains
		return text + listedText(&p.Pane, setOf(g.Heap.Schema, p.only.kind), len(t.Order), len(t.Rows), t.Bytes)
	}
	text += ui.BytesText(g.Retained[p.top], p.State.Exact) + " in " + retainedText(g, p.top)
	if own := g.Heap.Bytes(p.top); own > g.Retained[p.top]/2 { // what is below is little
		text += ", itself " + ui.BytesText(own, p.State.Exact)
	}
	return text
}

// crumbs returns the path from the root to the row whose children are listed, or its end if it does not fit.
func (p *Dominators) crumbs(w int) string {
	h, full := p.graph.Heap, p.State.FullName
	text := namedRow(h, p.top, full)
	sep := " " + p.Look.Glyphs.ArrowRight + " "
	for r := p.top; r != model.RootRow; {
		r = p.graph.Idom(r)
		next := namedRow(h, r, full) + sep + text
		if widget.Width(next) > w-2 {
			return "… " + p.Look.Glyphs.ArrowRight + " " + widget.TruncateLeft(text, w-4)
		}
		text = next
	}
	return text
}

func (p *Dominators) emptyText() []string {
	switch t := p.table.Now(); {
	case p.load == nil:
		return p.Loads.Waiting(&p.State)
	case p.load.Unlinked():
		return p.UnlinkedText(p.load)
	case p.graph == nil:
		if z := p.Loads.Graph; z.Ready && z.Err != nil {
			return []string{"The dominators cannot be computed: " + z.Err.Error(), "Types and Frames work without them."}
		}
		return []string{"Computing dominators…", p.Loads.Progress()}
	case t != nil && len(t.Rows) > 0:
		return []string{"No matches for “" + p.State.Filter + "”.",
			p.Hint("{back} clears the filter, {dominators.collapse} goes up to the dominator."),
			p.Hint("The Types screen filters classes anywhere; {holders-of-this} there shows what holds them.")}
	}
	return []string{"This snapshot has no references, so it has no dominators.",
		p.Hint("The file ends within it: {step-back} goes to the previous snapshot.")}
}

// Do carries out an action, or returns false if the screen has no such action.
func (p *Dominators) Do(a keymap.Action) bool {
	switch a {
	case keymap.Collapse:
		p.ascend()
	case keymap.Expand:
		p.descend()
	case keymap.HotPath:
		p.accumulate()
	case keymap.ObjectOf:
		if v, ok := p.table.Selected(); ok {
			p.Visit(keymap.ShowObject, state.SetRow{Of: p.graph.I, Row: v.row})
		}
	case keymap.DominatorsOf:
		p.descend()
	case keymap.Group:
		p.only = domOnly{}
		p.List.Home()
		p.Emit(state.GroupTop{On: !p.State.Heap.ByType})
	case keymap.Back:
		return p.DoTable(a) || p.leaveGroup()
	default:
		return p.DoTable(a)
	}
	return true
}

// leaveGroup shows all children again; it returns false if all are shown.
func (p *Dominators) leaveGroup() bool {
	if !p.only.set {
		return false
	}
	p.only = domOnly{}
	p.Changed()
	return true
}

// ascend lists the children of the dominator of the rows shown.
func (p *Dominators) ascend() {
	switch {
	case p.leaveGroup(), p.table.Now() == nil:
	case p.top == model.RootRow:
		p.Say("this is the root: it has no dominator")
	default:
		p.wanted = domWant{true, p.top}
		p.Emit(state.SetTop{Of: p.graph.I, Row: p.graph.Idom(p.top)})
	}
}

// Unopened implements [ui.Unopener].
func (p *Dominators) Unopened() string {
	if v, ok := p.table.Selected(); ok && p.graph != nil && v.count <= 1 && p.graph.RetainedCount(v.row) == 1 {
		return p.Hint("it retains nothing else: {object-of-this} shows what it refers to")
	}
	return ""
}

// descend lists the children of the selected row, or the members of the selected group.
func (p *Dominators) descend() {
	v, ok := p.table.Selected()
	switch {
	case !ok:
		p.Loads.Resume()
	case v.count > 1:
		p.only = domOnly{true, p.top, v.kind, v.entity}
		p.List.Home()
		p.Changed()
	case p.graph.RetainedCount(v.row) == 1:
		p.Say(p.Unopened())
	default:
		p.only = domOnly{}
		p.Visit(keymap.ShowDominators, state.SetTop{Of: p.graph.I, Row: v.row})
	}
}

// accumulate descends to the accumulation point.
func (p *Dominators) accumulate() {
	from := p.top
	if v, ok := p.table.Selected(); ok {
		from = v.row
	}
	if p.graph == nil {
		return
	}
	to := p.graph.Accumulation(from)
	if to == p.top || p.graph.RetainedCount(to) == 1 {
		p.Say("this is the accumulation point already")
		return
	}
	p.Visit(keymap.ShowDominators, state.SetTop{Of: p.graph.I, Row: to})
	p.Say("accumulation point: below it memory is spread over many objects: " + model.Clean(namedRow(p.graph.Heap, to, p.State.FullName)))
}

// explain fills the detail pane: the selected row, and the shortest path to it.
func (p *Dominators) explain() {
	v, ok := p.table.Selected()
	if !ok {
		p.Detail.SetText(0, "", "", nil)
		return
	}
	h, g, exact := p.graph.Heap, p.graph, p.State.Exact
	lines := []widget.Line{ui.TextLine(fmt.Sprintf("retains %s (%s of all) in %s · itself %s", ui.BytesText(v.retained, exact),
		ui.ShareText(ui.ShareOf(v.retained, g.Retained[model.RootRow])), rowsText(v.rows), ui.BytesText(v.own, exact)))}
	if v.count > 1 {
		lines = append(lines, p.Note(p.Hint("{open} lists these "), model.Group(v.count), " objects"))
		p.Detail.SetText(domID(v.row), p.label(v), model.Counted(int(v.count), "object"), lines)
		return
	}
	p.paths.Ask(pathKey{graph: g, row: v.row})
	answer := kindText(h, v.row)
	if path, ok := p.paths.Get(); ok && p.paths.Fresh() {
		answer = path.summary()
		lines = append(lines, pathLines(&p.TablePane.Pane, path)...)
	}
	p.Detail.SetText(domID(v.row), namedRow(h, v.row, p.State.FullName), answer, lines)
}

func (p *Dominators) CopyText() string {
	v, ok := p.table.Selected()
	if !ok {
		return ""
	}
	return model.Clean(fmt.Sprintf("%s retains %s in %s", namedRow(p.graph.Heap, v.row, true),
		model.Bytes(v.retained).Exact(), rowsText(v.rows)))
}
