package traceindex

import (
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// spreadTrace is a random trace whose addresses lie on many pages, of any alignment.
func spreadTrace(r *rand.Rand, n int) []model.Event {
	events := randomTrace(r, n)
	for i := range events {
		if e := &events[i]; e.Kind <= model.Free && e.Addr != 0 {
			e.Addr = e.Addr<<(e.Addr%24) + e.Addr%3
		}
	}
	return events
}

// However many cores there are, the index is the same.
func TestShardsAgree(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	seeds := uint64(4)
	if modeltest.UnderRace {
		seeds = 2
	}
	for seed := range seeds {
		r := rand.New(rand.NewPCG(seed, 9))
		s := &chunkedSlice{sliceSource{spreadTrace(r, 4000+int(seed)*20_000), 100}, -1}
		var first *fileIndex
		for _, cores := range []int{1, 2, 4, 8, 64} {
			runtime.GOMAXPROCS(cores)
			ix, twin := buildBoth(t, s, modeltest.Stacks(), 9000<<seed)
			if first == nil {
				first = ix
				agree(t, ix, twin, r)
			}
			for what, pair := range map[string][2]any{
				"chunks":  {first.chunks, ix.chunks},
				"records": {first.records, ix.records},
				"sums":    {first.sums, ix.sums},
				"curve":   {first.curve, ix.curve},
				"runs":    {first.runs, ix.runs},
				"marks":   {first.marks, ix.marks},
				"totals":  {first.totals, ix.totals},
			} {
				if !reflect.DeepEqual(pair[0], pair[1]) {
					t.Errorf("seed %d: other %s on %d cores", seed, what, cores)
				}
			}
		}
		if want := first.totals.AllocCount / 4; first.totals.FreedCount < want {
			t.Errorf("only %d blocks end, want %d", first.totals.FreedCount, want)
		}
	}
}
