// Package uses defines which flags apply to which commands, and to which kinds of files that they read.
package uses

import (
	"slices"
	"strings"
	"sync"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/kind"
)

// Use states that a flag applies to a command. If it means different things for different files, there are several.
type Use struct {
	Flag   string
	Of     kind.Set // of the files that it applies to
	Values []string // that apply to these kinds; nil for all that the grammar accepts
	With   string   // flags, or FLAG=VALUE, one of which it needs; "" for none
	help   string   // replaces the grammar's help; "" for none
}

const (
	traces   = kind.Traces
	profiles = kind.Profiles
	heaps    = kind.Heaps
	dumps    = kind.Dumps
	stacked  = traces | profiles
)

// of returns flags that apply to files of some kinds.
func of(kinds kind.Set, flags ...string) (list []Use) {
	for _, f := range flags {
		list = append(list, Use{Flag: f, Of: kinds})
	}
	return list
}

// with returns flags that need another one.
func with(other string, kinds kind.Set, flags ...string) []Use {
	list := of(kinds, flags...)
	for i := range list {
		list[i].With = other
	}
	return list
}

// helped returns a flag with a help text of its own.
func helped(kinds kind.Set, flag, help string) []Use {
	return []Use{{Flag: flag, Of: kinds, help: help}}
}

// valued returns a flag of which only these values apply to files of some kinds.
func valued(kinds kind.Set, flag string, values ...string) []Use {
	return []Use{{Flag: flag, Of: kinds, Values: values}}
}

// about returns the flags that select the part of a file for a report.
func about() []Use {
	return slices.Concat(instant(), of(traces, "min-age", "frame-order"), of(profiles, "event", "unit"), looked(), part(),
		helped(traces|profiles|heaps, "by", "Sort key: ${sortkeys}, verdict or growth (of leaks, the fastest first); for leaks ${leakkeys}; for single blocks ${blockkeys}; for heap snapshots ${heapkeys}; for stack profiles any metric. With --table, and in csv, also any column of the table, by its name in JSON."))
}

// looked returns the flags that select where names of addresses are searched.
func looked() []Use {
	return slices.Concat(of(stacked, "symbols", "sysroot", "debuginfod", "no-symbols"),
		of(profiles, "allocator-frames"))
}

// instant returns the flags that select the time.
func instant() []Use {
	return slices.Concat(of(kind.All, "at"), of(stacked|dumps, "from", "to"))
}

// part returns the flags that select a snapshot or a page layout.
func part() []Use {
	return slices.Concat(of(heaps|dumps, "snapshot"), of(dumps, "series", "point"), of(heaps, "edges", "sizes"))
}

// steps returns the flags that filter stacks.
func steps() []Use { return of(stacked, "focus", "ignore", "show-from", "hide", "pivot") }

// reader returns flags of every command that reads a complete file.
func reader() []Use { return of(kind.All, "max-memory", "index", "insecure") }

// drawing returns flags of commands that print text. tables returns those of commands that print tables.
func drawing() []Use { return of(kind.All, "format", "color", "ascii") }
func tables() []Use  { return append(drawing(), of(kind.All, "limit")...) }

// paged returns flags of commands that print tables, or a page for browsers.
func paged() []Use {
	return slices.Concat(helped(kind.All, "format", "Output: text, json, markdown or csv, or html, a page for browsers."), tables()[1:])
}

// rows returns the flags that filter rows of one table.
func rows(kinds kind.Set) []Use { return with("table format=csv", kinds, "filter") }

func written(formats string) []Use { return helped(kind.All, "format", "Output: "+formats+".") }

