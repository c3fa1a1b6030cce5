package heapgraph

import (
	"math/rand/v2"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders/mvmheap"
	"github.com/memtui/memtui/model"
)

// TestThreadsRetainWhatOnlyTheyReach compares what threads retain with a walk that avoids them, by the definition:
// threads that are an object, calls that are rows of their own, both, and neither.
func TestThreadsRetainWhatOnlyTheyReach(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	several := 0
	for range 200 {
		n := 5 + rng.IntN(60)
		out, kinds := make([][]model.Row, n), make([]model.HeapKind, n)
		for r := range out {
			kinds[r] = mvmheap.KindObject
			for range rng.IntN(3) {
				out[r] = append(out[r], model.Row(rng.IntN(n)))
			}
		}
		kinds[0] = mvmheap.KindRoot
		for r := 1; r < n; r++ { // all are reached
			from := rng.IntN(r)
			out[from] = append(out[from], model.Row(r))
		}
		h := modeltest.Heap(mvmheap.Schema(), kinds, out)
		g := graphOf(t, h, mvmheap.AllEdges)
		row := func() model.Row { return model.Row(rng.IntN(n)) * model.Row(rng.IntN(2)) }
		list := make([]model.HeapThread, 1+rng.IntN(3))
		for i := range list {
			list[i].Row = row()
			for range rng.IntN(4) {
				list[i].Frames = append(list[i].Frames, model.HeapThreadFrame{Row: row()})
			}
		}
		got, err := g.RetainedByThreads(t.Context(), list)
		if err != nil {
			t.Fatal(err)
		}
		for i := range list {
			own := map[model.Row]bool{}
			for _, r := range g.rowsOf(&list[i]) {
				own[r] = true
			}
			if len(own) == 0 {
				if got[i] != nil {
					t.Errorf("a thread without rows retains %d", *got[i])
				}
				continue
			}
			if len(own) > 1 {
				several++
			}
			without := reached(out, own)
			want := uint64(0)
			for r := range model.Row(n) {
				if !without[r] {
					want += h.Bytes(r)
				}
			}
			if got[i] == nil || *got[i] != want {
				t.Fatalf("rows %v retain %v, want %d in %v", own, got[i], want, out)
			}
		}
	}
	if several < 50 {
		t.Errorf("only %d threads were several rows", several)
	}
}

// reached returns what the root reaches, by no way through some rows.
func reached(out [][]model.Row, avoid map[model.Row]bool) map[model.Row]bool {
	seen, queue := map[model.Row]bool{0: true}, []model.Row{0}
	for len(queue) > 0 {
		r := queue[0]
		queue = queue[1:]
		for _, to := range out[r] {
			if !seen[to] && !avoid[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	return seen
}
