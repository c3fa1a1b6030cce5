//go:build linux

package traceindex

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/memtui/memtui/analysis/traceindex/tally"
	"github.com/memtui/memtui/model"
)

// BenchmarkStages prints the processor time that each stage of the building takes, one after the other: the best of all
// runs.
func BenchmarkStages(b *testing.B) {
	benchTraces(b, func(b *testing.B, path string) {
		p := openBench(b, path)
		var best [stageCount]time.Duration
		events := 0
		for b.Loop() {
			var took [stageCount]time.Duration
			var chunks []stages
			if events, chunks = stagesOf(b, p); len(chunks) == 0 {
				b.Fatal("no chunks")
			}
			for _, c := range chunks {
				for k, d := range c {
					took[k] += d
				}
			}
			for k, d := range took {
				if best[k] == 0 || d < best[k] {
					best[k] = d
				}
			}
		}
		for k, name := range []string{"decode", "match", "fold", "tally"} {
			b.ReportMetric(float64(best[k].Nanoseconds())/float64(events), name+"-ns/event")
		}
	})
}

// BenchmarkSimulatedCores prints how many times faster an index would be built on more processors than on one, by the
// processor time that each stage of each chunk takes on one. It knows nothing of how fast memory is.
func BenchmarkSimulatedCores(b *testing.B) {
	benchTraces(b, func(b *testing.B, path string) {
		p := openBench(b, path)
		var chunks []stages
		for b.Loop() {
			_, chunks = stagesOf(b, p)
		}
		alone := makespan(chunks, 1)
		for _, cores := range []int{2, 4, 8} {
			b.ReportMetric(float64(alone)/float64(makespan(chunks, cores)), fmt.Sprintf("x-at-%d-cores", cores))
		}
	})
}

// stages is the processor time that a chunk takes: to be decoded, matched, folded and tallied.
type stages [stageCount]time.Duration

const stageCount = 4

// stagesOf builds an index on one goroutine, and returns its number of events and what each chunk takes.
func stagesOf(b *testing.B, p *model.Profile) (events int, chunks []stages) {
	source := p.Allocations.(model.ChunkSource)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	runtime.GC()
	bd, t := newBuilder(newFileIndex(defaultChunk), new(model.Store), p), new(tally.Tally)
	bd.ix.Names.Store, bd.ix.source = bd.store, source
	bd.ix.decoders.New = func() any { return source.Decoder() }
	jobs, size := [4]*job{{}, {}, {}, {}}, int64(bd.ix.chunkSize)
	for i := 0; bd.pos < bd.end; i++ {
		j, c := jobs[i%len(jobs)], stages{}
		j.reset(bd.pos, min(bd.pos+size, bd.end))
		for k, f := range []func(){
			func() { bd.decode(j) },
			func() { j.err = bd.match.Match(&j.events, &j.Ends) },
			func() { j.err = bd.fold.fold(j) },
			func() { j.tally(bd.ix, t) },
		} {
			began := cpuTime(ofThread)
			f()
			c[k] = cpuTime(ofThread) - began
			if j.err != nil {
				b.Fatal(j.err)
			}
		}
		chunks = append(chunks, c)
		bd.pos, size = j.next, bd.usualChunk(j.stacks)
	}
	return bd.ix.events(), chunks
}

// makespan returns how long chunks take on some processors. Any number of chunks are decoded at the same time, as many as
// the builder has jobs for; of every other stage there is one, which takes chunks in order.
func makespan(chunks []stages, cores int) time.Duration {
	free := make([]time.Duration, cores)                                // when each processor is free
	ready := make([]time.Duration, len(chunks))                         // when each chunk is through its last stage
	next, busy := make([]int, len(chunks)), [stageCount]time.Duration{} // each chunk's next stage; when each stage is free
	ahead, end := cores+5, time.Duration(0)
	first := 0 // chunk that is not through all stages
	for first < len(chunks) {
		chunk, at := -1, time.Duration(0)
		for i := first; i < min(first+ahead, len(chunks)); i++ {
			k := next[i]
			if k == stageCount || k > 0 && i > first && next[i-1] <= k {
				continue
			}
			begin := ready[i]
			if k > 0 {
				begin = max(begin, busy[k])
			}
			if chunk < 0 || begin < at {
				chunk, at = i, begin
			}
		}
		core := slices.Index(free, slices.Min(free))
		k := next[chunk]
		done := max(at, free[core]) + chunks[chunk][k]
		free[core], ready[chunk], busy[k], end = done, done, done, max(end, done)
		next[chunk]++
		for first < len(chunks) && next[first] == stageCount {
			first++
		}
	}
	return end
}

func TestMakespan(t *testing.T) {
	chunks := slices.Repeat([]stages{{3, 1, 2, 1}}, 100)
	if got := makespan(chunks, 1); got != 700 {
		t.Errorf("one processor takes %d, want the sum of all stages, 700", got)
	}
	if got := makespan(chunks, 2); got < 350 || got > 365 {
		t.Errorf("two processors take %d, want hardly more than 350", got)
	}
	if got := makespan(chunks, 16); got < 200 || got > 210 {
		t.Errorf("16 processors take %d, want hardly more than the longest stage that takes one chunk at a time, 200", got)
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
