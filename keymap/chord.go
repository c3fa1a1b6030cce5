package keymap

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Key is a key that has a name instead of a character.
type Key uint8

const (
	KeyRune Key = iota // the character in Chord.Rune, space included
	KeyUp
	KeyDown
	KeyLeft
	KeyRight
	KeyHome
	KeyEnd
	KeyPgUp
	KeyPgDn
	KeyEnter
	KeyEsc
	KeyTab
	KeyBacktab // Tab with Shift; never carries ModShift
	KeyBackspace
	KeyDelete
	KeyInsert
	KeyF1      // F2 … F12 follow
	KeyF12 Key = KeyF1 + 11
)

// Mod is a set of modifier keys.
type Mod uint8

const (
	ModShift Mod = 1 << iota // never with a character: the character itself is shifted
	ModCtrl                  // with a character: a lower-case letter, space or one of \ ] ^ _
	ModAlt
)

// Chord is one key press in canonical form, comparable. Ctrl-C is {Rune: 'c', Mod: ModCtrl}, whatever code the terminal
// sent for it; F3 is {Key: KeyF1 + 2}; space is {Rune: ' '}. See [Chord.Canonical].
type Chord struct {
	Key  Key
	Rune rune // only with KeyRune, else 0
	Mod  Mod
}

// named returns the printed name of a key without a character, "" if there is none.
func (k Key) named() string {
	if k >= KeyF1 && k <= KeyF12 {
		return "F" + strconv.Itoa(int(k-KeyF1)+1)
	}
	names := [...]string{"", "Up", "Down", "Left", "Right", "Home", "End", "PgUp", "PgDn", "Enter", "Esc", "Tab", "Backtab",
		"Backspace", "Delete", "Insert"}
	if int(k) < len(names) {
		return names[k]
	}
	return ""
}

// Canonical returns the form in which chords are compared: Ctrl with a letter is lower case, Shift with a character is
// dropped, Shift-Tab is Backtab, and chords that a terminal cannot distinguish (Ctrl-I and Tab, Ctrl-M and Enter,
// Ctrl-H and Backspace, Ctrl-[ and Esc) are the named key. Whoever translates key events calls it.
func (c Chord) Canonical() Chord {
	if c.Key != KeyRune {
		c.Rune = 0
		if c.Key == KeyTab && c.Mod&ModShift != 0 {
			c.Key = KeyBacktab
		}
		if c.Key == KeyBacktab {
			c.Mod &^= ModShift
		}
		return c
	}
	c.Mod &^= ModShift
	if c.Mod&ModCtrl == 0 {
		return c
	}
	c.Rune = unicode.ToLower(c.Rune)
	if k := controlTwin(c.Rune); k != KeyRune {
		return Chord{Key: k, Mod: c.Mod &^ ModCtrl}
	}
	return c
}

// controlTwin returns the named key that sends the same byte as Ctrl with r, or KeyRune.
func controlTwin(r rune) Key {
	switch r {
	case 'i':
		return KeyTab
	case 'm':
		return KeyEnter
	case 'h':
		return KeyBackspace
	case '[':
		return KeyEsc
	}
	return KeyRune
}

// String returns the name that [parseChord] reads: "q", "Space", "Ctrl-C", "Alt-Left", "F1".
func (c Chord) String() string {
	var b strings.Builder
	if c.Mod&ModCtrl != 0 {
		b.WriteString("Ctrl-")
	}
	if c.Mod&ModAlt != 0 {
		b.WriteString("Alt-")
	}
	if c.Mod&ModShift != 0 {
		b.WriteString("Shift-")
	}
	switch {
	case c.Key != KeyRune:
		b.WriteString(c.Key.named())
	case c.Rune == ' ':
		b.WriteString("Space")
	case c.Mod&ModCtrl != 0:
		b.WriteRune(unicode.ToUpper(c.Rune))
	default:
		b.WriteRune(c.Rune)
	}
	return b.String()
}

// Short returns the name for a footer: arrows are drawn, Ctrl-C is ^C.
func (c Chord) Short() string {
	if c.Mod == 0 && c.Key >= KeyUp && c.Key <= KeyRight {
		return [...]string{"↑", "↓", "←", "→"}[c.Key-KeyUp]
	}
	if c.Mod == ModCtrl && c.Key == KeyRune && c.Rune != ' ' {
		return "^" + string(unicode.ToUpper(c.Rune))
	}
	return c.String()
}

// parseChord reads one key press as users write it: a character, or a key's name, after any of Ctrl- (or ^), Alt- and
// Shift-. Names of keys and modifiers may be in any case. The result is canonical.
func parseChord(s string) (Chord, error) {
	mod, rest := cutMods(s)
	if rest == "" {
		return Chord{}, fmt.Errorf("unknown key %q", s)
	}
	c := Chord{Mod: mod}
	if r, n := utf8.DecodeRuneInString(rest); n == len(rest) {
		c.Rune = r
		if err := checkRune(c); err != nil {
			return Chord{}, fmt.Errorf("%q: %w", s, err)
		}
		return c.Canonical(), nil
	}
	if strings.EqualFold(rest, "space") {
		c.Rune = ' '
	} else if c.Key = keyNamed(rest); c.Key == KeyRune {
		return Chord{}, fmt.Errorf("%q: unknown key %q", s, rest)
	}
	return c.Canonical(), nil
}

// cutMods cuts the modifiers off the front of s. The last character is never part of one, so that "-" and "^" are keys.
func cutMods(s string) (Mod, string) {
	var mod Mod
	for {
		name, rest, ok := strings.Cut(s, "-")
		bit := map[string]Mod{"ctrl": ModCtrl, "alt": ModAlt, "shift": ModShift}[strings.ToLower(name)]
		switch {
		case ok && bit != 0 && rest != "":
			s = rest
		case len(s) == 2 && s[0] == '^':
			bit, s = ModCtrl, s[1:]
		default:
			return mod, s
		}
		mod |= bit
	}
}

func checkRune(c Chord) error {
	r := unicode.ToLower(c.Rune)
	switch {
	case r == utf8.RuneError || !unicode.IsPrint(r):
		return errors.New("not a character that a key types")
	case c.Mod&ModShift != 0:
		return errors.New("write the shifted character instead of Shift")
	case c.Mod&ModCtrl == 0:
		return nil
	case controlTwin(r) != KeyRune:
		return fmt.Errorf("a terminal sends the same for %s", controlTwin(r).named())
	case (r < 'a' || r > 'z') && !strings.ContainsRune(` \]^_`, r):
		return errors.New("a terminal has no such Ctrl key")
	}
	return nil
}

// keyNamed finds a key by its name or a common alias, KeyRune if there is none.
func keyNamed(name string) Key {
	for k := KeyUp; k <= KeyF12; k++ {
		if strings.EqualFold(name, k.named()) {
			return k
		}
	}
	aliases := map[string]Key{"pageup": KeyPgUp, "pagedown": KeyPgDn, "pgdown": KeyPgDn, "escape": KeyEsc, "return": KeyEnter,
		"del": KeyDelete, "ins": KeyInsert}
	return aliases[strings.ToLower(name)]
}
