package memtest

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"
)

// Cells is what Dump reads: a tcell.Screen, or anything that draws into cells.
type Cells interface {
	Size() (width, height int)
	Get(x, y int) (text string, style tcell.Style, width int)
}

// Dump writes a screen as text: its rows between bars (so that trailing blanks
// are seen), "--", and the runs of cells that are not in the default style as
// "row:first-last fg/bg attributes". Colours are "#rrggbb", a palette number, or
// "-" for the default.
func Dump(s Cells) string {
	var rows, runs strings.Builder
	w, h := s.Size()
	for y := range h {
		rows.WriteByte('|')
		dumpRow(s, y, w, &rows, &runs)
		rows.WriteString("|\n")
	}
	return rows.String() + "--\n" + runs.String()
}

func dumpRow(s Cells, y, w int, rows, runs *strings.Builder) {
	start, current := 0, ""
	flush := func(end int, next string) {
		if next != current {
			if current != "" {
				fmt.Fprintf(runs, "%d:%d-%d %s\n", y, start, end-1, current)
			}
			start, current = end, next
		}
	}
	for x := 0; x < w; {
		text, style, width := s.Get(x, y)
		rows.WriteString(text)
		flush(x, styleName(style))
		x += max(1, width)
	}
	flush(w, "")
}

// styleName describes a style, "" for the default one.
func styleName(style tcell.Style) string {
	if style == tcell.StyleDefault {
		return ""
	}
	fg, bg, attrs := style.Decompose()
	name := colorName(fg) + "/" + colorName(bg)
	for _, a := range [...]struct {
		mask tcell.AttrMask
		name string
	}{
		{tcell.AttrBold, "bold"}, {tcell.AttrDim, "dim"}, {tcell.AttrItalic, "italic"},
		{tcell.AttrUnderline, "underline"}, {tcell.AttrReverse, "reverse"},
		{tcell.AttrBlink, "blink"}, {tcell.AttrStrikeThrough, "strike"},
	} {
		if attrs&a.mask != 0 {
			name += " " + a.name
		}
	}
	return name
}

func colorName(c tcell.Color) string {
	switch {
	case c == tcell.ColorDefault:
		return "-"
	case c.IsRGB():
		return fmt.Sprintf("#%06x", c.Hex())
	case c.Valid():
		return fmt.Sprint(uint64(c &^ tcell.ColorValid))
	}
	return "?"
}
