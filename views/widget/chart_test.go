package widget

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/NimbleMarkets/ntcharts/canvas/runes"
	"github.com/gdamore/tcell/v2"
)

func shortBytes(v uint64) string {
	f, i := float64(v), 0
	for f >= 1000 && i < 6 {
		f /= 1024
		i++
	}
	return strings.TrimSuffix(fmt.Sprintf("%.3g", f), ".0") + strings.TrimSpace(" KMGTPE"[i:i+1])
}

func shortTime(t, step int64) string {
	switch {
	case t == 0:
		return "0"
	case step < 1000:
		return fmt.Sprintf("%d µs", t)
	case step < second:
		return fmt.Sprintf("%d ms", t/1000)
	}
	return fmt.Sprintf("%d s", t/second)
}

// hill is data with a slope, a plateau, a one-column spike and a hole.
func hill(n int) []Point {
	data := make([]Point, n)
	for i := range data {
		f := float64(i) / float64(n)
		v := uint64(300_000 * (1 + math.Sin(f*9)) * f)
		data[i] = Point{Lo: v, Hi: v + v/8, Last: v, OK: true}
		if i >= n*7/8 {
			data[i] = Point{}
		}
	}
	data[n*3/4].Hi = 1_180_000
	return data
}

func testChart(n int) *Chart {
	return &Chart{
		From: -1, To: 76_000, Data: hill(n), DataFrom: -1, DataTo: 76_000,
		Cursor: 30_000, RangeFrom: 10_000, RangeTo: 20_000, PeakAt: 57_000,
		Title: "Live bytes", Answer: "peak 1.13 MiB at 57.0 ms", FormatY: shortBytes, FormatX: shortTime,
	}
}

func TestChartGolden(t *testing.T) {
	marks := []Mark{{At: 12_000, Name: "phase one"}, {At: 30_500, Name: "x\x1b[31m"}, {At: 33_000, Name: "too long to fit before the end of it all"}, {At: 50_000}}
	for _, size := range [][2]int{{80, 12}, {20, 3}, {40, 8}, {120, 30}} {
		for _, ascii := range []bool{false, true} {
			name := fmt.Sprintf("chart-%dx%d", size[0], size[1])
			s, k := newScreen(t, size[0], size[1]), testLook()
			if ascii {
				name, k = name+"-ascii", asciiLook()
			}
			c := testChart(1)
			r := Rect{0, 0, size[0], size[1]}
			c.Data = hill(c.Dots(r))
			if size[1] >= 12 {
				c.Marks, c.Ticks = marks, []int64{5000, 15_000, 15_100, 40_000, 60_000}
				c.Data = hill(c.Dots(r))
			}
			if size[0] == 120 {
				c.Log = true
				c.Legend = []LegendItem{{"min–max", k.Band}, {"level", k.Area}}
			}
			c.Draw(s, r, k)
			golden(t, name, s)
		}
	}
}

// TestChartLosesNoSpike draws random data of any length with one spike and looks for its dot.
func TestChartLosesNoSpike(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		w, h := 1+rng.IntN(90), 1+rng.IntN(30)
		from := rng.Int64N(1000) - 1
		d := 1 + rng.Int64N(1_000_000)
		if rng.IntN(4) == 0 {
			d = 1 + rng.Int64N(math.MaxInt64-2000)
		}
		data := make([]Point, 1+rng.IntN(500))
		for i := range data {
			data[i] = Point{Hi: uint64(rng.IntN(100)), OK: rng.IntN(3) > 0}
		}
		at := rng.IntN(len(data))
		big := uint64(100_000) << rng.IntN(47)
		data[at] = Point{Hi: big, OK: true}
		c := &Chart{From: from, To: from + d, Data: data, DataFrom: from, DataTo: from + d, Cursor: -1, PeakAt: -1}
		s := newScreen(t, w, h)
		c.Draw(s, Rect{0, 0, w, h}, testLook())
		if !hasDotsAtTop(s, c.plot) {
			t.Fatalf("%dx%d: spike %d of %d lost\n%s", w, h, at, len(data), strings.Join(rows(s), "\n"))
		}
		s.Fini()
	}
}

