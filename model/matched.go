package model

import "unicode/utf8"

// maxMatched is the number of bytes of a name that are matched: the longest names that compilers write have a few
// thousand.
const maxMatched = 64 << 10

// Matched returns the part of a name that expressions, filters and searches match: its first 64 KiB, cut between two
// characters. On a name of a megabyte every match would take so long that the program stalls.
func Matched(name string) string { return cutName(name, maxMatched) }

// MaxName is the number of bytes of a name that are kept. A file of some kilobytes can hold a name of hundreds of
// megabytes, which every table would repeat.
const MaxName = 1 << 20

// LongName is the message of loaders, with the code name-length, about a name of which they keep the beginning.
const LongName = "a name is longer than the limit of 1 MiB, which applies to every name: the rest was left out"

// KeptName returns the part of a name that is kept: its first MaxName bytes, cut between two characters.
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
