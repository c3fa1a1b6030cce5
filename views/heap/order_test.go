package heap

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memtui/memtui/model"
)

// Objects are in the order that comparing them gives: whatever the figures are, up and down, and of any list of rows.
func TestSortObjectsIsTheOrderOfComparisons(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for _, limit := range []uint64{1, 3, 1 << 11, 1 << 12, 1 << 40, 1 << 63} {
		for _, n := range []int{0, 1, 2, 5000} {
			of, rows, values := make([]model.Row, n), make([]int32, n), make([]uint64, n)
			for i := range n {
				of[i], rows[i], values[i] = model.Row(n-i), int32(i), rnd.Uint64N(limit)<<rnd.IntN(2)
			}
			rnd.Shuffle(n, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
			value := func(r *model.Row) uint64 { return values[*r-1] }
			for _, up := range []bool{false, true} {
				want := slices.SortedFunc(slices.Values(rows), func(a, b int32) int {
					x, y := cmp.Compare(value(&of[b]), value(&of[a])), cmp.Compare(of[a], of[b])
					if up {
						x = -x
					}
					return cmp.Or(x, y)
				})
				if sortObjects(of, rows, value, up); !slices.Equal(rows, want) {
					t.Fatalf("figures below %d, %d rows, up %v: another order", limit, n, up)
				}
			}
		}
	}
}
