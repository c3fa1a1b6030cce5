package heaptrack

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

// result is everything that opening, replaying and validating a file gives.
type result struct {
	profile    *model.Profile
	events     []model.Event
	violations []loaders.Violation
}

func (r *result) has(code string) *model.Problem {
	for i := range r.profile.Problems {
		if p := &r.profile.Problems[i]; p.Code == code {
			return p
		}
	}
	return nil
}

func (r *result) broke(rule string) *loaders.Violation {
	for i := range r.violations {
		if v := &r.violations[i]; v.Rule == rule {
			return v
		}
	}
	return nil
}

// frames returns the functions of a stack, leaf first.
func (r *result) frames(id uint64) (names []string) {
	leaf, _ := r.profile.Stacks.Node(model.StackID(id))
	for _, f := range r.profile.Stacks.Frames(nil, leaf, -1) {
		names = append(names, f.Function)
	}
	return names
}

// read reads a file to its end, as a pipe. Nothing is looked up on this machine.
func read(t testing.TB, data []byte) *result {
	t.Helper()
	return readUnder(t, t.Context(), data)
}

func readUnder(t testing.TB, ctx context.Context, data []byte) *result {
	t.Helper()
	open := func() *loaders.Source {
		src, err := loaders.OpenSource(ctx, "-", bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		return src
	}
	src := open()
	defer src.Close()
	store, r := &model.Store{}, &result{}
	if err := load(ctx, src, loaders.Options{Symbols: loaders.Symbols{Off: true}}, store); err != nil {
		t.Fatal(err)
	}
	r.profile = store.Current()
	last := model.Time(0)
	err := r.profile.Allocations.Replay(ctx, func(b *model.EventBatch) error {
		for _, err := range modeltest.CheckEvents(last, b.Events) {
			t.Error(err)
		}
		if len(b.Problems) > 0 || b.Lost > 0 {
			t.Errorf("converted events are damaged: %v", b.Problems)
		}
		r.events = append(r.events, b.Events...)
		last = r.events[len(r.events)-1].Time
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	for _, err := range modeltest.Check(r.profile) {
		t.Error(err)
	}
	again := open()
	defer again.Close()
	if err := validate(ctx, again, func(v loaders.Violation) { r.violations = append(r.violations, v) }); err != nil {
		t.Error(err)
	}
	return r
}

// text is read for lines.
func text(t testing.TB, lines string) *result {
	t.Helper()
	return read(t, []byte(lines))
}

// sample returns a real file, decompressed.
func sample(t testing.TB, name string) []byte {
	t.Helper()
	src, err := loaders.OpenSource(t.Context(), filepath.Join("testdata", name), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	data, err := src.Range(t.Context(), 0, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(data)
}

func samples(t testing.TB) []string {
	t.Helper()
	files, err := os.ReadDir("testdata")
	if err != nil || len(files) < 10 {
		t.Fatal(len(files), err)
	}
	var names []string
	for _, f := range files {
		if !f.IsDir() {
			names = append(names, f.Name())
		}
	}
	return names
}
