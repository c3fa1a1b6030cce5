package join

import (
	"context"

	"github.com/memtui/memtui/model"
)

// Threads implements [model.HeapThreads]; there are none if the file has none.
func (j *Heaps) Threads(ctx context.Context, n int, h *model.Heap) ([]model.HeapThread, error) {
	p, i, err := j.of(n)
	if err != nil {
		return nil, err
	}
	if threads, ok := p.src.(model.HeapThreads); ok {
		return threads.Threads(ctx, i, h)
	}
	return nil, nil
}

// Texts implements [model.HeapWaste], as does Collections.
func (j *Heaps) Texts(ctx context.Context, n int, h *model.Heap, visit func(t *model.HeapText) error) error {
	p, i, err := j.of(n)
	if err != nil {
		return err
	}
	if waste, ok := p.src.(model.HeapWaste); ok {
		return waste.Texts(ctx, i, h, visit)
	}
	return nil
}

// Collections calls visit with the collections of the snapshot's file.
func (j *Heaps) Collections(ctx context.Context, n int, h *model.Heap, visit func(c *model.HeapCollection) error) error {
	p, i, err := j.of(n)
	if err != nil {
		return err
	}
	if waste, ok := p.src.(model.HeapWaste); ok {
		return waste.Collections(ctx, i, h, visit)
	}
	return nil
}
