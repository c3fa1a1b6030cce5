package views

import (
	"context"
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

// The lists of the Object screen, in the order of Tab.
const (
	listOut = iota
	listIn
	listPath
	listCount
)

// heapObject shows one row: what it is, its references, and the shortest way to it from the root.
type heapObject struct {
	pane
	refs  *lazy[refKey, *refSet]
	paths *lazy[pathKey, *pathSet]
	lists [listCount]refList
	focus int
	big   bool

	load    *heapLoad
	graph   *heapGraph // of what is shown; nil before
	set     *refSet
	path    *pathSet
	shown   model.Row
	single  bool // references are not grouped
	onlyOut refOnly
	onlyIn  refOnly
	text    string // what is searched
}

func newHeapObject(e *env) *heapObject {
	p := &heapObject{pane: newPane(e)}
	p.refs = newLazy(e, fetchRefs)
	p.paths = newLazy(e, func(ctx context.Context, k pathKey) (*pathSet, error) { return fetchPath(ctx, k) })
	for i := range p.lists {
		p.lists[i].p, p.lists[i].path = p, i == listPath
		p.lists[i].List = widget.List{Table: &p.lists[i], SortColumn: -1, Column: -1}
	}
	return p
}

func (p *heapObject) name() string          { return "Object" }
func (p *heapObject) action() keymap.Action { return keymap.ShowObject }
func (p *heapObject) needs() model.Facet    { return model.FacetHeaps }
func (p *heapObject) scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeObject, keymap.ScopeTable, keymap.ScopeHeap}
}
func (p *heapObject) command() []string { return nil }

// commandLine implements commander.
func (p *heapObject) commandLine(file []string) []string {
	verb := "object"
	if p.focus == listPath {
		verb = "path"
	}
	return heapCommand(&p.state, verb, file, fmt.Sprint(uint32(p.shown)))
}

func (p *heapObject) about() string {
	if p.graph == nil {
		return ""
	}
	return rowText(p.shown)
}

// show implements screen.
func (p *heapObject) show(s *State) {
	p.state = *s
	p.load = p.loads.ask(s)
	if p.load == nil {
		p.graph = nil
		return
	}
	if g := p.loads.askGraph(p.load, s.Heap.Policy); g != nil {
		p.adopt(g, s)
	}
	if p.load.unlinked() {
		p.graph = nil
	}
	if p.graph == nil {
		return
	}
	p.refs.ask(refKey{p.graph, p.shown, !p.single, p.onlyOut, p.onlyIn})
	p.paths.ask(pathKey{p.graph, p.shown, s.Heap.Without})
	if set, ok := p.refs.get(); ok && set.graph == p.graph && set.row == p.shown {
		p.set = set
		p.lists[listOut].set(set.out)
		p.lists[listIn].set(set.in)
	}
	if path, ok := p.paths.get(); ok && path.graph == p.graph && path.row == p.shown && path.without == s.Heap.Without {
		p.path = path
		p.lists[listPath].set(pathRefs(path))
	}
}

// adopt shows the state's row of a graph.
func (p *heapObject) adopt(g *heapGraph, s *State) {
	row := s.row()
	if g.i != s.snapshot() || int(row) >= g.Heap.Len() {
		row = model.RootRow
	}
	if g == p.graph && row == p.shown {
		return
	}
	if g != p.graph || row != p.shown {
		p.set, p.path = nil, nil
		p.onlyOut, p.onlyIn, p.text = refOnly{}, refOnly{}, ""
		for i := range p.lists {
			p.lists[i].rows = nil
			p.lists[i].Refresh()
			p.lists[i].Home()
		}
	}
	p.graph, p.shown = g, row
}

// pathRefs is a path as rows of a list.
func pathRefs(s *pathSet) []refRow {
	h := s.graph.Heap
	rows := make([]refRow, len(s.steps))
	for i, st := range s.steps {
		rows[i] = refRow{edge: uint32(i), end: st.Row, count: 1, bytes: h.Bytes(st.Row)}
		if i > 0 {
			rows[i].text = edgeText(h, st.Edge)
		}
	}
	return rows
}

// do implements screen.
func (p *heapObject) do(a keymap.Action) bool {
	if p.graph == nil {
		return a == keymap.Open && p.loads.resume()
	}
	l := &p.lists[p.focus]
	switch a {
	case keymap.Open, keymap.ObjectOf:
		p.open1(l)
	case keymap.NextPane:
		p.focus = (p.focus + 1) % listCount
	case keymap.PreviousPane:
		p.focus = (p.focus + listCount - 1) % listCount
	case keymap.Maximise:
		p.big = !p.big
	case keymap.Back:
		return p.back()
	case keymap.Group:
		p.single, p.onlyOut, p.onlyIn = !p.single, refOnly{}, refOnly{}
		p.changed()
	case keymap.Exclude:
		p.exclude(l)
	case keymap.DominatorsOf, keymap.HotPath:
		p.dominators(l, a == keymap.HotPath)
	case keymap.Sort, keymap.SortReverse, keymap.ColumnLeft, keymap.ColumnRight:
		p.order(l, a)
	default:
		return moveList(&l.List, a)
	}
	return true
}

