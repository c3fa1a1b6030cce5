package calltree

import (
	"path"
	"regexp"
	"strings"

	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/model"
)

// A target is the part of a frame that the name of a step is compared with.
type target uint8

const (
	byFunction target = iota
	byFile
	byModule
	byPackage
	byLabel
	byStack
)

// targets are the prefixes of names of steps, except for functions.
var targets = [...]struct {
	word string
	is   target
}{{"file:", byFile}, {"module:", byModule}, {"dso:", byModule}, {"package:", byPackage}, {labelPrefix, byLabel}, {stackPrefix, byStack}}

// Prefixes of the names of steps that are not about functions.
const (
	FilePrefix    = "file:"
	ModulePrefix  = "module:"
	packagePrefix = "package:"
	labelPrefix   = "label:"
	stackPrefix   = "stack:"
)

// targetOf returns the target of a step's name, and the name without its prefix. Scopes ("file::f") belong to
// functions.
func targetOf(name string) (t target, rest string) {
	for _, t := range targets {
		if rest, ok := strings.CutPrefix(name, t.word); ok && !strings.HasPrefix(rest, ":") {
			return t.is, rest
		}
	}
	return byFunction, name
}

// frameMatcher reports which frames match the name of a step. Every text is compared once. It is for one goroutine.
type frameMatcher struct {
	stacks *model.Stacks
	is     target
	match  func(string) bool
	known  map[string]bool
	read   int // bytes compared since the last check of the context
}

func newFrameMatcher(s *model.Stacks, name string) *frameMatcher {
	t, rest := targetOf(name)
	m := &frameMatcher{stacks: s, is: t, known: map[string]bool{}, read: askAfter}
	switch t {
	case byFunction:
		m.match = FunctionMatcher(name)
	case byPackage:
		m.match = nameOr(rest, inPackage)
	case byLabel, byStack:
		m.match = func(string) bool { return false } // records have labels, complete stacks have ids: frames have none
	default:
		m.match = nameOr(rest, inPath)
	}
	return m
}

// askAfter is the number of bytes of names to which expressions are applied between checks of the context: a long name
// alone can take milliseconds.
const askAfter = 64 << 10

// nameCost is the least cost of comparing a name, in bytes.
const nameCost = askAfter / model.AskEvery

// due reports whether it is time to check the context.
func (m *frameMatcher) due() bool {
	if m.read < askAfter {
		return false
	}
	m.read = 0
	return true
}

// matches reports whether a frame matches.
func (m *frameMatcher) matches(f model.FrameID) bool {
	text := m.text(f)
	yes, ok := m.known[text]
	if !ok {
		yes = m.match(text)
		m.known[text] = yes
		m.read += len(text) + nameCost
	}
	return yes
}

// text returns the text of a frame that the name is compared with.
func (m *frameMatcher) text(f model.FrameID) string {
	switch m.is {
	case byFile:
		return m.stacks.At(f).File
	case byModule:
		return FrameModule(m.stacks, f)
	}
	return FrameFunction(m.stacks, f)
}

// FrameModule returns the module of a frame: its binary if the file records it, else [Module] of its file.
func FrameModule(s *model.Stacks, f model.FrameID) string {
	if int(f) < len(s.FrameDSO) {
		return s.DSOs[s.FrameDSO[f]].Name
	}
	if file := s.At(f).File; file != "" {
		return Module(file)
	}
	return ""
}

// nameOr returns a function that reports whether a text matches a name, by the expression if the name is one.
func nameOr(name string, is func(text, name string) bool) func(string) bool {
	if match := expressionMatcher(name); match != nil {
		return match
	}
	return func(s string) bool { return s != "" && is(oneLine(s), name) }
}

// inPath reports whether a path is the one named: complete, or its last parts.
func inPath(file, name string) bool {
	return file == name || strings.HasSuffix(file, "/"+strings.TrimPrefix(name, "/")) || path.Base(file) == name
}

// inPackage reports whether a function belongs to a package, namespace or module of a language.
func inPackage(function, name string) bool {
	rest, ok := strings.CutPrefix(funcname.Bare(function), strings.TrimRight(name, ".:/"))
	return ok && (strings.HasPrefix(rest, "::") || strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, "/"))
}

// expressionIn returns the regular expression between slashes. Real names never begin and end with one.
func expressionIn(name string) (text string, ok bool) {
	if len(name) < 3 || name[0] != '/' || name[len(name)-1] != '/' {
		return "", false
	}
	return "(?i)" + name[1:len(name)-1], true
}

// expressionMatcher returns a function that reports whether a text matches the regular expression in name; nil if name
// is not one.
func expressionMatcher(name string) func(string) bool {
	text, ok := expressionIn(name)
	if !ok {
		return nil
	}
	expr, err := regexp.Compile(text)
	if err != nil {
		return nil
	}
	return func(s string) bool { return expr.MatchString(model.Matched(s)) }
}

// FunctionMatcher returns a function that reports whether a function's name matches a step's name.
func FunctionMatcher(name string) func(string) bool {
	if match := expressionMatcher(name); match != nil {
		return match
	}
	parts := strings.Split(name, anyArguments)
	last := funcname.Last(parts[len(parts)-1])
	return func(s string) bool {
		if s = oneLine(s); s == name || len(parts) > 1 && matchParts(s, parts) {
			return true
		}
		// The bare name is computed only for names that contain it, as it is slow.
		return len(s) > len(name) && strings.Contains(s, last) && isBare(model.Matched(s), name)
	}
}

// isBare reports whether a name is the one that tables show of a function.
func isBare(function, name string) bool {
	templates := funcname.ShortenTemplates(function)
	return templates == name || funcname.WithoutSignature(templates) == name || declared(function) == name ||
		withoutArguments(templates) == name || withoutArguments(funcname.WithoutSignature(templates)) == name
}

// withoutArguments removes "<…>" from a name.
func withoutArguments(name string) string { return strings.ReplaceAll(name, anyArguments, "") }

// anyArguments replaces the arguments of templates and generics in names that are shown.
const anyArguments = "<…>"

// matchParts reports whether a name consists of the parts with something in angle brackets between each two of them.
func matchParts(name string, parts []string) bool {
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok || len(parts) == 1 {
		return ok && rest == ""
	}
	if !strings.HasPrefix(rest, "<") {
		return false
	}
	depth := 0
	for i := range len(rest) {
		switch rest[i] {
		case '<', '(', '[', '{':
			depth++
		case '>', ')', ']', '}':
			if rest[i] == '>' && i > 0 && rest[i-1] == '-' {
				continue
			}
			depth--
		}
		if depth <= 0 {
			return rest[i] == '>' && matchParts(rest[i+1:], parts[1:])
		}
	}
	return false
}
