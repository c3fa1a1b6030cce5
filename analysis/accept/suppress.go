package accept

import (
	"errors"
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strings"

	"github.com/memtui/memtui/model"
)

// Suppressions are the entries of one file about leaks.
type Suppressions struct {
	name    string
	list    []suppression
	ignored []string // kinds of entries that are not about leaks, each once
	others  int      // entries of these
}

// suppression is one entry: a pattern of LeakSanitizer, or the lines of a block of Valgrind.
type suppression struct {
	line    int
	title   string
	pattern string         // matches the function, file or module of any frame
	symbol  symbol         // what pattern is, if it is a mangled name
	frames  []framePattern // used instead, from the leaf
	used    bool
}

// framePattern is one line about a frame in a block of Valgrind.
type framePattern struct {
	kind   byte // 'f'unction, 'o'bject, 's'ource, or '.' for any number of frames
	text   string
	symbol symbol // what the text about a function is, if it is a mangled name
}

// Note reports what was ignored in the file, "" if nothing.
func (s *Suppressions) Note() string {
	if s.others == 0 {
		return ""
	}
	kinds := s.ignored
	more := ""
	if len(kinds) > 3 {
		kinds, more = kinds[:3], " …"
	}
	return fmt.Sprintf("%s: ignored, as not about leaks: %s (%s%s)", s.name,
		model.Counted(uint64(s.others), "suppression"), strings.Join(kinds, ", "), more)
}

// match reports whether an entry accepts a stack, and records which.
func (s *Suppressions) match(stack iter.Seq[model.Frame]) bool {
	if len(s.list) == 0 {
		return false
	}
	var frames []symbolized
	for f := range stack {
		frames = append(frames, newSymbolized(f))
	}
	for i := range s.list {
		if x := &s.list[i]; x.match(frames) {
			x.used = true
			return true
		}
	}
	return false
}

func (x *suppression) match(frames []symbolized) bool {
	if x.frames == nil {
		return slices.ContainsFunc(frames, func(f symbolized) bool {
			return matchAnywhere(x.pattern, f.Function) || matchAnywhere(x.pattern, f.plain) ||
				matchAnywhere(x.pattern, f.File) || x.symbol.match(f.source())
		})
	}
	if matchStack(x.frames, frames) {
		return true
	}
	// Valgrind's stacks begin with the allocation function, which recorders of traces may omit.
	return allocates(x.frames[0]) && len(x.frames) > 1 &&
		!slices.ContainsFunc(frames[:min(len(frames), 1)], isAllocator) && matchStack(x.frames[1:], frames)
}

// allocator matches the allocation functions that Valgrind names in suppressions.
var allocator = regexp.MustCompile(`^(malloc|calloc|realloc|reallocarray|memalign|posix_memalign|aligned_alloc|valloc|_Zn[aw].*|operator new.*|__builtin_(vec_)?new)$`)

func allocates(p framePattern) bool { return p.kind == 'f' && allocator.MatchString(p.text) }

func isAllocator(f symbolized) bool { return allocator.MatchString(f.source()) }

// matchAnywhere matches as LeakSanitizer does: * matches anything, ^ and $ match the ends, and the text between may be
// anywhere. The first of several places is taken, so "a$" does not match "a-a".
func matchAnywhere(pattern, s string) bool {
	if s = model.Matched(s); s == "" {
		return false
	}
	pattern, start := strings.CutPrefix(pattern, "^")
	star := false
	for pattern != "" {
		switch pattern[0] {
		case '*':
			pattern, start, star = pattern[1:], false, true
			continue
		case '$':
			return s == "" || star
		}
		if s == "" {
			return false
		}
		end := strings.IndexAny(pattern, "*$")
		if end < 0 {
			end = len(pattern)
		}
		at := strings.Index(s, pattern[:end])
		if at < 0 || start && at > 0 {
			return false
		}
		s, pattern, start, star = s[at+end:], pattern[end:], false, false
	}
	return true
}

// matchStack reports whether a stack begins with the frames of the lines. "..." takes as few frames as possible, which
// is enough since what follows need not end with the stack.
func matchStack(lines []framePattern, frames []symbolized) bool {
	line, at := 0, 0
	wildLine, wildAt := -1, 0
	for line < len(lines) {
		switch {
		case lines[line].kind == '.':
			line++
			wildLine, wildAt = line, at
		case at < len(frames) && lines[line].match(&frames[at]):
			line++
			at++
		case wildLine >= 0 && wildAt < len(frames):
			wildAt++
			line, at = wildLine, wildAt
		default:
			return false
		}
	}
	return true
}

func (p *framePattern) match(f *symbolized) bool {
	switch p.kind {
	case 'f':
		return glob(p.text, orUnknown(f.Function)) || f.plain != "" && glob(p.text, f.plain) || p.symbol.match(f.source())
	case 'o':
		return glob(p.text, orUnknown(f.File))
	}
	if f.File == "" {
		return false
	}
	base := f.File[strings.LastIndexByte(f.File, '/')+1:]
	for _, name := range []string{f.File, base} {
		if glob(p.text, name) || f.Line > 0 && glob(p.text, fmt.Sprintf("%s:%d", name, f.Line)) {
			return true
		}
	}
	return false
}

// orUnknown returns the name, or Valgrind's word for an unknown one.
func orUnknown(name string) string {
	if name == "" {
		return "???"
	}
	return model.Matched(name)
}

