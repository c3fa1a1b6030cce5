//go:build linux

package main_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/mvmheap"
	"github.com/memtui/memtui/model"
)

// openHeaps opens the file that MEMTUI_BENCH_HEAP names, or a made one of 500,000 rows.
func openHeaps(b *testing.B) model.HeapSource {
	path := os.Getenv("MEMTUI_BENCH_HEAP")
	if path == "" {
		data, err := memtest.Heap3(memtest.HeapSpec{Rows: 500_000, References: 1_900_000})
		if err != nil {
			b.Fatal(err)
		}
		path = filepath.Join(b.TempDir(), "made.mvmheap")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	src, err := loaders.OpenSource(context.Background(), path, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { src.Close() })
	store := &model.Store{}
	if err := mvmheap.Format().Load(context.Background(), src, loaders.Options{}, store); err != nil {
		b.Fatal(err)
	}
	p, _ := store.Watch()
	return p.Heaps
}

// lastWhole is the last snapshot that has all its columns.
func lastWhole(b *testing.B, src model.HeapSource) int {
	for i := src.Len() - 1; i >= 0; i-- {
		if src.Info(i).Complete {
			return i
		}
	}
	b.Fatal("no whole snapshot")
	return 0
}

// BenchmarkHeap prints the parts of looking at a snapshot for the first time, each the best of all runs: decoding,
// types, dominators with retained sizes under either policy, and shortest paths.
func BenchmarkHeap(b *testing.B) {
	ctx, src := context.Background(), openHeaps(b)
	last := lastWhole(b, src)
	var rows, refs float64
	best := map[string]time.Duration{}
	measure := func(what string, f func() error) {
		began := time.Now()
		if err := f(); err != nil {
			b.Fatal(err)
		}
		if d := time.Since(began); best[what] == 0 || d < best[what] {
			best[what] = d
		}
	}
	for b.Loop() {
		var h *model.Heap
		var g *heapgraph.Graph
		var err error
		measure("all", func() error {
			measure("decode", func() error { h, err = src.Open(ctx, last, nil); return err })
			measure("types", func() error { heapgraph.Types(h); return nil })
			measure("roots", func() error { g, err = heapgraph.NewGraph(ctx, h, mvmheap.RootEdges); return err })
			return err
		})
		measure("every", func() error { _, err := heapgraph.NewGraph(ctx, h, mvmheap.AllEdges); return err })
		measure("paths", func() error { _, _, err := g.Path(ctx, model.Row(h.Len()-1), nil); return err })
		measure("tree", func() error {
			_, err := g.RetainedByGroups(ctx, heapgraph.By{Kinds: h.Schema.Objects().Kinds})
			return err
		})
		rows, refs = float64(h.Len()), float64(h.To.Len())
	}
	b.ReportMetric(rows, "rows")
	b.ReportMetric(milliseconds(best["all"]), "ms-to-retained")
	b.ReportMetric(milliseconds(best["decode"]), "ms-decode")
	b.ReportMetric(milliseconds(best["types"]), "ms-types")
	b.ReportMetric(milliseconds(best["tree"]), "ms-retained-by-type")
	b.ReportMetric(float64(best["roots"])/rows, "ns/row-roots")
	b.ReportMetric(float64(best["every"])/rows, "ns/row-all")
	b.ReportMetric(float64(best["paths"])/refs, "ns/ref-path")
}

// BenchmarkOverview prints what a whole process takes to open heap dumps that no run has opened before, to all that
// the overview shows, suspects among it: processor time, time of day, and memory, the best of all runs in turns.
// MEMTUI_BENCH_DUMPS is their names with colons between them; MEMTUI_BENCH_OTHER is another memtui to compare with.
func BenchmarkOverview(b *testing.B) {
	dumps := filepath.SplitList(os.Getenv("MEMTUI_BENCH_DUMPS"))
	if len(dumps) == 0 {
		b.Skip("needs MEMTUI_BENCH_DUMPS")
	}
	programs := map[string]string{"": binary}
	if other := os.Getenv("MEMTUI_BENCH_OTHER"); other != "" {
		programs["other-"] = other
	}
	for _, dump := range dumps {
		b.Run(filepath.Base(dump), func(b *testing.B) {
			best := map[string]*cost{}
			for b.Loop() {
				for name, program := range programs {
					if best[name] == nil {
						best[name] = &cost{}
					}
					empty := []string{"XDG_CACHE_HOME=" + b.TempDir()}
					best[name].least(took(b, "", "", empty, program, "report", "-f", "json", "--limit", "5", warm(b, dump)))
				}
			}
			for name, c := range best {
				b.ReportMetric(c.cpu.Seconds(), name+"cpu-s")
				b.ReportMetric(c.wall.Seconds(), name+"wall-s")
				b.ReportMetric(float64(c.memory)/1e6, name+"MB-peak")
			}
		})
	}
}

// hasHistogram reports whether the first screen of a heap shows what the snapshot holds, as far as it is counted.
func hasHistogram(v *memtest.VT) bool {
	_, list, ok := strings.Cut(v.Text(), "Totals and ")
	return ok && strings.Contains(list, "█")
}

func hasSuspects(v *memtest.VT) bool {
	return suspectsLine.MatchString(v.Text()) || strings.Contains(v.Text(), "Nothing stands out")
}

var suspectsLine = regexp.MustCompile(`\d suspects?\n`)

// BenchmarkHistogram prints the time from starting the process on heap dumps that no run has opened before to the first
// histogram on screen, of what is counted so far, to everything that the first screen shows, suspects among it, and
// the most memory until then: the medians of all runs. MEMTUI_BENCH_DUMPS is their names with colons between them.
func BenchmarkHistogram(b *testing.B) {
	dumps := filepath.SplitList(os.Getenv("MEMTUI_BENCH_DUMPS"))
	if len(dumps) == 0 {
		b.Skip("needs MEMTUI_BENCH_DUMPS")
	}
	for _, dump := range dumps {
		b.Run(filepath.Base(dump), func(b *testing.B) {
			var first, all, memory []float64
			for b.Loop() {
				p := memtest.Program{Path: binary, Args: []string{warm(b, dump)}, W: 120, H: 40,
					Env: []string{"XDG_CACHE_HOME=" + b.TempDir()}}
				began := time.Now()
				s := memtest.Start(b, p)
				s.WaitUntil("the histogram", hasHistogram)
				first = append(first, milliseconds(time.Since(began)))
				s.WaitUntil("the suspects", hasSuspects)
				all = append(all, milliseconds(time.Since(began)))
				memory = append(memory, float64(peakMemory(b, s))/1e6)
				s.Send("q")
				s.Exit()
			}
			for name, list := range map[string][]float64{"ms-to-histogram": first, "ms-to-suspects": all, "MB-peak": memory} {
				slices.Sort(list)
				b.ReportMetric(list[len(list)/2], name)
			}
		})
	}
}

// BenchmarkSecondSnapshot prints what two dumps take that are looked at together, and that no run has opened before:
// processor time to all that the first screen shows of the last one, time of day and processor time to the same of the
// one before it, and the most memory of both: the least of all runs in turns. MEMTUI_BENCH_DUMPS is their names with a
// colon between them; without it made-up ones of Java are used. MEMTUI_BENCH_OTHER is another memtui to compare with.
func BenchmarkSecondSnapshot(b *testing.B) {
	dumps := filepath.SplitList(os.Getenv("MEMTUI_BENCH_DUMPS"))
	if len(dumps) != 2 {
		dumps = []string{madeDump(b, "a.hprof", 150_000), madeDump(b, "b.hprof", 160_000)}
	}
	programs := map[string]string{"": binary}
	if other := os.Getenv("MEMTUI_BENCH_OTHER"); other != "" {
		programs["other-"] = other
	}
	best := map[string]float64{}
	least := func(name string, n float64) {
		if was, ok := best[name]; !ok || n < was {
			best[name] = n
		}
	}
	for b.Loop() {
		for name, program := range programs {
			p := memtest.Program{Path: program, Args: []string{warm(b, dumps[0]), warm(b, dumps[1])}, W: 120, H: 40,
				Env: []string{"XDG_CACHE_HOME=" + b.TempDir()}}
			s := memtest.Start(b, p)
			s.WaitUntil("the suspects", hasSuspects)
			first := processorTime(s)
			began := time.Now()
			s.Send("h")
			other := func(v *memtest.VT) bool { return strings.Contains(v.Row(0), "snapshot #0") && hasSuspects(v) }
			took := time.Duration(0)
			for there := false; !there; { // a part of a frame has the suspects of the snapshot before
				s.WaitUntil("the other snapshot", other)
				took = time.Since(began)
				time.Sleep(50 * time.Millisecond)
				s.Look(func(v *memtest.VT) { there = other(v) })
			}
			least(name+"ms-second", milliseconds(took))
			least(name+"cpu-ms-second", milliseconds(processorTime(s)-first))
			least(name+"cpu-ms-first", milliseconds(first))
			least(name+"MB-peak", float64(peakMemory(b, s))/1e6)
			s.Send("q")
			s.Exit()
		}
	}
	for name, n := range best {
		b.ReportMetric(n, name)
	}
}

// madeDump writes a dump of Java.
func madeDump(b *testing.B, name string, notes int) string {
	path := filepath.Join(b.TempDir(), name)
	if err := os.WriteFile(path, memtest.Java(memtest.JavaSpec{Notes: notes}), 0o600); err != nil {
		b.Fatal(err)
	}
	return path
}
