package areas

import (
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// Unprinted implements [ui.Unprinted].
func (p *Map) Unprinted() string {
	switch s := &p.State; {
	case !s.Compare.On || p.facet != model.FacetAllocations && p.facet != model.FacetProfile:
	case p.Mixed(s):
		return p.Hint("the sides weigh different figures; {difference} ends the difference")
	case p.facet == model.FacetAllocations && s.Cost == analysis.CostPeak:
		return p.Hint("diff compares live memory at the peaks; {difference} ends the difference")
	}
	return ""
}

// differenceCommand returns the command line that prints both sides; nil for none.
func (p *Map) differenceCommand(file []string) []string {
	plain := p.State // areas are those of all rows, under the names that the files have
	plain.Compare.Per, plain.Compare.Only, plain.Compare.Masks = 0, 0, ""
	words := p.sidesCommand(&plain, file)
	if words == nil {
		return nil
	}
	q := state.Question{Table: "treemap", Within: p.zoomed()}
	if p.facet == model.FacetHeaps && p.State.Areas.Dominated {
		q.Table = "dominator_treemap"
	}
	return slices.Insert(words, 2, q.Args()...) // after memtui diff
}

// sidesCommand returns the command line that compares the rows of both sides.
func (p *Map) sidesCommand(s *state.State, file []string) []string {
	switch p.facet {
	case model.FacetAllocations:
		return p.DiffCommand(s, file, "stack", ui.CostNamed(s.Cost), s.Cost == analysis.CostLive || s.Cost == analysis.CostLiveCount)
	case model.FacetProfile:
		return append(p.DiffCommand(s, file, "stack", "", false), p.Prof.Chosen(s)...)
	case model.FacetHeaps:
		var q state.Question
		if s.Heap.Policy != 0 {
			q.Edges = s.Heap.Policy.Of(p.Heaps.Source().Schema()).Name
		}
		q.Swap, s.Compare.Swapped = s.Compare.Swapped, false
		if files := p.SnapshotFiles(s, p.HeapSides(s), &q, file); files != nil {
			return slices.Concat([]string{"memtui", "diff"}, q.Args(), files)
		}
	default:
		if files := p.LayoutFiles(s, file); files != nil {
			return append([]string{"memtui", "diff"}, files...)
		}
	}
	return nil
}
