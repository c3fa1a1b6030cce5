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
		agreeOn(t, ix, twin, r, analysis.Whole)
		agreeOn(t, ix, twin, r, analysis.Range{From: twin.Status().Duration / 3, To: twin.Status().Duration / 2})
	}
}
