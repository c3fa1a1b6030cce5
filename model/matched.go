package model

import "unicode/utf8"

// maxMatched is how many bytes of a name are looked at: the longest names that compilers write have a few thousand.
const maxMatched = 64 << 10

// Matched returns what of a name is looked at by expressions, filters and searches: its first 64 KiB, cut between two
// characters. A name of hundreds of megabytes would take an expression seconds, during which nothing can stop it.
func Matched(name string) string {
	if len(name) <= maxMatched {
		return name
	}
	end := maxMatched
	for end > maxMatched-utf8.UTFMax && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end]
}
