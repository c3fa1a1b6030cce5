package keymap

import "strings"

// Text returns a sentence in which each {action} is replaced by the name of the key that reaches it through the given
// scopes or, if none of them binds it, through the first scope that does; {scope.action} names the scope itself. An
// action without a key is written as typed in the palette, ":leaks". Braces around anything else stay.
func (m *Map) Text(sentence string, scopes ...Scope) string {
	if !strings.Contains(sentence, "{") {
		return sentence
	}
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(sentence, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		key, known := m.keyOf(name, scopes)
		if !closed || !known {
			b.WriteByte('{')
			sentence = rest
			continue
		}
		b.WriteString(key)
		sentence = after
	}
}

// sentence returns the help of a binding, with {action} replaced as in [Map.Text].
func (m *Map) sentence(b Binding) string { return m.Text(b.Help, b.Scope, ScopeGlobal) }

// keyOf returns how a user reaches an action, named as in [Map.Text].
func (m *Map) keyOf(name string, scopes []Scope) (text string, known bool) {
	only, action, scoped := strings.Cut(name, ".")
	if !scoped {
		only, action = "", name
	}
	for _, b := range m.bindings {
		if b.Action != Action(action) || scoped && b.Scope != Scope(only) {
			continue
		}
		known = true
		if len(b.Keys) > 0 && text == "" {
			text = inText(b.Keys[0])
		}
	}
	if !scoped {
		if keys := m.Keys(Action(action), scopes...); len(keys) > 0 {
			return inText(keys[0]), true
		}
	}
	if text == "" {
		text = ":" + action
	}
	return text, known
}

// inText returns the name of a key as in sentences: "Ctrl-Y", "→".
func inText(c Chord) string {
	if c.Mod == 0 {
		return c.Short()
	}
	return c.String()
}
