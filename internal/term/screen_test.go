//go:build unix

package term

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/internal/memtest"
)

// fakeTTY is a terminal in memory: what tcell writes goes to an emulator.
type fakeTTY struct {
	mu    sync.Mutex
	size  tcell.WindowSize
	out   *memtest.VT
	input chan struct{} // closed: reading ends
	slow  chan struct{} // nil, or a token per Write

	resized func() // says that the size may have changed
	broken  error  // of Write
	frames  int    // that were begun
}

func (f *fakeTTY) Start() error             { return nil }
func (f *fakeTTY) Stop() error              { return nil }
func (f *fakeTTY) Drain() error             { close(f.input); return nil }
func (f *fakeTTY) Close() error             { return nil }
func (f *fakeTTY) NotifyResize(call func()) { f.resized = call }
func (f *fakeTTY) Read([]byte) (int, error) {
	<-f.input
	return 0, io.EOF
}

func (f *fakeTTY) Write(p []byte) (int, error) {
	if f.slow != nil {
		<-f.slow
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.frames += bytes.Count(p, []byte("\x1b[?2026h"))
	if f.broken != nil {
		return 0, f.broken
	}
	return f.out.Write(p)
}

func (f *fakeTTY) WindowSize() (tcell.WindowSize, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.size, nil
}

func (f *fakeTTY) resize(w, h int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.size.Width, f.size.Height = w, h
	f.out.Resize(w, h)
}

func (f *fakeTTY) bytes() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.out.Bytes
}

// fakeTerminal returns tcell's own screen on a terminal in memory.
func fakeTerminal(t testing.TB, w, h int) (tcell.Screen, *fakeTTY) {
	t.Helper()
	t.Setenv("LC_ALL", "C.UTF-8")
	t.Setenv("NO_COLOR", "")
	t.Setenv("COLORTERM", "truecolor")
	prepareTcell(Options{})
	ti, _, err := describe("xterm-256color")
	if err != nil {
		t.Fatal(err)
	}
	f := &fakeTTY{out: memtest.NewVT(w, h), input: make(chan struct{}), size: tcell.WindowSize{Width: w, Height: h}}
	inner, err := tcell.NewTerminfoScreenFromTtyTerminfo(f, &ti)
	if err != nil {
		t.Fatal(err)
	}
	if err := inner.Init(); err != nil {
		t.Fatal(err)
	}
	return inner, f
}

func xtermEncoder(t testing.TB, inner tcell.Screen) *encoder {
	t.Helper()
	ti, _, err := describe("xterm-256color")
	if err != nil {
		t.Fatal(err)
	}
	return newEncoder(inner, &ti)
}

func diffScreen(t testing.TB, w, h int) (*Screen, *fakeTTY) {
	inner, f := fakeTerminal(t, w, h)
	s := newScreen(inner, xtermEncoder(t, inner), Caps{Unicode: true, Colors: 1 << 24}, nil, false)
	t.Cleanup(func() { s.shut(inner.Fini) })
	return s, f
}

func TestNothingSentWhenNothingChanges(t *testing.T) {
	s, f := diffScreen(t, 80, 24)
	frame := func(row int) int {
		before := f.bytes()
		s.Clear()
		for y := range 24 {
			style := tcell.StyleDefault
			if y == row {
				style = style.Reverse(true)
			}
			s.PutStrStyled(0, y, strings.Repeat("a row of text ⣿ ", 5), style)
		}
		s.HideCursor()
		s.Show()
		return f.bytes() - before
	}
	if n := frame(3); n == 0 {
		t.Error("the first frame sent nothing")
	}
	frames := s.Frames()
	if n := frame(3); n != 0 || s.Frames() != frames {
		t.Errorf("the same frame again sent %d bytes", n)
	}
	if n := frame(4); n == 0 || n > 300 {
		t.Errorf("moving a selection by a row sent %d bytes", n)
	}
	s.ShowCursor(5, 5)
	s.Show()
	if !s.resting() || f.out.CursorX != 5 || f.out.CursorY != 5 || !f.out.Modes["?25"] {
		t.Errorf("the cursor is at %d,%d", f.out.CursorX, f.out.CursorY)
	}
}

