package stacks

import (
	"context"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
	"github.com/memtui/memtui/views/ui"
)

// treeKey determines the structure of a call tree.
type treeKey struct {
	stacks   *model.Stacks
	ids      int // stacks in use
	invert   bool
	collapse bool
	full     bool            // names as they are in the file
	prof     *ui.ProfileFile // of weighted stacks; nil for traces
	filters  calltree.Filter
	part     calltree.Part
	grown    *diff.CompareShape // of a difference that is bottom-up; nil elsewhere
}

// options choose how stacks become a tree.
func (k *treeKey) options() calltree.TreeOptions {
	opt := calltree.TreeOptions{Invert: k.invert, Collapse: k.collapse}
	if !k.full {
		opt.Name = funcname.ShortenTemplates
	}
	return opt
}

// shape returns the key without fields that only grow: trees of one shape have the same node numbers.
func (k treeKey) shape() treeKey { k.ids, k.prof = 0, nil; return k }

// callTree is a call tree without weights and what it was made of.
type callTree struct {
	*calltree.CallTree
	key  treeKey
	ids  []model.StackID // by index in the tree; nil for weighted stacks
	pick []int32         // index among the file's stacks, or records; nil if all are in the tree
}

// picked returns the weights of the stacks in the tree, out of those of all stacks.
func (t *callTree) picked(weights []uint64) []uint64 {
	if t.pick == nil {
		return weights
	}
	out := make([]uint64, len(t.pick))
	for i, k := range t.pick {
		if int(k) < len(weights) {
			out[i] = weights[k]
		}
	}
	return out
}

// stack returns the dense index among the file's stacks of stack i of the tree.
func (t *callTree) stack(i int) int {
	if t.pick == nil {
		return i
	}
	return int(t.pick[i])
}

// makeTree builds the structure of a call tree.
func makeTree(ctx context.Context, e *ui.Env, key treeKey) (*callTree, error) {
	if key.prof != nil {
		return profileTree(ctx, key)
	}
	ids := e.Trace.StackIDs()
	ids = ids[:min(key.ids, len(ids))]
	view, err := e.Views.Of(ctx, key.stacks, key.filters, key.part)
	if err != nil {
		return nil, err
	}
	stacks, pick := key.stacks, []int32(nil)
	if view != nil {
		stacks = view.Stacks
		ids, pick = keptStacks(key, view, ids)
	}
	t, err := calltree.NewCallTree(ctx, stacks, ids, key.options())
	return &callTree{t, key, ids, pick}, err
}

// keptStacks returns the stacks that a filter leaves, and where they are in ids.
func keptStacks(key treeKey, view *calltree.FilteredStacks, ids []model.StackID) (kept []model.StackID, pick []int32) {
	pick = []int32{}
	unknown := calltree.StacksAreKept(key.filters)
	for i, id := range ids {
		keep := unknown
		if leaf, ok := key.stacks.Node(id); ok {
			_, keep = view.Node(leaf)
		}
		if keep {
			kept, pick = append(kept, id), append(pick, int32(i))
		}
	}
	return kept, pick
}

// foldKey determines the weights of a call tree.
type foldKey struct {
	tree     *callTree
	revision uint64
	cost     analysis.Cost
	at       analysis.Instant // zero where the cost does not depend on it
	over     analysis.Range   // zero where the cost does not depend on it
	cell     analysis.Cell
	prof     ui.ProfileKey // of weighted stacks, zero for traces
}

// foldKeyOf returns the part of a state that matters for its cost.
func foldKeyOf(t *callTree, s *state.State) foldKey {
	if t.key.prof != nil {
		return foldKey{tree: t, prof: t.key.prof.Key(s)}
	}
	k := foldKey{tree: t, revision: s.Status.Revision, cost: s.Cost, cell: s.Cell}
	if s.Cost == analysis.CostLive || s.Cost == analysis.CostLiveCount {
		k.at = s.At
	} else {
		k.over = s.Range
	}
	return k
}

// query returns the query to a trace for a key.
func (k foldKey) query() analysis.Query {
	if k.over == (analysis.Range{}) {
		k.over = analysis.FullRange
	}
	return analysis.Query{At: k.at, Range: k.over, Cell: k.cell}
}

// weighed is a call tree with the weights of one cost at one instant or over one range, or with their changes. It is
// immutable.
type weighed struct {
	*calltree.Folded
	tree *callTree
	key  foldKey
	peak model.Time     // when the peak is, for CostPeak; model.NoTime where there is none
	unit ui.ProfileUnit // of weighted stacks

	set     *ui.StackComparison // what is compared; nil where no difference is shown, as the two below
	shape   *diff.CompareShape
	changes *diff.Tree
}

// Children returns the children of a node that weigh anything, or did; the heaviest first.
func (w *weighed) Children(n int32) []int32 {
	if w.changes != nil {
		return w.changes.Children(n)
	}
	return w.Folded.Children(n)
}

// HasChildren reports whether a node has any children with a weight, now or before.
func (w *weighed) HasChildren(n int32) bool {
	if w.changes != nil {
		return w.changes.HasChildren(n)
	}
	return w.Folded.HasChildren(n)
}

