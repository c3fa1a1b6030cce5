package object

import (
	"slices"
	"strings"
)

// screenNames maps names of columns to the words that screens use for them.
var screenNames = map[string]string{
	"alloc_bytes": "total", "alloc_count": "count", "live_count": "blocks", "temporary_count": "temp",
	"leaked_bytes": "leak bytes", "oldest_us": "age",
	"age_us": "oldest", "bytes": "size", "count": "blocks", "delta_count": "count", "delta_error_bytes": "error", "retained_count": "rows",
	"local_count": "locals", "references": "refs", "full_pages": "full", "partial_pages": "partial",
	"empty_pages": "empty", "hole_count": "holes",
	"returned_bytes": "reclaimable",
}

// ScreenWords returns the words that screens use for the figures of a table's columns.
func ScreenWords(name string, names []string) (words []string) {
	words = strings.Fields(screenNames[name])
	switch {
	case name == "bytes" && slices.Contains(names, "oldest_us"): // of leaks
		words = []string{"leaked", "leak"}
	case name == "bytes" && slices.Contains(names, "born_us"): // of blocks, each as large as its mean
		words = []string{"size", "mean", "live", "total", "peak"}
	case name == "bytes" && slices.Contains(names, "retained_bytes"): // of objects
		words = append(words, "self")
	}
	for _, unit := range []string{"_bytes", "_us", "_bits", "_count"} {
		if short, ok := strings.CutSuffix(name, unit); ok {
			words = append(words, short)
		}
	}
	return words
}
