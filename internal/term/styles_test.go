//go:build unix

package term

import (
	"testing"

	"github.com/gdamore/tcell/v2"
)

// TestManyStyles proves that a frame is sent in its own styles when the table of styles began anew, also where its
// cells have the numbers of the frame before.
func TestManyStyles(t *testing.T) {
	s, f := diffScreen(t, 30, 8)
	plain, g := fakeTerminal(t, 30, 8)
	defer plain.Fini()
	style := func(n int) tcell.Style { return tcell.StyleDefault.Background(tcell.NewHexColor(int32(n))) }
	frame := func(first int) {
		s.Clear()
		for i := range 30 * 8 {
			s.Put(i%30, i/30, "a", style(first+i))
			plain.Put(i%30, i/30, "a", style(first+i))
		}
		s.Show()
		plain.Show()
		if d := firstDifference(f.out, g.out); d != "" {
			t.Fatalf("styles from %d on: %s", first, d)
		}
	}
	frame(1)
	for i := range maxStyles {
		s.Put(0, 0, "a", style(1000+i))
	}
	was := s.cells[45].style
	frame(100_000)
	if is := s.cells[45].style; is != was || len(s.styles.list) != 1+30*8 {
		t.Errorf("number %d became %d of %d", was, is, len(s.styles.list))
	}
	for i := range 40 {
		frame(200_000 + 200*i)
		if n := len(s.styles.list); n > maxStyles+30*8 {
			t.Fatalf("%d styles are remembered", n)
		}
	}
}

// TestAfterNext proves that what must run after the next frame runs once, when that was written, and for no lesser
// reason.
func TestAfterNext(t *testing.T) {
	s, f := diffScreen(t, 30, 8)
	s.Show()
	ran, at := 0, 0
	s.afterNext(func() { ran, at = ran+1, f.bytes() })
	s.later(func() {})
	s.Show() // of the same frame
	if ran != 0 {
		t.Fatal("ran without a frame")
	}
	s.PutStr(0, 0, "x")
	s.Show()
	if ran != 1 || at != f.bytes() {
		t.Errorf("ran %d times, after %d bytes of %d", ran, at, f.bytes())
	}
	s.PutStr(0, 0, "y")
	s.Show()
	if ran != 1 {
		t.Errorf("ran %d times", ran)
	}
}