// What the terminal shows after any sequence of frames must be what tcell alone
// would have made it show, also where it erases with its own background.
func TestSameAsPlainTcell(t *testing.T) {
	texts := []string{"a", "b", " ", "世", "é", "e\u0301", "👩‍👩‍👧", "🇩🇪", "⣿", "│", "☂\ufe0f", "한"}
	styles := []tcell.Style{
		tcell.StyleDefault,
		tcell.StyleDefault.Foreground(tcell.NewRGBColor(10, 200, 30)),
		tcell.StyleDefault.Background(tcell.PaletteColor(4)).Bold(true),
		tcell.StyleDefault.Underline(true).Reverse(true),
		tcell.StyleDefault.Bold(true).Dim(true),
		tcell.StyleDefault.Dim(true).Italic(true).Foreground(tcell.PaletteColor(200)),
		tcell.StyleDefault.Background(tcell.NewRGBColor(10, 200, 30)).Blink(true).StrikeThrough(true),
	}
	for seed := range uint64(12) {
		r := rand.New(rand.NewPCG(seed, 1))
		s, f := diffScreen(t, 30, 8)
		f.out.OwnErase = seed%2 > 0
		s.enc.inColor = !f.out.OwnErase
		plain, g := fakeTerminal(t, 30, 8)
		for step := range 60 {
			if r.IntN(10) == 0 {
				w, h := 5+r.IntN(40), 2+r.IntN(10)
				f.resize(w, h)
				g.resize(w, h)
				s.resize(w, h)
				s.Show()
				s.Screen.Show() // here tcell learns of the size,
				plain.Sync()
				s.invalidate(false) // and says so with an event
			}
			w, h := s.Size()
			s.Clear()
			plain.Clear()
			for range r.IntN(4) { // as panes that are cleared
				style := styles[r.IntN(len(styles))]
				left, top, right, bottom := r.IntN(w), r.IntN(h), r.IntN(2*w), r.IntN(2*h)
				for y := top; y < min(bottom, h); y++ {
					for x := left; x < min(right, w); x++ {
						s.Put(x, y, " ", style)
						plain.Put(x, y, " ", style)
					}
				}
			}
			for range r.IntN(120) {
				x, y, text, style := r.IntN(w), r.IntN(h), texts[r.IntN(len(texts))], styles[r.IntN(len(styles))]
				_, a := s.Put(x, y, text, style)
				_, b := plain.Put(x, y, text, style)
				if a != b {
					t.Fatalf("width of %q: %d, tcell says %d", text, a, b)
				}
			}
			if r.IntN(12) == 0 {
				s.Sync()
			} else {
				s.Show()
			}
			plain.Sync()
			if d := firstDifference(f.out, g.out); d != "" {
				t.Fatalf("seed %d step %d: %s\nours\n%s\ntcell's\n%s", seed, step, d, f.out.Text(), g.out.Text())
			}
		}
		plain.Fini()
	}
}

func firstDifference(a, b *memtest.VT) string {
	for y := range a.H {
		for x := range a.W {
			p, q := a.At(x, y), b.At(x, y)
			p.Style, q.Style = p.Style.Looks(p.Text), q.Style.Looks(q.Text)
			if p != q {
				return fmt.Sprintf("%d,%d: %+v, want %+v", x, y, p, q)
			}
		}
	}
	return ""
}

// A pane is cleared in some bytes per row where the terminal erases with a background, and is never erased elsewhere.
func TestPanesAreErased(t *testing.T) {
	for _, inColor := range []bool{true, false} {
		s, f := diffScreen(t, 100, 40)
		s.enc.inColor, f.out.OwnErase = inColor, !inColor
		ground := tcell.StyleDefault.Background(tcell.NewRGBColor(28, 28, 28))
		step := func(text string, from int) int {
			before := f.bytes()
			for y := range 40 {
				s.PutStrStyled(0, y, strings.Repeat(" ", 100), ground)
				s.PutStrStyled(from, y, text, ground.Foreground(tcell.ColorRed).Bold(true))
				s.Put(99, y, "│", ground)
			}
			s.Show()
			return f.bytes() - before
		}
		step(strings.Repeat("text ", 9), 50)
		left, cleared := step(strings.Repeat("text ", 9), 0), step("", 0)
		for y := range 40 {
			if c := f.out.At(70, y); c.Text != " " || c.Style.Bg != "#1c1c1c" {
				t.Fatalf("row %d has %+v", y, c)
			}
		}
		if inColor != (cleared < 40*8) || inColor && left > 40*60 {
			t.Errorf("erases in color: %v, bytes to clear a pane: %d, and to move it: %d", inColor, cleared, left)
		}
	}
}