// Table returns the flags that apply to each command: the shared ones, and those of its own that apply only to some
// kinds of files or only together with other flags. Help, completion, manual and guide list exactly these, and other
// flags on the command line are rejected.
var Table = sync.OnceValue(func() map[string][]Use {
	screen := slices.Concat(paged(), about(), reader(), of(stacked, "source", "map-path"), of(kind.All, "mouse", "theme"))
	inHeap := slices.Concat(drawing(), of(heaps, "at", "snapshot", "max-memory", "sizes"))
	heapTable := slices.Concat(inHeap, of(heaps, "limit", "edges"))
	filtered := of(heaps, "filter")
	byColumn := heapBy("any column of the table, by its name in JSON")
	heapSorted := slices.Concat(heapTable, heapBy("${heapkeys}, or any other column of the table, by its name in JSON"))
	return map[string][]Use{
		"open": screen, "demo": without(screen, notOfSamples()...), "live": screen,
		"serve": slices.Concat(reader(), of(stacked, "source", "map-path", "frame-order"), of(profiles, "unit"), looked(),
			of(heaps, "sizes")),
		"report": slices.Concat(paged(), about(), reader(), steps(), reportUses()),
		"check":  checkUses(), "diff": diffUses(), "convert": convertUses(),
		"evidence": slices.Concat(helped(kind.All, "format",
			"What to print: text (its path) or json (the manifest)."), of(kind.All, "limit"),
			about(), reader(), with("redact", kind.All, "names")),
		"info":     slices.Concat(written("text or json"), reader(), of(profiles, "unit")),
		"validate": slices.Concat(written("text or json"), of(kind.All, "max-memory", "insecure")),
		"index":    slices.Concat(written("text or json"), reader()),
		"record":   of(kind.All, "symbols", "sysroot", "debuginfod", "no-symbols", "insecure"),
		"pages": slices.Concat(tables(), helped(dumps, "at", "The instant of the layout (the last one)."),
			of(dumps, "snapshot", "series", "point", "max-memory", "map", "worst"),
			valued(dumps, "table", report.PageTables()...), with("map", dumps, "per-cell"), rows(dumps),
			helped(dumps, "by", "Sort key: any column of the table, by its name in JSON.")),
		"fleet add": slices.Concat(written("text or json"), fleetAt("to"),
			reader(), looked(), of(traces, "frame-order"), of(profiles, "unit"), of(heaps, "sizes")),
		"fleet show": slices.Concat(asked(), of(kind.All, "mouse", "theme", "max-memory")),
		"fleet top":  asked(), "fleet diff": asked(), "fleet outliers": asked(),
		"fleet trend": asked(), "fleet stack": asked(), "fleet recordings": asked(),
		"fleet shared": asked(), "fleet curve": asked(),
		"fleet sql":       slices.Concat(written("text or json"), inFleet(), of(kind.All, "limit")),
		"fleet compact":   written("text or json"),
		"fleet list":      slices.Concat(tables(), fleetAt("from"), of(kind.All, "insecure")),
		"fleet remove":    slices.Concat(written("text or json"), fleetAt("from"), of(kind.All, "insecure")),
		"heap snapshots":  slices.Concat(inHeap, filtered, byColumn),
		"heap types":      slices.Concat(heapSorted, filtered),
		"heap frames":     slices.Concat(heapSorted, filtered),
		"heap dominators": slices.Concat(heapTable, filtered, byColumn),
		"heap suspects":   slices.Concat(heapTable, filtered, byColumn),
		"heap dumper":     nil,
		"heap holders":    heapTable,
		"heap threads":    slices.Concat(heapTable, filtered, byColumn),
		"heap waste":      slices.Concat(heapTable, filtered, byColumn),
		"heap find":       slices.Concat(inHeap, of(heaps, "limit", "edges"), heapBy("row or bytes")),
		"heap object":     heapTable,
		"heap peek":       slices.Concat(inHeap, of(heaps, "limit")),
		"heap path":       slices.Concat(inHeap, of(heaps, "edges")),
		"guide":           written("text, markdown or json"), "keys": written("text, markdown or json"), "version": written("text or json"),
	}
})

// Asks returns the commands that are questions about a fleet.
func Asks() []string {
	return []string{"fleet top", "fleet diff", "fleet outliers", "fleet trend", "fleet stack", "fleet recordings", "fleet shared",
		"fleet curve"}
}

