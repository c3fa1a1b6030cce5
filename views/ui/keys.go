package ui

import (
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/widget"
)

// Hint returns a sentence that names keys: {action} or {scope.action} represents the key that does it, as in
// [keymap.Map.Text].
func (e *Env) Hint(sentence string) string { return e.Keys.Text(sentence) }

// FilterHint returns what a user can do about a filter that matches nothing.
func (e *Env) FilterHint() string { return e.Hint("{back} clears the filter, {find} changes it.") }

// ScrollText moves a text by the usual actions.
func ScrollText(t *widget.TextView, a keymap.Action) bool {
	switch a {
	case keymap.Up:
		t.Scroll(-1)
	case keymap.Down:
		t.Scroll(1)
	case keymap.PageUp:
		t.Page(-1)
	case keymap.PageDown:
		t.Page(1)
	case keymap.First:
		t.Home()
	case keymap.Last:
		t.End()
	default:
		return false
	}
	return true
}

// MoveList moves the selection of a list by the usual actions.
func MoveList(l *widget.List, a keymap.Action) bool {
	switch a {
	case keymap.Up:
		l.Move(-1)
	case keymap.Down:
		l.Move(1)
	case keymap.PageUp:
		l.Page(-1)
	case keymap.PageDown:
		l.Page(1)
	case keymap.First:
		l.Home()
	case keymap.Last:
		l.End()
	case keymap.SideLeft:
		return l.ScrollSide(-1)
	case keymap.SideRight:
		return l.ScrollSide(1)
	default:
		return false
	}
	return true
}
