package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// columns are rows of sites in some order.
type columns struct {
	Rows
	all                         []Recording
	recordings, stacks, figures []uint64
}

func (c *columns) Recordings(context.Context, string) ([]Recording, error) { return c.all, nil }

func (c *columns) Stacks(context.Context, []string, func(*Stack)) error { return nil }

func (c *columns) Sites(_ context.Context, _ Figure, _ []string, _ map[uint64]bool, f func(recordings, stacks, values []uint64)) error {
	for from := 0; from < len(c.stacks); from += 100 {
		to := min(from+100, len(c.stacks))
		f(c.recordings[from:to], c.stacks[from:to], c.figures[from:to])
	}
	return nil
}

// Sums are those of single rows, whatever the order of rows, with repeated ones, and with recordings that nobody knows.
func TestSumsInAnyOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	c := &columns{}
	some := uint64(1)
	for i := range 60 {
		c.all = append(c.all, Recording{Recording: random.Uint64(), Recipe: Recipe, Service: fmt.Sprint("s", i%2), Host: fmt.Sprint("h", i%40), Start: int64(i), Leaked: &some})
	}
	newest := map[string]int{} // of a host: the last one that has it
	for i, r := range c.all {
		newest[r.Service+r.Host] = i
	}
	type row struct{ recording, stack, value uint64 }
	var rows []row
	want := map[string]uint64{}
	for stack := range uint64(30) {
		for i, r := range c.all {
			value := uint64(random.IntN(4)) * stack
			rows = append(rows, row{r.Recording, stack, value})
			if newest[r.Service+r.Host] == i {
				want[fmt.Sprint(r.Service, stack)] += value
			}
		}
		rows = append(rows, row{7, stack, 1000})
	}
	rows = append(rows, rows[:500]...)
	for range 3 {
		c.recordings, c.stacks, c.figures = nil, nil, nil
		for _, r := range rows {
			c.recordings, c.stacks, c.figures = append(c.recordings, r.recording), append(c.stacks, r.stack), append(c.figures, r.value)
		}
		a, err := (&Question{Kind: Top, Figure: Leaked}).Ask(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]uint64{}
		for _, r := range a.Top {
			got[fmt.Sprint(r.Service, uint64(r.Stack))] = r.Total
		}
		for site, sum := range want {
			if got[site] != sum {
				t.Errorf("%s: %d instead of %d", site, got[site], sum)
			}
		}
		if !slices.IsSortedFunc(a.Top, func(x, y TopRow) int { return int(y.Total) - int(x.Total) }) {
			t.Error("rows are not sorted")
		}
		random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	}
}
