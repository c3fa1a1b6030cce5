package verdict

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memtui/memtui/model"
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

// A rate is about the time that windows take: one that grows by as much in each of two halves, of which the second takes
// nine times as long, grows by what both together say.
func TestGrowthIsByTime(t *testing.T) {
	const run, blocks = 1 << 16, 256
	judged := func(date func(*Gatherer)) float64 {
		g := evenly(run, 1)
		date(g)
		for i := range uint32(blocks) {
			g.Add(0, &Block{Size: 100, Born: i * run / blocks, Died: 1<<32 - 1, BornAt: model.Time(i) * model.Second, DiedAt: model.NoTime})
		}
		v := g.Site(0, blocks, 0, 100*blocks).Judge(1000 * model.Second)
		if v.Kind != Leak {
			t.Fatalf("%v: %s", v.Kind, v.Evidence())
		}
		return v.Growth
	}
	equal := judged(func(*Gatherer) {})
	if math.Abs(equal-100*blocks/1000.) > 1 {
		t.Errorf("%v B/s", equal)
	}
	var dates [Windows + 1]model.Time
	for w := range dates {
		if at := model.Time(w) * 1000 * model.Second / Windows; w <= Windows/2 {
			dates[w] = at / 5
		} else {
			dates[w] = 1000*model.Second - (1000*model.Second-at)*9/5
		}
	}
	if got, want := judged(func(g *Gatherer) { g.Date(dates) }), equal*float64(Windows-groupOf)/Windows*1000/(float64(dates[Windows-groupOf+1]-dates[1])/float64(model.Second)); math.Abs(got-want) > 0.01 {
		t.Errorf("%v B/s, want %v", got, want)
	}
}
