package ui

import (
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/widget"
)

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
	default:
		return false
	}
	return true
}
