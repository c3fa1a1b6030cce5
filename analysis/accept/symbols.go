package accept

import (
	"strings"

	"github.com/memtui/memtui/analysis/funcname"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/mangled"
)

// symbol is what a pattern that is a mangled name means for names of the source, which most recordings hold.
type symbol struct {
	name  string // the source's name, without its signature; "" if the pattern is none or cannot be read
	full  string // with its signature; "" if the pattern leaves the signature open
	lost  bool   // the pattern is a mangled name that cannot be read: it matches mangled names only
	inner bool   // what is declared within name matches as well
}

// completions are endings that make the beginning of a mangled name complete: of a scope, and of arguments.
var completions = [...]string{"", "v", "Ev", "m", "Em"}

// newSymbol reads a pattern whose wildcards are * and ?. The beginning of a mangled name up to a final * can be read,
// names with other wildcards cannot.
func newSymbol(pattern string) symbol {
	if !mangled.Is(strings.TrimLeft(pattern, "*?")) {
		return symbol{}
	}
	name, open := strings.CutSuffix(pattern, "*")
	if strings.ContainsAny(name, "*?") {
		return symbol{lost: true}
	}
	if !open {
		if full := mangled.Demangle(name); full != name {
			return symbol{name: funcname.WithoutSignature(full), full: full}
		}
		return symbol{lost: true}
	}
	for _, ending := range completions {
		if full := mangled.Demangle(name + ending); full != name+ending {
			return symbol{name: funcname.WithoutSignature(full), inner: true}
		}
	}
	return symbol{lost: true}
}

// match reports whether a name of the source is meant. Recordings may lack signatures: then the name decides.
func (s *symbol) match(name string) bool {
	switch {
	case s.name == "" || name == "":
		return false
	case s.full != "" && name == s.full:
		return true
	case s.full != "" && strings.Contains(name, "("):
		return false
	}
	bare := funcname.WithoutSignature(name)
	return bare == s.name || s.inner && strings.HasPrefix(bare, s.name+"::")
}

// symbolized is a frame with the source's name of its function, if the file has only the mangled one.
type symbolized struct {
	model.Frame
	plain string
}

func newSymbolized(f model.Frame) symbolized {
	f.Function = model.Matched(f.Function)
	if plain := mangled.Demangle(f.Function); plain != f.Function {
		return symbolized{f, plain}
	}
	return symbolized{Frame: f}
}

// source returns the function's name in the source.
func (f *symbolized) source() string {
	if f.plain != "" {
		return f.plain
	}
	return f.Function
}
