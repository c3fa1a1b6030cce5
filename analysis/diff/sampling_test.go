package diff

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/model"
)

// sampledSide makes a side of functions a, b, … that were sampled: blocks of some size, of which so many were chosen.
func sampledSide(file string, s model.Sampling, size float64, samples ...uint64) *Side {
	each, _ := s.Sample(size)
	out := exactSide(file, uint64(each), samples...)
	out.Estimated, out.Drawn = true, &Drawn{by: s}
	return out
}

// exactSide makes a side of functions a, b, … that have so many blocks of a size.
func exactSide(file string, size uint64, blocks ...uint64) *Side {
	out := &Side{Label: file, File: file, Bases: NoBases}
	for i, n := range blocks {
		out.Rows = append(out.Rows, SideRow{Key: string(rune('a' + i)), Bytes: n * size, Count: n})
	}
	return out
}

const samplePeriod = 64 << 10

var everyPeriod = model.Sampling{Period: samplePeriod}

// TestErrorOfAChange compares the stated error with how far differences are off that have no cause but sampling.
func TestErrorOfAChange(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, s := range []model.Sampling{everyPeriod, {Rate: 0.1}} {
		for _, size := range []float64{64, 3000, 100 << 10} {
			_, chance := s.Sample(size)
			for _, expected := range []float64{0.5, 3, 20, 400} {
				blocks := uint64(math.Ceil(expected / chance))
				draw := func() (n uint64) {
					for range blocks {
						if random.Float64() < chance {
							n++
						}
					}
					return n
				}
				const runs = 300
				both, one := 0, 0
				for range runs {
					before, after := sampledSide("x", s, size, draw()), sampledSide("y", s, size, draw())
					if c := compareIn(t, before, after, Options{}); len(c.Rows) > 0 && c.Rows[0].Change() > c.Rows[0].Error {
						both++
					}
					if c := compareIn(t, exactSide("z", uint64(size), blocks), after, Options{}); c.Rows[0].Change() > c.Rows[0].Error {
						one++
					}
				}
				if limit := runs * 8 / 100; both > limit || one > limit {
					t.Errorf("%+v, blocks of %v, some %v samples: %d of %d differences exceed the error between samples, %d next to exact figures",
						s, size, expected, both, runs, one)
				}
			}
		}
	}
}

// TestErrorsOfRows computes the errors of a few rows by hand.
func TestErrorsOfRows(t *testing.T) {
	const size = 64
	each, chance := everyPeriod.Sample(size)
	sigma := each * math.Sqrt(1-chance)
	for _, tt := range []struct {
		name          string
		before, after *Side
		want          float64 // in standard errors of one sample
		within        bool
	}{
		{"both", sampledSide("x", everyPeriod, size, 100), sampledSide("y", everyPeriod, size, 150), math.Sqrt(101 + 151), false},
		{"little", sampledSide("x", everyPeriod, size, 100), sampledSide("y", everyPeriod, size, 120), math.Sqrt(101 + 121), true},
		{"new", sampledSide("x", everyPeriod, size, 0), sampledSide("y", everyPeriod, size, 5), math.Sqrt(1 + 6), true},
		{"certainly new", sampledSide("x", everyPeriod, size, 0), sampledSide("y", everyPeriod, size, 6), math.Sqrt(1 + 7), false},
		{"missed", exactSide("x", size, 2000), sampledSide("y", everyPeriod, size, 0), math.Sqrt(2000 * size / each), true},
		{"gone", exactSide("x", size, 5000), sampledSide("y", everyPeriod, size, 0), math.Sqrt(5000 * size / each), false},
	} {
		c := compareIn(t, tt.before, tt.after, Options{})
		r := &c.Rows[0]
		if want := 1.96 * sigma * tt.want; math.Abs(float64(r.Error)-want) > want/100 || r.Within() != tt.within {
			t.Errorf("%s: ±%d, within %v; want ±%.0f, %v", tt.name, r.Error, r.Within(), want, tt.within)
		}
		if swapped := compareIn(t, tt.before, tt.after, Options{Swap: true}); swapped.Rows[0].Error != r.Error || swapped.TotalError != c.TotalError {
			t.Errorf("%s: ±%d if the sides are swapped, else ±%d", tt.name, swapped.Rows[0].Error, r.Error)
		}
	}
	// what is scaled is off by as much more
	before, after := sampledSide("x", everyPeriod, size, 100), exactSide("y", size, 400*1024)
	before.Bases.allocations, after.Bases.allocations = 1, 4
	c := compareIn(t, before, after, Options{Per: NormalAllocations})
	if want := 4 * 1.96 * sigma * 10; math.Abs(float64(c.Rows[0].Error)-want) > want/50 {
		t.Errorf("scaled by 4: ±%d, want ±%.0f", c.Rows[0].Error, want)
	}
}

