package traceindex

import "context"

// settled reports whether nothing more will be loaded.
func (ix *fileIndex) settled() bool { return ix.status.Final || ix.status.Stopped }

// shared runs f, which stores its result in the index, and waits for it. Concurrent calls with the same id share one
// run. The index must be settled.
func (ix *fileIndex) shared(ctx context.Context, id any, f func(context.Context) error) error {
	return ix.flights.Do(ctx, id, func(ctx context.Context) error {
		ix.mu.RLock()
		defer ix.mu.RUnlock()
		return f(ctx)
	})
}
