package calltree

import (
	"regexp"
	"sync"
)

// Expression returns a function that compiles a regular expression at its first call, because a start of the program
// needs none of them.
func Expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