// Terminals are erased in color where their descriptions in ncurses have bce and ech.
func TestErasesInColor(t *testing.T) {
	for name, want := range map[string]bool{
		"xterm": true, "xterm-256color": true, "xterm-direct": true, "gnome-256color": true, "konsole-256color": true,
		"alacritty": true, "rxvt-unicode-256color": true, "st-256color": true, "xfce": true,
		"xterm-kitty": false, "tmux": false, "tmux-256color": false, "screen-256color": false, "linux": false, "vt100": false,
		"rxvt": false, "unheard-of": false,
	} {
		ti, _, err := describe(name)
		if err != nil {
			t.Fatal(name, err)
		}
		if got := erasesInColor(&ti); got != want {
			t.Errorf("%s: %v", name, got)
		}
		if name == "unheard-of" && !xtermLike(&ti) {
			t.Errorf("%s is not treated as an xterm", name)
		}
	}
}

// A cursor column over a chart is moved in some bytes per row, and a terminal of 256 colors gets those it has.
func TestFramesAreShort(t *testing.T) {
	s, f := diffScreen(t, 100, 40)
	chart := tcell.StyleDefault.Foreground(tcell.NewRGBColor(80, 160, 240))
	step := func(column int) int {
		before := f.bytes()
		s.Clear()
		for y := range 40 {
			s.PutStrStyled(0, y, strings.Repeat("⣿", 100), chart)
			s.Put(column, y, "⣿", chart.Background(tcell.NewRGBColor(60, 60, 60)))
		}
		s.Show()
		return f.bytes() - before
	}
	step(10)
	if n := step(11); n > 40*2*7 {
		t.Errorf("moving a column of 40 rows sent %d bytes", n)
	}
	few := encoder{ti: s.enc.ti, palette: s.enc.palette}
	if got := few.penOf(chart.Background(tcell.PaletteColor(9))); got != (pen{fg: "38;5;75", bg: "101"}) {
		t.Errorf("of 256 colors: %+v", got)
	}
}

func TestHostileText(t *testing.T) {
	for in, want := range map[string]string{
		"\x1b]0;EVIL\a":       "␛]0;EVIL␇",
		"\x1b[2J":             "␛[2J",
		"a\x00b\x7fc":         "a␀b␡c",
		"\u009b31m":           "\ufffd31m",
		"a\r\nb":              "a␍␊b",
		"\xff\xfeok":          "\ufffd\ufffdok",
		"ab\u202ecd":          "ab\ufffdcd",
		"x\u200by\ufeffz":     "x\ufffdy\ufffdz",
		"\u0301a":             "\ufffda",
		"n\u0308o":            "n\u0308o",
		"👩‍👩‍👧!":              "👩‍👩‍👧!",
		"vector[int][red][-]": "vector[int][red][-]",
		"\u2028\u2029":        "\ufffd\ufffd",
		"\U000e0041x":         "\ufffdx",
		"\u2e3b!":             "\ufffd!",
		"훸\ud7f8!":            "훸!",
	} {
		s := newScreen(simScreen(t), nil, Caps{Unicode: true, Colors: 256}, nil, false)
		s.PutStr(0, 0, in)
		if got := rowText(s, 0); got != want {
			t.Errorf("PutStr %q drew %q, want %q", in, got, want)
		}
		s.Clear()
		x := 0
		for _, r := range in {
			s.SetContent(x, 1, r, nil, tcell.StyleDefault)
			x++
		}
		if got := rowText(s, 1); strings.ContainsFunc(got, unsafeRune) {
			t.Errorf("SetContent %q drew %q", in, got)
		}
	}
	s := newScreen(simScreen(t), nil, Caps{Unicode: true, Colors: 256}, nil, false)
	s.PutStr(0, 0, "a"+strings.Repeat("\u0301", 5000)+"b")
	if got := rowText(s, 0); got != "a"+strings.Repeat("\u0301", maxMarks)+"b" {
		t.Errorf("stacked marks: %q", got)
	}
}

func simScreen(t *testing.T) tcell.Screen {
	t.Helper()
	sim := tcell.NewSimulationScreen("UTF-8")
	if err := sim.Init(); err != nil {
		t.Fatal(err)
	}
	sim.SetSize(80, 24)
	return sim
}

