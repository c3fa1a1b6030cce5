package mvmheap

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// benchFile opens the file that MEMTUI_BENCH_HEAP names, or one as large as the snapshot of a small Raku program.
func benchFile(b *testing.B) *file {
	b.Helper()
	path := os.Getenv("MEMTUI_BENCH_HEAP")
	if path == "" {
		path = filepath.Join(b.TempDir(), "bench.mvmheap")
		out, err := os.Create(path)
		if err != nil {
			b.Fatal(err)
		}
		defer out.Close()
		if err := memtest.WriteHeap3(out, memtest.HeapSpec{Rows: 500_000, References: 1_900_000, Spread: 1000}); err != nil {
			b.Fatal(err)
		}
	}
	src, err := loaders.OpenSource(context.Background(), path, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { src.Close() })
	f, _, err := open(context.Background(), src)
	if err != nil {
		b.Fatal(err)
	}
	return f
}

// BenchmarkOpenFile finds the snapshots of a file.
func BenchmarkOpenFile(b *testing.B) {
	f := benchFile(b)
	for b.Loop() {
		var store model.Store
		if err := load(context.Background(), f.src, loaders.Options{}, &store); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpenSnapshot decodes the last snapshot.
func BenchmarkOpenSnapshot(b *testing.B) {
	f := benchFile(b)
	rows := 0
	for b.Loop() {
		h, err := f.Open(context.Background(), f.Len()-1, nil)
		if err != nil {
			b.Fatal(err)
		}
		rows = h.Len()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(rows), "ns/row")
}

// BenchmarkZstd decompresses the columns of the last snapshot, and has the zstd command do the same in between; x-zstd
// says how much faster the best of our runs was than the best of its.
func BenchmarkZstd(b *testing.B) {
	f := benchFile(b)
	if f.version != 3 {
		b.Skip("nothing is compressed")
	}
	zstd, err := exec.LookPath("zstd")
	if err != nil {
		b.Skip(err)
	}
	s := &f.snaps[f.Len()-1]
	frames := filepath.Join(b.TempDir(), "frames.zst")
	var all []byte
	for k := range wholeColumns {
		c, err := f.bytes(span{s.blocks[k].start + k.header(), s.blocks[k].end})
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, c...)
	}
	if err := os.WriteFile(frames, all, 0o600); err != nil {
		b.Fatal(err)
	}
	ours, theirs, size := time.Hour, time.Hour, int64(0)
	for b.Loop() {
		start := time.Now()
		size = inflateAll(b, f, s)
		ours = min(ours, time.Since(start))
		start = time.Now()
		if err := exec.Command(zstd, "-dcq", frames).Run(); err != nil { // no output is kept
			b.Fatal(err)
		}
		theirs = min(theirs, time.Since(start))
	}
	b.ReportMetric(float64(theirs)/float64(ours), "x-zstd")
	b.ReportMetric(float64(size)/1e6/ours.Seconds(), "MB/s-ours")
	b.ReportMetric(float64(size)/1e6/theirs.Seconds(), "MB/s-zstd")
}

// inflateAll decompresses all columns of a snapshot on all cores, as decoding does, and returns their size.
func inflateAll(b *testing.B, f *file, s *snapshot) int64 {
	kinds := []kind{reftrget, refdescr, colrfstr, colusize, colrfcnt, coltofi, colsize, colkind}
	var next, size atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			t := f.kit()
			defer f.kits.Put(t)
			for i := next.Add(1) - 1; int(i) < len(kinds); i = next.Add(1) - 1 {
				_, err := f.openColumn(context.Background(), t, s.blocks[kinds[i]], kinds[i], nil)
				for err == nil {
					var n int
					n, err = t.fill(len(t.raw))
					size.Add(int64(n))
				}
				if err != io.EOF {
					b.Error(err)
				}
			}
		})
	}
	workers.Wait()
	return size.Load()
}
