package heapgraph

import (
	"context"
	"slices"

	"github.com/memtui/memtui/model"
)

// RetainedBySet returns what would become unreachable without all the rows of one type or frame, they included. Rows that nothing
// reaches anyway do not count. RetainedBySets answers for all of them at once, and faster.
func (g *Graph) RetainedBySet(ctx context.Context, kinds model.HeapKinds, id uint32) (bytes, rows uint64, err error) {
	return g.core.retainedBy(ctx, func(r model.Row) bool { return kinds.Has(g.Heap.Kinds[r]) && g.Heap.Entity[r] == id })
}

// RetainedByKinds returns what would become unreachable without all the rows of some kinds, they included. What its types or frames retain
// does not add up to that: they retain parts of each other.
func (g *Graph) RetainedByKinds(ctx context.Context, kinds model.HeapKinds) (bytes, rows uint64, err error) {
	return g.core.retainedBy(ctx, func(r model.Row) bool { return kinds.Has(g.Heap.Kinds[r]) })
}

// retainedBy returns what would become unreachable without the rows of a set, they included.
func (c *core[I]) retainedBy(ctx context.Context, in func(model.Row) bool) (bytes, rows uint64, err error) {
	h, p := c.heap, (*pathTree[I])(nil)
	if p, err = c.shortest(ctx); err != nil {
		return 0, 0, err
	}
	seen := newRowBits(h.Len())
	var set []I
	for r := range h.Len() {
		if in(model.Row(r)) {
			set = append(set, I(r))
			seen.set(uint64(r))
		}
	}
	if err = c.flood(ctx, make([]I, h.Len()), seen, nil, 0); err != nil {
		return 0, 0, err
	}
	for _, r := range set {
		seen[r>>6] &^= 1 << (r & 63)
	}
	for r := range uint64(h.Len()) {
		if p.seen.has(r) && !seen.has(r) {
			rows++
			bytes, _ = model.SaturatingAdd(bytes, h.Bytes(model.Row(r)))
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
	if size := g.Heap.Len() + g.Heap.To.Len(); size <= mostForSet && model.BudgetOf(ctx).Fits(int64(24*g.Heap.Len()+8*g.Heap.To.Len())) {
		budget = 1<<20 + setSteps*size
	}
	return g.core.retainedBySets(ctx, kinds, budget)
}

// retainedBySets looks at no more than about budget references.
func (c *core[I]) retainedBySets(ctx context.Context, kinds model.HeapKinds, budget int) (map[uint32]uint64, error) {
	x := newIDIndex(c.heap)
	members := c.membersOf(kinds, x)
	bytes := make(map[uint32]uint64, len(members))
	var w *setWork[I]
	for i, rows := range members {
		switch id := x.ids[i]; {
		case len(rows) == 1 && c.unreachable == 0:
			bytes[id] = c.retained[rows[0]] // the dominator tree knows already
		case budget > 0 && w == nil:
			var err error
			if w, err = newSetWork(ctx, c, kinds, budget); err != nil {
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

func newSetWork[I index](ctx context.Context, c *core[I], kinds model.HeapKinds, budget int) (*setWork[I], error) {
	p, err := c.shortest(ctx)
	if err != nil {
		return nil, err
	}
	w := &setWork[I]{ctx: ctx, c: c, kinds: kinds, tree: p, in: c.incoming(), mark: make([]uint32, c.heap.Len()), budget: budget}
	w.listKept()
	return w, nil
}

// membersOf lists the rows of some kinds by the number that x gives their type or frame.
func (c *core[I]) membersOf(kinds model.HeapKinds, x *idIndex) [][]I {
	var members [][]I
	for r, k := range c.heap.Kinds {
		if !kinds.Has(k) {
			continue
		}
		i := x.number(c.heap.Entity[r])
		if i == len(members) {
			members = append(members, nil)
		}
		members[i] = append(members[i], I(r))
	}
	return members
}

// setWork finds what sets of rows retain, one set after the other. Without a set, only rows can become unreachable whose
// shortest path passes one of the set: those are gathered first. What anything else refers to is then taken out again, and
// what that refers to. The rest is retained.
type setWork[I index] struct {
	ctx   context.Context
	c     *core[I]
	kinds model.HeapKinds
	id    uint32
	tree  *pathTree[I]
	in    *inEdges[I]
	kept  rowBits  // targets of references of rows that the policy leaves out as a whole; nil: all count
	mark  []uint32 // by row: the stamp of the last set that it was gathered for
	stamp uint32   // of the current set
	found []I
	queue []I

	budget int
	paused int // the budget when ctx was last looked at
}

// listKept notes which references hold their targets of rows that the policy leaves out as a whole.
func (w *setWork[I]) listKept() {
	if w.c.kept == nil {
		return
	}
	w.kept = newRowBits(w.c.heap.Len())
	from := w.c.policy.SkipFrom
	for r, to := range w.c.kept {
		for _, t := range to {
			if from.Has(w.c.heap.Kinds[r]) {
				w.kept.set(uint64(t))
			}
		}
	}
}

// spend counts references that were looked at. It is false when there is no use in going on.
func (w *setWork[I]) spend(n int) bool {
	w.budget -= n + 1
	if w.paused-w.budget > pauseEvery || w.paused == 0 {
		w.paused = w.budget
		return w.budget >= 0 && w.ctx.Err() == nil
	}
	return w.budget >= 0
}

// retains sums what the set retains. The sum means nothing when the budget is used up.
func (w *setWork[I]) retains(set []I) (bytes uint64, err error) {
	if w.gather(set) {
		w.rescue()
	}
	for _, r := range w.found {
		if w.mark[r] == w.stamp {
			bytes, _ = model.SaturatingAdd(bytes, w.c.heap.Bytes(model.Row(r)))
		}
	}
	return bytes, w.ctx.Err()
}

// gather finds the set and all whose shortest paths pass it.
func (w *setWork[I]) gather(set []I) bool {
	w.found = w.found[:0]
	for _, r := range set {
		if w.tree.seen.has(uint64(r)) {
			w.mark[r] = w.stamp
			w.found = append(w.found, r)
		}
	}
	for i := 0; i < len(w.found); i++ {
		r := w.found[i]
		out := w.c.out(r)
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
func (w *setWork[I]) member(r I) bool {
	return w.kinds.Has(w.c.heap.Kinds[r]) && w.c.heap.Entity[r] == w.id
}

// rescue takes out what can be reached without the set.
func (w *setWork[I]) rescue() {
	for _, r := range w.found {
		if w.mark[r] != w.stamp || w.member(r) || !w.heldFromOutside(r) {
			continue
		}
		w.mark[r] = 0
		w.queue = append(w.queue[:0], r)
		for len(w.queue) > 0 {
			last := len(w.queue) - 1
			out := w.c.out(w.queue[last])
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
func (w *setWork[I]) heldFromOutside(r I) bool {
	sources := w.in.from[w.in.start[r]:w.in.start[r+1]]
	for i, s := range sources {
		if w.mark[s] == w.stamp || !w.tree.seen.has(uint64(s)) {
			continue
		}
		if w.kept == nil || !w.c.cut.has(uint64(s)) || w.holds(s, r) {
			return w.spend(i)
		}
	}
	w.spend(len(sources))
	return false
}

// holds reports whether row s, which has references that the policy leaves out, refers to r by one that counts.
func (w *setWork[I]) holds(s, r I) bool {
	if w.c.policy.SkipFrom.Has(w.c.heap.Kinds[s]) {
		return w.kept.has(uint64(r)) // as for all of them: nothing else reaches it
	}
	kept := w.c.kept[s]
	w.spend(len(kept))
	return slices.Contains(kept, r)
}
