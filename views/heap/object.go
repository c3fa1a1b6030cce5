package heap

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// The lists of the Object screen, in the order of Tab.
const (
	listOut = iota
	listIn
	listPath
	listCount
)

// object shows one row: its description, its references, and the shortest path to it from the root.
type object struct {
	ui.Pane
	refs  *ui.Lazy[refKey, *refSet]
	paths *ui.Lazy[pathKey, *pathSet]
	texts *ui.Lazy[fieldKey, *fieldSet]
	lists [listCount]refList
	focus int
	big   bool

	load    *ui.HeapLoad
	graph   *ui.HeapGraph // of what is shown; nil before
	set     *refSet
	fields  *fieldSet // nil before, or if files have no contents
	path    *pathSet
	shown   model.Row
	single  bool // references are not grouped
	plain   bool // references out are listed where fields could be
	onlyOut refOnly
	onlyIn  refOnly
	text    string // filter of references
}

// NewObject returns the screen of one object and its references.
func NewObject(e *ui.Env) *object {
	p := &object{Pane: ui.NewPane(e)}
	p.refs = ui.NewLazy(e, listRefs)
	p.paths = ui.NewLazy(e, func(ctx context.Context, k pathKey) (*pathSet, error) { return findPath(ctx, k) })
	p.texts = ui.NewLazy(e, readFields)
	for i := range p.lists {
		l := &p.lists[i]
		l.path = i == listPath
		l.Table = ui.NewTable(e, &l.ListPane, refData{}, l.spec())
	}
	return p
}

func (p *object) Name() string { return "Object" }

func (p *object) Action() keymap.Action { return keymap.ShowObject }

func (p *object) Needs() model.Facet { return model.FacetHeaps }

func (p *object) Scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeObject, keymap.ScopeTable, keymap.ScopeHeap}
}

// Reveals implements [ui.Revealer].
func (p *object) Reveals() bool { return p.fields != nil && (p.fields.values || p.fields.secret()) }

// Useless implements [ui.Refuser]. The shown row and the root are on every path, and referenced rows are not retainers,
// so neither can be excluded.
func (p *object) Useless(a keymap.Action) bool {
	if a != keymap.Exclude {
		return false
	}
	v, ok := p.lists[p.focus].Selected()
	return !ok || p.focus == listOut || v.end == p.shown || v.end == model.RootRow
}

func (p *object) Command() []string { return nil }

// CommandLine returns the command that prints what is shown.
func (p *object) CommandLine(file []string) []string {
	verb := "object"
	if p.focus == listPath {
		verb = "path"
	}
	q := state.Question{Values: p.State.Values && p.focus != listPath && p.fields != nil}
	return command(&p.State, verb, q, append(slices.Clone(file), fmt.Sprint(uint64(p.shown))))
}

func (p *object) About() string {
	if p.graph == nil {
		return ""
	}
	return ui.RowText(p.shown)
}

// Show shows a state.
func (p *object) Show(s *state.State) {
	p.State = *s
	p.load = p.Loads.Ask(s)
	if p.load == nil {
		p.graph = nil
		return
	}
	if g := p.Loads.AskGraph(p.load, s.Heap.Policy); g != nil {
		p.adopt(g, s)
	}
	if p.load.Unlinked() {
		p.graph = nil
	}
	if p.graph == nil {
		return
	}
	p.refs.Ask(refKey{p.graph, p.shown, !p.single, p.onlyOut, p.onlyIn})
	p.paths.Ask(pathKey{p.graph, p.shown, s.Heap.Without})
	p.showFields()
	if set, ok := p.refs.Get(); ok && set.graph == p.graph && set.row == p.shown {
		p.set = set
		if !p.listsFields() {
			p.lists[listOut].Ask(refData{set: set, full: s.FullName}, p.text)
		}
		p.lists[listIn].Ask(refData{set: set, in: true, full: s.FullName}, p.text)
	}
	if path, ok := p.paths.Get(); ok && path.graph == p.graph && path.row == p.shown && path.without == s.Heap.Without {
		p.path = path
		p.lists[listPath].Ask(refData{path: path, full: s.FullName}, "")
	}
}

