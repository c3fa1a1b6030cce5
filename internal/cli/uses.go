package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/export"
	"github.com/memtui/memtui/internal/cli/manual"
	"github.com/memtui/memtui/loaders"
)

// use says that a flag means something to a command.
type use struct {
	flag string
	of   kinds  // of the files that it means something for
	help string // instead of the grammar's, "" for that
}

// about chooses what of a file a report is about.
func about() []use {
	return []use{
		{"at", ofTraces | ofHeaps | ofDumps, ""}, {"from", ofTraces | ofStacks | ofDumps, ""}, {"to", ofTraces | ofStacks | ofDumps, ""},
		{"by", ofTraces | ofStacks | ofHeaps, "Sort key: ${sortkeys}; for heap snapshots ${heapkeys}; for stack profiles any metric."},
		{"event", ofStacks, ""}, {"min-age", ofTraces, ""}, {"frame-order", ofTraces, ""},
		{"snapshot", ofHeaps | ofDumps, ""}, {"series", ofDumps, ""}, {"point", ofDumps, ""}, {"edges", ofHeaps, ""},
	}
}

// stepUses returns the flags that filter stacks.
func stepUses() []use {
	return named(ofTraces|ofStacks, "focus", "ignore", "show-from", "hide", "pivot")
}

// reader are flags of every command that reads a file whole.
func reader() []use { return named(ofAll, "max-memory", "index") }

// drawing are flags of what prints tables.
func drawing() []use { return named(ofAll, "format", "limit", "color", "ascii") }

// inHeap are flags about one heap snapshot.
func inHeap() []use { return named(ofHeaps, "at", "snapshot") }

func named(of kinds, flags ...string) (list []use) {
	for _, f := range flags {
		list = append(list, use{f, of, ""})
	}
	return list
}

// commandUses are the flags that mean something to each command: the shared ones, and those of its own that mean something for some
// kinds of files only. What help, completion, manual and guide list is this, and what else is given on a command line is refused.
var commandUses = sync.OnceValue(func() map[string][]use {
	page := []use{{"format", ofAll, "Output: text, json, markdown or csv, or html, a page for browsers."}}
	shown := slices.Concat(page, drawing()[1:], about(), reader())
	report := slices.Concat(shown, stepUses(), named(ofStacks, "window"), named(ofTraces, "cell", "stacked"))
	screen := slices.Concat(shown, named(ofAll, "mouse", "theme"))
	heapTable := slices.Clip(slices.Concat(drawing(), inHeap(), named(ofHeaps, "edges", "max-memory")))
	return map[string][]use{
		"open": screen, "demo": screen, "report": report,
		"check":    slices.Concat(drawing(), about(), reader(), named(ofTraces, "no-leaks", "baseline", "write-baseline", "suppressions")),
		"evidence": slices.Concat([]use{{"format", ofAll, "What to print about it: text, its path, or json, the manifest."}}, drawing()[1:2], about(), reader()),
		"info":     {formatUse("text or json"), {"frame-order", ofAll, ""}, {"index", ofAll, ""}, {"max-memory", ofAll, ""}},
		"validate": {formatUse("text or json"), {"max-memory", ofAll, ""}},
		"index":    {formatUse("text or json"), {"frame-order", ofAll, ""}, {"index", ofAll, ""}, {"max-memory", ofAll, ""}},
		"diff":     slices.Concat(drawing(), diffUses(), reader(), stepUses(), named(ofTraces, "cell")),
		"pages":    slices.Concat(drawing(), []use{{"at", ofDumps, "The instant of the layout (the last one)."}}, named(ofDumps, "snapshot", "series", "point", "max-memory")),
		"convert": slices.Concat([]use{
			{"to", ofAll, "The format to write: " + targetNames() + ". A second --to is the end of the range."},
			{"by", ofTraces | ofStacks, "The weight of stacks: " + strings.Join(export.TraceMetrics(), ", ") + "; for stack profiles any metric."},
		}, about()[:2], about()[4:8], named(ofHeaps, "edges"), reader(), stepUses()),
		"heap snapshots":  slices.Concat(drawing()[:1], drawing()[2:], inHeap(), named(ofHeaps, "max-memory")),
		"heap types":      append(heapTable, heapBy("${heapkeys}")),
		"heap frames":     append(heapTable, heapBy("${heapkeys}")),
		"heap dominators": heapTable,
		"heap find":       slices.Concat(drawing(), inHeap(), []use{heapBy("row or bytes")}, named(ofHeaps, "max-memory")),
		"heap object":     heapTable,
		"heap path":       slices.Concat(drawing()[:1], drawing()[2:], inHeap(), named(ofHeaps, "edges", "max-memory")),
		"guide":           {formatUse("text, markdown or json")}, "keys": {formatUse("text, markdown or json")}, "version": {formatUse("text or json")},
	}
})

