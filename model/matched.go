package model

import "unicode/utf8"

// maxMatched is how many bytes of a name are looked at: the longest names that compilers write have a few thousand.
const maxMatched = 64 << 10

// Matched returns what of a name is looked at by expressions, filters and searches: its first 64 KiB, cut between two
// characters. A name of a megabyte would take an expression so long, again and again, that nothing else moves.
func Matched(name string) string { return cutName(name, maxMatched) }

// MaxName is how many bytes of a name are kept. A file of some kilobytes can hold one of hundreds of megabytes, which
// every table would repeat.
const MaxName = 1 << 20

// LongName is what loaders say, with the code name-length, of a name that they keep the beginning of.
const LongName = "a name is longer than the limit of 1 MiB, which applies to every name: the rest was left out"

// KeptName returns what is kept of a name: its first MaxName bytes, cut between two characters.
func KeptName[T string | []byte](name T) T { return cutName(name, MaxName) }

func cutName[T string | []byte](name T, most int) T {
	if len(name) <= most {
		return name
	}
	end := most
	for end > most-utf8.UTFMax && !utf8.RuneStart(name[end]) {
		end--
	}
	return name[:end]
}
