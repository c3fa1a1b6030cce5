package diff

import (
	"math/rand/v2"
	"slices"
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

// A row consists of those of a side whose masked names are the same, the heaviest first.
func TestMergedRows(t *testing.T) {
	masks := []Mask{}
	for _, text := range []string{"x[0-9]=x"} {
		m, err := ParseMask(text)
		if err != nil {
			t.Fatal(err)
		}
		masks = append(masks, m)
	}
	before := &Side{File: "a", Rows: []SideRow{{Key: "x1", Bytes: 1}, {Key: "y", Bytes: 2}}}
	after := &Side{File: "b", Rows: []SideRow{{Key: "x1", Bytes: 1}, {Key: "y", Bytes: 9}, {Key: "x2", Bytes: 7}, {Key: "x3"}, {Key: "z", Bytes: 1}}}
	for _, swap := range []bool{false, true} {
		c := compareIn(t, before, after, Options{Masks: masks, Swap: swap})
		sides := [2]int{0, 1}
		if swap {
			sides = [2]int{1, 0}
		}
		want := map[string][2][]int{"x": {{0}, {2, 0}}, "y": {{1}, {1}}, "z": {nil, {4}}}
		for i := range c.Rows {
			r := &c.Rows[i]
			for k, side := range sides {
				if got := c.MergedRows(r, side); !slices.Equal(got, want[r.Key][k]) {
					t.Errorf("%s of side %d, swapped %v: %v, not %v", r.Key, k, swap, got, want[r.Key][k])
				}
			}
		}
	}
}
