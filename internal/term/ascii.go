package term

import (
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
)

// charset rewrites cells for a terminal that cannot show all of Unicode. A nil charset changes nothing.
type charset struct {
	// native has runes beyond ASCII that the terminal draws by its own means (the line drawing set of old terminals).
	native map[rune]bool
}

// lineDrawing pairs terminfo's names of the alternate characters with runes.
const lineDrawing = "j┘k┐l┌m└n┼q─t├u┤v┴w┬x│"

// newCharset returns the charset of a terminal without Unicode whose terminfo acsc string is given; with "" it is ASCII
// only.
func newCharset(altChars string) *charset {
	c := &charset{native: map[rune]bool{}}
	for i := 0; i+1 < len(altChars); i += 2 {
		if at := strings.IndexByte(lineDrawing, altChars[i]); at >= 0 {
			r, _ := utf8.DecodeRuneInString(lineDrawing[at+1:])
			c.native[r] = true
		}
	}
	return c
}

// showsUnicode reports whether tcell can send the characters of our screens in a character set.
func showsUnicode(name string) bool {
	enc := tcell.GetEncoding(name)
	if enc == nil {
		return false
	}
	for _, r := range "─║⣿█▸é" {
		if out, err := enc.NewEncoder().String(string(r)); err != nil || out == "" || out[0] == '\x1a' {
			return false
		}
	}
	return true
}

// rewrite returns what to draw instead of a cluster. Its width is 1; for a wide cluster the caller adds a blank.
func (c *charset) rewrite(text string) string {
	r, n := utf8.DecodeRuneInString(text)
	if r >= ' ' && r <= '~' {
		return text[:1] // without its marks
	}
	if n == len(text) && c.native[r] {
		return text
	}
	s, _ := runeText(asciiOf(r))
	return s
}

// asciiOf returns the printable ASCII character most similar to r, or '?'.
func asciiOf(r rune) rune {
	switch {
	case r >= 0x2800 && r <= 0x28ff: // braille: the more dots, the more ink
		return rune(" ..::+*##"[bits.OnesCount8(uint8(r-0x2800))])
	case r >= 0x2500 && r <= 0x257f:
		return asciiOfBox(r)
	case r >= 0xc0 && r <= 0xff:
		return rune(latin1[r-0xc0])
	}
	if i := strings.IndexRune(lookalikes, r); i >= 0 {
		i += utf8.RuneLen(r)
		return rune(lookalikes[i])
	}
	return '?'
}

// asciiOfBox converts single, heavy, double and dashed lines: straight ones keep their direction, everything else is a
// crossing.
func asciiOfBox(r rune) rune {
	switch {
	case strings.ContainsRune("─━┄┅┈┉╌╍╴╶╸╺╼╾", r):
		return '-'
	case strings.ContainsRune("│┃┆┇┊┋╎╏╵╷╹╻╽╿║", r):
		return '|'
	case r == '═':
		return '='
	case r == '╱':
		return '/'
	case r == '╲':
		return '\\'
	case r == '╳':
		return 'X'
	}
	return '+'
}

// latin1 is U+00C0…U+00FF without accents.
const latin1 = "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTsaaaaaaaceeeeiiiidnooooo/ouuuuyty"

// lookalikes is pairs of a rune and its ASCII character.
const lookalikes = "▁_▂.▃:▄-▅=▆+▇*█#" + "▀\"▌=▐=▉#▊#▋=▍-▎-▏." + "░.▒:▓%" +
	"▔-▕|▖.▗.▘'▝'▙#▚%▛#▜#▞%▟#■#□o▪*▫.▬=" +
	"←<↑^→>↓v↔-↕|⇐<⇒>⇑^⇓v↩<↪>⏎<↳>↵<" +
	"▲^△^▴^▵^▼v▽v▾v▿v▶>▷>▸>▹>►>◀<◁<◂<◃<◄<" +
	"◆*◇o◈*●*○o◉@◌o◍o◎@◐o◑o◒o◓o◯o◦o•*·.∙.‣>⁃-★*☆*♦*" +
	"…~⋯~⋮:–-—-−-‐-‑-‒-―-“\"”\"„\"‘'’'‚,«<»>‹<›>" +
	"×x÷/±+≤<≥>≠!≈~≡=∞8√vΔdδdΣSσsπpµuμu²2³3¹1°o∅0∑S∏P∙.⊕+⊗x⊘0" +
	"✓v✔v✕x✖x✗x✘x⚠!⚡!⚑P⚐P⌘#⌥%⇧^⌃^␣_⎺-⎻-⎼_⎽_∧^∨v§S¶P©c®r£#¥Y€E¢c¡!¿?"
