package heap

import (
	"fmt"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

func (p *heapComparison) selected() (*changeRow, bool) {
	i, ok := p.List.Selected()
	if !ok || p.table == nil || p.by == CompareSubtrees || i >= len(p.table.order) {
		return nil, false
	}
	return p.table.row(i), true
}

func (p *heapComparison) selectedTree() (*heapgraph.GrownSubtree, bool) {
	i, ok := p.List.Selected()
	if !ok || p.trees == nil || p.by != CompareSubtrees || i >= len(p.trees.list) {
		return nil, false
	}
	return &p.trees.list[i], true
}

// order sorts by a column; by the same one again reverses.
func (p *heapComparison) order(col int) {
	if p.by == CompareSubtrees {
		p.Say("subtrees stand in the order of their growth")
		return
	}
	col = ui.SkipColumns(int(p.sort), col, int(changeStatus)+1, func(col int) bool { return changeColumn(col) == changeBar })
	p.up = changeColumn(col) == p.sort && !p.up
	p.sort = changeColumn(col)
	p.Changed()
}

// explain fills the detail pane: the figures of the selection, and who holds what is new.
func (p *heapComparison) explain() {
	if t, ok := p.selectedTree(); ok {
		p.explainTree(t)
		return
	}
	c, ok := p.selected()
	if !ok {
		p.Detail.Set(0, "", "", nil)
		return
	}
	i, _ := p.List.Selected()
	lines := []widget.Line{ui.Said(fmt.Sprintf("before %s in %s, after %s in %s", ui.BytesText(c.BeforeBytes, p.State.Exact), model.Group(c.BeforeCount),
		ui.BytesText(c.AfterBytes, p.State.Exact), model.Group(c.AfterCount)))}
	answer := p.table.changeOrder.status(c).String()
	switch g := p.graph2[1]; {
	case c.after.id < 0:
		lines = append(lines, p.Note("none is left after: ~ swaps the sides to see what held them"))
	case p.loads2[1].Unlinked():
		lines = append(lines, p.Note(p.loads2[1].UnlinkedText()[0]))
	case g == nil:
		lines = append(lines, p.Note("who holds them: looking…"))
	default:
		key := holderKey{graph: g, kind: p.table.set.kind(), id: uint32(c.after.id), before: p.graph2[0], beforeID: c.before.id}
		answer = "who holds them after"
		if c.AfterCount > c.BeforeCount {
			answer = "who holds the new ones"
		}
		p.holders.Ask(key)
		if held, ok := p.holders.Get(); ok && p.holders.Fresh() {
			lines = append(lines, holderLines(&p.HeapPane.Pane, held, c.AfterCount)...)
		}
	}
	p.Detail.Set(p.ID(i), p.changeName(c), answer, lines)
}

// explainTree says of a subtree what grew in it.
func (p *heapComparison) explainTree(t *heapgraph.GrownSubtree) {
	i, _ := p.List.Selected()
	exact := p.State.Exact
	lines := []widget.Line{ui.Said(fmt.Sprintf("retains %s in %s, before %s in %s", ui.BytesText(t.AfterBytes, exact), ui.Plural(t.AfterRows, "row", "rows"),
		ui.BytesText(t.BeforeBytes, exact), ui.Plural(t.BeforeRows, "row", "rows")))}
	if t.Below != "" {
		lines = append(lines, ui.Said(fmt.Sprintf("most of it below: %s × %s, %s; before %s, %s", model.Group(uint64(t.BelowAfterRows)), ui.HeapName(t.Below),
			ui.BytesText(t.BelowAfterBytes, exact), model.Group(uint64(t.BelowBeforeRows)), ui.BytesText(t.BelowBeforeBytes, exact))))
	} else {
		lines = append(lines, ui.Said("the rows themselves grew"))
	}
	title := "the root"
	if n := len(t.Path); n > 0 {
		title = t.Path[n-1]
		lines = append(lines, p.Note("from the root: ", p.treeName(t)))
	}
	if t.Row != model.RootRow {
		title += " " + ui.RowText(t.Row)
		lines = append(lines, p.Note("Enter shows on Dominators what it holds"))
	}
	p.Detail.Set(uint64(i), title, "grew by "+ui.BytesText(t.AfterBytes-min(t.BeforeBytes, t.AfterBytes), exact), lines)
}

func (p *heapComparison) CopyText() string {
	if p.objects.open {
		return p.objects.CopyText()
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
