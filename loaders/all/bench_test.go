package all

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// benchRows is how many objects of its own a made-up dump has, two rows each. MEMTUI_BENCH_ROWS says another number.
func benchRows(b *testing.B) int {
	n, err := strconv.Atoi(os.Getenv("MEMTUI_BENCH_ROWS"))
	if err != nil {
		n = 300_000
	}
	return max(n, 1)
}

// BenchmarkHeaps opens a made-up dump of each format from disk: decoding and dominators, and the same from what an
// earlier run has kept.
func BenchmarkHeaps(b *testing.B) {
	n := benchRows(b)
	for _, d := range []struct {
		name string
		text func() []byte
	}{
		{"hprof", func() []byte { return memtest.Java(memtest.JavaSpec{Notes: n}) }}, {"heapsnapshot", func() []byte { return v8Dump(n) }},
		{"ruby", func() []byte { return rubyDump(n) }}, {"python", func() []byte { return pythonDump(n) }},
	} {
		path := filepath.Join(b.TempDir(), d.name)
		text := d.text()
		if err := os.WriteFile(path, text, 0o600); err != nil {
			b.Fatal(err)
		}
		b.Run(d.name+"/cold", func(b *testing.B) { benchHeap(b, path, int64(len(text)), nil) })
		b.Run(d.name+"/kept", func(b *testing.B) {
			k := &benchKeeper{b: b}
			openGraph(b, path, k)
			k.writing.Wait()
			benchHeap(b, path, int64(len(text)), k)
		})
	}
}

// benchHeap measures opening, and tells rows a second, and bytes that are kept of each.
func benchHeap(b *testing.B, path string, size int64, k sections.Cache) {
	b.SetBytes(size)
	b.ReportAllocs()
	var g *heapgraph.Graph
	for b.Loop() {
		g = openGraph(b, path, k)
	}
	h := g.Heap
	rows := float64(h.Len())
	b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	bytes := 7*h.Len() + int(h.Start.Bytes()+h.To.Bytes()) + 4*(len(h.Label)+len(h.Names)) + 8*len(h.IDs)
	for _, axis := range h.Axes {
		bytes += 4 * len(axis)
	}
	b.ReportMetric(float64(bytes)/rows, "B/row")
}

func openGraph(b *testing.B, path string, k sections.Cache) *heapgraph.Graph {
	b.Helper()
	src, err := loaders.OpenSource(b.Context(), path, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer src.Close()
	f, err := loaders.Detect(src, Formats())
	if err != nil {
		b.Fatal(err)
	}
	store := &model.Store{}
	if err := f.Load(b.Context(), src, loaders.Options{Kept: k}, store); err != nil {
		b.Fatal(err)
	}
	h, err := store.Current().Heaps.Open(b.Context(), 0, nil)
	if err != nil {
		b.Fatal(err)
	}
	if k != nil && h.Kept == nil {
		h.Kept = &sections.Named{Cache: k, Prefix: "small"} // what is smaller is not kept
	}
	g, err := heapgraph.NewGraph(b.Context(), h, 0)
	if err != nil {
		b.Fatal(err)
	}
	return g
}

// benchKeeper keeps files in memory.
type benchKeeper struct {
	b       *testing.B
	writing sync.WaitGroup
	mu      sync.Mutex
	files   map[string][]byte
}

// Open implements [sections.Cache], like what follows.
func (k *benchKeeper) Open(name string) (*sections.File, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	data, ok := k.files[name]
	if !ok {
		return nil, os.ErrNotExist
	}
	return &sections.File{Data: data, At: bytes.NewReader(data), Close: func() {}}, nil
}

func (k *benchKeeper) Key() sections.Key { return sections.Key{1} }

func (k *benchKeeper) Keep(name string, write func(ctx context.Context, w io.Writer) error) {
	k.writing.Go(func() {
		if err := k.Write(k.b.Context(), name, write); err != nil {
			k.b.Error(err)
		}
	})
}

func (k *benchKeeper) Write(ctx context.Context, name string, write func(ctx context.Context, w io.Writer) error) error {
	var out bytes.Buffer
	if err := write(ctx, &out); err != nil {
		return err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.files == nil {
		k.files = map[string][]byte{}
	}
	k.files[name] = out.Bytes()
	return nil
}

func (k *benchKeeper) Discard(name string) { k.b.Error("discarded:", name) }
