package manual

import (
	"slices"

	"github.com/alecthomas/kong"
)

// flagNames returns the ways to write a flag, the long one first.
func flagNames(f *kong.Flag) []string {
	names := []string{"--" + f.Name}
	if f.Tag != nil && f.Tag.Negatable != "" {
		names = []string{"--no-" + f.Name, "--" + f.Name}
	}
	if f.Short != 0 {
		names = append(names, "-"+string(f.Short))
	}
	return names
}

// choices returns the values that a flag or argument accepts, or nil if it accepts any.
func choices(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	return slices.DeleteFunc(v.EnumSlice(), func(choice string) bool { return choice == "" })
}

// takesValue reports whether a word must follow the flag.
func takesValue(f *kong.Flag) bool { return !f.IsBool() }

// OptionalValue returns the form of a flag's optional value, "[=SIZE]", or "" for flags without one.
func OptionalValue(f *kong.Flag) string {
	if f.Tag == nil || !f.Tag.Has("optvalue") {
		return ""
	}
	return "[=" + f.Tag.Get("optvalue") + "]"
}

// Grammar is a command line: its commands, and the flags of the program that apply to each of them. The key nil
// represents the default command.
type Grammar struct {
	*kong.Application
	Shared func(command *kong.Node) []*kong.Flag
}

// Visible returns the flags that may follow a command: the program's and its own.
func (app Grammar) Visible(command *kong.Node) []*kong.Flag {
	var flags []*kong.Flag
	for _, f := range app.Shared(command) {
		if !f.Hidden {
			flags = append(flags, f)
		}
	}
	if command == nil {
		return flags
	}
	for _, f := range ownFlags(command) {
		if !f.Hidden {
			flags = append(flags, f)
		}
	}
	return flags
}

// ownFlags returns the flags of a command and of the verbs below it, each name once.
func ownFlags(command *kong.Node) []*kong.Flag {
	flags := slices.Clip(command.Flags)
	for _, verb := range command.Children {
		for _, f := range verb.Flags {
			if !slices.ContainsFunc(flags, func(g *kong.Flag) bool { return g.Name == f.Name }) {
				flags = append(flags, f)
			}
		}
	}
	return flags
}

// words returns the words that are possible in place of an argument, in addition to files: choices and verbs.
func words(command *kong.Node) []string {
	var out []string
	for _, verb := range command.Children {
		out = append(out, verb.Name)
	}
	for _, p := range command.Positional {
		out = append(out, choices(p)...)
	}
	return out
}
