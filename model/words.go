package model

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Blocks returns a number of blocks in words ("1 block", "7,028 blocks").
func Blocks(n uint64) string { return Counted(n, "block") }

// Counted returns a number of things in words, given one of them ("1 leak", "7,028 leaks", "2 branches"). A number
// below 0 counts as 0.
func Counted[N ~int | ~int64 | ~uint32 | ~uint64](n N, thing string) string {
	return CountedAs(n, thing, plural(thing))
}

// CountedAs is [Counted] for words that [plural] does not know ("2 rows are").
func CountedAs[N ~int | ~int64 | ~uint32 | ~uint64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Group(uint64(max(n, 0))) + " " + many
}

// plural returns the plural of a noun ("leak" gives "leaks", "branch" gives "branches", "library" gives "libraries");
// "series" stays.
func plural(noun string) string {
	before, isY := strings.CutSuffix(noun, "y")
	switch {
	case strings.HasSuffix(noun, "series"):
		return noun
	case isY && before != "" && !strings.ContainsRune("aeiou", rune(before[len(before)-1])):
		return before + "ies"
	}
	for _, end := range [...]string{"s", "x", "z", "ch", "sh"} {
		if strings.HasSuffix(noun, end) {
			return noun + "es"
		}
	}
	return noun + "s"
}

// Capital returns a text with its first letter capitalized.
func Capital(s string) string {
	first, n := utf8.DecodeRuneInString(s)
	if n == 0 || first == utf8.RuneError {
		return s
	}
	return string(unicode.ToUpper(first)) + s[n:]
}
