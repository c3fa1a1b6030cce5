//go:build linux

package traceindex

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// diskPlace keeps an index in a file.
type diskPlace struct {
	b    *testing.B
	path string
}

func (p *diskPlace) Key() sections.Key { return sections.Key{1} }

func (p *diskPlace) Discard() { p.b.Error("the index is not good") }

func (p *diskPlace) Open() (*sections.File, error) {
	f, err := os.Open(p.path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	data, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ, syscall.MAP_SHARED)
	return &sections.File{Data: data, At: f, Close: func() { _ = syscall.Munmap(data); f.Close() }}, err
}

// BenchmarkReopen prints what an index costs on disk, how long it takes to write it, and how long after opening it a
// chart of 200 columns is there, then what the first screens show, and then everything is verified, in the best run. It
// also prints how much was read for the first screens, in percent of the input.
func BenchmarkReopen(b *testing.B) { benchTraces(b, benchReopen) }

func benchReopen(b *testing.B, path string) {
	p := openBench(b, path)
	ix := fileIndexOf(b, p)
	place := &diskPlace{b, filepath.Join(b.TempDir(), "index")}
	f, err := os.Create(place.path)
	if err != nil {
		b.Fatal(err)
	}
	began := time.Now()
	if err := ix.save(context.Background(), f, sections.Key{1}); err != nil {
		b.Fatal(err)
	}
	written := time.Since(began)
	size, _ := f.Seek(0, 2)
	f.Close()
	events := ix.events()
	ix = nil
	chart, first, verified, cpu := time.Hour, time.Hour, time.Hour, time.Hour
	input, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	read := int64(0)
	for b.Loop() {
		store := new(model.Store)
		store.Publish(p)
		k := NewKeptIndex(place)
		before := bytesRead(b)
		done := make(chan error, 1)
		began, used := time.Now(), cpuTime(ofProcess)
		go func() { done <- Build(context.Background(), store, k) }()
		for k.Status().Events == 0 {
			time.Sleep(20 * time.Microsecond)
		}
		if _, err := k.Curve(context.Background(), analysis.FullRange, 200); err != nil {
			b.Fatal(err)
		}
		chart = min(chart, time.Since(began))
		if err := <-done; err != nil {
			b.Fatal(err)
		}
		if err := firstScreens(k, p); err != nil {
			b.Fatal(err)
		}
		first, read = min(first, time.Since(began)), bytesRead(b)-before
		if err := k.Verify(context.Background()); err != nil {
			b.Fatal(err)
		}
		verified, cpu = min(verified, time.Since(began)), min(cpu, cpuTime(ofProcess)-used)
		if used, why := k.Used(); !used {
			b.Fatal(why)
		}
		k.Close()
	}
	b.ReportMetric(milliseconds(chart), "ms-to-chart")
	b.ReportMetric(milliseconds(first), "ms-to-first-screens")
	b.ReportMetric(100*float64(read)/float64(input.Size()), "%-read")
	b.ReportMetric(milliseconds(verified), "ms-to-verified")
	b.ReportMetric(milliseconds(cpu), "cpu-ms")
	b.ReportMetric(milliseconds(written), "ms-to-write")
	b.ReportMetric(float64(size)/float64(events), "B/event")
}

// firstScreens asks what Overview, Leaks and Sites show, and a report prints.
func firstScreens(k *KeptIndex, p *model.Profile) error {
	ctx := context.Background()
	_, err := analysis.Findings(ctx, k, p, nil, analysis.UsualFindings)
	peak, _, _ := k.Peak(ctx, analysis.FullRange)
	for _, at := range []analysis.Instant{peak.Instant, analysis.End} {
		if err == nil {
			_, err = k.Sites(ctx, analysis.Query{At: at, Range: analysis.FullRange})
		}
	}
	if err == nil {
		_, err = k.Leaks(ctx, analysis.LeakQuery{Range: analysis.FullRange})
	}
	if err == nil {
		_, err = k.LateFreed(ctx, analysis.Cell{})
	}
	if err == nil {
		_, _, err = k.Histograms(ctx, analysis.FullRange)
	}
	if err == nil {
		_, err = k.Functions(ctx, analysis.FullRange, analysis.Cell{})
	}
	return err
}

// bytesRead returns how many bytes the process has read so far, other than from mappings.
func bytesRead(b *testing.B) int64 {
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		b.Fatal(err)
	}
	var n int64
	if _, err := fmt.Sscanf(string(text), "rchar: %d", &n); err != nil {
		b.Fatal(err)
	}
	return n
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
