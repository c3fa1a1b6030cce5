package widget

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
)

var update = flag.Bool("update", false, "write golden files")

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

// dump is the screen as text: its rows, then the runs of styles that are not the default.
func dump(s tcell.Screen) string {
	var b strings.Builder
	for _, line := range rows(s) {
		b.WriteString(line + "\n")
	}
	b.WriteString("--\n")
	w, h := s.Size()
	for y := range h {
		for x := 0; x < w; {
			_, st, _ := s.Get(x, y)
			from := x
			for x < w {
				if _, other, _ := s.Get(x, y); other != st {
					break
				}
				x++
			}
			if st != tcell.StyleDefault {
				fg, bg, attrs := st.Decompose()
				fmt.Fprintf(&b, "%d:%d-%d %s/%s %x\n", y, from, x-1, colour(fg), colour(bg), attrs)
			}
		}
	}
	return b.String()
}

// colour is a colour's RGB value: tcell has several names for some of them and picks one by chance.
func colour(c tcell.Color) string {
	if c == tcell.ColorDefault {
		return "-"
	}
	return fmt.Sprintf("%06x", c.Hex())
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update to accept)\n--- got\n%s\n--- want\n%s", path, got, want)
	}
}

// key makes an event as the terminal would send it.
func key(k tcell.Key, r rune, mod tcell.ModMask) *tcell.EventKey { return tcell.NewEventKey(k, r, mod) }
