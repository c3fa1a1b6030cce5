package heap

import (
	"context"
	"fmt"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// heapBy says what the rows of a table of groups are.
type heapBy uint8

const (
	byType heapBy = iota
	byRepr
	byTypeObject
	bySTable
	ByFrame
)

// kind is the kind of the rows that are grouped.
func (b heapBy) kind() model.HeapKind {
	switch b {
	case byTypeObject:
		return model.KindTypeObject
	case bySTable:
		return model.KindSTable
	case ByFrame:
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
	case ByFrame:
		return "frame", "frames", "frames on the heap"
	}
	return "type", "types", "objects"
}

// HeapGroups is the table of what is on the heap, by type or by frame.
type HeapGroups struct {
	ui.HeapPane
	Base     heapBy // byType or ByFrame: which screen it is
	by       heapBy
	groups   *ui.Lazy[groupKey, *groupSet]
	retained *ui.Lazy[retainKey, *retainSet]
	ordered  *ui.Lazy[groupOrder, *groupTable]
	holders  *ui.Lazy[holderKey, *holderSet]
	objects  *heapObjects

	load  *ui.HeapLoad // that the table is about
	graph *ui.HeapGraph
	table *groupTable // what the list shows, nil before the first answer
	sort  groupColumn
	up    bool
}

// NewTypes returns the screen of objects by type.
func NewTypes(e *ui.Env) *HeapGroups { return newHeapGroups(e, byType) }

// NewFrames returns the screen of frames.
func NewFrames(e *ui.Env) *HeapGroups { return newHeapGroups(e, ByFrame) }

func newHeapGroups(e *ui.Env, base heapBy) *HeapGroups {
	p := &HeapGroups{HeapPane: ui.HeapPane{Pane: ui.NewPane(e)}, Base: base, by: base, sort: groupBytes, objects: newHeapObjects(e)}
	p.groups = ui.NewLazy(e, fetchGroups)
	p.retained = ui.NewLazy(e, fetchRetained)
	p.ordered = ui.NewLazy(e, func(_ context.Context, k groupOrder) (*groupTable, error) { return orderGroups(k), nil })
	p.holders = ui.NewLazy(e, fetchHolders)
	p.List = widget.List{Table: p, Descending: true, Column: int(groupBytes)}
	p.SortBy, p.Enter = p.order, p.openObjects
	return p
}

func (p *HeapGroups) Name() string {
	if p.Base == ByFrame {
		return "Frames"
	}
	return "Types"
}

func (p *HeapGroups) Action() keymap.Action {
	if p.Base == ByFrame {
		return keymap.ShowFrames
	}
	return keymap.ShowTypes
}

func (p *HeapGroups) Needs() model.Facet { return model.FacetHeaps }

func (p *HeapGroups) Scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeTable, keymap.ScopeHeap}
}

func (p *HeapGroups) Command() []string { return nil }

