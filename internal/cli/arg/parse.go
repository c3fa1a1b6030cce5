package arg

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"
)

// Runner is a command that needs something of the program.
type Runner[T any] interface {
	Run(ctx context.Context, with T) error
}

// Parse sets what a command line says, in the steps of [kong.Kong.Parse]. That function and [kong.Context.Run] look
// for methods by their names, so that the linker keeps every exported method of every type: a seventh of the program. Both
// results are nil if the help was requested and printed.
func Parse(parser *kong.Kong, args []string) (parsed *kong.Context, err error) {
	if parsed, err = kong.Trace(parser, args); err == nil {
		err = parsed.Error
	}
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(parsed.Path, func(p *kong.Path) bool { return p.Flag != nil && p.Flag.Name == "help" }) {
		return nil, parsed.PrintUsage(false)
	}
	apply := func() error {
		_, err := parsed.Apply()
		return err
	}
	for _, step := range []func() error{parsed.Reset, parsed.Resolve, apply, func() error { return complete(parsed) }} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return parsed, nil
}

// complete checks that a command line has all that it needs and no unknown values, in the words of [kong.Context.Validate].
func complete(c *kong.Context) error {
	for _, p := range c.Path {
		node := p.Node()
		if node == nil {
			continue
		}
		for _, v := range node.Values() {
			if v.Enum != "" && (v.Set || v.HasDefault || !v.Required) {
				if err := known(v, v.Target); err != nil {
					return err
				}
			}
		}
		if err := missingFlags(p.Flags); err != nil {
			return err
		}
	}
	node := c.Selected()
	if node == nil {
		node = c.Model.Node
	}
	return missingWord(node)
}

// known checks that a value is one of those that a flag or an argument has.
func known(v *kong.Value, target reflect.Value) error {
	if target.Kind() == reflect.Slice {
		for i := range target.Len() {
			if err := known(v, target.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	text := fmt.Sprint(target)
	if slices.Contains(v.EnumSlice(), text) {
		return nil
	}
	var quoted []string
	for _, x := range v.EnumSlice() {
		quoted = append(quoted, strconv.Quote(x))
	}
	return fmt.Errorf("%s must be one of %s but got %q", v.ShortSummary(), strings.Join(quoted, ","), text)
}

// missingFlags checks that required flags are given.
func missingFlags(flags []*kong.Flag) error {
	var names []string
	for _, f := range flags {
		if f.Required && !f.Set {
			names = append(names, f.Summary())
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Sort(names)
	return errors.New("missing flags: " + strings.Join(names, ", "))
}

// mostNamed is the number of commands that are named where one is missing.
const mostNamed = 5

// missingWord checks that the arguments of a command are given, or the verb of one that has verbs.
func missingWord(node *kong.Node) error {
	var names, arguments []string
	for _, v := range node.Positional {
		if v.Required && !v.Set {
			arguments = append(arguments, v.Summary())
		}
	}
	if len(arguments) > 0 {
		names = append(names, strconv.Quote(strings.Join(arguments, " ")))
	}
	for _, child := range node.Children {
		if !child.Hidden {
			names = append(names, strconv.Quote(child.Name))
		}
	}
	switch {
	case len(names) == 0:
		return nil
	case len(names) == 1:
		return errors.New("expected " + names[0])
	case len(names) > mostNamed:
		names = append(names[:mostNamed], "...")
	}
	return errors.New("expected one of " + strings.Join(names, ", "))
}
