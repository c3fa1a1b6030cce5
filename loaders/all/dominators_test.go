package all_test

import (
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/model"
)

// removal is a twin of the dominators of real dumps: a row retains what is not reached without it. It has the
// references of a policy as they are defined.
type removal struct {
	h    *model.Heap
	refs [][]model.Row
	seen []int // by row: the last walk that reached it
	walk int
}

// newRemoval returns the twin of a policy, with all unreachable rows below the root: those that no other unreachable
// row leads to, and of each cycle that nothing else leads to its first.
func newRemoval(h *model.Heap, p *model.HeapPolicy) *removal {
	t := &removal{h: h, refs: make([][]model.Row, h.Len()), seen: make([]int, h.Len())}
	skipped := make([][]model.Row, h.Len())
	for r := range h.Len() {
		to, first := h.Out(model.Row(r))
		for i, target := range to.All() {
			if p.SkipFrom.Has(h.Kinds[r]) || p.Skip.Has(h.Schema.LabelKind(h.Label[first+model.Ref(i)])) {
				skipped[r] = append(skipped[r], target)
			} else {
				t.refs[r] = append(t.refs[r], target)
			}
		}
	}
	t.reach(h.Len())
	strict := t.walk
	for r := range h.Len() {
		for _, target := range skipped[r] {
			if !p.Lost && t.seen[target] != strict {
				t.refs[r] = append(t.refs[r], target)
			}
		}
	}
	t.hang(p.Lost)
	return t
}

// reach walks from the root without one row, and returns the bytes of what it reached, and how many rows these are.
func (t *removal) reach(without int) (bytes, rows uint64) {
	if t.walk++; without == 0 {
		return 0, 0
	}
	return t.from(0, without)
}

// from goes on with the walk from a row.
func (t *removal) from(r model.Row, without int) (bytes, rows uint64) {
	t.seen[r] = t.walk
	for todo := []model.Row{r}; len(todo) > 0; {
		r, todo = todo[len(todo)-1], todo[:len(todo)-1]
		bytes, rows = bytes+t.h.Bytes(r), rows+1
		for _, w := range t.refs[r] {
			if int(w) != without && t.seen[w] != t.walk {
				t.seen[w] = t.walk
				todo = append(todo, w)
			}
		}
	}
	return bytes, rows
}

// hang makes the root refer to unreachable rows. Unless they keep what they lead to alive, they do not refer to
// reachable ones.
func (t *removal) hang(alive bool) {
	t.reach(t.h.Len())
	reached := make([]bool, t.h.Len())
	for r := range reached {
		reached[r] = t.seen[r] == t.walk
	}
	for r := range t.refs {
		if !alive && !reached[r] {
			t.refs[r] = slices.DeleteFunc(t.refs[r], func(w model.Row) bool { return reached[w] })
		}
	}
	held := slices.Clone(reached) // some other unreachable row leads to it
	for r := range t.refs {
		for _, w := range t.refs[r] {
			held[w] = held[w] || !reached[r] && int(w) != r
		}
	}
	var tops []model.Row
	for r := range held {
		if !held[r] {
			tops = append(tops, model.Row(r))
			t.from(model.Row(r), t.h.Len())
		}
	}
	for r := range reached { // cycles: one leads to no row that another one left over leads to, but not back
		if t.seen[r] != t.walk && t.leadsBack(model.Row(r)) {
			tops = append(tops, model.Row(r))
			t.from(model.Row(r), t.h.Len())
		}
	}
	t.refs[0] = append(t.refs[0], tops...)
}

// leadsBack reports whether a row leads to all rows that lead to it, of those that are not reached.
func (t *removal) leadsBack(to model.Row) bool {
	walk := t.walk
	below := map[model.Row]bool{to: true}
	for todo := []model.Row{to}; len(todo) > 0; todo = todo[1:] {
		for _, w := range t.refs[todo[0]] {
			if !below[w] && t.seen[w] != walk {
				below[w] = true
				todo = append(todo, w)
			}
		}
	}
	for r := range t.refs {
		if t.seen[r] == walk || below[model.Row(r)] {
			continue
		}
		for _, w := range t.refs[r] {
			if below[w] {
				above := map[model.Row]bool{model.Row(r): true}
				for todo := []model.Row{model.Row(r)}; len(todo) > 0; todo = todo[1:] {
					for _, w := range t.refs[todo[0]] {
						if !above[w] && t.seen[w] != walk {
							above[w] = true
							todo = append(todo, w)
						}
					}
				}
				if above[to] {
					return false
				}
			}
		}
	}
	return true
}

// What rows of real dumps dominate and retain under each policy is what is not reached without them.
func TestDominatorsOfRealDumps(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 5))
	for _, path := range []string{"v8heap/testdata/chrome1.heapsnapshot.zst", "hprof/testdata/shop1.hprof.zst", "hprof/testdata/g1.hprof.zst",
		"hprof/testdata/id4.hprof.zst", "rubyheap/testdata/shop1.json.zst", "pyheap/testdata/shop1.pydump.zst"} {
		store, _, err := opened.File(t, filepath.Join("..", filepath.FromSlash(path)))
		if err != nil {
			t.Fatal(err)
		}
		h, err := store.Current().Heaps.Open(t.Context(), 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		for p := range h.Schema.Policies {
			of := h.Under(&h.Schema.Policies[p])
			g, err := heapgraph.NewGraph(t.Context(), of, heapgraph.Policy(p))
			if err != nil {
				t.Fatal(err)
			}
			rows := g.Largest(60, h.Schema.Real())
			for range 150 {
				rows = append(rows, model.Row(rnd.IntN(h.Len())))
			}
			checkRemoval(t, path+" "+h.Schema.Policies[p].Name, g, newRemoval(of, &h.Schema.Policies[p]), rows)
		}
	}
}

// checkRemoval removes rows one after the other.
func checkRemoval(t *testing.T, name string, g *heapgraph.Graph, twin *removal, rows []model.Row) {
	t.Helper()
	bytes, count := twin.reach(g.Heap.Len())
	if count != uint64(g.Heap.Len()) {
		t.Fatalf("%s: %d rows of %d hang somewhere", name, count, g.Heap.Len())
	}
	order, err := g.Preorder(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		leftBytes, left := twin.reach(int(r))
		if g.Retained[r] != bytes-leftBytes || g.RetainedCount(r) != count-left {
			t.Fatalf("%s: row %d retains %d in %d, want %d in %d", name, r, g.Retained[r], g.RetainedCount(r), bytes-leftBytes, count-left)
		}
		at := order.Place.At(int(r))
		for x := range g.Heap.Len() {
			place := order.Place.At(x)
			if below := place >= at && place < order.End(at); below != (twin.seen[x] != twin.walk) {
				t.Fatalf("%s: row %d is dominated by %d: %v", name, x, r, below)
			}
		}
	}
}
