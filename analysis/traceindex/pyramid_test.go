package traceindex

import (
	"math/rand/v2"
	"testing"

	"github.com/memtui/memtui/analysis/traceindex/column"
)

// TestReaching compares the way over the levels with a look at every run.
func TestReaching(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 15, 16, 17, 255, 256, 300, 5000} {
		var p column.Pyramid
		for range n {
			e := column.Extremes{MaxBytes: uint64(r.IntN(1000))}
			p.Push(column.BaseRun{Extremes: e})
		}
		for range 200 {
			from, bytes := r.IntN(n+1), uint64(r.IntN(1001))
			if r.IntN(2) == 0 {
				bytes = 990 + uint64(r.IntN(12))
			}
			want := from
			for want < n && p.Base.At(want).MaxBytes < bytes {
				want++
			}
			if got := p.Reaching(from, bytes, func(int) {}); got != want {
				t.Fatalf("of %d runs, from %d on, run %d reaches %d, not %d", n, from, want, bytes, got)
			}
		}
	}
}
