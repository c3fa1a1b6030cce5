package heap

import (
	"fmt"
	"slices"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// compareBy is the kind of rows of a comparison.
type compareBy uint8

const (
	CompareTypes compareBy = iota
	CompareFrames
	CompareSubtrees
	compareAxes // the axis after types, and so on
)

// figures are the figures by which types and frames are compared, in the order of the key.
var figures = [...]diff.HeapFigure{diff.HeapBytes, diff.HeapCount, diff.HeapRetained}

// comparison shows two snapshots side by side: of one file, or of two.
type comparison struct {
	objectsPane
	sides      [2]*ui.Lazy[ui.HeapKey, *ui.HeapLoad] // before, after
	graphs     [2]*ui.Lazy[ui.GraphKey, *ui.HeapGraph]
	changes    *ui.Lazy[changeKey, *changeSet]
	bytes      *ui.Lazy[changeKey, *changeSet] // types by their bytes, for the sentence
	grown      *ui.Lazy[grownKey, *grownSet]
	dominators *ui.Lazy[dominatorsKey, *dominatorGroups]

	compared       [2]*ui.HeapLoad // the compared snapshots; nil before they are decoded
	comparedGraphs [2]*ui.HeapGraph
	set            *changeSet // newest answer, nil before the first
	of             *changeSet // what the table shows, nil for nothing and for subtrees
	trees          *grownSet  // the subtrees that the table shows instead
	table          *ui.Changes
	mergedAt       mergedKey // of merged
	merged         *mergedGroups
	by             compareBy
	figure         int // of figures
}

// NewComparison returns the screen that compares snapshots side by side.
func NewComparison(e *ui.Env) *comparison {
	p := &comparison{objectsPane: newObjectsPane(e)}
	p.table = ui.NewChanges(e, &p.ListPane)
	p.lists = p.table
	for i := range p.sides {
		p.sides[i] = ui.NewLazy(e, ui.OpenHeap)
		p.graphs[i] = ui.NewLazy(e, ui.OpenGraph)
	}
	p.changes, p.bytes = ui.NewLazy(e, compareTypes), ui.NewLazy(e, compareTypes)
	p.grown = ui.NewLazy(e, findGrown)
	p.dominators = ui.NewLazy(e, groupDominators)
	p.Enter = p.openRow
	return p
}

func (p *comparison) Name() string { return "Comparison" }

func (p *comparison) Action() keymap.Action { return keymap.ShowComparison }

func (p *comparison) Needs() model.Facet { return model.FacetHeaps }

func (p *comparison) Scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeComparison, keymap.ScopeTable, keymap.ScopeHeap}
}

func (p *comparison) Command() []string { return nil }

// Unprinted implements [ui.Unprinted].
func (p *comparison) Unprinted() string {
	if p.objects.open {
		return p.objects.unprinted()
	}
	return ""
}

// CommandLine returns the command that prints what is shown.
func (p *comparison) CommandLine(file []string) []string {
	if p.objects.open {
		return p.objects.command(file)
	}
	plain := p.State
	plain.Compare.Swapped = false
	keys := p.HeapSides(&plain)
	var q state.Question
	how, f := p.State.Compare, figures[p.figure]
	switch p.by {
	case CompareTypes:
	case CompareFrames:
		q.Group = "frame"
	case CompareSubtrees:
		q.Group, f, how.Per = "dominators", diff.HeapRetained, diff.NormalNone
	default:
		q.Group = p.group()
	}
	if f != diff.HeapBytes && p.by != CompareSubtrees {
		q.By = f.String()
	}
	if f == diff.HeapRetained && p.State.Heap.Policy != 0 {
		q.Edges = p.State.Heap.Policy.Of(schemaOf(&p.State)).Name
	}
	how.Ask(&q, false)
	q.Filter = p.table.RowFilter(p.State.Filter)
	files := p.SnapshotFiles(&p.State, keys, &q, file)
	if files == nil {
		return nil
	}
	return slices.Concat([]string{"memtui", "diff"}, q.Args(), files)
}