// hasDotsAtTop reports whether any cell of the plot's first row has one of its topmost dots.
func hasDotsAtTop(s tcell.Screen, plot Rect) bool {
	for x := plot.X; x < plot.X+plot.W; x++ {
		str, _, _ := s.Get(x, plot.Y)
		if r := []rune(str)[0]; runes.IsBraillePattern(r) && r&(1<<0|1<<3) != 0 {
			return true
		}
	}
	return false
}

// TestBrailleAgainstGrid compares the pre-made patterns with the dot grid of ntcharts.
func TestBrailleAgainstGrid(t *testing.T) {
	for l := range dotsY + 1 {
		for r := range dotsY + 1 {
			g := runes.NewPatternDotsGrid(dotsX, dotsY)
			for i := range l {
				g.Set(0, dotsY-1-i)
			}
			for i := range r {
				g.Set(1, dotsY-1-i)
			}
			if want := string(g.BraillePatterns()[0][0]); brailleBars(l, r) != want {
				t.Errorf("%d, %d: %q, want %q", l, r, brailleBars(l, r), want)
			}
		}
	}
}

func TestChartTimeMapping(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 20_000 {
		w := 1 + rng.IntN(300)
		d := int64(w) + rng.Int64N(10_000)
		if rng.IntN(3) == 0 {
			d = int64(w) + rng.Int64N(math.MaxInt64/2)
		}
		from := rng.Int64N(100_000) - 1
		c := &Chart{From: from, To: from + d, plot: Rect{7, 3, w, 5}}
		x := 7 + rng.IntN(w)
		at, ok := c.TimeAt(x, 4)
		back, visible := c.XOf(at)
		if !ok || !visible || back != x {
			t.Fatalf("w %d range (%d, %d]: x %d → %d → %d", w, c.From, c.To, x, at, back)
		}
		if next, ok := c.XOf(at + 1); ok && next != x+1 && x != 6+w {
			t.Fatalf("w %d range (%d, %d]: %d is in %d, after the last of %d", w, c.From, c.To, at+1, next, x)
		}
	}
}

func TestChartCursorChangesTwoColumns(t *testing.T) {
	c, k := testChart(200), testLook()
	r := Rect{0, 0, 80, 12}
	a, b := newScreen(t, 80, 12), newScreen(t, 80, 12)
	c.Draw(a, r, k)
	c.Cursor += c.CellTime()
	c.Draw(b, r, k)
	changed := map[int]bool{}
	for y := range 12 {
		for x := range 80 {
			sa, ta, _ := a.Get(x, y)
			sb, tb, _ := b.Get(x, y)
			if sa != sb || ta != tb {
				changed[x] = true
			}
		}
	}
	if len(changed) != 2 {
		t.Errorf("columns changed: %v", changed)
	}
}

func TestChartExtremes(t *testing.T) {
	for _, c := range []*Chart{
		{},
		{From: 5, To: 5, Cursor: 5, Data: []Point{{OK: true}}},
		{From: -1, To: math.MaxInt64, Data: []Point{{Hi: math.MaxUint64, OK: true}}, DataFrom: -1, DataTo: math.MaxInt64, PeakAt: math.MaxInt64, Cursor: math.MaxInt64, RangeTo: math.MaxInt64},
		{From: 10, To: 100, Data: []Point{{1, 2, 1, true}}, DataFrom: 200, DataTo: 300, RangeFrom: 99, RangeTo: 5000, Marks: []Mark{{At: -5}, {At: 500}}},
		{From: -1, To: 3, Data: hill(1000), DataFrom: -1, DataTo: 3, Decimal: true, Log: true, Top: 10},
	} {
		for _, size := range [][2]int{{1, 1}, {2, 2}, {3, 50}, {20, 3}, {30, 5}, {80, 24}, {400, 100}, {0, 0}, {-3, 4}} {
			s := newScreen(t, max(1, size[0]), max(1, size[1]))
			c.Draw(s, Rect{0, 0, size[0], size[1]}, testLook())
			c.Log = !c.Log
			c.Draw(s, Rect{0, 0, size[0], size[1]}, asciiLook())
			s.Fini()
		}
	}
}

