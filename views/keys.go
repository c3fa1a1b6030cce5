package views

import (
	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/keymap"
)

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

// chordOf translates a key event. The zero chord is a key that has no name here.
func chordOf(ev *tcell.EventKey) keymap.Chord {
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
