//go:build linux

package analysis

import (
	"context"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/mlyze"
	"github.com/memtui/memtui/model"
)

// openBench loads the trace that MEMTUI_BENCH_TRACE names, or a small one.
func openBench(b *testing.B) *model.Profile {
	path := os.Getenv("MEMTUI_BENCH_TRACE")
	if path == "" {
		path = "../testdata/small_kvleak.mlyze"
	}
	src, err := loaders.OpenSource(context.Background(), path, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { src.Close() })
	store := new(model.Store)
	if err := mlyze.Format().Load(context.Background(), src, loaders.Options{}, store); err != nil {
		b.Fatal(err)
	}
	return store.Current()
}

func fileIndexOf(b *testing.B, p *model.Profile) *FileIndex {
	store := new(model.Store)
	store.Publish(p)
	ix := NewFileIndex()
	if err := Build(context.Background(), store, ix); err != nil {
		b.Fatal(err)
	}
	return ix
}

// BenchmarkFileIndex prints what building costs, beside a replay alone in the same run.
func BenchmarkFileIndex(b *testing.B) {
	p := openBench(b)
	var best, naive, cpu time.Duration
	events := 0
	var ix *FileIndex
	for b.Loop() {
		began, used := time.Now(), cpuTime()
		ix = fileIndexOf(b, p)
		if d := time.Since(began); best == 0 || d < best {
			best = d
		}
		if d := cpuTime() - used; cpu == 0 || d < cpu {
			cpu = d
		}
		events = ix.events()
		began = time.Now()
		if err := p.Allocations.Replay(context.Background(), func(*model.EventBatch) error { return nil }); err != nil {
			b.Fatal(err)
		}
		if d := time.Since(began); naive == 0 || d < naive {
			naive = d
		}
	}
	b.ReportMetric(float64(events)/best.Seconds()/1e6, "Mevents/s")
	b.ReportMetric(float64(best)/float64(naive), "x-replay")
	b.ReportMetric(float64(cpu.Nanoseconds())/float64(events), "cpu-ns/event")
	b.ReportMetric(float64(ix.memory())/float64(events), "B/event")
	b.ReportMetric(float64(ix.records.len())/float64(events), "records/event")
}

// cpuTime is what the process has used so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkScrub prints percentiles of answers at random instants.
func BenchmarkScrub(b *testing.B) {
	p := openBench(b)
	ix := fileIndexOf(b, p)
	runtime.GC()
	end := int64(ix.duration())
	ctx := context.Background()
	r := rand.New(rand.NewPCG(1, 2))
	ask := map[string]func() error{
		"weights-at": func() error {
			_, err := ix.Weights(ctx, CostLive, Query{At: At(model.Time(r.Int64N(end))), Range: Whole})
			return err
		},
		"weights-in-range": func() error {
			from := r.Int64N(end)
			_, err := ix.Weights(ctx, CostTotal, Query{At: End, Range: Range{model.Time(from), model.Time(from + r.Int64N(end-from))}})
			return err
		},
		"blocks-at": func() error {
			_, err := ix.Blocks(ctx, BlockQuery{At: At(model.Time(r.Int64N(end))), All: true, Sort: OldestFirst})
			return err
		},
		"curve-320": func() error {
			from := r.Int64N(end)
			_, err := ix.Curve(ctx, Range{model.Time(from), model.Time(from + r.Int64N(end-from))}, 320)
			return err
		},
	}
	for name, f := range ask {
		b.Run(name, func(b *testing.B) {
			var all []time.Duration
			for b.Loop() {
				began := time.Now()
				if err := f(); err != nil {
					b.Fatal(err)
				}
				all = append(all, time.Since(began))
			}
			slices.Sort(all)
			b.ReportMetric(float64(all[len(all)/2].Microseconds()), "µs-median")
			b.ReportMetric(float64(all[len(all)*99/100].Microseconds()), "µs-p99")
		})
	}
}
