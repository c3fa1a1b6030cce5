package heap

import (
	"fmt"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
	"github.com/memtui/memtui/views/widget"
)

// selected returns the selected group or frame, which is one of p.of.
func (p *comparison) selected() (*diff.Row, bool) {
	if p.of == nil || p.by == CompareSubtrees {
		return nil, false
	}
	return p.table.Chosen()
}

func (p *comparison) selectedTree() (*heapgraph.GrownSubtree, bool) {
	r, ok := p.table.Chosen()
	if !ok || p.trees == nil {
		return nil, false
	}
	return p.trees.place(r), true
}

// explain fills the detail pane: the figures of the selection, and the dominators of what is new.
func (p *comparison) explain() {
	if t, ok := p.selectedTree(); ok {
		p.explainTree(t)
		return
	}
	r, ok := p.selected()
	if !ok {
		p.Detail.SetText(0, "", "", nil)
		return
	}
	i, _ := p.List.Selected()
	lines := []widget.Line{ui.TextLine(p.amounts(r) + p.identified(r))}
	answer, of := r.Status.String(), p.of
	switch g, is := p.comparedGraphs[1], of.group(r, 1); {
	case is == nil:
		lines = append(lines, p.Note(p.Hint("none is left after: {swap} swaps the sides to see what dominated them")))
	case p.compared[1].Unlinked():
		lines = append(lines, p.Note(p.UnlinkedText(p.compared[1])[0]))
	case g == nil:
		lines = append(lines, p.Note("computing dominators…"))
	default:
		key := dominatorsKey{graph: g, by: of.by(1), id: is.ID, before: p.comparedGraphs[0], beforeBy: of.by(0), beforeID: -1}
		if was := of.group(r, 0); was != nil {
			key.beforeID = int64(was.ID)
		}
		answer = "dominators after"
		if r.AfterCount > r.BeforeCount {
			answer = "dominators of the new ones"
		}
		p.dominators.Ask(key)
		if held, ok := p.dominators.Get(); ok && p.dominators.Fresh() {
			lines = append(lines, dominatorLines(&p.TablePane.Pane, held, r.AfterCount)...)
		}
	}
	if all := p.mergedOf(r); all != nil {
		lines = append(lines, p.Note(all.text(), " have this name; dominators are those of the largest: ", ui.HeapName(of.group(r, 1).Name)))
	}
	p.Detail.SetText(p.table.ID(i), of.label(r, p.State.FullName).Name, answer, lines)
}

// identified returns how many objects of a row are new, kept and gone, "" if that is unknown.
func (p *comparison) identified(r *diff.Row) string {
	if !p.of.shown.Objects {
		return ""
	}
	created, kept, gone := r.Objects()
	return fmt.Sprintf("; %s new, %s kept, %s gone", model.Group(created), model.Group(kept), model.Group(gone))
}

// amounts returns a row in words.
func (p *comparison) amounts(r *diff.Row) string {
	before, after := model.Group(r.BeforeCount), model.Group(r.AfterCount)
	bytes := func(n uint64) string { return ui.BytesText(n, p.State.Exact) }
	bound := func(side int) string {
		if r.AtLeast[side] {
			return "≥ "
		}
		return ""
	}
	switch p.of.figure {
	case diff.HeapCount:
		return "before " + before + ", after " + after
	case diff.HeapRetained:
		text := fmt.Sprintf("before %s retain %s, after %s retain %s", before, bound(0)+bytes(r.BeforeBytes), after,
			bound(1)+bytes(r.AfterBytes))
		if r.Certainty() == diff.UnknownChange {
			text += ": how much that changed is unknown"
		}
		return text
	}
	return fmt.Sprintf("before %s in %s, after %s in %s", bytes(r.BeforeBytes), before, bytes(r.AfterBytes), after)
}

// explainTree describes what grew in a subtree.
func (p *comparison) explainTree(t *heapgraph.GrownSubtree) {
	i, _ := p.List.Selected()
	exact := p.State.Exact
	retain := "retain"
	if t.AfterRows == 1 {
		retain = "retains"
	}
	lines := []widget.Line{ui.TextLine(fmt.Sprintf("%s here %s %s, before %s retained %s",
		model.Counted(t.AfterRows, "object"), retain, ui.BytesText(t.AfterBytes, exact),
		model.Counted(t.BeforeRows, "object"), ui.BytesText(t.BeforeBytes, exact)))}
	if t.Below != "" {
		before := "none was there before"
		if t.BelowBeforeRows > 0 {
			before = "before " + model.Group(uint64(t.BelowBeforeRows)) + ", " + ui.BytesText(t.BelowBeforeBytes, exact)
		}
		lines = append(lines, ui.TextLine(fmt.Sprintf("most of it below: %s × %s, %s; %s",
			model.Group(uint64(t.BelowAfterRows)), ui.HeapName(t.Below),
			ui.BytesText(t.BelowAfterBytes, exact), before)))
	} else if t.Taken == 0 {
		lines = append(lines, ui.TextLine("the objects themselves grew"))
	}
	lines = append(lines, p.movedLines(t)...)
	title := "the root"
	if n := len(t.Path); n > 0 {
		title = t.Path[n-1]
		lines = append(lines, p.Note("from the root: ", treeName(t, p.Look.Glyphs.ArrowRight)))
	}
	if t.Row != model.RootRow {
		title += " " + ui.RowText(t.Row)
		lines = append(lines, p.Note(p.Hint("{open} shows on Dominators what it retains")))
	}
	answer := "grew by " + ui.BytesText(t.Growth(), exact)
	if t.BeforeRows == 0 {
		answer = "new here"
	}
	p.Detail.SetText(p.table.ID(i), title, answer, lines)
}

// movedLines returns what in a subtree had another dominator before.
func (p *comparison) movedLines(t *heapgraph.GrownSubtree) (lines []widget.Line) {
	if t.Moved > 0 {
		lines = append(lines, ui.TextLine("another object dominated "+model.Group(uint64(t.Moved))+" of them before"))
	}
	if t.Taken > 0 {
		lines = append(lines, ui.TextLine(fmt.Sprintf("directly below, another object dominated %s before, which retain %s", model.Counted(t.Taken, "object"),
			ui.BytesText(t.TakenBytes, p.State.Exact))))
	}
	return lines
}

func (p *comparison) CopyText() string {
	if p.objects.open {
		return p.objects.CopyText()
	}
	if t, ok := p.selectedTree(); ok {
		return model.Clean(fmt.Sprintf("%s: retains %s, before %s", treeName(t, p.Look.Glyphs.ArrowRight),
			model.Bytes(t.AfterBytes).Exact(), model.Bytes(t.BeforeBytes).Exact()))
	}
	r, ok := p.selected()
	if !ok {
		return ""
	}
	return model.Clean(p.of.label(r, true).Name + ": " + p.amounts(r) + p.identified(r))
}
