package weights

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestKeepFirstIsThatOfASortedList(t *testing.T) {
	type pair struct{ key, place int }
	compare := func(a, b pair) int { return cmp.Compare(a.key, b.key) }
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		all := make([]pair, r.IntN(60))
		n := r.IntN(12)
		var kept []pair
		for i := range all {
			all[i] = pair{r.IntN(10), i}
			kept = KeepFirst(kept, all[i], n, compare)
		}
		slices.SortStableFunc(all, compare)
		if want := all[:min(n, len(all))]; !slices.Equal(kept, want) {
			t.Fatalf("the first %d are %v, want %v", n, kept, want)
		}
	}
}
