package keymap

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Merge overlays the user's bindings, given as the `bind` and `unbind` lines of a config file:
//
//	bind = <scope>.<action> <key> [<key>…]     these keys replace those it had in that scope
//	unbind = <scope>.<action> [<key>…]         removes these keys, or all
//
// Keys may be swapped: conflicts are detected after the last line. Every error names its line; after an error m is
// unchanged.
func (m *Map) Merge(lines []Line) error {
	next := &Map{bindings: slices.Clone(m.bindings)}
	changed := map[place]int{} // key → line that gave it
	var errs []error
	for _, l := range lines {
		if err := next.apply(l, changed); err != nil {
			errs = append(errs, fmt.Errorf("line %d: %w", l.Number, err))
		}
	}
	if err := next.reindex(); err != nil {
		if clash, ok := errors.AsType[*conflictError](err); ok {
			err = fmt.Errorf("line %d: %w", changed[clash.place], err)
		}
		errs = append(errs, err)
	}
	if len(errs) == 0 && len(next.Keys(Quit, ScopeGlobal)) == 0 {
		errs = append(errs, fmt.Errorf("%s.%s must keep a key", ScopeGlobal, Quit))
	}
	if len(errs) > 0 {
		return errors.Join(errs...)
	}
	*m = *next
	return nil
}

func (m *Map) apply(l Line, changed map[place]int) error {
	words := strings.Fields(l.Value)
	if len(words) == 0 || l.Key == "bind" && len(words) == 1 {
		return fmt.Errorf("%s needs scope.action and keys", l.Key)
	}
	b, err := m.binding(words[0])
	if err != nil {
		return err
	}
	keys, err := parseChords(words[1:])
	if err != nil {
		return err
	}
	switch l.Key {
	case "bind":
		for _, c := range keys {
			if b.Scope == ScopeInput && c.Key == KeyRune && c.Mod == 0 {
				return fmt.Errorf("%s cannot be a key while typing: it is text", c)
			}
			changed[place{b.Scope, c}] = l.Number
		}
		b.Keys = keys
	case "unbind":
		if len(keys) == 0 {
			b.Keys = nil
		}
		b.Keys = slices.DeleteFunc(slices.Clone(b.Keys), func(c Chord) bool { return slices.Contains(keys, c) })
	default:
		return fmt.Errorf("%q is neither bind nor unbind", l.Key)
	}
	return nil
}

// binding finds the binding of scope.action to change it. If the action is not bound in the scope, it is added.
func (m *Map) binding(name string) (*Binding, error) {
	s, a, ok := strings.Cut(name, ".")
	scope, action := Scope(s), Action(a).Current()
	if !ok || !slices.Contains(Scopes(), scope) {
		return nil, fmt.Errorf("%q does not begin with a scope and a dot", name)
	}
	found := -1
	for i := range m.bindings {
		if m.bindings[i].Action != action {
			continue
		}
		if found = i; m.bindings[i].Scope == scope {
			return &m.bindings[i], nil
		}
	}
	if found < 0 {
		return nil, fmt.Errorf("unknown action %q", a)
	}
	b := m.bindings[found]
	b.Scope, b.Keys = scope, nil
	m.bindings = slices.Insert(m.bindings, found+1, b)
	return &m.bindings[found+1], nil
}
