package spaa

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// benchPath is a file of samples, stacks and frames of about as many megabytes as MEMTUI_BENCH_SPAA_MB says.
func benchPath(b *testing.B) string {
	b.Helper()
	size := 16
	if n, err := strconv.Atoi(os.Getenv("MEMTUI_BENCH_SPAA_MB")); err == nil {
		size = n
	}
	return madeFile(b, size)
}

func madeFile(t testing.TB, megabytes int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bench.spaa")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := memtest.WriteProfile(f, memtest.ProfileOf(megabytes)); err != nil {
		t.Fatal(err)
	}
	return path
}

func benchSource(b *testing.B, path string) *loaders.Source {
	b.Helper()
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(info.Size())
	return openFile(b, path)
}

// parseAll takes all records apart and keeps nothing: what other readers of JSON are compared with.
func parseAll(t testing.TB, src *loaders.Source) {
	n := 0
	if err := each(context.Background(), src, false, func(k *block) error { n += len(k.out.samples); return nil }); err != nil || n == 0 {
		t.Fatal(n, err)
	}
}

func loadAll(t testing.TB, src *loaders.Source) *model.Profile {
	var store model.Store
	if err := load(context.Background(), src, loaders.Options{}, &store); err != nil {
		t.Fatal(err)
	}
	return store.Current()
}

func validateAll(t testing.TB, src *loaders.Source) {
	if err := validate(context.Background(), src, func(loaders.Violation) {}); err != nil {
		t.Fatal(err)
	}
}

// countLines is the floor: it only looks for ends of lines.
func countLines(data []byte) (n int) {
	for {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			return n
		}
		data = data[i+1:]
		n++
	}
}

// BenchmarkLoad reads a file into the model.
func BenchmarkLoad(b *testing.B) {
	src := benchSource(b, benchPath(b))
	for b.Loop() {
		loadAll(b, src)
	}
}

// BenchmarkParse takes all records apart.
func BenchmarkParse(b *testing.B) {
	src := benchSource(b, benchPath(b))
	for b.Loop() {
		parseAll(b, src)
	}
}

// BenchmarkValidate applies every rule.
func BenchmarkValidate(b *testing.B) {
	src := benchSource(b, benchPath(b))
	for b.Loop() {
		validateAll(b, src)
	}
}

// mapped is a file in memory.
func mapped(t testing.TB, src *loaders.Source) []byte {
	t.Helper()
	data, err := src.Range(context.Background(), 0, src.Size())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// BenchmarkNewlines only looks for ends of lines.
func BenchmarkNewlines(b *testing.B) {
	data := mapped(b, benchSource(b, benchPath(b)))
	for b.Loop() {
		countLines(data)
	}
}

// BenchmarkEncodingJSON decodes samples with the standard library, and nothing else.
func BenchmarkEncodingJSON(b *testing.B) {
	data := mapped(b, benchSource(b, benchPath(b)))
	for b.Loop() {
		for line := range bytes.Lines(data) {
			var r struct {
				Type      string
				Timestamp float64
				PID, TID  int
				Event     string
				Period    uint64
				StackID   string `json:"stack_id"`
			}
			if err := json.Unmarshal(line, &r); err != nil {
				b.Fatal(err)
			}
		}
	}
}
