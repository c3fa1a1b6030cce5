package symbols

import (
	"strings"

	"github.com/ianlancetaylor/demangle"
	"github.com/memtui/memtui/model"
)

const (
	maxMangled   = 16 << 10 // bytes of a name that is demangled: the work may grow faster than the name
	maxDemangled = 16       // demangled names have at most two to the power of this many bytes
)

// demangled returns the source's name of a C++ or Rust symbol; other names, and those that cannot be read, are returned
// unchanged.
func demangled(name string) string {
	if !mangled(name) || len(name) > maxMangled {
		return name
	}
	var out string
	err := model.Guarded(func() (err error) { // names that are cut in some places make the library panic
		out, err = demangle.ToString(name, demangle.MaxLength(maxDemangled))
		return err
	})
	if err != nil || out == "" {
		return name
	}
	return out
}

// mangled reports whether a name may be one of C++ or Rust.
func mangled(name string) bool {
	return strings.HasPrefix(name, "_Z") || strings.HasPrefix(name, "_R") || strings.HasPrefix(name, "__Z") || strings.HasPrefix(name, "_GLOBAL_")
}
