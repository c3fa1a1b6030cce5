package heapgraph

import (
	"context"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/memtui/memtui/loaders/mvmheap"
	"github.com/memtui/memtui/model"
)

// wildHeap is a random graph: no real snapshot is as hard on caches. Every row is reached, by one reference from a row
// before it.
func wildHeap(n, refs int) *model.Heap {
	rnd := rand.New(rand.NewPCG(5, 6))
	from, to := make([]uint32, 0, refs), make([]uint32, 0, refs)
	h := &model.Heap{Schema: mvmheap.Schema(), Kinds: make([]model.HeapKind, n), Size: make([]uint16, n), Extra: make([]uint32, n), Entity: make([]uint32, n),
		Start: model.Column[model.Ref]{Narrow: make([]uint32, n+1)}, To: model.Column[model.Row]{Narrow: make([]uint32, refs)}, Label: make([]model.EdgeLabel, refs), Tables: &model.HeapTables{}}
	start := h.Start.Narrow
	for e := range refs {
		t := uint32(e + 1)
		f := uint32(rnd.IntN(n))
		if e < n-1 {
			f = uint32(rnd.IntN(e + 1))
		} else {
			t = uint32(rnd.IntN(n))
		}
		from, to = append(from, f), append(to, t)
		start[f+1]++
	}
	for r := range n {
		h.Kinds[r], h.Size[r] = mvmheap.KindObject, 32
		start[r+1] += start[r]
	}
	h.Kinds[0] = mvmheap.KindRoot
	at := make([]uint32, n)
	for e, f := range from {
		h.To.Narrow[start[f]+at[f]] = to[e]
		at[f]++
	}
	return h
}

const wildRows, wildRefs = 5_000_000, 20_000_000

// BenchmarkHeapGraph prints what dominators and retained sizes of a random graph take, per row.
func BenchmarkHeapGraph(b *testing.B) {
	h := wildHeap(wildRows, wildRefs)
	runtime.GC()
	b.ResetTimer()
	for b.Loop() {
		if _, err := NewGraph(context.Background(), h, mvmheap.RootEdges); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/wildRows, "ns/row")
}

// BenchmarkShortestPaths prints what a breadth-first walk of a random graph takes, per reference.
func BenchmarkShortestPaths(b *testing.B) {
	h := wildHeap(wildRows, wildRefs)
	c := &core[uint32]{heap: h, start: h.Start.Narrow, to: h.To.Narrow}
	runtime.GC()
	b.ResetTimer()
	for b.Loop() {
		c.paths.from = nil
		if _, err := c.shortest(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/wildRefs, "ns/ref")
}

// BenchmarkHeapMemory prints what stays of a random graph: per row once 8 bytes per reference are taken off.
func BenchmarkHeapMemory(b *testing.B) {
	live := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	for b.Loop() {
		before := live()
		g, err := NewGraph(context.Background(), wildHeap(wildRows, wildRefs), mvmheap.RootEdges)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric((float64(live()-before)-8*wildRefs)/wildRows, "B/row")
		runtime.KeepAlive(g)
	}
}
