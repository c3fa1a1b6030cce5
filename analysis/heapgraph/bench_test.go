package heapgraph

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/memtui/memtui/loaders/mvmheap"
	"github.com/memtui/memtui/model"
)

// wildHeap is a random graph: no real snapshot is as hard on caches. Every row is reached, by one reference from a row
// before it. Where spread is not 0, rows that refer to each other are at most that far apart, as most are in real ones.
func wildHeap(n, refs, spread int) *model.Heap {
	rnd := rand.New(rand.NewPCG(5, 6))
	from, to := make([]uint32, 0, refs), make([]uint32, 0, refs)
	h := &model.Heap{Schema: mvmheap.Schema(), Kinds: make([]model.HeapKind, n), Size: make([]uint16, n), Extra: make([]uint32, n), Entity: make([]uint32, n),
		Start: model.Column[model.Ref]{Narrow: make([]uint32, n+1)}, To: model.Column[model.Row]{Narrow: make([]uint32, refs)}, Label: make([]model.EdgeLabel, refs), Tables: &model.HeapTables{}}
	start := h.Start.Narrow
	for e := range refs {
		t := uint32(e + 1)
		f := uint32(rnd.IntN(n))
		switch {
		case e < n-1 && spread > 0:
			f = uint32(e - rnd.IntN(min(e+1, spread)))
		case e < n-1:
			f = uint32(rnd.IntN(e + 1))
		case spread > 0:
			t = uint32(max(0, min(n-1, int(f)+rnd.IntN(2*spread)-spread)))
		default:
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

// benchRows is how many rows the graphs of [BenchmarkHeapGraph] have: as many as MEMTUI_BENCH_ROWS says, or a twelfth of
// what is in the figures.
func benchRows() int {
	if n, err := strconv.Atoi(os.Getenv("MEMTUI_BENCH_ROWS")); err == nil {
		return max(n, 2)
	}
	return 1_000_000
}

// BenchmarkHeapGraph prints what dominators and retained sizes take, per row, of a graph like real ones and of a random
// one, beside the algorithm of Lengauer and Tarjan on the same graph in turns: the best of all runs.
func BenchmarkHeapGraph(b *testing.B) {
	n := benchRows()
	for _, graph := range []struct {
		name   string
		spread int
	}{{"near", 1000}, {"random", 0}} {
		b.Run(graph.name, func(b *testing.B) {
			h := wildHeap(n, n*37/12, graph.spread)
			runtime.GC()
			own, twin := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
			for b.Loop() {
				began := time.Now()
				g, err := NewGraph(context.Background(), h, mvmheap.RootEdges)
				if err != nil {
					b.Fatal(err)
				}
				own, began = min(own, time.Since(began)), time.Now()
				idom, retained := lengauerTarjan(h)
				twin = min(twin, time.Since(began))
				if !slices.Equal(g.idom.Narrow, idom) || !slices.Equal(g.Retained, retained) {
					b.Fatal("they differ")
				}
			}
			b.ReportMetric(float64(own)/float64(n), "ns/row")
			b.ReportMetric(float64(twin)/float64(n), "ns/row-lengauer-tarjan")
			b.ReportMetric(float64(own)/float64(twin), "of-lengauer-tarjan")
		})
	}
}

// BenchmarkShortestPaths prints what a breadth-first walk of a random graph takes, per reference.
func BenchmarkShortestPaths(b *testing.B) {
	h := wildHeap(wildRows, wildRefs, 0)
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
		g, err := NewGraph(context.Background(), wildHeap(wildRows, wildRefs, 0), mvmheap.RootEdges)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric((float64(live()-before)-8*wildRefs)/wildRows, "B/row")
		runtime.KeepAlive(g)
	}
}