// TestErrorOfTotal expects that what sampling missed counts in the error of the total, too.
func TestErrorOfTotal(t *testing.T) {
	c := compareIn(t, exactSide("x", 1<<20, 1, 0), sampledSide("y", model.Sampling{Rate: 0.5}, 100, 0, 1), Options{})
	if c.TotalError < 1<<20 || c.TotalError > 4<<20 {
		t.Errorf("±%d", c.TotalError)
	}
}

// TestNoErrors lists comparisons whose errors are not known.
func TestNoErrors(t *testing.T) {
	counts := func(file string, s model.Sampling) *Side {
		out := sampledSide(file, s, 64, 3)
		out.Drawn.counts = true
		return out
	}
	unknown := sampledSide("x", everyPeriod, 64, 3)
	unknown.Drawn = nil
	profile := sampledSide("x", everyPeriod, 64, 3)
	profile.Drawn.scaled = true
	later := sampledSide("x", everyPeriod, 64, 4)
	later.Drawn = profile.Drawn
	if c := compareIn(t, counts("x", everyPeriod), counts("x", everyPeriod), Options{}); c.ErrorNote() != "" {
		t.Error("nothing changed:", c.ErrorNote())
	}
	for name, sides := range map[string][2]*Side{
		"exact":              {exactSide("x", 64, 3), exactSide("y", 64, 4)},
		"unknown":            {unknown, exactSide("y", 64, 4)},
		"counts next exact":  {counts("x", everyPeriod), exactSide("y", 64, 4)},
		"counts differently": {counts("x", everyPeriod), counts("y", model.Sampling{Rate: 0.5})},
		"one profile":        {profile, later},
	} {
		c := compareIn(t, sides[0], sides[1], Options{})
		if c.Errors || c.TotalError != 0 || c.Rows[0].Error != 0 || c.Within != 0 || strings.HasSuffix(c.ErrorNote(), "is unknown") == (name == "exact") {
			t.Errorf("%s: %v, ±%d, row ±%d, %q", name, c.Errors, c.TotalError, c.Rows[0].Error, c.ErrorNote())
		}
	}
	if c := compareIn(t, counts("x", everyPeriod), counts("y", everyPeriod), Options{}); !c.Errors {
		t.Error("numbers of samples have no error")
	}
}

// TestScaledCounts compares a profile whose counts are those of blocks with a trace that counts samples.
func TestScaledCounts(t *testing.T) {
	const size, samples = 1000, 50
	each, chance := everyPeriod.Sample(size)
	trace := sampledSide("x", everyPeriod, size, samples)
	profile := exactSide("y", size, uint64(samples/chance))
	profile.Estimated, profile.Drawn = true, &Drawn{by: everyPeriod, scaled: true}
	c := compareIn(t, trace, profile, Options{})
	if want := 1.96 * each * math.Sqrt((1-chance)*2*(samples+1)); math.Abs(float64(c.Rows[0].Error)-want) > want/100 {
		t.Errorf("±%d, want ±%.0f", c.Rows[0].Error, want)
	}
}

// TestErrorOfBlocks compares estimated numbers of blocks: a sample represents as many as it takes to be chosen.
func TestErrorOfBlocks(t *testing.T) {
	const size, samples = 1000, 50
	_, chance := everyPeriod.Sample(size)
	side := func(file string, samples float64) *Side {
		blocks := uint64(samples / chance)
		return &Side{Label: file, File: file, Bases: NoBases, Estimated: true, Drawn: &Drawn{by: everyPeriod, scaled: true, blocks: true},
			Rows: []SideRow{{Key: "a", Bytes: blocks, Count: blocks, sizes: blocks * size}}}
	}
	c := compareIn(t, side("x", samples), side("y", 2*samples), Options{})
	want := 1.96 / chance * math.Sqrt((1-chance)*(3*samples+2))
	if r := &c.Rows[0]; !c.Errors || math.Abs(float64(r.Error)-want) > want/50 || r.Within() {
		t.Errorf("±%d, want ±%.0f", r.Error, want)
	}
	if c := compareIn(t, side("x", samples), exactSide("y", 64, 4), Options{}); c.Errors {
		t.Error("the error next to an exact number is known")
	}
}

