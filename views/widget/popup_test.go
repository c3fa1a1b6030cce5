package widget

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
)

func TestBoxAndTextView(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		name, k := "popup", testLook()
		if ascii {
			name, k = "popup-ascii", asciiLook()
		}
		k.Box = tcell.StyleDefault.Background(tcell.ColorNavy)
		s := newScreen(t, 60, 12)
		for y := range 12 {
			Print(s, 0, y, 60, strings.Repeat("background ", 6), k.Text)
		}
		in := Box(s, (Rect{0, 0, 60, 12}).Centered(44, 9), k, "Help")
		v := &TextView{}
		key := tcell.StyleDefault.Bold(true)
		v.SetLines([]Line{
			{Spans: []Span{{"  p ", key}, {Text: "go to the peak: the first moment at which live bytes are highest"}}, Indent: 4},
			{Spans: []Span{{"  q ", key}, {Text: "quit"}}, Indent: 4},
			{},
			Plain("A line from a file: \x1b[31m 日本語 and a_very_long_word_without_any_space_in_it_at_all_so_that_it_must_be_broken."),
			Plain("end"),
		})
		v.Scroll(1)
		v.Draw(s, in, k.InBox())
		golden(t, name, s)
		if above, below := v.More(); above || !below {
			t.Errorf("more above %v, below %v: nothing was laid out to scroll to before the first frame", above, below)
		}
	}
}

func TestTextViewMoves(t *testing.T) {
	s, k := newScreen(t, 20, 5), testLook()
	v := &TextView{}
	lines := make([]Line, 40)
	for i := range lines {
		lines[i] = Plain(strings.Repeat("w", i%30))
	}
	v.SetLines(lines)
	r := Rect{0, 0, 20, 5}
	v.Draw(s, r, k)
	v.Page(1)
	if v.Offset() != 4 {
		t.Errorf("offset %d", v.Offset())
	}
	v.End()
	if want := v.Rows(19) - 5; v.Offset() != want {
		t.Errorf("offset %d, want %d", v.Offset(), want)
	}
	if above, below := v.More(); !above || below {
		t.Errorf("more above %v, below %v", above, below)
	}
	v.Replace(lines[:2])
	v.Draw(s, r, k)
	if v.Offset() != 0 {
		t.Errorf("offset %d of 2 lines", v.Offset())
	}
	v.Home()
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text string
		w    int
		want string
	}{
		{"", 5, ""},
		{"one two three", 7, "one two|three"},
		{"one two three", 100, "one two three"},
		{"abcdefghij", 4, "abcd|efgh|ij"},
		{"a bcdefghij", 4, "a|bcde|fghi|j"},
		{"日本語", 4, "日本|語"},
		{"日本語", 1, "日|本|語"},
		{"a\nb", 10, "a␊b"},
	} {
		if got := strings.Join(Wrap(c.text, c.w), "|"); got != c.want {
			t.Errorf("%q at %d: %q, want %q", c.text, c.w, got, c.want)
		}
	}
}

// TestWrapKeepsText checks that wrapping loses nothing but spaces.
func TestWrapKeepsText(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	for range 5000 {
		text, w := hostile(rng)+" "+hostile(rng), 1+rng.IntN(20)
		rows := Wrap(text, w)
		if got, want := strings.ReplaceAll(strings.Join(rows, ""), " ", ""), strings.ReplaceAll(Clean(text), " ", ""); got != want {
			t.Fatalf("%q at %d: %q", text, w, rows)
		}
	}
}

func TestRect(t *testing.T) {
	r := Rect{2, 3, 10, 6}
	top, rest := r.CutTop(2)
	if top != (Rect{2, 3, 10, 2}) || rest != (Rect{2, 5, 10, 4}) {
		t.Errorf("%v %v", top, rest)
	}
	rest, bottom := r.CutBottom(20)
	if !rest.Empty() || bottom != r {
		t.Errorf("%v %v", rest, bottom)
	}
	left, right := r.CutLeft(3)
	if left != (Rect{2, 3, 3, 6}) || right != (Rect{5, 3, 7, 6}) {
		t.Errorf("%v %v", left, right)
	}
	left, right = r.CutRight(3)
	if left != (Rect{2, 3, 7, 6}) || right != (Rect{9, 3, 3, 6}) {
		t.Errorf("%v %v", left, right)
	}
	if got := r.Centered(4, 100); got != (Rect{5, 3, 4, 6}) {
		t.Errorf("%v", got)
	}
	if r.Contains(12, 3) || !r.Contains(11, 8) || r.Contains(2, 9) {
		t.Error("Contains")
	}
}

func TestTitleLineAndSpans(t *testing.T) {
	s, k := newScreen(t, 40, 5), testLook()
	TitleLine(s, Rect{0, 0, 40, 1}, k, "Live bytes", "peak 1.13 MiB")
	TitleLine(s, Rect{0, 1, 20, 1}, k, "Live bytes", "peak 1.13 MiB")
	TitleLine(s, Rect{0, 2, 24, 1}, k, "Live bytes at \n", "peak 1.13 MiB")
	TitleLine(s, Rect{}, k, "nothing", "")
	n := PrintSpans(s, 1, 3, 12, []Span{{Text: "h/l", Style: k.Title}, {Text: " time  "}, {Text: "p peak"}, {Text: "q"}}, k)
	want := []string{" Live bytes ────────────── peak 1.13 MiB", " Live bytes ────────", " Live b… ─ peak 1.13 MiB", " h/l time  p…", ""}
	for i, line := range rows(s) {
		if line != want[i] {
			t.Errorf("%q, want %q", line, want[i])
		}
	}
	if n != 12 {
		t.Errorf("%d cells used", n)
	}
}

func TestBarsAreMonotonous(t *testing.T) {
	for _, k := range []*Look{testLook(), asciiLook()} {
		s := newScreen(t, 10, 1)
		last := -1.0
		for i := range 1001 {
			s.Clear()
			DrawBar(s, 0, 0, 10, float64(i)/1000, k.Bar, &k.Glyphs)
			n := 0.0
			for _, r := range rows(s)[0] {
				n += barCells(r)
			}
			if n < last || i > 0 && n == 0 || i == 1000 && n != 10 {
				t.Fatalf("share %d/1000 draws %v after %v", i, n, last)
			}
			last = n
		}
	}
}

func barCells(r rune) float64 {
	if r == '=' {
		return 1
	}
	return float64('\u2590'-r) / 8
}
