package diff

import (
	"math/rand/v2"
	"testing"

	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/internal/memtest/modeltest"
)

// Tables leave out what has no frame, and show what leaves weigh alone; what the whole profile weighs is the same for
// all.
func TestSidesOfProfileTablesWeighAllRecords(t *testing.T) {
	differs := false
	for seed := range uint64(20) {
		p := modeltest.RandomProfile(rand.New(rand.NewPCG(seed, 3)))
		sel, counts := weights.SelectProfile(p, 0, 0), weights.SelectProfile(p, 0, 1)
		total, count := sel.Total(), counts.Total()
		want := SideSum{total.Uint64(), count.Uint64()}
		sides := map[string]*Side{"stacks": stacksSide(sel, counts)}
		for by := range weights.ProfileByCount {
			rows, err := weights.Table(t.Context(), by, nil, sel, counts)
			if err != nil {
				t.Fatal(err)
			}
			side := profileRowsSide(rows, []*weights.Selection{sel, counts})
			sides[by.String()] = side
			differs = differs || (&Side{Rows: side.Rows}).Sum() != want
		}
		for name, side := range sides {
			c := compareIn(t, &Side{}, side, Options{})
			if got := (SideSum{c.Totals.AfterBytes, c.Totals.AfterCount}); got != want {
				t.Errorf("seed %d: %ss weigh %+v, want %+v", seed, name, got, want)
			}
		}
	}
	if !differs {
		t.Error("every table adds up: nothing is tested")
	}
}
