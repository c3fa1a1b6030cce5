package heapgraph

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"github.com/memtui/memtui/model"
)

// RetainedByGroup returns what would become unreachable without all the rows of one group of [Groups], including them.
// Rows that are unreachable anyway do not count. RetainedByGroups computes it for all groups at once, and faster.
func (g *Graph) RetainedByGroup(ctx context.Context, by By, id uint32) (bytes, rows uint64, err error) {
	x := newRowClasses(g.Heap, by)
	id = x.class(id)
	return g.core.retainedBy(ctx, func(r model.Row) bool { return x.has(r) && x.of(r) == id })
}

// RetainedByKinds returns what would become unreachable without all the rows of some kinds, including them. What single
// types or frames retain does not add up to it, since they retain parts of each other.
func (g *Graph) RetainedByKinds(ctx context.Context, kinds model.HeapKinds) (bytes, rows uint64, err error) {
	return g.core.retainedBy(ctx, func(r model.Row) bool { return kinds.Has(g.Heap.Kinds[r]) })
}

// retainedBy returns what would become unreachable without the rows of a set, including them.
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

// Limits of RetainedByGroups. Real snapshots need one or two steps per row and reference, some hundred million of which
// take ten seconds.
const (
	setSteps    = 6
	mostForSet  = 16 << 20 // rows and references; above it lists of incoming references would take too much memory
	setRowBytes = 48
	setRefBytes = 8
)

// SetSize is what the rows of a group retain: exactly, or a lower bound.
type SetSize struct {
	Bytes uint64
	Exact bool
}

// RetainedByGroups returns what the rows of each group of [Groups] retain together, by the ids of groups. In real
// snapshots it takes about as long as two walks over the references. If it would take far longer or too much memory, or
// the snapshot is very large, groups of several rows get a lower bound: what those of their rows retain that are not
// below another row of the group. See [Graph.HasSets]. The graph keeps the result, which the caller must not change.
func (g *Graph) RetainedByGroups(ctx context.Context, by By) (map[uint32]SetSize, error) {
	if known, ok := g.sets.get(by); ok {
		return known, nil
	}
	sets, err := g.groupSets(ctx, by)
	if err == nil && model.BudgetOf(ctx) == nil {
		g.sets.put(by, sets)
	}
	return sets, err
}

// setMemo are results of RetainedByGroups.
type setMemo struct {
	mu    sync.Mutex
	of    map[By]map[uint32]SetSize
	sizes int
}

// setBytes is about what an entry of a result takes.
const setBytes = 40

func (m *setMemo) get(by By) (sets map[uint32]SetSize, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	sets, ok = m.of[by]
	return sets, ok
}

func (m *setMemo) put(by By, sets map[uint32]SetSize) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.of == nil {
		m.of = map[By]map[uint32]SetSize{}
	}
	m.sizes += len(sets) - len(m.of[by])
	m.of[by] = sets
}

// bytes returns how much memory the results take.
func (m *setMemo) bytes() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return setBytes * int64(m.sizes)
}

// groupSets is RetainedByGroups without what is kept in memory.
func (g *Graph) groupSets(ctx context.Context, by By) (map[uint32]SetSize, error) {
	budget, x := 0, newRowClasses(g.Heap, by)
	if g.HasSets(ctx) {
		budget = 1<<20 + setSteps*(g.Heap.Len()+g.Heap.To.Len())
	}
	sets := g.restoreSets(ctx, by, budget > 0)
	if sets == nil {
		exact, err := g.core.retainedBySets(ctx, x, budget)
		if err != nil {
			return nil, err
		}
		if sets, err = g.core.bounded(ctx, x, exact); err != nil {
			return nil, err
		}
		g.keepSets(by, budget > 0, sets)
	}
	return sets, nil
}

