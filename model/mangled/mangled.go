// Package mangled reads the names that compilers of C++ and Rust give to symbols.
package mangled

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
	"github.com/memtui/memtui/model"
)

const (
	maxMangled = 16 << 10 // bytes of a name that is demangled: the work may grow faster than the name
	// MaxDemangled is the power of two that a demangled name's number of bytes does not exceed.
	MaxDemangled = 16
)

// Demangle returns the source's name of a C++ or Rust symbol; other names, and those that cannot be read, are returned
// unchanged.
func Demangle(name string) string {
	if !Is(name) || len(name) > maxMangled {
		return name
	}
	var out string
	err := model.Guarded(func() (err error) { // names that are cut in some places make the library panic
		out, err = demangle.ToString(name, demangle.MaxLength(MaxDemangled))
		return err
	})
	if err != nil || out == "" {
		return name
	}
	return out
}

// Is reports whether a name may be one of C++ or Rust.
func Is(name string) bool {
	return strings.HasPrefix(name, "_Z") || strings.HasPrefix(name, "_R") || strings.HasPrefix(name, "__Z") ||
		strings.HasPrefix(name, "_GLOBAL_")
}
