package mvmheap

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// small is a spec whose files have a few thousand bytes.
func small() memtest.HeapSpec {
	return memtest.HeapSpec{Rows: 40, References: 90, Snapshots: 2, Seed: 1}
}

func heap3(t testing.TB, s memtest.HeapSpec) []byte {
	t.Helper()
	b, err := memtest.Heap3(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// result is everything that opening, decoding and validating a file gives.
type result struct {
	err        error // of Load
	profile    *model.Profile
	heaps      []*model.Heap
	scores     []model.HeapScores
	violations []loaders.Violation
}

func (r *result) violation(rule string) *loaders.Violation {
	for i := range r.violations {
		if r.violations[i].Rule == rule {
			return &r.violations[i]
		}
	}
	return nil
}

// valid reports whether nothing worse than a warning was found.
func (r *result) valid() bool {
	for _, v := range r.violations {
		if v.Severity == model.Error {
			return false
		}
	}
	return true
}

// write makes a file of b.
func write(t testing.TB, b []byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.mvmheap")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// openFile is openBytes for a regular file.
func openFile(t testing.TB, path string) *result {
	t.Helper()
	src, err := loaders.OpenSource(context.Background(), path, nil)
	if err != nil {
		return &result{err: err}
	}
	defer src.Close()
	return openSource(t, src)
}

// openBytes runs everything over b as it comes through a pipe.
func openBytes(t testing.TB, b []byte) *result {
	t.Helper()
	src, err := loaders.OpenSource(context.Background(), "-", bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	return openSource(t, src)
}

func openSource(t testing.TB, src *loaders.Source) *result {
	t.Helper()
	ctx := context.Background()
	var store model.Store
	r := &result{}
	if r.err = load(ctx, src, loaders.Options{}, &store); r.err == nil {
		r.decode(t, &store)
	}
	err := src.Guard(func() error {
		return validate(ctx, src, func(v loaders.Violation) { r.violations = append(r.violations, v) })
	})
	if err != nil {
		t.Error("validate:", err)
	}
	return r
}

func (r *result) decode(t testing.TB, store *model.Store) {
	t.Helper()
	heaps := store.Current().Heaps
	for i := range heaps.Len() {
		h, err := heaps.Open(context.Background(), i, nil)
		if err != nil {
			t.Fatalf("snapshot %d: %v", i, err)
		}
		for _, err := range modeltest.CheckHeap(h) {
			t.Errorf("snapshot %d: %v", i, err)
		}
		s, _, err := heaps.Scores(context.Background(), i)
		if err != nil {
			t.Errorf("snapshot %d: %v", i, err)
		}
		r.heaps, r.scores = append(r.heaps, h), append(r.scores, s)
	}
	r.profile = store.Current()
	for _, err := range modeltest.Check(r.profile) {
		t.Error(err)
	}
}
