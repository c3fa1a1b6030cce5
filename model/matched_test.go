package model

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestMatchedIsBounded(t *testing.T) {
	for _, name := range []string{"", "main", strings.Repeat("x", maxMatched)} {
		if Matched(name) != name {
			t.Errorf("a name of %d bytes is cut", len(name))
		}
	}
	for _, name := range []string{strings.Repeat("x", maxMatched+1), "x" + strings.Repeat("é", maxMatched), strings.Repeat("\x80", 2*maxMatched)} {
		got := Matched(name)
		if len(got) > maxMatched || len(got) < maxMatched-utf8.UTFMax || !strings.HasPrefix(name, got) {
			t.Errorf("%d bytes of %d are matched", len(got), len(name))
		}
		if utf8.ValidString(name) && !utf8.ValidString(got) {
			t.Error("a character is cut in two")
		}
	}
}

func TestKeptNamesAreBounded(t *testing.T) {
	if name := strings.Repeat("x", MaxName); KeptName(name) != name {
		t.Error("a name of 1 MiB is cut")
	}
	long := []byte("x" + strings.Repeat("é", MaxName))
	if got := KeptName(long); len(got) != MaxName-1 || !utf8.Valid(got) {
		t.Errorf("%d bytes of %d are kept", len(got), len(long))
	}
}
