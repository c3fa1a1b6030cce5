//go:build linux

package traceindex

import (
	"runtime"
	"testing"
	"time"

	"github.com/memtui/memtui/model"
)

// BenchmarkStages prints the processor time that each stage of the building takes, one after the other: the best of all
// runs.
func BenchmarkStages(b *testing.B) { benchTraces(b, benchStages) }

func benchStages(b *testing.B, path string) {
	p := openBench(b, path)
	source := p.Allocations.(model.ChunkSource)
	var best [3]time.Duration
	events := 0
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for b.Loop() {
		var took [3]time.Duration
		runtime.GC()
		bd := newBuilder(newFileIndex(defaultChunk), new(model.Store), p)
		bd.ix.Names.Store, bd.ix.source = bd.store, source
		bd.ix.decoders.New = func() any { return source.Decoder() }
		jobs, size := [4]*job{{}, {}, {}, {}}, int64(bd.ix.chunkSize)
		for i := 0; bd.pos < bd.end; i++ {
			j := jobs[i%len(jobs)]
			j.reset(bd.pos, min(bd.pos+size, bd.end))
			stage := func(k int, f func()) {
				began := cpuTime(ofThread)
				f()
				took[k] += cpuTime(ofThread) - began
			}
			stage(0, func() { bd.decode(j) })
			stage(1, func() { j.err = bd.match.Match(&j.events, &j.Ends) })
			stage(2, func() { j.err = bd.fold.fold(j) })
			if j.err != nil {
				b.Fatal(j.err)
			}
			bd.pos, size = j.next, bd.usualChunk(j.stacks)
		}
		for k, d := range took {
			if best[k] == 0 || d < best[k] {
				best[k] = d
			}
		}
		events = bd.ix.events()
	}
	for k, name := range []string{"decode", "match", "fold"} {
		b.ReportMetric(float64(best[k].Nanoseconds())/float64(events), name+"-ns/event")
	}
}

// BenchmarkCores prints how many times faster the index is built on two processors than on one, taken in turns.
func BenchmarkCores(b *testing.B) {
	benchTraces(b, func(b *testing.B, path string) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
		p := openBench(b, path)
		var best [2]time.Duration
		for b.Loop() {
			for i := range best {
				runtime.GOMAXPROCS(i + 1)
				runtime.GC()
				began := time.Now()
				fileIndexOf(b, p)
				if d := time.Since(began); best[i] == 0 || d < best[i] {
					best[i] = d
				}
			}
		}
		b.ReportMetric(float64(best[0])/float64(best[1]), "x-one-core")
	})
}
