package rowindex

import (
	"math/rand/v2"
	"testing"
)

// TestIndex finds the rows of ids that lie close together, far apart, and beside those that are there.
func TestIndex(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, spread := range []uint64{8, 1 << 10, 1 << 40} {
		ids := []uint64{0}
		for range 3000 {
			ids = append(ids, 1<<20+8*(rng.Uint64()%(spread*1000)))
		}
		x, first := New(ids, nil), map[uint64]uint32{}
		for r := len(ids) - 1; r > 0; r-- {
			first[ids[r]] = uint32(r)
		}
		if int64(len(first)) != int64(len(ids)-1)-x.Same || len(first) != len(x.Rows) {
			t.Errorf("spread %d: %d ids, %d twice, %d rows", spread, len(first), x.Same, len(x.Rows))
		}
		for id, r := range first {
			if x.Find(id) != r || x.Find(id+1) != None || first[id+8] == 0 && x.Find(id+8) != None {
				t.Fatalf("spread %d: id %x", spread, id)
			}
		}
	}
}
