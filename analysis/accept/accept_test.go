package accept

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/model"
)

// stackOf makes a stack of functions, leaf first. "f@file" also names a file.
func stackOf(frames ...string) []model.Frame {
	var out []model.Frame
	for _, f := range frames {
		name, file, _ := strings.Cut(f, "@")
		out = append(out, model.Frame{Function: name, File: file, Line: 7})
	}
	return out
}

func leakOf(owner string, sites ...Site) Leak {
	return Leak{Owner: model.Frame{Function: owner}, Sites: sites}
}

func siteOf(bytes uint64, frames ...string) Site {
	return Site{Frames: slices.Values(stackOf(frames...)), Bytes: bytes, Count: 1}
}

// The expected answers are those of TemplateMatch in LLVM's sanitizer_common.
func TestSanitizerPatterns(t *testing.T) {
	tests := []struct {
		pattern, s string
		want       bool
	}{
		{"foo", "a::foo::b", true}, {"foo", "fo", false}, {"^foo", "foobar", true}, {"^foo", "barfoo", false},
		{"foo$", "barfoo", true}, {"foo$", "foobar", false}, {"^foo$", "foo", true}, {"^foo$", "foofoo", false},
		{"foo*bar", "xfoo--barx", true}, {"foo*bar", "bar foo", false}, {"^*bar$", "foobar", true}, {"*", "x", true}, {"*", "", false},
		{"foo*$", "xfoobar", true}, {"foo$", "foofoo", false}, {"a*a", "a", false}, {"lib.so", "/usr/lib.so.1", true},
	}
	for _, tt := range tests {
		if got := matchAnywhere(tt.pattern, tt.s); got != tt.want {
			t.Errorf("%q matches %q: %v, want %v", tt.pattern, tt.s, got, tt.want)
		}
	}
}

func TestGlob(t *testing.T) {
	for _, tt := range []struct {
		pattern, s string
		want       bool
	}{
		{"malloc", "malloc", true}, {"malloc", "xmalloc", false}, {"*alloc", "xmalloc", true}, {"m?lloc", "malloc", true}, {"m?lloc", "mlloc", false},
		{"*a*b*", "xxaxxbxx", true}, {"*a*b", "xxaxxbxx", false}, {"", "", true}, {"**", "", true}, {strings.Repeat("*a", 30), strings.Repeat("a", 5000) + "b", false},
	} {
		if got := glob(tt.pattern, tt.s); got != tt.want {
			t.Errorf("%q matches %q: %v, want %v", tt.pattern, tt.s, got, tt.want)
		}
	}
}

func TestSuppressions(t *testing.T) {
	block := func(lines ...string) string {
		return "{\n name\n Memcheck:Leak\n match-leak-kinds: definite,possible\n " + strings.Join(lines, "\n ") + "\n}\n"
	}
	stack := stackOf("malloc@/lib/libc.so.6", "xstrdup@src/str.c", "main@src/main.c", "_start")
	tests := []struct {
		text string
		want bool
	}{
		{"leak:xstr", true}, {"leak:^main.c", false}, {"leak:libc.so", true}, {"# leak:main\n", false}, {"  leak:^_start$ \r\n", true},
		{"interceptor_via_lib:libc.so\n", false}, {"leak:nothing\nleak:main\n", true},
		{block("fun:malloc", "fun:xstrdup"), true}, {block("fun:malloc", "fun:main"), false}, {block("fun:xstrdup"), false},
		{block("fun:malloc", "...", "fun:_start"), true}, {block("...", "fun:main", "fun:xstrdup"), false}, {block("...", "obj:*libc.so*"), true},
		{block("fun:*", "src:str.c"), true}, {block("fun:*", "src:str.c:7"), true}, {block("fun:*", "src:str.c:8"), false},
		{block("fun:malloc", "fun:xstrdup", "fun:main", "fun:_start", "fun:more"), false}, {block("fun:malloc", "fun:xstrdup", "fun:main", "obj:???"), true}, {block("fun:malloc", "fun:xstrdup", "obj:???"), false},
		{block("...", "fun:main", "obj:?*"), true}, {strings.Replace(block("fun:malloc"), "Leak", "Cond", 1), false},
	}
	for _, tt := range tests {
		s, err := ReadSuppressions("s", tt.text)
		if err != nil {
			t.Errorf("%q: %v", tt.text, err)
			continue
		}
		if got := s.match(slices.Values(stack)); got != tt.want {
			t.Errorf("%q matches: %v, want %v", tt.text, got, tt.want)
		}
	}
}

// Recorders may leave the allocation function out, which patterns of Valgrind's begin with.
func TestSuppressionsWithoutAllocator(t *testing.T) {
	s, err := ReadSuppressions("s", "{\nx\nMemcheck:Leak\nfun:malloc\nfun:xstrdup\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	for frames, want := range map[string]bool{"xstrdup main": true, "other xstrdup": false, "calloc xstrdup": false, "malloc xstrdup": true} {
		if got := s.match(slices.Values(stackOf(strings.Fields(frames)...))); got != want {
			t.Errorf("%s: %v, want %v", frames, got, want)
		}
	}
}

