package pages

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/model"
)

// randomType makes pages of every kind: with runs that are short, long, cut, empty or beyond the page, and with an
// occupancy only.
func randomType(r *rand.Rand, name string, pages int) model.PageType {
	t := model.PageType{Name: name, Start: []uint32{0}, Known: []bool{}, Occupancy: []float32{}}
	if r.IntN(2) == 0 {
		t.Uniform = uint64(1 + r.IntN(5000))
	}
	for range pages {
		if t.Uniform == 0 {
			t.Sizes = append(t.Sizes, uint64(r.IntN(3000)))
		}
		known := r.IntN(8) > 0
		t.Known, t.Occupancy = append(t.Known, known), append(t.Occupancy, []float32{-1, 0, 0.4, 1, 7}[r.IntN(5)])
		for range r.IntN(9) {
			if known {
				t.Runs = binary.AppendUvarint(t.Runs, []uint64{0, 1, uint64(r.IntN(90)), uint64(r.IntN(900)), 1 << 60}[r.IntN(5)%(1+r.IntN(5))])
			}
		}
		if known && r.IntN(9) == 0 {
			t.Runs = append(t.Runs, 0x80)
		}
		t.Start = append(t.Start, uint32(len(t.Runs)))
	}
	return t
}

func randomLayout(r *rand.Rand) *model.Layout {
	l := &model.Layout{}
	for i := range r.IntN(4) {
		l.Types = append(l.Types, randomType(r, string(rune('a'+i%3)), r.IntN(20)))
	}
	return l
}

// slowBits are the bits of a page, one by one.
func slowBits(t *model.PageType, page int) []bool {
	var out []bool
	if n, ok := stated(t, page); ok {
		for i := range t.Bits(page) {
			out = append(out, i < n)
		}
		return out
	}
	t.EachRun(page, func(occupied bool, n uint64) bool {
		out = append(out, slices.Repeat([]bool{occupied}, int(n))...)
		return true
	})
	return out
}

func slowCount(bits []bool, of bool) (n uint64) {
	for _, b := range bits {
		if b == of {
			n++
		}
	}
	return n
}

// slowRuns counts runs of one kind in a page.
func slowRuns(bits []bool, of bool, f *RunFigures) {
	n := uint64(0)
	for i, b := range bits {
		if b != of {
			continue
		}
		if n++; i+1 == len(bits) || bits[i+1] != of {
			f.add(n)
			n = 0
		}
	}
}

func slowSum(t *model.PageType) Figures {
	f := Figures{Name: t.Name}
	for page := range t.Len() {
		bits := slowBits(t, page)
		occupied, free := slowCount(bits, true), slowCount(bits, false)
		f.Pages++
		if occupied == 0 {
			f.Empty++
		} else if free == 0 {
			f.Full++
		}
		f.Bytes += t.Size(page)
		f.OccupiedBits += occupied
		f.FreeBits += free
		f.OccupiedBytes += min(8*occupied, t.Size(page))
		slowRuns(bits, true, &f.Runs)
		slowRuns(bits, false, &f.Holes)
	}
	// Give pages back from the smallest on while the rest still holds what is occupied.
	var sizes []uint64
	room := f.OccupiedBits + f.FreeBits
	for page := range t.Len() {
		sizes = append(sizes, t.Size(page))
	}
	slices.Sort(sizes)
	for _, size := range sizes {
		bits := (size + 7) / 8
		if room-bits < f.OccupiedBits {
			break
		}
		room -= bits
		f.Returned += size
	}
	return f
}

func TestPageFiguresAgreeWithBits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		l := randomLayout(r)
		if errs := modeltest.CheckLayout(l); len(errs) > 0 {
			t.Fatal(errs)
		}
		got := SumLayout(l)
		var all Figures
		for i := range l.Types {
			pt := &l.Types[i]
			want := slowSum(pt)
			all.join(&want)
			if got.Types[i] != want {
				t.Fatalf("got %+v\nwant %+v", got.Types[i], want)
			}
			fills := Fills(pt)
			for page := range pt.Len() {
				bits := slowBits(pt, page)
				occupied := slowCount(bits, true)
				if n, of := Occupied(pt, page); n != occupied || of != uint64(len(bits)) {
					t.Fatalf("page %d has %d of %d bits, want %d of %d", page, n, of, occupied, len(bits))
				}
				if fills[page] != FillOf(occupied, uint64(len(bits))) {
					t.Fatalf("page %d is filled %d", page, fills[page])
				}
			}
		}
		if got.All != all {
			t.Fatalf("all: got %+v\nwant %+v", got.All, all)
		}
	}
}

