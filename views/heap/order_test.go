package heap

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/model"
)

// TestNamesAreRankedOnce expects rows in the order of their texts, and few texts to be made: one for each row.
func TestNamesAreRankedOnce(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, different := range []int{1, 7, 3000, mostNames + 9} {
		of := make([]model.Row, max(5000, different))
		rows := make([]int32, 0, len(of))
		for i := range of {
			of[i] = model.Row(i * 3)
			if i%2 == 0 || different > 5000 {
				rows = append(rows, int32(i)) // those that a filter left
			}
		}
		rng.Shuffle(len(rows), func(a, b int) { rows[a], rows[b] = rows[b], rows[a] })
		names := make([]string, different)
		for i := range names {
			names[i] = fmt.Sprint("name", i)
		}
		asked := 0
		text := func(r *model.Row) string { asked++; return names[int(*r)/3*7919%different] }
		for _, up := range []bool{false, true} {
			asked = 0
			got := slices.Clone(rows)
			sortNames(of, got, text, up)
			if ranked := different <= mostNames; ranked && asked != len(rows) {
				t.Errorf("%d names of %d rows: %d texts", different, len(rows), asked)
			}
			want := slices.Clone(rows)
			slices.SortFunc(want, func(a, b int32) int {
				order := strings.Compare(text(&of[a]), text(&of[b]))
				if up {
					order = -order
				}
				if order == 0 {
					order = int(of[a]) - int(of[b])
				}
				return order
			})
			if !slices.Equal(got, want) {
				t.Errorf("%d names, up %v: not in order", different, up)
			}
		}
	}
}
