package memtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// poorWords are words that readers had to decode, and American readers stumble over, each with a better one.
var poorWords = []struct {
	word   *regexp.Regexp
	better string
}{
	{regexp.MustCompile(`(?i)\b\w*(colou?r(?:s|ed|ing)?)\b`), "color"}, // checked below: only the British spelling counts
	{regexp.MustCompile(`(?i)neighbour`), "neighbor"},
	{regexp.MustCompile(`(?i)behaviour`), "behavior"},
	{regexp.MustCompile(`(?i)\b(f|h|flav)avour|\bfavour|\bhonour`), "favor, honor"},
	{regexp.MustCompile(`(?i)\w(al|im|gn|an|on|er|or|pt)is(e|ed|es|ing|ation|ations)\b`), "-ize"},
	{regexp.MustCompile(`(?i)\banalys(e|ed|ing)\b`), "analyze"},
	{regexp.MustCompile(`\b[gG]rey\b`), "gray"},
	{regexp.MustCompile(`(?i)\b(cancelled|labelled|travelled|modelled)\b`), "canceled, labeled"},
	{regexp.MustCompile(`(?i)\bbehind\b`), "after"},
	{regexp.MustCompile(`(?i)\bin front of\b`), "before"},
	{regexp.MustCompile(`(?i)\b(nobody|somebody)\b`), "none, a user"},
	{regexp.MustCompile(`(?i)\bshall\b`), "must, should, will"},
	{regexp.MustCompile(`(?i)\bsuch an? one\b`), "one"},
	{regexp.MustCompile(`\bfrom (off|offset|i|at|start) on\b`), "from"},
	{regexp.MustCompile(`(?i)\b(breathes?|mends?|mended|proven?|proves)\b`), "yield, repair, verify"},
	{regexp.MustCompile(`(?i)\b\w+ is no (number|string|list|array|object|time|size|figure|limit|rate|share|regular|JSON|table|sort)\b`), "is not a …, invalid …, unknown …"},
	{regexp.MustCompile(`(?i)\bnothing lifts\b`), "cannot be raised"},
	{regexp.MustCompile(`: there are %s`), "; available: %s"},
}

// accepted are spellings that stay as they are: former names in users' files.
var accepted = regexp.MustCompile(`colour-blind|(?i:there is no \w+)|"(max|norm)(im|al)ise"|(?i)\b(promise|otherwise|precise|likewise|noise|raise|rise|arise|wise|exercise|surprise|enterprise|improvise|advertise|comprise|compromise)(s|d)?\b`)

// undone are folders whose words wait for a time when nothing else changes there.
var undone = []string{}

// notSaid returns the poor word in a text and a better one, "" where there is none.
func notSaid(text string) (poor, better string) {
	text = accepted.ReplaceAllString(text, "")
	for _, p := range poorWords {
		for _, found := range p.word.FindAllString(text, -1) {
			if p.better != "color" || strings.Contains(strings.ToLower(found), "colour") {
				return found, p.better
			}
		}
	}
	return "", ""
}

// What people read, comments and messages, is in plain words and spelled as Americans do.
func TestPlainWords(t *testing.T) {
	set := token.NewFileSet()
	err := filepath.WalkDir(root(t), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root(t), path)
		if name = filepath.ToSlash(name); err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		for _, dir := range undone {
			if strings.HasPrefix(name, dir) {
				return nil
			}
		}
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		c := checker{t: t, set: set, name: name}
		for _, group := range file.Comments {
			for _, line := range group.List {
				if poor, better := notSaid(line.Text); poor != "" {
					c.complain(line.Pos(), "%q: better %s", poor, better)
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
				if poor, better := notSaid(text.Value); poor != "" {
					c.complain(text.Pos(), "%q: better %s", poor, better)
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

func TestPoorWordsAreFound(t *testing.T) {
	for text, want := range map[string]bool{
		"the colour of it": true, "the color of it": false, "bytes behind the header": true, "normalised": true, "otherwise": false,
		"a promise": false, "from offset on": true, "from now on": false, "a value is no number": true, "there is no number": false,
		"a Neighbour": true, "neighbouring pages": true, "it shall wait": true, "initialise": true, "a precise figure": false,
	} {
		if poor, _ := notSaid(text); (poor != "") != want {
			t.Errorf("%q: found %q", text, poor)
		}
	}
}
