package uses

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/loaders"
)

// harmless flags only ask for less of what a command does: a command that does none of it keeps them anyway, and scripts may give them
// to all commands.
func harmless(flag string) bool {
	return flag == "help" || slices.Contains(Harmless(), "--"+flag) || flag == "mouse"
}

// Harmless returns the flags that may be given to every command.
func Harmless() []string {
	return []string{"--max-memory", "--index", "--color", "--ascii", "--no-mouse", "--theme"}
}

// find finds a flag of a command. known is false for flags of its own that mean something always.
func find(command, flag string, shared bool) (u Use, means, known bool) {
	for _, u := range Table()[command] {
		if u.Flag == flag {
			return u, true, true
		}
	}
	return Use{}, false, shared
}

// Means reports whether a shared flag means something to a command.
func Means(command, flag string) bool {
	_, means, _ := find(command, flag, true)
	return means
}

// IsShared reports whether a flag is one of the program, which stands before all commands.
func IsShared(app *kong.Application, flag *kong.Flag) bool {
	return slices.ContainsFunc(app.Flags, func(f *kong.Flag) bool { return f.Name == flag.Name })
}

// Shared returns the flags of the program that mean something to a command, with the help that tells what: nil stands for the default
// one. Help texts name lists by words.
// For a command with verbs they are those of any verb.
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
			u, means, _ := find(path, f.Name, true)
			if !means && f.Name != "help" {
				continue
			}
			out = append(out, described(f, &u, readBy(path), words))
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

// described returns a flag with the help text that it has for a command, which reads these kinds of files.
func described(f *kong.Flag, u *Use, of kind.Set, words kong.Vars) *kong.Flag {
	help := u.help
	if few := u.Of.Names(); help == "" && u.Of&of != of && (len(few) == 1 || len(few) == 2) {
		help = "Of " + strings.Join(few, " and ") + ": " + lowerFirst(f.Help)
	}
	if help == "" {
		return f
	}
	value, flag := *f.Value, *f
	value.Help = os.Expand(help, func(word string) string { return words[word] })
	if flag.Value = &value; strings.HasPrefix(help, "The format") {
		flag.PlaceHolder = "FORMAT"
	}
	return &flag
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// Given returns the flags that stand on the command line; what the environment or the config file sets is not given.
func Given(parsed *kong.Context) (list []*kong.Flag) {
	for _, p := range parsed.Path {
		if p.Flag != nil && !p.Resolved {
			list = append(list, p.Flag)
		}
	}
	return list
}

// Understood returns those of some flags, each with its value, that mean something to a command.
func Understood(command string, flags []string) (out []string) {
	for i := 0; i < len(flags); i++ {
		name, _, whole := strings.Cut(flags[i], "=")
		end := i + 1
		if !whole {
			end = min(i+2, len(flags))
		}
		if Means(command, strings.TrimPrefix(name, "--")) {
			out = append(out, flags[i:end]...)
		}
		i = end - 1
	}
	return out
}

// IsGiven reports whether a flag stands on the command line, which may be nil.
func IsGiven(parsed *kong.Context, name string) bool {
	return parsed != nil && slices.ContainsFunc(Given(parsed), func(f *kong.Flag) bool { return f.Name == name })
}

// Check refuses flags that mean nothing to a command, whatever it reads.
func Check(parsed *kong.Context) error {
	command := Path(parsed.Selected())
	for _, f := range Given(parsed) {
		_, means, known := find(command, f.Name, IsShared(parsed.Model, f))
		switch {
		case means || !known || harmless(f.Name):
		case command == "diff" && f.Name == "snapshot":
			return errors.New("diff: name the snapshots as BEFORE#0 AFTER#3, not with --snapshot")
		default:
			return fmt.Errorf("--%s: does not apply to %s; see memtui %[2]s --help", f.Name, command)
		}
	}
	return nil
}

// Fits refuses flags that mean nothing for a file, by its format alone, and forgets settings that do not.
func Fits(parsed *kong.Context, name string, format loaders.Format) error {
	k := kind.OfFormat(format)
	if parsed == nil || k == kind.None {
		return nil
	}
	command, onLine := Path(parsed.Selected()), Given(parsed)
	if of := readBy(command); !of.Has(k) {
		return fmt.Errorf("%s holds no %s: it is %s", name, map[kind.Set]string{kind.Heaps: "heap snapshots", kind.Dumps: "page layouts"}[of], format.Name)
	}
	for _, f := range parsed.Flags() {
		u, means, _ := find(command, f.Name, false)
		if !means || u.Of.Has(k) || harmless(f.Name) {
			continue
		}
		if slices.Contains(onLine, f) {
			return fmt.Errorf("--%s: %s", f.Name, unfit(name, f.Name, k))
		}
		if err := f.Reset(); err != nil {
			return err
		}
	}
	return nil
}

// Numbered refuses FILE#N where a file of that format has no parts with numbers. In comparisons windows have some.
func Numbered(parsed *kong.Context, name string, format loaders.Format) error {
	k, command, compares := kind.OfFormat(format), "", false
	if parsed != nil {
		command = Path(parsed.Selected())
		compares = command == "check" || command == "open" && several(parsed.Selected())
	}
	if command == "diff" || compares && k == kind.Stacks || (kind.Heaps | kind.Dumps).Has(k) {
		return nil
	}
	return fmt.Errorf("%s holds no heap snapshots: it is %s", name, format.Name)
}

// several reports whether a command was given more than one file.
func several(command *kong.Node) bool {
	return slices.ContainsFunc(command.Positional, func(p *kong.Positional) bool { return p.IsSlice() && p.Target.Len() > 1 })
}

// unfit says why a flag means nothing for a file.
func unfit(name, flag string, k kind.Kind) string {
	switch {
	case k == kind.Stacks && (flag == "at" || flag == "min-age"):
		return "stack profiles are sums over time; narrow them with --from and --to"
	case k == kind.Trace && flag == "window":
		return name + " has no windows; --from and --to choose a range"
	case k == kind.Dump && flag == "by":
		return "the tables of a memory dump are in the file's order"
	case k == kind.Heap && (flag == "from" || flag == "to"):
		return "tables are about one snapshot; choose it with --snapshot or --at"
	case flag == "cell":
		return name + " holds no blocks"
	case slices.ContainsFunc(stepUses(), func(u Use) bool { return u.Flag == flag }) || flag == "window":
		return name + " holds neither a trace nor a stack profile"
	case flag == "snapshot":
		return name + " holds no heap snapshots: it is " + k.String()
	}
	return fmt.Sprintf("it does not apply to %s (%s)", k, name)
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
