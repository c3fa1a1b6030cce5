package cli

import (
	"cmp"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/export"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/orders"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/manual"
	"github.com/memtui/memtui/internal/cli/settings"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/loaders"
)

// openGrammar is the part of the grammar that opening a file needs. Building the complete parser takes a millisecond or
// two, which is a large part of the time until the first chart.
type openGrammar struct {
	globals
	Open openCmd `cmd:"" default:"withargs"`
}

// commandGrammar is the part that one command needs, except for the command, which [kong.DynamicCommand] adds.
type commandGrammar struct{ globals }

// parse parses the command line and sets flags. Both results are nil if the parser has printed everything.
func (a *app) parse() (*kong.Context, error) {
	if slices.Equal(a.env.Args, []string{"--version"}) { // as other programs have it
		a.env.Args = []string{"version"}
	}
	if g, flags, more := shortGrammar(a.env.Args); g != nil {
		if parsed, _, err := a.parseBy(g, more...); err == nil { // otherwise the whole grammar says why
			a.flags = flags
			return parsed, nil
		}
	}
	var g grammar
	parsed, parser, err := a.parseBy(&g)
	a.parser, a.flags = parser, &g.globals
	if err != nil {
		text := err.Error()
		hint := cmp.Or(arg.ValueHint(text), arg.TypeHint(a.env.Args, text), arg.VerbHint(parser.Model.Children, a.env.Args, text),
			arg.CommandHint(a.env.Args, commandNames))
		return nil, fail.Usage(errors.New(arg.Message(text) + hint))
	}
	return parsed, nil
}

// parseBy reads the command line by a grammar.
func (a *app) parseBy(g any, more ...kong.Option) (parsed *kong.Context, parser *kong.Kong, err error) {
	parser, err = kong.New(g, append(more,
		kong.Name("memtui"), kong.Description(description),
		grammarVars(a.inputs()),
		kong.Writers(a.out, a.env.Stderr),
		kong.Help(printHelp),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 100}),
		kong.Resolvers(settings.Resolver{Config: a.config, Getenv: a.env.Getenv}),
	)...)
	if err == nil {
		parsed, err = a.parseWords(parser)
	}
	return parsed, parser, err
}

// parseWords reads the command line, where that fails with its flags before its words. The error is about what the user
// wrote.
func (a *app) parseWords(parser *kong.Kong) (*kong.Context, error) {
	parsed, err := arg.Parse(parser, a.env.Args)
	if err == nil {
		return parsed, nil
	}
	if words := arg.Gather(parser.Model, a.env.Args); words != nil {
		if parsed, again := arg.Parse(parser, words); again == nil {
			return parsed, nil
		}
	}
	return nil, err
}

// grammarVars returns the values of the grammar's placeholders.
func grammarVars(formats []loaders.Format) kong.Vars {
	edges, help := uses.EdgePolicies(formats)
	axes, reprHelp := uses.AxisHelp(formats)
	dumpers, dumperHelp := uses.Dumpers(formats)
	return kong.Vars{
		"sortkeys": sortKeyList(), "leakkeys": strings.Join(orders.Leaks(), ", "),
		"blockkeys": strings.Join(orders.Blocks(), ", "), "heapkeys": heapKeyList(), "tables": strings.Join(report.EveryTable(), ","),
		"edges": edges, "edgehelp": help, "sizehelp": uses.SizeHelp(formats), "rowkinds": uses.RowKinds(formats),
		"dumpers": dumpers, "dumperhelp": dumperHelp, "axes": axes, "reprhelp": reprHelp,
	}
}

// shortGrammar returns the part of the grammar that is sufficient for a command line if that is valid. g is nil if all
// of it is needed.
func shortGrammar(args []string) (g any, flags *globals, more []kong.Option) {
	switch command := firstCommand(args); {
	case opensOnly(args):
		g := new(openGrammar)
		return g, &g.globals, nil
	case command != nil:
		g := new(commandGrammar)
		return g, &g.globals, []kong.Option{kong.DynamicCommand(args[0], "", "", command)}
	}
	return nil, nil, nil
}

// firstCommand returns a new command for the first word of a command line, nil if that is not a command, the line asks
// for help, or the command needs the complete grammar.
func firstCommand(args []string) any {
	if asksForHelp(args) || slices.Contains([]string{"guide", "completion", "man"}, args[0]) {
		return nil
	}
	t := reflect.TypeFor[grammar]()
	f, ok := t.FieldByNameFunc(func(name string) bool { return strings.ToLower(name) == args[0] })
	if _, is := f.Tag.Lookup("cmd"); !ok || !is {
		return nil
	}
	return reflect.New(f.Type).Interface()
}

// asksForHelp reports whether a command line asks for help, or may, or is empty.
func asksForHelp(args []string) bool {
	return len(args) == 0 || slices.ContainsFunc(args, func(arg string) bool {
		return strings.HasPrefix(arg, "-h") || strings.HasPrefix(arg, "--h")
	})
}

// opensOnly reports whether a command line can only open files: no word of it is a command, or asks for help.
func opensOnly(args []string) bool {
	names, aliases := commandNames()
	return !asksForHelp(args) && !slices.ContainsFunc(args, func(arg string) bool {
		return slices.Contains(names, arg) || slices.Contains(aliases, arg)
	})
}

// commandNames returns the words that commands are called by, in the order of the grammar.
func commandNames() (names, aliases []string) {
	t := reflect.TypeFor[grammar]()
	for i := range t.NumField() {
		f := t.Field(i)
		if _, is := f.Tag.Lookup("cmd"); !is {
			continue
		}
		names = append(names, strings.ToLower(f.Name))
		if more := f.Tag.Get("aliases"); more != "" {
			aliases = append(aliases, strings.Split(more, ",")...)
		}
	}
	return names, aliases
}

// sharedFlags returns the flags of the program that mean something to a command; nil represents the default one.
func sharedFlags(app *kong.Application, command *kong.Node) []*kong.Flag {
	return uses.Shared(app, command, kong.Vars{
		"sortkeys": sortKeyList(), "leakkeys": strings.Join(orders.Leaks(), ", "),
		"blockkeys": strings.Join(orders.Blocks(), ", "), "heapkeys": heapKeyList(), "targets": targetNames(),
		"weights": strings.Join(export.TraceMetrics(), ", "),
	})
}

// printHelp prints the help of a command with the flags that mean something to it.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	ctx.Model.Flags = sharedFlags(ctx.Model, ctx.Selected())
	for _, f := range ctx.Flags() {
		f.Name += manual.OptionalValue(f)
	}
	if ctx.Selected() != nil {
		return kong.DefaultHelpPrinter(options, ctx)
	}
	out, text := ctx.Stdout, &strings.Builder{}
	ctx.Stdout = text
	err := kong.DefaultHelpPrinter(options, ctx)
	ctx.Stdout = out
	if err == nil {
		_, err = io.WriteString(out, manual.CommandsFirst(text.String()))
	}
	return err
}

// isGiven reports whether a flag is on the command line.
func (a *app) isGiven(name string) bool { return uses.IsGiven(a.parsed, name) }
