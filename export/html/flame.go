package html

import (
	"iter"
	"math"
	"slices"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
)

// flame is a tree of frames with one or more weights. Nodes are in preorder: the first is the root, and a parent has a
// smaller index than its children.
type flame struct {
	ID     string     `json:"id"`
	Title  string     `json:"title"`
	Answer string     `json:"answer"`
	Costs  []cost     `json:"costs"`
	Parent []int      `json:"parent"`
	Name   []int      `json:"name"`            // none for merged smaller ones
	Rest   string     `json:"rest"`            // name of the merged ones
	Self   [][]uint64 `json:"self"`            // by cost, by node
	Turn   bool       `json:"turn"`            // an inverted view makes sense
	Sides  bool       `json:"sides,omitempty"` // costs are the change, what is after and what is before
}

// cost is one weight.
type cost struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Unit  string `json:"unit"`            // "bytes", "count", "us", "ns"; estimates begin with "~"
	Scale uint64 `json:"scale,omitempty"` // factor by which weights are too large; 0 is 1
}

// branches is any tree that can become a flame graph: totals never exceed those of the parent. Its nodes are numbers;
// the root is 0.
type branches[N int32 | model.Row] struct {
	children func(n N) iter.Seq[N]
	label    func(n N) string
	totals   []func(n N) uint64
	selves   []func(n N) uint64
}

// grow reduces a tree to what is visible: frames that weigh less than a share of the total by every cost are merged,
// and so are those below a depth.
func grow[N int32 | model.Row](b *builder, f *flame, t *branches[N]) {
	for least := uint64(4000); ; least /= 2 {
		kept, small, deep := fill(b, f, t, least)
		if kept > b.limits.nodes && least > 1 {
			f.Parent, f.Name, f.Self = nil, nil, nil
			continue
		}
		if small > 0 {
			b.cut("%s: %s below 1/%d of the total are merged", f.Title, model.Counted(small, "branch"), least)
		}
		if deep > 0 {
			b.cut("%s: stacks end at %d frames in %s", f.Title, b.limits.depth, model.Counted(deep, "place"))
		}
		b.Flames = append(b.Flames, f)
		return
	}
}

// fill adds the nodes of t to f that weigh at least 1/least of the total. It counts the nodes, the merged frames, and
// places where the tree is too deep.
func fill[N int32 | model.Row](b *builder, f *flame, t *branches[N], least uint64) (kept, small, deep int) {
	f.Self = make([][]uint64, len(t.totals))
	limit := make([]uint64, len(t.totals))
	for c, total := range t.totals {
		limit[c] = max(total(0)/least, 1)
	}
	type item struct {
		node          N
		parent, depth int
	}
	for stack := []item{{0, none, 0}}; len(stack) > 0; {
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := len(f.Parent)
		f.Parent, f.Name = append(f.Parent, it.parent), append(f.Name, b.name(t.label(it.node)))
		for c, self := range t.selves {
			f.Self[c] = append(f.Self[c], self(it.node))
		}
		if kept++; kept > b.limits.nodes && least > 1 {
			return kept, small, deep
		}
		rest, hidden := make([]uint64, len(t.totals)), false
		for child := range t.children(it.node) {
			if it.depth < b.limits.depth && t.visible(child, limit) {
				stack = append(stack, item{child, n, it.depth + 1})
				continue
			}
			small, hidden = small+1, true
			for c, total := range t.totals {
				rest[c], _ = model.SaturatingAdd(rest[c], total(child))
			}
		}
		if it.depth == b.limits.depth && hidden {
			deep++
		}
		if slices.Max(rest) > 0 {
			f.Parent, f.Name = append(f.Parent, n), append(f.Name, none)
			for c := range rest {
				f.Self[c] = append(f.Self[c], rest[c])
			}
		}
	}
	return kept, small, deep
}

func (t *branches[N]) visible(n N, limit []uint64) bool {
	for c, total := range t.totals {
		if total(n) >= limit[c] {
			return true
		}
	}
	return false
}

func (b *builder) traceFlame() error {
	stacks, ids, pick, err := b.keptStacks()
	if err != nil {
		return err
	}
	tree, err := calltree.NewCallTree(b.ctx, stacks, ids, calltree.TreeOptions{})
	if err != nil {
		return err
	}
	f := &flame{ID: "flame", Title: "Flame graph", Answer: "who calls what allocates", Turn: true, Rest: "(smaller frames)"}
	t := &branches[int32]{label: func(n int32) string { return tree.Name(n) }}
	var folded []*calltree.Folded
	for _, c := range []struct {
		analysis.Cost
		label string
	}{
		{analysis.CostTotal, "allocated"}, {analysis.CostLive, "live " + b.instant()}, {analysis.CostPeak, "live at the peak"},
		{analysis.CostLeaked, "never freed"}, {analysis.CostCount, "blocks allocated"}, {analysis.CostTemporary, "temporary blocks"},
	} {
		w, err := b.src.Trace.Weights(b.ctx, c.Cost, analysis.Query{At: b.src.At, Range: b.src.Range, Cell: b.src.Cell})
		if err != nil {
			return err
		}
		if pick != nil {
			all := w
			w = make([]uint64, len(pick))
			for i, k := range pick {
				w[i] = all[k]
			}
		}
		x := tree.Fold(w)
		if x.Total[0] == 0 {
			continue
		}
		unit := "count"
		if c.IsBytes() {
			unit = b.blocks("bytes")
		}
		f.Costs = append(f.Costs, cost{ID: c.Cost.String(), Label: c.label, Unit: unit})
		t.totals = append(t.totals, func(n int32) uint64 { return x.Total[n] })
		t.selves = append(t.selves, x.Self)
		folded = append(folded, x)
	}
	if len(folded) == 0 {
		return nil
	}
	t.children = func(n int32) iter.Seq[int32] { return slices.Values(childrenOf(folded, n)) }
	grow(b, f, t)
	return nil
}

