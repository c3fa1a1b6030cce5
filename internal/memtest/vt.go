package memtest

import (
	"encoding/base64"
	"fmt"
	"sort"
	"strings"

	"github.com/rivo/uniseg"
)

// Cell is one position of an emulated screen. The position to the right of a wide text has Text "" and Width 0.
type Cell struct {
	Text  string
	Width int
	Style Style
}

// Style is how a cell looks. Colors are "" (the terminal's own), "3" (of the palette) or "#rrggbb".
type Style struct {
	Fg, Bg string
	Attrs  string // of "bdiuvkr" (bold dim italic underline reverse blink strike), in that order
}

// VT is a terminal emulator that interprets tcell's output, for reading the screen of a program and the state in which
// it leaves the terminal. It sends no responses. It is not safe for concurrent use.
type VT struct {
	W, H      int
	CursorX   int
	CursorY   int
	Modes     map[string]bool // private modes as "?25", kitty keyboard as "kitty", other keys as "modifyOtherKeys"
	Titles    []string        // titles set, in order
	Clipboard []string        // decoded OSC 52 texts, in order
	Unknown   []string        // unknown sequences, printable
	Bytes     int             // number received
	Keypad    bool
	OwnErase  bool // erases with its own background instead of that of the current style (no bce)

	main, alt []Cell
	inAlt     bool
	style     Style
	acs       bool
	wrapNext  bool
	kitty     int
	buf       []byte // an incomplete sequence or rune
}

// NewVT returns an emulator in the usual state of terminals.
func NewVT(w, h int) *VT {
	v := &VT{W: w, H: h, Modes: map[string]bool{"?7": true, "?25": true}}
	v.main, v.alt = blank(w*h), blank(w*h)
	return v
}

func blank(n int) []Cell {
	cells := make([]Cell, n)
	for i := range cells {
		cells[i] = Cell{Text: " ", Width: 1}
	}
	return cells
}

// Resize changes the size, keeping what still fits.
func (v *VT) Resize(w, h int) {
	resized := func(old []Cell) []Cell {
		cells := blank(w * h)
		for y := range min(h, v.H) {
			copy(cells[y*w:y*w+min(w, v.W)], old[y*v.W:])
		}
		return cells
	}
	v.main, v.alt = resized(v.main), resized(v.alt)
	v.W, v.H = w, h
	v.CursorX, v.CursorY = min(v.CursorX, w-1), min(v.CursorY, h-1)
}

// Alt reports whether the alternate screen is shown.
func (v *VT) Alt() bool { return v.inAlt }

func (v *VT) cells() []Cell {
	if v.inAlt {
		return v.alt
	}
	return v.main
}

// Looks returns a style without what a cell of that text does not show.
func (s Style) Looks(text string) Style {
	if text == " " && !strings.ContainsAny(s.Attrs, "ukvr") {
		return Style{Bg: s.Bg}
	}
	return s
}

// At returns the cell at a position of the displayed screen.
func (v *VT) At(x, y int) Cell { return v.cells()[y*v.W+x] }

