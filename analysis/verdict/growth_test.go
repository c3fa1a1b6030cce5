package verdict

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/memtui/memtui/model"
)

// evenly returns a Gatherer of sites over a run of so many allocations.
func evenly(run uint32, sites int) *Gatherer {
	var edges [Windows + 1]uint32
	for w := range edges {
		edges[w] = uint32(uint64(run) * uint64(w) / Windows)
	}
	return NewGatherer(edges, 0, sites)
}

// contained returns the verdict about one block that is replaced by one at least factor times larger whenever its
// contents, so many bytes at each moment of the run from 0 to 1, do not fit.
func contained(factor float64, contents func(at float64) float64) Verdict {
	const run = 1 << 16
	g := evenly(run, 1)
	size, born, n := 64.0, uint32(0), uint64(1)
	for at := range uint32(run) {
		if need := contents(float64(at) / run); need > size {
			g.Add(0, &Block{Size: uint64(size), Born: born, Died: at, DiedAt: model.Time(at)})
			size, born, n = math.Max(need, size*factor), at, n+1
		}
	}
	g.Add(0, &Block{Size: uint64(size), Born: born, Died: 1<<32 - 1})
	return g.Site(0, n, n-1, uint64(size)).Judge(run)
}

// A container leaks if its contents grow all the run; one that has reached its size, the buffer of the largest message,
// and the window of a load that rose do not.
func TestContainers(t *testing.T) {
	for _, factor := range []float64{1.125, 1.5, 2} {
		for _, c := range []struct {
			name     string
			leaks    bool
			contents func(at float64) float64
		}{
			{"steady", true, func(at float64) float64 { return 1e6 * at }},
			{"from a third on", true, func(at float64) float64 { return 1e6 * math.Max(0, at-0.33) }},
			{"faster and faster", true, func(at float64) float64 { return 1e6 * at * at }},
			{"in waves", true, func(at float64) float64 { return 1e6 * (at + 0.02*math.Sin(40*at)) }},
			{"full at a third", false, func(at float64) float64 { return 1e6 * math.Min(at, 0.33) }},
			{"slower and slower", false, func(at float64) float64 { return 1e5 * math.Sqrt(at) }},
			{"a window, wider since lately", false, func(at float64) float64 {
				if at > 0.9 {
					return 1e5 * (0.1 + 1.5*(at-0.9))
				}
				return 1e5 * math.Min(at, 0.1)
			}},
		} {
			if v := contained(factor, c.contents); (v.Kind == Leak) != c.leaks {
				t.Errorf("%s, growing %v times: %v, %s", c.name, factor, v.Kind, v.Evidence())
			}
		}
	}
}

// Buffers of the largest message grow ever more rarely.
func TestLargestMessage(t *testing.T) {
	accused := 0
	const times = 200
	for seed := range uint64(times) {
		r, largest := rand.New(rand.NewPCG(seed, 3)), 0.0
		v := contained(2, func(float64) float64 {
			largest = max(largest, 100*r.ExpFloat64())
			return largest
		})
		if v.Kind == Leak {
			accused++
		}
	}
	if accused > times/50 {
		t.Errorf("%d of %d buffers are called leaks", accused, times)
	}
}

// Many containers that double at the same time leak, too, although the level rests in between.
func TestManyContainers(t *testing.T) {
	for _, c := range []struct {
		until float64 // where they end to grow
		leaks bool
	}{{1, true}, {0.5, false}, {0.1, false}} {
		const run, vectors = 1 << 16, 20
		g := evenly(run, 1)
		size, born := uint64(16), [vectors]uint32{}
		n := uint64(vectors)
		for at := uint32(run / 40); float64(at) < run*c.until; at *= 2 {
			for i := range vectors {
				when := at + uint32(i*3)
				g.Add(0, &Block{Size: size, Born: born[i], Died: when, DiedAt: model.Time(when)})
				born[i] = when
			}
			size, n = size*2, n+vectors
		}
		for i := range vectors {
			g.Add(0, &Block{Size: size, Born: born[i], Died: 1<<32 - 1})
		}
		v := g.Site(0, n, n-vectors, size*vectors).Judge(run)
		if (v.Kind == Leak) != c.leaks || c.leaks && v.Growth == 0 {
			t.Errorf("growing until %v of the run: %v, %+v/s: %s", c.until, v.Kind, v.Growth, v.Evidence())
		}
	}
}

