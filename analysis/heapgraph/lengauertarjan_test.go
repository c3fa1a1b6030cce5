package heapgraph

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memtui/memtui/loaders/mvmheap"
	"github.com/memtui/memtui/model"
)

// lengauerTarjan is the algorithm of Lengauer and Tarjan (1979) with simple linking, as it is usually written, and
// retained bytes: a twin for graphs that are too large for [heapTwin], and a yardstick. Every row must be reached.
func lengauerTarjan(h *model.Heap) (idom []uint32, retained []uint64) {
	n := h.Len()
	l := &ltWork{start: h.Start.Narrow, to: h.To.Narrow, before: make([]uint32, n+1), from: make([]uint32, h.To.Len()),
		parent: make([]uint32, n), semi: make([]uint32, n), above: make([]uint32, n), label: make([]uint32, n)}
	l.reverse()
	l.number()
	idom = l.dominators()
	retained = make([]uint64, n)
	for r := range retained {
		retained[r] = h.Bytes(model.Row(r))
	}
	for i := n - 1; i > 0; i-- {
		r := l.order[i]
		retained[idom[r]] += retained[r]
	}
	return idom, retained
}

const ltNone = math.MaxUint32

// ltWork is one run. Columns are by row.
type ltWork struct {
	start, to, before, from, order     []uint32
	parent, semi, above, label, passed []uint32
}

// reverse lists references by their target.
func (l *ltWork) reverse() {
	for _, t := range l.to {
		l.before[t+1]++
	}
	for r := range len(l.before) - 1 {
		l.before[r+1] += l.before[r]
	}
	at := slices.Clone(l.before)
	for r := range len(l.start) - 1 {
		for _, t := range l.to[l.start[r]:l.start[r+1]] {
			l.from[at[t]] = uint32(r)
			at[t]++
		}
	}
}

// number walks depth-first.
func (l *ltWork) number() {
	for r := range l.semi {
		l.semi[r], l.above[r], l.label[r] = ltNone, ltNone, uint32(r)
	}
	type step struct{ row, next uint32 }
	stack := []step{{0, l.start[0]}}
	l.semi[0], l.order = 0, append(make([]uint32, 0, len(l.semi)), 0)
	for len(stack) > 0 {
		top := &stack[len(stack)-1]
		if top.next == l.start[top.row+1] {
			stack = stack[:len(stack)-1]
			continue
		}
		t := l.to[top.next]
		if top.next++; l.semi[t] == ltNone {
			l.parent[t], l.semi[t] = top.row, uint32(len(l.order))
			l.order = append(l.order, t)
			stack = append(stack, step{t, l.start[t]})
		}
	}
}

func (l *ltWork) dominators() (idom []uint32) {
	n := len(l.order)
	idom, bucket, next := make([]uint32, n), make([]uint32, n), make([]uint32, n)
	for r := range bucket {
		bucket[r] = ltNone
	}
	for i := n - 1; i > 0; i-- {
		r := l.order[i]
		for _, p := range l.from[l.before[r]:l.before[r+1]] {
			l.semi[r] = min(l.semi[r], l.semi[l.eval(p)])
		}
		of := l.order[l.semi[r]]
		next[r], bucket[of] = bucket[of], r
		parent := l.parent[r]
		l.above[r] = parent
		for v := bucket[parent]; v != ltNone; v = next[v] {
			if idom[v] = parent; l.semi[l.eval(v)] < l.semi[v] {
				idom[v] = l.eval(v)
			}
		}
		bucket[parent] = ltNone
	}
	for _, r := range l.order[1:] {
		if idom[r] != l.order[l.semi[r]] {
			idom[r] = idom[idom[r]]
		}
	}
	return idom
}

// eval returns the row with the least semidominator on the way up to the root of a tree of the forest.
func (l *ltWork) eval(r uint32) uint32 {
	if l.above[r] == ltNone {
		return r
	}
	l.passed = l.passed[:0]
	for at := r; l.above[l.above[at]] != ltNone; at = l.above[at] {
		l.passed = append(l.passed, at)
	}
	for _, at := range slices.Backward(l.passed) {
		up := l.above[at]
		if l.semi[l.label[up]] < l.semi[l.label[at]] {
			l.label[at] = l.label[up]
		}
		l.above[at] = l.above[up]
	}
	return l.label[r]
}

// Large graphs have the dominators and retained sizes that another algorithm finds, whatever shape they have: with few
// references and many, near ones and far ones, and one long chain.
func TestDominatorsOfLargeGraphs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, tt := range []struct{ rows, refs, spread int }{
		{70_000, 69_999, 1}, {70_000, 69_999, 0}, {70_000, 75_000, 30}, {70_000, 220_000, 1000}, {40_000, 400_000, 0}, {3000, 300_000, 7},
	} {
		h := wildHeap(tt.rows, tt.refs, tt.spread)
		for r := range h.Size {
			h.Size[r] = uint16(rnd.IntN(1000))
		}
		idom, retained := lengauerTarjan(h)
		g := graphOf(t, h, mvmheap.RootEdges)
		for r := range h.Len() {
			if g.Idom(model.Row(r)) != model.Row(idom[r]) || g.Retained[r] != retained[r] {
				t.Fatalf("%+v: row %d is below %d and retains %d, want %d and %d", tt, r, g.Idom(model.Row(r)), g.Retained[r], idom[r], retained[r])
			}
		}
	}
}
