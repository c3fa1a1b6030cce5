package group

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memtui/memtui/analysis"
)

// Histories come back as they were packed, and no bytes that are cut or changed make one of another length.
func TestLevelsArePacked(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		levels := make([]uint64, analysis.HistoryColumns)
		for i := range levels {
			if i > 0 && r.IntN(3) > 0 {
				levels[i] = levels[i-1]
			} else {
				levels[i] = r.Uint64() >> r.IntN(64)
			}
		}
		packed := packLevels(levels)
		if got, err := unpackLevels(packed); err != nil || !slices.Equal(got, levels) {
			t.Fatalf("seed %d: %v, want %v (%v)", seed, got, levels, err)
		}
		for cut := range packed {
			if _, err := unpackLevels(packed[:cut]); err == nil {
				t.Errorf("seed %d: cut at %d of %d", seed, cut, len(packed))
			}
		}
		packed[r.IntN(len(packed))] ^= byte(1 + r.IntN(255))
		if got, err := unpackLevels(packed); err == nil && len(got) != analysis.HistoryColumns {
			t.Errorf("seed %d: %d columns", seed, len(got))
		}
	}
}
