// Package opened provides tests with the state of the program after it opened an input: a store and an index that were
// read and built as in the program. It is separate from memtest because tests of loaders import that.
package opened

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/internal/reading"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/all"
	"github.com/memtui/memtui/model"
)

// Start opens a file; the caller reads it. The second result is the Index of the first.
func Start(t testing.TB, path string) (*reading.Input, *traceindex.KeptIndex) {
	t.Helper()
	src, err := loaders.OpenSource(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return start(t, src)
}

// Growing is Start for a file that is read on as it grows.
func Growing(t testing.TB, path string) (*reading.Input, *traceindex.KeptIndex) {
	t.Helper()
	src, err := loaders.OpenGrowing(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return start(t, src)
}

func start(t testing.TB, src *loaders.Source) (*reading.Input, *traceindex.KeptIndex) {
	t.Helper()
	format, err := loaders.Detect(src, all.Formats())
	if err != nil {
		src.Close()
		t.Fatal(err)
	}
	ix := traceindex.NewKeptIndex(nil)
	t.Cleanup(func() { ix.Close(); src.Close() })
	return &reading.Input{Source: src, Format: format, Store: &model.Store{}, Index: ix}, ix
}

// File reads a file to its end. The error is why it cannot be shown at all; the store and the index are returned all
// the same.
func File(t testing.TB, path string) (*model.Store, *traceindex.KeptIndex, error) {
	t.Helper()
	in, ix := Start(t, path)
	return in.Store, ix, in.Read(t.Context())
}

// Bytes reads data as a file of the given name, which becomes the path of the profile.
func Bytes(t testing.TB, name string, data []byte) (*model.Store, *traceindex.KeptIndex, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	store, ix, err := File(t, path)
	store.Update(func(p *model.Profile) *model.Profile {
		if p == nil {
			return nil
		}
		next := *p
		next.Meta.Path = name
		return &next
	})
	return store, ix, err
}

// Profile builds the index of a profile that was assembled in memory. It becomes the current one of the store.
func Profile(t testing.TB, p *model.Profile) (*model.Store, *traceindex.KeptIndex) {
	t.Helper()
	store, ix := &model.Store{}, traceindex.NewKeptIndex(nil)
	t.Cleanup(ix.Close)
	store.Publish(p)
	if err := traceindex.Build(t.Context(), store, ix); err != nil {
		t.Fatal(err)
	}
	traceindex.Conclude(store, ix)
	return store, ix
}