// kinds lists what rows can be: what both sides have.
func (p *comparison) kinds() []compareBy {
	sides := p.HeapSides(&p.State)
	before, after := sides[0].Heaps.Source().Schema(), sides[1].Heaps.Source().Schema()
	list := []compareBy{CompareTypes}
	_, framesBefore := before.Frames()
	if _, framesAfter := after.Frames(); framesBefore && framesAfter {
		list = append(list, CompareFrames)
	}
	list = append(list, CompareSubtrees)
	for i, axis := range schemaOf(&p.State).Axes[1:] {
		_, old := before.AxisNamed(axis.Key)
		if _, ok := after.AxisNamed(axis.Key); ok && old {
			list = append(list, compareAxes+compareBy(i))
		}
	}
	return list
}

// axis returns what objects are grouped by, nil for types, frames and subtrees.
func (p *comparison) axis() *model.HeapAxis {
	if p.by < compareAxes {
		return nil
	}
	return &schemaOf(&p.State).Axes[p.by-compareAxes+1]
}

// group returns the key of axis, "" for none.
func (p *comparison) group() string {
	if axis := p.axis(); axis != nil {
		return axis.Key
	}
	return ""
}

func (p *comparison) About() string {
	if p.objects.open {
		return "objects"
	}
	return ""
}

// Useless implements [ui.Refuser]. Subtrees have no other figures.
func (p *comparison) Useless(a keymap.Action) bool {
	return p.by == CompareSubtrees && (a == keymap.Normalize || a == keymap.Cost)
}

// Show shows a state.
func (p *comparison) Show(s *state.State) {
	p.State = *s
	if p.Heaps == nil || s.Snapshot() < 0 {
		return
	}
	whole := true
	for i, k := range p.HeapSides(s) {
		p.sides[i].Ask(k)
		load, ok := p.sides[i].Get()
		if ok = ok && p.sides[i].Fresh() && p.sides[i].Err == nil; ok {
			p.compared[i] = p.Loads.Under(load, s.Heap.Policy)
			p.Loads.Totals[load.HeapKey] = load.Totals
		}
		whole = whole && ok
	}
	if !whole {
		return
	}
	for i, load := range p.compared {
		if p.comparedGraphs[i] = nil; load.Unlinked() {
			continue
		}
		p.graphs[i].Ask(ui.GraphKey{HeapKey: load.HeapKey, Edges: s.Heap.Policy})
		if g, ok := p.graphs[i].Get(); ok && p.graphs[i].Fresh() && p.graphs[i].Err == nil {
			p.comparedGraphs[i] = g
		}
	}
	p.ask(s)
	p.explain()
	if p.objects.open {
		p.objects.show(&p.State, p.compared[1], p.comparedGraphs[1])
	}
}

// ask requests what is shown, and fills the table with what is known.
func (p *comparison) ask(s *state.State) {
	p.bytes.Ask(changeKey{sides: p.compared, masks: s.Compare.Masks})
	if p.by == CompareSubtrees {
		p.askGrown(s)
		return
	}
	key := changeKey{sides: p.compared, frames: p.by == CompareFrames, groupKey: p.group(), figure: figures[p.figure],
		masks: s.Compare.Masks, per: s.Compare.Per}
	if key.figure == diff.HeapRetained {
		if key.graphs = p.comparedGraphs; p.comparedGraphs[0] == nil || p.comparedGraphs[1] == nil {
			p.forget() // both sides must have the same policy
			return
		}
	}
	p.changes.Ask(key)
	set, ok := p.changes.Get()
	if !ok {
		return
	}
	p.set = set
	if p.table.Show(s, set.shown); p.table.Set() == set.shown {
		p.of = set
	}
}

