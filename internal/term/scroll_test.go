//go:build unix

package term

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
)

// listScreen draws a list that was scrolled, with fixed rows around it and a pane next to it, which may be 0 wide.
type listScreen struct {
	from, selected, top, bottom, pane int
	note                              string
}

func (l listScreen) draw(w, h int, put func(x, y int, text string, style tcell.Style)) {
	ground := tcell.StyleDefault.Background(tcell.NewRGBColor(28, 28, 28))
	line := func(x, y, end int, text string, style tcell.Style) {
		for _, r := range text + strings.Repeat(" ", w) {
			if x >= end || r == '世' && x+1 >= end {
				break
			}
			put(x, y, string(r), style)
			if x++; r == '世' {
				x++
			}
		}
		for ; x < end; x++ {
			put(x, y, " ", style)
		}
	}
	for y := range h {
		style, text := ground, fmt.Sprintf("fixed %d", y)
		if y >= l.top && y < h-l.bottom {
			row := l.from + y - l.top
			rnd := rand.New(rand.NewPCG(uint64(row), 1))
			for text = fmt.Sprint(row); len(text) < 100; {
				text += []string{" ", "世", "⣿", "x", "y", "z"}[rnd.IntN(6)]
			}
			if row == l.selected {
				style = ground.Background(tcell.NewRGBColor(60, 60, 60)).Bold(true)
			}
		}
		line(0, y, w-l.pane, text, style)
		line(w-l.pane, y, w, l.note, ground.Foreground(tcell.ColorRed))
	}
}

// Lists that scroll are what tcell alone would show, whichever background rows are inserted with, and also where tcell
// draws from its own copy.
func TestScrolledLists(t *testing.T) {
	for seed := range uint64(12) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		w, h := 50+rnd.IntN(60), 24+rnd.IntN(20)
		s, f := diffScreen(t, w, h)
		f.out.OwnErase = seed%2 > 0
		s.enc.inColor = !f.out.OwnErase
		plain, g := fakeTerminal(t, w, h)
		l := listScreen{from: 50, top: rnd.IntN(3), bottom: rnd.IntN(3), pane: rnd.IntN(2) * rnd.IntN(w/3), note: "note"}
		scrolls := 0
		for step := range 60 {
			l.from += rnd.IntN(9) - 4
			l.selected = l.from + rnd.IntN(h)
			if rnd.IntN(4) == 0 {
				l.note = fmt.Sprintf("note %d", step)
			}
			l.draw(w, h, func(x, y int, text string, style tcell.Style) {
				s.Put(x, y, text, style)
				plain.Put(x, y, text, style)
			})
			s.Show()
			if s.scroll.by != 0 {
				scrolls++
			}
			if plain.Sync(); rnd.IntN(10) == 0 {
				s.Screen.Sync()
			}
			if d := firstDifference(f.out, g.out); d != "" {
				t.Fatalf("seed %d step %d, scroll %+v: %s\nours\n%s\ntcell's\n%s", seed, step, s.scroll, d, f.out.Text(), g.out.Text())
			}
		}
		if scrolls < 10 {
			t.Errorf("seed %d: %d of 60 frames scrolled", seed, scrolls)
		}
		plain.Fini()
	}
}

// A scrolled list costs the rows that come into view, and a frame in which nothing moves is not scrolled.
func TestScrollsAreShort(t *testing.T) {
	for _, pane := range []int{0, 60} {
		s, f := diffScreen(t, 200, 50)
		l := listScreen{from: 100, top: 4, bottom: 1, pane: pane, note: "note"}
		step := func(from, selected int) (int, scroll) {
			before := f.bytes()
			l.from, l.selected = from, selected
			l.draw(200, 50, func(x, y int, text string, style tcell.Style) { s.Put(x, y, text, style) })
			s.Show()
			return f.bytes() - before, s.scroll
		}
		step(100, 120)
		for _, c := range []struct {
			from, selected, most int
			want                 scroll
		}{
			{101, 121, 800, scroll{4, 49, 1}}, {100, 120, 800, scroll{4, 49, -1}}, {100, 121, 500, scroll{}}, {120, 121, 5200, scroll{4, 49, 20}},
			{500, 510, 10000, scroll{}},
		} {
			if n, x := step(c.from, c.selected); n > c.most || x != c.want {
				t.Errorf("next to a pane of %d, to row %d: %d bytes, scroll %+v, want at most %d and %+v", pane, c.from, n, x, c.most, c.want)
			}
		}
	}
}

// What a scroller finds leaves fewer cells to be written than there were.
func TestScrollsSave(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 5))
	var sc scroller
	found := 0
	for range 300 {
		w, h := 20+rnd.IntN(50), 10+rnd.IntN(20)
		was, is := make([]cell, w*h), make([]cell, w*h)
		for i := range was {
			was[i], is[i] = cell{text: string(rune('a' + rnd.IntN(3)))}, cell{text: string(rune('a' + rnd.IntN(3)))}
		}
		by := rnd.IntN(h)
		copy(is[:(h-by)*w*rnd.IntN(2)], was[by*w:])
		x := sc.find(was, is, w)
		if x == (scroll{}) {
			continue
		}
		found++
		saves := x.saves(was, is, w)
		before := unequal(was, is)
		if x.apply(was, w); saves < leastMoved || unequal(was, is) != before-saves {
			t.Fatalf("%d×%d: %+v leaves %d of %d cells, and seems to save %d", w, h, x, unequal(was, is), before, saves)
		}
	}
	if found < 50 {
		t.Errorf("%d of 300 frames are scrolled", found)
	}
}

func unequal(a, b []cell) (n int) {
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n
}

// BenchmarkScroller prints how long it takes to look for a scroll at 200×50 where nothing moves.
func BenchmarkScroller(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 1))
	was, is := make([]cell, 200*50), make([]cell, 200*50)
	for i := range was {
		was[i], is[i] = cell{text: asciiText[rnd.IntN(90):][:1]}, cell{text: asciiText[rnd.IntN(90):][:1]}
	}
	var sc scroller
	for b.Loop() {
		sc.find(was, is, 200)
	}
}