// A level that goes up and down is no growth, however it ends.
func TestUnsteadyLevel(t *testing.T) {
	accused := 0
	const times = 200
	for seed := range uint64(times) {
		r := rand.New(rand.NewPCG(seed, 5))
		var least [groups]float64
		for g := range least {
			least[g] = 55 + 8*r.Float64()
		}
		if trendOf(&least) == goesUp {
			accused++
		}
	}
	if accused > 0 {
		t.Errorf("%d of %d levels are said to rise", accused, times)
	}
}

// Blocks that replace those of another site are no leak; those that are allocated in addition are.
func TestTogether(t *testing.T) {
	const run, pool = 1 << 12, 32
	for _, c := range []struct {
		name     string
		places   [2]string
		replaces bool // each new block takes the place of an old one
		want     Kind
	}{
		{"replaced one by one", [2]string{"dial", "dial"}, true, Bounded},
		{"of another function", [2]string{"connect", "dial"}, true, Leak},
		{"of an unknown place", [2]string{"", ""}, true, Leak},
		{"freed at once, in the middle", [2]string{"dial", "dial"}, false, Leak},
	} {
		g := evenly(run, 2)
		for i := range uint32(pool) {
			born := (i + 1) * run / (pool + 1)
			died := born
			if !c.replaces {
				died = run / 2
			}
			g.Add(0, &Block{Size: 100, Born: 0, Died: died, DiedAt: model.Time(died)})
			g.Add(1, &Block{Size: 100, Born: born, Died: 1<<32 - 1, BornAt: model.Time(born)})
		}
		evidence := []*Evidence{g.Site(0, pool, pool, 0), g.Site(1, pool, 0, pool*100)}
		list := []Verdict{evidence[0].Judge(run), evidence[1].Judge(run)}
		list[1].Key = 1
		if list[1].Kind != Leak {
			t.Fatalf("%s: %v by itself: %s", c.name, list[1].Kind, list[1].Evidence())
		}
		Together(list, evidence, func(key uint32) string { return c.places[key] })
		if list[1].Kind != c.want || (c.want == Leak) != (list[1].Growth > 0) {
			t.Errorf("%s: %v, %v B/s: %s", c.name, list[1].Kind, list[1].Growth, list[1].Evidence())
		}
	}
}

// Where hardly any block is freed, the young ones tell, too, whether a site still grows: in a recording of samples, few of
// its blocks are old enough to be suspects in each quarter.
func TestYoungBlocksOfWhatIsHardlyFreed(t *testing.T) {
	steady := []uint32{18: 2, 1, 4, 1, 26: 2, 1, 1, 1, 1, 2, 1, 36: 2, 39: 3, 1, 3, 2, 2, 46: 1, 53: 3, 56: 1, 58: 1, 1, 4, 62: 2}
	ended := []uint32{18: 2, 1, 4, 1, 26: 2, 1, 1, 1, 1, 2, 1, 36: 2, 39: 3, 1, 3, 2, 2, 46: 1, 62: 1}
	for _, c := range []struct {
		births []uint32
		freed  uint64
		want   Kind
	}{{steady, 1, Leak}, {steady, 4, Leak}, {steady, 9, Kept}, {ended, 1, Kept}, {ended, 3, Kept}} {
		e := Evidence{sums: &sums{freed: c.freed, first: model.Second, last: 8 * model.Second, longest: model.Second}}
		for _, n := range c.births {
			e.live += uint64(n)
		}
		copy(e.births[:], c.births)
		e.ages[7] = uint32(c.freed)
		e.born, e.liveBytes = e.live+c.freed, 1000*e.live
		if v := e.Judge(8 * model.Second); v.Kind != c.want {
			t.Errorf("%d live, %d freed: %v, want %v: %s", e.live, c.freed, v.Kind, c.want, v.Evidence())
		}
	}
}
