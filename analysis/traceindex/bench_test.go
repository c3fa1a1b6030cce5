//go:build linux

package traceindex

import (
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/mlyze"
	"github.com/memtui/memtui/model"
)

// benchTraces are the trace that MEMTUI_BENCH_TRACE names, or a small one, and a random one of as many events as
// MEMTUI_BENCH_EVENTS says, of which a quarter or five million live.
func benchTraces(b *testing.B, f func(b *testing.B, path string)) {
	path := os.Getenv("MEMTUI_BENCH_TRACE")
	if path == "" {
		path = "../../testdata/small_kvleak.mlyze"
	}
	b.Run("real", func(b *testing.B) { f(b, path) })
	n, _ := strconv.Atoi(os.Getenv("MEMTUI_BENCH_EVENTS"))
	path = filepath.Join(b.TempDir(), "random.mlyze")
	if err := os.WriteFile(path, randomFile(max(n, 100_000)), 0o600); err != nil {
		b.Fatal(err)
	}
	b.Run("random", func(b *testing.B) { f(b, path) })
}

// randomFile is a trace whose sizes, stacks and lifetimes are independent of each other, which real ones never are.
// Addresses come from an allocator with a list of free blocks per size, as in C libraries.
func randomFile(events int) []byte {
	const header, tables, stacks = 256, `{"stack_traces": {}, "files": {}, "functions": {"0": "f"}}`, 20_000
	out := make([]byte, header, header+len(tables)+events*14)
	copy(out, "MTRC")
	binary.LittleEndian.PutUint32(out[4:], 1)
	binary.LittleEndian.PutUint32(out[16:], uint32(len(tables)))
	out = append(out, tables...)
	r := rand.New(rand.NewPCG(1, 1))
	want := min(events/4, 5_000_000)
	type block struct{ addr, size uint64 }
	var live []block
	free := map[uint64][]uint64{}
	for top := uint64(0x7000_0000_0000); events > 0; events-- {
		delta := byte(r.Uint32() & 1)
		if n := len(live); n > 0 && (n >= want || r.IntN(8) == 0) {
			k := r.IntN(n)
			b := live[k]
			out = binary.LittleEndian.AppendUint64(append(out, 1, delta), b.addr)
			live[k], live = live[n-1], live[:n-1]
			free[b.size] = append(free[b.size], b.addr)
			continue
		}
		size := uint64(16 * (1 + r.IntN(1<<r.IntN(8))))
		addr := top
		if l := free[size]; len(l) > 0 {
			addr, free[size] = l[len(l)-1], l[:len(l)-1]
		} else {
			top += size + 16
		}
		live = append(live, block{addr, size})
		out = binary.LittleEndian.AppendUint64(append(out, 0, delta), addr)
		out = binary.AppendUvarint(out, size)
		out = binary.AppendUvarint(out, uint64(r.IntN(stacks)))
		out = append(out, 1, 0)
	}
	return out
}

// naive decodes all events of a trace as one would first write it, and returns how many there are.
func naive(b []byte) (events int, sum uint64) {
	varint := func() {
		v, n := binary.Uvarint(b)
		sum += v
		b = b[n:]
	}
	for ; len(b) > 0; events++ {
		kind := b[0]
		b = b[1:]
		varint()
		if kind <= 1 {
			sum += binary.LittleEndian.Uint64(b)
			b = b[8:]
		} else {
			varint()
		}
		switch kind {
		case 0:
			varint()
			varint()
			b = b[2:]
		case 2:
			varint()
		}
	}
	return events, sum
}

