package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/export"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/loaders"
)

// use says that a flag means something to a command.
type use struct {
	flag string
	of   kind.Set // of the files that it means something for
	help string   // instead of the grammar's, "" for that
}

// about chooses what of a file a report is about.
func about() []use {
	return []use{
		{"at", kind.Traces | kind.Heaps | kind.Dumps, ""}, {"from", kind.Traces | kind.Profiles | kind.Dumps, ""}, {"to", kind.Traces | kind.Profiles | kind.Dumps, ""},
		{"by", kind.Traces | kind.Profiles | kind.Heaps, "Sort key: ${sortkeys}; for heap snapshots ${heapkeys}; for stack profiles any metric."},
		{"event", kind.Profiles, ""}, {"min-age", kind.Traces, ""}, {"frame-order", kind.Traces, ""},
		{"snapshot", kind.Heaps | kind.Dumps, ""}, {"series", kind.Dumps, ""}, {"point", kind.Dumps, ""}, {"edges", kind.Heaps, ""},
	}
}

// stepUses returns the flags that filter stacks.
func stepUses() []use {
	return named(kind.Traces|kind.Profiles, "focus", "ignore", "show-from", "hide", "pivot")
}

// reader are flags of every command that reads a file whole.
func reader() []use { return named(kind.All, "max-memory", "index") }

// drawing are flags of what prints tables.
func drawing() []use { return named(kind.All, "format", "limit", "color", "ascii") }

// inHeap are flags about one heap snapshot.
func inHeap() []use { return named(kind.Heaps, "at", "snapshot") }

func named(of kind.Set, flags ...string) (list []use) {
	for _, f := range flags {
		list = append(list, use{f, of, ""})
	}
	return list
}

// commandUses are the flags that mean something to each command: the shared ones, and those of its own that mean something for some
// kinds of files only. What help, completion, manual and guide list is this, and what else is given on a command line is refused.
var commandUses = sync.OnceValue(func() map[string][]use {
	page := []use{{"format", kind.All, "Output: text, json, markdown or csv, or html, a page for browsers."}}
	shown := slices.Concat(page, drawing()[1:], about(), reader())
	report := slices.Concat(shown, stepUses(), named(kind.Profiles, "window"), named(kind.Traces, "cell"))
	screen := slices.Concat(shown, named(kind.All, "mouse", "theme"))
	heapTable := slices.Clip(slices.Concat(drawing(), inHeap(), named(kind.Heaps, "edges", "max-memory")))
	return map[string][]use{
		"open": screen, "demo": screen, "report": report, "check": slices.Concat(drawing(), about(), reader()),
		"evidence": slices.Concat([]use{{"format", kind.All, "What to print about it: text, its path, or json, the manifest."}}, drawing()[1:2], about(), reader()),
		"info":     {formatUse("text or json"), {"frame-order", kind.All, ""}, {"index", kind.All, ""}, {"max-memory", kind.All, ""}},
		"validate": {formatUse("text or json"), {"max-memory", kind.All, ""}},
		"index":    {formatUse("text or json"), {"frame-order", kind.All, ""}, {"index", kind.All, ""}, {"max-memory", kind.All, ""}},
		"diff":     slices.Concat(drawing(), diffUses(), reader(), stepUses(), named(kind.Traces, "cell")),
		"pages":    slices.Concat(drawing(), []use{{"at", kind.Dumps, "The instant of the layout (the last one)."}}, named(kind.Dumps, "snapshot", "series", "point", "max-memory")),
		"convert": slices.Concat([]use{
			{"to", kind.All, "The format to write: " + targetNames() + ". A second --to is the end of the range."},
			{"by", kind.Traces | kind.Profiles, "The weight of stacks: " + strings.Join(export.TraceMetrics(), ", ") + "; for stack profiles any metric."},
		}, about()[:2], about()[4:8], named(kind.Heaps, "edges"), reader(), stepUses()),
		"heap snapshots":  slices.Concat(drawing()[:1], drawing()[2:], inHeap(), named(kind.Heaps, "max-memory")),
		"heap types":      append(heapTable, heapBy("${heapkeys}")),
		"heap frames":     append(heapTable, heapBy("${heapkeys}")),
		"heap dominators": heapTable,
		"heap find":       slices.Concat(drawing(), inHeap(), []use{heapBy("row or bytes")}, named(kind.Heaps, "max-memory")),
		"heap object":     heapTable,
		"heap path":       slices.Concat(drawing()[:1], drawing()[2:], inHeap(), named(kind.Heaps, "edges", "max-memory")),
		"guide":           {formatUse("text, markdown or json")}, "keys": {formatUse("text, markdown or json")}, "version": {formatUse("text or json")},
	}
})

func formatUse(which string) use { return use{"format", kind.All, "Output: " + which + "."} }

func heapBy(keys string) use { return use{"by", kind.Heaps, "Sort key: " + keys + "."} }

// diffUses returns those about places, of both sides.
func diffUses() []use {
	stacked := kind.Traces | kind.Profiles
	return []use{
		{"at", kind.Traces | kind.Heaps | kind.Dumps, "The instant of both sides; --a and --b give each side its own."}, {"from", stacked | kind.Dumps, ""}, {"to", stacked | kind.Dumps, ""},
		{"by", kind.All, "What is compared: ${sortkeys}; for heap snapshots ${heapkeys}; for stack profiles any metric."},
		{"event", stacked, "For stack profiles: the event to compare (the first that has stacks)."},
		{"frame-order", stacked, "For traces: the order of frames: auto, leaf-first or root-first."}, {"series", kind.Dumps, ""}, {"point", kind.Dumps, ""}, {"edges", kind.Heaps, ""},
	}
}

