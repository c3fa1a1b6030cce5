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

// compareBy says what the rows of a comparison are.
type compareBy uint8

const (
	compareTypes compareBy = iota
	compareFrames
	compareSubtrees
	compareByCount
)

// compareFigure is what is compared.
type compareFigure uint8

const (
	figureBytes compareFigure = iota
	figureCount
	figureRetained
	figureCountOf
)

func (f compareFigure) String() string { return [...]string{"bytes", "count", "retained"}[f] }

// heapComparison shows two snapshots side by side: of one file, or of two.
type heapComparison struct {
	heapPane
	sides    [2]*lazy[heapKey, *heapLoad] // before, after
	graphs   [2]*lazy[graphKey, *heapGraph]
	changes  *lazy[changeKey, *changeSet]
	retained [2]*lazy[retainKey, *retainSet]
	ordered  *lazy[changeOrder, *changeTable]
	grown    *lazy[grownKey, *grownSet]
	holders  *lazy[holderKey, *holderSet]
	objects  *heapObjects

	loads2 [2]*heapLoad // what is compared; nil before it is decoded
	graph2 [2]*heapGraph
	table  *changeTable // nil before the first answer
	trees  *grownSet
	by     compareBy
	figure compareFigure
	only   string // status of the rows shown, "" for all
	shares bool
	sort   changeColumn
	up     bool
}

func newHeapComparison(e *env) *heapComparison {
	p := &heapComparison{heapPane: heapPane{pane: newPane(e)}, sort: changeDelta, objects: newHeapObjects(e)}
	for i := range p.sides {
		p.sides[i] = newLazy(e, openHeap)
		p.graphs[i] = newLazy(e, openGraph)
		p.retained[i] = newLazy(e, fetchRetained)
	}
	p.changes = newLazy(e, fetchChanges)
	p.ordered = newLazy(e, func(_ context.Context, k changeOrder) (*changeTable, error) { return orderChanges(k), nil })
	p.grown = newLazy(e, fetchGrown)
	p.holders = newLazy(e, fetchHolders)
	p.list = widget.List{Table: p, Descending: true}
	p.sortBy, p.enter = p.order, p.openRow
	return p
}

func (p *heapComparison) name() string          { return "Comparison" }
func (p *heapComparison) action() keymap.Action { return keymap.ShowComparison }
func (p *heapComparison) needs() model.Facet    { return model.FacetHeaps }
func (p *heapComparison) scopes() []keymap.Scope {
	return []keymap.Scope{keymap.ScopeComparison, keymap.ScopeTable, keymap.ScopeHeap}
}
func (p *heapComparison) command() []string { return nil }

// commandLine implements commander.
func (p *heapComparison) commandLine(file []string) []string {
	keys := p.keys(&p.state)
	name := func(k heapKey) string {
		if k.heaps == p.after && p.after != nil {
			return fmt.Sprintf("%s#%d", p.afterPath, k.i)
		}
		return fmt.Sprintf("%s#%d", file[len(file)-1], k.i)
	}
	return append(append([]string{"memtui", "diff"}, file[:len(file)-1]...), name(keys[0]), name(keys[1]))
}

func (p *heapComparison) about() string {
	if p.objects.open {
		return "objects"
	}
	return ""
}

// keys are the snapshots to compare, before and after.
func (p *heapComparison) keys(s *State) [2]heapKey {
	keys := [2]heapKey{{p.heaps, s.before()}, {p.heaps, s.compared()}}
	if p.after != nil {
		keys = [2]heapKey{{p.heaps, s.snapshot()}, {p.after, p.otherSnapshot(s)}}
		if s.Heap.Swapped {
			keys[0], keys[1] = keys[1], keys[0]
		}
	}
	return keys
}

