// Package near finds the names that a misspelled or incomplete one may mean.
package near

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/memtui/memtui/analysis/funcname"
)

// Names is the number of names that are suggested for one that matches nothing.
const Names = 3

// Limits of the search for similar names.
const (
	oneIn  = 3  // one letter in this many of a name may differ
	oneIns = 4  // one letter in this many of a part of a word may differ
	long   = 64 // letters of the longest names whose letters are compared
)

// Distances of names that are alike in other ways than by their letters.
const (
	begins = 1 + iota
	contains
	misspelled                     // and the number of letters that differ
	shares     = misspelled + long // and the number of letters that do not agree
	within     = 4 * long
)

// List collects names that are near a typed one.
type List struct {
	typed string
	all   []named
}

type named struct {
	name     string
	distance int
}

// NewList returns a list for a typed name.
func NewList(typed string) *List { return &List{typed: strings.ToLower(typed)} }

// AddAs adds a name, compared by a form of it, if it is near. Each name should be added once.
func (l *List) AddAs(name, form string) {
	if d := distance(strings.ToLower(form), l.typed); d >= 0 && name != "" {
		l.all = append(l.all, named{name, d})
	}
}

// First returns at most n names, nearest first.
func (l *List) First(n int) (names []string) {
	slices.SortFunc(l.all, func(a, b named) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(len(a.name), len(b.name)), strings.Compare(a.name, b.name))
	})
	for _, a := range l.all[:min(n, len(l.all))] {
		names = append(names, a.name)
	}
	return names
}

// Of returns at most n of some names that a word may mean, nearest first.
func Of(word string, names []string, n int) []string {
	l := NewList(word)
	for i, name := range names {
		if !slices.Contains(names[:i], name) {
			l.AddAs(name, name)
		}
	}
	return l.First(n)
}

// Sorted returns names by how near they are to a typed one, those that are not near last. Names that are equally near stay
// in their order. Each is there once.
func Sorted(typed string, names []string) []string {
	typed = strings.ToLower(typed)
	far, out := map[string]int{}, []string{}
	for _, name := range names {
		if _, ok := far[name]; ok {
			continue
		}
		out = append(out, name)
		if far[name] = distance(strings.ToLower(name), typed); far[name] < 0 {
			far[name] = math.MaxInt
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(far[a], far[b]) })
	return out
}

// distance returns how far a name is from the typed one, -1 if too far. Both are in lower case.
func distance(name, typed string) int {
	last, end := funcname.Last(name), funcname.Last(typed)
	switch {
	case typed == "":
		return -1
	case last == typed || name == typed:
		return 0
	case strings.HasPrefix(last, typed):
		return begins
	case strings.Contains(name, typed):
		return contains
	case len(typed) > long || len(last) > long:
		return -1
	}
	if d := Letters(last, end); d*oneIn <= len(end) {
		return misspelled + d
	}
	if d := Letters(name, typed); d*oneIn <= len(typed) && len(name) <= long {
		return misspelled + d
	}
	if d := sharedWords(name, typed); d >= 0 {
		return shares + d
	}
	if d := partOf(name, typed); d >= 0 {
		return within + d
	}
	return -1
}

// sharedWords returns how many letters of the typed words are in no word of a name, in any order of words. A typed word
// counts as far as it begins one of the other or the other begins it, and, if it is one with a few other letters, by the
// letters that agree. It is -1 where less than a third of the letters agree.
func sharedWords(name, typed string) int {
	const least = 2 // letters of a word
	theirs, shared, all := wordsOf(name), 0, 0
	for _, w := range wordsOf(typed) {
		same := 0
		for _, o := range theirs {
			if n := min(len(o), len(w)); n >= least && o[:n] == w[:n] {
				same = max(same, n)
			} else if d := Letters(o, w); d*oneIn <= len(w) {
				same = max(same, len(w)-d)
			}
		}
		shared, all = shared+same, all+len(w)
	}
	if shared == 0 || shared*oneIn < all {
		return -1
	}
	return all - shared
}

// partOf returns how many letters must change to make a typed name part of a word of a name, -1 if too many. Names that
// consist of several words are not searched for.
func partOf(name, typed string) int {
	if words := wordsOf(typed); len(words) != 1 || words[0] != typed {
		return -1
	}
	best := -1
	for _, o := range wordsOf(name) {
		if d := changes(o, typed, true); d*oneIns <= len(typed) && (best < 0 || d < best) {
			best = d
		}
	}
	return best
}

// wordsOf splits a name at everything other than letters and digits.
func wordsOf(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Letters returns the number of letters to insert, remove, replace or swap with their neighbor to turn a into b.
func Letters(a, b string) int { return changes(a, b, false) }

// changes returns the number of changes to turn a, or any part of it, into b.
func changes(a, b string, anyPart bool) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	least := len(b)
	for i := range len(a) {
		if next[0] = i + 1; anyPart {
			next[0] = 0
		}
		for j := range len(b) {
			change := row[j]
			if a[i] != b[j] {
				change++
			}
			next[j+1] = min(change, next[j]+1, row[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
		least = min(least, row[len(b)])
	}
	if anyPart {
		return least
	}
	return row[len(b)]
}

// mostListed is the number of names that [Some] lists where there is no near one.
const mostListed = 10

// Some returns the end of a message about a word that is not among many names: those that may be meant, or else the first
// ones.
func Some(word string, names []string) string {
	if like := Of(word, names, Names); len(like) > 0 {
		return "; did you mean " + strings.Join(like, " or ") + "?"
	}
	return First("; available: ", ", ", names)
}

// First returns the first of some names after a text, and how many others there are; "" for no names.
func First(before, between string, names []string) string {
	if len(names) == 0 {
		return ""
	}
	more := ""
	if n := len(names) - mostListed; n > 0 {
		more, names = " and "+strconv.Itoa(n)+" others", names[:mostListed]
	}
	return before + strings.Join(names, between) + more
}

// Available returns the end of a message about a word that is not among some names, with those and the one that may be meant.
func Available(word string, names []string) string {
	if best := Of(word, names, 1); len(best) > 0 {
		return "; did you mean " + best[0] + "? Available: " + strings.Join(names, ", ")
	}
	return "; available: " + strings.Join(names, ", ")
}