func rowText(s *Screen, y int) string {
	var b strings.Builder
	for x := 0; x < s.w; {
		text, _, width := s.Get(x, y)
		b.WriteString(text)
		x += max(1, width)
	}
	return strings.TrimRight(b.String(), " ")
}

func FuzzPut(f *testing.F) {
	f.Add("\x1b]0;x\a世e\u0301\u202e\xff")
	f.Fuzz(func(t *testing.T, in string) {
		for rest := in; rest != ""; {
			text, more, width := firstCell(rest)
			if text == "" || width < 1 || width > 2 || len(more) >= len(rest) {
				t.Fatalf("firstCell(%q) = %q, %q, %d", rest, text, more, width)
			}
			if strings.ContainsFunc(text, unsafeRune) || !bytes.Equal([]byte(text), bytes.ToValidUTF8([]byte(text), nil)) {
				t.Fatalf("firstCell(%q) lets %q through", rest, text)
			}
			if s := newCharset("").rewrite(text); len(s) != 1 || s[0] < ' ' || s[0] > '~' {
				t.Fatalf("rewrite(%q) = %q", text, s)
			}
			rest = more
		}
	})
}

// The tables are pairs; a slip would shift all of them.
func TestASCII(t *testing.T) {
	runes := []rune(lookalikes)
	if len(runes)%2 != 0 {
		t.Fatalf("%d runes are not pairs", len(runes))
	}
	for i := 0; i < len(runes); i += 2 {
		if runes[i] < 0x80 || runes[i+1] > '~' {
			t.Fatalf("pair %q", string(runes[i:i+2]))
		}
	}
	if len(latin1) != 64 {
		t.Fatalf("latin1 has %d", len(latin1))
	}
	got := ""
	for _, r := range "─│┼╔═║╭╯⠀⠁⣿▁▄█▸▾●◆→…×éß世" {
		got += string(asciiOf(r))
	}
	if want := "-|++=|++ .#_-#>v**>~xes?"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestNoColors(t *testing.T) {
	s := newScreen(simScreen(t), nil, Caps{Unicode: true}, nil, false)
	s.PutStrStyled(0, 0, "x", tcell.StyleDefault.Foreground(tcell.ColorRed).Background(tcell.ColorBlue).Bold(true))
	if _, style, _ := s.Get(0, 0); style != tcell.StyleDefault.Bold(true) {
		t.Errorf("style %+v", style)
	}
}

// A terminal that takes bytes slowly gets the newest frame, and Show never
// waits for it.
func TestSlowTerminal(t *testing.T) {
	inner, f := fakeTerminal(t, 40, 5)
	s := newScreen(inner, xtermEncoder(t, inner), Caps{Unicode: true, Colors: 256}, nil, true)
	f.slow = make(chan struct{})
	const last = 500
	for i := range last + 1 {
		s.Clear()
		s.PutStr(0, 0, fmt.Sprintf("frame %d", i))
		s.Show() // would hang here
	}
	close(f.slow)
	s.do(func() {}) // everything before it has been sent
	s.Show()
	s.do(func() {})
	if got := strings.TrimSpace(f.out.Row(0)); got != fmt.Sprintf("frame %d", last) {
		t.Errorf("shows %q", got)
	}
	if n := s.Frames(); n > last/2 {
		t.Errorf("sent %d frames of %d", n, last)
	}
	s.shut(inner.Fini)
	s.Show()
	s.do(func() {}) // dropped, not waited for
}

// A step that moves a cursor column over a filled chart, at 200×50.
func BenchmarkCursorStep(b *testing.B) {
	s, f := diffScreen(b, 200, 50)
	chart := tcell.StyleDefault.Foreground(tcell.NewRGBColor(80, 160, 240))
	cursor := chart.Background(tcell.NewRGBColor(60, 60, 60))
	step := func(i int) {
		s.Clear()
		for y := range 50 {
			for x := range 200 {
				style := chart
				if x == i%200 {
					style = cursor
				}
				s.Put(x, y, drawingText[3*(0x2800-firstDrawing+x%255):][:3], style)
			}
		}
		s.Show()
	}
	step(0)
	before, n := f.bytes(), 0
	b.ReportAllocs()
	for b.Loop() {
		n++
		step(n)
	}
	b.ReportMetric(float64(f.bytes()-before)/float64(n), "B/frame")
}
