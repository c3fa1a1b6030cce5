package widget

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
)

// twoCurves rise and fall over 40 columns.
func twoCurves() *Lines {
	c := &Lines{Chart: Chart{From: 0, To: 1000, DataFrom: 0, DataTo: 1000, Cursor: 500, PeakAt: -1}}
	for i, glyph := range []string{"o", "x"} {
		v := Curve{Glyph: glyph, Style: tcell.StyleDefault.Foreground(tcell.Color(i + 1)), Front: i == 0}
		for x := range 80 {
			n := uint64(1000 + 10*x)
			if i == 1 {
				n = uint64(900 - 10*x)
			}
			v.Data = append(v.Data, Point{n, n, n, x > 4})
		}
		c.Curves = append(c.Curves, v)
	}
	return c
}

func drawLines(t *testing.T, c *Lines, w, h int, k *Look) string {
	t.Helper()
	s := newScreen(t, w, h)
	c.Draw(s, Rect{W: w, H: h}, k)
	return strings.Join(rows(s), "\n")
}

func TestLinesShowEveryCurve(t *testing.T) {
	for _, scale := range []struct{ stacked, log bool }{{}, {stacked: true}, {log: true}} {
		for _, k := range []*Look{testLook(), asciiLook()} {
			c := twoCurves()
			c.Stacked, c.Log = scale.stacked, scale.log
			text := drawLines(t, c, 46, 16, k)
			if !strings.Contains(text, "o") || !strings.Contains(text, "x") {
				t.Errorf("%+v: a curve is missing:\n%s", scale, text)
			}
		}
	}
}

// A jump is drawn as a line without gaps: every row between both levels has a dot.
func TestLinesJoinJumps(t *testing.T) {
	c := &Lines{Chart: Chart{To: 10, DataTo: 10, Cursor: -1, PeakAt: -1}}
	for x := range 20 {
		v := uint64(1)
		if x >= 10 {
			v = 100
		}
		c.Curves = []Curve{{Data: append(append([]Point(nil), dataOf(c)...), Point{v, v, v, true}), Glyph: "*"}}
	}
	for y, line := range strings.Split(drawLines(t, c, 10, 4, asciiLook()), "\n") {
		if !strings.Contains(line, "*") {
			t.Errorf("row %d has no dot", y)
		}
	}
}

func dataOf(c *Lines) []Point {
	if len(c.Curves) == 0 {
		return nil
	}
	return c.Curves[0].Data
}

func TestLinesFitAnything(t *testing.T) {
	for w := range 50 {
		for h := range 12 {
			c := twoCurves()
			c.Title, c.Marks = "title", []Mark{{At: 100, Name: "mark"}}
			drawLines(t, c, max(w, 1), max(h, 1), testLook())
		}
	}
	if text := drawLines(t, &Lines{Chart: Chart{Empty: "nothing here"}}, 40, 10, testLook()); !strings.Contains(text, "nothing here") {
		t.Errorf("without curves:\n%s", text)
	}
}

func TestLogAxisBeginsBelowTheSmallest(t *testing.T) {
	c := &Chart{Log: true, top: 1 << 30, floor: 1 << 20}
	c.plot = Rect{W: 10, H: 11}
	ticks := c.yTicks(11)
	if ticks[0] != 1<<20 || len(ticks) < 4 || ticks[len(ticks)-1] > 1<<30 {
		t.Errorf("ticks %v", ticks)
	}
	if low, high := c.height(1<<20, 11), c.height(1<<30, 11); low != 1 || high != 44 || c.height(1<<25, 11) != 22 {
		t.Errorf("heights %d, %d, %d", low, c.height(1<<25, 11), high)
	}
}

func TestLogAxisSaysZeroWhereZerosStand(t *testing.T) {
	for _, zero := range []bool{false, true} {
		data := []Point{{1 << 20, 1 << 20, 1 << 20, true}, {1 << 30, 1 << 30, 1 << 30, true}}
		if zero {
			data = append(data, Point{0, 0, 0, true})
		}
		c := &Lines{Chart: Chart{Log: true, From: 0, To: 10, DataFrom: 0, DataTo: 10, FormatY: func(v uint64) string { return fmt.Sprint(v >> 10) }}, Curves: []Curve{{Data: data, Glyph: "x"}}}
		text := drawLines(t, c, 40, 12, testLook())
		if got := strings.Contains(text, " 0┤"); got != zero || strings.Contains(text, "1024┤") == zero {
			t.Errorf("zeros: %v\n%s", zero, text)
		}
	}
}