// harmless flags only ask for less of what a command does: a command that does none of it keeps them anyway, and scripts may give them
// to all commands.
func harmless(flag string) bool {
	return flag == "help" || slices.Contains(harmlessNames(), "--"+flag) || flag == "mouse"
}

func harmlessNames() []string {
	return []string{"--max-memory", "--index", "--color", "--ascii", "--no-mouse", "--theme"}
}

// usesOf finds a flag of a command. known is false for flags of its own that mean something always.
func usesOf(command, flag string, shared bool) (u use, means, known bool) {
	for _, u := range commandUses()[command] {
		if u.flag == flag {
			return u, true, true
		}
	}
	return use{}, false, shared
}

// isShared reports whether a flag is one of the program, which stands before all commands.
func isShared(app *kong.Application, flag *kong.Flag) bool {
	return slices.ContainsFunc(app.Flags, func(f *kong.Flag) bool { return f.Name == flag.Name })
}

// sharedFlags returns those of the program that mean something to a command, with the help that tells what: nil stands for the default one.
// For a command with verbs they are those of any verb.
func sharedFlags(app *kong.Application, command *kong.Node) []*kong.Flag {
	paths := []string{"open"}
	if command != nil {
		paths = []string{commandPath(command)}
		for _, verb := range command.Children {
			paths = append(paths, commandPath(verb))
		}
	}
	var out []*kong.Flag
	for _, f := range app.Flags {
		for _, path := range paths {
			u, means, _ := usesOf(path, f.Name, true)
			if !means && f.Name != "help" {
				continue
			}
			out = append(out, described(f, &u, readBy(path)))
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
func described(f *kong.Flag, u *use, of kind.Set) *kong.Flag {
	help := u.help
	if few := u.of.Names(); help == "" && u.of&of != of && (len(few) == 1 || len(few) == 2) {
		help = "Of " + strings.Join(few, " and ") + ": " + lowerFirst(f.Help)
	}
	if help == "" {
		return f
	}
	value, flag := *f.Value, *f
	value.Help = strings.NewReplacer("${sortkeys}", sortKeyList(), "${heapkeys}", heapKeyList()).Replace(help)
	if flag.Value = &value; strings.HasPrefix(help, "The format") {
		flag.PlaceHolder = "FORMAT"
	}
	return &flag
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

// printHelp prints the help of a command with the flags that mean something to it.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	ctx.Model.Flags = sharedFlags(ctx.Model, ctx.Selected())
	return kong.DefaultHelpPrinter(options, ctx)
}

// given returns the flags that stand on the command line; what the environment or the config file sets is not given.
func given(parsed *kong.Context) (list []*kong.Flag) {
	for _, p := range parsed.Path {
		if p.Flag != nil && !p.Resolved {
			list = append(list, p.Flag)
		}
	}
	return list
}

// understood returns those of some flags, each with its value, that mean something to a command.
func understood(command string, flags []string) (out []string) {
	for i := 0; i < len(flags); i++ {
		name, _, whole := strings.Cut(flags[i], "=")
		end := i + 1
		if !whole {
			end = min(i+2, len(flags))
		}
		if _, means, _ := usesOf(command, strings.TrimPrefix(name, "--"), true); means {
			out = append(out, flags[i:end]...)
		}
		i = end - 1
	}
	return out
}

// isGiven reports whether a flag stands on the command line.
func (a *app) isGiven(name string) bool {
	return a.parsed != nil && slices.ContainsFunc(given(a.parsed), func(f *kong.Flag) bool { return f.Name == name })
}

// checkFlags refuses flags that mean nothing to a command, whatever it reads.
func checkFlags(parsed *kong.Context) error {
	command := commandPath(parsed.Selected())
	for _, f := range given(parsed) {
		_, means, known := usesOf(command, f.Name, isShared(parsed.Model, f))
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

// fits refuses flags that mean nothing for a file, by its format alone, and forgets settings that do not.
func (a *app) fits(name string, format loaders.Format) error {
	k := kind.OfFormat(format)
	if a.parsed == nil || k == kind.None {
		return nil
	}
	command, onLine := commandPath(a.parsed.Selected()), given(a.parsed)
	if of := readBy(command); !of.Has(k) {
		return fmt.Errorf("%s holds no %s: it is %s", name, map[kind.Set]string{kind.Heaps: "heap snapshots", kind.Dumps: "page layouts"}[of], format.Name)
	}
	for _, f := range a.parsed.Flags() {
		u, means, _ := usesOf(command, f.Name, false)
		if !means || u.of.Has(k) || harmless(f.Name) {
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

// numbered refuses FILE#N where a file of that format has no parts with numbers. In comparisons windows have some.
func (a *app) numbered(name string, format loaders.Format) error {
	k, command, compares := kind.OfFormat(format), "", false
	if a.parsed != nil {
		command = commandPath(a.parsed.Selected())
		c, ok := a.parsed.Selected().Target.Addr().Interface().(*openCmd)
		compares = ok && len(c.File) > 1
	}
	if command == "diff" || (command == "check" || compares) && k == kind.Stacks || (kind.Heaps | kind.Dumps).Has(k) {
		return nil
	}
	return fmt.Errorf("%s holds no heap snapshots: it is %s", name, format.Name)
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
	case slices.ContainsFunc(stepUses(), func(u use) bool { return u.flag == flag }) || flag == "window":
		return name + " holds neither a trace nor a stack profile"
	case flag == "snapshot":
		return name + " holds no heap snapshots: it is " + k.String()
	}
	return fmt.Sprintf("it does not apply to %s (%s)", k, name)
}