func TestFillNeverRoundsToEmptyOrFull(t *testing.T) {
	for _, c := range []struct {
		occupied, all uint64
		level         int
	}{
		{0, 512, 0}, {1, 1 << 40, 1}, {127, 512, 1}, {128, 512, 2}, {383, 512, 2}, {384, 512, 3}, {511, 512, 3}, {512, 512, 4},
		{1<<62 - 1, 1 << 62, 3}, {0, 0, 0}, {1 << 61, 1 << 62, 2}, {9, 8, 4},
	} {
		if got := FillOf(c.occupied, c.all).Level(); got != c.level {
			t.Errorf("%d of %d bits: level %d, want %d", c.occupied, c.all, got, c.level)
		}
	}
	full, empty := FullFill, Fill(0)
	for _, c := range []struct {
		pages []Fill
		level int
	}{
		{nil, 0}, {[]Fill{0, 0}, 0}, {[]Fill{full, full}, 4}, {[]Fill{empty, full}, 2}, {append(make([]Fill, 1e6), 1), 1},
		{append(slices.Repeat([]Fill{full}, 1e6), full-1), 3},
	} {
		if got := MixFills(c.pages).Level(); got != c.level {
			t.Errorf("%d pages: level %d, want %d", len(c.pages), got, c.level)
		}
	}
}

func TestSparsePagesAgreeWithSorting(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	l := &model.Layout{Types: []model.PageType{randomType(r, "a", 4000), randomType(r, "b", 300)}}
	got, all := SparsePages(l, 7)
	every, _ := SparsePages(l, 1<<20)
	if len(every) != all || !slices.Equal(got, every[:7]) {
		t.Errorf("got %v\nwant %v of %d", got, every[:7], all)
	}
	for i, p := range every {
		bits := slowBits(&l.Types[p.Type], p.Page)
		if p.Occupied != slowCount(bits, true) || p.Occupied == 0 || p.Occupied == p.Bits || i > 0 && every[i-1].Occupied > p.Occupied {
			t.Fatalf("row %d: %+v", i, p)
		}
	}
	if pages, _ := SparsePages(l, 0); len(pages) != 0 {
		t.Error("pages were listed that nobody asked for")
	}
}

func TestLayoutChangesAgreeWithBits(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for range 300 {
		before, after := randomLayout(r), randomLayout(r)
		got := DiffLayouts(before, after)
		var all Change
		for _, c := range got.Types {
			all.join(&c)
			if c.Before.OccupiedBits != c.SameOccupied+c.NewlyFree || c.After.OccupiedBits != c.SameOccupied+c.NewlyOccupied {
				t.Fatalf("the bits of %q do not add up: %+v", c.name, c)
			}
		}
		if all.Before, all.After = SumLayout(before).All, SumLayout(after).All; all != got.all {
			t.Fatalf("all: got %+v\nwant %+v", got.all, all)
		}
		for i := range min(len(before.Types), len(after.Types)) { // types of one name stand in the same order
			slowChange(t, &before.Types[i], &after.Types[i], &got.Types[i])
		}
	}
}

func slowChange(t *testing.T, before, after *model.PageType, got *Change) {
	var want Change
	for page := range max(before.Len(), after.Len()) {
		var was, is []bool
		if page < before.Len() {
			was = slowBits(before, page)
		}
		if page < after.Len() {
			is = slowBits(after, page)
		}
		both := page < before.Len() && page < after.Len()
		for i := range max(len(was), len(is)) {
			w, n := i < len(was) && was[i], i < len(is) && is[i]
			switch {
			case w && n:
				want.SameOccupied++
			case w:
				want.NewlyFree++
			case n:
				want.NewlyOccupied++
			case both:
				want.sameFree++
			}
		}
	}
	want.name, want.Before, want.After = got.name, got.Before, got.After
	if *got != want {
		t.Fatalf("got %+v\nwant %+v", *got, want)
	}
}

func slowColumns(s *model.Series, from, to model.Time, n int) []SeriesColumn {
	out := make([]SeriesColumn, n)
	for i, at := range s.Times {
		for k := range out {
			lo, hi := edge(from, to, k, n), edge(from, to, k+1, n)
			c := &out[k]
			if at < hi || k == n-1 && at <= to {
				c.Last, c.Known = s.Values[i], true
			}
			if at >= lo && at < hi || k == n-1 && at >= lo && at <= to {
				if c.Points++; c.Points == 1 {
					c.Min, c.Max = s.Values[i], s.Values[i]
				}
				c.Min, c.Max = min(c.Min, s.Values[i]), max(c.Max, s.Values[i])
			}
		}
	}
	return out
}

