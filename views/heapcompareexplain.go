package views

import (
	"fmt"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/widget"
)

func (p *heapComparison) selected() (*changeRow, bool) {
	i, ok := p.list.Selected()
	if !ok || p.table == nil || p.by == compareSubtrees || i >= len(p.table.order) {
		return nil, false
	}
	return p.table.row(i), true
}

func (p *heapComparison) selectedTree() (*heapgraph.GrownSubtree, bool) {
	i, ok := p.list.Selected()
	if !ok || p.trees == nil || p.by != compareSubtrees || i >= len(p.trees.list) {
		return nil, false
	}
	return &p.trees.list[i], true
}

// order sorts by a column; by the same one again reverses.
func (p *heapComparison) order(col int) {
	if p.by == compareSubtrees {
		p.say("subtrees stand in the order of their growth")
		return
	}
	col = skipColumns(int(p.sort), col, int(changeStatus)+1, func(col int) bool { return changeColumn(col) == changeBar })
	p.up = changeColumn(col) == p.sort && !p.up
	p.sort = changeColumn(col)
	p.changed()
}

// explain fills the detail pane: the figures of the selection, and who holds what is new.
func (p *heapComparison) explain() {
	if t, ok := p.selectedTree(); ok {
		p.explainTree(t)
		return
	}
	c, ok := p.selected()
	if !ok {
		p.detail.set(0, "", "", nil)
		return
	}
	i, _ := p.list.Selected()
	lines := []widget.Line{said(fmt.Sprintf("before %s in %s, after %s in %s", bytesText(c.BeforeBytes, p.state.Exact), model.Group(c.BeforeCount),
		bytesText(c.AfterBytes, p.state.Exact), model.Group(c.AfterCount)))}
	answer := p.table.changeOrder.status(c)
	switch g := p.graph2[1]; {
	case c.after.id < 0:
		lines = append(lines, p.note("none is left after: ~ swaps the sides to see what held them"))
	case p.loads2[1].unlinked():
		lines = append(lines, p.note(p.loads2[1].unlinkedText()[0]))
	case g == nil:
		lines = append(lines, p.note("who holds them: looking…"))
	default:
		key := holderKey{graph: g, kind: p.table.set.kind(), id: uint32(c.after.id), before: p.graph2[0], beforeID: c.before.id}
		answer = "who holds them after"
		if c.AfterCount > c.BeforeCount {
			answer = "who holds the new ones"
		}
		p.holders.ask(key)
		if held, ok := p.holders.get(); ok && p.holders.fresh() {
			lines = append(lines, p.holderLines(held, c.AfterCount)...)
		}
	}
	p.detail.set(p.ID(i), p.changeName(c), answer, lines)
}

// explainTree says of a subtree what grew in it.
func (p *heapComparison) explainTree(t *heapgraph.GrownSubtree) {
	i, _ := p.list.Selected()
	exact := p.state.Exact
	lines := []widget.Line{said(fmt.Sprintf("retains %s in %s, before %s in %s", bytesText(t.AfterBytes, exact), plural(t.AfterRows, "row", "rows"),
		bytesText(t.BeforeBytes, exact), plural(t.BeforeRows, "row", "rows")))}
	if t.Below != "" {
		lines = append(lines, said(fmt.Sprintf("most of it below: %s × %s, %s; before %s, %s", model.Group(uint64(t.BelowAfterRows)), heapName(t.Below),
			bytesText(t.BelowAfterBytes, exact), model.Group(uint64(t.BelowBeforeRows)), bytesText(t.BelowBeforeBytes, exact))))
	} else {
		lines = append(lines, said("the rows themselves grew"))
	}
	title := "the root"
	if n := len(t.Path); n > 0 {
		title = t.Path[n-1]
		lines = append(lines, p.note("from the root: ", p.treeName(t)))
	}
	if t.Row != model.RootRow {
		title += " " + rowText(t.Row)
		lines = append(lines, p.note("Enter shows on Dominators what it holds"))
	}
	p.detail.set(uint64(i), title, "grew by "+bytesText(t.AfterBytes-min(t.BeforeBytes, t.AfterBytes), exact), lines)
}

func (p *heapComparison) copyText() string {
	if p.objects.open {
		return p.objects.copyText()
	}
	if t, ok := p.selectedTree(); ok {
		return model.Clean(fmt.Sprintf("%s: retains %d bytes, before %d", p.treeName(t), t.AfterBytes, t.BeforeBytes))
	}
	c, ok := p.selected()
	if !ok {
		return ""
	}
	return model.Clean(fmt.Sprintf("%s: %d bytes in %d, before %d in %d", p.changeName(c), c.AfterBytes, c.AfterCount, c.BeforeBytes, c.BeforeCount))
}
