package views

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/internal/term"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/join"
)

// openings counts how often each snapshot is decoded.
type openings struct {
	model.HeapSource
	mu sync.Mutex
	of []int
}

func (o *openings) Open(ctx context.Context, i int, progress func(float64)) (*model.Heap, error) {
	o.mu.Lock()
	o.of[i]++
	o.mu.Unlock()
	return o.HeapSource.Open(ctx, i, progress)
}

// Of files that are looked at together, whatever is asked about whichever snapshot, each is decoded once.
func TestEachSnapshotIsDecodedOnce(t *testing.T) {
	modeltest.Plain(t)
	for _, files := range [][]string{
		{"loaders/hprof/testdata/shop1.hprof.zst", "loaders/hprof/testdata/g1.hprof.zst"},
		{"internal/demo/samples/records.mvmheap"},
	} {
		var sources []model.HeapSource
		var p model.Profile
		for _, name := range files {
			store, _, err := opened.File(t, filepath.Join("..", name))
			if err != nil {
				t.Fatal(err)
			}
			p = *store.Current()
			sources = append(sources, p.Heaps)
		}
		joined, err := join.NewHeaps(sources, nil)
		if err != nil {
			t.Fatal(err)
		}
		src := &openings{HeapSource: joined, of: make([]int, joined.Len())}
		p.Heaps = src
		store := &model.Store{}
		store.Publish(&p)
		u := openOn(t, term.NewSimulation(120, 40), colorCaps, store, nil)
		for i := range u.app.screens {
			u.sim.Do(func() { u.app.overlays = nil; u.app.goTo(i) })
			u.keys("h", "l", "h", "h", "l")
		}
		for i, n := range src.of {
			if n > 1 {
				t.Errorf("snapshot %d of %s was decoded %d times", i, files[0], n)
			}
		}
	}
}