// open1 shows the row at the end of the selected reference, or the members of the selected group.
func (p *heapObject) open1(l *refList) {
	v, ok := l.selectedRef()
	switch {
	case !ok:
	case v.count > 1 && p.focus == listOut:
		p.onlyOut = refOnly{true, v.edge, v.end}
		p.changed()
	case v.count > 1:
		p.onlyIn = refOnly{true, v.edge, v.end}
		p.changed()
	case v.end == p.shown:
		p.say("that is this row itself")
	default:
		p.visit(keymap.ShowObject, setRow{p.graph.i, v.end})
	}
}

func (p *heapObject) back() bool {
	switch {
	case p.text != "":
		p.find("")
	case p.onlyOut.set || p.onlyIn.set:
		p.onlyOut, p.onlyIn = refOnly{}, refOnly{}
		p.changed()
	case p.big:
		p.big = false
	default:
		return false
	}
	return true
}

// exclude leaves the selected retainer out of the path.
func (p *heapObject) exclude(l *refList) {
	v, ok := l.selectedRef()
	switch {
	case !ok:
	case p.focus == listOut:
		p.say("only what leads here can be left out: choose a reference in, or a step of the path")
	case v.count > 1:
		p.say("these are several: Enter lists them")
	case v.end == p.shown || v.end == model.RootRow:
		p.say("every way has this row: choose another one")
	default:
		if p.state.Heap.RowOf != p.graph.i { // the root, which nobody has chosen
			p.emit(setRow{p.graph.i, p.shown})
		}
		p.emit(exclude{v.end})
		p.say("looking for a way without " + model.Clean(namedRow(p.graph.Heap, v.end, p.state.FullName)) + ": u takes it back")
	}
}

// dominators shows what the row retains, or goes to its accumulation point.
func (p *heapObject) dominators(l *refList, accumulation bool) {
	row := p.shown
	if v, ok := l.selectedRef(); ok && p.focus == listPath {
		row = v.end
	}
	if accumulation {
		row = p.graph.Accumulation(row)
	}
	p.visit(keymap.ShowDominators, setTop{p.graph.i, row})
}

func (p *heapObject) order(l *refList, a keymap.Action) {
	if l.path {
		p.say("the steps of a path have an order of their own")
		return
	}
	switch {
	case a == keymap.SortReverse:
		l.up = !l.up
	case !l.by:
		l.by, l.sort, l.up = true, refCount, false
	case a == keymap.ColumnLeft:
		l.sort, l.up = max(l.sort-1, 0), false
	default:
		l.sort, l.up = (l.sort+1)%(refRetained+1), false
	}
	p.changed()
}

// find implements finder: only references that match are listed.
func (p *heapObject) find(text string) { p.text = strings.TrimSpace(text); p.changed() }
func (p *heapObject) findText() string { return p.text }

// click implements clicker.
func (p *heapObject) click(x, y int, double bool) {
	for i := range p.lists {
		l := &p.lists[i]
		if !l.area.Contains(x, y) {
			continue
		}
		p.focus = i
		if row, ok := l.HitRow(x, y); ok {
			l.Select(row)
			if double {
				p.open1(l)
			}
		}
	}
	p.changed()
}

func (p *heapObject) drag(_, _, _, _ int, _ bool) {}

func (p *heapObject) wheel(x, y, rows int) {
	for i := range p.lists {
		if p.lists[i].area.Contains(x, y) {
			p.lists[i].Scroll(rows)
		}
	}
	p.changed()
}

func (p *heapObject) copyText() string {
	if p.graph == nil {
		return ""
	}
	var out strings.Builder
	out.WriteString(model.Clean(namedRow(p.graph.Heap, p.shown, true)))
	for _, line := range p.facts() {
		out.WriteString("\n" + model.Clean(line))
	}
	if p.path != nil {
		for _, v := range pathRefs(p.path) {
			out.WriteString("\n" + model.Clean(v.text+" → "+namedRow(p.graph.Heap, v.end, true)))
		}
	}
	return out.String()
}

// drawEmpty says why nothing is shown.
func (p *heapObject) drawEmpty(s tcell.Screen, r widget.Rect) {
	lines := []string{"Looking for what holds what…", p.loads.progress()}
	switch z := p.loads.graph; {
	case p.load == nil:
		lines = p.loads.waiting(&p.state)
	case p.load.unlinked():
		lines = p.load.unlinkedText()
	case z.ready && z.err != nil:
		lines = []string{"Who holds whom cannot be told: " + z.err.Error()}
	}
	for i, l := range lines[:min(len(lines), r.H)] {
		widget.Print(s, r.X+1, r.Y+i, r.W-2, l, p.look.Muted)
	}
}
