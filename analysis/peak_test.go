package analysis

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memtui/memtui/model"
)

// How long a peak is held is the same as when the blocks are sorted by both ends.
func TestPeakIsHeld(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		var p PeakBlocks
		total, now := uint64(0), model.Time(0)
		for range r.IntN(40) {
			now += model.Time(r.Int64N(1 << r.IntN(40)))
			size := uint64(r.Int64N(1 << r.IntN(62)))
			p.Add(size, now, now+model.Time(r.Int64N(1<<r.IntN(50))))
			total, _ = model.SaturatingAdd(total, size)
		}
		half := func(when func(b peakBlock) model.Time) model.Time {
			all, sum := slices.Clone(p.all), uint64(0)
			slices.SortFunc(all, func(a, b peakBlock) int { return cmp.Compare(when(a), when(b)) })
			for _, b := range all {
				if sum, _ = model.SaturatingAdd(sum, b.size); sum >= total-total/2 {
					return when(b)
				}
			}
			return 0
		}
		want := max(half(func(b peakBlock) model.Time { return b.died })-half(func(b peakBlock) model.Time { return b.born }), 0)
		if got := p.Held(); got != want {
			t.Errorf("seed %d: %v, want %v", seed, got, want)
		}
	}
}
