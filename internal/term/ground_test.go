//go:build unix

package term

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/internal/memtest"
)

// paintedScreen is diffScreen on a terminal whose ground is painted.
func paintedScreen(t testing.TB, w, h int) (*Screen, *fakeTTY) {
	s, f := diffScreen(t, w, h)
	ti, _, err := describe("xterm-256color")
	if err != nil {
		t.Fatal(err)
	}
	s.paint = paintGround(s.Screen, f, &ti)
	return s, f
}

func paper() tcell.Style {
	return tcell.StyleDefault.Foreground(tcell.NewRGBColor(40, 40, 40)).Background(tcell.NewRGBColor(250, 250, 240))
}

// TestPaintedGround proves that frames on painted ground look as tcell alone would have drawn them, whatever comes between.
func TestPaintedGround(t *testing.T) {
	texts := []string{"a", "b", " ", "世", "é", "⣿", "한"}
	red := paper().Background(tcell.ColorRed)
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		s, f := paintedScreen(t, 30, 8)
		plain, g := fakeTerminal(t, 30, 8)
		s.SetStyle(paper())
		if c := f.out.At(29, 7); c.Style.Bg != "#fafaf0" || f.out.Text() != memtest.NewVT(30, 8).Text() {
			t.Fatalf("painted %+v:\n%s", c, f.out.Text())
		}
		for step := range 12 {
			if r.IntN(6) == 0 {
				w, h := 5+r.IntN(40), 2+r.IntN(10)
				f.resize(w, h)
				g.resize(w, h)
				s.resize(w, h)
				s.Show()
				plain.Sync()
				s.invalidate(false)
			}
			w, h := s.Size()
			s.Clear()
			plain.Fill(' ', paper())
			for range r.IntN(12) {
				x, y, text, style := r.IntN(w), r.IntN(h), texts[r.IntN(len(texts))], []tcell.Style{paper(), red}[r.IntN(2)]
				s.Put(x, y, text, style)
				plain.Put(x, y, text, style)
			}
			s.Show()
			plain.Sync()
			if d := firstDifference(f.out, g.out); d != "" {
				t.Fatalf("seed %d step %d: %s\nours\n%s\ntcell's\n%s", seed, step, d, f.out.Text(), g.out.Text())
			}
		}
		plain.Fini()
	}
}

// TestGroundDrawnAgain proves that tcell knows of the ground: it draws it again when it learns that the terminal was resized
// and is as large as before.
func TestGroundDrawnAgain(t *testing.T) {
	s, f := paintedScreen(t, 30, 8)
	s.SetStyle(paper())
	s.Clear()
	s.PutStr(3, 3, "a text")
	s.Show()
	f.resize(20, 4)
	f.resize(30, 8)
	f.resized()
	f.await(t, func(v *memtest.VT) bool { return v.At(29, 7).Style.Bg == "#fafaf0" && v.At(0, 0).Style.Bg == "#fafaf0" })
}

// TestWholeScreenAtOnce proves that a screen that is sent whole does not appear style by style.
func TestWholeScreenAtOnce(t *testing.T) {
	s, f := paintedScreen(t, 80, 24)
	s.SetStyle(paper())
	before := f.frames
	s.Clear()
	for i := range 80 * 24 {
		s.Put(i%80, i/80, "a", paper().Foreground(tcell.PaletteColor(1+i%2)))
	}
	s.Show()
	if n := f.frames - before; n != 1 || f.out.At(79, 23).Text != "a" {
		t.Errorf("written in %d parts", n)
	}
}

// TestNoGround proves that what cannot be painted is left to the frame.
func TestNoGround(t *testing.T) {
	for name, style := range map[string]tcell.Style{"attributes": paper().Bold(true), "a broken write": paper()} {
		s, f := paintedScreen(t, 30, 8)
		if style == paper() {
			f.broken = errors.New("gone")
		}
		s.SetStyle(style)
		f.broken = nil
		if c := f.out.At(29, 7); c.Style.Bg != "" {
			t.Errorf("%s: painted %+v", name, c)
		}
		s.Clear()
		s.Show()
		if c := f.out.At(29, 7); c.Style.Bg != "#fafaf0" {
			t.Errorf("%s: the corner is %+v", name, c)
		}
	}
}