// bounded adds lower bounds to the exact sizes of groups, and repeats each for all ids of the group.
func (c *core[I]) bounded(ctx context.Context, x *rowClasses, exact map[uint32]uint64) (map[uint32]SetSize, error) {
	out := make(map[uint32]SetSize, len(exact))
	for class, n := range exact {
		out[class] = SetSize{n, true}
	}
	if err := c.least(ctx, x, out); err != nil {
		return nil, err
	}
	for id, class := range x.first {
		if n, ok := out[class]; ok {
			out[id] = n
		}
	}
	return out, nil
}

// outermost sums up the rows of a class that are not below another one of it.
type outermost struct {
	until uint64 // where, in the order of the walk, what is below the last one ends
	bytes uint64 // that they retain
	known bool   // the exact size of the class is
}

// least adds lower bounds for groups without an entry: what those of their rows retain that are not below another row
// of the group.
func (c *core[I]) least(ctx context.Context, x *rowClasses, out map[uint32]SetSize) error {
	lacking := x.lacking(out)
	if len(lacking) == 0 {
		return nil
	}
	reached, err := c.reached(ctx)
	if err != nil {
		return err
	}
	t := c.below()
	children := t.unsorted()
	ids := newIDIndex(c.heap)
	var list []outermost // by number of the class in ids
	at := uint64(0)
	for todo := []I{0}; len(todo) > 0; at++ {
		if at%pauseEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r := todo[len(todo)-1]
		todo = append(todo[:len(todo)-1], children[t.start[r]:t.start[r+1]]...)
		if !x.has(model.Row(r)) || reached != nil && !reached.has(uint64(r)) {
			continue
		}
		class := x.of(model.Row(r))
		i := ids.number(class)
		if i == len(list) {
			list = append(list, outermost{known: out[class].Exact})
		}
		if o := &list[i]; !o.known && at >= o.until {
			o.until = at + uint64(c.count[r])
			o.bytes, _ = model.SaturatingAdd(o.bytes, c.retained[r])
		}
	}
	for i, class := range ids.ids {
		if !list[i].known {
			out[class] = SetSize{Bytes: list[i].bytes}
		}
	}
	for class := range lacking {
		if _, ok := out[class]; !ok {
			out[class] = SetSize{Exact: true} // its rows are unreachable
		}
	}
	return nil
}

// HasSets reports whether there is enough memory for RetainedByGroups, and the snapshot is not too large for it.
func (g *Graph) HasSets(ctx context.Context) bool {
	rows, refs := g.Heap.Len(), g.Heap.To.Len()
	return rows+refs <= mostForSet && model.BudgetOf(ctx).Fits(setRowBytes*int64(rows)+setRefBytes*int64(refs))
}

// retainedBySets returns what groups retain exactly, by class. It visits no more than about budget rows and references,
// and leaves out groups that would need more.
func (c *core[I]) retainedBySets(ctx context.Context, x *rowClasses, budget int) (map[uint32]uint64, error) {
	ids := newIDIndex(c.heap)
	counts := c.countMembers(x, ids)
	bytes := make(map[uint32]uint64, len(counts))
	several := slices.ContainsFunc(counts, func(n int) bool { return n > 1 })
	if budget > 0 && (several || c.unreachable > 0) {
		w, err := newSetWork(ctx, c, x, budget)
		if err != nil {
			return nil, err
		}
		if err := w.retainAll(ids, counts, bytes); err != nil {
			return nil, err
		}
	}
	if c.unreachable == 0 {
		for r := range c.heap.Kinds { // the dominator tree has what single rows retain
			if !x.has(model.Row(r)) {
				continue
			}
			if id := x.of(model.Row(r)); counts[ids.number(id)] == 1 {
				bytes[id] = c.retained[r]
			}
		}
	}
	return bytes, ctx.Err()
}

// countMembers counts the rows of each class by its number in ids.
func (c *core[I]) countMembers(x *rowClasses, ids *idIndex) (counts []int) {
	for r := range c.heap.Kinds {
		if !x.has(model.Row(r)) {
			continue
		}
		i := ids.number(x.of(model.Row(r)))
		if i == len(counts) {
			counts = append(counts, 0)
		}
		counts[i]++
	}
	return counts
}

