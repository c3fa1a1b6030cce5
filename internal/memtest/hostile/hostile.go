// Package hostile tests loaders with files that are complete, cut, changed or made up: for any file, its profile keeps
// the model's invariants, and a file that cannot be used is an error.
package hostile

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// Result is the result of a format for a file.
type Result struct {
	Profile    *model.Profile // nil if there is only an error
	Err        error
	Sniffed    loaders.Confidence
	Violations []loaders.Violation
}

// Valid reports whether no problem is an error.
func (r *Result) Valid() bool {
	for _, v := range r.Violations {
		if v.Severity == model.Error {
			return false
		}
	}
	return r.Err == nil
}

// Try loads, describes and validates data, without reading binaries of this machine. The error is something that no
// file may cause.
func Try(ctx context.Context, f loaders.Format, data []byte) (*Result, error) {
	src, err := loaders.OpenSource(ctx, "-", bytes.NewReader(data))
	if err != nil {
		return &Result{Err: err}, nil // there is nothing to load
	}
	defer src.Close()
	r := &Result{Sniffed: f.Sniff(data[:min(len(data), loaders.SniffLength)])}
	r.Profile, r.Err = load(ctx, f, src)
	info, infoErr := f.Info(ctx, src, loaders.Options{})
	err = f.Validate(ctx, src, func(v loaders.Violation) { r.Violations = append(r.Violations, v) })
	switch {
	case model.Internal(r.Err), r.Err != nil && r.Err.Error() == "":
		return r, fmt.Errorf("loading fails with %w", r.Err)
	case model.Internal(infoErr), infoErr == nil && info == nil:
		return r, fmt.Errorf("describing returns no profile and the error %w", infoErr)
	case info != nil && (info.Weights != nil || info.Stacks != nil):
		return r, fmt.Errorf("headers have facets")
	case err != nil:
		return r, fmt.Errorf("validating fails: %w", err)
	case r.Profile == nil && r.Err == nil:
		return r, fmt.Errorf("neither a profile nor an error")
	case r.Profile == nil && len(r.Violations) == 0:
		return r, fmt.Errorf("loading fails (%w), validating finds nothing", r.Err)
	}
	for _, v := range r.Violations {
		if v.Rule == "" || v.Message == "" || v.Count < 1 {
			return r, fmt.Errorf("violation without rule, message or count: %+v", v)
		}
	}
	if r.Profile != nil {
		if errs := modeltest.Check(r.Profile); len(errs) > 0 {
			return r, errs[0]
		}
	}
	return r, nil
}

// Read loads data like Try, without further checks.
func Read(ctx context.Context, f loaders.Format, data []byte) (*model.Profile, error) {
	src, err := loaders.OpenSource(ctx, "-", bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	defer src.Close()
	return load(ctx, f, src)
}

// load returns the profile of a source, and why it is missing or incomplete.
func load(ctx context.Context, f loaders.Format, src *loaders.Source) (*model.Profile, error) {
	var store model.Store
	var opt loaders.Options
	opt.Symbols.Off = true
	err := f.Load(ctx, src, opt, &store)
	p := store.Current()
	if p == nil || p.Heaps == nil {
		return p, err
	}
	for i := range p.Heaps.Len() { // problems of a snapshot are found when it is decoded
		if _, failed := p.Heaps.Open(ctx, i, nil); err == nil {
			err = failed
		}
	}
	p = store.Current()
	if found := src.Problems(); len(found) > 0 { // of the file as a whole, as the program reports them
		q := *p
		q.Problems, q.Complete = append(slices.Clip(q.Problems), found...), q.Complete && !model.HasError(found)
		p = &q
	}
	return p, err
}

// Open is Try for tests: what no file may cause fails the test.
func Open(t testing.TB, f loaders.Format, data []byte) *Result {
	t.Helper()
	r, err := Try(t.Context(), f, data)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Hurt tries data cut at 200 positions, and 100 times with some of its bytes changed; with the race detector a fifth of
// that. A cut for which detectable returns true must not be accepted as complete.
func Hurt(t *testing.T, f loaders.Format, data []byte, detectable func(cut int) bool) {
	t.Helper()
	cuts, changes := 200, 100
	if modeltest.UnderRace {
		cuts, changes = cuts/5, changes/5
	}
	for i := range cuts {
		n := 1 + i*(len(data)-1)/cuts
		r, err := Try(t.Context(), f, data[:n])
		if err != nil {
			t.Errorf("cut at byte %d: %v", n, err)
		} else if r.Err == nil && r.Profile.Complete && r.Valid() && detectable(n) {
			t.Errorf("cut at byte %d of %d: it is accepted as complete", n, len(data))
		}
	}
	rng := rand.New(rand.NewPCG(1, uint64(len(data))))
	for i := range changes {
		changed := bytes.Clone(data)
		for range 1 + rng.IntN(8) {
			at := rng.IntN(len(changed))
			if i%2 == 0 {
				changed[at] ^= byte(1 << rng.IntN(8))
			} else {
				changed[at] = [...]byte{byte(rng.IntN(256)), '0', '9', '\n', ' ', '"', 0, 0xff}[rng.IntN(8)]
			}
		}
		if _, err := Try(t.Context(), f, changed); err != nil {
			t.Errorf("change %d: %v", i, err)
		}
	}
}

// Files calls Hurt with each file. Cut files may look complete.
func Files(t *testing.T, f loaders.Format, names ...string) {
	t.Helper()
	for _, name := range names {
		t.Log(name)
		Hurt(t, f, read(t, name), func(int) bool { return false })
	}
}

// Fuzz fuzzes a format, starting with the given files.
func Fuzz(f *testing.F, format loaders.Format, names ...string) {
	for _, name := range names {
		f.Add(read(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) { Open(t, format, data) })
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
