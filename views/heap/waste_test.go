package heap

import (
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/waste"
	"github.com/memtui/memtui/model"
)

// What is known by beginnings alone is not called equal, and texts have the words of their format.
func TestSameTextsKeepTheDoubt(t *testing.T) {
	python := &model.HeapSchema{Sets: []model.HeapSet{{Key: "objects"}, {Key: "texts", One: "string or bytes object", Many: "strings and bytes"}}}
	w := &wasteRow{count: 2000, bytes: 1 << 20, text: &waste.Text{Maybe: true}}
	text := sameTexts(w, python, false)
	if !strings.HasPrefix(text, "2,000 strings and bytes with the same beginning, 1.00 MiB in total") || !strings.Contains(text, "if they are equal") {
		t.Error(text)
	}
	if kind := sameness(w.maybe()); kind != "may be equal" || upTo(w.maybe()) == "" {
		t.Errorf("%q, %q", kind, upTo(w.maybe()))
	}
	w.text.Maybe = false
	if text := sameTexts(w, &model.HeapSchema{}, false); text != "2,000 strings with the same text, 1.00 MiB in total: one copy would be enough" {
		t.Error(text)
	}
	if kind := sameness(w.maybe()); kind != "same text" || upTo(w.maybe()) != "" {
		t.Errorf("%q, %q", kind, upTo(w.maybe()))
	}
}

// The row of a class says how often that is loaded.
func TestLoadedText(t *testing.T) {
	for n, want := range map[uint64]string{2: "loaded twice", 3: "loaded 3 times", 1000: "loaded 1,000 times"} {
		if got := loadedText(n); got != want {
			t.Errorf("%d: %q, not %q", n, got, want)
		}
	}
}