// showFields requests the contents of the row.
func (p *object) showFields() {
	if _, ok := model.HeapFacet[model.HeapTexts](p.graph.Heaps.Source()); !ok {
		return
	}
	key := fieldKey{p.graph, p.shown, p.State.Values}
	p.texts.Ask(key)
	if f, ok := p.texts.Get(); ok && f.fieldKey == key {
		p.fields = f
	}
	if p.fields == nil || !p.listsFields() {
		return
	}
	l := &p.lists[listOut]
	first := l.Now() == nil || l.Now().Of.fields == nil || l.Now().Of.fields.row != p.shown
	if l.Ask(refData{fields: p.fields, full: p.State.FullName}, p.text); first && l.Now() != nil &&
		l.Now().Of.fields == p.fields {
		l.selectReference()
	}
}

// listsFields reports whether fields are shown in place of outgoing references.
func (p *object) listsFields() bool {
	return p.fields != nil && p.fields.has && p.fields.total > 0 && !p.plain && !p.onlyOut.set
}

// adopt shows the state's row of a graph.
func (p *object) adopt(g *ui.HeapGraph, s *state.State) {
	row := s.Row()
	if g.I != s.Snapshot() || int(row) >= g.Heap.Len() {
		row = model.RootRow
	}
	if g == p.graph && row == p.shown {
		return
	}
	if g != p.graph || row != p.shown {
		p.set, p.path, p.fields = nil, nil, nil
		p.onlyOut, p.onlyIn, p.text = refOnly{}, refOnly{}, ""
		for i := range p.lists {
			p.lists[i].Forget()
			p.lists[i].List.Home()
		}
	}
	p.graph, p.shown = g, row
}

// pathRefs returns a path as rows of a list.
func pathRefs(s *pathSet) []refRow {
	h := s.graph.Heap
	rows := make([]refRow, len(s.steps))
	for i, st := range s.steps {
		rows[i] = refRow{edge: model.Ref(i), end: st.Row, count: 1, bytes: h.Bytes(st.Row)}
		if i > 0 {
			rows[i].text = edgeText(h, st.Edge)
		}
	}
	return rows
}

// Do carries out an action, or returns false if the screen has no such action.
func (p *object) Do(a keymap.Action) bool {
	if p.graph == nil {
		return a == keymap.Open && p.Loads.Resume()
	}
	l := &p.lists[p.focus]
	switch a {
	case keymap.Open, keymap.ObjectOf:
		p.open1(l)
	case keymap.NextPane:
		p.focus = (p.focus + 1) % listCount
	case keymap.PreviousPane:
		p.focus = (p.focus + listCount - 1) % listCount
	case keymap.Maximize:
		p.big = !p.big
	case keymap.Back:
		return p.back()
	case keymap.Group:
		p.group()
	case keymap.Exclude:
		p.exclude(l)
	case keymap.DominatorsOf, keymap.HotPath:
		p.dominators(l, a == keymap.HotPath)
	case keymap.Sort, keymap.SortReverse, keymap.ColumnLeft, keymap.ColumnRight:
		p.order(l, a)
	default:
		return ui.MoveList(&l.List, a)
	}
	return true
}

// group cycles from fields to groups of references, to single ones, and back.
func (p *object) group() {
	fields := p.fields != nil && p.fields.has && p.fields.total > 0 && p.focus == listOut
	switch {
	case fields && !p.plain:
		p.plain, p.single = true, false
	case fields && p.single:
		p.plain, p.single = false, false
	default:
		p.single = !p.single
	}
	p.onlyOut, p.onlyIn = refOnly{}, refOnly{}
	p.Changed()
}

// FocusedList implements [ui.Lister].
func (p *object) FocusedList() *widget.List { return &p.lists[p.focus].List }

// Hides implements [ui.Maximizer].
func (p *object) Hides() string {
	if !p.big {
		return ""
	}
	return [...]string{listOut: "path and references in", listIn: "path and references out or fields", listPath: "all references"}[p.focus]
}

// Unopened implements [ui.Unopener].
func (p *object) Unopened() string {
	switch v, ok := p.lists[p.focus].Selected(); {
	case ok && v.none:
		return "this is a value, not an object"
	case ok && v.count <= 1 && v.end == p.shown:
		return "this is the object itself"
	}
	return ""
}

