package heapgraph

import (
	"context"
	"slices"

	"github.com/memtui/memtui/model"
)

// RetainedBySet returns what would become unreachable without all the rows of one type or frame, they included. Rows that nothing
// reaches anyway do not count. RetainedBySets answers for all of them at once, and faster.
func (g *Graph) RetainedBySet(ctx context.Context, kinds model.HeapKinds, id uint32) (bytes, rows uint64, err error) {
	return g.retainedBy(ctx, func(r model.Row) bool { return kinds.Has(g.Heap.Kinds[r]) && g.Heap.Entity[r] == id })
}

// RetainedByKinds returns what would become unreachable without all the rows of some kinds, they included. What its types or frames retain
// does not add up to that: they retain parts of each other.
func (g *Graph) RetainedByKinds(ctx context.Context, kinds model.HeapKinds) (bytes, rows uint64, err error) {
	return g.retainedBy(ctx, func(r model.Row) bool { return kinds.Has(g.Heap.Kinds[r]) })
}

// retainedBy returns what would become unreachable without the rows of a set, they included.
func (g *Graph) retainedBy(ctx context.Context, in func(model.Row) bool) (bytes, rows uint64, err error) {
	h, p := g.Heap, (*pathTree)(nil)
	if p, err = g.shortest(ctx); err != nil {
		return 0, 0, err
	}
	seen := newRowBits(h.Len())
	var set []model.Row
	for r := range model.Row(h.Len()) {
		if in(r) {
			set = append(set, r)
			seen.set(r)
		}
	}
	if err = g.flood(ctx, make([]model.Row, h.Len()), seen, nil, model.RootRow); err != nil {
		return 0, 0, err
	}
	for _, r := range set {
		seen[r>>6] &^= 1 << (r & 63)
	}
	for r := range h.Kinds {
		if r := model.Row(r); p.seen.has(r) && !seen.has(r) {
			rows++
			bytes, _ = model.SaturatingAdd(bytes, h.Bytes(r))
		}
	}
	return bytes, rows, nil
}

// What RetainedBySets may cost. Real snapshots need up to seven steps for each row and reference.
const (
	setSteps   = 30
	mostForSet = 16 << 20 // rows and references, above which lists of incoming references would take too much memory
)

// RetainedBySets is RetainedBySet of every type or frame of kinds that are named alike: bytes by id. In real snapshots it takes a few times as
// long as one walk over the references. Where it would take far longer or too much memory, or the snapshot is very large, the
// ids of those that have several rows may be absent.
func (g *Graph) RetainedBySets(ctx context.Context, kinds model.HeapKinds) (map[uint32]uint64, error) {
	budget := 0
	if size := g.Heap.Len() + len(g.Heap.To); size <= mostForSet && model.BudgetOf(ctx).Fits(int64(24*g.Heap.Len()+8*len(g.Heap.To))) {
		budget = 1<<20 + setSteps*size
	}
	return g.retainedBySets(ctx, kinds, budget)
}

// retainedBySets looks at no more than about budget references.
func (g *Graph) retainedBySets(ctx context.Context, kinds model.HeapKinds, budget int) (map[uint32]uint64, error) {
	x := newIDIndex(g.Heap)
	members := g.membersOf(kinds, x)
	bytes := make(map[uint32]uint64, len(members))
	var w *setWork
	for i, rows := range members {
		switch id := x.ids[i]; {
		case len(rows) == 1 && g.Unreachable == 0:
			bytes[id] = g.Retained[rows[0]] // the dominator tree knows already
		case budget > 0 && w == nil:
			var err error
			if w, err = newSetWork(ctx, g, kinds, budget); err != nil {
				return nil, err
			}
			fallthrough
		case w != nil && w.budget >= 0:
			w.id, w.stamp = id, uint32(i)+1
			if n, err := w.retains(rows); err != nil {
				return nil, err
			} else if w.budget >= 0 {
				bytes[id] = n
			}
		}
	}
	return bytes, ctx.Err()
}

func newSetWork(ctx context.Context, g *Graph, kinds model.HeapKinds, budget int) (*setWork, error) {
	p, err := g.shortest(ctx)
	if err != nil {
		return nil, err
	}
	w := &setWork{ctx: ctx, g: g, kinds: kinds, tree: p, in: g.incoming(), mark: make([]uint32, g.Heap.Len()), budget: budget}
	w.listKept()
	return w, nil
}

// membersOf lists the rows of some kinds by the number that x gives their type or frame.
func (g *Graph) membersOf(kinds model.HeapKinds, x *idIndex) [][]model.Row {
	var members [][]model.Row
	for r, k := range g.Heap.Kinds {
		if !kinds.Has(k) {
			continue
		}
		i := x.number(g.Heap.Entity[r])
		if i == len(members) {
			members = append(members, nil)
		}
		members[i] = append(members[i], model.Row(r))
	}
	return members
}