// Text returns the rows of the displayed screen, without trailing blanks, each ended by a newline.
func (v *VT) Text() string {
	var b strings.Builder
	for y := range v.H {
		b.WriteString(strings.TrimRight(v.Row(y), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// Row returns one complete row.
func (v *VT) Row(y int) string {
	var b strings.Builder
	for x := range v.W {
		b.WriteString(v.At(x, y).Text)
	}
	return b.String()
}

// Residue lists the differences from the state of a new terminal: none after a program that cleaned up. The screen's
// content and the cursor's position do not count.
func (v *VT) Residue() []string {
	var left []string
	for mode, on := range v.Modes {
		if on != (mode == "?7" || mode == "?25") && mode != "?12" { // ?12: a blinking cursor, as terminfo has it
			left = append(left, fmt.Sprintf("%s=%t", mode, on))
		}
	}
	if v.inAlt {
		left = append(left, "alternate screen")
	}
	if v.Keypad {
		left = append(left, "application keypad")
	}
	if v.style != (Style{}) {
		left = append(left, fmt.Sprintf("style %+v", v.style))
	}
	if v.acs {
		left = append(left, "alternate characters")
	}
	sort.Strings(left)
	return left
}

// put draws a rune at the cursor, or joins it to the previous cluster.
func (v *VT) put(r rune) {
	if v.acs {
		if s, ok := acs[r]; ok {
			r = s
		}
	}
	if r >= 0x80 && v.join(r) {
		return
	}
	width := 1
	if r >= 0x80 {
		width = max(1, uniseg.StringWidth(string(r)))
	}
	if v.wrapNext && v.Modes["?7"] {
		v.CursorX, v.wrapNext = 0, false
		v.lineFeed()
	}
	if v.CursorX+width > v.W {
		v.CursorX = max(0, v.W-width)
	}
	v.store(v.CursorX, v.CursorY, Cell{Text: string(r), Width: width, Style: v.style})
	v.advance(width)
}

func (v *VT) advance(width int) {
	v.CursorX += width
	if v.CursorX >= v.W {
		v.CursorX, v.wrapNext = v.W-1, true
	}
}

// join adds r to the cluster that ends at the cursor, if they form one.
func (v *VT) join(r rune) bool {
	x := v.CursorX - 1
	if v.wrapNext {
		x = v.CursorX
	}
	if x >= 0 && v.At(x, v.CursorY).Width == 0 {
		x--
	}
	if x < 0 {
		return false
	}
	before := v.At(x, v.CursorY)
	joined := before.Text + string(r)
	if uniseg.GraphemeClusterCount(joined) != 1 {
		return false
	}
	width := min(2, max(1, uniseg.StringWidth(joined)))
	v.store(x, v.CursorY, Cell{Text: joined, Width: width, Style: before.Style})
	v.CursorX, v.wrapNext = x, false
	v.advance(width)
	return true
}

// store writes a cell and blanks the other half of every wide cell that it overwrites partly.
func (v *VT) store(x, y int, c Cell) {
	if x < 0 || y < 0 || x >= v.W || y >= v.H {
		return
	}
	row := v.cells()[y*v.W : (y+1)*v.W]
	for i := x; i < min(x+c.Width, v.W); i++ {
		if row[i].Width == 0 && i > 0 {
			row[i-1].Text, row[i-1].Width = " ", 1
		}
		if row[i].Width == 2 && i+1 < v.W {
			row[i+1].Text, row[i+1].Width = " ", 1
		}
	}
	row[x] = c
	if c.Width == 2 && x+1 < v.W {
		row[x+1] = Cell{Style: c.Style}
	}
}

func (v *VT) lineFeed() {
	if v.CursorY < v.H-1 {
		v.CursorY++
		return
	}
	cells := v.cells()
	copy(cells, cells[v.W:])
	copy(cells[(v.H-1)*v.W:], blank(v.W))
}

// erase blanks cells from one position to another, in reading order, excluding to.
func (v *VT) erase(from, to int) {
	style := Style{Bg: v.style.Bg}
	if v.OwnErase {
		style.Bg = ""
	}
	for i := max(from, 0); i < min(to, v.W*v.H); i++ {
		v.store(i%v.W, i/v.W, Cell{Text: " ", Width: 1, Style: style})
	}
}

// acs is the line drawing set of old terminals.
var acs = map[rune]rune{
	'j': '┘', 'k': '┐', 'l': '┌', 'm': '└', 'n': '┼', 'q': '─', 't': '├', 'u': '┤', 'v': '┴', 'w': '┬', 'x': '│',
}

// osc handles an operating system command without its delimiters.
func (v *VT) osc(s string) {
	code, rest, _ := strings.Cut(s, ";")
	switch code {
	case "0", "1", "2":
		v.Titles = append(v.Titles, rest)
	case "52":
		_, data, _ := strings.Cut(rest, ";")
		text, err := base64.StdEncoding.DecodeString(data)
		if err != nil {
			v.unknown("\x1b]" + s)
			return
		}
		v.Clipboard = append(v.Clipboard, string(text))
	case "8", "112":
		if rest == ";" || code == "112" { // the end of a link, the cursor's own color
			return
		}
		v.unknown("\x1b]" + s)
	default:
		v.unknown("\x1b]" + s)
	}
}

func (v *VT) unknown(s string) { v.Unknown = append(v.Unknown, fmt.Sprintf("%q", s)) }
