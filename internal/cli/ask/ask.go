// Package ask makes command lines of a page's questions. A page may ask what commands print about the open files, and nothing
// else.
package ask

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/memtui/memtui/model"
)

// askable are the commands that the page may run, each with the names of its arguments before the file.
var askable = map[string][]string{
	"report": nil, "diff": nil, "pages": nil, "heap find": nil, "heap object": {"id"}, "heap path": {"id"}, "heap peek": {"type"},
	"heap waste": nil, "heap threads": nil, "heap types": nil, "heap dominators": nil, "heap suspects": nil, "heap holders": {"type"},
}

// unsettable are flags that the page must not set: they read or write other files, or bound the program.
var unsettable = []string{"output", "source", "map-path", "symbols", "sysroot", "debuginfod", "index", "max-memory", "insecure",
	"every", "for", "save", "help", "format", "config"}

// Words returns the command line of a question: "do" is the command, "show" a section of the page, the rest are arguments and
// flags. Every value is that of a flag or an argument, whatever it begins with.
func Words(q url.Values, files []string) ([]string, error) {
	command := q.Get("do")
	arguments, ok := askable[command]
	if !ok {
		return nil, fmt.Errorf("the page cannot run %q", command)
	}
	words := append(strings.Fields(command), "--format=json")
	first, err := argumentsOf(q, arguments)
	if err != nil {
		return nil, err
	}
	for name, values := range q {
		if name == "do" || name == "show" || slices.Contains(arguments, name) {
			continue
		}
		if slices.Contains(unsettable, name) || !isFlagName(name) {
			return nil, fmt.Errorf("the page cannot set --%s", model.Clean(name))
		}
		for _, value := range values {
			if value == "true" && isSwitch(name) {
				words = append(words, "--"+name)
			} else {
				words = append(words, "--"+name+"="+value)
			}
		}
	}
	return slices.Concat(words, files, first), nil
}

// argumentsOf returns the arguments of a command that are not files.
func argumentsOf(q url.Values, names []string) (list []string, err error) {
	for _, name := range names {
		if strings.HasPrefix(q.Get(name), "-") {
			return nil, fmt.Errorf("invalid %s %q", name, q.Get(name))
		}
		list = append(list, q.Get(name))
	}
	return list, nil
}

// isSwitch reports whether a flag has no value.
func isSwitch(name string) bool { return slices.Contains([]string{"invert", "swap", "worst"}, name) }

func isFlagName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') })
}
