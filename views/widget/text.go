package widget

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

const (
	maxMarks   = 4  // combining marks kept after one base character
	maxJoiners = 4  // characters kept together by zero-width joiners
	maxCluster = 64 // bytes of one character as seen by a person; longer ones are replaced
	ellipsis   = "…"
	joiner     = '\u200d'
	badCluster = "\ufffd"
)

// Clean makes a string from a file safe to print: control characters become their pictures (U+2400 …, DEL U+2421),
// invalid UTF-8 and invisible or direction-changing characters become U+FFFD, and combining marks beyond four are
// dropped. A clean string is returned as it is, without allocation.
func Clean(s string) string {
	i := plainLen(s)
	if i == len(s) {
		return s
	}
	var c cleaner
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if c.next(r, n) != r || r == utf8.RuneError && n == 1 {
			return cleanFrom(s)
		}
		i += n
	}
	return s
}

func cleanFrom(s string) string {
	var b strings.Builder
	b.Grow(len(s) + 8)
	var c cleaner
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r = c.next(r, n); r >= 0 {
			b.WriteRune(r)
		}
		i += n
	}
	return b.String()
}

// cleaner replaces one rune after the other; it remembers how long the current character has become.
type cleaner struct {
	marks, joiners int
	joined         bool // the last rune was a joiner
}

// next returns what represents r, which took n bytes: itself, a replacement, or -1 to drop it.
func (c *cleaner) next(r rune, n int) rune {
	switch {
	case r < 0x7f && r >= 0x20:
		*c = cleaner{}
		return r
	case r < 0x20:
		*c = cleaner{}
		return 0x2400 + r
	case r == 0x7f:
		*c = cleaner{}
		return 0x2421
	case r == joiner:
		if c.joiners++; c.joiners > maxJoiners {
			return unicode.ReplacementChar
		}
		c.joined = true
		return r
	case r == utf8.RuneError && n == 1:
		return unicode.ReplacementChar
	case r < 0xa0, unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp):
		return unicode.ReplacementChar
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc):
		if c.marks++; c.marks > maxMarks {
			return -1
		}
		return r
	}
	if !c.joined {
		c.joiners = 0
	}
	c.marks, c.joined = 0, false
	return r
}

// plain reports whether s is printable ASCII: one byte, one cell.
func plain(s string) bool { return plainLen(s) == len(s) }

// plainLen returns the length of the longest prefix of s that is printable ASCII. It looks at eight bytes at once: the
// high bit of one is set after a subtraction of 0x20 if it was lower, and after an addition of 1 if it was DEL. A byte
// only spoils those above it once its own high bit is set.
func plainLen(s string) int {
	const each = 0x0101010101010101
	i := 0
	for ; i+8 <= len(s); i += 8 {
		b := s[i : i+8]
		x := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
			uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
		if (x|(x-0x20*each)|(x+each))&(0x80*each) != 0 {
			break
		}
	}
	for i < len(s) && s[i] >= 0x20 && s[i] < 0x7f {
		i++
	}
	return i
}

// nextCluster splits the first character, as a person sees it, off a clean string. Excessively long ones and those
// wider than two cells are replaced, because terminals disagree on them.
func nextCluster(s string, state int) (cluster, rest string, width, newState int) {
	cluster, rest, width, newState = uniseg.FirstGraphemeClusterInString(s, state)
	if len(cluster) > maxCluster || width > 2 {
		return badCluster, rest, 1, newState
	}
	return cluster, rest, width, newState
}

// Width returns the number of cells that s takes when printed.
func Width(s string) int {
	if plain(s) {
		return len(s)
	}
	return cleanWidth(Clean(s))
}

func cleanWidth(s string) int {
	w, state, cw := 0, -1, 0
	for s != "" {
		_, s, cw, state = nextCluster(s, state)
		w += cw
	}
	return w
}

// Truncate cleans s and cuts it to at most w cells, ending in "…" when something was cut.
func Truncate(s string, w int) string {
	if plain(s) && len(s) <= w {
		return s
	}
	s = Clean(s)
	if w <= 0 {
		return ""
	}
	if len(s) <= w || cleanWidth(s) <= w {
		return s
	}
	return s[:prefixLen(s, w-1)] + ellipsis
}

// TruncateLeft is [Truncate] keeping the end: "…llector.cpp:17", for places in files.
func TruncateLeft(s string, w int) string {
	s = Clean(s)
	if w <= 0 {
		return ""
	}
	full := len(s)
	if !plain(s) {
		full = cleanWidth(s)
	}
	if full <= w {
		return s
	}
	return ellipsis + suffix(s, full-(w-1))
}

// TruncateMiddle is [Truncate] keeping both ends.
func TruncateMiddle(s string, w int) string {
	s = Clean(s)
	if w <= 0 {
		return ""
	}
	full := cleanWidth(s)
	if full <= w {
		return s
	}
	head := w / 2
	return s[:prefixLen(s, head)] + ellipsis + suffix(s, full-(w-1-head))
}

// prefixLen returns the number of bytes of clean s that fit into w cells.
func prefixLen(s string, w int) int {
	rest, state := s, -1
	for rest != "" {
		_, after, cw, st := nextCluster(rest, state)
		if cw > w {
			break
		}
		w -= cw
		rest, state = after, st
	}
	return len(s) - len(rest)
}

// suffix returns clean s without its first cells, at least skip of them.
func suffix(s string, skip int) string {
	state, cw := -1, 0
	for s != "" && skip > 0 {
		_, s, cw, state = nextCluster(s, state)
		skip -= cw
	}
	return s
}
