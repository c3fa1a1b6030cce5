package widget

import (
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/internal/memtest"
)

// testLook has a style of its own for everything that tests look at.
func testLook() *Look {
	d := tcell.StyleDefault
	return &Look{
		Glyphs: UnicodeGlyphs(),
		Text:   d, Muted: d.Dim(true), Title: d.Bold(true), Rule: d.Dim(true),
		Header: d.Foreground(tcell.ColorGray), Sorted: d.Bold(true),
		Selected: d.Reverse(true), Inactive: d.Underline(true), Match: d.Foreground(tcell.ColorYellow),
		Bar: d.Foreground(tcell.ColorBlue), Spark: d.Foreground(tcell.ColorTeal),
		Band: d.Foreground(tcell.ColorLime), Area: d.Foreground(tcell.ColorGreen), Axis: d.Foreground(tcell.ColorGray),
		Cursor: d.Background(tcell.ColorMaroon), Range: d.Background(tcell.ColorNavy),
		Peak: d.Foreground(tcell.ColorRed), Mark: d.Foreground(tcell.ColorOlive),
		Frames: []tcell.Style{d.Background(tcell.ColorMaroon), d.Background(tcell.ColorOlive), d.Background(tcell.ColorNavy)},
		Box:    d,
	}
}

func asciiLook() *Look {
	k := testLook()
	k.Glyphs = ASCIIGlyphs()
	return k
}

func newScreen(t testing.TB, w, h int) tcell.SimulationScreen {
	t.Helper()
	s := tcell.NewSimulationScreen("UTF-8")
	if err := s.Init(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Fini)
	s.SetSize(w, h)
	s.Clear()
	return s
}

// rows returns the screen as lines without trailing blanks.
func rows(s tcell.Screen) []string {
	w, h := s.Size()
	out := make([]string, h)
	for y := range h {
		var b strings.Builder
		for x := 0; x < w; {
			str, _, cw := s.Get(x, y)
			b.WriteString(str)
			x += max(1, cw)
		}
		out[y] = strings.TrimRight(b.String(), " ")
	}
	return out
}

// golden compares the screen with testdata/NAME.golden: its text, then its styles.
func golden(t *testing.T, name string, s tcell.Screen) {
	t.Helper()
	memtest.Golden(t, name, memtest.Text(s)+"--\n"+memtest.Styles(s, memtest.StyleName))
}

// key makes an event as the terminal would send it.
func key(k tcell.Key, r rune, mod tcell.ModMask) *tcell.EventKey { return tcell.NewEventKey(k, r, mod) }