func formatUse(which string) use { return use{"format", ofAll, "Output: " + which + "."} }

func heapBy(keys string) use { return use{"by", ofHeaps, "Sort key: " + keys + "."} }

// diffUses returns those about places, of both sides.
func diffUses() []use {
	stacked := ofTraces | ofStacks
	return []use{
		{"at", ofTraces | ofHeaps | ofDumps, "The instant of both sides; --a and --b give each side its own."}, {"from", stacked | ofDumps, ""}, {"to", stacked | ofDumps, ""},
		{"by", ofAll, "What is compared: ${sortkeys}; for heap snapshots ${heapkeys}; for stack profiles any metric."},
		{"event", stacked, "For stack profiles: the event to compare (the first that has stacks)."},
		{"frame-order", stacked, "For traces: the order of frames: auto, leaf-first or root-first."}, {"series", ofDumps, ""}, {"point", ofDumps, ""}, {"edges", ofHeaps, ""},
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
func readBy(command string) kinds {
	switch {
	case command == "pages":
		return ofDumps
	case strings.HasPrefix(command, "heap"):
		return ofHeaps
	}
	return ofAll
}

// described returns a flag with the help text that it has for a command, which reads these kinds of files.
func described(f *kong.Flag, u *use, of kinds) *kong.Flag {
	help := u.help
	if few := u.of.list(); help == "" && u.of&of != of && (len(few) == 1 || len(few) == 2) {
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
	for _, f := range ctx.Flags() {
		f.Name += manual.OptionalValue(f)
	}
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
	k := kindOfFormat(format)
	if a.parsed == nil || k == kindNone {
		return nil
	}
	command, onLine := commandPath(a.parsed.Selected()), given(a.parsed)
	if of := readBy(command); !of.has(k) {
		return fmt.Errorf("%s holds no %s: it is %s", name, map[kinds]string{ofHeaps: "heap snapshots", ofDumps: "page layouts"}[of], format.Name)
	}
	for _, f := range a.parsed.Flags() {
		u, means, _ := usesOf(command, f.Name, false)
		if !means || u.of.has(k) || harmless(f.Name) {
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
	k, command, compares := kindOfFormat(format), "", false
	if a.parsed != nil {
		command = commandPath(a.parsed.Selected())
		c, ok := a.parsed.Selected().Target.Addr().Interface().(*openCmd)
		compares = ok && len(c.File) > 1
	}
	if command == "diff" || (command == "check" || compares) && k == kindStacks || (ofHeaps | ofDumps).has(k) {
		return nil
	}
	return fmt.Errorf("%s holds no heap snapshots: it is %s", name, format.Name)
}

// unfit says why a flag means nothing for a file.
func unfit(name, flag string, k kind) string {
	switch {
	case k == kindStacks && (flag == "at" || flag == "min-age"):
		return "stack profiles are sums over time; narrow them with --from and --to"
	case k == kindTrace && flag == "window":
		return name + " has no windows; --from and --to choose a range"
	case k == kindDump && flag == "by":
		return "the tables of a memory dump are in the file's order"
	case k == kindHeap && (flag == "from" || flag == "to"):
		return "tables are about one snapshot; choose it with --snapshot or --at"
	case flag == "no-leaks" || flag == "baseline" || flag == "write-baseline" || flag == "suppressions":
		return "only a trace tells what leaks, and " + name + " is not one"
	case flag == "cell":
		return name + " holds no blocks"
	case slices.ContainsFunc(stepUses(), func(u use) bool { return u.flag == flag }) || flag == "window":
		return name + " holds neither a trace nor a stack profile"
	case flag == "snapshot":
		return name + " holds no heap snapshots: it is " + k.String()
	}
	return fmt.Sprintf("it does not apply to %s (%s)", k, name)
}
