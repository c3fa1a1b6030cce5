package memtest

import (
	"fmt"
	"strings"

	"github.com/gdamore/tcell/v2"
)

// Cells is the input of Text and Styles: a tcell.Screen, or anything that is drawn in cells.
type Cells interface {
	Size() (width, height int)
	Get(x, y int) (text string, style tcell.Style, width int)
}

// Text returns the rows of a screen between bars, so that trailing blanks are visible.
func Text(s Cells) string {
	var out strings.Builder
	w, h := s.Size()
	for y := range h {
		out.WriteByte('|')
		for x := 0; x < w; {
			text, _, width := s.Get(x, y)
			out.WriteString(text)
			x += max(1, width)
		}
		out.WriteString("|\n")
	}
	return out.String()
}

// Styles describes the styles of a screen, one line for each row with a style: "row: first-last style, first-last
// style". name describes a style; cells for which it returns "" are left out.
func Styles(s Cells, name func(tcell.Style) string) string {
	var out strings.Builder
	_, h := s.Size()
	for y := range h {
		if runs := stylesOf(s, y, name); len(runs) > 0 {
			fmt.Fprintf(&out, "%d: %s\n", y, strings.Join(runs, ", "))
		}
	}
	return out.String()
}

func stylesOf(s Cells, y int, name func(tcell.Style) string) (runs []string) {
	w, _ := s.Size()
	start, current := 0, ""
	flush := func(end int, next string) {
		if next == current {
			return
		}
		switch {
		case current == "":
		case end-1 == start:
			runs = append(runs, fmt.Sprintf("%d %s", start, current))
		default:
			runs = append(runs, fmt.Sprintf("%d-%d %s", start, end-1, current))
		}
		start, current = end, next
	}
	for x := 0; x < w; {
		_, style, width := s.Get(x, y)
		flush(x, name(style))
		x += max(1, width)
	}
	flush(w, "")
	return runs
}

// StyleName describes a style by its colors and attributes, as in "#ff0000/- bold": "#rrggbb", or "-" for the
// terminal's own. The default style is "".
func StyleName(style tcell.Style) string {
	if style == tcell.StyleDefault {
		return ""
	}
	fg, bg, attrs := style.Decompose()
	return colorName(fg) + "/" + colorName(bg) + attrNames(attrs)
}

// colorName returns a color's RGB value: tcell has several names for some of them.
func colorName(c tcell.Color) string {
	if c == tcell.ColorDefault {
		return "-"
	}
	return fmt.Sprintf("#%06x", c.Hex())
}

// attrNames lists attributes, each after a blank.
func attrNames(attrs tcell.AttrMask) (names string) {
	for _, a := range [...]struct {
		mask tcell.AttrMask
		name string
	}{
		{tcell.AttrBold, "bold"}, {tcell.AttrDim, "dim"}, {tcell.AttrItalic, "italic"},
		{tcell.AttrUnderline, "underline"}, {tcell.AttrReverse, "reverse"},
		{tcell.AttrBlink, "blink"}, {tcell.AttrStrikeThrough, "strike"},
	} {
		if attrs&a.mask != 0 {
			names += " " + a.name
		}
	}
	return names
}
