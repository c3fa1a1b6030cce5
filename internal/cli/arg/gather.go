package arg

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Gather returns a command line with its flags before its words: the parser takes only words that follow each other for
// a list, such as that of files. It returns nil where that changes nothing, and where a flag is unknown.
func Gather(model *kong.Application, args []string) []string {
	node, flags, words := model.Node, []string(nil), []string(nil)
	known := slices.Clone(model.Flags)
	var commands []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return nil // what follows may look like flags
		}
		if len(arg) > 1 && arg[0] == '-' {
			f := flagOf(known, arg)
			if f == nil {
				return nil
			}
			flags = append(flags, arg)
			if takesNext(f, arg) && i+1 < len(args) {
				i++
				flags = append(flags, args[i])
			}
			continue
		}
		if child := childOf(node, arg); child != nil && len(words) == 0 {
			node, known, commands = child, append(known, child.Flags...), append(commands, arg)
			continue
		}
		words = append(words, arg)
	}
	out := slices.Concat(commands, flags, words)
	if slices.Equal(out, args) || len(words) < 2 {
		return nil
	}
	return out
}

// childOf returns the command of a name below another one, nil if there is none.
func childOf(node *kong.Node, name string) *kong.Node {
	i := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == name || slices.Contains(n.Aliases, name) })
	if i < 0 {
		return nil
	}
	return node.Children[i]
}

// flagOf returns the flag that an argument gives, nil if there is none.
func flagOf(known []*kong.Flag, arg string) *kong.Flag {
	name, isLong := strings.CutPrefix(arg, "--")
	name, _, _ = strings.Cut(name, "=")
	i := slices.IndexFunc(known, func(f *kong.Flag) bool {
		if !isLong {
			return f.Short != 0 && f.Short == []rune(arg)[1]
		}
		return f.Name == name || slices.Contains(f.Aliases, name) || f.Negated && "no-"+f.Name == name
	})
	if i < 0 {
		return nil
	}
	return known[i]
}

// takesNext reports whether the value of a flag is the argument that follows.
func takesNext(f *kong.Flag, arg string) bool {
	if f.IsBool() || f.IsCounter() {
		return false
	}
	if strings.HasPrefix(arg, "--") {
		return !strings.Contains(arg, "=")
	}
	return len([]rune(arg)) == 2
}
