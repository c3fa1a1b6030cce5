package heapgraph

import (
	"context"
	"maps"
	"slices"

	"github.com/memtui/memtui/model"
)

// unchanged returns the graph of a snapshot that does not differ from the one of a graph in anything on which dominators
// and retained sizes depend: it has the same columns. It returns nil for other snapshots, and for graphs that are in
// files. Programs that wait for something record such snapshots.
func (g *Graph) unchanged(ctx context.Context, h *model.Heap, s *shared) *Graph {
	old, ok := g.core.(*core[uint32])
	if !ok || g.from != nil || old.room != nil || !unchangedFor(g.Heap, h, old.policy) {
		return nil
	}
	c, err := newCore[uint32](ctx, h, g.Policy, s, 0, 0, "computing dominators")
	if err != nil {
		return nil
	}
	c.cut, c.idom, c.retained, c.count = old.cut, old.idom, old.retained, old.count
	c.unreachable, c.lostBytes = old.unreachable, old.lostBytes
	return c.graph(g.Policy, s)
}

// unchangedFor reports whether two snapshots agree in kinds, sizes and references. was has the sizes of the policy. Most
// others differ in their numbers of rows or, early on, in what these refer to.
func unchangedFor(was, h *model.Heap, p *model.HeapPolicy) bool {
	if was.Len() != h.Len() || wideHeap(h) || checkHeap(h) != nil {
		return false
	}
	h = h.Under(p)
	return slices.Equal(was.Start.Narrow, h.Start.Narrow) && slices.Equal(was.To.Narrow, h.To.Narrow) &&
		slices.Equal(was.Kinds, h.Kinds) && slices.Equal(was.Size, h.Size) && slices.Equal(was.Extra, h.Extra) &&
		maps.Equal(was.Large, h.Large) && maps.Equal(was.LargeSizes, h.LargeSizes) &&
		(p.Skip == 0 || slices.Equal(was.Label, h.Label))
}