// Valgrind writes mangled names; recordings have those of the source, or mangled ones themselves, with or without
// signatures.
func TestMangledSuppressions(t *testing.T) {
	block := func(fun string) string { return "{\nx\nMemcheck:Leak\n...\nfun:" + fun + "\n}\n" }
	for _, tt := range []struct {
		text, frames string // divided by |
		want         bool
	}{
		{block("_ZN5Cache3getEi"), "Cache::get(int)", true}, {block("_ZN5Cache3getEi"), "Cache::get", true},
		{block("_ZN5Cache3getEi"), "Cache::get(long)", false}, {block("_ZN5Cache3getEi"), "_ZN5Cache3getEi", true},
		{block("Cache::get*"), "_ZN5Cache3getEi", true}, {block("_ZN5Cache3putEPc"), "Cache::put(char*)", true},
		{block("_ZN5Cache3get*"), "Cache::get(long)", true}, {block("_ZN5Cache3get*"), "Cache::get::Inner::f()", true},
		{block("_ZN5Cache3get*"), "Cache::getter(int)", false}, {block("_ZN5Cache*"), "Cache::put(int)", true}, {block("_Zn?m"), "operator new(unsigned long)", false},
		{block("_Znw*"), "operator new(unsigned long)|main", true}, {block("_Zna*"), "operator new(unsigned long)|main", false},
		{"leak:_ZN5Cache3getEi", "Cache::get(int)", true}, {"leak:Cache::get", "_ZN5Cache3getEi", true}, {"leak:^_ZN5Cache3get*$", "Cache::get(int)", true},
		{block("_ZN5Cache5fetchIiEET_S1_"), "int Cache::fetch<int>(int)", true}, {block("_ZN5Cache5fetchIiEET_S1_"), "Cache::fetch<int>", true},
		{block("_ZN5Cache5fetchIiEET_S1_"), "long Cache::fetch<long>(long)", false},
	} {
		s, err := ReadSuppressions("s", tt.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := s.match(slices.Values(stackOf(strings.Split(tt.frames, "|")...))); got != tt.want {
			t.Errorf("%q matches %s: %v, want %v", tt.text, tt.frames, got, tt.want)
		}
	}
}

// An entry that nothing can match is told apart from one that nothing matched this time.
func TestSuppressionsThatCannotMatch(t *testing.T) {
	s, err := ReadSuppressions("s", "leak:_ZN*get\n{\nold\nMemcheck:Leak\n...\nfun:_ZN?Cache*\n}\nleak:gone\nleak:_Zzz\n")
	if err != nil {
		t.Fatal(err)
	}
	got, err := (&Rules{Suppressions: []*Suppressions{s}}).Judge(t.Context(), []Leak{leakOf("get", siteOf(1, "get"))})
	if want := "[{s 1 leak:_ZN*get _ZN*get} {s 2 old fun:_ZN?Cache*} {s 8 leak:gone } {s 9 leak:_Zzz _Zzz}]"; err != nil || fmt.Sprint(got.Stale) != want {
		t.Errorf("%v, %v, want %v", got.Stale, err, want)
	}
}

func TestBadSuppressions(t *testing.T) {
	for text, want := range map[string]string{
		"\n# fine\nwhatever\n":               "s: line 3: \"whatever\" is neither leak:pattern nor",
		"leak:\n":                            "s: line 1: an empty pattern",
		"{\nname\nMemcheck:Leak\nfun:a\n":    "the block that begins in line 1 has no }",
		"{\nname\nMemcheck:Leak\n}\n":        "s: line 4: a block names at least one",
		"{\nname\nMemcheck:Leak\n...\n}\n":   "at least one",
		"{\nname\n}\n":                       "a block begins with its name",
		"{\nname\nMemcheck:Leak\nfoo:a\n}\n": "s: line 4: \"foo:a\" is not",
		"{\nname\nMemcheck:Leak\nmatch-leak-kinds: lost\nfun:a\n}\n": "s: line 4: match-leak-kinds: unknown kind \"lost\"",
		"{": "has no }",
	} {
		if _, err := ReadSuppressions("s", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	s, err := ReadSuppressions("s", "race:x\nthread:y\n{\nn\nMemcheck:Cond\nfun:a\n}\n")
	if err != nil || s.Note() != "s: ignored, as not about leaks: 3 suppressions (race, thread, Memcheck:Cond)" {
		t.Errorf("%v, %q", err, s.Note())
	}
}

// A baseline is still about the same leaks when the program was built anew: lines, addresses and suffixes differ then.
func TestBaselineSurvivesABuild(t *testing.T) {
	before := []Leak{leakOf("Cache::get::h0123456789abcdef", siteOf(1000, "malloc", "Cache::get::h0123456789abcdef", "0x7f2a858d44a2@/a/lib.so", "@/b/x.so", "main"))}
	before[0].Owner.Line = 12
	var file bytes.Buffer
	b, err := NewBaseline(before, nil)
	if err == nil {
		err = b.Write(&file)
	}
	if err != nil || b.Len() != 1 {
		t.Fatal(b, err)
	}
	after := leakOf("Cache::get::hfedcba9876543210", siteOf(2000, "malloc", "Cache::get::hfedcba9876543210", "0x5500@/a/lib.so", "@/c/x.so", "main"))
	after.Owner.Line = 99
	tests := []struct {
		name     string
		leak     Leak
		failures int
		known    uint64
		stale    int
	}{
		{"twice as much", after, 0, 0, 0},
		{"more than twice", leakOf(after.Owner.Function, Site{Frames: after.Sites[0].Frames, Bytes: 2001}), 1, 1000, 0},
		{"another stack", leakOf(after.Owner.Function, siteOf(10, "malloc", "Cache::get", "other")), 1, 0, 1},
		{"another owner", leakOf("Cache::put", after.Sites[0]), 1, 0, 1},
	}
	for _, tt := range tests {
		read, err := ReadBaseline("b.json", file.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		got, err := (&Rules{Baseline: read}).Judge(t.Context(), []Leak{tt.leak})
		if err != nil || len(got.Failures) != tt.failures || len(got.Stale) != tt.stale || tt.failures > 0 && got.Failures[0].Known != tt.known || got.Known != 1-tt.failures {
			t.Errorf("%s: %+v, %v", tt.name, got, err)
		}
	}
}

// Of a leak only the sites fail that nothing accepts.
func TestSitesAreAcceptedOneByOne(t *testing.T) {
	s, err := ReadSuppressions("s", "leak:sup\nleak:unused\n")
	if err != nil {
		t.Fatal(err)
	}
	known := leakOf("get", siteOf(100, "get", "known"))
	b, err := NewBaseline([]Leak{known, leakOf("gone", siteOf(1, "gone"))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	leaks := []Leak{
		leakOf("get", siteOf(100, "get", "known"), siteOf(50, "get", "sup"), siteOf(30, "get", "new"), siteOf(20, "get", "newer")),
		leakOf("tiny", siteOf(3, "tiny")),
		leakOf("sup", siteOf(1000, "sup")),
	}
	got, err := (&Rules{Least: 50, Baseline: b, Suppressions: []*Suppressions{s}}).Judge(t.Context(), leaks)
	if err != nil || len(got.Failures) != 1 || got.Failures[0].Bytes != 50 || got.Failures[0].Accepted != 2 || got.Small != 1 || got.Suppressed != 1 || got.Known != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if want := "[{ 0 gone } {s 2 leak:unused }]"; fmt.Sprint(got.Stale) != want {
		t.Errorf("stale: %v, want %v", got.Stale, want)
	}
	if got, err := (&Rules{Least: 51, Baseline: b, Suppressions: []*Suppressions{s}}).Judge(t.Context(), leaks); err != nil || len(got.Failures) != 0 || got.Small != 2 {
		t.Errorf("of at least 51 bytes: %+v, %v", got, err)
	}
}

func TestReportsAreBaselines(t *testing.T) {
	const text = `{"schema": "memtui.report/1", "trace": {
 "findings": [
  {"kind": "leak", "owner": {"function": "get", "line": 3}, "stacks": [1, 2], "bytes": 500, "count": 4},
  {"kind": "leak", "owner": {"function": "put"}, "stacks": [3], "bytes": 50, "count": 4},
  {"kind": "late", "owner": {"function": "late"}, "stacks": [4], "bytes": 50, "count": 4}],
 "leaks": {"sites": [{"stack": 1, "frames": [{"function": "malloc"}, {"function": "get", "line": 3}]}, {"stack": 3, "frames": [{"function": "put"}]}]}}}`
	b, err := ReadBaseline("r.json", []byte(text))
	if err != nil || b.Len() != 2 {
		t.Fatal(b, err)
	}
	leaks := []Leak{
		leakOf("get", siteOf(100, "malloc", "get"), siteOf(100, "a stack that the report does not tell", "get")),
		leakOf("put", siteOf(10, "malloc", "put")), leakOf("late", siteOf(10, "late")),
	}
	got, err := (&Rules{Baseline: b}).Judge(t.Context(), leaks)
	if err != nil || len(got.Failures) != 2 || got.Failures[0].Owner.Function != "put" || got.Known != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestBadBaselines(t *testing.T) {
	for text, want := range map[string]string{
		"": "b: ",
		"{\n \"schema\": \"memtui.report/1\",\n}": "b: line 3: ",
		"{\n \"leaks\": 3}":                       "b: line 2: ",
		"{}":                                      "b is not a baseline, as it has no \"schema\"",
		`{"schema": "memtui.diff/1"}`:             "b is not a baseline, but \"memtui.diff/1\"",
		`{"schema": "memtui.report/1"}`:           "b is not a baseline, but",
		"leak:foo":                                "b: line 1: ",
	} {
		if _, err := ReadBaseline("b", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
