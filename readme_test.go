package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/keymap"
)

const (
	keysBegin = "<!-- keys: generated from the key table, see readme_test.go -->\n"
	keysEnd   = "<!-- end of keys -->"
)

// TestKeysPage holds docs/keys.md to the program's table; -update rewrites it.
func TestKeysPage(t *testing.T) {
	const path = "docs/keys.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), keysBegin)
	old, after, ok2 := strings.Cut(rest, keysEnd)
	if !ok || !ok2 {
		t.Fatal(path + " has no place for the keys")
	}
	var want bytes.Buffer
	if err := keymap.Default().WriteMarkdown(&want); err != nil {
		t.Fatal(err)
	}
	if old == want.String() {
		return
	}
	if memtest.Updating() {
		if err := os.WriteFile(path, []byte(before+keysBegin+want.String()+keysEnd+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Error("the keys in " + path + " are not those of the program: go test . -run KeysPage -update")
}

// documentedScreens are the screens that pages show, by the word in their first line: the golden file of each.
var documentedScreens = map[string]string{
	"Overview": "overview", "Timeline": "timeline", "Leaks": "leaks", "Lifetimes": "lifetimes",
	"Dominators": "heap-dominators", "Comparison": "heap-comparison", "Pages": "dump-pages",
}

var documentedScreen = regexp.MustCompile("(?s)```text\n( \\S+  (\\w+) [^\n]*\n.*?)```")

// TestScreensInPages holds the screens that pages show to what the program draws at 80×24; -update rewrites them.
func TestScreensInPages(t *testing.T) {
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, path := range append(pages, "README.md") {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		next := documentedScreen.ReplaceAllStringFunc(string(page), func(block string) string {
			m := documentedScreen.FindStringSubmatch(block)
			golden, ok := documentedScreens[m[2]]
			if !ok {
				return block
			}
			found[m[2]] = true
			return "```text\n" + drawn(t, golden) + "```"
		})
		if next == string(page) {
			continue
		}
		if !memtest.Updating() {
			t.Error("the screens in " + path + " are not those of the program: go test . -run ScreensInPages -update")
		} else if err := os.WriteFile(path, []byte(next), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if len(found) != len(documentedScreens) {
		t.Errorf("only %v are shown", found)
	}
}

// drawn returns the text of a golden file of a screen.
func drawn(t *testing.T, golden string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("views", "testdata", golden+"-80x24-dark.golden"))
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for line := range strings.Lines(string(data)) {
		line, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "|")
		if !ok {
			break
		}
		out.WriteString(strings.TrimRight(strings.TrimSuffix(line, "|"), " ") + "\n")
	}
	return out.String()
}

const (
	maxReadme = 9000 // bytes
	maxPages  = 7    // of docs, the design's among them
)

// TestPagesAreFound checks that the README stays short, that links between pages lead somewhere, and that every page is
// linked.
func TestPagesAreFound(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	if len(readme) > maxReadme {
		t.Errorf("the README has %d bytes", len(readme))
	}
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) > maxPages {
		t.Errorf("%d pages, %v", len(pages), err)
	}
	link := regexp.MustCompile(`\]\(([^)#:]+)(?:#[^)]*)?\)`)
	for _, page := range append(pages, "README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), m[1])); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
		if page != "README.md" && !strings.Contains(string(readme), "]("+page+")") {
			t.Errorf("the README has no link to %s", page)
		}
	}
}

// Every command of --help is explained in the README, and the first two commands a reader sees are those that need
// nothing.
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
	commands, _, _ = strings.Cut(commands, "\n\n")
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
