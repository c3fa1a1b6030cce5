package calltree

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/analysis/near"
	"github.com/memtui/memtui/model"
)

// Unmatched is a step of a filter that matches no frame: it leaves out everything or nothing.
type Unmatched struct {
	Step Step
	Near []string // names that the user may have meant, nearest first
}

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
			if u.Near, err = Near(ctx, all[i], step.Name, near.Names); err != nil {
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

// nearMost is the number of names that are compared.
const nearMost = 1 << 18

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
	list := near.NewList(typed)
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
		_, bare := targetOf(withoutArguments(model.Matched(name)))
		list.AddAs(name, bare)
	}
	return list.First(n), nil
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