func openBench(b testing.TB, path string) *model.Profile {
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

func fileIndexOf(b testing.TB, p *model.Profile) *fileIndex {
	store := new(model.Store)
	store.Publish(p)
	ix := newFileIndex(defaultChunk)
	if err := Build(context.Background(), store, ix); err != nil {
		b.Fatal(err)
	}
	return ix
}

// BenchmarkFileIndex prints how fast the index is built, in the best run, and how that compares with a naive decode
// loop over the same bytes in memory, taken in turns.
func BenchmarkFileIndex(b *testing.B) { benchTraces(b, benchBuild) }

func benchBuild(b *testing.B, path string) {
	p := openBench(b, path)
	file, err := os.ReadFile(path)
	if err != nil {
		b.Fatal(err)
	}
	begin, _ := p.Allocations.Extent()
	const never = time.Duration(math.MaxInt64)
	best, cpu, loop, events := never, never, never, 0
	var ix *fileIndex
	for b.Loop() {
		ix = nil
		runtime.GC()
		began, used := time.Now(), cpuTime(ofProcess)
		ix = fileIndexOf(b, p)
		best, cpu = min(best, time.Since(began)), min(cpu, cpuTime(ofProcess)-used)
		began = time.Now()
		events, _ = naive(file[begin:])
		loop = min(loop, time.Since(began))
	}
	if events != ix.events() {
		b.Errorf("%d events, want %d", ix.events(), events)
	}
	b.ReportMetric(float64(events)/best.Seconds()/1e6, "Mevents/s")
	b.ReportMetric(float64(best)/float64(loop), "x-naive")
	b.ReportMetric(float64(cpu.Nanoseconds())/float64(events), "cpu-ns/event")
	b.ReportMetric(float64(ix.Memory())/float64(events), "B/event")
}

const (
	ofProcess = unix.CLOCK_PROCESS_CPUTIME_ID
	ofThread  = unix.CLOCK_THREAD_CPUTIME_ID
)

// cpuTime is what the process or the thread has used so far: other programs on the machine matter less to it than to
// the time of day.
func cpuTime(clock int32) time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(clock, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// BenchmarkScrub prints percentiles of answers at random instants and ranges.
func BenchmarkScrub(b *testing.B) { benchTraces(b, benchScrub) }

func benchScrub(b *testing.B, path string) {
	p := openBench(b, path)
	ix := fileIndexOf(b, p)
	runtime.GC()
	ctx, end := context.Background(), int64(ix.duration())
	tree, err := calltree.NewCallTree(ctx, p.Stacks, ix.StackIDs(), calltree.TreeOptions{})
	if err != nil {
		b.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	instant := func() analysis.Instant { return analysis.At(model.Time(r.Int64N(end))) }
	somewhere := func() analysis.Range {
		from := r.Int64N(end)
		return analysis.Range{From: model.Time(from), To: model.Time(from + r.Int64N(end-from))}
	}
	percentiles(b, "flame-graph-at", func() error {
		w, err := ix.Weights(ctx, analysis.CostLive, analysis.Query{At: instant(), Range: analysis.FullRange})
		tree.Fold(w)
		return err
	})
	percentiles(b, "allocated-in-range", func() error {
		_, err := ix.Weights(ctx, analysis.CostTotal, analysis.Query{At: analysis.End, Range: somewhere()})
		return err
	})
	page := func(q analysis.BlockQuery) func() error { // what a screen shows first
		return func() error {
			q.At = instant()
			list, err := ix.Blocks(ctx, q)
			for i := 0; err == nil && i < min(list.Len(), 50); i++ {
				list.Row(i)
			}
			return err
		}
	}
	percentiles(b, "blocks-at", page(analysis.BlockQuery{All: true, Sort: analysis.OldestFirst}))
	percentiles(b, "largest-blocks-at", page(analysis.BlockQuery{All: true}))
	percentiles(b, "blocks-of-a-cell-at", page(analysis.BlockQuery{All: true, Cell: analysis.Cell{SizeFrom: 5, SizeTo: 8, LifeTo: analysis.LifeClasses}}))
	percentiles(b, "chart-of-320", func() error {
		_, err := ix.Chart(ctx, somewhere(), 320)
		return err
	})
	for span := end / 10; span >= 1000; span /= 10 {
		percentiles(b, "chart-of-320-"+strconv.FormatInt(span, 10)+"µs", func() error {
			from := r.Int64N(end - span)
			_, err := ix.Chart(ctx, analysis.Range{From: model.Time(from), To: model.Time(from + span)}, 320)
			return err
		})
	}
	percentiles(b, "curve-of-320", func() error {
		_, err := ix.Curve(ctx, somewhere(), 320)
		return err
	})
}

// BenchmarkWhole prints how long answers take that need every event, when they are asked for the first time, in
// milliseconds.
func BenchmarkWhole(b *testing.B) { benchTraces(b, benchWhole) }

func benchWhole(b *testing.B, path string) {
	ix := fileIndexOf(b, openBench(b, path))
	ctx, end := context.Background(), ix.duration()
	small := analysis.Cell{SizeFrom: 5, SizeTo: 8, LifeFrom: 0, LifeTo: analysis.LifeClasses}
	narrow := func(by analysis.Group, at model.Time) error {
		_, err := ix.Sites(ctx, analysis.Query{At: analysis.At(at), Range: analysis.FullRange, By: by, Cell: small})
		return err
	}
	for _, ask := range []struct {
		name string
		f    func() error
	}{
		{"late-freed", func() error { _, err := ix.LateFreed(ctx, analysis.Cell{}); return err }},
		{"leaks", func() error { _, err := ix.Leaks(ctx, analysis.LeakQuery{Range: analysis.FullRange}); return err }},
		{"grid", func() error {
			_, err := ix.Grid(ctx, analysis.GridQuery{Range: analysis.FullRange, All: true})
			return err
		}},
		{"lifetimes", func() error { _, err := ix.Lifetimes(ctx, analysis.ByStack, 7, analysis.FullRange, ""); return err }},
		{"narrowed-first", func() error { return narrow(analysis.ByStack, end/2) }},
		{"narrowed-next", func() error { return narrow(analysis.ByStack, end/3) }},
		{"narrowed-other", func() error { return narrow(analysis.ByFunction, end/3) }},
	} {
		b.Run(ask.name, func(b *testing.B) { first(b, ask.f) })
	}
	for by := range analysis.GroupCount {
		b.Run("sites-by-"+by.String(), func(b *testing.B) {
			first(b, func() error {
				_, err := ix.Sites(ctx, analysis.Query{At: analysis.End, Range: analysis.FullRange, By: by})
				return err
			})
		})
	}
}

// first times the first run of f.
func first(b *testing.B, f func() error) {
	var took, cpu time.Duration
	for b.Loop() {
		began, used := time.Now(), cpuTime(ofProcess)
		if err := f(); err != nil {
			b.Fatal(err)
		}
		if took == 0 {
			took, cpu = time.Since(began), cpuTime(ofProcess)-used
		}
	}
	b.ReportMetric(took.Seconds()*1e3, "ms-first")
	b.ReportMetric(cpu.Seconds()*1e3, "cpu-ms-first")
}

// percentiles runs f often and prints the median and the 99th percentile of its time and of the processor time that it
// takes on all processors.
func percentiles(b *testing.B, name string, f func() error) {
	b.Run(name, func(b *testing.B) {
		var wall, cpu []time.Duration
		for b.Loop() {
			began, used := time.Now(), cpuTime(ofProcess)
			if err := f(); err != nil {
				b.Fatal(err)
			}
			wall, cpu = append(wall, time.Since(began)), append(cpu, cpuTime(ofProcess)-used)
		}
		slices.Sort(wall)
		slices.Sort(cpu)
		n := len(wall)
		b.ReportMetric(float64(wall[n/2].Nanoseconds())/1e3, "µs-median")
		b.ReportMetric(float64(wall[n*99/100].Nanoseconds())/1e3, "µs-p99")
		b.ReportMetric(float64(cpu[n/2].Nanoseconds())/1e3, "cpu-µs-median")
		b.ReportMetric(float64(cpu[n*99/100].Nanoseconds())/1e3, "cpu-µs-p99")
	})
}
