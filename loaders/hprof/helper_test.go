package hprof

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/memtui/memtui/internal/memtest/graphs"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// result is everything that opening, decoding and validating a file gives.
type result struct {
	err        error // of Load
	profile    *model.Profile
	heaps      []*model.Heap
	violations []loaders.Violation
}

func (r *result) problem(code string) *model.Problem {
	for i := range r.profile.Problems {
		if r.profile.Problems[i].Code == code {
			return &r.profile.Problems[i]
		}
	}
	return nil
}

// openBytes runs everything over b as it comes through a pipe.
func openBytes(t testing.TB, b []byte) *result {
	t.Helper()
	src, err := loaders.OpenSource(context.Background(), "-", bytes.NewReader(b))
	if err != nil {
		return &result{err: err}
	}
	defer src.Close()
	return openSource(t, src, loaders.SizesLayout)
}

func openFile(t testing.TB, path string, sizes loaders.HeapSizes) *result {
	t.Helper()
	src, err := loaders.OpenSource(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return openSource(t, src, sizes)
}

func openSource(t testing.TB, src *loaders.Source, sizes loaders.HeapSizes) *result {
	t.Helper()
	ctx, store := context.Background(), &model.Store{}
	r := &result{}
	r.err = src.Guard(func() error { return load(ctx, src, loaders.Options{Sizes: sizes}, store) })
	if r.profile = store.Current(); r.profile == nil {
		return r
	}
	for i := range r.profile.Heaps.Len() {
		h, err := graphs.Counted(t, r.profile.Heaps, i)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range modeltest.CheckHeap(h) {
			t.Error(err)
		}
		r.heaps = append(r.heaps, h)
	}
	r.profile = store.Current()
	if err := validate(ctx, src, func(v loaders.Violation) { r.violations = append(r.violations, v) }); err != nil {
		t.Fatal(err)
	}
	return r
}

// answers are what independent programs say of a sample.
type answers struct {
	Edges, Dangling    int64
	ClassObjects       int64 `json:"class_objects"`
	Instances          int64
	ObjectArrays       int64 `json:"object_arrays"`
	PrimitiveArrays    int64 `json:"primitive_arrays"`
	DanglingReferences int64 `json:"dangling_references"`
	ShallowTotal       int64 `json:"shallow_total"`
	Unreachable        struct{ Rows, Bytes int64 }
	Types              []struct {
		Name           string
		Count, Shallow uint64
	}
	Planted map[string]json.RawMessage
	Strong  string `json:"dominators_sha256_strong"`
	All     string `json:"dominators_sha256_all"`
}

func answersOf(t testing.TB, name string) (a answers) {
	t.Helper()
	readAnswers(t, name, &a)
	return a
}

func sample(name string) string { return filepath.Join("testdata", name+".hprof.zst") }

// readAnswers reads what a test needs of the answers.
func readAnswers(t testing.TB, name string, into any) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name+".expected.json"))
	if err == nil {
		err = json.Unmarshal(b, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}
