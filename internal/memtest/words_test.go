package memtest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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

// poorMessages are words that are poor in what the program prints, where a reader has nothing else to go by.
var poorMessages = []struct {
	word   *regexp.Regexp
	better string
}{
	{regexp.MustCompile(`(?i)\b(tells|told|do(es)? not tell|nothing tells)\b`), "records, states, shows, lists"},
	{regexp.MustCompile(`(?i)\bstands? (?:for|in|between|before|around|above|as)\b`), "represents, is"},
	{regexp.MustCompile(`(?i)\b(lies|lie (?:in|outside|at))\b`), "is"},
	{regexp.MustCompile(`(?i)\b(gives? back|given back)\b`), "freed"},
	{regexp.MustCompile(`(?i)\bweigh(s|ed)? by\b`), "weight by, weighted by"},
	{regexp.MustCompile(`(?i)\bfor want of\b`), "for lack of, as it has no"},
	{regexp.MustCompile(`(?i)\b(of .* besides|taken together|puts? .*together)\b`), "another, combined, groups"},
	{regexp.MustCompile(`(?i)(?:this|that|they|%s|it|something) (?:is|are) (?:no|none) (?:address|folder|header|objects?|leaks?|that|JSON|whole)\b`), "is not a"},
	{regexp.MustCompile(`(?i)\bmeans? (nothing|something) (only with|without)\b`), "works only with"},
	{regexp.MustCompile(`(?i)\bwhat (they|it|objects|strings|the objects found) says?\b`), "the text of"},
	{regexp.MustCompile(`(?i)\b(which there (is|are) not|of which there (is|are) %)`), "which does not exist, but there are only"},
	{regexp.MustCompile(`(?i)\b(ends that|one would do|as it were|held by nothing|does without it)\b`), "cancels it, one is enough"},
	{regexp.MustCompile(`(?i)\b(of equal text|equal strings|room of|in room for)\b`), "with the same text, duplicate strings, capacity"},
	{regexp.MustCompile(`(?i)\bno line before\b`), "no earlier line"},
	{regexp.MustCompile(`(?i)\bpassed over\b`), "skipped"},
	{regexp.MustCompile(`(?i)\bany ?more\b`), "no longer"},
	{regexp.MustCompile(`(?i)\bhold memory, too\b|\bwhat follows (was|is) not\b`), "also keep memory alive, the rest was not"},
	{regexp.MustCompile(`(?i)\bmay be given more than once\b`), "may be repeated"},
	{regexp.MustCompile(`(?i)\bserver answers?\b|\banswers? no\b`), "returned, does not respond"},
	{regexp.MustCompile(`\bOf (traces|(?:stack )?profiles|heap snapshots|memory dumps|an address)\b[^.]*:`), "For traces: …"},
}

// poorComments are words that are poor in comments: dialect, where the field has a word.
var poorComments = []struct {
	word   *regexp.Regexp
	better string
}{
	{regexp.MustCompile(`(?i)\btold (?:of|by|apart|when|as|the)\b|\b(?:was|were|is) told\b`), "records, states, reports, is called with"},
	{regexp.MustCompile(`(?i)\b(?:does not|do not|may|can|cannot|nothing|which|that|it) tells?\b|\btells (?:what|how|which|whether|when|where|why|of|apart|from|nothing|a|the|them|files)\b`), "states, records, reports, distinguishes"},
	{regexp.MustCompile(`(?i)\bstands? (?:for|in|on|before|after|above|below|around|between|as|at|beside|earlier|twice|once|within|there|together|where|apart|first|last|behind|out of)\b|\bwhat stands\b`), "is, represents, is in, precedes"},
	{regexp.MustCompile(`(?i)\b(?:lies|lie) (?:in|outside|at|on|within|between|beside|above|below|around|after|about|there|closer|over|where|anywhere)\b`), "is, is in"},
	{regexp.MustCompile(`\bbesides?\b`), "next to, in addition to, other than"},
	{regexp.MustCompile(`(?i)\b(gives? back|given back|gave back)\b`), "frees, returns, restores"},
	{regexp.MustCompile(`(?i)\b(?:this|that|they|it|which|what|who|one|value|number|line|row) (?:is|are) none\b|\bwhat is no\b|\bis none of\b`), "is not one, anything else"},
	{regexp.MustCompile(`(?i)\bwhole (?:file|snapshot|screen|row|line|name|frame|block|heap|run|table|command|profile|stack|path|repository|number of bytes)s?\b`), "complete, entire"},
	{regexp.MustCompile(`(?i)\b(?:for|a) want of\b`), "lack of"},
	{regexp.MustCompile(`(?i)\bpass(?:ed|es) over\b`), "skipped, skips"},
	{regexp.MustCompile(`(?i)\b(?:is|are|was|were) asked(?: again)?\b`), "is checked, is queried, is requested"},
	{regexp.MustCompile(`(?i)\b(?:thus|hence|any ?more|by and by|as it were)\b`), "so, no longer"},
	{regexp.MustCompile(`(?i)\bof which there (?:is|are)\b|\bthat there (?:is|are) not\b`), "existing, unknown"},
	{regexp.MustCompile(`(?i)\bleads? nowhere\b`), "dangling, without a target"},
	{regexp.MustCompile(`(?i)\ball the same\b`), "nevertheless"},
	{regexp.MustCompile(`(?i)\bin the middle on\b|\bfrom \w+ on to\b`), "starting at"},
	{regexp.MustCompile(`(?i)\bis (?:it|what) says\b|\bsays of (?:it|the|a|itself|something)\b|\bwhat (?:it|they|a \w+|the \w+) says?\b`), "states about, the text of"},
	{regexp.MustCompile(`(?i)\btaken for\b|\btakes? .* for an?\b`), "treated as"},
}

