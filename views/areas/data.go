package areas

import (
	"context"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/analysis/pages"
	"github.com/memtui/memtui/analysis/treemap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// sideKey determines what one side of a treemap weighs. Only the fields of the kind of file are set.
type sideKey struct {
	trace    analysis.Trace
	stacks   *model.Stacks
	ids      int // stacks in use
	revision uint64
	query    analysis.Query
	prof     ui.ProfileKey
	heap     ui.GraphKey
	layout   ui.LayoutRef
}

// treeKey determines a treemap.
type treeKey struct {
	facet     model.Facet
	two       bool       // sides are compared; else there is the second one alone
	sides     [2]sideKey // before and after
	cost      analysis.Cost
	filters   calltree.Filter
	dominated bool      // a heap by dominators
	retained  bool      // two heaps by dominators
	top       model.Row // below which
}

// tree is the answer. Read-only once made.
type tree struct {
	*treemap.Tree
	key    treeKey
	query  *lines.Query // of the second side of stacks; nil elsewhere
	unit   ui.ProfileUnit
	graph  *heapgraph.Graph // of the second side; nil elsewhere
	unlike string           // why there is no difference; "" if there is one
}

// makeTree adds up what a key determines.
func makeTree(ctx context.Context, e *ui.Env, k treeKey) (*tree, error) {
	out := &tree{key: k}
	if k.dominated {
		g, err := k.sides[1].heap.Heaps.Graph(ctx, k.sides[1].heap.I, k.sides[1].heap.Edges)
		if err != nil {
			return nil, err
		}
		out.graph = g
		if !g.Heap.Has(k.top) {
			out.key.top = model.RootRow
		}
		out.Tree, err = treemap.Dominators(ctx, g, out.key.top)
		return out, err
	}
	if k.retained {
		return out, out.addRetained(ctx)
	}
	b, from := &treemap.Builder{}, 1
	if k.two {
		from = 0
	}
	for i := from; i < len(k.sides); i++ {
		if err := out.add(ctx, e, b, i); err != nil {
			return nil, err
		}
	}
	out.Tree = b.Tree()
	return out, nil
}

// addRetained fills the tree with what both sides retain.
func (t *tree) addRetained(ctx context.Context) (err error) {
	var graphs [2]*heapgraph.Graph
	for i, side := range t.key.sides {
		if graphs[i], err = side.heap.Heaps.Graph(ctx, side.heap.I, side.heap.Edges); err != nil {
			return err
		}
	}
	t.graph = graphs[treemap.After]
	t.Tree, err = treemap.DominatorSides(ctx, graphs[0], graphs[1])
	return err
}

// add adds a side.
func (t *tree) add(ctx context.Context, e *ui.Env, b *treemap.Builder, side int) (err error) {
	switch k := &t.key.sides[side]; t.key.facet {
	case model.FacetHeaps:
		if t.graph, err = k.heap.Heaps.Graph(ctx, k.heap.I, k.heap.Edges); err != nil {
			return err
		}
		return b.Types(ctx, side, t.graph)
	case model.FacetProfile:
		return t.addProfile(ctx, b, side)
	case model.FacetAllocations:
		view, err := e.Views.Of(ctx, k.stacks, t.key.filters, calltree.FullStacks)
		if err != nil {
			return err
		}
		if t.query, err = lines.Weigh(ctx, k.trace, k.stacks, view, k.query, t.key.cost); err != nil {
			return err
		}
		b.Stacks(side, t.query)
	default:
		l, err := k.layout.Dump.Pages.Open(ctx, k.layout.Layout)
		if err != nil {
			return err
		}
		b.Pages(side, pages.SumLayout(l))
	}
	return ctx.Err()
}

// addProfile adds a side of weighted stacks. The unit is that of the last one.
func (t *tree) addProfile(ctx context.Context, b *treemap.Builder, side int) error {
	k := t.key.sides[side].prof
	sel, _, err := k.Selection(ctx)
	if err != nil || sel == nil {
		return err
	}
	q, factor := lines.Selected(sel)
	unit := k.Unit()
	if unit.Scale = factor; t.query != nil && t.unit.Scale != factor {
		t.unlike = "the sides have weights of different precision"
	}
	t.query, t.unit = q, unit
	b.Stacks(side, q)
	return nil
}

// keyOf returns the key of what a state selects; ok is false while there is nothing yet.
func (p *Map) keyOf(s *state.State) (k treeKey, ok bool) {
	k = treeKey{facet: p.facet, two: s.Compare.On}
	switch p.facet {
	case model.FacetHeaps:
		return p.heapKey(s, k)
	case model.FacetAllocations, model.FacetProfile:
		return p.stackKey(s, k)
	}
	if p.Dump == nil || p.Dump.Pages == nil {
		return k, false
	}
	k.sides[1].layout = ui.LayoutRef{Dump: p.Dump, Layout: p.Dump.Layout(s)}
	if k.two {
		k.sides[0].layout, k.sides[1].layout = p.LayoutSides(s)
	}
	return k, k.sides[1].layout.Layout >= 0 && (!k.two || k.sides[0].layout.Layout >= 0)
}

// heapKey returns the key of a snapshot, or of two.
func (p *Map) heapKey(s *state.State, k treeKey) (treeKey, bool) {
	if p.Heaps == nil || s.Snapshot() < 0 {
		return k, false
	}
	for i, side := range p.HeapSides(s) {
		k.sides[i].heap = ui.GraphKey{HeapKey: side, Edges: s.Heap.Policy}
	}
	if k.retained = k.two && s.Areas.Dominated; !k.two {
		k.sides[0] = sideKey{}
		k.sides[1].heap.HeapKey = ui.HeapKey{Heaps: p.Heaps, I: s.Snapshot()}
		if k.dominated = s.Areas.Dominated; k.dominated {
			k.top = s.Top()
		}
	}
	return k, true
}

// stackKey returns the key of stacks at the moment of the state, or at both that are compared.
func (p *Map) stackKey(s *state.State, k treeKey) (treeKey, bool) {
	if p.facet == model.FacetAllocations {
		k.cost, k.filters = s.Cost, s.Filters
	}
	if !k.two {
		side, ok := p.sideOf(s, p.First, state.Moment{At: s.At, Over: s.Range, Prof: s.Prof}, k.cost)
		k.sides[1] = side
		return k, ok
	}
	for i, m := range s.Moments(p.Second != nil, p.TimeMap(s)) {
		f := p.FileAt(m.Other)
		if s.Compare.Swapped {
			i = 1 - i
		}
		side, ok := p.sideOf(s, f, m, k.cost)
		if k.sides[i] = side; !ok {
			return k, false
		}
	}
	return k, true
}

// sideOf returns what the stacks of a file weigh at a moment; ok is false where it has nothing of the kind.
func (p *Map) sideOf(s *state.State, f *ui.ComparedFile, m state.Moment, cost analysis.Cost) (k sideKey, ok bool) {
	if p.facet == model.FacetProfile {
		d := f.ProfileFile(s)
		if d == nil {
			return k, false
		}
		at := *s
		if at.Prof, at.Range = m.Prof, m.Over; f.Store != nil && p.Prof != nil && m.Prof == state.NewProfile() {
			metric := ""
			if id, ok := p.Prof.Metric(s); ok {
				metric = p.Prof.Weights.Metrics[id].Name
			}
			d.Choose(&at.Prof, p.Prof.EventName(p.Prof.Event(s)), metric)
		}
		k.prof = d.Key(&at)
		return k, !k.prof.None
	}
	profile, status := f.Profile(s), &s.Status
	if profile == nil || profile.Stacks == nil || f.Trace == nil {
		return k, false
	}
	if f.Store != nil {
		status = &f.Status
	}
	ids := status.Stacks
	if f.Store == nil {
		if s.Settled() || ids > p.ids+p.ids/4 {
			p.ids = ids // less often while more is read
		}
		ids = p.ids
	}
	k = sideKey{trace: f.Trace, stacks: profile.Stacks, ids: ids, revision: status.Revision,
		query: analysis.Query{Range: m.Over, Cell: s.Cell}}
	switch {
	case cost == analysis.CostLive || cost == analysis.CostLiveCount:
		k.query.At, k.query.Range = m.At, analysis.FullRange
	case s.Compare.On && m.Over.IsFull() && m.At != analysis.End:
		k.query.Range = analysis.Range{From: model.NoTime, To: m.At.T} // everything up to the instant
	}
	return k, true
}