// show implements screen.
func (p *heapComparison) show(s *State) {
	p.state = *s
	if p.heaps == nil || s.snapshot() < 0 {
		return
	}
	whole := true
	for i, k := range p.keys(s) {
		p.sides[i].ask(k)
		load, ok := p.sides[i].get()
		if ok = ok && p.sides[i].fresh() && p.sides[i].err == nil; ok {
			p.loads2[i] = load
			p.loads.totals[load.heapKey] = load.totals
		}
		whole = whole && ok
	}
	if !whole {
		return
	}
	for i, load := range p.loads2 {
		if p.graph2[i] = nil; load.unlinked() {
			continue
		}
		p.graphs[i].ask(graphKey{load.heapKey, s.Heap.Policy})
		if g, ok := p.graphs[i].get(); ok && p.graphs[i].fresh() && p.graphs[i].err == nil {
			p.graph2[i] = g
		}
	}
	p.changes.ask(changeKey{p.loads2, p.by == compareFrames})
	p.arrange(s)
	p.list.Refresh()
	p.explain()
	if p.objects.open {
		p.showObjects()
	}
}

// arrange fills the table from what is known.
func (p *heapComparison) arrange(s *State) {
	if p.by == compareSubtrees {
		if p.graph2[0] != nil && p.graph2[1] != nil {
			p.grown.ask(grownKey{p.graph2})
			p.trees, _ = p.grown.get()
		}
		return
	}
	set, ok := p.changes.get()
	if !ok {
		return
	}
	key := changeOrder{set: set, figure: p.figure, only: p.only, shares: p.shares, filter: s.Filter, sort: p.sort, up: p.up}
	if p.figure == figureRetained {
		for i, g := range p.graph2 {
			if g == nil {
				continue
			}
			p.retained[i].ask(retainKey{g, set.kind()})
			if r, ok := p.retained[i].get(); ok && p.retained[i].fresh() && r.graph == g {
				key.retained[i] = r
			}
		}
	}
	p.ordered.ask(key)
	if t, ok := p.ordered.get(); ok {
		p.table = t
	}
}

// Draw implements tview.Primitive.
func (p *heapComparison) Draw(s tcell.Screen) {
	r := p.rect()
	if p.objects.open {
		p.objects.SetRect(p.GetRect())
		p.objects.Draw(s)
		return
	}
	if p.loads2[0] == nil || p.loads2[1] == nil {
		p.list.Empty = p.emptyText()
		p.listAt = p.drawTitled(s, r, p.sidesText(), "")
		p.detailAt = widget.Rect{}
		p.list.Draw(s, p.listAt, p.look)
		return
	}
	r = p.drawHead(s, r)
	body := p.drawTitled(s, r, p.title(), p.answer(r.W))
	p.split(body)
	p.columns(p.listAt.W)
	p.list.Empty = p.emptyText()
	p.list.Highlight = filterWord(p.state.Filter)
	p.drawPanes(s)
}

// emptyText says why there are no rows, and what to do.
func (p *heapComparison) emptyText() []string {
	for i, z := range p.sides {
		if z.ready && z.err != nil {
			return []string{fmt.Sprintf("Snapshot #%d (%s) cannot be decoded: %v", z.key.i, [...]string{"before", "after"}[i], z.err), "h and l go to another one."}
		}
	}
	switch {
	case p.state.snapshots() == 0:
		return p.loads.waiting(&p.state)
	case p.loads2[0] == nil || p.loads2[1] == nil:
		return []string{"Decoding both snapshots…"}
	case p.sameSides():
		return []string{"Both sides are the same snapshot: nothing differs.", "h and l choose after, v marks a snapshot as before, t types a number."}
	case p.by == compareSubtrees && p.loads2[0].unlinked():
		return p.loads2[0].unlinkedText()
	case p.by == compareSubtrees && p.loads2[1].unlinked():
		return p.loads2[1].unlinkedText()
	case p.by == compareSubtrees && p.trees == nil:
		return []string{"Looking for what holds what in both snapshots…"}
	case p.by == compareSubtrees:
		return []string{"Nothing holds more than before.", "~ swaps before and after, b shows types."}
	case p.table == nil || !p.ordered.fresh():
		return []string{"Comparing…"}
	case p.only != "":
		return []string{"Nothing is " + p.only + ".", "! shows the next kind of change, or all."}
	case p.state.Filter != "":
		return []string{"No row passes the filter “" + p.state.Filter + "”.", "Esc forgets the filter, / changes it."}
	}
	return []string{"There is nothing to compare in these snapshots."}
}

