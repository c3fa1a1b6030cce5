package memtest

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func feed(w, h int, s string) *VT {
	v := NewVT(w, h)
	_, _ = v.Write([]byte(s))
	return v
}

func TestVTText(t *testing.T) {
	for in, want := range map[string]string{
		"ab\x1b[2;3Hc":                  "ab\n  c\n",
		"世x":                            "世x\n\n",
		"世\x1b[1;2Hx":                   " x\n\n",
		"e\u0301x":                      "e\u0301x\n\n",
		"👩\u200d👩\u200d👧.":              "👩\u200d👩\u200d👧.\n\n",
		"🇩🇪.":                           "🇩🇪.\n\n",
		"abcdef":                        "abcd\nef\n",
		"\x1b[?7labcdef":                "abcf\n\n",
		"a\r\nb\r\nc":                   "b\nc\n",
		"\x1b(0qx\x1b(Bq":               "─│q\n\n",
		"\x0eq\x0fq":                    "─q\n\n",
		"abcd\x1b[1;2H\x1b[K":           "a\n\n",
		"abcd\r\nef\x1b[H\x1b[J":        "\n\n",
		"x\x1b[?1049hy\x1b[?1049l\x1b[": "x\n\n",
		"ab\b\bc":                       "cb\n\n",
		"a\r\nb\x1b[H\x1b[M":            "b\n\n",
		"a\r\nb\x1b[H\x1b[L":            "\na\n",
		"a\r\nb\x1b[H\x1b[7L\x1b[7Mc":   "c\n\n",
		"世世\x1b[1;2H\x1b[X":             "  世\n\n",
	} {
		if got := feed(4, 2, in).Text(); got != want {
			t.Errorf("%q shows %q, want %q", in, got, want)
		}
	}
}

func TestVTStyles(t *testing.T) {
	for in, want := range map[string]Style{
		"\x1b[31mx":                           {Fg: "1"},
		"\x1b[97;104mx":                       {Fg: "15", Bg: "12"},
		"\x1b[38;5;200mx":                     {Fg: "200"},
		"\x1b[38;2;1;2;255;48;2;9;9;9mx":      {Fg: "#0102ff", Bg: "#090909"},
		"\x1b[38:2::1:2:3mx":                  {Fg: "#010203"},
		"\x1b[58:5:3m\x1b[4:3mx":              {Attrs: "u"},
		"\x1b[1m\x1b[7mx":                     {Attrs: "bv"},
		"\x1b[1;2;7m\x1b[22mx":                {Attrs: "v"},
		"\x1b[31m\x1b[mx":                     {},
		"\x1b[31m\x1b(B\x1b[mx":               {},
		"\x1b[31;44m\x1b[39;49mx":             {},
		"\x1b[48;2;9;9;9;1mx":                 {Bg: "#090909", Attrs: "b"},
		"\x1b[3;9;5m\x1b[23m\x1b[29m\x1b[4mx": {Attrs: "uk"},
	} {
		v := feed(4, 2, in)
		if got := v.At(0, 0).Style; got != want || len(v.Unknown) > 0 {
			t.Errorf("%q: %+v %v, want %+v", in, got, v.Unknown, want)
		}
	}
}

func TestVTState(t *testing.T) {
	const on = "\x1b[?1049h\x1b[22;2t\x1b[?1h\x1b=\x1b[?25l\x1b[?7l\x1b[>4;2m\x1b[>1u\x1b[?9001h\x1b[?1002h"
	const off = "\x1b[?25h\x1b[?1l\x1b>\x1b[?7h\x1b[?9001l\x1b[<u\x1b[>4;0m\x1b[?1049l\x1b[?1002l"
	v := feed(4, 2, on)
	want := []string{"?1002=true", "?1=true", "?25=false", "?7=false", "?9001=true",
		"alternate screen", "application keypad", "kitty=true", "modifyOtherKeys=true"}
	if got := v.Residue(); !slices.Equal(got, want) {
		t.Errorf("on: %q", got)
	}
	_, _ = v.Write([]byte(off))
	if got := v.Residue(); len(got) > 0 || len(v.Unknown) > 0 {
		t.Errorf("off: %q %q", got, v.Unknown)
	}
	_, _ = v.Write([]byte("\x1b]2;t\a\x1b]0;u\x1b\\\x1b]52;c;aGk=\a\x1b[99;1!z\x1b]777;x\a"))
	if !slices.Equal(v.Titles, []string{"t", "u"}) || !slices.Equal(v.Clipboard, []string{"hi"}) || len(v.Unknown) != 2 {
		t.Errorf("titles %q, clipboard %q, unknown %q", v.Titles, v.Clipboard, v.Unknown)
	}
}

// Whatever is written, in whatever pieces, the emulator neither fails nor
// depends on how it was cut.
func TestVTAnyPieces(t *testing.T) {
	parts := []string{"a", "世", "\x1b[2;2H", "\x1b[31m", "\x1b]0;x\a", "\x1b[", "\x1b", "\xe4", "\x1b(0", "\b", "\u0301", "\x1b[K", "\x1b]52;", "\x00"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var b strings.Builder
		for range 30 {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		whole, pieces := feed(7, 3, b.String()), NewVT(7, 3)
		for _, c := range []byte(b.String()) {
			_, _ = pieces.Write([]byte{c})
		}
		if whole.Text() != pieces.Text() {
			t.Fatalf("%q: %q and %q", b.String(), whole.Text(), pieces.Text())
		}
	}
}

func TestDiff(t *testing.T) {
	if d := diff("a\nb\nc", "a\nx\nc\nd"); d != "-b\n+x\n+d\n" {
		t.Errorf("%q", d)
	}
	if d := diff("a", "a"); d != "" {
		t.Errorf("%q", d)
	}
}