// asked returns the flags of questions about a fleet.
func asked() []Use {
	return slices.Concat(paged(), inFleet(), of(kind.All, "insecure"))
}

// fleetAt returns the flag that names a fleet.
func fleetAt(flag string) []Use {
	return helped(kind.All, flag, "The fleet: http://HOST:8123/DATABASE of a ClickHouse, or a folder.")
}

// inFleet returns the flags that say what a question is about.
func inFleet() []Use {
	return slices.Concat(fleetAt("from"),
		helped(kind.All, "by", "The figure: leaked_bytes (the default), live_bytes, peak_bytes or alloc_bytes."))
}

// notOfSamples returns the flags of commands that read files which mean nothing to the samples of the program: none is
// fetched, has an index, holds addresses without names or lacks its unit.
func notOfSamples() []string {
	return []string{"source", "map-path", "insecure", "index", "symbols", "sysroot", "debuginfod", "no-symbols", "allocator-frames", "unit"}
}

// without returns those of the flags that have other names.
func without(list []Use, names ...string) []Use {
	return slices.DeleteFunc(slices.Clone(list), func(u Use) bool { return slices.Contains(names, u.Flag) })
}

func heapBy(keys string) []Use { return helped(heaps, "by", "Sort key: "+keys+".") }

// reportUses returns the flags of report alone.
func reportUses() []Use {
	return slices.Concat(with("table format=csv", dumps, "by"), of(profiles, "window"), of(traces, "cell", "stacked"),
		of(stacked, "peek", "lines"), with("lines table=lines format=html", stacked, "source", "map-path"), with("lines", stacked, "order"),
		with("table=tree", stacked, "invert", "recursion"),
		with("table=tree table=treemap", stacked, "depth"), with("table=treemap", stacked, "below"),
		with("table=treemap table=dominator_treemap", heaps|dumps, "depth", "below"),
		valued(traces, "group", analysis.GroupNames()...), valued(profiles, "group", weights.GroupNames("KEY")...),
		rows(kind.All), valued(traces, "table", report.Tables()...), valued(profiles, "table", report.ProfileTables()...),
		valued(heaps, "table", report.HeapTables()...), valued(dumps, "table", report.DumpTables()...))
}

// checkUses returns the flags of check. Flags that select, but do not apply to any limit, apply to the growth since the
// base.
func checkUses() []Use {
	return slices.Concat(
		drawing(), of(stacked|heaps, "no-leaks", "write-baseline"),
		with("fleet", kind.All, "max-regression", "service", "before", "after", "timeout", "ca"),
		with("no-leaks write-baseline", stacked|heaps, "suppressions"), with("no-leaks", stacked|heaps, "baseline"),
		of(traces|dumps, "from", "to"), with("base", profiles, "from", "to"), with("max-leak base", traces, "min-age"),
		of(profiles, "event"), of(heaps, "snapshot", "sizes"), of(dumps, "series"), reader(),
		with("base no-leaks", kind.All, "limit"), with("max-type-growth max-type-objects", heaps, "limit"),
		with("base", kind.All, "at"), with("base", traces, "frame-order"), of(profiles, "unit"), looked(),
		with("base", dumps, "snapshot", "point"), with("by=retained_bytes no-leaks write-baseline", heaps, "edges"),
		with("base", stacked, "match"), with("base", kind.All, "mask"),
		[]Use{{Flag: "by", Of: kind.All, With: "base fleet",
			help: "With --fleet: the figure, leaked_bytes, live_bytes, peak_bytes or alloc_bytes. With --base: the figure that is compared to list what grew: ${sortkeys}; for heap snapshots ${heapkeys}; for stack profiles any metric."}},
	)
}

// diffUses returns the flags of diff. Those about places apply to both sides.
func diffUses() []Use {
	return slices.Concat(paged(), reader(), steps(), of(traces, "cell", "frame-order"), of(profiles, "unit"),
		looked(), of(stacked, "from", "to", "match", "depth"),
		helped(kind.All, "at", "The instant of both sides; --a and --b choose for each side."),
		helped(kind.All, "by", "What is compared: ${sortkeys}; for heap snapshots ${heapkeys}; for stack profiles any metric."),
		helped(profiles, "event", "For stack profiles: the event to compare (the first that has stacks)."),
		of(dumps, "series", "point"), of(heaps, "sizes"), with("by=retained_bytes", heaps, "edges"))
}