// setWork computes what sets of rows retain, one set after the other. Without a set, only rows whose shortest path
// passes one of the set can become unreachable: those are gathered first. Those that anything else refers to are then
// removed again, with what they refer to. The rest is retained.
//
// Rows have places, so that what follows a row in the tree of shortest paths is one span of places. For rows dominated
// by a gathered row, incoming references need no check: all paths to them pass the row, and each row on the way was
// gathered with it.
type setWork[I index] struct {
	ctx     context.Context
	c       *core[I]
	classes *rowClasses
	id      uint32 // of the current class
	seen    rowBits
	place   []I         // place by row
	rows    []I         // row by place; the columns below are by place as well
	end     []I         // end of the row's span
	idom    []I         // place of the dominator
	in      *inEdges[I] // under the policy
	mark    []uint32    // stamp of the last set that the row was gathered for
	stamp   uint32      // of the current set
	spans   [][2]I      // gathered
	queue   []I

	budget int
	paused int // the budget when ctx was last checked
}

func newSetWork[I index](ctx context.Context, c *core[I], x *rowClasses, budget int) (*setWork[I], error) {
	order, p, err := c.breadthFirst(ctx)
	if err != nil {
		return nil, err
	}
	w := &setWork[I]{ctx: ctx, c: c, classes: x, seen: p.seen, budget: budget}
	w.findPlaces(order, p.from)
	w.listOutside(order, p.from)
	w.mark = make([]uint32, len(order))
	return w, ctx.Err()
}

// listOutside lists the references to rows that their parent does not dominate. No other row is ever looked at in
// heldFromOutside: it goes with its parent, which was gathered with it.
func (w *setWork[I]) listOutside(order, from []I) {
	shared := newRowBits(w.c.heap.Len())
	for _, r := range order {
		if w.c.idom[r] != from[r] {
			shared.set(uint64(r))
		}
	}
	w.in = &inEdges[I]{}
	w.in.fill(w.c, w.c.out, shared)
}

// findPlaces gives rows their places. order is that of a walk breadth first, in which the children of a row follow each
// other; from is the parent of each.
func (w *setWork[I]) findPlaces(order, from []I) {
	w.place = make([]I, w.c.heap.Len()) // at first of how many rows the span of a row is
	for i := len(order) - 1; i > 0; i-- {
		r := order[i]
		w.place[r]++
		w.place[from[r]] += w.place[r]
	}
	w.rows, w.end, w.idom = make([]I, len(order)), make([]I, len(order)), make([]I, len(order))
	w.place[0], w.end[0] = 0, I(len(order)) // the root
	parent, next := I(0), I(1)              // of the row that comes: whose child it is, and its place
	for _, r := range order[1:] {
		if from[r] != parent {
			parent = from[r]
			next = w.place[parent] + 1
		}
		at := next
		next += w.place[r]
		w.place[r], w.rows[at], w.end[at], w.idom[at] = at, r, next, w.place[w.c.idom[r]]
	}
}

// membersOf returns the reachable rows of classes by the classes' numbers, in the order of places.
func (w *setWork[I]) membersOf(ids *idIndex, counts []int) [][]I {
	members, sum := make([][]I, len(counts)), 0
	for _, n := range counts {
		sum += n
	}
	all := make([]I, sum)
	for i, n := range counts {
		members[i], all = all[:0:n], all[n:]
	}
	for at, r := range w.rows {
		if w.classes.has(model.Row(r)) {
			i := ids.number(w.classes.of(model.Row(r)))
			members[i] = append(members[i], I(at))
		}
	}
	return members
}

// retainAll adds what classes of several rows retain to bytes, and what any class does where rows are unreachable. Those
// that look at the fewest rows come first, so that a few at the top of the heap do not use up what is enough for all
// others.
func (w *setWork[I]) retainAll(ids *idIndex, counts []int, bytes map[uint32]uint64) error {
	members := w.membersOf(ids, counts)
	costs, order := make([]int, len(counts)), make([]int, 0, len(counts))
	for i, n := range counts {
		if n > 1 || w.c.unreachable > 0 {
			costs[i] = w.cost(members[i])
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(costs[a], costs[b]), cmp.Compare(a, b)) })
	for _, i := range order {
		if costs[i] > w.budget {
			break
		}
		w.id, w.stamp = ids.ids[i], uint32(i)+1
		n, err := w.retains(members[i])
		if err != nil {
			return err
		}
		if w.budget < 0 {
			break
		}
		bytes[w.id] = n
	}
	return nil
}

