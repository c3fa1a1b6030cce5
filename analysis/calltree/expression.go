package calltree

import (
	"regexp"
	"sync"
)

// Expression returns what compiles a regular expression when it is first asked for: a start of the program needs none
// of them.
func Expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
