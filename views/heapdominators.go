package views

import (
	"context"
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// heapDominators descends the dominator tree: what a row holds alone, the heaviest first.
type heapDominators struct {
	heapPane
	tables *lazy[domKey, *domTable]
	paths  *lazy[pathKey, *pathSet]

	load    *heapLoad
	graph   *heapGraph // of the table
	table   *domTable  // what the list shows, nil before the first answer
	top     model.Row  // whose children are listed
	grouped bool
	only    domOnly
	sort    domColumn
	up      bool
	wanted  domWant
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

func newHeapDominators(e *env) *heapDominators {
	p := &heapDominators{heapPane: heapPane{pane: newPane(e)}, sort: domRetained}
	p.tables = newLazy(e, fetchDominated)
	p.paths = newLazy(e, fetchPath)
	p.list = widget.List{Table: p, Descending: true, Column: -1}
	p.sortBy, p.enter = p.order, p.descend
	return p
}

func (p *heapDominators) name() string          { return "Dominators" }
func (p *heapDominators) action() keymap.Action { return keymap.ShowDominators }
func (p *heapDominators) needs() model.Facet    { return model.FacetHeaps }
func (p *heapDominators) scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeDominators, keymap.ScopeTable, keymap.ScopeHeap}
}
func (p *heapDominators) command() []string { return nil }

// commandLine implements commander.
func (p *heapDominators) commandLine(file []string) []string {
	return heapCommand(&p.state, "dominators", file)
}

func (p *heapDominators) about() string {
	if p.state.Heap.Policy == heapgraph.AllEdges {
		return "all edges"
	}
	return ""
}

// show implements screen.
func (p *heapDominators) show(s *State) {
	p.state = *s
	p.load = p.loads.ask(s)
	if p.load == nil {
		p.graph, p.table = nil, nil
		p.list.Refresh()
		return
	}
	if p.load.unlinked() {
		p.graph, p.table = nil, nil
	}
	g := p.loads.askGraph(p.load, s.Heap.Policy)
	if g == nil {
		p.list.Refresh()
		return
	}
	top := s.top()
	if g.i != s.snapshot() || int(top) >= g.Heap.Len() {
		top = model.RootRow
	}
	if p.only.top != top {
		p.only = domOnly{}
	}
	p.tables.ask(domKey{graph: g, top: top, grouped: p.grouped && !p.only.set, only: p.only, filter: s.Filter, sort: p.sort, up: p.up})
	t, ok := p.tables.get()
	if !ok {
		return
	}
	if p.table == nil || p.table.top != t.top || p.table.graph != t.graph {
		p.list.Home()
	}
	p.table, p.top, p.graph = t, t.top, t.graph
	p.list.Refresh()
	if t.wanted.set && t.wanted != p.wanted { // a row that holds nothing: shown among its neighbours
		p.wanted = t.wanted
		p.list.SelectID(domID(t.wanted.row))
	} else if p.wanted.set && p.tables.fresh() {
		p.list.SelectID(domID(p.wanted.row))
		p.wanted = domWant{}
	}
	p.explain()
}

// Draw implements tview.Primitive.
func (p *heapDominators) Draw(s tcell.Screen) {
	r := p.rect()
	body := p.drawTitled(s, r, p.title(), p.answer())
	if body.H >= 6 && p.table != nil {
		var crumbs widget.Rect
		crumbs, body = body.CutTop(1)
		text := p.crumbs(crumbs.W - 2)
		widget.Print(s, crumbs.X+1, crumbs.Y, crumbs.W-2, text, p.look.Muted)
	}
	p.split(body)
	p.columns(p.listAt.W)
	p.list.Empty = p.emptyText()
	p.list.Highlight = filterWord(p.state.Filter)
	p.drawPanes(s)
}

func (p *heapDominators) title() string {
	if p.table == nil || p.top == model.RootRow {
		return "Dominators"
	}
	t := "Held by " + namedRow(p.graph.Heap, p.top, p.state.FullName)
	if p.only.set {
		t += " · " + p.onlyText()
	}
	return t
}

func (p *heapDominators) onlyText() string {
	h := p.graph.Heap
	if p.only.kind == model.KindFrame {
		name, file, line := h.Tables.Frame(p.only.entity)
		return "only " + frameText(name, file, line, p.state.FullName)
	}
	name, _ := h.Tables.Type(p.only.entity)
	return "only " + heapName(name)
}

func (p *heapDominators) answer() string {
	if p.table == nil {
		return ""
	}
	text := ""
	if p.graph.i != p.state.snapshot() {
		text = fmt.Sprintf("still #%d: ", p.graph.i)
	}
	return text + bytesText(p.graph.Retained[p.top], p.state.Exact) + " in " + rowsText(uint64(p.graph.RetainedCount[p.top]))
}

// crumbs is the way from the root to the row whose children are listed: its end, where not all of it fits.
func (p *heapDominators) crumbs(w int) string {
	h, full := p.graph.Heap, p.state.FullName
	text := namedRow(h, p.top, full)
	sep := " " + p.look.Glyphs.ArrowRight + " "
	for r := p.top; r != model.RootRow; {
		r = p.graph.Idom[r]
		next := namedRow(h, r, full) + sep + text
		if widget.Width(next) > w-2 {
			return "… " + p.look.Glyphs.ArrowRight + " " + widget.TruncateLeft(text, w-4)
		}
		text = next
	}
	return text
}

