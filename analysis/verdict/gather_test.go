package verdict

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Windows of events are those of a search, also where windows are empty or a cell has many.
func TestWindowOfEvent(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, most := range []uint32{1, 63, 64, 1000, 1 << 20, 1<<32 - 1} {
		var edges [Windows + 1]uint32
		for w := range edges {
			edges[w] = rnd.Uint32N(most)
			if w%2 == 0 { // many windows in one cell
				edges[w] = rnd.Uint32N(most/5000 + 1)
			}
		}
		slices.Sort(edges[:])
		edges[0], edges[Windows] = 0, most
		g := NewGatherer(edges, 0, 0)
		for range 10_000 {
			event := rnd.Uint32()
			switch rnd.IntN(3) {
			case 0:
				event %= most
			case 1:
				event = edges[rnd.IntN(len(edges))] - rnd.Uint32N(2)
			}
			if got, want := g.window(event), g.search(event); got != want {
				t.Fatalf("%d of %d is in window %d, want %d", event, most, got, want)
			}
		}
	}
}
