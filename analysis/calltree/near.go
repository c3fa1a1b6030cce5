package calltree

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/model"
)

// Unmatched is a step of a filter that matches no frame: it leaves out everything or nothing.
type Unmatched struct {
	Step Step
	Near []string // names that the user may have meant, nearest first
}

// NearNames is the number of names that are suggested for one that matches nothing.
const NearNames = 3

// FindUnmatched returns the steps of a filter that match no frame of any of the stacks; nil stacks are skipped. Stacks
// of which only a part was read count as matching. The error is that of ctx.
func FindUnmatched(ctx context.Context, filter Filter, all ...*model.Stacks) (out []Unmatched, err error) {
	all = slices.DeleteFunc(slices.Clone(all), func(s *model.Stacks) bool { return s == nil })
	for _, step := range filter.Steps() {
		matched := slices.ContainsFunc(all, func(s *model.Stacks) bool { return ofRecords(s, step) }) // not in stacks
		for i := 0; i < len(all) && !matched; i++ {
			if matched, err = matchesAny(ctx, all[i], step); err != nil {
				return nil, err
			}
		}
		if matched {
			continue
		}
		u := Unmatched{Step: step}
		for i := 0; i < len(all) && len(u.Near) == 0; i++ {
			if u.Near, err = Near(ctx, all[i], step.Name, NearNames); err != nil {
				return nil, err
			}
		}
		out = append(out, u)
	}
	return out, nil
}

// matchesAny reports whether a step matches a frame of the stacks that are known.
func matchesAny(ctx context.Context, s *model.Stacks, step Step) (bool, error) {
	if s.Partial {
		return true, nil
	}
	if ofStacks(step) {
		return len(wholeSteps(s, []Step{step})[0].leaves) > 0, nil
	}
	m := newFrameMatcher(s, step.Name)
	for f := 1; f < len(s.FrameFunc); f++ {
		if m.due() && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if m.matches(model.FrameID(f)) {
			return true, nil
		}
	}
	return false, nil
}

// Limits of the search for similar names.
const (
	nearMost   = 1 << 18 // names that are compared
	nearLetter = 3       // one letter in this many may differ
	nearLong   = 64      // letters of the longest names whose letters are compared
)

// Near returns at most n names that a step may have meant, nearest first, as tables show them. Where no function is
// near, files and modules are named. The error is that of ctx.
func Near(ctx context.Context, s *model.Stacks, step string, n int) (names []string, err error) {
	t, typed := targetOf(step)
	if t == byStack {
		return nil, nil
	}
	typed = strings.ToLower(strings.Trim(typed, "/"))
	if names, err = nearOf(ctx, s, t, typed, n); err != nil || len(names) > 0 || t != byFunction {
		return names, err
	}
	for _, t := range []target{byFile, byModule} {
		if names, err = nearOf(ctx, s, t, typed, n); err != nil || len(names) > 0 {
			break
		}
	}
	return names, err
}

// nearOf is Near among the names of one kind; typed is in small letters.
func nearOf(ctx context.Context, s *model.Stacks, t target, typed string, n int) ([]string, error) {
	type near struct {
		name     string
		distance int
	}
	var all []near
	seen := map[string]bool{}
	for f := 1; f < len(s.FrameFunc) && len(seen) < nearMost; f++ {
		if f%model.AskEvery == 1 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		name := nameFor(s, t, model.FrameID(f))
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		if d := distance(strings.ToLower(model.Matched(name)), typed); d >= 0 {
			all = append(all, near{name, d})
		}
	}
	slices.SortFunc(all, func(a, b near) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(len(a.name), len(b.name)), strings.Compare(a.name, b.name))
	})
	var out []string
	for _, a := range all[:min(n, len(all))] {
		out = append(out, a.name)
	}
	return out, nil
}

// nameFor returns the name of a frame in steps about a target, "" if it has none.
func nameFor(s *model.Stacks, t target, f model.FrameID) string {
	switch t {
	case byFile:
		if file := s.At(f).File; file != "" {
			return FilePrefix + path.Base(file)
		}
		return ""
	case byModule:
		if module := FrameModule(s, f); module != "" {
			return ModulePrefix + module
		}
		return ""
	}
	return funcname.Bare(model.Matched(s.Functions[s.FrameFunc[f]]))
}

// distance returns how far a name is from the typed one, -1 if too far. Both are in lower case.
func distance(name, typed string) int {
	_, bare := targetOf(withoutArguments(name))
	last := funcname.Last(bare)
	switch {
	case typed == "":
		return -1
	case last == typed || bare == typed:
		return 0
	case strings.HasPrefix(last, typed):
		return 1
	case strings.Contains(bare, typed):
		return 2
	case len(typed) > nearLong || len(last) > nearLong:
		return -1
	}
	const far = 3
	end := funcname.Last(typed)
	if d := letters(last, end); d*nearLetter <= len(end) {
		return far + d
	}
	if d := letters(bare, typed); d*nearLetter <= len(typed) && len(bare) <= nearLong {
		return far + d
	}
	return sharedWords(bare, typed)
}

// sharedWords says how far a name is from what was typed by the words of both, in any order: a word counts as far as it
// begins one of the other. It is -1 where less than a third of the letters do.
func sharedWords(name, typed string) int {
	const farther, least = 3 + nearLong, 2 // than names of similar letters; letters of a word
	theirs, shared, all := wordsOf(name), 0, 0
	for _, w := range wordsOf(typed) {
		same := 0
		for _, o := range theirs {
			if n := min(len(o), len(w)); n >= least && o[:n] == w[:n] {
				same = max(same, n)
			}
		}
		shared, all = shared+same, all+len(w)
	}
	if shared == 0 || shared*nearLetter < all {
		return -1
	}
	return farther + all - shared
}

// wordsOf splits a name at everything other than letters and digits.
func wordsOf(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// Nearest returns the one of some names that a word may mean, "" where none is near.
func Nearest(word string, names []string) (name string) {
	least := -1
	for _, n := range names {
		if d := distance(strings.ToLower(n), strings.ToLower(word)); n != "" && d >= 0 && (least < 0 || d < least) {
			name, least = n, d
		}
	}
	return name
}

// letters returns the number of letters to insert, remove or replace to turn a into b.
func letters(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := before
			if a[i] != b[j] {
				change++
			}
			before = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Names returns at most n names of functions, files or modules that complete typed, as [Step.Name] takes them; those
// that begin with it come first. The error is that of ctx.
func Names(ctx context.Context, s *model.Stacks, typed string, n int) ([]string, error) {
	t, _ := targetOf(typed)
	if t == byStack {
		return nil, nil
	}
	small := strings.ToLower(typed)
	var first, second []string
	seen := map[string]bool{}
	for f := 1; f < len(s.FrameFunc) && len(seen) < nearMost && len(first) < n; f++ {
		if f%model.AskEvery == 1 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		name := nameFor(s, t, model.FrameID(f))
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		switch lower := strings.ToLower(name); {
		case strings.HasPrefix(lower, small) || strings.HasPrefix(funcname.Last(lower), small):
			first = append(first, name)
		case strings.Contains(lower, small):
			second = append(second, name)
		}
	}
	slices.Sort(first)
	slices.Sort(second)
	out := append(first, second...)
	return out[:min(n, len(out))], nil
}
