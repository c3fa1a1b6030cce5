package keymap

import (
	"fmt"
	"slices"
	"strings"
)

// Binding is the keys of an action in one scope. An action may be bound in several scopes.
type Binding struct {
	Scope  Scope
	Action Action
	Keys   []Chord // the one to show first; none for actions that only the palette offers
	Group  string  // heading in the help
	Help   string  // one sentence
}

// Map is a table of bindings. Any goroutine may read it, but not during [Map.Merge].
type Map struct {
	bindings []Binding // in the order of help and palette
	index    map[place]Action
}

type place struct {
	scope Scope
	chord Chord
}

// Default returns the built-in keys, a new table on every call.
func Default() *Map {
	m, _ := build(defaults()) // a test verifies that there is no error
	return m
}

// row is a line of the built-in table; keys are separated by spaces.
type row struct {
	scope  Scope
	action Action
	keys   string
	help   string
}

type section struct {
	group string
	rows  []row
}

func build(sections []section) (*Map, error) {
	m := &Map{}
	for _, s := range sections {
		for _, r := range s.rows {
			keys, err := parseChords(strings.Fields(r.keys))
			if err != nil {
				return m, fmt.Errorf("%s.%s: %w", r.scope, r.action, err)
			}
			m.bindings = append(m.bindings, Binding{Scope: r.scope, Action: r.action, Keys: keys, Group: s.group, Help: r.help})
		}
	}
	return m, m.reindex()
}

func parseChords(words []string) ([]Chord, error) {
	var keys []Chord
	for _, w := range words {
		c, err := parseChord(w)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(keys, c) {
			keys = append(keys, c)
		}
	}
	return keys, nil
}

// conflictError reports that two actions use one key in one scope.
type conflictError struct {
	place
	first, second Action
}

func (e *conflictError) Error() string {
	return fmt.Sprintf("%s already does %s.%s, it cannot do %s too: unbind it there first", e.chord, e.scope, e.first, e.second)
}

// reindex rebuilds the index and reports the first key that two actions use.
func (m *Map) reindex() error {
	m.index = make(map[place]Action)
	for _, b := range m.bindings {
		for _, c := range b.Keys {
			at := place{b.Scope, c}
			if old, taken := m.index[at]; taken {
				return &conflictError{at, old, b.Action}
			}
			m.index[at] = b.Action
		}
	}
	return nil
}

// Lookup returns the action of a key in the given scopes, the most specific one first; the first that binds the key
// wins. ScopeGlobal must be passed like any other. ScopeInput hides the scopes after it: a key that it does not bind is
// typed text. The chord must be canonical.
func (m *Map) Lookup(c Chord, scopes ...Scope) (Action, bool) {
	for _, s := range scopes {
		if a, ok := m.index[place{s, c}]; ok {
			return a, true
		}
		if s == ScopeInput {
			break
		}
	}
	return "", false
}

// Keys returns the keys that reach an action through the given scopes, the one to show first. Keys that an earlier
// scope uses for another action are left out.
func (m *Map) Keys(a Action, scopes ...Scope) []Chord {
	var keys []Chord
	for _, s := range scopes {
		for _, b := range m.bindings {
			if b.Action != a || b.Scope != s {
				continue
			}
			for _, c := range b.Keys {
				if got, _ := m.Lookup(c, scopes...); got == a && !slices.Contains(keys, c) {
					keys = append(keys, c)
				}
			}
		}
	}
	return keys
}

// Bindings returns the complete table in the order of the help. The caller must not change the keys in it.
func (m *Map) Bindings() []Binding { return slices.Clone(m.bindings) }

// Entry is one line of the command palette.
type Entry struct {
	Action Action
	Help   string
	Keys   string // short names of the keys, separated by spaces; may be ""
}

// Actions returns the palette's entries in the given scopes, in the order of the help: every action once, without
// editing keys and without the numbered screens (which have names).
func (m *Map) Actions(scopes ...Scope) []Entry {
	var list []Entry
	seen := map[Action]bool{}
	for _, b := range m.bindings {
		if b.Scope == ScopeInput || strings.HasPrefix(string(b.Action), "screen-") || seen[b.Action] || !slices.Contains(scopes, b.Scope) {
			continue
		}
		seen[b.Action] = true
		list = append(list, Entry{b.Action, m.sentence(b), join(m.Keys(b.Action, scopes...), Chord.Short, " ")})
	}
	return list
}

func join(keys []Chord, name func(Chord) string, sep string) string {
	words := make([]string, len(keys))
	for i, c := range keys {
		words[i] = name(c)
	}
	return strings.Join(words, sep)
}