// askGrown fills the table with the subtrees that grew.
func (p *comparison) askGrown(s *state.State) {
	if p.comparedGraphs[0] == nil || p.comparedGraphs[1] == nil {
		return
	}
	p.grown.Ask(grownKey{p.comparedGraphs, s.Compare.Masks, p.Look.Glyphs.ArrowRight})
	trees, ok := p.grown.Get()
	if !ok {
		return
	}
	if p.table.Show(s, trees.shown); p.table.Set() == trees.shown {
		p.trees = trees
	}
}

// forget shows no rows until there is another answer.
func (p *comparison) forget() {
	p.of, p.trees = nil, nil
	p.table.Forget()
}

// pending reports whether the table still shows the previous request.
func (p *comparison) pending() bool {
	return p.of == nil || p.of.figure != figures[p.figure] || p.of.frames != (p.by == CompareFrames) || p.of.groupKey != p.group() ||
		!p.changes.Fresh() || !p.table.Fresh()
}

// Draw implements tview.Primitive.
func (p *comparison) Draw(s tcell.Screen) {
	r := p.Rect()
	if p.objects.open {
		p.objects.SetRect(p.GetRect())
		p.objects.Draw(s)
		return
	}
	if p.compared[0] == nil || p.compared[1] == nil {
		p.List.Empty = p.emptyText()
		p.ListAt = p.DrawTitled(s, r, p.sidesText(), "")
		p.DetailAt = widget.Rect{}
		p.List.Draw(s, p.ListAt, p.Look)
		return
	}
	r = p.drawHead(s, r)
	body := p.DrawTitled(s, r, p.Title(), p.answer(r.W))
	p.Split(body)
	p.table.Arrange(p.ListAt.W)
	p.List.Empty = p.emptyText()
	p.DrawPanes(s)
}

// emptyText returns why there are no rows, and what to do.
func (p *comparison) emptyText() []string {
	for i, z := range p.sides {
		if z.Ready && z.Err != nil {
			return []string{fmt.Sprintf("Snapshot #%d (%s) cannot be decoded: %v", z.Key.I,
				[...]string{"before", "after"}[i], z.Err), p.Hint("{step-back} and {step-forward} go to another one.")}
		}
	}
	switch {
	case p.State.Snapshots() == 0:
		return p.Loads.Waiting(&p.State)
	case p.compared[0] == nil || p.compared[1] == nil:
		return []string{"Decoding both snapshots…"}
	case p.single():
		return []string{"This file has one snapshot, and nothing to compare it with.", ":compare FILE opens another one."}
	case p.sameSides():
		return []string{"Both sides are the same snapshot: nothing differs.",
			p.Hint("{step-back} and {step-forward} choose after, {range} marks a snapshot as before, {time} goes to one by its number.")}
	case (p.by == CompareSubtrees || figures[p.figure] == diff.HeapRetained) && p.unknown() != nil:
		return p.unknown()
	case p.by == CompareSubtrees && p.trees == nil:
		return []string{"Searching for subtrees that grew…"}
	case p.by == CompareSubtrees && len(p.trees.Places) == 0:
		return []string{"No subtree retains more than before.", p.Hint("{swap} swaps before and after, {group} groups by another property.")}
	case p.changes.Ready && p.changes.Err != nil:
		return []string{"Not compared: " + p.changes.Err.Error() + ".", p.Hint("{normalize} changes the normalization.")}
	case p.by != CompareSubtrees && p.pending():
		return []string{"Comparing…"}
	}
	if p.by != CompareSubtrees && len(p.of.Rows) == 0 && len(p.of.unstated()) > 0 {
		return []string{model.Capital(p.of.unstated()[0]) + ".", p.Hint("{group} groups by another property.")}
	}
	return p.table.Nothing("{mark-a} and {mark-b} mark other snapshots")
}

// unknown returns why retained sizes cannot be compared yet, or at all; nil where they can.
func (p *comparison) unknown() []string {
	for i, load := range p.compared {
		switch {
		case load.Unlinked():
			return p.UnlinkedText(load)
		case p.comparedGraphs[i] == nil:
			return []string{"Computing the dominators of both snapshots…"}
		}
	}
	return nil
}