func TestSeriesColumnsAgreeWithPoints(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for round := range 60 {
		s := &model.Series{}
		at := model.Time(0)
		for range r.IntN([]int{3, 40, 3000}[round%3]) {
			at += model.Time(r.IntN(5))
			s.Times, s.Values = append(s.Times, at), append(s.Values, float64(r.IntN(100))-50.5)
		}
		c := NewSeriesCurve(s)
		for range 5 {
			from := model.Time(r.IntN(int(at) + 2))
			to, n := from+model.Time(r.IntN(int(at)+2)), 1+r.IntN(30)
			if got, want := c.Columns(from, to, n), slowColumns(s, from, to, n); !slices.Equal(got, want) {
				t.Fatalf("%d points, %d … %d in %d columns:\ngot  %v\nwant %v", len(s.Times), from, to, n, got, want)
			}
		}
	}
	if got := NewSeriesCurve(&model.Series{}).Columns(0, model.MaxTime, 3); got[2].Known || len(got) != 3 {
		t.Error("a curve without points has values")
	}
}

func TestSeriesFigures(t *testing.T) {
	s := &model.Series{
		Times: []model.Time{0, 5, 5, 9}, Values: []float64{3, -1.5, 8, 8},
		Events: []model.SeriesEvent{{At: 5, Name: "gc"}, {At: 9}},
	}
	want := SeriesFigures{Points: 4, First: 3, Last: 8, Min: -1.5, Max: 8, Mean: 4.375, LastAt: 9, MinAt: 5, MaxAt: 5, Events: 2}
	if got := SumSeries(s, 0, model.MaxTime); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	want = SeriesFigures{Points: 2, First: -1.5, Last: 8, Min: -1.5, Max: 8, Mean: 3.25, FirstAt: 5, LastAt: 5, MinAt: 5, MaxAt: 5, Events: 1}
	if got := SumSeries(s, 1, 8); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := SumSeries(s, 6, 8); got.Points != 0 {
		t.Errorf("a range without points has %+v", got)
	}
	for at, value := range map[model.Time]float64{0: 3, 4: 3, 5: 8, 100: 8} {
		if got, _, ok := ValueAt(s, at); !ok || got != value {
			t.Errorf("at %d: %v", at, got)
		}
	}
	if _, _, ok := ValueAt(&model.Series{}, 4); ok {
		t.Error("a curve without points has a value")
	}
	huge := &model.Series{Times: []model.Time{0, 1}, Values: []float64{1e308, 1.5e308}}
	if got := SumSeries(huge, 0, 1).Mean; got != 1.25e308 {
		t.Errorf("the mean of huge values is %v", got)
	}
}

// TestStatedOccupancy reads pages that state nothing but an occupancy: occupied bits are rounded down, and a decimal
// share means what it says though four bytes hold it only nearly.
func TestStatedOccupancy(t *testing.T) {
	for _, c := range []struct {
		share float32
		bits  uint64
		want  uint64
	}{
		{0.25, 512, 128}, {0.805, 8192, 6594}, {0.4, 512, 204}, {0.4, 1024, 409}, {0.999999, 512, 511}, {0.001, 512, 0},
		{0.7, 10, 7}, {0.7, 1000, 700}, {0.1, 10, 1}, {0.3, 10, 3}, {0.6594, 10_000, 6594}, {0, 512, 0}, {1, 512, 512}, {7, 512, 512},
	} {
		page := model.PageType{Uniform: c.bits * 8, Start: []uint32{0, 0}, Known: []bool{false}, Occupancy: []float32{c.share}}
		var got Figures
		sumType(&page, &got)
		if got.OccupiedBits != c.want || got.FreeBits != c.bits-c.want {
			t.Errorf("%v of %d bits: %d and %d, want %d", c.share, c.bits, got.OccupiedBits, got.FreeBits, c.want)
		}
	}
}

// BenchmarkPageFills prints what the occupancy of a million pages costs.
func BenchmarkPageFills(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	t := model.PageType{Uniform: 4096, Start: []uint32{0}}
	for range 1_000_000 {
		for left := 512; left > 0; {
			run := min(1+r.IntN(250), left)
			left -= run
			t.Runs = binary.AppendUvarint(t.Runs, uint64(run))
		}
		t.Start = append(t.Start, uint32(len(t.Runs)))
	}
	for b.Loop() {
		Fills(&t)
	}
}
