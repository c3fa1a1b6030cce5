package stacks

import (
	"context"

	"github.com/memtui/memtui/views/ui"
)

// searchKey determines what a search finds.
type searchKey struct {
	in   *weighed
	text string
}

// found is what a search found in a weighed call tree.
type found struct {
	key    searchKey
	hit    map[int32]bool // by label
	below  []bool         // by node: it or something below it weighs something and matches
	weight uint64         // of the stacks with a match, each once
}

// findNames looks for the matching functions of a tree.
func findNames(ctx context.Context, key searchKey) (*found, error) {
	f := &found{key: key, hit: map[int32]bool{}, below: make([]bool, key.in.Len())}
	if key.text == "" {
		return f, nil
	}
	match, seen := ui.NameMatcher(key.text), map[int32]bool{}
	for n := key.in.Len() - 1; n > 0; n-- {
		if n&0xffff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		l := key.in.Label(int32(n))
		if !seen[l] {
			seen[l] = true
			if match(key.in.Name(int32(n))) {
				f.hit[l] = true
			}
		}
		if key.in.Total[n] > 0 && (f.below[n] || f.hit[l]) {
			f.below[n] = true
			f.below[key.in.Parent(int32(n))] = true
		}
	}
	f.weight = key.in.Matching(match)
	return f, nil
}

// matches reports whether a node's name matches.
func (f *found) matches(n int32) bool { return n > 0 && f.hit[f.key.in.Label(n)] }

// next returns the match after n in the order of the fully opened tree, heaviest first, wrapping around at the end; ok
// is false if nothing matches.
func (f *found) next(n int32) (match int32, ok bool) {
	if !f.below[0] {
		return 0, false
	}
	for at := f.after(n, true); ; at = f.after(at, true) {
		if at < 0 {
			at = 0
			continue
		}
		if f.matches(at) {
			return at, true
		}
	}
}

// after returns the next node of the tree's order that has a match in or below it, -1 at the end. Without into it skips
// what is below n.
func (f *found) after(n int32, into bool) int32 {
	if into {
		for _, c := range f.key.in.Children(n) {
			if f.below[c] {
				return c
			}
		}
	}
	for ; n > 0; n = f.key.in.Parent(n) {
		passed := false
		for _, c := range f.key.in.Children(f.key.in.Parent(n)) {
			if passed && f.below[c] {
				return c
			}
			passed = passed || c == n
		}
	}
	return -1
}

// previous returns the match before n in the same order, wrapping around at the top.
func (f *found) previous(n int32) (match int32, ok bool) {
	if !f.below[0] {
		return 0, false
	}
	for at := f.before(n); ; at = f.before(at) {
		if f.matches(at) {
			return at, true
		}
	}
}

// before returns the node before n in the tree's order among those that have a match in or below them; before the root
// comes the last.
func (f *found) before(n int32) int32 {
	if n == 0 {
		return f.last(0)
	}
	best := int32(-1)
	for _, c := range f.key.in.Children(f.key.in.Parent(n)) {
		if c == n {
			break
		}
		if f.below[c] {
			best = c
		}
	}
	if best < 0 {
		return f.key.in.Parent(n)
	}
	return f.last(best)
}

// last returns the last node below n, or n itself.
func (f *found) last(n int32) int32 {
	for {
		best := int32(-1)
		for _, c := range f.key.in.Children(n) {
			if f.below[c] {
				best = c
			}
		}
		if best < 0 {
			return n
		}
		n = best
	}
}
