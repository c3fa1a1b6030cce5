package mlyze

import (
	"context"
	"sync/atomic"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/mlyze/journal"
	"github.com/memtui/memtui/model"
)

// trace is the event source of one file.
type trace struct {
	src     *loaders.Source
	begin   int64 // where events begin
	batched bool  // the file is one of the reference tracer: one delta per batch
	written bool  // it is being recorded, and may end anywhere; valid once ready is closed

	markers atomic.Pointer[[]string] // names while a recording goes on; later ones share them

	ready  chan struct{}  // closed when the metadata has been read, successfully or not
	tables *tables        // set before ready is closed
	reread func() *tables // reads all metadata, where tables has only what was kept; nil elsewhere. Set before ready is closed
}

// Replay implements [model.EventSource].
func (t *trace) Replay(ctx context.Context, yield func(*model.EventBatch) error) error {
	return t.newReplay(ctx, yield).run()
}

// Extent implements [model.EventSource].
func (t *trace) Extent() (begin, size int64) { return t.begin, t.src.Size() }

// Changed implements [model.Changing].
func (t *trace) Changed() bool { return t.src.Changed() }

// MarkerName implements [model.EventSource].
func (t *trace) MarkerName(id uint64) (name string, ok bool) {
	if list := t.markers.Load(); list != nil && id >= journal.FirstMarker {
		if id -= journal.FirstMarker; id < uint64(len(*list)) {
			return (*list)[id], true
		}
		return "", false
	}
	select {
	case <-t.ready:
		return t.tables.funcs.get(id)
	default:
		return "", false
	}
}

// isWritten reports whether the file is known to be written at the moment.
func (t *trace) isWritten() bool {
	select {
	case <-t.ready:
		return t.written
	default:
		return false
	}
}

// waitTables returns the metadata once it has been read.
func (t *trace) waitTables(ctx context.Context) (*tables, error) {
	select {
	case <-t.ready:
		if t.reread != nil {
			return t.reread(), nil
		}
		return t.tables, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
