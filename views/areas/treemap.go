package areas

import (
	"cmp"
	"context"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/analysis/treemap"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// Map shows memory as rectangles within rectangles, each as large as what it weighs.
type Map struct {
	ui.Pane
	facet model.Facet
	trees *ui.Lazy[treeKey, *tree]
	now   *tree // what is drawn, nil before the first
	none  bool  // the state selects nothing
	ids   int   // number of stacks requested
	load  *ui.HeapLoad

	boxes    []treemap.Box
	drawn    drawnKey
	layouts  *treemap.Layouts
	at       []treemap.Step // the selected part
	followed state.Selection
	rest     bool // the small parts of it
	widget   widget.Treemap
}

// drawnKey determines the boxes.
type drawnKey struct {
	tree  *tree
	top   int32
	shape treemap.Shape
}

// StackMap is the treemap of a trace or a stack profile, whose parts select stacks.
type StackMap struct{ *Map }

// New returns the treemap of a trace: by module or folder, file and function.
func New(e *ui.Env) *StackMap { return &StackMap{newMap(e, model.FacetAllocations)} }

// NewProfile returns the treemap of a stack profile.
func NewProfile(e *ui.Env) *StackMap { return &StackMap{newMap(e, model.FacetProfile)} }

// NewHeap returns the treemap of heap snapshots: by type and retainer, or by dominators.
func NewHeap(e *ui.Env) *Map { return newMap(e, model.FacetHeaps) }

// NewDump returns the treemap of page layouts: by type of page.
func NewDump(e *ui.Env) *Map { return newMap(e, model.FacetTimeline|model.FacetPages) }

func newMap(e *ui.Env, facet model.Facet) *Map {
	p := &Map{Pane: ui.NewPane(e), facet: facet}
	p.trees = ui.NewLazy(e, func(ctx context.Context, k treeKey) (*tree, error) { return makeTree(ctx, e, k) })
	return p
}

func (p *Map) Name() string { return "Treemap" }

func (p *Map) Action() keymap.Action { return keymap.ShowTreemap }

func (p *Map) Needs() model.Facet { return p.facet }

func (p *Map) Scopes() []keymap.Scope {
	switch p.facet {
	case model.FacetProfile:
		return []keymap.Scope{keymap.ScopeTreemap, keymap.ScopeProfile}
	case model.FacetHeaps:
		return []keymap.Scope{keymap.ScopeTreemap, keymap.ScopeHeap}
	}
	return []keymap.Scope{keymap.ScopeTreemap}
}

// Useless implements [ui.Refuser].
func (p *Map) Useless(a keymap.Action) bool {
	switch a {
	case keymap.Group:
		return p.facet != model.FacetHeaps
	case keymap.Cost:
		return p.facet != model.FacetAllocations && p.facet != model.FacetProfile
	case keymap.Align, keymap.Match, keymap.Changes, keymap.Normalize:
		return true
	}
	return false
}

// Narrows implements [ui.Narrower].
func (p *StackMap) Narrows() bool { return true }

// Follows implements [ui.Follower].
func (p *StackMap) Follows() string { return "" }

// About implements [ui.Screen].
func (p *Map) About() string {
	if p.now != nil && p.now.key.dominated {
		return "dominators"
	}
	return ""
}

// Show implements [ui.Screen].
func (p *Map) Show(s *state.State) {
	p.State = *s
	k, ok := p.keyOf(s)
	if p.none = !ok; !ok {
		p.now = nil
		return
	}
	if p.facet == model.FacetHeaps && !p.decoded(s) {
		return
	}
	p.trees.Ask(k)
	if t, ok := p.trees.Get(); ok {
		p.now = t
	} else if p.trees.Fresh() {
		p.now = nil
	}
	p.adopt()
}

// decoded requests the snapshot that is shown, whose progress is said meanwhile.
func (p *Map) decoded(s *state.State) bool {
	if p.load = p.Loads.Ask(s); p.load == nil || p.load.Unlinked() {
		p.now = nil
		return false
	}
	return p.Loads.AskGraph(p.load, s.Heap.Policy) != nil
}

// adopt selects the part of the stack that was selected on another screen.
func (p *Map) adopt() {
	sel := p.State.Selected
	if p.now == nil || p.now.query == nil || !sel.Set || sel == p.followed || p.now.query.IDs == nil {
		return
	}
	p.followed = sel
	leaf, ok := p.State.Stacks().Node(sel.Stack)
	if !ok || !p.now.query.Stacks.Has(leaf) {
		return
	}
	if steps := treemap.StepsOf(p.now.query.Stacks, calltree.SiteNode(p.now.query.Stacks, leaf)); p.now.Find(steps) != 0 {
		p.at, p.rest = steps, false
		p.drawn = drawnKey{}
	}
}

// Area is a box with the way to its part.
type Area struct {
	treemap.Box
	Steps []treemap.Step
}

// Areas returns what was drawn last.
func (p *Map) Areas() (list []Area) {
	for _, b := range p.boxes {
		list = append(list, Area{b, p.now.Steps(b.Node)})
	}
	return list
}

// top returns the part that fills the screen.
func (p *Map) top() int32 {
	if p.now.key.dominated {
		return 0
	}
	return p.now.Find(unpack(p.State.Areas.Zoom))
}

// pack and unpack turn a way into a text that a state holds, and back.
func pack(steps []treemap.Step) string {
	var b strings.Builder
	for _, s := range steps {
		b.WriteByte('a' + byte(s.Kind))
		b.WriteString(strings.ReplaceAll(s.Name, "\x00", ""))
		b.WriteByte(0)
	}
	return b.String()
}

func unpack(text string) (steps []treemap.Step) {
	for part := range strings.SplitSeq(text, "\x00") {
		if part != "" {
			steps = append(steps, treemap.Step{Kind: treemap.Kind(part[0] - 'a'), Name: part[1:]})
		}
	}
	return steps
}

// selected returns the selected box; ok is false without one.
func (p *Map) selected() (b treemap.Box, ok bool) {
	if p.now == nil || p.widget.At < 0 || p.widget.At >= len(p.boxes) {
		return b, false
	}
	return p.boxes[p.widget.At], true
}

// Do implements [ui.Screen].
func (p *Map) Do(a keymap.Action) bool {
	moves := map[keymap.Action][2]int{keymap.Up: {0, -1}, keymap.Down: {0, 1}, keymap.Left: {-1, 0}, keymap.Right: {1, 0}}
	if m, ok := moves[a]; ok {
		if p.widget.Move(m[0], m[1]) {
			p.remember()
		}
		return true
	}
	switch a {
	case keymap.First, keymap.Last:
		p.goToEnd(a == keymap.Last)
	case keymap.Open, keymap.ZoomIn:
		p.zoomIn(a == keymap.Open)
	case keymap.ZoomOut:
		p.zoomOut()
	case keymap.ZoomReset:
		p.zoomTo(0)
	case keymap.Back:
		return p.zoomOut()
	case keymap.Cost:
		if p.facet != model.FacetAllocations {
			return false
		}
		p.Emit(state.NextCost{})
	case keymap.Group:
		if p.Useless(a) {
			return false
		}
		p.Emit(state.ByDominator{On: !p.State.Areas.Dominated})
	case keymap.ObjectOf, keymap.DominatorsOf:
		return p.visitObject(a)
	default:
		return false
	}
	return true
}

// remember keeps the selection for the next layout.
func (p *Map) remember() {
	if b, ok := p.selected(); ok {
		p.at, p.rest = p.now.Steps(b.Node), b.Merged > 0
	}
	p.Changed()
}

// goToEnd selects the largest box, or the last one.
func (p *Map) goToEnd(last bool) {
	for i := range p.boxes {
		if !p.boxes[i].Outer {
			if p.widget.At = i; !last {
				break
			}
		}
	}
	p.remember()
}

// zoomIn gives the part of what fills the screen that has the selection the whole area; where it has no parts, opens it.
func (p *Map) zoomIn(open bool) {
	b, ok := p.selected()
	if !ok {
		if why := p.emptyText(); why != nil {
			p.Say(why[0])
		}
		return
	}
	base, to := p.now.Chain(p.top()), b.Node
	for to != 0 && p.now.Nodes[to].Parent != base {
		to = p.now.Nodes[to].Parent
	}
	switch {
	case to == 0 || b.Merged > 0 && b.Node == base:
		p.Say("these parts are too small to be drawn separately: " + p.Hint("{copy-command} copies the command that lists them"))
	case p.now.key.dominated && p.now.Nodes[to].Kind == treemap.Object &&
		p.now.graph.RetainedCount(model.Row(p.now.Nodes[to].Ref)) > 1:
		p.at, p.rest = nil, false
		p.Emit(state.SetTop{Of: p.State.Snapshot(), Row: model.Row(p.now.Nodes[to].Ref)})
	case !p.now.key.dominated && p.now.Nodes[to].Len > 0:
		p.zoomTo(to)
	case open:
		p.open(b.Node)
	}
}

func (p *Map) zoomTo(n int32) {
	switch {
	case p.now == nil:
	case p.now.key.dominated:
		p.Emit(state.SetTop{Of: p.State.Snapshot(), Row: model.RootRow})
	default:
		p.Emit(state.ZoomAreas{Zoom: pack(p.now.Steps(n))})
	}
}

// zoomOut shows the next larger part; it returns false where everything is shown.
func (p *Map) zoomOut() bool {
	if p.now == nil {
		return false
	}
	if p.now.key.dominated {
		if p.now.key.top == model.RootRow {
			return false
		}
		p.at, p.rest = nil, false
		p.Emit(state.SetTop{Of: p.State.Snapshot(), Row: p.now.graph.Idom(p.now.key.top)})
		return true
	}
	at := p.top()
	if at == 0 {
		if p.State.Areas.Zoom != "" { // of a part that is not there now
			p.Emit(state.ZoomAreas{})
			return true
		}
		return false
	}
	to := p.now.Nodes[at].Parent
	for to != 0 && p.now.Chain(to) == p.now.Chain(at) { // what looks the same
		to = p.now.Nodes[to].Parent
	}
	p.zoomTo(to)
	return true
}

// open leads from a part without parts to the screen about it.
func (p *Map) open(n int32) {
	at := &p.now.Nodes[n]
	if p.now.key.two && p.facet == model.FacetHeaps && at.Sides[treemap.After] == 0 {
		p.Say("nothing of it is in the second snapshot")
		return
	}
	switch at.Kind {
	case treemap.Function:
		p.openFunction(at)
	case treemap.Object, treemap.Own:
		p.visitObject(keymap.ObjectOf)
	case treemap.Retainer:
		p.Visit(keymap.ShowTypes, state.ListGroups{Text: ui.FilterFor(p.now.Nodes[at.Parent].Name)})
	case treemap.Type, treemap.Rest:
		up := model.Row(p.now.Nodes[at.Parent].Ref)
		p.Visit(keymap.ShowDominators, state.SetTop{Of: p.State.Snapshot(), Row: up}, state.GroupTop{On: true})
	case treemap.Bits:
		p.Visit(keymap.ShowPages)
	default:
		p.Say("this part has no parts")
	}
}

func (p *Map) openFunction(at *treemap.Node) {
	if p.facet == model.FacetProfile {
		p.Visit(keymap.ShowStacks, state.Seek{Name: at.Name})
		return
	}
	if at.Sides[treemap.After] == 0 || int(at.Ref) >= len(p.now.query.IDs) || p.now.key.sides[1].trace != p.Trace {
		p.Say("nothing of it is in this file at this moment")
		return
	}
	id := p.now.query.IDs[at.Ref]
	for i, known := range p.Trace.StackIDs() {
		if known == id {
			p.followed = state.Selection{By: analysis.ByStack, Key: analysis.Key(i), Stack: id, Set: true}
			p.Visit(keymap.ShowSites, state.SetGroup{By: analysis.ByStack}, state.SelectKey{Sel: p.followed})
			return
		}
	}
}

// visitObject shows the object that is selected, or the largest one of the selected part.
func (p *Map) visitObject(a keymap.Action) bool {
	b, ok := p.selected()
	if !ok || p.now.graph == nil || b.Merged > 0 {
		return false
	}
	n := b.Node
	for p.now.Nodes[n].Len > 0 && p.now.Nodes[n].Kind != treemap.Object {
		n = p.now.Nodes[n].First
	}
	row := model.Row(p.now.Nodes[n].Ref)
	switch {
	case p.now.Nodes[n].Sides[treemap.After] == 0:
		p.Say("nothing of it is in the second snapshot")
	case row == model.RootRow:
		p.Say("this is the root of the heap")
	case a == keymap.ObjectOf:
		p.Visit(keymap.ShowObject, state.SetRow{Of: p.State.Snapshot(), Row: row})
	default:
		p.Visit(keymap.ShowDominators, state.SetTop{Of: p.State.Snapshot(), Row: row})
	}
	return true
}

// Function implements [ui.Functioner]: modules and files are named as filters of stacks name them.
func (p *StackMap) Function() string {
	b, ok := p.selected()
	if !ok || b.Merged > 0 {
		return ""
	}
	switch n := &p.now.Nodes[b.Node]; {
	case n.Name == "":
	case n.Kind == treemap.Module || n.Kind == treemap.Folder:
		return calltree.ModulePrefix + n.Name
	case n.Kind == treemap.File:
		return calltree.FilePrefix + n.Name
	case n.Kind == treemap.Function:
		return n.Name
	}
	return ""
}

// Place implements [ui.Placer]: that of the heaviest stack of the part.
func (p *StackMap) Place() (at lines.Place, ok bool) {
	b, ok := p.selected()
	if !ok || b.Merged > 0 || p.now.query == nil {
		return at, false
	}
	n := b.Node
	for p.now.Nodes[n].Len > 0 {
		n = p.now.Nodes[n].First
	}
	if i := p.now.Nodes[n].Ref; p.now.Nodes[n].Sides[treemap.After] > 0 && i < uint64(len(p.now.query.Leaves)) {
		return ui.PlaceOfNode(p.now.query.Stacks, p.now.query.Leaves[i])
	}
	return at, false
}

// Click implements [ui.Clicker]: a double click zooms.
func (p *Map) Click(x, y int, double bool) {
	i, ok := p.widget.Hit(x, y)
	if !ok {
		return
	}
	p.widget.At = i
	if p.remember(); double {
		p.zoomIn(true)
	}
}

func (p *Map) Drag(_, _, _, _ int, _ bool) {}

// Wheel implements [ui.Clicker]: it zooms.
func (p *Map) Wheel(_, _, rows int) {
	if rows < 0 {
		p.zoomIn(false)
	} else {
		p.zoomOut()
	}
}

// Working implements [ui.Worker].
func (p *Map) Working() bool { return p.facet == model.FacetHeaps && p.trees.Running() }

// StopWork implements [ui.Worker].
func (p *Map) StopWork() { p.trees.Stop() }

// CopyText implements [ui.Screen].
func (p *Map) CopyText() string {
	b, ok := p.selected()
	if !ok {
		return ""
	}
	return widget.Clean(p.sentence(b, true))
}

// Command implements [ui.Screen].
func (p *Map) Command() []string {
	q := p.question()
	switch at := p.zoomed(); {
	case p.now == nil:
	case p.now.key.dominated && p.now.key.top != model.RootRow:
		row := int(p.now.key.top)
		q.Below = &row
	default:
		q.Within = at
	}
	return q.Args()
}

// zoomed returns the names that lead to the part that fills the screen.
func (p *Map) zoomed() (names []string) {
	if p.now == nil || p.now.key.dominated {
		return nil
	}
	for _, n := range p.now.Path(p.top()) {
		names = append(names, cmp.Or(p.now.Nodes[n].Name, p.now.Nodes[n].Label(true)))
	}
	return names
}

// question returns the question that the complete treemap answers.
func (p *Map) question() state.Question {
	q := state.Question{Table: "treemap"}
	s := &p.State
	switch p.facet {
	case model.FacetAllocations:
		q.By = state.CostKey(s.Cost)
	case model.FacetProfile:
		q = p.Prof.Question(s)
		q.Table = "treemap"
	case model.FacetHeaps:
		n := s.Snapshot()
		if q.Snapshot = &n; s.Heap.Policy != 0 {
			q.Edges = s.Heap.Policy.Of(p.Heaps.Source().Schema()).Name
		}
		if s.Areas.Dominated {
			q.Table = "dominator_treemap"
		}
	default:
		n := p.Dump.Layout(s)
		q.Snapshot = &n
	}
	return q
}

// difference is the treemap while the difference is shown: parts are as large as the larger side, and colors say what
// grew.
type difference struct{ *Map }

func (p *difference) Scopes() []keymap.Scope { return append(p.Map.Scopes(), keymap.ScopeDifference) }

func (p *difference) About() string { return "difference" }

// CommandLine implements [ui.Commander].
func (p *difference) CommandLine(file []string) []string { return p.differenceCommand(file) }

// stackDifference is that of a trace or a stack profile.
type stackDifference struct{ *StackMap }

func (p *stackDifference) Scopes() []keymap.Scope {
	return append(p.Map.Scopes(), keymap.ScopeDifference)
}

func (p *stackDifference) About() string { return "difference" }

// CommandLine implements [ui.Commander].
func (p *stackDifference) CommandLine(file []string) []string { return p.differenceCommand(file) }

// Difference implements [ui.Differing].
func (p *Map) Difference(func(ui.Screen, ui.DiffTable) ui.Screen) ui.Screen { return &difference{p} }

// Difference implements [ui.Differing].
func (p *StackMap) Difference(func(ui.Screen, ui.DiffTable) ui.Screen) ui.Screen {
	return &stackDifference{p}
}

// Draw implements tview.Primitive.
func (p *Map) Draw(s tcell.Screen) {
	body := p.DrawTitled(s, p.Rect(), p.title(), p.answer())
	if why := p.emptyText(); why != nil {
		p.widget.Boxes, p.boxes, p.drawn = nil, nil, drawnKey{}
		for _, line := range why {
			body = widget.PrintWrapped(s, body, line, p.Look.Muted)
		}
		return
	}
	if body.H >= 8 {
		var crumbs widget.Rect
		crumbs, body = body.CutTop(1)
		widget.Print(s, crumbs.X+1, crumbs.Y, crumbs.W-2, p.crumbs(crumbs.W-2), p.Look.Muted)
	}
	var foot widget.Rect
	if body.H >= 6 {
		body, foot = body.CutBottom(p.footRows(body))
	}
	p.arrange(body.Inset(1, 0))
	p.widget.Draw(s, body.Inset(1, 0), p.Look)
	p.drawFoot(s, foot)
}
