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

// heapBy says what the rows of a table of groups are.
type heapBy uint8

const (
	byType heapBy = iota
	byRepr
	byTypeObject
	bySTable
	byFrame
)

// kind is the kind of the rows that are grouped.
func (b heapBy) kind() model.HeapKind {
	switch b {
	case byTypeObject:
		return model.KindTypeObject
	case bySTable:
		return model.KindSTable
	case byFrame:
		return model.KindFrame
	}
	return model.KindObject
}

// words names one group, many groups, and what is in them.
func (b heapBy) words() (one, many, in string) {
	switch b {
	case byRepr:
		return "REPR", "REPRs", "objects"
	case byTypeObject:
		return "type", "types", "type objects"
	case bySTable:
		return "type", "types", "STables"
	case byFrame:
		return "frame", "frames", "frames on the heap"
	}
	return "type", "types", "objects"
}

// heapGroups is the table of what is on the heap, by type or by frame.
type heapGroups struct {
	heapPane
	base     heapBy // byType or byFrame: which screen it is
	by       heapBy
	groups   *lazy[groupKey, *groupSet]
	retained *lazy[retainKey, *retainSet]
	ordered  *lazy[groupOrder, *groupTable]
	holders  *lazy[holderKey, *holderSet]
	objects  *heapObjects

	load  *heapLoad // that the table is about
	graph *heapGraph
	table *groupTable // what the list shows, nil before the first answer
	sort  groupColumn
	up    bool
}

func newHeapTypes(e *env) *heapGroups  { return newHeapGroups(e, byType) }
func newHeapFrames(e *env) *heapGroups { return newHeapGroups(e, byFrame) }

func newHeapGroups(e *env, base heapBy) *heapGroups {
	p := &heapGroups{heapPane: heapPane{pane: newPane(e)}, base: base, by: base, sort: groupBytes, objects: newHeapObjects(e)}
	p.groups = newLazy(e, fetchGroups)
	p.retained = newLazy(e, fetchRetained)
	p.ordered = newLazy(e, func(_ context.Context, k groupOrder) (*groupTable, error) { return orderGroups(k), nil })
	p.holders = newLazy(e, fetchHolders)
	p.list = widget.List{Table: p, Descending: true, Column: int(groupBytes)}
	p.sortBy, p.enter = p.order, p.openObjects
	return p
}

func (p *heapGroups) name() string {
	if p.base == byFrame {
		return "Frames"
	}
	return "Types"
}

func (p *heapGroups) action() keymap.Action {
	if p.base == byFrame {
		return keymap.ShowFrames
	}
	return keymap.ShowTypes
}

func (p *heapGroups) needs() model.Facet { return model.FacetHeaps }
func (p *heapGroups) scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeTable, keymap.ScopeHeap}
}
func (p *heapGroups) command() []string { return nil }

func (p *heapGroups) about() string {
	switch {
	case p.objects.open:
		return "objects"
	case p.by == byRepr:
		return "by REPR"
	case p.by == byTypeObject:
		return "type objects"
	case p.by == bySTable:
		return "STables"
	}
	return ""
}

// commandLine implements commander.
func (p *heapGroups) commandLine(file []string) []string {
	verb := "types"
	if p.base == byFrame {
		verb = "frames"
	}
	return heapCommand(&p.state, verb, file)
}

// heapCommand is the command that prints a table of a snapshot.
func heapCommand(s *State, verb string, file []string, more ...string) []string {
	words := append([]string{"memtui", "heap", verb}, file...)
	words = append(words, more...)
	if i := s.snapshot(); i >= 0 && verb != "snapshots" {
		words = append(words, "--snapshot", fmt.Sprint(i))
	}
	if s.Heap.Policy != heapgraph.RootEdges {
		words = append(words, "--edges", s.Heap.Policy.String())
	}
	return words
}

// show implements screen. What retains what is asked for last: the table does not wait for it.
func (p *heapGroups) show(s *State) {
	p.state = *s
	load := p.loads.ask(s)
	if load == nil {
		p.load, p.table = nil, nil
		p.list.Refresh()
		return
	}
	p.groups.ask(groupKey{load, p.by})
	set, ok := p.groups.get()
	if !ok {
		return
	}
	p.load = set.load
	p.graph = p.loads.askGraph(load, s.Heap.Policy)
	if load != set.load { // the table is still about another snapshot
		p.graph = nil
	}
	key := groupOrder{set: set, filter: s.Filter, sort: p.sort, up: p.up}
	if p.graph != nil && p.by != byRepr {
		p.retained.ask(retainKey{p.graph, p.by.kind()})
	}
	if got, ok := p.retained.get(); ok && p.by != byRepr && got.fits(set, s.Heap.Policy) {
		key.retained = got
	}
	p.ordered.ask(key)
	if p.table, ok = p.ordered.get(); !ok {
		return
	}
	p.list.Refresh()
	p.explain()
	if p.objects.open {
		p.objects.show(&p.state, p.load, p.graph)
	}
}

