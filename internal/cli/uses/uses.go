package uses

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/internal/cli/kind"
)

// harmless reports whether a flag only reduces what a command does. Commands that lack such a flag ignore it, so
// scripts may pass it to all commands.
func harmless(flag string) bool {
	return flag == "help" || slices.Contains(Harmless(), "--"+flag) || flag == "mouse"
}

// Harmless returns the flags that may be given to every command.
func Harmless() []string {
	return []string{"--max-memory", "--index", "--color", "--ascii", "--no-mouse", "--theme"}
}

// usesOf returns the uses of a flag by a command: none for its own flags that apply to all files.
func usesOf(command, flag string) (list []Use) {
	for _, u := range Table()[command] {
		if u.Flag == flag {
			list = append(list, u)
		}
	}
	return list
}

// kindsOf returns the kinds of files that a flag applies to.
func kindsOf(list []Use) (all kind.Set) {
	for _, u := range list {
		all |= u.Of
	}
	return all
}

// Means reports whether a shared flag applies to a command.
func Means(command, flag string) bool {
	return len(usesOf(command, flag)) > 0
}

// IsShared reports whether a flag is one of the program, which is before all commands.
func IsShared(app *kong.Application, flag *kong.Flag) bool {
	return slices.ContainsFunc(app.Flags, func(f *kong.Flag) bool { return f.Name == flag.Name })
}

// Shared returns the flags of the program that apply to a command, with the help text for that command; nil is the
// default command. words fill in the placeholders of help texts. A command with verbs has the flags of all its verbs.
func Shared(app *kong.Application, command *kong.Node, words kong.Vars) []*kong.Flag {
	paths := []string{"open"}
	if command != nil {
		paths = []string{Path(command)}
		for _, verb := range command.Children {
			paths = append(paths, Path(verb))
		}
	}
	var out []*kong.Flag
	for _, f := range app.Flags {
		for _, path := range paths {
			list := usesOf(path, f.Name)
			if len(list) == 0 && f.Name != "help" {
				continue
			}
			out = append(out, described(f, list, readBy(path), words))
			break
		}
	}
	return out
}

// readBy returns the kinds of files that a command reads.
func readBy(command string) kind.Set {
	switch {
	case command == "pages":
		return kind.Dumps
	case strings.HasPrefix(command, "heap"):
		return kind.Heaps
	}
	return kind.All
}

// described returns a flag with its help text for a command that reads these kinds of files.
func described(f *kong.Flag, list []Use, of kind.Set, words kong.Vars) *kong.Flag {
	help, kinds, needs := "", kindsOf(list), len(list) > 0
	for _, u := range list {
		help = cmp.Or(help, u.help)
		needs = needs && u.With != ""
	}
	if few := kinds.Names(); help == "" && kinds&of != of && (len(few) == 1 || len(few) == 2) {
		help = "For " + strings.Join(few, " and ") + ": " + lowerFirst(f.Help)
	}
	if needs && !strings.HasPrefix(help, "With ") {
		help = "With " + alternatives(list[0].With) + ": " + lowerFirst(cmp.Or(help, f.Help))
	}
	if help == "" {
		return f
	}
	value, flag := *f.Value, *f
	value.Help = os.Expand(help, func(word string) string { return words[word] })
	if flag.Value = &value; strings.HasPrefix(help, "The format") {
		flag.PlaceHolder = "FORMAT"
	} else if strings.HasPrefix(help, "The fleet") {
		flag.PlaceHolder = "PLACE"
	}
	return &flag
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// given returns the flags that are on the command line, without values from the environment or the config file.
func given(parsed *kong.Context) (list []*kong.Flag) {
	for _, p := range parsed.Path {
		if p.Flag != nil && !p.Resolved {
			list = append(list, p.Flag)
		}
	}
	return list
}

// Understood returns those of the flags that apply to a command, each with its value.
func Understood(command string, flags []string) []string {
	return Kept(flags, func(name string) bool { return Means(command, name) })
}

// Kept returns those of the flags whose names keep accepts, each with its value if it has one.
func Kept(flags []string, keep func(name string) bool) (out []string) {
	for i := 0; i < len(flags); i++ {
		name, _, whole := strings.Cut(strings.TrimPrefix(flags[i], "--"), "=")
		end := i + 1
		if !whole && end < len(flags) && !strings.HasPrefix(flags[end], "--") { // else it has no value
			end++
		}
		if keep(name) {
			out = append(out, flags[i:end]...)
		}
		i = end - 1
	}
	return out
}

// IsGiven reports whether a flag is on the command line, which may be nil.
func IsGiven(parsed *kong.Context, name string) bool {
	return parsed != nil && slices.ContainsFunc(given(parsed), func(f *kong.Flag) bool { return f.Name == name })
}

// Leaves returns the commands that can be run, in the order of the grammar.
func Leaves(app *kong.Application) []*kong.Node {
	var out []*kong.Node
	for _, c := range app.Children {
		if len(c.Children) == 0 {
			out = append(out, c)
		}
		out = append(out, c.Children...)
	}
	return out
}

// Path returns a command with the one that it belongs to: "heap types".
func Path(c *kong.Node) string {
	if c.Parent != nil && c.Parent.Type == kong.CommandNode {
		return c.Parent.Name + " " + c.Name
	}
	return c.Name
}

// Text returns the value of a flag on the command line, or "" if it is not given.
func Text(parsed *kong.Context, name string) string {
	for _, f := range given(parsed) {
		if f.Name == name {
			return f.Target.String()
		}
	}
	return ""
}