// glob reports whether all of s matches a pattern with * and ?.
func glob(pattern, s string) bool {
	p, at, star, from := 0, 0, -1, 0
	for at < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, from = p, at
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == s[at]):
			p++
			at++
		case star >= 0:
			from++
			p, at = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}

// ReadSuppressions reads a file of LeakSanitizer, with lines such as leak:pattern, or of Valgrind, with blocks. name is
// that of the file.
func ReadSuppressions(name, text string) (*Suppressions, error) {
	r := &suppressionReader{out: &Suppressions{name: name}, rest: text}
	for {
		line, ok := r.next()
		if !ok {
			return r.out, nil
		}
		err := error(nil)
		if line == "{" {
			err = r.block()
		} else {
			err = r.pattern(line)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", name, r.line, err)
		}
	}
}

type suppressionReader struct {
	out  *Suppressions
	rest string
	line int
}

// next returns the next line that is neither empty nor a comment.
func (r *suppressionReader) next() (string, bool) {
	for r.rest != "" {
		line, rest, _ := strings.Cut(r.rest, "\n")
		r.rest = rest
		r.line++
		if line = strings.Trim(line, " \t\r"); line != "" && line[0] != '#' {
			return line, true
		}
	}
	return "", false
}

var sanitizerKind = regexp.MustCompile(`^[a-z][a-z0-9_+-]*$`)

// pattern reads a line of LeakSanitizer.
func (r *suppressionReader) pattern(line string) error {
	kind, pattern, ok := strings.Cut(line, ":")
	switch {
	case !ok || !sanitizerKind.MatchString(kind):
		return fmt.Errorf("%q is neither leak:pattern nor the { of a block of Valgrind's", shortened(line))
	case kind != "leak":
		r.ignore(kind)
	case pattern == "":
		return errors.New("an empty pattern; leak:* matches everything")
	default:
		r.out.list = append(r.out.list, suppression{
			line: r.line, title: "leak:" + shortened(pattern), pattern: pattern,
			symbol: newSymbol(strings.TrimSuffix(strings.TrimPrefix(pattern, "^"), "$")),
		})
	}
	return nil
}

func (r *suppressionReader) ignore(kind string) {
	r.out.others++
	if !slices.Contains(r.out.ignored, kind) && len(r.out.ignored) < 8 {
		r.out.ignored = append(r.out.ignored, shortened(kind))
	}
}

// block reads a block of Valgrind, after its {.
func (r *suppressionReader) block() error {
	begin := r.line
	open := fmt.Errorf("the block that begins in line %d has no }", begin)
	title, ok := r.next()
	if !ok {
		return open
	}
	kind, ok := r.next()
	if !ok {
		return open
	}
	tools, what, colon := strings.Cut(kind, ":")
	if title == "}" || kind == "}" || !colon {
		return errors.New("a block begins with its name and a line such as Memcheck:Leak")
	}
	leak := what == "Leak" && slices.Contains(strings.Split(tools, ","), "Memcheck")
	x := suppression{line: begin, title: shortened(title), frames: []framePattern{}}
	for {
		line, ok := r.next()
		switch {
		case !ok:
			return open
		case line == "}" && !leak:
			r.ignore(kind)
			return nil
		case line == "}":
			return r.addBlock(x)
		case leak:
			if err := x.addLine(line); err != nil {
				return err
			}
		}
	}
}

// addBlock adds a complete block. One that any stack matches is an error.
func (r *suppressionReader) addBlock(x suppression) error {
	if !slices.ContainsFunc(x.frames, func(p framePattern) bool { return p.kind != '.' }) {
		return errors.New("a block names at least one function, object or source file")
	}
	r.out.list = append(r.out.list, x)
	return nil
}

// addLine adds a line about a frame. Kinds of leaks are ignored: a trace does not record what still points to a block.
func (x *suppression) addLine(line string) error {
	if line == "..." {
		x.frames = append(x.frames, framePattern{kind: '.'})
		return nil
	}
	key, text, _ := strings.Cut(line, ":")
	switch {
	case key == "match-leak-kinds" && len(x.frames) == 0:
		for _, kind := range strings.Split(text, ",") {
			if kind = strings.TrimSpace(kind); !slices.Contains([]string{"definite", "indirect", "possible", "reachable", "all"}, kind) {
				return fmt.Errorf("match-leak-kinds: unknown kind %q", shortened(kind))
			}
		}
	case (key == "fun" || key == "obj" || key == "src") && text != "":
		x.frames = append(x.frames, framePattern{key[0], text, symbolOf(key, text)})
	default:
		return fmt.Errorf("%q is not one of fun:pattern, obj:pattern, src:pattern and ... alone", shortened(line))
	}
	return nil
}

// symbolOf returns what a line about a function is.
func symbolOf(key, text string) symbol {
	if key != "fun" {
		return symbol{}
	}
	return newSymbol(text)
}

// lost returns the pattern of an entry that cannot match names of the source, "" if all can.
func (x *suppression) lost() string {
	if x.symbol.lost {
		return x.pattern
	}
	for i := range x.frames {
		if x.frames[i].symbol.lost {
			return "fun:" + x.frames[i].text
		}
	}
	return ""
}

// shortened returns a line shortened for messages.
func shortened(s string) string {
	const most = 80
	if s = strings.ToValidUTF8(s, "\ufffd"); len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
