package heapgraph

import (
	"cmp"

	"github.com/memtui/memtui/model"
)

// Largest returns the n rows of some kinds that retain most: by bytes, then by retained rows, then ascending.
func (g *Graph) Largest(n int, of model.HeapKinds) []model.Row { return g.core.largest(n, of) }

// largest descends the dominator tree from the root, always at the row that retains most: no row retains more than its
// dominator.
func (c *core[I]) largest(n int, of model.HeapKinds) []model.Row {
	t := c.below()
	children := t.unsorted()
	list, next := []model.Row{}, &frontier[I]{c: c, rows: []I{0}}
	for len(list) < n && len(next.rows) > 0 {
		r := next.pop()
		if of.Has(c.heap.Kinds[r]) {
			list = append(list, model.Row(r))
		}
		for _, child := range children[t.start[r]:t.start[r+1]] {
			next.push(child)
		}
	}
	return list
}

// frontier is a binary heap of rows, with the one that retains most first.
type frontier[I index] struct {
	c    *core[I]
	rows []I
}

// before reports whether the row at index i comes before that at index k.
func (f *frontier[I]) before(i, k int) bool {
	a, b, c := f.rows[i], f.rows[k], f.c
	return cmp.Or(cmp.Compare(c.retained[b], c.retained[a]), cmp.Compare(c.count[b], c.count[a]), cmp.Compare(a, b)) < 0
}

func (f *frontier[I]) swap(i, k int) { f.rows[i], f.rows[k] = f.rows[k], f.rows[i] }

func (f *frontier[I]) push(r I) {
	f.rows = append(f.rows, r)
	for i := len(f.rows) - 1; i > 0 && f.before(i, (i-1)/2); i = (i - 1) / 2 {
		f.swap(i, (i-1)/2)
	}
}

func (f *frontier[I]) pop() I {
	first, last := f.rows[0], len(f.rows)-1
	f.rows[0] = f.rows[last]
	f.rows = f.rows[:last]
	for i := 0; ; {
		k := 2*i + 1
		if k >= last {
			return first
		}
		if k+1 < last && f.before(k+1, k) {
			k++
		}
		if !f.before(k, i) {
			return first
		}
		f.swap(i, k)
		i = k
	}
}
