package model

import "regexp"

var blockWord = regexp.MustCompile(`\bblock(s?)\b`)

// AsSamples returns a sentence about blocks as one about samples, for recordings of which not all blocks were recorded:
// their numbers are not those of the program's blocks. Names must not be in it.
func AsSamples(sentence string) string { return blockWord.ReplaceAllString(sentence, "sample$1") }
