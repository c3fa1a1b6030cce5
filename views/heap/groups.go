package heap

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Groups is the table of the heap by type or by frame.
type Groups struct {
	objectsPane
	Frames     bool    // it is the screen of frames, not that of types
	by         int     // which of the groupings
	in         section // types of one group, which are listed in place of all
	groups     *ui.Lazy[groupKey, *groupSet]
	retained   *ui.Lazy[retainKey, *retainSet]
	exact      *ui.Lazy[exactKey, *exactSize] // of the selected group, where the table has a lower bound
	dominators *ui.Lazy[dominatorsKey, *dominatorGroups]
	held       *held
	around     *around
	table      *ui.Table[groupData, heapgraph.Group]

	requests int // of other screens that were followed

	load  *ui.HeapLoad // that the table is about
	graph *ui.HeapGraph
}

// NewTypes returns the screen of objects by type.
func NewTypes(e *ui.Env) *Groups { return newGroups(e, false) }

// NewFrames returns the screen of frames.
func NewFrames(e *ui.Env) *Groups { return newGroups(e, true) }

func newGroups(e *ui.Env, frames bool) *Groups {
	p := &Groups{objectsPane: newObjectsPane(e), Frames: frames}
	p.groups = ui.NewLazy(e, groupRows)
	p.retained = ui.NewLazy(e, computeRetained)
	p.exact = ui.NewLazy(e, computeExact)
	p.dominators = ui.NewLazy(e, groupDominators)
	p.table = ui.NewTable(e, &p.ListPane, groupData{set: &groupSet{schema: &noSchema}}, p.groupSpec())
	p.lists, p.Enter, p.held = p.table, p.openObjects, newHeld(e)
	p.around = newAround(e)
	return p
}

func (p *Groups) Name() string {
	if p.Frames {
		return "Frames"
	}
	return "Types"
}

func (p *Groups) Action() keymap.Action {
	if p.Frames {
		return keymap.ShowFrames
	}
	return keymap.ShowTypes
}

func (p *Groups) Needs() model.Facet {
	if p.Frames {
		return model.FacetHeaps | model.FacetHeapFrames
	}
	return model.FacetHeaps
}

func (p *Groups) Scopes() []keymap.Scope {
	if p.Frames || p.objects.open || p.held.open {
		return []keymap.Scope{keymap.ScopeTable, keymap.ScopeHeap}
	}
	return []keymap.Scope{keymap.ScopeTypes, keymap.ScopeTable, keymap.ScopeHeap}
}

func (p *Groups) Command() []string { return nil }

func (p *Groups) About() string {
	switch {
	case p.held.open:
		return "holders"
	case p.around.open:
		return "references"
	case p.objects.open:
		return "objects"
	}
	return p.grouping().about(schemaOf(&p.State))
}

// grouping returns the grouping of the table.
func (p *Groups) grouping() grouping {
	s := schemaOf(&p.State)
	if p.Frames {
		return frameGrouping(s)
	}
	list := groupings(s)
	return list[p.by%len(list)]
}

// CommandLine returns the command that prints what is shown.
func (p *Groups) CommandLine(file []string) []string {
	switch {
	case p.held.open:
		return p.held.command(file)
	case p.around.open:
		return p.around.command(file)
	}
	if p.objects.open {
		return p.objects.command(file)
	}
	verb := "types"
	if p.Frames {
		verb = "frames"
	}
	var q state.Question
	if key := p.table.Sorted().Key; key != diff.HeapBytes.String() && slices.Contains(diff.HeapFigureWords(), key) {
		q.By = key
	}
	if by := p.grouping(); by.axis > 0 {
		q.Group = schemaOf(&p.State).Axes[by.axis].Key
	}
	q.Filter = p.table.RowFilter(p.State.Filter)
	return command(&p.State, verb, q, file)
}

// FocusedList implements [ui.Lister].
func (p *Groups) FocusedList() *widget.List {
	switch {
	case p.held.open:
		return p.held.FocusedList()
	case p.around.open:
		return p.around.FocusedList()
	}
	return p.objectsPane.FocusedList()
}

// Sorting implements [ui.Sorting].
func (p *Groups) Sorting() (title, key string, usual bool) {
	switch {
	case p.held.open:
		return p.held.table.Sorting()
	case p.around.open:
		return p.around.table.Sorting()
	}
	return p.objectsPane.Sorting()
}

// Unprinted implements [ui.Unprinted].
func (p *Groups) Unprinted() string {
	if p.objects.open {
		return p.objects.unprinted()
	}
	if p.in.axis > 0 && !p.held.open && !p.around.open {
		axis := &schemaOf(&p.State).Axes[p.in.axis]
		return p.Hint("commands list types of every " + axis.Word + ": {back} goes back to the " + axis.Many)
	}
	if !p.Frames && !p.held.open && !p.around.open && p.grouping().set > 0 {
		return p.Hint("commands list no " + schemaOf(&p.State).Sets[p.grouping().set].Many +
			": {table.group} switches to the next grouping")
	}
	return ""
}

