package widget

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                                  "plain",
		"größe 日本語":                              "größe 日本語",
		"a\nb\tc":                                "a␊b␉c",
		"\x1b]0;PWNED\x07":                       "␛]0;PWNED␇",
		"\x7f":                                   "␡",
		"\x9b31m":                                "\ufffd31m",
		"a\xffb":                                 "a\ufffdb",
		"\u202eabc":                              "\ufffdabc",
		"a\u200bb\ufeff":                         "a\ufffdb\ufffd",
		"\u2028x":                                "\ufffdx",
		"e\u0301":                                "e\u0301",
		"👨\u200d👩\u200d👧":                        "👨\u200d👩\u200d👧",
		"\U000e0041":                             "\ufffd",
		"\ufffd":                                 "\ufffd",
		"":                                       "",
		"x\u0301\u0301\u0301\u0301\u0301\u0301y": "x\u0301\u0301\u0301\u0301y",
	} {
		if got := Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCuts(t *testing.T) {
	for _, c := range []struct {
		w                             int
		s, end, left, middle, folders string
	}{
		{20, "short", "short", "short", "short", "short"},
		{5, "abcdefgh", "abcd…", "…efgh", "ab…gh", "…efgh"},
		{1, "abc", "…", "…", "…", "…"},
		{0, "abc", "", "", "", ""},
		{-1, "abc", "", "", "", ""},
		{5, "日本語の", "日本…", "…語の", "日…の", "…語の"},
		{4, "日本語の", "日…", "…の", "日…", "…の"},
		{16, "/usr/src/lib/kvleak.cpp:17", "/usr/src/lib/kv…", "…b/kvleak.cpp:17", "/usr/src….cpp:17", "…/kvleak.cpp:17"},
		{20, "/usr/src/lib/kvleak.cpp:17", "/usr/src/lib/kvleak…", "…c/lib/kvleak.cpp:17", "/usr/src/l…ak.cpp:17", "…/lib/kvleak.cpp:17"},
		{13, `C:\src\kvleak.cpp:17`, `C:\src\kvlea…`, "…vleak.cpp:17", `C:\src…cpp:17`, "kvleak.cpp:17"},
	} {
		for i, got := range []string{Truncate(c.s, c.w), TruncateLeft(c.s, c.w), TruncateMiddle(c.s, c.w), ShortenPath(c.s, c.w)} {
			if want := []string{c.end, c.left, c.middle, c.folders}[i]; got != want {
				t.Errorf("%d of %q at %d: %q, want %q", i, c.s, c.w, got, want)
			}
		}
	}
}

// hostile makes random strings out of everything that ever broke a terminal.
func hostile(rng *rand.Rand) string {
	parts := []string{"a", "name", " ", "[", "\x1b[31m", "\x1b]0;x\x07", "\n", "\x00", "\x7f", "\x9d", "\xff", "\xe2\x82", "日本", "e\u0301", "\u0301", "\u202e", "\u200d", "👨\u200d👩", "🇩🇪", "\ufe0f", "\u200b", "\U000e0020", "ᄀ", "가", "\u0600", "/", "<", ">", "…", strings.Repeat("\u0302", 40), strings.Repeat("ᄀ", 40)}
	var b strings.Builder
	for range rng.IntN(12) {
		b.WriteString(parts[rng.IntN(len(parts))])
	}
	return b.String()
}

// TestTextProperties checks on random hostile strings that nothing dangerous is left, that widths are kept, and that
// what is drawn stays in its place.
func TestTextProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	s := newScreen(t, 40, 1)
	for range 20_000 {
		in, w := hostile(rng), rng.IntN(24)
		c := Clean(in)
		if !utf8.ValidString(c) || Clean(c) != c {
			t.Fatalf("Clean(%q) = %q is not clean", in, c)
		}
		for _, r := range c {
			if r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e {
				t.Fatalf("Clean(%q) = %q", in, c)
			}
		}
		for i, cut := range []string{Truncate(in, w), TruncateLeft(in, w), TruncateMiddle(in, w), ShortenPath(in, w)} {
			if Width(cut) > w {
				t.Fatalf("cut %d of %q to %d: %q is %d wide", i, in, w, cut, Width(cut))
			}
		}
		s.Clear()
		n := Print(s, 3, 0, w, in, testLook().Text)
		if n != min(Width(in), w) && n != w-1 {
			t.Fatalf("Print(%q) in %d used %d, width %d", in, w, n, Width(in))
		}
		for x := range 40 {
			str, _, cw := s.Get(x, 0)
			if str != " " && (x < 3 || x+cw > 3+w) {
				t.Fatalf("Print(%q) in %d drew %q at %d", in, w, str, x)
			}
			if len(str) > maxCluster {
				t.Fatalf("cell of %d bytes", len(str))
			}
		}
	}
}