// cost returns how many rows gather finds for a set.
func (w *setWork[I]) cost(set []I) (rows int) {
	end := I(0)
	for _, at := range set {
		if at >= end {
			end = w.end[at]
			rows += int(end - at)
		}
	}
	return rows
}

// spend counts visited references. It returns false if there is no use in going on.
func (w *setWork[I]) spend(n int) bool {
	w.budget -= n + 1
	if w.paused-w.budget > pauseEvery || w.paused == 0 {
		w.paused = w.budget
		return w.budget >= 0 && w.ctx.Err() == nil
	}
	return w.budget >= 0
}

// retains returns the sum of what the places of a set retain. The sum is meaningless once the budget is used up.
func (w *setWork[I]) retains(set []I) (bytes uint64, err error) {
	if w.gather(set) {
		w.rescue()
	}
	for _, s := range w.spans {
		for at := s[0]; at < s[1]; at++ {
			// The others are below one of these.
			if w.mark[at] == w.stamp && (at == 0 || w.mark[w.idom[at]] != w.stamp) {
				bytes, _ = model.SaturatingAdd(bytes, w.c.retained[w.rows[at]])
			}
		}
	}
	if len(w.spans) > 0 && w.spans[0][0] == 0 {
		bytes -= w.c.lostBytes // unreachable rows are below the root
	}
	return bytes, w.ctx.Err()
}

// gather finds the set and all rows whose shortest paths pass it.
func (w *setWork[I]) gather(set []I) bool {
	w.spans = w.spans[:0]
	end := I(0)
	for _, at := range set {
		if at < end {
			continue
		}
		end = w.end[at]
		if !w.spend(int(end - at)) {
			return false
		}
		span := w.mark[at:end]
		for i := range span {
			span[i] = w.stamp
		}
		w.spans = append(w.spans, [2]I{at, end})
	}
	return true
}

// member reports whether a row is one of the set itself.
func (w *setWork[I]) member(r I) bool {
	return w.classes.has(model.Row(r)) && w.classes.of(model.Row(r)) == w.id
}

// rescue removes the gathered rows that can be reached without the set.
func (w *setWork[I]) rescue() {
	for _, s := range w.spans {
		for at := s[0]; at < s[1]; at++ {
			if w.mark[at] != w.stamp || w.mark[w.idom[at]] == w.stamp && at > 0 {
				continue
			}
			if r := w.rows[at]; !w.member(r) && w.heldFromOutside(r) && !w.release(at) {
				return
			}
		}
	}
}

// release removes a row, and all it refers to except for the set. It returns false if the budget is used up.
func (w *setWork[I]) release(at I) bool {
	w.mark[at] = 0
	w.queue = append(w.queue[:0], w.rows[at])
	for len(w.queue) > 0 {
		last := len(w.queue) - 1
		out := w.c.out(w.queue[last])
		w.queue = w.queue[:last]
		for _, t := range out {
			if p := w.place[t]; w.mark[p] == w.stamp && !w.member(t) {
				w.mark[p] = 0
				w.queue = append(w.queue, t)
			}
		}
		if !w.spend(len(out)) {
			return false
		}
	}
	return true
}

// heldFromOutside reports whether a row that stays reachable refers to r.
func (w *setWork[I]) heldFromOutside(r I) bool {
	sources := w.in.from[w.in.start[r]:w.in.start[r+1]]
	for i, s := range sources {
		if w.seen.has(uint64(s)) && w.mark[w.place[s]] != w.stamp {
			return w.spend(i)
		}
	}
	w.spend(len(sources))
	return false
}
