package analysis

import (
	"regexp"
	"sync"
)

// expression returns what compiles a regular expression when it is first asked for: a start of the program needs none of them.
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