func TestPrintRight(t *testing.T) {
	s := newScreen(t, 12, 2)
	PrintRight(s, 0, 0, 10, "12.5 KiB", testLook().Text)
	PrintRight(s, 0, 1, 4, "12.5 KiB", testLook().Text)
	if got := rows(s); got[0] != "  12.5 KiB" || got[1] != "12.…" {
		t.Errorf("%q", got)
	}
}

func TestCleanAllocatesNothing(t *testing.T) {
	for _, s := range []string{"std::vector<int>::push_back(int&&)", "größe"} {
		if n := testing.AllocsPerRun(100, func() { Clean(s) }); n != 0 {
			t.Errorf("Clean(%q): %v allocations", s, n)
		}
	}
}

func TestPlainLenAgreesWithBytes(t *testing.T) {
	slow := func(s string) int {
		for i := range len(s) {
			if s[i] < 0x20 || s[i] >= 0x7f {
				return i
			}
		}
		return len(s)
	}
	check := func(b []byte) {
		if got, want := plainLen(string(b)), slow(string(b)); got != want {
			t.Fatalf("plainLen(%q) = %d, want %d", b, got, want)
		}
	}
	near := []byte{0, 0x1f, 0x20, 0x21, 0x7e, 0x7f, 0x80, 0x81, 0x9f, 0xa0, 0xff}
	for n := range 20 {
		for at := range n {
			for c := range 256 {
				for _, next := range near {
					b := bytes.Repeat([]byte{'a'}, n)
					b[min(at+1, n-1)] = next
					b[at] = byte(c)
					check(b)
				}
			}
		}
	}
}

func BenchmarkClean(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Clean("std::vector<int>::push_back(int&&)")
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"a<b>::c", "\x1b[31m", "日本/語.c:1", "operator<<"} {
		f.Add(s, 7)
	}
	f.Fuzz(func(t *testing.T, s string, w int) {
		w %= 200
		if c := Clean(s); Clean(c) != c {
			t.Errorf("Clean(%q) = %q is not clean", s, c)
		}
		for _, cut := range []string{Truncate(s, w), TruncateLeft(s, w), TruncateMiddle(s, w), ShortenPath(s, w)} {
			if Width(cut) > max(w, 0) {
				t.Errorf("%q cut to %d is %q", s, w, cut)
			}
		}
		for _, row := range Wrap(s, w) {
			if Width(row) > max(w, 2) {
				t.Errorf("%q wrapped to %d has %q", s, w, row)
			}
		}
	})
}

// A sentence that does not fit ends with a clause, so that what is shown of it can be read.
func TestClausesOfASentence(t *testing.T) {
	const text = "Cache::get (84 % certain, +489 KiB/s): 13 blocks (32.5 KiB), allocated from 58 µs to 56.6 ms; none was freed"
	for _, c := range []struct {
		w, n int
		want []string
	}{
		{200, 1, []string{text}},
		{60, 1, []string{"Cache::get (84 % certain, +489 KiB/s): 13 blocks (32.5 KiB)"}},
		{56, 1, []string{"Cache::get (84 % certain, +489 KiB/s)"}},
		{68, 1, []string{"Cache::get (84 % certain, +489 KiB/s): 13 blocks (32.5 KiB)"}},
		{24, 2, []string{"Cache::get (84 %", "certain, +489 KiB/s)"}},
		{20, 1, []string{"Cache::get (84 % certain, +489 KiB/s): 13 blocks (32.5 KiB), allocated from 58 µs to 56.6 ms; none was freed"}}, // cut when drawn
	} {
		if got := Clauses(Wrap(text, c.w), c.n); !slices.Equal(got, c.want) {
			t.Errorf("%d rows of %d cells: %q, want %q", c.n, c.w, got, c.want)
		}
	}
}

// What a colon announces is not left out alone.
func TestClausesKeepWhatAColonAnnounces(t *testing.T) {
	const text = "2 sites, 1.02 KiB in 26 blocks; of the largest: 13 blocks of 220"
	if got := Clauses(Wrap(text, 50), 1); !slices.Equal(got, []string{"2 sites, 1.02 KiB in 26 blocks"}) {
		t.Errorf("%q", got)
	}
}
