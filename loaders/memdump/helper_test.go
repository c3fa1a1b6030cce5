package memdump

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// result is everything that opening, decoding and validating a file gives.
type result struct {
	err        error // of Load
	profile    *model.Profile
	layouts    []*model.Layout
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

// openBytes runs everything over b in a file, as the format that it looks like.
func openBytes(t testing.TB, b []byte) *result {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.mb")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return openPath(t, path)
}

func openPath(t testing.TB, path string) *result {
	t.Helper()
	src, err := loaders.OpenSource(context.Background(), path, nil)
	if err != nil {
		return &result{err: err}
	}
	defer src.Close()
	return openSource(t, src)
}

// openPipe is openBytes for what comes through a pipe.
func openPipe(t testing.TB, b []byte) *result {
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
	format, err := loaders.Detect(src, []loaders.Format{MB(), JSON()})
	if err != nil {
		return &result{err: err}
	}
	var store model.Store
	r := &result{}
	err = src.Guard(func() error {
		r.err = format.Load(ctx, src, loaders.Options{}, &store)
		return format.Validate(ctx, src, func(v loaders.Violation) { r.violations = append(r.violations, v) })
	})
	if err != nil {
		t.Error("validate:", err)
	}
	if _, err := format.Info(ctx, src, loaders.Options{}); (err == nil) != (r.err == nil) {
		t.Errorf("info: %v, load: %v", err, r.err)
	}
	if r.err == nil {
		r.decode(t, &store)
	}
	return r
}

func (r *result) decode(t testing.TB, store *model.Store) {
	t.Helper()
	r.profile = store.Current()
	for _, err := range modeltest.Check(r.profile) {
		t.Error(err)
	}
	if r.profile.Pages == nil {
		return
	}
	for i := range r.profile.Pages.Len() {
		l, err := r.profile.Pages.Open(context.Background(), i)
		if err != nil {
			t.Fatalf("layout %d: %v", i, err)
		}
		for _, err := range modeltest.CheckLayout(l) {
			t.Errorf("layout %d: %v", i, err)
		}
		r.layouts = append(r.layouts, l)
	}
}

func sourceOf(t testing.TB, path string, b []byte) *loaders.Source {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := loaders.OpenSource(context.Background(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { src.Close() })
	return src
}
