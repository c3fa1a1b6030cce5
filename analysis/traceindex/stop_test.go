package traceindex

import (
	"context"
	"math/rand/v2"
	"sync/atomic"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// stoppingSource ends the reading when it has been asked for some chunks.
type stoppingSource struct {
	chunkedSlice
	left atomic.Int32
	stop context.CancelFunc
}

func (s *stoppingSource) Decoder() model.Decoder {
	return &stoppingDecoder{s.chunkedSlice.Decoder(), s}
}

type stoppingDecoder struct {
	model.Decoder
	source *stoppingSource
}

func (d *stoppingDecoder) Decode(c *model.Columns, from, to int64, limit int) (int64, error) {
	if d.source.left.Add(-1) == 0 {
		d.source.stop()
	}
	return d.Decoder.Decode(c, from, to, limit)
}

// What is there when the reading is stopped is answered as if the trace ended there.
func TestFileIndexKeepsWhatIsThereWhenStopped(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	events := randomTrace(r, 60_000)
	for _, chunks := range []int32{1, 9, 20} {
		ctx, stop := context.WithCancel(t.Context())
		s := &stoppingSource{chunkedSlice: chunkedSlice{sliceSource{events, 100}, -1}, stop: stop}
		s.left.Store(chunks)
		store := new(model.Store)
		store.Publish(&model.Profile{Meta: model.Meta{Format: "test"}, Stacks: modeltest.Stacks(), Allocations: s})
		ix := newFileIndex(9000)
		if err := Build(ctx, store, ix); err != nil {
			t.Fatalf("after %d chunks: %v", chunks, err)
		}
		stop()
		s.left.Store(1 << 30)
		status := ix.Status()
		if !status.Stopped || status.Final || status.Events >= uint64(len(events)) {
			t.Errorf("after %d chunks: status %+v", chunks, status)
		}
		if chunks == 20 && status.Events == 0 {
			t.Error("nothing is kept")
		}
		twin := buildIndex(t, events[:status.Events], modeltest.Stacks())
		agreeOn(t, ix, twin, r, analysis.FullRange)
		agreeOn(t, ix, twin, r, analysis.Range{From: twin.Status().Duration / 3, To: twin.Status().Duration / 2})
	}
}

// limitedContext is canceled when it has been asked for its error some times.
type limitedContext struct {
	context.Context
	left atomic.Int32
	stop context.CancelFunc
}

func (c *limitedContext) Err() error {
	if c.left.Add(-1) == 0 {
		c.stop()
	}
	return c.Context.Err()
}

// The reading is stopped within a chunk, too, where that has many stacks: what came before it is answered.
func TestFileIndexStopsWithinAChunk(t *testing.T) {
	events := make([]model.Event, 40_000)
	for i := range events {
		events[i] = model.Event{Kind: model.Alloc, Time: model.Time(i), Addr: uint64(16 * (i + 1)), Size: 16, ID: uint64(i + 1)}
	}
	build := func(left int32) *limitedContext {
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		limited := &limitedContext{Context: ctx, stop: stop}
		limited.left.Store(left)
		store := new(model.Store)
		store.Publish(&model.Profile{Meta: model.Meta{Format: "test"}, Stacks: modeltest.Stacks(), Allocations: &chunkedSlice{sliceSource{events, 100}, -1}})
		ix := newFileIndex(1 << 20)
		if err := Build(limited, store, ix); err != nil {
			t.Fatal(err)
		}
		if status := ix.Status(); left < 1<<20 && (!status.Stopped || status.Final || status.Events == uint64(len(events))) {
			t.Errorf("stopped when asked %d times: status %+v", left, status)
		} else if rows, err := ix.Sites(t.Context(), analysis.Query{At: analysis.End, Range: analysis.FullRange, By: analysis.ByStack}); err != nil || len(rows) != int(status.Events) {
			t.Errorf("stopped when asked %d times: %d sites of %d events, %v", left, len(rows), status.Events, err)
		}
		return limited
	}
	all := build(1 << 30)
	asked := 1<<30 - all.left.Load()
	if least := int32(2 * len(events) / (4 << 10)); asked < least {
		t.Errorf("asked %d times, not %d", asked, least)
	}
	for left := range asked - 2 {
		build(left + 1)
	}
}
