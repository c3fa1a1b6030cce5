package widget

import "github.com/gdamore/tcell/v2"

const (
	minBoxW = 8
	minBoxH = 3
)

// Box blanks r, draws a thin border with a title in it, and returns the area inside. What was below is covered. Where r
// is too small for a border, all of it is inside.
func Box(s tcell.Screen, r Rect, k *Look, title string) (inside Rect) {
	Fill(s, r, k.Box)
	if r.W < minBoxW || r.H < minBoxH {
		return r
	}
	g, st := &k.Glyphs, Over(k.Box, k.Rule)
	right, bottom := r.X+r.W-1, r.Y+r.H-1
	for _, y := range [...]int{r.Y, bottom} {
		repeat(s, r.X+1, y, r.W-2, g.Horizontal, st)
	}
	for y := r.Y + 1; y < bottom; y++ {
		s.Put(r.X, y, g.Vertical, st)
		s.Put(right, y, g.Vertical, st)
	}
	s.Put(r.X, r.Y, g.TopLeft, st)
	s.Put(right, r.Y, g.TopRight, st)
	s.Put(r.X, bottom, g.BottomLeft, st)
	s.Put(right, bottom, g.BottomRight, st)
	if title != "" {
		st = Over(k.Box, k.Title)
		s.Put(r.X+2, r.Y, " ", st)
		n := printText(s, r.X+3, r.Y, r.W-6, title, st, g.Ellipsis)
		s.Put(r.X+3+n, r.Y, " ", st)
	}
	return r.Inset(2, 1)
}
