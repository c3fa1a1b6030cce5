package model

import "context"

// Threads implements [HeapThreads]; there are none if the file has none.
func (j *JoinedHeaps) Threads(ctx context.Context, n int, h *Heap) ([]HeapThread, error) {
	p, i, err := j.of(n)
	if err != nil {
		return nil, err
	}
	if threads, ok := p.src.(HeapThreads); ok {
		return threads.Threads(ctx, i, h)
	}
	return nil, nil
}

// Texts implements [HeapWaste], as does Collections.
func (j *JoinedHeaps) Texts(ctx context.Context, n int, h *Heap, visit func(t *HeapText) error) error {
	p, i, err := j.of(n)
	if err != nil {
		return err
	}
	if waste, ok := p.src.(HeapWaste); ok {
		return waste.Texts(ctx, i, h, visit)
	}
	return nil
}

// Collections calls visit with the collections of the snapshot's file.
func (j *JoinedHeaps) Collections(ctx context.Context, n int, h *Heap, visit func(c *HeapCollection) error) error {
	p, i, err := j.of(n)
	if err != nil {
		return err
	}
	if waste, ok := p.src.(HeapWaste); ok {
		return waste.Collections(ctx, i, h, visit)
	}
	return nil
}
