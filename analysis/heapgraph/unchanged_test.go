package heapgraph

import (
	"context"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/memtui/memtui/loaders/mvmheap"
	"github.com/memtui/memtui/model"
)

// changes are all ways in which a snapshot can differ from an earlier one, and whether dominators may depend on that.
var changes = []struct {
	name    string
	matters bool
	make    func(rnd *rand.Rand, h *model.Heap)
}{
	{"nothing", false, func(*rand.Rand, *model.Heap) {}},
	{"a type", false, func(rnd *rand.Rand, h *model.Heap) { h.Entity[rnd.IntN(h.Len())]++ }},
	{"a kind", true, func(rnd *rand.Rand, h *model.Heap) { h.Kinds[rnd.IntN(h.Len())] = mvmheap.KindPermRoots }},
	{"a size", true, func(rnd *rand.Rand, h *model.Heap) { h.Size[rnd.IntN(h.Len())]++ }},
	{"bytes outside", true, func(rnd *rand.Rand, h *model.Heap) { h.Extra[rnd.IntN(h.Len())]++ }},
	{"a large size", true, func(rnd *rand.Rand, h *model.Heap) { h.SetSize(model.Row(rnd.IntN(h.Len())), 1<<40) }},
	{"a target", true, func(rnd *rand.Rand, h *model.Heap) {
		e := rnd.IntN(h.To.Len())
		h.To.Narrow[e] = (h.To.Narrow[e] + 1) % uint32(h.Len())
	}},
	{"an owner", true, func(rnd *rand.Rand, h *model.Heap) {
		r := 1 + rnd.IntN(h.Len()-1)
		if start := h.Start.Narrow; start[r] < start[r+1] {
			start[r]++
		} else {
			start[r] = start[r-1]
		}
	}},
	{"a label", true, func(rnd *rand.Rand, h *model.Heap) {
		e := rnd.IntN(len(h.Label))
		h.Label[e], _ = h.Schema.Label((h.Schema.LabelKind(h.Label[e])+1)%3, h.Label[e].Form(), uint64(h.Schema.LabelValue(h.Label[e])))
	}},
}

// again returns a copy of a snapshot.
func again(h *model.Heap) *model.Heap {
	c := *h
	c.Kinds, c.Size, c.Extra, c.Entity, c.Label = slices.Clone(h.Kinds), slices.Clone(h.Size), slices.Clone(h.Extra), slices.Clone(h.Entity), slices.Clone(h.Label)
	c.Start.Narrow, c.To.Narrow = slices.Clone(h.Start.Narrow), slices.Clone(h.To.Narrow)
	c.Large, c.LargeSizes = maps.Clone(h.Large), maps.Clone(h.LargeSizes)
	return &c
}

// What is taken from the graph of an earlier snapshot is what the slow twin finds, and it is taken wherever nothing has
// changed.
func TestUnchangedGraphs(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for round := range 200 {
		was := randomHeap(rnd, 2+rnd.IntN(20))
		if was.To.Len() == 0 {
			continue
		}
		for _, change := range changes {
			h := again(was)
			change.make(rnd, h)
			for p := range Policy(len(weakSchema().Policies)) {
				old := graphOf(t, was, p)
				g := old.unchanged(t.Context(), h, &shared{})
				if g == nil {
					if !change.matters {
						t.Fatalf("round %d: nothing is taken after a change of %s", round, change.name)
					}
					continue
				}
				slow := newHeapTwin(h, p)
				checkDominators(t, g, slow)
				checkPaths(t, rnd, g, slow)
				checkGroups(t, g, slow)
				checkPreorder(t, g)
				if &g.Retained[0] != &old.Retained[0] || g.Heap != h {
					t.Error("the graph is not that of the snapshot, with the columns of the other")
				}
				if t.Failed() {
					t.Fatalf("round %d, policy %d, after a change of %s", round, p, change.name)
				}
			}
		}
	}
}

// A recording of a program that waits costs one graph, and going back to a snapshot costs none.
func TestUnchangedSnapshots(t *testing.T) {
	src, ctx := &waiting{fakeHeaps{n: 3}}, t.Context()
	h := NewHeaps(src, 1<<30)
	var graphs []*Graph
	for _, i := range []int{0, 1, 2, 0, 1} {
		g, err := h.Graph(ctx, i, mvmheap.RootEdges)
		if err != nil {
			t.Fatal(err)
		}
		graphs = append(graphs, g)
	}
	if graphs[0] == graphs[1] || &graphs[0].Retained[0] != &graphs[1].Retained[0] || &graphs[1].Retained[0] == &graphs[2].Retained[0] {
		t.Error("two equal snapshots have two graphs, or a different one has the same")
	}
	if graphs[3] != graphs[0] || graphs[4] != graphs[1] || src.opened.Load() != 3 {
		t.Error("a snapshot that was gone back to was computed again")
	}
}

// waiting is a source of two equal snapshots and a different one.
type waiting struct{ fakeHeaps }

func (w *waiting) Open(ctx context.Context, i int, progress func(float64)) (*model.Heap, error) {
	return w.fakeHeaps.Open(ctx, i/2, progress)
}

// BenchmarkUnchangedSnapshot prints what the dominators of a second snapshot take where nothing but a type has changed
// since the first, and what they take without the first.
func BenchmarkUnchangedSnapshot(b *testing.B) {
	n := benchRows()
	was := wildHeap(n, n*37/12, 1000)
	h := again(was)
	h.Entity[n/2]++
	old, err := NewGraph(b.Context(), was, mvmheap.RootEdges)
	if err != nil {
		b.Fatal(err)
	}
	took := func(what string, f func() *Graph) {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		began := time.Now()
		if f() == nil {
			b.Fatal("no graph")
		}
		d := time.Since(began)
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(d.Microseconds())/1000, "ms-"+what)
		b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(n), "B/row-"+what)
	}
	for b.Loop() {
		took("reused", func() *Graph { return old.unchanged(b.Context(), h, &shared{}) })
		took("alone", func() *Graph {
			g, err := NewGraph(b.Context(), h, mvmheap.RootEdges)
			if err != nil {
				b.Fatal(err)
			}
			return g
		})
	}
}
