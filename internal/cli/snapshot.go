package cli

import (
	"os"
	"slices"
	"strconv"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/internal/cli/arg"
)

// target is a file as the user names it, and the snapshot selected in it, nil for none.
type target struct {
	path     string
	snapshot *int
	numbered bool // the name has the number
}

// target splits FILE#N, unless a file has that very name. Without a number in the name, --snapshot applies.
func (a *app) target(name string) target {
	path, number, ok := arg.CutLast(name, '#')
	if n, err := strconv.Atoi(number); ok && err == nil {
		if _, err := os.Lstat(name); err != nil {
			return target{path, &n, true}
		}
	}
	return target{name, a.flags.Snapshot, false}
}

// numbered reports whether a command line names a file as FILE#N.
func (a *app) numbered(command *kong.Node) bool {
	for _, p := range command.Positional {
		switch names := p.Target.Interface().(type) {
		case string:
			if a.target(names).numbered {
				return true
			}
		case []string:
			if slices.ContainsFunc(names, func(name string) bool { return a.target(name).numbered }) {
				return true
			}
		}
	}
	return false
}