// convertUses returns the flags of convert.
func convertUses() []Use {
	return slices.Concat(reader(), steps(), of(stacked|heaps, "at"), of(stacked, "from"),
		of(traces, "min-age", "frame-order"), of(profiles, "event", "unit"), looked(),
		of(heaps, "snapshot", "table", "sizes", "edges"),
		helped(kind.All, "to", "The format to write: ${targets}. A second --to is the end of the range."),
		helped(stacked, "by", "The weight of stacks: ${weights}; for stack profiles any metric."))
}

// need is a value of a flag that selects output which only another flag produces. That flag must have a value other
// than its default.
type need struct {
	flag, value, other string
	of                 kind.Set
	command            string
}

// needs returns the values of flags that need another flag.
func needs() []need {
	return []need{{"table", "groups", "group", stacked, "report"}}
}

// clash is a pair of flags that contradict each other.
type clash struct {
	a, b     string
	of       kind.Set
	commands string // "" for all
	why      string
}

// clashes returns the pairs of flags that contradict each other. FILE#N is --snapshot.
func clashes() []clash {
	const alone = "callers and callees are printed alone"
	const oneLayout, snapshot, layout = "open demo pages diff", "each chooses the snapshot", "each chooses the page layout"
	const unlooked, part = "nothing is looked up", "each chooses a part of the time"
	return []clash{
		{"no-symbols", "symbols", stacked, "", unlooked},
		{"no-symbols", "sysroot", stacked, "", unlooked},
		{"no-symbols", "debuginfod", stacked, "", unlooked},
		{"snapshot", "at", heaps, "", snapshot},
		{"snapshot", "at", dumps, oneLayout, layout},
		{"snapshot", "point", dumps, "", layout},
		{"snapshot", "series", dumps, "open demo pages diff report evidence", layout},
		{"point", "at", dumps, oneLayout, layout},
		{"snapshot", "from", profiles, "", "a window is a range"},
		{"snapshot", "to", profiles, "", "a window is a range"},
		{"at", "from", profiles, "", part},
		{"at", "to", profiles, "open demo report diff check evidence", part},
		{"at", "window", profiles, "", part},
		{"lines", "peek", stacked, "", alone},
		{"lines", "table", stacked, "", alone},
		{"lines", "group", stacked, "", alone},
		{"lines", "invert", stacked, "", alone},
		{"lines", "recursion", stacked, "", alone},
		{"lines", "depth", stacked, "report", alone},
		{"lines", "stacked", traces, "", alone},
		{"lines", "min-age", traces, "", alone},
		{"peek", "table", stacked, "", alone},
		{"peek", "invert", stacked, "", alone},
		{"peek", "recursion", stacked, "", alone},
		{"peek", "depth", stacked, "report", alone},
		{"peek", "group", stacked, "", alone},
		{"peek", "by", heaps, "", "--peek has one order"},
		{"peek", "edges", heaps, "", "--peek counts references as recorded"},
		{"peek", "stacked", traces, "", alone},
		{"peek", "min-age", traces, "", alone},
		{"peek", "filter", stacked | heaps, "", alone},
		{"worst", "snapshot", dumps, "", layout},
		{"worst", "point", dumps, "", layout},
		{"worst", "at", dumps, "", layout},
		{"map", "table", dumps, "", "the map has no tables"},
		{"map", "limit", dumps, "", "the map has no tables"},
		{"map", "by", dumps, "", "the map has no tables"},
		{"no-leaks", "from", traces, "", "leaks are judged over the complete run"},
		{"no-leaks", "to", traces, "", "leaks are judged over the complete run"},
	}
}

// has reports whether one of the words of a list is the word.
func has(list, word string) bool { return slices.Contains(strings.Fields(list), word) }
