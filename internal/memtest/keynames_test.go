package memtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// keyNamed finds a key that a message names by hand, where it has to say {action}: keys can be remapped.
var keyNamed = regexp.MustCompile(
	`\bpress [^{ ]+ |\b(Enter|Esc|Tab|Backtab|Space|Backspace|PgUp|PgDn|(Ctrl|Alt|Shift)-\S+)\b` +
		`|(^|[^\w’'{}])([A-Za-z]|[-!#%&/~^;:,.=*<>+|"?]) (and ([A-Za-z]|[-!#%~/+]) )?(` + keyVerbs + `)s?\b`)

// keyVerbs are verbs of hints, of which a key is the subject.
const keyVerbs = `goe|go|show|clear|sort|list|move|mark|switche|switch|end|group|weigh|choose|open|undoe|undo|redoe|redo|change|compare|swap|take|type|include|searche|search|` +
	`close|remove|quit|toggle|pause|select|decode|stop|doe|do|zoom|forget|play|fold|sum|raise|lower|look|filter|exclude|reverse`

// namedByHand are the messages that may name a key, by how they begin, each with the reason.
var namedByHand = map[string]string{
	"Backspace shows more of them": "editing a line is not in the key map",
}

// Screens, the sentences about keys and the command line name keys through the key map, so that they are right for
// people who remapped them.
func TestKeysNamedThroughTheMap(t *testing.T) {
	for _, dir := range []string{"views", "keymap", "internal/cli"} {
		keysNamedIn(t, dir)
	}
}

func keysNamedIn(t *testing.T, dir string) {
	t.Helper()
	set := token.NewFileSet()
	err := filepath.WalkDir(filepath.Join(root(t), dir), func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root(t), path)
		if name = filepath.ToSlash(name); err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		c := checker{t: t, set: set, name: name}
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
				sentence := dir != "keymap" || strings.HasSuffix(text.Value, `."`) // the rest are the keys themselves
				if key := keyIn(prose(dir, text.Value)); key != "" && sentence {
					c.complain(text.Pos(), "%q names a key by hand: write {action}, and let Env.Hint or Map.Text name its key", key)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// noKey finds what only looks like a key: flags with their values, verbs of formatting and of roff, shell code, and
// articles.
var noKey = regexp.MustCompile(`--?[A-Za-z]\S* [^ "]+|(--)?%[a-z]|\\\\-|; do\b|\b\w+ a `)

// prose returns a literal of a folder without what no screen has, and what may be taken for a key.
func prose(dir, literal string) string {
	if dir == "views" {
		return literal
	}
	return noKey.ReplaceAllString(literal, "some")
}

// keyIn returns what in a literal names a key by hand, "" for nothing.
func keyIn(literal string) string {
	text, err := strconv.Unquote(literal)
	if err != nil {
		return ""
	}
	for begin := range namedByHand {
		if strings.HasPrefix(text, begin) {
			return ""
		}
	}
	return keyNamed.FindString(text)
}

func TestNamesOfKeysAreFound(t *testing.T) {
	for text, want := range map[string]bool{
		"Esc forgets the filter, / changes it.": true, "h and l go to another one": true, "nothing; u clears the range": true, "% changes it": true,
		"press Ctrl-Y": true, "press b for stacks": true, "press {mark-a}, then {mark-b}": false, "the list ends": false, "{back} clears the filter, {find} changes it.": false, "Enter": true,
		"{step-back} and {step-forward} go on": false, "{range} and {step-back}/{step-forward}, or dragging, select a range": false,
		"Space of the heap": true, "Zoom in. Esc zooms out.": true, "retainers; u includes all again": true, "at a time; Tab goes on": true, "A block ends there": false, "Escape": false, "callees, b shows more": true,
	} {
		if key := keyIn(strconv.Quote(text)); (key != "") != want {
			t.Errorf("%q: found %q", text, key)
		}
	}
}
