package memtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// maxColumns is how wide a line of code is at most, with a tab as four columns.
const maxColumns = 140

// literal matches a text in quotes that cannot be broken without making it harder to find: of forty characters or more.
var literal = regexp.MustCompile(`"(?:[^"\\]|\\.){40,}"`)

// isWide reports whether a line of code is wider than the limit. Lines with tags of fields, raw texts or long sentences,
// as in tables of messages, may be, and so may keys, a line each, and lists of words.
func isWide(name, line string) bool {
	columns := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
	return columns > maxColumns && !strings.Contains(line, "`") && !literal.MatchString(line) &&
		!strings.HasPrefix(strings.TrimSpace(line), "//") && name != "keymap/footer.go" && name != "export/redact/kept.go" // a list of words
}

func TestLinesOfCodeFit(t *testing.T) {
	for _, files := range sources(t, false) {
		for _, path := range files {
			name, err := filepath.Rel(root(t), path)
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			number := 0
			for line := range strings.Lines(string(text)) {
				if number++; isWide(filepath.ToSlash(name), strings.TrimSuffix(line, "\n")) {
					t.Errorf("%s:%d: more than %d columns", name, number, maxColumns)
				}
			}
		}
	}
	long := "\tx := f(" + strings.Repeat("abc, ", 30) + "d)"
	for line, want := range map[string]bool{long: true, long[:100]: false, "\t// " + long: false, long + " `json:\"x\"`": false,
		long + `"` + strings.Repeat("word ", 9) + `"`: false, long + `"a", "b"`: true} {
		if isWide("x.go", line) != want {
			t.Errorf("%q is wide: %v", line, !want)
		}
	}
}
