package memdump

import (
	stdgzip "compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// benchSpec is a file whose body has 150 MB: 20 series, a million points, two million pages.
var benchSpec = memtest.DumpSpec{Series: 20, Points: 50_000, Layouts: 10, Pages: 10_000, Runs: 47}

// benchFile is the file that MEMTUI_BENCH_DUMP names, or the one of benchSpec, with -short a tenth of it.
func benchFile(b *testing.B, write func(io.Writer, memtest.DumpSpec) error) *loaders.Source {
	b.Helper()
	path := os.Getenv("MEMTUI_BENCH_DUMP")
	if path == "" {
		spec := benchSpec
		if testing.Short() {
			spec.Series = 2
		}
		path = filepath.Join(b.TempDir(), "bench")
		out, err := os.Create(path)
		if err != nil {
			b.Fatal(err)
		}
		defer out.Close()
		if err := write(out, spec); err != nil {
			b.Fatal(err)
		}
	}
	src, err := loaders.OpenSource(context.Background(), path, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { src.Close() })
	return src
}

// gunzipAlone inflates the body with the standard library and keeps nothing.
func gunzipAlone(b *testing.B, src *loaders.Source) (bytes int64) {
	z, err := stdgzip.NewReader(io.NewSectionReader(src, headerSize, src.Size()-headerSize))
	if err != nil {
		b.Fatal(err)
	}
	n, err := io.Copy(io.Discard, z)
	if err != nil {
		b.Fatal(err)
	}
	return n
}

// BenchmarkOpenMB opens a file, and inflates it with the standard library in turn: ratio is the one through the other.
func BenchmarkOpenMB(b *testing.B) {
	src := benchFile(b, memtest.WriteDump)
	var open, gunzip time.Duration
	body := int64(0)
	for b.Loop() {
		start := time.Now()
		var store model.Store
		if err := loadMB(context.Background(), src, &store); err != nil {
			b.Fatal(err)
		}
		open += time.Since(start)
		start = time.Now()
		body = gunzipAlone(b, src)
		gunzip += time.Since(start)
	}
	b.SetBytes(body)
	b.ReportMetric(float64(open.Milliseconds())/float64(b.N), "open-ms")
	b.ReportMetric(float64(open)/float64(gunzip), "ratio")
}

// BenchmarkOpenMBMemory tells how much the heap holds at most while a file is opened, and what is left of that.
func BenchmarkOpenMBMemory(b *testing.B) {
	src := benchFile(b, memtest.WriteDump)
	var peak, kept uint64
	for b.Loop() {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		before := m.HeapInuse
		stop, done := atomic.Bool{}, make(chan struct{})
		go func() {
			defer close(done)
			var m runtime.MemStats
			for !stop.Load() {
				runtime.ReadMemStats(&m)
				peak = max(peak, m.HeapInuse-min(before, m.HeapInuse))
				runtime.Gosched()
			}
		}()
		var store model.Store
		err := loadMB(context.Background(), src, &store)
		stop.Store(true)
		<-done
		if err != nil {
			b.Fatal(err)
		}
		runtime.GC()
		runtime.ReadMemStats(&m)
		kept = m.HeapInuse - min(before, m.HeapInuse)
		runtime.KeepAlive(&store)
	}
	b.ReportMetric(float64(peak)/(1<<20), "peak-MiB")
	b.ReportMetric(float64(kept)/(1<<20), "kept-MiB")
}

// BenchmarkScrub goes from layout to layout, none of them decoded before.
func BenchmarkScrub(b *testing.B) {
	for name, write := range map[string]func(io.Writer, memtest.DumpSpec) error{"mb": memtest.WriteDump, "json": memtest.WriteDumpJSON} {
		for direction, back := range map[string]bool{"forward": false, "back": true} {
			b.Run(name+"/"+direction, func(b *testing.B) {
				src := benchFile(b, write)
				format := MB()
				if name == "json" {
					format = JSON()
				}
				var store model.Store
				if err := format.Load(context.Background(), src, loaders.Options{}, &store); err != nil {
					b.Fatal(err)
				}
				p := store.Current().Pages.(*pages)
				i, worst := 0, time.Duration(0)
				for b.Loop() {
					at := i % p.Len()
					if back {
						at = p.Len() - 1 - at
					}
					start := time.Now()
					if _, err := p.d.decode(context.Background(), at, p.refs[at]); err != nil {
						b.Fatal(err)
					}
					worst = max(worst, time.Since(start))
					i++
				}
				b.ReportMetric(float64(worst.Microseconds())/1000, "worst-ms")
			})
		}
	}
}

// BenchmarkOpenJSON opens the same file as JSON.
func BenchmarkOpenJSON(b *testing.B) {
	src := benchFile(b, memtest.WriteDumpJSON)
	b.SetBytes(src.Size())
	for b.Loop() {
		var store model.Store
		if err := loadJSON(context.Background(), src, &store); err != nil {
			b.Fatal(err)
		}
	}
}