// notCommented returns the poor word in a comment and a better one, "" where there is none.
func notCommented(text string) (poor, better string) {
	for _, p := range poorComments {
		if found := p.word.FindString(text); found != "" {
			return found, p.better
		}
	}
	return "", ""
}

// notPrinted returns the poor word in a text that the program prints and a better one, "" where there is none.
func notPrinted(text string) (poor, better string) {
	for _, p := range poorMessages {
		if found := p.word.FindString(text); found != "" {
			return found, p.better
		}
	}
	return "", ""
}

// accepted are spellings that stay as they are: former names in users' files.
var accepted = regexp.MustCompile(`colour-blind|(?i:there is no \w+)|"(max|norm)(im|al)ise"|(?i)\b(promise|otherwise|precise|likewise|noise|raise|rise|arise|wise|exercise|surprise|enterprise|improvise|advertise|comprise|compromise)(s|d)?\b`)

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
		file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		c := checker{t: t, set: set, name: name}
		for _, group := range file.Comments {
			for _, line := range group.List {
				poor, better := notSaid(line.Text)
				if poor == "" {
					poor, better = notCommented(line.Text)
				}
				if poor != "" {
					c.complain(line.Pos(), "%q: better %s", poor, better)
				}
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
				poor, better := notSaid(text.Value)
				if poor == "" && !strings.HasPrefix(name, "internal/memtest/") {
					poor, better = notPrinted(text.Value)
				}
				if poor != "" {
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

// quoted is what a page quotes: code, and the targets of links.
var quoted = regexp.MustCompile("`[^`]*`|\\]\\([^)]*\\)")

// pageLines returns the lines of a page, empty where it shows a screen or commands.
func pageLines(page string) []string {
	lines, shown := strings.Split(page, "\n"), false
	for i, line := range lines {
		if fence := strings.HasPrefix(strings.TrimSpace(line), "```"); fence || shown {
			lines[i], shown = "", shown != fence
		}
		lines[i] = quoted.ReplaceAllString(lines[i], "")
	}
	return lines
}

// Documentation is in the words of comments and messages.
func TestPlainPages(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root(t), "docs", "*.md"))
	if err != nil || len(pages) < 6 {
		t.Fatal(len(pages), "pages", err)
	}
	for _, page := range append(pages, filepath.Join(root(t), "README.md")) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range pageLines(string(text)) {
			for _, find := range []func(string) (poor, better string){notSaid, notCommented, notPrinted} {
				if poor, better := find(line); poor != "" {
					t.Errorf("%s:%d: %q: better %s", filepath.Base(page), i+1, poor, better)
				}
			}
		}
	}
}

func TestPageLines(t *testing.T) {
	got := pageLines("a `b` [c](d.md)\n```sh\ne\n```\nf")
	if want := []string{"a  [c", "", "", "", "f"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
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

func TestPoorMessagesAreFound(t *testing.T) {
	for text, want := range map[string]bool{
		"nothing tells what is live": true, "the samples do not tell": true, "nothing stands out": false, "a comma stands before a bracket": true,
		"a section lies outside of it": true, "was given back at the end": true, "stacks weighed by live": true, "for want of ids": true,
		"this is no address": true, "%s is no folder": true, "there is no folder": false, "--at means something only with --by": true,
		"reveal what strings say": true, "location 3, which there is not": true, "{stop} ends that": true, "of equal text: one would do": true,
		"frame 7, of which there are %d": true, "matches no leak any more": true, "the server answers 404": true, "Of traces: the range": true,
		"May be given more than once.": true, "a stack that no line before defines": true, "too late to tell whether more will come": false,
	} {
		if poor, _ := notPrinted(text); (poor != "") != want {
			t.Errorf("%q: found %q", text, poor)
		}
	}
}

func TestPoorCommentsAreFound(t *testing.T) {
	for text, want := range map[string]bool{
		"the header tells what it holds": true, "it was told before": true, "distinguishes files": false, "a comma stands before it": true,
		"blocks stand back to back": false, "it lies in the file": true, "the row beside it": true, "gives back its memory": true,
		"false where it is none of them": true, "returns none": false, "reads the whole file": true, "in whole percent": false,
		"for want of memory": true, "the rest is passed over": true, "the context is asked again": true, "thus it is": true,
		"references that lead nowhere": true, "as the header says": false, "what the file says of itself": true, "a pipe taken for a file": true,
	} {
		if poor, _ := notCommented(text); (poor != "") != want {
			t.Errorf("%q: found %q", text, poor)
		}
	}
}
