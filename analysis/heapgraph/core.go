package heapgraph

import (
	"context"
	"fmt"
	"math"
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
	cut       rowBits   // rows with references that are left out; nil for none
	kept      map[I][]I // the remaining references of these rows

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
		return fmt.Errorf("the snapshot has no rows")
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
			return fmt.Errorf("reference %d leads to row %d of %d", e, t, n)
		}
	}
	return nil
}

// out returns the targets of r's references under the policy, in the file's order.
func (c *core[I]) out(r I) []I {
	if c.cut != nil && c.cut.has(uint64(r)) {
		return c.kept[r]
	}
	return c.to[c.start[r]:c.start[r+1]]
}

// leaveOut replaces the references of rows with references that the policy leaves out by the others, plus those to rows
// that nothing else reaches. scratch has space for one entry per row.
func (c *core[I]) leaveOut(ctx context.Context, scratch []I) error {
	if c.policy.Skip == 0 && c.policy.SkipFrom == 0 {
		return nil
	}
	cut, rows, err := c.cutRows(ctx)
	if err != nil || len(rows) == 0 {
		return err
	}
	c.cut, c.kept = cut, make(map[I][]I, len(rows))
	for _, r := range rows {
		c.kept[r] = c.holding(r, nil)
	}
	if c.policy.Lost {
		return nil
	}
	seen := newRowBits(c.heap.Len())
	if err := c.flood(ctx, scratch, seen, nil, 0); err != nil {
		return err
	}
	for _, r := range rows {
		c.kept[r] = c.holding(r, seen)
	}
	return nil
}

// cutRows returns the rows with references that the policy leaves out.
func (c *core[I]) cutRows(ctx context.Context) (cut rowBits, rows []I, err error) {
	h, p := c.heap, c.policy
	add := func(r int) {
		if cut == nil {
			cut = newRowBits(h.Len())
		}
		cut.set(uint64(r))
		rows = append(rows, I(r))
	}
	for r, k := range h.Kinds {
		if r%pauseEvery == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
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
	return cut, rows, nil
}

// skips reports whether the policy leaves out reference e of row r, unless nothing else reaches its target.
func (c *core[I]) skips(r, e uint64) bool {
	p := c.policy
	return p.SkipFrom.Has(c.heap.Kinds[r]) || p.Skip != 0 && p.Skip.Has(c.heap.Schema.LabelKind(c.heap.Label[e]))
}

// holding returns the targets of a row's strong references, and of those left out that lead to rows that are not in
// reached.
func (c *core[I]) holding(r I, reached rowBits) []I {
	var rest []I
	for e := c.start[r]; e < c.start[r+1]; e++ {
		t := c.to[e]
		if !c.skips(uint64(r), uint64(e)) || reached != nil && !reached.has(uint64(t)) {
			rest = append(rest, t)
		}
	}
	return rest[:len(rest):len(rest)]
}

// reference returns the first strong reference from one row to another; ok is false if there is none.
func (c *core[I]) reference(from, to uint64) (e model.Ref, ok bool) {
	partly := c.cut != nil && c.cut.has(from)
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
