package widget

import "github.com/gdamore/tcell/v2"

// Print draws text from (x, y) in at most maxw cells, cleaned and, where it does not fit, ending in "…". It returns the
// number of cells used. It does not allocate for printable ASCII.
func Print(s tcell.Screen, x, y, maxw int, text string, st tcell.Style) int {
	return printText(s, x, y, maxw, text, st, ellipsis)
}

// PrintRight draws text so that it ends just before x+w; where it does not fit, its end is cut. It returns the cells
// used.
func PrintRight(s tcell.Screen, x, y, w int, text string, st tcell.Style) int {
	n := min(Width(text), w)
	return Print(s, x+w-n, y, n, text, st)
}

func printText(s tcell.Screen, x, y, maxw int, text string, st tcell.Style, dots string) int {
	if maxw <= 0 {
		return 0
	}
	if plain(text) {
		return printASCII(s, x, y, maxw, text, st, dots)
	}
	text = Clean(text)
	if len(text) <= maxw || cleanWidth(text) <= maxw {
		return putClusters(s, x, y, text, st)
	}
	n := putClusters(s, x, y, text[:prefixLen(text, maxw-1)], st)
	s.Put(x+n, y, dots, st)
	return n + 1
}

func printASCII(s tcell.Screen, x, y, maxw int, text string, st tcell.Style, dots string) int {
	n := len(text)
	if n > maxw {
		n = maxw - 1
		s.Put(x+n, y, dots, st)
	}
	for i := range n {
		s.Put(x+i, y, text[i:i+1], st)
	}
	return min(len(text), maxw)
}

func putClusters(s tcell.Screen, x, y int, text string, st tcell.Style) int {
	n, state, w := 0, -1, 0
	var cluster string
	for text != "" {
		cluster, text, w, state = nextCluster(text, state)
		if w > 0 {
			s.Put(x+n, y, cluster, st)
			n += w
		}
	}
	return n
}

// PrintWrapped draws a sentence over the first rows of r, wrapped, with a cell of margin, and returns the rest of r.
func PrintWrapped(s tcell.Screen, r Rect, text string, st tcell.Style) (rest Rect) {
	for _, line := range Wrap(text, r.W-2) {
		var row Rect
		if row, r = r.CutTop(1); row.Empty() {
			break
		}
		Print(s, row.X+1, row.Y, row.W-2, line, st)
	}
	return r
}

// PrintSpans draws spans one after the other in at most maxw cells and returns the cells used. The last one that does
// not fit is cut.
func PrintSpans(s tcell.Screen, x, y, maxw int, spans []Span, k *Look) int {
	n := 0
	for i := range spans {
		n += printText(s, x+n, y, maxw-n, spans[i].Text, orElse(spans[i].Style, k.Text), k.Glyphs.Ellipsis)
	}
	return n
}

// Fill blanks r in style st.
func Fill(s tcell.Screen, r Rect, st tcell.Style) {
	for y := r.Y; y < r.Y+r.H; y++ {
		repeat(s, r.X, y, r.W, " ", st)
	}
}

// HLine draws w cells of a horizontal rule.
func HLine(s tcell.Screen, x, y, w int, k *Look) {
	repeat(s, x, y, w, k.Glyphs.Horizontal, k.Rule)
}

func repeat(s tcell.Screen, x, y, w int, glyph string, st tcell.Style) {
	for i := range w {
		s.Put(x+i, y, glyph, st)
	}
}

// TitleLine draws a section's heading over the first row of r: a title, a rule, and the answer at its right (" Live
// bytes ───── peak 1.13 MiB at 61.0 ms"). The title is cut before the answer, which is dropped only if it leaves less
// than ten cells for the title.
func TitleLine(s tcell.Screen, r Rect, k *Look, title, answer string) {
	titleLine(s, r, k, title, nil, answer)
}

func titleLine(s tcell.Screen, r Rect, k *Look, title string, legend []LegendItem, answer string) {
	if r.Empty() {
		return
	}
	const margin, minTitle = 1, 10
	x, end, room := r.X, r.X+r.W, r.W-margin // room is that of the title
	if aw := Width(answer); answer != "" && aw+minTitle <= r.W {
		end -= aw
		Print(s, end, r.Y, aw, answer, k.Text)
		end--
		if room -= aw + 1; Width(title) > room {
			room -= 2 // a piece of the rule separates a title that is cut from the answer
		}
	}
	if title != "" {
		x += margin
		x += printText(s, x, r.Y, room, title, k.Title, k.Glyphs.Ellipsis) + 1
	}
	for _, item := range legend {
		w := Width(item.Text) + 2
		if x+w+1 >= end {
			break
		}
		s.Put(x, r.Y, k.Glyphs.Bullet, item.Style)
		Print(s, x+2, r.Y, w, item.Text, k.Muted)
		x += w + 1
	}
	HLine(s, x, r.Y, end-x, k)
}