// keptStacks returns the filtered stacks, and their indexes in the trace's order; pick is nil if all are kept.
func (b *builder) keptStacks() (stacks *model.Stacks, ids []model.StackID, pick []int, err error) {
	stacks, ids = b.src.Profile.Stacks, b.src.Trace.StackIDs()
	filter := b.src.Cell.Stacks
	if filter == "" || stacks == nil {
		return stacks, ids, nil, nil
	}
	view, err := calltree.FilterStacks(b.ctx, stacks, filter, calltree.FullStacks)
	if err != nil {
		return nil, nil, nil, err
	}
	kept := []model.StackID{}
	pick = []int{}
	for i, id := range ids {
		keep := calltree.StacksAreKept(filter)
		if leaf, ok := stacks.Node(id); ok {
			_, keep = view.Node(leaf)
		}
		if keep {
			kept, pick = append(kept, id), append(pick, i)
		}
	}
	return view.Stacks, kept, pick, nil
}

// childrenOf returns the children of a node by any cost.
func childrenOf(folded []*calltree.Folded, n int32) []int32 {
	var out []int32
	for _, f := range folded {
		for _, c := range f.Children(n) {
			if !slices.Contains(out, c) {
				out = append(out, c)
			}
		}
	}
	return out
}

// stackFlame adds the flame graph of a stack profile.
func (b *builder) stackFlame(title, unit string) error {
	s := b.src.Selection
	var leaves []model.NodeID
	var weights []float64
	top := 0.0
	for r := range s.Profile.Records.Len() {
		w, ok := s.Weight(model.RecordID(r))
		if f := w.Float64(); ok && f > 0 {
			leaves, weights = append(leaves, s.Node(model.RecordID(r))), append(weights, f)
			top = max(top, f)
		}
	}
	if len(leaves) == 0 {
		return nil
	}
	tree, err := calltree.NewLeafTree(b.ctx, s.Stacks, leaves, calltree.TreeOptions{})
	if err != nil {
		return err
	}
	scale := uint64(1)
	for top*float64(scale) < 1e6 && slices.ContainsFunc(weights, func(w float64) bool { return w != math.Trunc(w) }) && scale < 1e12 {
		scale *= 1000 // fractions, such as seconds
	}
	whole := make([]uint64, len(weights))
	for i, w := range weights {
		whole[i] = uint64(math.Round(min(w*float64(scale), 1<<62)))
	}
	x := tree.Fold(whole)
	if x.Total[0] == 0 {
		return nil
	}
	f := &flame{ID: "flame", Title: "Flame graph", Answer: title, Turn: true, Rest: "(smaller frames)",
		Costs: []cost{{"weight", title, unit, scale}}}
	grow(b, f, &branches[int32]{
		label:    func(n int32) string { return tree.Name(n) },
		children: func(n int32) iter.Seq[int32] { return slices.Values(x.Children(n)) },
		totals:   []func(int32) uint64{func(n int32) uint64 { return x.Total[n] }}, selves: []func(int32) uint64{x.Self},
	})
	return nil
}

// dominatorFlame adds the dominator tree of a snapshot; widths are retained sizes.
func (b *builder) dominatorFlame() {
	g := b.src.Graph
	if g == nil || g.Heap.Len() == 0 || g.Retained[model.RootRow] == 0 {
		return
	}
	f := &flame{ID: "dominators", Title: "Dominator tree", Answer: "the width is the retained size",
		Rest: "(smaller objects)", Costs: []cost{{ID: "retained", Label: "retained", Unit: "bytes"},
			{ID: "rows", Label: "objects", Unit: "count"}}}
	grow(b, f, &branches[model.Row]{
		label: func(r model.Row) string { return heapgraph.Label(g.Heap, r) },
		children: func(r model.Row) iter.Seq[model.Row] {
			return func(yield func(model.Row) bool) {
				for _, child := range g.Children(r).All() {
					if !yield(child) {
						return
					}
				}
			}
		},
		totals: []func(model.Row) uint64{func(r model.Row) uint64 { return g.Retained[r] }, g.RetainedCount},
		selves: []func(model.Row) uint64{g.Heap.Bytes, func(model.Row) uint64 { return 1 }},
	})
}