func (p *heapComparison) sameSides() bool {
	k := p.keys(&p.state)
	return k[0] == k[1]
}

// do implements screen.
func (p *heapComparison) do(a keymap.Action) bool {
	if p.objects.open {
		return p.objects.do(a)
	}
	switch a {
	case keymap.Group:
		p.by = (p.by + 1) % compareByCount
		p.table = nil
		p.list.Home()
		p.changed()
	case keymap.Cost:
		p.figure = (p.figure + 1) % figureCountOf
		p.changed()
	case keymap.Changes:
		p.nextOnly()
	case keymap.Normalise:
		p.shares = !p.shares
		p.changed()
	case keymap.Swap:
		p.emit(swapSides{p.after != nil})
	case keymap.SortReverse:
		p.up = !p.up
		p.changed()
	case keymap.DominatorsOf, keymap.ObjectOf, keymap.HotPath:
		p.goHolder(a)
	default:
		return p.doTable(a)
	}
	return true
}

func (p *heapComparison) nextOnly() {
	kinds := []string{"", "new", "gone", "grown", "shrunk"}
	for i, k := range kinds {
		if k == p.only {
			p.only = kinds[(i+1)%len(kinds)]
			break
		}
	}
	if p.by == compareSubtrees {
		p.by = compareTypes
	}
	p.list.Home()
	p.changed()
}

// goHolder shows what holds the selected type, or the selected subtree.
func (p *heapComparison) goHolder(a keymap.Action) {
	g := p.graph2[1]
	if g == nil || g.heaps != p.heaps {
		p.say("only what is in the file opened first can be looked at")
		return
	}
	row, ok := p.holderRow()
	switch {
	case !ok:
		p.say("nobody knows yet what holds it")
	case a == keymap.ObjectOf:
		p.visit(keymap.ShowObject, setRow{g.i, row})
	default:
		p.visit(keymap.ShowDominators, setTop{g.i, row})
	}
}

// holderRow is the row of the after side that holds most of the selection.
func (p *heapComparison) holderRow() (model.Row, bool) {
	if p.by == compareSubtrees {
		t, ok := p.selectedTree()
		if !ok || p.trees.graphs != p.graph2 {
			return 0, false
		}
		return t.Row, true
	}
	c, ok := p.selected()
	held, have := p.holders.get()
	if !ok || !have || !p.holders.fresh() || held.graph != p.graph2[1] || int64(held.id) != c.after.id {
		return 0, false
	}
	if len(held.holders) == 0 || held.holders[0].gone != "" {
		return 0, false
	}
	return held.holders[0].row, true
}

// openRow lists the objects of the selected type on the after side, or goes to the selected subtree.
func (p *heapComparison) openRow() {
	if p.by == compareSubtrees {
		p.goHolder(keymap.DominatorsOf)
		return
	}
	c, ok := p.selected()
	switch {
	case !ok || p.table.set.sides != p.loads2:
	case c.after.id < 0:
		p.say("none is left: ~ swaps before and after")
	case p.loads2[1].heaps != p.heaps:
		p.say("only what is in the file opened first can be looked at: ~ swaps before and after")
	default:
		g := heapgraph.HeapGroup{ID: uint32(c.after.id), Name: c.Name, Repr: c.Repr}
		p.objects.start(p.changeName(c), p.table.set.kind(), &g)
	}
}

func (p *heapComparison) showObjects() {
	p.objects.show(&p.state, p.loads2[1], p.graph2[1])
}

func (p *heapComparison) click(x, y int, double bool) {
	if p.objects.open {
		p.objects.click(x, y, double)
		return
	}
	p.heapPane.click(x, y, double)
}

func (p *heapComparison) wheel(x, y, rows int) {
	if p.objects.open {
		p.objects.wheel(x, y, rows)
		return
	}
	p.heapPane.wheel(x, y, rows)
}