// there reports whether a node has any weight, changed or not.
func (w *weighed) there(id uint64) bool {
	return w.exists(id) || w.changes != nil && id < uint64(w.Len()) && w.changes.There(int32(id))
}

// weigh computes the weights of every stack and sums them up the tree.
func weigh(ctx context.Context, trace analysis.Trace, key foldKey) (*weighed, error) {
	if key.prof.Of != nil {
		return weighProf(ctx, key)
	}
	w := &weighed{tree: key.tree, key: key, peak: model.NoTime}
	q := key.query()
	weights, err := trace.Weights(ctx, key.cost, q)
	if err != nil {
		return nil, err
	}
	if key.cost == analysis.CostPeak {
		p, ok, err := trace.Peak(ctx, q.Range)
		if err != nil {
			return nil, err
		}
		if ok {
			w.peak = p.Time
		}
	}
	w.Folded = key.tree.Fold(key.tree.picked(weights))
	return w, nil
}

// plainWeights are the weights of single stacks, not summed up.
type plainWeights struct {
	key    foldKey
	weight []uint64
}

// weighStacks computes the weights of every stack.
func weighStacks(ctx context.Context, trace analysis.Trace, key foldKey) (plainWeights, error) {
	w, err := trace.Weights(ctx, key.cost, key.query())
	return plainWeights{key, key.tree.picked(w)}, err
}

// members are the stacks that pass a node. The last answer is cached.
type members struct {
	tree   *callTree
	node   int32
	stacks []int
}

// of returns the dense indexes of the stacks that pass n.
func (m *members) of(t *callTree, n int32) []int {
	if m.tree == t && m.node == n {
		return m.stacks
	}
	*m = members{tree: t, node: n}
	under := make([]bool, t.Len())
	under[n] = true
	for c := int(n) + 1; c < len(under); c++ {
		under[c] = under[t.Parent(int32(c))]
	}
	for i := range t.ids {
		if under[t.Leaf(i)] {
			m.stacks = append(m.stacks, i)
		}
	}
	return m.stacks
}

// nodeIDs converts nodes to the ids of widgets.
func nodeIDs(nodes []int32) []uint64 {
	out := make([]uint64, len(nodes))
	for i, n := range nodes {
		out[i] = uint64(n)
	}
	return out
}

// exists reports whether a node is in the graph: it weighs anything, or what is below it changed.
func (w *weighed) exists(id uint64) bool { return id < uint64(w.Len()) && w.Total[id] > 0 }

// frame returns what is known of a node beyond its name; mixed says that it represents several places, of which this is
// the heaviest.
func (w *weighed) frame(n int32) (f model.Frame, mixed bool) {
	_, mixed = w.Frame(n)
	id := w.Heaviest(n)
	if w.tree.key.stacks == nil || id == 0 {
		return model.Frame{Line: model.NoLine}, mixed
	}
	return w.tree.key.stacks.At(id), mixed
}

// label returns a node's name as trees and graphs show it: without its signature, unless names are shown as in the
// file.
func (w *weighed) label(n int32) string {
	sign := w.sign(n)
	if w.tree.key.full {
		return sign + w.Name(n)
	}
	return sign + funcname.WithoutSignature(w.Name(n))
}

// place returns a node's file and line, "" when unknown.
func (w *weighed) place(n int32) string {
	f, mixed := w.frame(n)
	place := ui.FramePlace(f)
	if place == "" {
		place = w.dso(n)
	}
	if mixed && place != "" {
		place += " …"
	}
	return place
}

// path returns the nodes from below the root down to n, only the last limit of them (limit ≤ 0: all); left is how many
// more there are.
func (w *weighed) path(n int32, limit int) (nodes []int32, left int) {
	for at := n; at > 0; at = w.Parent(at) {
		if limit > 0 && len(nodes) >= limit {
			left++
			continue
		}
		nodes = append(nodes, at)
	}
	for i, j := 0, len(nodes)-1; i < j; i, j = i+1, j-1 {
		nodes[i], nodes[j] = nodes[j], nodes[i]
	}
	return nodes, left
}

// way is the path to a node, to find it in another tree of the same stacks.
type way struct {
	names  []string // from below the root down, shortened
	invert bool     // the tree is bottom-up
}

// wayIn returns the path to the selected node in w.
func (p *Stacks) wayIn(w *weighed) way {
	nodes, _ := w.path(p.selectedIn(w), 0)
	names := make([]string, len(nodes))
	for i, n := range nodes {
		names[i] = funcname.ShortenTemplates(w.Name(n))
	}
	return way{names, w.tree.key.invert}
}

// end returns the node at the end of a path, or as far as the path exists. Short or full names and folded recursion
// make no difference.
func (w *weighed) end(to way) int32 {
	names := to.names
	if n := len(names); n > 0 && to.invert != w.tree.key.invert {
		names = names[n-1:] // the path differs, but the function may be at the top
	}
	at := int32(0)
	for i, name := range names {
		if i > 0 && name == names[i-1] && at != 0 && w.tree.key.collapse {
			continue
		}
		next := int32(-1)
		for _, c := range w.Children(at) {
			if funcname.ShortenTemplates(w.Name(c)) == name {
				next = c
				break
			}
		}
		if next < 0 {
			break
		}
		at = next
	}
	return at
}
