// Package hostile tries loaders with files that are cut, changed or made up: whatever a file holds, its profile keeps the model's
// invariants, and a file that cannot be used is an error.
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

// Read loads data by a format, without looking at binaries of this machine. The profile is nil where there is only an error.
func Read(ctx context.Context, f loaders.Format, data []byte) (*model.Profile, error) {
	src, err := loaders.OpenSource(ctx, "-", bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	defer src.Close()
	var store model.Store
	var opt loaders.Options
	opt.Symbols.Off = true
	err = f.Load(ctx, src, opt, &store)
	return store.Current(), err
}

// Try loads, describes and validates data, and returns what is wrong with the results.
func Try(ctx context.Context, f loaders.Format, data []byte) (*model.Profile, error) {
	src, err := loaders.OpenSource(ctx, "-", bytes.NewReader(data))
	if err != nil {
		return nil, nil // there is nothing to load
	}
	defer src.Close()
	p, loadErr := Read(ctx, f, data)
	switch {
	case p == nil && loadErr == nil:
		return nil, fmt.Errorf("neither a profile nor an error")
	case p != nil:
		if errs := modeltest.Check(p); len(errs) > 0 {
			return p, errs[0]
		}
	}
	if info, err := f.Info(ctx, src, loaders.Options{}); err == nil && info == nil {
		return p, fmt.Errorf("info returns neither a profile nor an error")
	}
	broken := 0
	if err := f.Validate(ctx, src, func(v loaders.Violation) {
		if broken++; v.Rule == "" || v.Message == "" || v.Count < 1 {
			loadErr = fmt.Errorf("violation without rule, message or count: %+v", v)
		}
	}); err != nil {
		return p, fmt.Errorf("validating fails: %w", err)
	}
	if p == nil && broken == 0 {
		return nil, fmt.Errorf("loading fails (%w), validating finds nothing", loadErr)
	}
	return p, nil
}

// Files tries each file cut at 200 places, and 60 times with some of its bytes changed.
func Files(t *testing.T, f loaders.Format, names ...string) {
	t.Helper()
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 200 {
			cut := data[:1+i*(len(data)-1)/200]
			if _, err := Try(t.Context(), f, cut); err != nil {
				t.Errorf("%s cut at byte %d: %v", name, len(cut), err)
			}
		}
		r := rand.New(rand.NewPCG(1, uint64(len(data))))
		for i := range 60 {
			changed := slices.Clone(data)
			for range 1 + r.IntN(8) {
				at := r.IntN(len(changed))
				changed[at] = [...]byte{byte(r.IntN(256)), '0', '9', '\n', ' ', '"', 0, 0xff}[r.IntN(8)]
			}
			if _, err := Try(t.Context(), f, changed); err != nil {
				t.Errorf("%s, change %d: %v", name, i, err)
			}
		}
	}
}

// Fuzz fuzzes a format, beginning with those files.
func Fuzz(f *testing.F, format loaders.Format, names ...string) {
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := Try(t.Context(), format, data); err != nil {
			t.Error(err)
		}
	})
}

// Totals returns the sums of the first event of a file, by metric, and its profile.
func Totals(t *testing.T, f loaders.Format, name string) (*model.Profile, map[string]string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Read(t.Context(), f, data)
	if err != nil {
		t.Fatal(name, err)
	}
	if errs := modeltest.Check(p); len(errs) > 0 {
		t.Error(name, errs)
	}
	if f.Sniff(data[:min(len(data), loaders.SniffLength)]) != loaders.Sure {
		t.Errorf("%s is not recognized", name)
	}
	sums := map[string]*model.Amount{}
	w := p.Weights
	for r := range w.Records.Len() {
		for m, n := range w.Records.Weights.All(r) {
			if metric := &w.Metrics[m]; !metric.NoSum() {
				if sums[metric.Name] == nil {
					sums[metric.Name] = &model.Amount{}
				}
				sums[metric.Name].Add(n)
			}
		}
	}
	out := map[string]string{}
	for name, sum := range sums {
		out[name] = sum.String()
	}
	return p, out
}
