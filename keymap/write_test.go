package keymap

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest"
)

func TestWrittenTables(t *testing.T) {
	var text, markdown bytes.Buffer
	if err := Default().WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if err := Default().WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	memtest.GoldenFile(t, "testdata/keys.txt", text.String())
	memtest.GoldenFile(t, "testdata/keys.md", markdown.String())
	for _, l := range strings.Split(text.String(), "\n") {
		if n := len([]rune(l)); n > 140 {
			t.Errorf("%d cells: %s", n, l)
		}
	}
}

func TestMarkdownOfHostileKeys(t *testing.T) {
	m := Default()
	if err := m.Merge([]Line{{1, "bind", "global.reload | `"}, {2, "unbind", "global.screens"}}); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := m.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "| `\\|` `` ` `` | Read the file again. |") {
		t.Error("keys are not escaped")
	}
}

func TestHelpHereHidesWhatDoesNotWork(t *testing.T) {
	keys := map[string]string{}
	for _, s := range Default().Help(ScopeTree, ScopeStacks, ScopeGlobal) {
		if len(s.Rows) == 0 {
			t.Errorf("%s is empty", s.Title)
		}
		for _, r := range s.Rows {
			keys[r.Name] = r.Keys
		}
	}
	for name, want := range map[string]string{"global.step-back": "h", "tree.collapse": "Left", "global.screen-1…9": "1 2 3 4 5 6 7 8 9"} {
		if keys[name] != want {
			t.Errorf("%s has %q, want %q", name, keys[name], want)
		}
	}
	if _, ok := keys["table.sort"]; ok {
		t.Error("a tree offers sorting")
	}
}

func TestRecords(t *testing.T) {
	records := Default().Records()
	b, err := json.Marshal(records)
	if err != nil || len(records) != len(Default().Bindings()) || strings.Contains(string(b), "null") {
		t.Errorf("%d records, %v: %s", len(records), err, b)
	}
}
