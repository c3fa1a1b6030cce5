package fleet

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/model"
)

// Site returns the name of the thing that a typed name means, among the places of all: the one of that name, or else the
// only one that begins so, or that a table cuts like that. The error says what else there is: what is like it first, and of
// what is alike that which comes first among the places.
func (w What) Site(typed string, all []Place) (string, error) {
	var like, names []string
	for _, p := range all {
		name := p.String()
		if p.Function == typed || name == typed {
			return typed, nil
		}
		if text := model.Clean(name); text == typed || strings.HasPrefix(text, typed) || isCut(typed, text) {
			like = append(like, name)
		}
		names = append(names, name)
	}
	switch like = near.Sorted(typed, like); len(like) {
	case 0:
		return "", fmt.Errorf("the fleet has no %s %q%s", strings.TrimSuffix(string(w), "s"), model.Clean(typed),
			model.Clean(near.Some(typed, names)))
	case 1:
		return like[0], nil
	}
	more := ""
	if w.Stacks() {
		more = ", or its STACK"
	}
	return "", fmt.Errorf("%q may be any of %s: give more of it%s", model.Clean(typed), model.Clean(near.First("", "; ", like)), more)
}

// Leading returns all places, some of them first. Each is there once, and places without a name are left out.
func Leading(first, all []Place) []Place {
	out, seen := make([]Place, 0, len(all)), map[Place]bool{{}: true}
	for _, p := range slices.Concat(first, all) {
		if !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	return out
}

// isCut reports whether a text is another one with an ellipsis in place of a part.
func isCut(text, whole string) bool {
	begin, end, ok := strings.Cut(strings.ReplaceAll(text, "...", "…"), "…")
	n := len(begin) + len(end)
	return ok && n > 0 && n <= len(whole) && strings.HasPrefix(whole, begin) && strings.HasSuffix(whole, end)
}