func (p *heapGroups) selected() (*heapgraph.HeapGroup, bool) {
	i, ok := p.list.Selected()
	if !ok || p.table == nil || i >= len(p.table.order) {
		return nil, false
	}
	return p.table.row(i), true
}

// Draw implements tview.Primitive.
func (p *heapGroups) Draw(s tcell.Screen) {
	r := p.rect()
	if p.objects.open {
		p.objects.SetRect(p.GetRect())
		p.objects.Draw(s)
		return
	}
	body := p.drawTitled(s, r, p.title(), p.answer())
	p.split(body)
	p.columns(p.listAt.W)
	p.list.Empty = p.emptyText()
	p.list.Highlight = filterWord(p.state.Filter)
	p.drawPanes(s)
}

func (p *heapGroups) title() string {
	t := [...]string{"Types", "REPRs", "Type objects", "STables", "Frames"}[p.by]
	if p.state.Filter != "" {
		t += " · filter “" + p.state.Filter + "”"
	}
	return t
}

// answer says how many groups there are, and how much they take.
func (p *heapGroups) answer() string {
	if p.table == nil || p.load == nil {
		return ""
	}
	t := p.table
	_, many, in := p.by.words()
	text := ""
	if p.load.i != p.state.snapshot() {
		text = fmt.Sprintf("still #%d: ", p.load.i)
	}
	if n := len(t.order); n != len(t.set.groups) {
		text += model.Group(uint64(n)) + " of "
	}
	return text + fmt.Sprintf("%s %s · %s in %s %s", model.Group(uint64(len(t.set.groups))), many,
		bytesText(t.shown.Bytes(), p.state.Exact), model.Group(t.shown.Count), in)
}

func (p *heapGroups) emptyText() []string {
	one, _, in := p.by.words()
	switch {
	case p.load == nil || p.table == nil:
		return p.loads.waiting(&p.state)
	case len(p.table.set.groups) > 0:
		return []string{"No " + one + " passes the filter “" + p.state.Filter + "”.", "Esc forgets the filter, / changes it."}
	case !p.load.heap.Complete:
		return []string{"The file ends within this snapshot, before anything of its " + in + ".", "h goes to the snapshot before."}
	}
	return []string{"This snapshot has no " + in + "."}
}

// do implements screen.
func (p *heapGroups) do(a keymap.Action) bool {
	if p.objects.open {
		return p.objects.do(a)
	}
	switch a {
	case keymap.Open:
		if p.table == nil {
			return p.loads.resume()
		}
		p.enter()
	case keymap.SortReverse:
		p.up = !p.up
		p.changed()
	case keymap.Group:
		p.nextGroup()
	case keymap.DominatorsOf, keymap.ObjectOf, keymap.HotPath, keymap.Exclude:
		p.openObjects()
		p.say("choose one of them: Enter shows it, D what it retains")
	default:
		return p.doTable(a)
	}
	return true
}

func (p *heapGroups) nextGroup() {
	if p.base == byFrame {
		p.say("frames are grouped in one way only")
		return
	}
	p.by = (p.by + 1) % byFrame
	if p.by == byRepr && p.sort == groupRetained {
		p.sort = groupBytes
	}
	p.list.Home()
	p.changed()
}

// order sorts by a column; by the same one again reverses.
func (p *heapGroups) order(col int) {
	col = skipColumns(int(p.sort), col, int(groupWhere)+1, func(col int) bool {
		return groupColumn(col) == groupShare || groupColumn(col) == groupRetained && p.by == byRepr
	})
	p.up = groupColumn(col) == p.sort && !p.up
	p.sort = groupColumn(col)
	p.changed()
}

// openObjects lists the rows of the selected group.
func (p *heapGroups) openObjects() {
	g, ok := p.selected()
	switch {
	case !ok:
	case p.by == byRepr:
		p.by = byType
		p.emit(setFilter{g.Repr})
		p.say("types whose name or REPR has “" + model.Clean(g.Repr) + "”: Esc shows all again")
	default:
		p.objects.start(groupName(g, p.by, p.state.FullName), p.by.kind(), g)
	}
}

func (p *heapGroups) click(x, y int, double bool) {
	if p.objects.open {
		p.objects.click(x, y, double)
		return
	}
	p.heapPane.click(x, y, double)
}

func (p *heapGroups) wheel(x, y, rows int) {
	if p.objects.open {
		p.objects.wheel(x, y, rows)
		return
	}
	p.heapPane.wheel(x, y, rows)
}

func (p *heapGroups) copyText() string {
	if p.objects.open {
		return p.objects.copyText()
	}
	g, ok := p.selected()
	if !ok {
		return ""
	}
	return model.Clean(groupName(g, p.by, true)) + "\n" + p.amounts(g)
}
