package term

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// cell is one position of the screen. The cell to the right of a wide text keeps its old content; tcell skips it while
// the wide text is there.
type cell struct {
	text  string // one grapheme cluster; "" is a blank
	style styleID
	width uint8 // 1 or 2; 0 counts as 1
}

// maxMarks and maxRunes bound a cluster: stacked combining marks are used to deface screens, while emoji sequences need
// up to ten runes.
const (
	maxMarks = 4
	maxRunes = 16
)

// asciiText and drawingText are the strings of the most common cells, concatenated, so that a rune becomes a string
// without an allocation.
const asciiText = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"

const (
	firstDrawing = 0x2500 // box drawing … braille, all three bytes and one column
	lastDrawing  = 0x28ff
)

var drawingText = func() string {
	var b strings.Builder
	for r := rune(firstDrawing); r <= lastDrawing; r++ {
		b.WriteRune(r)
	}
	return b.String()
}()

// narrowDrawing reports whether a rune of firstDrawing…lastDrawing is one column wide in every terminal: those that
// emoji fonts widen are not.
func narrowDrawing(r rune) bool {
	return r >= firstDrawing && r < 0x25fd || r >= 0x2800 && r <= lastDrawing
}

// runeText returns r as a cell's text if that needs no further checks.
func runeText(r rune) (string, bool) {
	if r >= ' ' && r <= '~' {
		return asciiText[r-' ':][:1], true
	}
	if narrowDrawing(r) {
		return drawingText[(r-firstDrawing)*3:][:3], true
	}
	return "", false
}

// firstCell splits the first cell off a non-empty string: its text, cleaned of everything that could control the
// terminal, the rest, and the width, which is never 0. It allocates only for cleaned texts.
func firstCell(s string) (text, rest string, width int) {
	if c := s[0]; c >= ' ' && c <= '~' {
		if len(s) == 1 || s[1] < utf8.RuneSelf {
			return s[:1], s[1:], 1
		}
	} else if c == 0xe2 && (len(s) == 3 || len(s) > 3 && s[3] < utf8.RuneSelf) {
		if r, n := utf8.DecodeRuneInString(s); n == 3 && narrowDrawing(r) {
			return s[:3], s[3:], 1
		}
	}
	return firstCluster(s)
}

func firstCluster(s string) (text, rest string, width int) {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 || unsafeRune(r) {
		return picture(r), s[n:], 1
	}
	text, rest, width, _ = uniseg.FirstGraphemeClusterInString(s, -1)
	if width == 0 { // a mark without a base would appear in another cell
		return string(unicode.ReplacementChar), rest, 1
	}
	if clean := cleanCluster(text); len(clean) != len(text) {
		text = clean
		width = max(1, uniseg.StringWidth(clean))
	}
	if width > 2 { // letters joined in ways that no terminal supports
		text = text[:n]
		if width = max(1, uniseg.StringWidth(text)); width > 2 {
			return string(unicode.ReplacementChar), rest, 1
		}
	}
	return text, rest, width
}

// cleanCluster removes invalid parts from a cluster whose first rune is valid: control and format runes, and marks
// beyond the bounds.
func cleanCluster(s string) string {
	marks, runes, bad := 0, 0, false
	for i, r := range s {
		runes++
		if unicode.In(r, unicode.Mn, unicode.Me) {
			marks++
		}
		bad = bad || i > 0 && (r == utf8.RuneError || unsafeRune(r))
	}
	if !bad && marks <= maxMarks && runes <= maxRunes {
		return s
	}
	var b strings.Builder
	marks, runes = 0, 0
	for _, r := range s {
		mark := unicode.In(r, unicode.Mn, unicode.Me)
		if mark {
			marks++
		}
		if r == utf8.RuneError || unsafeRune(r) || mark && marks > maxMarks || runes >= maxRunes {
			continue
		}
		runes++
		b.WriteRune(r)
	}
	return b.String()
}

// unsafeRune reports the runes that control a terminal, or change the display of the text, instead of being visible:
// control, format (bidirectional marks, zero width space, byte order mark, tags) and line separators. The joiner of
// emoji sequences is not one of them.
func unsafeRune(r rune) bool {
	if r < ' ' || r == 0x7f {
		return true
	}
	if r < 0x80 || r == '\u200d' {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// picture returns the replacement of an unsafe rune: Unicode's control pictures, otherwise the replacement character.
// Each is one column wide.
func picture(r rune) string {
	switch {
	case r >= 0 && r < ' ':
		return string(0x2400 + r)
	case r == 0x7f:
		return "\u2421"
	}
	return string(unicode.ReplacementChar)
}