func (p *HeapGroups) About() string {
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

// CommandLine implements commander.
func (p *HeapGroups) CommandLine(file []string) []string {
	verb := "types"
	if p.Base == ByFrame {
		verb = "frames"
	}
	return heapCommand(&p.State, verb, file)
}

// heapCommand is the command that prints a table of a snapshot.
func heapCommand(s *state.State, verb string, file []string, more ...string) []string {
	words := append([]string{"memtui", "heap", verb}, file...)
	words = append(words, more...)
	var q state.Question
	if i := s.Snapshot(); i >= 0 && verb != "snapshots" {
		q.Snapshot = &i
	}
	if s.Heap.Policy != heapgraph.RootEdges && verb != "snapshots" {
		q.Edges = s.Heap.Policy.String()
	}
	return append(words, q.Args()...)
}

// Show implements screen. What retains what is asked for last: the table does not wait for it.
func (p *HeapGroups) Show(s *state.State) {
	p.State = *s
	load := p.Loads.Ask(s)
	if load == nil {
		p.load, p.table = nil, nil
		p.List.Refresh()
		return
	}
	p.groups.Ask(groupKey{load, p.by})
	set, ok := p.groups.Get()
	if !ok {
		return
	}
	p.load = set.load
	p.graph = p.Loads.AskGraph(load, s.Heap.Policy)
	if load != set.load { // the table is still about another snapshot
		p.graph = nil
	}
	key := groupOrder{set: set, filter: s.Filter, sort: p.sort, up: p.up}
	if p.graph != nil && p.by != byRepr {
		p.retained.Ask(retainKey{p.graph, p.by.kind()})
	}
	if got, ok := p.retained.Get(); ok && p.by != byRepr && got.fits(set, s.Heap.Policy) {
		key.retained = got
	}
	p.ordered.Ask(key)
	if p.table, ok = p.ordered.Get(); !ok {
		return
	}
	p.List.Refresh()
	p.explain()
	if p.objects.open {
		p.objects.show(&p.State, p.load, p.graph)
	}
}

func (p *HeapGroups) selected() (*heapgraph.HeapGroup, bool) {
	i, ok := p.List.Selected()
	if !ok || p.table == nil || i >= len(p.table.order) {
		return nil, false
	}
	return p.table.row(i), true
}

// Draw implements tview.Primitive.
func (p *HeapGroups) Draw(s tcell.Screen) {
	r := p.Rect()
	if p.objects.open {
		p.objects.SetRect(p.GetRect())
		p.objects.Draw(s)
		return
	}
	body := p.DrawTitled(s, r, p.Title(), p.answer())
	p.Split(body)
	p.columns(p.ListAt.W)
	p.List.Empty = p.emptyText()
	p.List.Highlight = ui.FilterWord(p.State.Filter)
	p.DrawPanes(s)
}

// Title says what the rows are.
func (p *HeapGroups) Title() string {
	t := [...]string{"Types", "REPRs", "Type objects", "STables", "Frames"}[p.by]
	if p.State.Filter != "" {
		t += " · filter “" + p.State.Filter + "”"
	}
	return t
}

// answer says how many groups there are, and how much they take.
func (p *HeapGroups) answer() string {
	if p.table == nil || p.load == nil {
		return ""
	}
	t := p.table
	_, many, in := p.by.words()
	text := ""
	if p.load.I != p.State.Snapshot() {
		text = fmt.Sprintf("still #%d: ", p.load.I)
	}
	if n := len(t.order); n != len(t.set.groups) {
		text += model.Group(uint64(n)) + " of "
	}
	return text + fmt.Sprintf("%s %s · %s in %s %s", model.Group(uint64(len(t.set.groups))), many,
		ui.BytesText(t.shown.Bytes(), p.State.Exact), model.Group(t.shown.Count), in)
}

func (p *HeapGroups) emptyText() []string {
	one, _, in := p.by.words()
	switch {
	case p.load == nil || p.table == nil:
		return p.Loads.Waiting(&p.State)
	case len(p.table.set.groups) > 0:
		return []string{"No " + one + " passes the filter “" + p.State.Filter + "”.", "Esc forgets the filter, / changes it."}
	case !p.load.Heap.Complete:
		return []string{"The file ends within this snapshot, before anything of its " + in + ".", "h goes to the snapshot before."}
	}
	return []string{"This snapshot has no " + in + "."}
}

// Do implements screen.
func (p *HeapGroups) Do(a keymap.Action) bool {
	if p.objects.open {
		return p.objects.Do(a)
	}
	switch a {
	case keymap.Open:
		if p.table == nil {
			return p.Loads.Resume()
		}
		p.Enter()
	case keymap.SortReverse:
		p.up = !p.up
		p.Changed()
	case keymap.Group:
		p.nextGroup()
	case keymap.DominatorsOf, keymap.ObjectOf, keymap.HotPath, keymap.Exclude:
		p.openObjects()
		p.Say("choose one of them: Enter shows it, D what it retains")
	default:
		return p.DoTable(a)
	}
	return true
}

func (p *HeapGroups) nextGroup() {
	if p.Base == ByFrame {
		p.Say("frames are grouped in one way only")
		return
	}
	p.by = (p.by + 1) % ByFrame
	if p.by == byRepr && p.sort == groupRetained {
		p.sort = groupBytes
	}
	p.List.Home()
	p.Changed()
}

// order sorts by a column; by the same one again reverses.
func (p *HeapGroups) order(col int) {
	col = ui.SkipColumns(int(p.sort), col, int(groupWhere)+1, func(col int) bool {
		return groupColumn(col) == groupShare || groupColumn(col) == groupRetained && p.by == byRepr
	})
	p.up = groupColumn(col) == p.sort && !p.up
	p.sort = groupColumn(col)
	p.Changed()
}

// openObjects lists the rows of the selected group.
func (p *HeapGroups) openObjects() {
	g, ok := p.selected()
	switch {
	case !ok:
	case p.by == byRepr:
		p.by = byType
		p.Emit(state.SetFilter{Text: g.Repr})
		p.Say("types whose name or REPR has “" + model.Clean(g.Repr) + "”: Esc shows all again")
	default:
		p.objects.start(groupName(g, p.by, p.State.FullName), p.by.kind(), g)
	}
}

func (p *HeapGroups) Click(x, y int, double bool) {
	if p.objects.open {
		p.objects.Click(x, y, double)
		return
	}
	p.HeapPane.Click(x, y, double)
}

func (p *HeapGroups) Wheel(x, y, rows int) {
	if p.objects.open {
		p.objects.Wheel(x, y, rows)
		return
	}
	p.HeapPane.Wheel(x, y, rows)
}

func (p *HeapGroups) CopyText() string {
	if p.objects.open {
		return p.objects.CopyText()
	}
	g, ok := p.selected()
	if !ok {
		return ""
	}
	return model.Clean(groupName(g, p.by, true)) + "\n" + p.amounts(g)
}