// open1 shows the row at the end of the selected reference, or the members of the selected group.
func (p *object) open1(l *refList) {
	v, ok := l.Selected()
	switch {
	case !ok:
	case v.none:
		p.Say(p.Unopened())
	case v.count > 1 && p.focus == listOut:
		p.onlyOut = refOnly{true, v.edge, v.end}
		p.Changed()
	case v.count > 1:
		p.onlyIn = refOnly{true, v.edge, v.end}
		p.Changed()
	case v.end == p.shown:
		p.Say(p.Unopened())
	default:
		p.Visit(keymap.ShowObject, state.SetRow{Of: p.graph.I, Row: v.end})
	}
}

func (p *object) back() bool {
	switch {
	case p.text != "":
		p.Search("")
	case p.onlyOut.set || p.onlyIn.set:
		p.onlyOut, p.onlyIn = refOnly{}, refOnly{}
		p.Changed()
	case p.big:
		p.big = false
	default:
		return false
	}
	return true
}

// exclude leaves the selected retainer out of the path.
func (p *object) exclude(l *refList) {
	v, ok := l.Selected()
	switch {
	case !ok:
	case p.focus == listOut:
		p.Say("only retainers can be excluded: select a reference in, or a step of the path")
	case v.count > 1:
		p.Say(p.Hint("this row represents several objects: {open} lists them"))
	case v.end == p.shown || v.end == model.RootRow:
		p.Say("every path contains this object: select another one")
	default:
		if p.State.Heap.RowOf != p.graph.I { // the root, which was not chosen
			p.Emit(state.SetRow{Of: p.graph.I, Row: p.shown})
		}
		p.Emit(state.Exclude{Row: v.end})
		p.Say("searching for a path without " + model.Clean(namedRow(p.graph.Heap, v.end, p.State.FullName)) + ": " +
			p.Hint("{clear-range} includes it again"))
	}
}

// dominators shows what the row retains, or goes to its accumulation point.
func (p *object) dominators(l *refList, accumulation bool) {
	row := p.shown
	if v, ok := l.Selected(); ok && p.focus == listPath {
		row = v.end
	}
	if accumulation {
		row = p.graph.Accumulation(row)
	}
	p.Visit(keymap.ShowDominators, state.SetTop{Of: p.graph.I, Row: row})
}

func (p *object) order(l *refList, a keymap.Action) {
	if l.path {
		p.Say("the steps of a path cannot be sorted")
		return
	}
	l.OrderBy(a)
}

// Fields implements [ui.Filtered].
func (p *object) Fields() []analysis.Field { return p.lists[listOut].Fields() }

// SearchText and Search implement [ui.Searcher]: references have a filter of their own.
func (p *object) SearchText() string { return p.text }

func (p *object) Search(text string) { p.text = strings.TrimSpace(text); p.Changed() }

// Click implements clicker.
func (p *object) Click(x, y int, double bool) {
	for i := range p.lists {
		l := &p.lists[i]
		if !l.ListAt.Contains(x, y) {
			continue
		}
		p.focus = i
		if l.Hit(x, y) && double {
			p.open1(l)
		}
	}
	p.Changed()
}

func (p *object) Drag(_, _, _, _ int, _ bool) {}

func (p *object) Wheel(x, y, rows int) {
	for i := range p.lists {
		if p.lists[i].ListAt.Contains(x, y) {
			p.lists[i].List.Scroll(rows)
		}
	}
	p.Changed()
}

func (p *object) CopyText() string {
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
	if v, ok := p.lists[p.focus].Selected(); ok && p.focus != listPath {
		out.WriteString("\n" + [...]string{"refers to", "referred to by"}[p.focus] + ": " +
			model.Clean(v.text+" → "+v.what(p.graph.Heap, true)))
	}
	return out.String()
}

// drawEmpty draws the reason why nothing is shown.
func (p *object) drawEmpty(s tcell.Screen, r widget.Rect) {
	lines := []string{"Computing dominators…", p.Loads.Progress()}
	switch z := p.Loads.Graph; {
	case p.load == nil:
		lines = p.Loads.Waiting(&p.State)
	case p.load.Unlinked():
		lines = p.UnlinkedText(p.load)
	case z.Ready && z.Err != nil:
		lines = []string{"The dominators cannot be computed: " + z.Err.Error()}
	}
	for _, l := range lines {
		r = widget.PrintWrapped(s, r, l, p.Look.Muted)
	}
}
