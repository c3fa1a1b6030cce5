package keymap

import (
	"testing"
	"unicode/utf8"
)

func TestParseChord(t *testing.T) {
	for _, c := range []struct {
		text string
		want Chord
		name string
	}{
		{"q", Chord{Rune: 'q'}, "q"},
		{"Q", Chord{Rune: 'Q'}, "Q"},
		{"-", Chord{Rune: '-'}, "-"},
		{"^", Chord{Rune: '^'}, "^"},
		{"+", Chord{Rune: '+'}, "+"},
		{"é", Chord{Rune: 'é'}, "é"},
		{"space", Chord{Rune: ' '}, "Space"},
		{"Ctrl-C", Chord{Rune: 'c', Mod: ModCtrl}, "Ctrl-C"},
		{"ctrl-c", Chord{Rune: 'c', Mod: ModCtrl}, "Ctrl-C"},
		{"^c", Chord{Rune: 'c', Mod: ModCtrl}, "Ctrl-C"},
		{"Ctrl-Space", Chord{Rune: ' ', Mod: ModCtrl}, "Ctrl-Space"},
		{"Ctrl-^", Chord{Rune: '^', Mod: ModCtrl}, "Ctrl-^"},
		{"Alt--", Chord{Rune: '-', Mod: ModAlt}, "Alt--"},
		{"Alt-X", Chord{Rune: 'X', Mod: ModAlt}, "Alt-X"},
		{"ctrl-alt-x", Chord{Rune: 'x', Mod: ModAlt | ModCtrl}, "Ctrl-Alt-X"},
		{"alt-left", Chord{Key: KeyLeft, Mod: ModAlt}, "Alt-Left"},
		{"Shift-Tab", Chord{Key: KeyBacktab}, "Backtab"},
		{"PageUp", Chord{Key: KeyPgUp}, "PgUp"},
		{"escape", Chord{Key: KeyEsc}, "Esc"},
		{"Return", Chord{Key: KeyEnter}, "Enter"},
		{"f1", Chord{Key: KeyF1}, "F1"},
		{"F12", Chord{Key: KeyF12}, "F12"},
	} {
		got, err := parseChord(c.text)
		if err != nil || got != c.want || got.String() != c.name {
			t.Errorf("ParseChord(%q) = %+v (%s), %v; want %+v", c.text, got, got, err, c.want)
		}
		if again, err := parseChord(got.String()); err != nil || again != got {
			t.Errorf("%s is read back as %+v, %v", got, again, err)
		}
	}
	for _, bad := range []string{"", "Ctrl-", "qq", "F13", "F0", "Shift-a", "Ctrl-1", "Ctrl-I", "Ctrl-m", "^H", "Ctrl-[",
		"\x1b", "\u200b", "\xff", "Meta-x", "Ctrl-Ctrl-", "Hyper", "^^^"} {
		if c, err := parseChord(bad); err == nil {
			t.Errorf("ParseChord(%q) = %s, want an error", bad, c)
		}
	}
}

func TestCanonical(t *testing.T) {
	for in, want := range map[Chord]Chord{
		{Rune: 'C', Mod: ModCtrl | ModShift}:  {Rune: 'c', Mod: ModCtrl},
		{Rune: 'A', Mod: ModShift}:            {Rune: 'A'},
		{Rune: 'i', Mod: ModCtrl}:             {Key: KeyTab},
		{Rune: 'm', Mod: ModCtrl | ModAlt}:    {Key: KeyEnter, Mod: ModAlt},
		{Key: KeyTab, Rune: 9, Mod: ModShift}: {Key: KeyBacktab},
		{Key: KeyBacktab, Mod: ModShift}:      {Key: KeyBacktab},
		{Key: KeyEnter, Rune: 13}:             {Key: KeyEnter},
	} {
		if got := in.Canonical(); got != want {
			t.Errorf("%+v becomes %+v, want %+v", in, got, want)
		}
	}
}

func TestEveryNamedKeyHasAName(t *testing.T) {
	for k := KeyUp; k <= KeyF12; k++ {
		if c, err := parseChord(k.named()); err != nil || c.Key != k {
			t.Errorf("key %d is called %q: %v", k, k.named(), err)
		}
	}
	if Key(200).named() != "" {
		t.Error("a key that does not exist has a name")
	}
}

func TestShort(t *testing.T) {
	for in, want := range map[string]string{"Up": "↑", "Right": "→", "Alt-Left": "Alt-Left", "Ctrl-C": "^C", "Ctrl-Space": "Ctrl-Space", "x": "x"} {
		if c, _ := parseChord(in); c.Short() != want {
			t.Errorf("%s is short %q, want %q", in, c.Short(), want)
		}
	}
}

func FuzzParseChord(f *testing.F) {
	for _, s := range []string{"q", "Ctrl-C", "^c", "Alt--", "Shift-F3", "-", "Ctrl-\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := parseChord(s)
		if err != nil {
			return
		}
		if c != c.Canonical() {
			t.Fatalf("%q is read as %+v, which is not canonical", s, c)
		}
		if again, err := parseChord(c.String()); err != nil || again != c || !utf8.ValidString(c.String()) {
			t.Fatalf("%q is read as %+v, written as %q, read back as %+v, %v", s, c, c, again, err)
		}
	})
}
