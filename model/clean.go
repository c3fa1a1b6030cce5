package model

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxMarks is how many combining marks may follow one character: real scripts need three, "zalgo" names use hundreds.
const maxMarks = 4

// Clean makes a string of a file safe to print: no byte of the result moves the cursor, starts an escape sequence or
// reorders the line, and each input character stays visible. C0 controls become their Unicode pictures (newlines too),
// invalid UTF-8, other controls, bidirectional and invisible format characters become U+FFFD. A clean string is
// returned unchanged, without allocating.
func Clean(s string) string {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f {
			return cleanFrom(s, i)
		}
	}
	return s
}

// cleanFrom is Clean for a string whose first i bytes are known to be clean.
func cleanFrom(s string, i int) string {
	var out strings.Builder
	out.Grow(len(s) + 8)
	out.WriteString(s[:i])
	marks := 0
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if isMark := r >= 0x300 && unicode.Is(unicode.M, r); !isMark {
			marks = 0
			out.WriteRune(cleanRune(r, n))
		} else if marks++; marks <= maxMarks {
			out.WriteRune(r)
		}
		i += n
	}
	return out.String()
}

// cleanRune returns what is shown instead of a rune, which was read from n bytes.
func cleanRune(r rune, n int) rune {
	const zeroWidthJoiner = 0x200d
	switch {
	case r < ' ':
		return 0x2400 + r
	case r == 0x7f:
		return 0x2421
	case r < 0x7f, r == zeroWidthJoiner:
		return r
	case r == utf8.RuneError && n == 1, unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp):
		return utf8.RuneError
	}
	return r
}
