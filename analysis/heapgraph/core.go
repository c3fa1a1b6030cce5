package heapgraph

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"sync/atomic"

	"github.com/memtui/memtui/model"
)

// index is the width of a graph's columns: 32 bits if they suffice, which is nearly always, else 64.
type index interface{ uint32 | uint64 }

// isWide reports whether columns have 64 bits. It is a constant at compile time.
func isWide[I index]() bool { return uint64(^I(0)) > math.MaxUint32 }

// core is a graph under one policy, in columns of one width.
type core[I index] struct {
	heap      *model.Heap
	policy    *model.HeapPolicy
	start, to []I
	cut       *cutting[I] // nil where no references are left out

	idom        []I      // nil if not computed
	retained    []uint64 // bytes of the row and all it dominates
	count       []I      // rows counted in retained, the row included
	unreachable int
	lostBytes   uint64 // of the unreachable rows

	room  *model.Room // for columns; nil for memory
	tree  domTree[I]
	paths pathTree[I]
	in    *inEdges[I]
	bytes atomic.Int64 // bytes used by tree and paths
}

// wideHeap reports whether 32 bits are too few for a snapshot.
func wideHeap(h *model.Heap) bool {
	return h.Start.Wide != nil || h.To.Wide != nil || uint64(h.Len()) > math.MaxUint32
}

// newCore checks a snapshot and returns its references under a policy, without dominators. row and ref are the bytes of
// memory per row and per reference that the computation takes.
func newCore[I index](ctx context.Context, h *model.Heap, p Policy, s *shared, row, ref int64, what string) (*core[I], error) {
	start, to := columnOf[I](h.Start), columnOf[I](h.To)
	if err := checkReferences(h, start, to); err != nil {
		return nil, err
	}
	n := row*int64(h.Len()) + ref*int64(len(to))
	if isWide[I]() {
		n *= 2
	}
	room := model.BudgetOf(ctx).Room(n)
	if b := model.BudgetOf(ctx); !room.Fits(b, n) {
		return nil, b.Error(what)
	}
	return &core[I]{room: room, heap: h.Under(p.Of(h.Schema)), policy: p.Of(h.Schema), start: start, to: to, in: incomingOf[I](s)}, nil
}

// columnOf returns the numbers of a column, copied if their width differs.
func columnOf[I index, N ~uint64](c model.Column[N]) []I {
	if list, ok := any(c.Narrow).([]I); ok {
		return list
	}
	c.Widen()
	return any(c.Wide).([]I)
}

// modelColumn is the reverse of columnOf. It never copies.
func modelColumn[N ~uint64, I index](list []I) model.Column[N] {
	if narrow, ok := any(list).([]uint32); ok {
		return model.Column[N]{Narrow: narrow}
	}
	return model.Column[N]{Wide: any(list).([]uint64)}
}

// columnBytes returns the size of a column in memory.
func columnBytes[I index](list []I) int64 {
	if isWide[I]() {
		return 8 * int64(len(list))
	}
	return 4 * int64(len(list))
}

// checkHeap reports a column that a snapshot lacks.
func checkHeap(h *model.Heap) error {
	n := h.Len()
	switch {
	case n == 0:
		return fmt.Errorf("the snapshot has no objects")
	case h.Start.Len() != n+1 || len(h.Label) != h.To.Len() || uint64(h.Start.At(n)) != uint64(h.To.Len()):
		return fmt.Errorf("the snapshot's references are missing: the file ends within it")
	case len(h.Size) != n || len(h.Extra) != n && h.Schema.Split || len(h.Entity) != n:
		return fmt.Errorf("the snapshot's sizes or types are missing: the file ends within it")
	}
	return nil
}

// checkReferences checks all references, so that the graph can be walked without bounds checks.
func checkReferences[I index](h *model.Heap, start, to []I) error {
	for r := range h.Len() {
		if start[r] > start[r+1] {
			return fmt.Errorf("the snapshot's references overlap")
		}
	}
	n := uint64(h.Len())
	for e, t := range to {
		if uint64(t) >= n {
			return fmt.Errorf("reference %d leads to object %d of %d", e, t, n)
		}
	}
	return nil
}

// out returns the targets of r's references under the policy, in the file's order.
func (c *core[I]) out(r I) []I {
	if c.cut != nil && c.cut.set.has(uint64(r)) {
		return c.cut.out(r)
	}
	return c.to[c.start[r]:c.start[r+1]]
}

