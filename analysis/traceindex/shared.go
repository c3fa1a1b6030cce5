package traceindex

import (
	"context"
	"sync"

	"github.com/memtui/memtui/model"
)

// flights are computations that several questions share. They run to their end even if no question waits any longer, as
// it will be asked again.
type flights struct {
	mu   sync.Mutex
	byID map[any]*flight
}

type flight struct {
	done chan struct{}
	err  error
}

// settled reports whether nothing more will be loaded.
func (ix *fileIndex) settled() bool { return ix.status.Final || ix.status.Stopped }

// shared runs f, which stores its result in the index, and waits for it. Concurrent calls with the same id share one
// run. The index must be settled.
func (ix *fileIndex) shared(ctx context.Context, id any, f func(context.Context) error) error {
	k := &ix.flights
	k.mu.Lock()
	l := k.byID[id]
	if l == nil {
		l = &flight{done: make(chan struct{})}
		if k.byID == nil {
			k.byID = map[any]*flight{}
		}
		k.byID[id] = l
		go func() {
			ix.mu.RLock()
			defer ix.mu.RUnlock()
			l.err = model.Guarded(func() error { return f(context.WithoutCancel(ctx)) })
			k.mu.Lock()
			delete(k.byID, id)
			k.mu.Unlock()
			close(l.done)
		}()
	}
	k.mu.Unlock()
	select {
	case <-l.done:
		return l.err
	case <-ctx.Done():
		return ctx.Err()
	}
}