func (p *heapDominators) emptyText() []string {
	switch {
	case p.load == nil:
		return p.loads.waiting(&p.state)
	case p.load.unlinked():
		return p.load.unlinkedText()
	case p.graph == nil:
		if z := p.loads.graph; z.ready && z.err != nil {
			return []string{"What dominates what cannot be told: " + z.err.Error(), "Types and Frames show what there is."}
		}
		return []string{"Looking for what holds what…", p.loads.progress()}
	case p.state.Filter != "" && p.table != nil && p.table.all > 0:
		return []string{"Nothing directly below passes the filter “" + p.state.Filter + "”.", "Esc forgets the filter, Left goes out."}
	}
	return []string{"This snapshot has no references, so nothing holds anything.", "The file ends within it: h goes to the snapshot before."}
}

func (p *heapDominators) selected() (*domRow, bool) {
	i, ok := p.list.Selected()
	if !ok || p.table == nil || i >= len(p.table.rows) {
		return nil, false
	}
	return &p.table.rows[i], true
}

// do implements screen.
func (p *heapDominators) do(a keymap.Action) bool {
	switch a {
	case keymap.Collapse:
		p.ascend()
	case keymap.Expand:
		p.descend()
	case keymap.HotPath:
		p.accumulate()
	case keymap.ObjectOf:
		if v, ok := p.selected(); ok {
			p.visit(keymap.ShowObject, setRow{p.graph.i, v.row})
		}
	case keymap.DominatorsOf:
		p.descend()
	case keymap.Group:
		p.grouped, p.only = !p.grouped, domOnly{}
		p.list.Home()
		p.changed()
	case keymap.SortReverse:
		p.up = !p.up
		p.changed()
	case keymap.Back:
		return p.doTable(a) || p.leaveGroup()
	default:
		return p.doTable(a)
	}
	return true
}

// leaveGroup shows all children again; false when all are shown.
func (p *heapDominators) leaveGroup() bool {
	if !p.only.set {
		return false
	}
	p.only = domOnly{}
	p.changed()
	return true
}

// ascend lists the children of what dominates the rows shown.
func (p *heapDominators) ascend() {
	switch {
	case p.leaveGroup(), p.table == nil:
	case p.top == model.RootRow:
		p.say("this is the root: nothing holds it")
	default:
		p.wanted = domWant{true, p.top}
		p.emit(setTop{p.graph.i, p.graph.Idom[p.top]})
	}
}

// descend lists the children of the selected row, or the members of the selected group.
func (p *heapDominators) descend() {
	v, ok := p.selected()
	switch {
	case !ok:
		p.loads.resume()
	case v.count > 1:
		p.only = domOnly{true, p.top, v.kind, v.entity}
		p.list.Home()
		p.changed()
	case p.graph.RetainedCount[v.row] == 1:
		p.say("it holds nothing alone: O shows its references")
	default:
		p.only = domOnly{}
		p.visit(keymap.ShowDominators, setTop{p.graph.i, v.row})
	}
}

// accumulate descends to where what is retained spreads out.
func (p *heapDominators) accumulate() {
	from := p.top
	if v, ok := p.selected(); ok {
		from = v.row
	}
	if p.graph == nil {
		return
	}
	to := p.graph.Accumulation(from)
	if to == p.top || p.graph.RetainedCount[to] == 1 {
		p.say("it spreads out from here already")
		return
	}
	p.visit(keymap.ShowDominators, setTop{p.graph.i, to})
	p.say("below this row memory is spread over many: " + model.Clean(namedRow(p.graph.Heap, to, p.state.FullName)))
}

func (p *heapDominators) order(col int) {
	col = skipColumns(int(p.sort), col, int(domLabel)+1, func(col int) bool {
		return domColumn(col) == domBar || domColumn(col) == domShare
	})
	p.up = domColumn(col) == p.sort && !p.up
	p.sort = domColumn(col)
	p.changed()
}

// explain fills the detail pane: what the selected row is, and the shortest way to it.
func (p *heapDominators) explain() {
	v, ok := p.selected()
	if !ok {
		p.detail.set(0, "", "", nil)
		return
	}
	h, g, exact := p.graph.Heap, p.graph, p.state.Exact
	lines := []widget.Line{said(fmt.Sprintf("retains %s (%s of all) in %s · itself %s", bytesText(v.retained, exact),
		shareText(shareOf(v.retained, g.Retained[model.RootRow])), rowsText(v.rows), bytesText(v.own, exact)))}
	if v.count > 1 {
		lines = append(lines, p.note("Enter lists these ", model.Group(v.count), " rows"))
		p.detail.set(domID(v.row), p.label(v), plural(int(v.count), "row", "rows"), lines)
		return
	}
	p.paths.ask(pathKey{graph: g, row: v.row})
	answer := kindText(h, v.row)
	if path, ok := p.paths.get(); ok && p.paths.fresh() {
		answer = path.summary()
		lines = append(lines, p.pathLines(path)...)
	}
	p.detail.set(domID(v.row), namedRow(h, v.row, p.state.FullName), answer, lines)
}

func (p *heapDominators) copyText() string {
	v, ok := p.selected()
	if !ok {
		return ""
	}
	return model.Clean(fmt.Sprintf("%s retains %s in %s", namedRow(p.graph.Heap, v.row, true), model.Bytes(v.retained).Exact(), rowsText(v.rows)))
}

// fetchDominated lists what a row dominates directly. Of a row that dominates nothing its neighbours are listed.
func fetchDominated(ctx context.Context, k domKey) (*domTable, error) {
	children := k.graph.Children(k.top)
	t := &domTable{domKey: k, all: len(children)}
	if len(children) == 0 && k.top != model.RootRow {
		t.wanted = domWant{true, k.top}
		t.top = k.graph.Idom[k.top]
		children = k.graph.Children(t.top)
	}
	if err := t.fill(ctx, children); err != nil {
		return nil, err
	}
	t.arrange()
	return t, nil
}