// leaveOut replaces the references of rows with references that the policy leaves out by the others, plus those to rows
// that nothing else reaches. scratch has space for one entry per row.
func (c *core[I]) leaveOut(ctx context.Context, scratch []I) error {
	if c.policy.Skip == 0 && c.policy.SkipFrom == 0 {
		return nil
	}
	rows, err := c.cutRows(ctx)
	if err != nil || len(rows) == 0 {
		return err
	}
	cut, most := newCutting(c.heap.Len(), rows), 0
	for _, r := range rows {
		most += int(c.start[r+1] - c.start[r])
	}
	cut.ends, cut.to = make([]I, len(rows)), make([]I, 0, most)
	c.cut = cut
	c.fillCut(nil)
	if c.policy.Lost {
		return nil
	}
	seen := newRowBits(c.heap.Len())
	if err := c.flood(ctx, scratch, seen, nil, 0); err != nil {
		return err
	}
	c.fillCut(seen)
	return nil
}

// fillCut lists what is left of the references of cut rows: see addHeld.
func (c *core[I]) fillCut(reached rowBits) {
	c.cut.to = c.cut.to[:0]
	for i, r := range c.cut.rows {
		c.cut.to = c.addHeld(c.cut.to, r, reached)
		c.cut.ends[i] = I(len(c.cut.to))
	}
}

// cutting is what is left of the references of rows of which some are left out.
type cutting[I index] struct {
	rows   []I // ascending
	set    rowBits
	before []I // by word of the set: number of rows before it
	ends   []I // by number of the row: where its references end
	to     []I
}

// newCutting returns where to find which number a row has.
func newCutting[I index](n int, rows []I) *cutting[I] {
	x := &cutting[I]{rows: rows, set: newRowBits(n)}
	x.before = make([]I, len(x.set))
	for _, r := range rows {
		x.set.set(uint64(r))
	}
	sum := 0
	for i, word := range x.set {
		x.before[i] = I(sum)
		sum += bits.OnesCount64(word)
	}
	return x
}

// out returns what is left of the references of a row of the set.
func (x *cutting[I]) out(r I) []I {
	i := x.before[r>>6] + I(bits.OnesCount64(x.set[r>>6]&(1<<(r&63)-1)))
	from, end := I(0), x.ends[i]
	if i > 0 {
		from = x.ends[i-1]
	}
	return x.to[from:end:end]
}

// bytes returns how much memory it takes.
func (x *cutting[I]) bytes() int64 {
	if x == nil {
		return 0
	}
	return columnBytes(x.rows) + columnBytes(x.before) + columnBytes(x.ends) + columnBytes(x.to) + int64(8*len(x.set))
}

// cutRows lists the rows that have references which the policy leaves out, in ascending order.
func (c *core[I]) cutRows(ctx context.Context) (rows []I, err error) {
	h, p := c.heap, c.policy
	add := func(r int) { rows = append(rows, I(r)) }
	for r, k := range h.Kinds {
		if r%pauseEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		first, end := c.start[r], c.start[r+1]
		if p.SkipFrom.Has(k) {
			if first < end {
				add(r)
			}
			continue
		}
		for e := first; p.Skip != 0 && e < end; e++ {
			if p.Skip.Has(h.Schema.LabelKind(h.Label[e])) {
				add(r)
				break
			}
		}
	}
	return rows, nil
}

// skips reports whether the policy leaves out reference e of row r, unless nothing else reaches its target.
func (c *core[I]) skips(r, e uint64) bool {
	p := c.policy
	return p.SkipFrom.Has(c.heap.Kinds[r]) || p.Skip != 0 && p.Skip.Has(c.heap.Schema.LabelKind(c.heap.Label[e]))
}

// addHeld adds the targets of a row's references that are followed to a list. It adds the targets of other references,
// too, if they are not in reached.
func (c *core[I]) addHeld(rest []I, r I, reached rowBits) []I {
	for e := c.start[r]; e < c.start[r+1]; e++ {
		t := c.to[e]
		if !c.skips(uint64(r), uint64(e)) || reached != nil && !reached.has(uint64(t)) {
			rest = append(rest, t)
		}
	}
	return rest
}

// reference returns the first strong reference from one row to another; ok is false if there is none.
func (c *core[I]) reference(from, to uint64) (e model.Ref, ok bool) {
	partly := c.cut != nil && c.cut.set.has(from)
	for e := c.start[from]; e < c.start[from+1]; e++ {
		if uint64(c.to[e]) == to && (!partly || !c.skips(from, uint64(e))) {
			return model.Ref(e), true
		}
	}
	return 0, false
}

// rowBits is a set of rows.
type rowBits []uint64

func newRowBits(n int) rowBits { return make(rowBits, (n+63)/64) }

func (b rowBits) has(r uint64) bool { return b[r>>6]>>(r&63)&1 != 0 }

func (b rowBits) set(r uint64) { b[r>>6] |= 1 << (r & 63) }
