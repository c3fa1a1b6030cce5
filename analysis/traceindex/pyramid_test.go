package traceindex

import (
	"math/rand/v2"
	"testing"
)

// TestReaching compares the way over the levels with a look at every run.
func TestReaching(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 15, 16, 17, 255, 256, 300, 5000} {
		var p pyramid
		for range n {
			e := extremes{maxBytes: uint64(r.IntN(1000))}
			p.push(baseRun{extremes: e})
		}
		for range 200 {
			from, bytes := r.IntN(n+1), uint64(r.IntN(1001))
			if r.IntN(2) == 0 {
				bytes = 990 + uint64(r.IntN(12))
			}
			want := from
			for want < n && p.base.at(want).maxBytes < bytes {
				want++
			}
			if got := p.reaching(from, bytes, func(int) {}); got != want {
				t.Fatalf("of %d runs, from %d on, run %d reaches %d, not %d", n, from, want, bytes, got)
			}
		}
	}
}
