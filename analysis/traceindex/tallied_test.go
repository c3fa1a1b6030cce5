package traceindex

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/group"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// tallyAnswers returns all that a tally knows, as index files keep them.
func tallyAnswers(t *testing.T, ix *fileIndex) (out []any) {
	t.Helper()
	if err := ix.answerWhole(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, by := range keptPasses {
		p := ix.Groups.PassIn(by, nil)
		peaks, histories := p.Kept()
		out = append(out, peaks, histories)
	}
	return append(out, ix.grids.Get(ix.events(), 0, ix.events()), ix.whole.lives.Keys, ix.whole.lives.Sums, ix.verdicts)
}

// What is tallied while the index is built is what a walk over all events finds, whatever the chunks.
func TestTallyIsWhatAWalkFinds(t *testing.T) {
	tallied, columns := 0, 0
	for seed := range rounds(24) {
		r := rand.New(rand.NewPCG(seed, 7))
		events := spreadTrace(r, 200+r.IntN(20_000))
		chunk := []int{200, 1000, 30_000}[seed%3]
		store := new(model.Store)
		store.Publish(&model.Profile{Allocations: &chunkedSlice{sliceSource{events, 100}, -1}, Stacks: modeltest.Stacks()})
		ix := newFileIndex(chunk)
		if err := Build(t.Context(), store, ix); err != nil {
			t.Fatal(err)
		}
		if ix.tally == nil {
			continue
		}
		tallied++
		got := tallyAnswers(t, ix)
		if !ix.tally.Recorded {
			t.Error("records were not added")
		}
		ix.tally, ix.verdicts, ix.grids, ix.whole = nil, nil, group.GridCache{}, whole{}
		ix.Names = group.Names{Store: ix.Store, Ids: ix.Ids, Threads: ix.Threads}
		want := tallyAnswers(t, ix)
		for i := range got {
			if !reflect.DeepEqual(got[i], want[i]) {
				t.Errorf("seed %d, chunks of %d: answer %d is %v, want %v", seed, chunk, i, got[i], want[i])
			}
		}
		edges, err := ix.columnEnds(ix.events())
		if err != nil {
			t.Fatal(err)
		}
		c := levelScan{edges: edges}
		for _, k := range ix.chunks {
			if c.columnOf(k.first) == c.columnOf(k.first+k.n-1) {
				columns++
			}
		}
	}
	if tallied == 0 || columns < 100 {
		t.Errorf("%d traces are tallied, %d chunks are within a column", tallied, columns)
	}
}

// A budget leaves no tally, and neither do sizes that no process has.
func TestTallyNeedsRoomAndUsualSizes(t *testing.T) {
	small := []model.Event{{Kind: model.Alloc, Addr: 16, Size: 8}, {Kind: model.Free, Addr: 16, Time: 3}}
	large := []model.Event{{Kind: model.Alloc, Addr: 16, Size: 1 << 62}, {Kind: model.Free, Addr: 16, Time: 3}}
	for _, c := range []struct {
		events []model.Event
		budget int64
		want   bool
	}{{small, 0, true}, {small, 1 << 30, false}, {large, 0, false}} {
		store := new(model.Store)
		store.Publish(&model.Profile{Allocations: &chunkedSlice{sliceSource{c.events, 100}, -1}, Stacks: modeltest.Stacks()})
		ix := newFileIndex(defaultChunk)
		ix.SetBudget(c.budget)
		if err := Build(t.Context(), store, ix); err != nil {
			t.Fatal(err)
		}
		if got := ix.tallied(ix.events(), []*grouping{ix.grouping(analysis.ByStack, group.Scope{})}); got != c.want {
			t.Errorf("%v: %v, want %v", c, got, c.want)
		}
	}
}
