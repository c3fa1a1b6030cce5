package model

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestClean(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"std::vector<int>::push_back", "std::vector<int>::push_back"},
		{"\x1b]0;title\a", "␛]0;title␇"},
		{"a\nb\tc\r", "a␊b␉c␍"},
		{"del\x7f", "del␡"},
		{"\u009b31m", "\ufffd31m"},
		{"bad\xff\xfe", "bad\ufffd\ufffd"},
		{"a\u202eb\u200bc\u2028", "a\ufffdb\ufffdc\ufffd"},
		{"\U000e0041", "\ufffd"},
		{"e\u0301", "e\u0301"},
		{"z" + strings.Repeat("\u0301", 200), "z" + strings.Repeat("\u0301", 4)},
		{"👩\u200d🔧 日本 한글", "👩\u200d🔧 日本 한글"},
	} {
		if got := Clean(c.in); got != c.want {
			t.Errorf("Clean(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}

func TestCleanKeepsCleanStringsWithoutAllocating(t *testing.T) {
	s := strings.Repeat("operator new(unsigned long) ", 20)
	if n := testing.AllocsPerRun(100, func() { s = Clean(s) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzClean(f *testing.F) {
	f.Add("\x1b[2Jx\u0301")
	f.Fuzz(func(t *testing.T, s string) {
		got := Clean(s)
		if !utf8.ValidString(got) {
			t.Fatalf("%q is no UTF-8", got)
		}
		for _, r := range got {
			if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp) {
				t.Fatalf("%q keeps %U", got, r)
			}
		}
		if again := Clean(got); again != got {
			t.Fatalf("not stable: %q, then %q", got, again)
		}
	})
}
