package ui

import (
	"github.com/gdamore/tcell/v2"

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

// namedKeys maps tcell's keys without a character.
func namedKeys() map[tcell.Key]keymap.Key {
	return map[tcell.Key]keymap.Key{
		tcell.KeyUp: keymap.KeyUp, tcell.KeyDown: keymap.KeyDown, tcell.KeyLeft: keymap.KeyLeft, tcell.KeyRight: keymap.KeyRight,
		tcell.KeyHome: keymap.KeyHome, tcell.KeyEnd: keymap.KeyEnd, tcell.KeyPgUp: keymap.KeyPgUp, tcell.KeyPgDn: keymap.KeyPgDn,
		tcell.KeyEnter: keymap.KeyEnter, tcell.KeyEsc: keymap.KeyEsc, tcell.KeyTab: keymap.KeyTab, tcell.KeyBacktab: keymap.KeyBacktab,
		tcell.KeyBackspace: keymap.KeyBackspace, tcell.KeyBackspace2: keymap.KeyBackspace,
		tcell.KeyDelete: keymap.KeyDelete, tcell.KeyInsert: keymap.KeyInsert,
	}
}

// ChordOf translates a key event. The zero chord is a key that has no name here.
func ChordOf(ev *tcell.EventKey) keymap.Chord {
	var mod keymap.Mod
	if ev.Modifiers()&tcell.ModShift != 0 {
		mod |= keymap.ModShift
	}
	if ev.Modifiers()&tcell.ModCtrl != 0 {
		mod |= keymap.ModCtrl
	}
	if ev.Modifiers()&(tcell.ModAlt|tcell.ModMeta) != 0 {
		mod |= keymap.ModAlt
	}
	k := ev.Key()
	if name, ok := namedKeys()[k]; ok {
		return keymap.Chord{Key: name, Mod: mod &^ ctrlOf(k)}.Canonical()
	}
	switch {
	case k == tcell.KeyRune:
		return keymap.Chord{Rune: ev.Rune(), Mod: mod}.Canonical()
	case k >= tcell.KeyF1 && k <= tcell.KeyF12:
		return keymap.Chord{Key: keymap.KeyF1 + keymap.Key(k-tcell.KeyF1), Mod: mod}.Canonical()
	case k >= tcell.KeyCtrlSpace && k <= tcell.KeyCtrlUnderscore:
		return keymap.Chord{Rune: rune(k-tcell.KeyCtrlSpace) + '@', Mod: mod | keymap.ModCtrl}.Canonical()
	}
	return keymap.Chord{}
}

// ctrlOf returns the modifier that tcell adds to keys whose code is a control character (Enter, Tab, Esc, Backspace).
func ctrlOf(k tcell.Key) keymap.Mod {
	if k < ' ' {
		return keymap.ModCtrl
	}
	return 0
}

// EditKey returns the key of an edit line for what the key table assigns to a key while typing, and the action of a key
// that does something else there, "" for none.
func (e *Env) EditKey(ev *tcell.EventKey) (*tcell.EventKey, keymap.Action) {
	act, ok := e.Keys.Lookup(ChordOf(ev), keymap.ScopeInput)
	if !ok {
		return ev, ""
	}
	if act == keymap.Redraw || act == keymap.Suspend {
		return nil, act
	}
	keys := map[keymap.Action]tcell.Key{
		keymap.Accept: tcell.KeyEnter, keymap.Cancel: tcell.KeyEsc, keymap.Complete: tcell.KeyTab, keymap.CompleteBack: tcell.KeyBacktab,
		keymap.Earlier: tcell.KeyUp, keymap.Later: tcell.KeyDown, keymap.DeleteWord: tcell.KeyCtrlW, keymap.ClearLine: tcell.KeyCtrlU,
	}
	if k, ok := keys[act]; ok {
		return tcell.NewEventKey(k, 0, tcell.ModNone), ""
	}
	return ev, ""
}