// single reports whether there is no other snapshot to compare with.
func (p *comparison) single() bool {
	return p.sameSides() && p.State.Snapshots() == 1 && p.After() == nil
}

func (p *comparison) sameSides() bool {
	k := p.HeapSides(&p.State)
	return k[0] == k[1]
}

// Do carries out an action, or returns false if the screen has no such action.
func (p *comparison) Do(a keymap.Action) bool {
	if p.objects.open {
		return p.objects.Do(a)
	}
	switch a {
	case keymap.Group:
		kinds := p.kinds()
		p.by = kinds[(slices.Index(kinds, p.by)+1)%len(kinds)]
		p.forget()
		p.List.Home()
		p.Changed()
	case keymap.Cost:
		p.figure = (p.figure + 1) % len(figures)
		p.Changed()
	case keymap.DominatorsOf, keymap.ObjectOf, keymap.HotPath:
		p.goOwner(a)
	default:
		return p.DoTable(a)
	}
	return true
}

// goOwner shows the main dominator of the selected type, or the selected subtree.
func (p *comparison) goOwner(a keymap.Action) {
	g := p.comparedGraphs[1]
	if g == nil || g.Heaps != p.Heaps {
		p.Say("only objects of the first file can be shown")
		return
	}
	row, ok := p.mainDominator()
	switch {
	case !ok:
		p.Say("its dominator is not known yet")
		return
	case a == keymap.ObjectOf:
		p.Visit(keymap.ShowObject, state.SetRow{Of: g.I, Row: row})
	default:
		p.Visit(keymap.ShowDominators, state.SetTop{Of: g.I, Row: row})
	}
	if g.I != p.State.Snapshot() { // the row is in the snapshot after, which is not the current one
		p.Emit(state.SetSnapshot{I: g.I})
	}
}

// mainDominator returns the row of the side after that dominates most of the selection.
func (p *comparison) mainDominator() (model.Row, bool) {
	if p.by == CompareSubtrees {
		t, ok := p.selectedTree()
		if !ok || p.trees.graphs != p.comparedGraphs {
			return 0, false
		}
		return t.Row, true
	}
	r, ok := p.selected()
	held, have := p.dominators.Get()
	if !ok || !have || !p.dominators.Fresh() || held.graph != p.comparedGraphs[1] {
		return 0, false
	}
	if g := p.of.group(r, 1); g == nil || held.id != g.ID || held.by != p.of.by(1) {
		return 0, false
	}
	if len(held.groups) == 0 || held.groups[0].gone != "" {
		return 0, false
	}
	return held.groups[0].row, true
}

// Unopened implements [ui.Unopener].
func (p *comparison) Unopened() string {
	r, ok := p.selected()
	switch {
	case !ok || p.by == CompareSubtrees || p.of.sides != p.compared:
	case p.of.group(r, 1) == nil:
		return p.Hint("none is left after: {swap} swaps the sides")
	case p.compared[1].Heaps != p.Heaps:
		return p.Hint("these are of the second file: {swap} swaps the sides")
	}
	return ""
}

// openRow lists the objects of the selected group on the after side, or goes to the selected subtree.
func (p *comparison) openRow() {
	if p.by == CompareSubtrees {
		p.goOwner(keymap.DominatorsOf)
		return
	}
	r, ok := p.selected()
	if !ok || p.of.sides != p.compared {
		return
	}
	if why := p.Unopened(); why != "" {
		p.Say(why)
		return
	}
	g := p.of.group(r, 1)
	name := p.of.label(r, p.State.FullName).Name
	if axis := p.of.axis(); axis != nil {
		name = axis.Word + " " + name
	}
	if all := p.mergedOf(r); all != nil {
		p.objects.startFrom("Objects of "+name+" · "+all.text(), all.by, all)
		return
	}
	p.objects.start(name, p.of.by(1), &heapgraph.Group{ID: g.ID, Name: g.Name, Sub: g.Sub})
}