// command returns the command that prints a table of the snapshot shown; q says how.
func command(s *state.State, verb string, q state.Question, file []string) []string {
	if i := s.Snapshot(); i >= 0 && verb != "snapshots" {
		q.Snapshot = &i
	}
	words := append([]string{"memtui", "heap", verb}, file...)
	if s.Heap.Policy != 0 && verb != "snapshots" {
		q.Edges = s.Heap.Policy.Of(schemaOf(s)).Name
	}
	return append(words, q.Args()...)
}

// Show shows a state. Retained sizes are requested last: the table does not wait for them.
func (p *Groups) Show(s *state.State) {
	p.State = *s
	p.follow(s.Heap.Requests, s.Heap.Axis)
	load := p.Loads.Ask(s)
	g := p.grouping()
	p.table.Blank = groupData{set: &groupSet{groupKey: groupKey{by: g}, schema: schemaOf(s)}}
	if load == nil {
		p.load = nil
		p.table.Forget()
		return
	}
	p.groups.Ask(groupKey{load, g, p.in})
	set, ok := p.groups.Get()
	if !ok {
		return
	}
	p.load = set.load
	p.graph = p.Loads.AskGraph(load, s.Heap.Policy)
	if load != set.load { // the table is still about another snapshot
		p.graph = nil
	}
	d := groupData{set: set, full: s.FullName}
	if p.graph != nil {
		p.retained.Ask(retainKey{p.graph, g.by(schemaOf(s))})
	}
	if got, ok := p.retained.Get(); ok && got.fits(set, s.Heap.Policy) {
		d.retained = got
	}
	if !p.table.Ask(d, s.Filter) {
		return
	}
	p.explain()
	if p.held.open {
		p.held.show(&p.State, p.graph)
	}
	if p.around.open {
		p.around.show(&p.State, p.load)
	}
	if p.objects.open {
		p.objects.show(&p.State, p.load, p.graph)
	}
}

// follow lists what another screen asked for, in place of what was grouped and opened here.
func (p *Groups) follow(requests, axis int) {
	if requests == p.requests {
		return
	}
	p.requests, p.by, p.in = requests, axis, section{}
	p.objects.open, p.held.open, p.around.open = false, false, false
}

// Draw implements tview.Primitive.
func (p *Groups) Draw(s tcell.Screen) {
	r := p.Rect()
	if p.held.open {
		p.held.SetRect(p.GetRect())
		p.held.Draw(s)
		return
	}
	if p.around.open {
		p.around.SetRect(p.GetRect())
		p.around.Draw(s)
		return
	}
	if p.objects.open {
		p.objects.SetRect(p.GetRect())
		p.objects.Draw(s)
		return
	}
	body := p.DrawTitled(s, r, p.Title(), p.answer())
	p.Split(body)
	p.table.Layout(p.ListAt.W, &p.State)
	p.List.Empty = p.emptyText()
	p.DrawPanes(s)
}

// Title returns what the rows are.
func (p *Groups) Title() string {
	s := schemaOf(&p.State)
	t := p.grouping().title(s)
	if p.in.axis > 0 {
		t += fmt.Sprintf(" · %s: %s", s.Axes[p.in.axis].Word, s.Axes[p.in.axis].Text(p.in.value))
	}
	if p.State.Filter != "" {
		t += " · filter “" + p.State.Filter + "”"
	}
	return t
}

// answer returns how many objects the groups have, and their size. Objects come first: snapshots count objects that are
// classes, which are others than the classes that have objects.
func (p *Groups) answer() string {
	t := p.table.Now()
	if t == nil || p.load == nil {
		return ""
	}
	schema, by := schemaOf(&p.State), p.grouping()
	one, many, in := by.words(schema)
	still, bytes := "", ui.BytesText(t.Shown.Bytes(), p.State.Exact)
	if p.load.I != p.State.Snapshot() {
		still = fmt.Sprintf("still #%d: ", p.load.I)
	}
	groups := model.CountedAs(len(t.Rows), one, many)
	if n := len(t.Order); n != len(t.Rows) {
		groups = model.Group(uint64(n)) + " of " + groups
	}
	set := &schema.Sets[by.set]
	things := model.CountedAs(int(t.Shown.Count), strings.Replace(in, set.Many, set.One, 1), in)
	if p.Frames {
		return still + groups + " · " + bytes + " in " + things
	}
	return still + things + " of " + groups + " · " + bytes
}

func (p *Groups) emptyText() []string {
	_, _, in := p.grouping().words(schemaOf(&p.State))
	switch t := p.table.Now(); {
	case p.load == nil || t == nil:
		return p.Loads.Waiting(&p.State)
	case len(t.Rows) > 0:
		return noMatches(&p.Pane, p.State.Filter, true)
	case !t.Of.set.stated():
		return []string{schemaOf(&p.State).Axes[p.grouping().axis].NotStated("The file") + ".",
			p.Hint("{table.group} groups by another property.")}
	case !p.load.Heap.Complete:
		return []string{"The file ends within this snapshot, before its " + in + ".", p.Hint("{step-back} goes to the previous snapshot.")}
	}
	return []string{"This snapshot has no " + in + "."}
}

