package model

import (
	"strings"
	"testing"
)

// TestTexts compares texts in one piece of memory with a list of strings, also those that were asked for before more
// came.
func TestTexts(t *testing.T) {
	var texts Texts
	var list, early []string
	for i := range 2000 {
		s := strings.Repeat(string(rune('a'+i%26)), i%7)
		texts.Add([]byte(s))
		list, early = append(list, s), append(early, texts.At(i))
	}
	tables := HeapTables{Packed: texts, Strings: []string{"one", "two"}}
	list = append(list, "one", "two")
	if tables.NumStrings() != len(list) || !texts.check() {
		t.Fatal(tables.NumStrings(), texts.check())
	}
	for i, want := range list {
		if got := tables.String(uint32(i)); got != want || i < len(early) && early[i] != want {
			t.Errorf("text %d is %q, want %q", i, got, want)
		}
	}
	if got := tables.String(uint32(len(list))); got != "<string 2002?>" {
		t.Errorf("%q", got)
	}
	texts.Ends.Set(5, uint64(len(texts.All))+1)
	if texts.check() {
		t.Error("texts that overlap were not found")
	}
}
