package report

import (
	"cmp"
	"slices"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/export/report/members"
	"github.com/memtui/memtui/model"
)

// dominators lists the rows that retain most, without the recorder's own roots, or all that a row dominates directly.
func (b *heapBuilder) dominators(g *heapgraph.Graph) error {
	if b.opt.Below != nil {
		return b.dominated(g)
	}
	real, count := g.Heap.Schema.Real(), 0
	for k, n := range heapgraph.CountKinds(g.Heap) {
		if real.Has(model.HeapKind(k)) {
			count += int(n)
		}
	}
	b.listDominators(g, g.Largest(cmp.Or(b.opt.Limit, count), real), count)
	return nil
}

// dominated lists what a row dominates directly, the most retained first.
func (b *heapBuilder) dominated(g *heapgraph.Graph) error {
	top, err := b.opt.Below(g.Heap)
	if err != nil {
		return err
	}
	children := g.Children(top)
	rows := make([]model.Row, 0, children.Len())
	for _, r := range children.All() {
		rows = append(rows, r)
	}
	slices.SortStableFunc(rows, func(x, y model.Row) int { return cmp.Compare(g.Retained[y], g.Retained[x]) })
	b.report.Heap.Below = &top
	b.listDominators(g, limit(rows, b.opt.Limit), len(rows))
	return nil
}

// listDominators makes the list of dominators, which has count without a limit.
func (b *heapBuilder) listDominators(g *heapgraph.Graph, rows []model.Row, count int) {
	b.report.Heap.Counts.Dominators = &count
	b.report.Heap.Dominators = []Dominator{}
	for _, row := range rows {
		b.report.Heap.Dominators = append(b.report.Heap.Dominators, Dominator{
			Row: row, Kind: g.Heap.Kind(row).Name, Label: heapgraph.Label(g.Heap, row), ID: members.NewID(g.Heap, row),
			Bytes:         g.Heap.Bytes(row),
			RetainedBytes: g.Retained[row], RetainedCount: g.RetainedCount(row),
		})
	}
}