// Do carries out an action, or returns false if the screen has no such action.
func (p *Groups) Do(a keymap.Action) bool {
	switch {
	case p.held.open:
		return p.held.Do(a)
	case p.around.open:
		return p.around.Do(a)
	case p.objects.open:
		return p.objects.Do(a)
	}
	switch a {
	case keymap.OwnersOf:
		p.openOwners()
	case keymap.Pivot:
		p.openAround()
	case keymap.Open:
		if p.table.Now() == nil {
			return p.Loads.Resume()
		}
		p.Enter()
	case keymap.Group:
		p.nextGroup()
	case keymap.Back:
		if p.in.axis == 0 || p.State.Filter != "" {
			return p.DoTable(a)
		}
		p.leaveSection()
	case keymap.DominatorsOf, keymap.ObjectOf, keymap.HotPath, keymap.Exclude:
		p.openObjects()
		p.Say(p.Hint("select an object: {open} shows it, {dominators-of-this} what it retains"))
	default:
		return p.DoTable(a)
	}
	return true
}

func (p *Groups) nextGroup() {
	if p.Frames {
		p.Say("frames have only one grouping")
		return
	}
	if p.in.axis > 0 {
		p.leaveSection()
	}
	p.by = (p.by + 1) % len(groupings(schemaOf(&p.State)))
	p.List.Home()
	p.Changed()
}

// openObjects lists the rows of the selected group.
func (p *Groups) openObjects() {
	g, ok := p.table.Selected()
	s, by := schemaOf(&p.State), p.grouping()
	switch axis := &s.Axes[by.axis]; {
	case !ok || p.table.Now().Of.set.by != by: // the rows are still those of the grouping before
	case by.axis > 0 && !axis.ByRow:
		p.in, p.by = section{by.axis, g.Name}, 0
		p.table.Home()
		p.Emit(state.SetFilter{}) // of the groups
		p.Say(p.Hint("{open} lists the objects of one, {back} goes back to the " + axis.Many))
		p.Changed()
	case by.axis > 0:
		p.objects.start(axis.Word+" "+p.groupName(g, p.State.FullName), by.by(s), g)
	default:
		p.objects.start(p.groupName(g, p.State.FullName), by.by(s), g)
	}
}

// leaveSection shows the groups again, one of which was opened.
func (p *Groups) leaveSection() {
	p.by, p.in = p.in.axis, section{}
	p.table.Home()
	p.Changed()
}

// openOwners shows the dominators of the objects of the selected type.
func (p *Groups) openOwners() {
	g, ok := p.table.Selected()
	switch {
	case !ok:
	case p.grouping() != (grouping{}) || p.Frames:
		p.Say(p.Hint("only types have retainers: {table.group} switches to types"))
	default:
		p.held.start(p.groupName(g, p.State.FullName), g.Name, g.ID)
	}
}

// Fields implements [ui.Filtered].
func (p *Groups) Fields() []analysis.Field {
	if p.around.open {
		return p.around.Fields()
	}
	return p.objectsPane.Fields()
}

// SearchText and Search implement [ui.Searcher]. The view of a type's references has a filter of its own.
func (p *Groups) SearchText() string {
	if p.around.open {
		return p.around.filter
	}
	return p.objectsPane.SearchText()
}

func (p *Groups) Search(text string) {
	if !p.around.open {
		p.objectsPane.Search(text)
		return
	}
	p.around.filter = text
	p.Changed()
}

// openAround shows the references of the objects of the selected type.
func (p *Groups) openAround() {
	g, ok := p.table.Selected()
	switch {
	case !ok:
	case p.grouping() != (grouping{}) || p.Frames:
		p.Say(p.Hint("only types have references that are summed: {table.group} switches to them"))
	default:
		p.around.start(p.groupName(g, p.State.FullName), g.Name, g.ID)
	}
}

func (p *Groups) Click(x, y int, double bool) {
	if p.around.open {
		p.around.Click(x, y, double)
		return
	}
	if p.held.open {
		p.held.Click(x, y, double)
		return
	}
	p.objectsPane.Click(x, y, double)
}

func (p *Groups) Wheel(x, y, rows int) {
	if p.around.open {
		p.around.Wheel(x, y, rows)
		return
	}
	if p.held.open {
		p.held.Wheel(x, y, rows)
		return
	}
	p.objectsPane.Wheel(x, y, rows)
}

func (p *Groups) CopyText() string {
	if p.around.open {
		return p.around.CopyText()
	}
	if p.held.open {
		return p.held.CopyText()
	}
	if p.objects.open {
		return p.objects.CopyText()
	}
	g, ok := p.table.Selected()
	if !ok {
		return ""
	}
	return model.Clean(p.groupName(g, true)) + "\n" + p.amounts(g)
}