func TestSteps(t *testing.T) {
	for d, want := range map[uint64]uint64{0: 1, 1: 1, 3: 5, 6: 10, 10: 10, 11: 20, 51: 100, math.MaxUint64: 10_000_000_000_000_000_000} {
		if got := decimalStep(d); got != want {
			t.Errorf("decimalStep(%d) = %d, want %d", d, got, want)
		}
	}
	for d, want := range map[uint64]uint64{0: 1, 1: 1, 3: 4, 4: 4, 5: 8, math.MaxUint64: 1 << 63} {
		if got := binaryStep(d); got != want {
			t.Errorf("binaryStep(%d) = %d, want %d", d, got, want)
		}
	}
	for d, want := range map[uint64]uint64{7: 10, 300_000: 500_000, 600_000: second, 40 * second: minute, 5 * hour: 6 * hour, 2 * day: 2 * day, 26 * hour: 2 * day} {
		if got := timeStep(d); got != want {
			t.Errorf("timeStep(%d) = %d, want %d", d, got, want)
		}
	}
}

func BenchmarkChart200x50(b *testing.B) {
	s, k := newScreen(b, 200, 50), testLook()
	r := Rect{0, 0, 200, 50}
	c := testChart(1)
	c.Data = hill(c.Dots(r))
	b.ReportAllocs()
	for b.Loop() {
		c.Draw(s, r, k)
	}
}

// The background of a chart shows where the chart is lower, and makes room for itself.
func TestChartBackdrop(t *testing.T) {
	s, k := newScreen(t, 20, 6), testLook()
	c := &Chart{To: 40, DataTo: 40}
	r := Rect{0, 0, 20, 6}
	for range c.Dots(r) {
		c.Data = append(c.Data, Point{10, 10, 10, true})
		c.Backdrop = append(c.Backdrop, Point{60, 60, 60, true})
	}
	draw := func() (text string, style tcell.Style) {
		s.Clear()
		c.Draw(s, r, k)
		s.Show()
		for y := range 2 {
			cell, st, _ := s.Get(10, y)
			text, style = text+cell, st
		}
		return text, style
	}
	if text, style := draw(); text != "⣿⣿" || style != k.Rule {
		t.Errorf("background: %q in %v, want %v", text, style, k.Rule)
	}
	same := *k // nothing but the glyphs tells them apart
	same.Rule = same.Area.Dim(true)
	k = &same
	if text, _ := draw(); text != "⢕⢕" {
		t.Errorf("background without colors: %q", text)
	}
	k = testLook()
	c.Backdrop = nil
	if text, style := draw(); text != "⣿⣿" || style == k.Rule {
		t.Errorf("alone: %q in %v", text, style)
	}
}

// The highest label of a y axis is not below what is drawn, whatever the height, the largest value and the scale are.
func TestYAxisReachesTheTop(t *testing.T) {
	for _, h := range []int{1, 2, 3, 5, 6, 9, 16, 40} {
		for _, top := range []uint64{1, 2, 3, 900, 1023, 1025, 1_730_151, 1 << 40, 1<<63 + 5} {
			for _, scale := range []Chart{{}, {Decimal: true}, {Log: true}, {Log: true, Decimal: true}} {
				c := scale
				c.top, c.plot = top, Rect{W: 40, H: h}
				ticks := c.labeled(h)
				if last := ticks[len(ticks)-1]; last != top && last < top {
					t.Errorf("%d rows to %d: %v", h, top, ticks)
				}
				for i := 1; i < len(ticks); i++ {
					if h > 2 && c.tickRow(ticks[i]) >= c.tickRow(ticks[i-1]) && i == len(ticks)-1 {
						t.Errorf("%d rows to %d: the top has no row of its own: %v", h, top, ticks)
					}
				}
			}
		}
	}
}
