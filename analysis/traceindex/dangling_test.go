package traceindex

import (
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// Stacks and markers are only missed where all that the file defines was read.
func TestWhatWasNotReadIsNotMissed(t *testing.T) {
	partial := modeltest.Stacks()
	partial.Partial = true
	for name, c := range map[string]struct {
		stacks *model.Stacks
		want   int // problems
	}{
		"all": {modeltest.Stacks(), 2}, "some": {partial, 0}, "none": {nil, 0},
	} {
		events := []model.Event{{Kind: model.Alloc, Addr: 1, Size: 8, ID: 1 << 40}, {Kind: model.Marker, ID: 77, Time: 1}}
		store, ix := new(model.Store), newFileIndex(defaultChunk)
		store.Publish(&model.Profile{Stacks: c.stacks, Allocations: &chunkedSlice{sliceSource{events, 100}, -1}})
		if err := Build(t.Context(), store, ix); err != nil {
			t.Fatal(err)
		}
		Conclude(store, ix)
		dangling := 0
		for _, p := range store.Current().Problems {
			if p.Code == "dangling-stack" || p.Code == "dangling-marker" {
				dangling++
			}
		}
		if dangling != c.want {
			t.Errorf("%s: %+v", name, store.Current().Problems)
		}
	}
}
