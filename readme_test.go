package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/keymap"
)

const (
	keysBegin = "<!-- keys: generated from the key table, see readme_test.go -->\n"
	keysEnd   = "<!-- end of keys -->"
)

// The key table of the README is the program's; -update rewrites it.
func TestReadmeKeys(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(readme), keysBegin)
	old, after, ok2 := strings.Cut(rest, keysEnd)
	if !ok || !ok2 {
		t.Fatal("README.md has no place for the keys")
	}
	var want bytes.Buffer
	if err := keymap.Default().WriteMarkdown(&want); err != nil {
		t.Fatal(err)
	}
	if old == want.String() {
		return
	}
	if memtest.Updating() {
		if err := os.WriteFile("README.md", []byte(before+keysBegin+want.String()+keysEnd+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Error("the keys in README.md are not those of the program: go test . -run Readme -update")
}

// Every command of --help is explained in the README, and the first two commands a reader sees are those that need nothing.
func TestReadmeCommands(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(readme), "```sh\ngo run . demo\ngo test ./...\n```") {
		t.Error("the README does not begin with its two commands")
	}
	help, err := exec.Command(binary, "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, commands, _ := strings.Cut(string(help), "Commands:\n")
	n := 0
	for _, line := range strings.Split(commands, "\n") {
		if !strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "   ") {
			continue
		}
		name := strings.Fields(line)[0]
		n++
		if name != "open" && !strings.Contains(string(readme), "`memtui "+name) && !strings.Contains(string(readme), "`"+name) {
			t.Errorf("the README does not mention %q", name)
		}
	}
	if n < 8 {
		t.Errorf("only %d commands found in --help", n)
	}
}