// TestSentenceOfSamples never names what may be due to sampling.
func TestSentenceOfSamples(t *testing.T) {
	marked := func(n uint64) string { return model.AsEstimate(model.Bytes(n).String()) }
	plain := func(n uint64) string { return model.Bytes(n).String() }
	words := Words{Measure: "live memory", Counted: "samples", Thing: "function", Amount: marked}
	side := func(file string, samples ...uint64) *Side { return sampledSide(file, everyPeriod, 64, samples...) }
	for _, tt := range []struct {
		before, after *Side
		of            SideAmounts
		want          string
	}{
		{side("x", 100, 10), side("y", 110, 12), SideAmounts{},
			"No difference of live memory exceeds the error of sampling (±1.87 MiB): ~6.88 MiB before, ~7.63 MiB after."},
		{side("x", 100, 10), side("y", 400, 12), SideAmounts{},
			"From before to after live memory grew by ~18.9 MiB ±2.80 MiB (+274.5 %), from ~6.88 MiB to ~25.8 MiB (+302 samples); a grew by ~18.8 MiB, 99.3 % of the growth."},
		{side("x", 400, 100), side("y", 410, 200), SideAmounts{},
			"From before to after live memory grew by ~6.88 MiB ±4.08 MiB (+22.0 %), from ~31.3 MiB to ~38.1 MiB (+110 samples); b grew by ~6.25 MiB, 90.9 % of the growth."},
		{side("x", 100, 200), side("y", 200, 101), SideAmounts{},
			"From before to after live memory changed by no more than the error of sampling (±3.00 MiB) in total, from ~18.8 MiB to ~18.8 MiB; a grew by ~6.25 MiB."},
		{side("x", 10, 11, 12, 13), side("y", 16, 18, 20, 19), SideAmounts{},
			"From before to after live memory grew by ~1.69 MiB ±1.34 MiB (+58.7 %), from ~2.88 MiB to ~4.56 MiB (+27 samples); no function alone changed so by more than the error of sampling."},
		{exactSide("x", 64, 200_000), side("y", 300), SideAmounts{plain, marked},
			"From before to after live memory grew by ~6.55 MiB ±2.12 MiB (+53.7 %), from 12.2 MiB to ~18.8 MiB (-199,700 samples); a grew by ~6.55 MiB, 100 % of the growth."},
	} {
		words.Side = tt.of
		if got := compareIn(t, tt.before, tt.after, Options{}).Sentence(words); got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
	counts := side("y", 2)
	counts.Drawn.counts = true
	if got := compareIn(t, exactSide("x", 64, 1000), counts, Options{}).Sentence(words); !strings.HasPrefix(got, "How live memory changed is unknown: ") {
		t.Errorf("of counts: %s", got)
	}
	c := compareIn(t, exactSide("x", 64, 1000, 1), side("y", 2), Options{})
	words.Side = SideAmounts{plain, marked}
	if got := strings.Join(c.Losses(words), " "); !strings.Contains(got, "Only in A: 1 function (64 B)") {
		t.Errorf("losses: %s", got)
	}
	c.Before.Rows = append(c.Before.Rows, SideRow{Key: "empty", Listed: true}) // gone, but it had nothing
	c = compareIn(t, c.Before, c.After, Options{})
	if got := c.ErrorNote(); !strings.HasSuffix(got, "exceeded by 0 of 2 differences") {
		t.Errorf("note: %s", got)
	}
}

// TestFigureKinds tells what figures are about.
func TestFigureKinds(t *testing.T) {
	for c := range analysis.CostCountOf {
		f := FigureOf(c)
		if f.isCount() == c.IsBytes() {
			t.Errorf("%v is a count: %v", c, f.isCount())
		}
		if want := c == analysis.CostLive || c == analysis.CostPeak || c == analysis.CostLiveCount; f.ofLive() != want || !f.adds() {
			t.Errorf("%v: live %v, adds %v", c, f.ofLive(), f.adds())
		}
	}
	if Figure(func(s *analysis.Site) (bytes, count uint64) { return s.PeakBytes, s.AllocCount }).adds() {
		t.Error("peaks add up")
	}
}
