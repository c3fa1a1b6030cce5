// Package cells fits text into cells of a terminal and of tables in Markdown, and draws bars and curves with them.
package cells

import (
	"strings"
	"unicode"
)

// Width returns how many terminal cells s takes: 2 for East Asian wide characters and most emoji, 0 for combining
// marks.
func Width(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

func runeWidth(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case r == 0x200d || unicode.Is(unicode.M, r):
		return 0
	case r < 0x1100:
		return 1
	case r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf && r != 0x303f, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1f64f, r >= 0x1f680 && r <= 0x1f6ff, r >= 0x1f900 && r <= 0x1f9ff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}

// Fit cuts s to at most n cells, with mark at the end where something was cut.
func Fit(s string, n int, mark string) string {
	if Width(s) <= n {
		return s
	}
	n -= Width(mark)
	if n < 0 {
		return ""
	}
	used := 0
	for i, r := range s {
		w := runeWidth(r)
		if used+w > n {
			return s[:i] + mark
		}
		used += w
	}
	return s
}

// FitName is Fit for names of functions, which first lose the folders before their package.
func FitName(s string, n int, mark string) string {
	if Width(s) > n {
		if i := strings.LastIndexByte(s[:nameEnd(s)], '/'); i > 0 && i+1 < len(s) {
			s = mark + s[i+1:]
		}
	}
	return Fit(s, n, mark)
}

// nameEnd returns where the arguments of a name begin, or a sentence.
func nameEnd(s string) int {
	if i := strings.IndexAny(s, "([<{ "); i >= 0 {
		return i
	}
	return len(s)
}

// FitTail is Fit that keeps the end of s: for file:line.
func FitTail(s string, n int, mark string) string {
	over := Width(s) - n
	if over <= 0 {
		return s
	}
	over += Width(mark)
	for i, r := range s {
		if over <= 0 {
			return mark + s[i:]
		}
		over -= runeWidth(r)
	}
	return ""
}

// FitEnds is Fit that keeps both ends of s: for functions with their file:line.
func FitEnds(s string, n int, mark string) string {
	if Width(s) <= n {
		return s
	}
	head := Fit(s, max(n-Width(mark), 0)/2, "")
	return Fit(head+mark, n, "") + FitTail(s, max(n-Width(head)-Width(mark), 0), "")
}

// Pad fills s with blanks to n cells, at its left side when right is set (so that s is at the right).
func Pad(s string, n int, right bool) string {
	missing := n - Width(s)
	if missing <= 0 {
		return s
	}
	if right {
		return strings.Repeat(" ", missing) + s
	}
	return s + strings.Repeat(" ", missing)
}

// Wrapped cuts a sentence into lines at blanks.
func Wrapped(text string, width int) (lines []string) {
	line := ""
	for _, w := range strings.Fields(text) {
		if line != "" && Width(line)+1+Width(w) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	return append(lines, line)
}
