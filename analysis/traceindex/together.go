package traceindex

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/memtui/memtui/model"
)

// chunkWork processes a part of a chunk: events [from, to) of its view, which it must not keep. n numbers the parts
// from 0 in order.
type chunkWork func(n int, v *view, from, to int)

// mostWorkers limits the number of chunks in memory at once.
const mostWorkers = 8

// together is eachView on all processors: each has a worker of its own, and the parts come in any order. The lock is
// held, and yielded to writers from time to time while more is loaded.
func (ix *fileIndex) together(ctx context.Context, lo, hi int, worker func() chunkWork) error {
	if lo >= hi {
		return ctx.Err()
	}
	first, last := ix.chunkAt(lo), ix.chunkAt(hi-1)
	if first == last {
		work := worker()
		return ix.eachView(ctx, lo, hi, func(v *view, from, to int) { work(0, v, from, to) })
	}
	chunks := ix.chunks[first : last+1]
	workers := make([]chunkWork, min(len(chunks), runtime.GOMAXPROCS(0), mostWorkers))
	for i := range workers {
		workers[i] = worker()
	}
	for at := 0; at < len(chunks); {
		end := len(chunks)
		if !ix.status.Final && !ix.status.Stopped {
			end = min(at+len(workers), end)
		}
		if err := ix.round(ctx, chunks, at, end, lo, hi, workers); err != nil {
			return err
		}
		at = end
		ix.yield()
	}
	return nil
}

// round does a part of together without yielding the lock.
func (ix *fileIndex) round(ctx context.Context, chunks []*chunk, at, end, lo, hi int, workers []chunkWork) error {
	var next atomic.Int64
	next.Store(int64(at))
	errs := make([]error, len(workers))
	var working sync.WaitGroup
	for i, work := range workers {
		working.Go(func() {
			errs[i] = model.Guarded(func() error {
				v := ix.spare.Get().(*view)
				defer ix.spare.Put(v)
				defer v.forget()
				for k := int(next.Add(1)) - 1; k < end; k = int(next.Add(1)) - 1 {
					err := ctx.Err()
					if err == nil {
						v.forget()
						err = ix.load(v, chunks[k])
					}
					if err == nil {
						err = ix.resolve(v)
					}
					if err != nil {
						next.Store(int64(end))
						return err
					}
					work(k, v, max(lo-v.c.first, 0), min(hi-v.c.first, v.c.n))
				}
				return nil
			})
		})
	}
	working.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