// setWork finds what sets of rows retain, one set after the other. Without a set, only rows can become unreachable whose
// shortest path passes one of the set: those are gathered first. What anything else refers to is then taken out again, and
// what that refers to. The rest is retained.
type setWork struct {
	ctx   context.Context
	g     *Graph
	kinds model.HeapKinds
	id    uint32
	tree  *pathTree
	in    *inEdges
	kept  rowBits  // targets of references of rows that the policy leaves out as a whole; nil: all count
	mark  []uint32 // by row: the stamp of the last set that it was gathered for
	stamp uint32   // of the current set
	found []model.Row
	queue []model.Row

	budget int
	paused int // the budget when ctx was last looked at
}

// listKept notes which references hold their targets of rows that the policy leaves out as a whole.
func (w *setWork) listKept() {
	if w.g.kept == nil {
		return
	}
	w.kept = newRowBits(w.g.Heap.Len())
	from := w.g.Policy.Of(w.g.Heap.Schema).SkipFrom
	for r, to := range w.g.kept {
		for _, t := range to {
			if from.Has(w.g.Heap.Kinds[r]) {
				w.kept.set(t)
			}
		}
	}
}

// spend counts references that were looked at. It is false when there is no use in going on.
func (w *setWork) spend(n int) bool {
	w.budget -= n + 1
	if w.paused-w.budget > pauseEvery || w.paused == 0 {
		w.paused = w.budget
		return w.budget >= 0 && w.ctx.Err() == nil
	}
	return w.budget >= 0
}

// retains sums what the set retains. The sum means nothing when the budget is used up.
func (w *setWork) retains(set []model.Row) (bytes uint64, err error) {
	if w.gather(set) {
		w.rescue()
	}
	for _, r := range w.found {
		if w.mark[r] == w.stamp {
			bytes, _ = model.SaturatingAdd(bytes, w.g.Heap.Bytes(r))
		}
	}
	return bytes, w.ctx.Err()
}

// gather finds the set and all whose shortest paths pass it.
func (w *setWork) gather(set []model.Row) bool {
	w.found = w.found[:0]
	for _, r := range set {
		if w.tree.seen.has(r) {
			w.mark[r] = w.stamp
			w.found = append(w.found, r)
		}
	}
	for i := 0; i < len(w.found); i++ {
		r := w.found[i]
		out := w.g.out(r)
		for _, t := range out {
			if w.mark[t] != w.stamp && w.tree.from[t] == r {
				w.mark[t] = w.stamp
				w.found = append(w.found, t)
			}
		}
		if !w.spend(len(out)) {
			return false
		}
	}
	return true
}

// member reports whether a row is one of the set itself.
func (w *setWork) member(r model.Row) bool {
	return w.kinds.Has(w.g.Heap.Kinds[r]) && w.g.Heap.Entity[r] == w.id
}

// rescue takes out what can be reached without the set.
func (w *setWork) rescue() {
	for _, r := range w.found {
		if w.mark[r] != w.stamp || w.member(r) || !w.heldFromOutside(r) {
			continue
		}
		w.mark[r] = 0
		w.queue = append(w.queue[:0], r)
		for len(w.queue) > 0 {
			last := len(w.queue) - 1
			out := w.g.out(w.queue[last])
			w.queue = w.queue[:last]
			for _, t := range out {
				if w.mark[t] == w.stamp && !w.member(t) {
					w.mark[t] = 0
					w.queue = append(w.queue, t)
				}
			}
			if !w.spend(len(out)) {
				return
			}
		}
	}
}

// heldFromOutside reports whether something that stays reachable refers to r.
func (w *setWork) heldFromOutside(r model.Row) bool {
	sources := w.in.from[w.in.start[r]:w.in.start[r+1]]
	for i, s := range sources {
		if w.mark[s] == w.stamp || !w.tree.seen.has(s) {
			continue
		}
		if w.kept == nil || !w.g.cut.has(s) || w.holds(s, r) {
			return w.spend(i)
		}
	}
	w.spend(len(sources))
	return false
}

// holds reports whether row s, which has references that the policy leaves out, refers to r by one that counts.
func (w *setWork) holds(s, r model.Row) bool {
	if w.g.Policy.Of(w.g.Heap.Schema).SkipFrom.Has(w.g.Heap.Kinds[s]) {
		return w.kept.has(r) // as for all of them: nothing else reaches it
	}
	kept := w.g.kept[s]
	w.spend(len(kept))
	return slices.Contains(kept, r)
}
