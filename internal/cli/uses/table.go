// Package uses is the table of what means something to what: the flags to the commands, and to the kinds of files that they read.
package uses

import (
	"slices"
	"sync"

	"github.com/memtui/memtui/internal/cli/kind"
)

// Use says that a flag means something to a command.
type Use struct {
	Flag string
	Of   kind.Set // of the files that it means something for
	help string   // instead of the grammar's, "" for that
}

// about chooses what of a file a report is about.
func about() []Use {
	return []Use{
		{"at", kind.Traces | kind.Heaps | kind.Dumps, ""}, {"from", kind.Traces | kind.Profiles | kind.Dumps, ""}, {"to", kind.Traces | kind.Profiles | kind.Dumps, ""},
		{"by", kind.Traces | kind.Profiles | kind.Heaps, "Sort key: ${sortkeys}; for heap snapshots ${heapkeys}; for stack profiles any metric."},
		{"event", kind.Profiles, ""}, {"min-age", kind.Traces, ""}, {"frame-order", kind.Traces, ""},
		{"snapshot", kind.Heaps | kind.Dumps, ""}, {"series", kind.Dumps, ""}, {"point", kind.Dumps, ""}, {"edges", kind.Heaps, ""},
	}
}

// stepUses returns the flags that filter stacks.
func stepUses() []Use {
	return named(kind.Traces|kind.Profiles, "focus", "ignore", "show-from", "hide", "pivot")
}

// reader are flags of every command that reads a file whole.
func reader() []Use { return named(kind.All, "max-memory", "index") }

// drawing are flags of what prints tables.
func drawing() []Use { return named(kind.All, "format", "limit", "color", "ascii") }

// inHeap are flags about one heap snapshot.
func inHeap() []Use { return named(kind.Heaps, "at", "snapshot") }

func named(of kind.Set, flags ...string) (list []Use) {
	for _, f := range flags {
		list = append(list, Use{f, of, ""})
	}
	return list
}

// Table returns the flags that mean something to each command: the shared ones, and those of its own that mean something for some
// kinds of files only. What help, completion, manual and guide list is this, and what else is given on a command line is refused.
var Table = sync.OnceValue(func() map[string][]Use {
	page := []Use{{"format", kind.All, "Output: text, json, markdown or csv, or html, a page for browsers."}}
	shown := slices.Concat(page, drawing()[1:], about(), reader())
	report := slices.Concat(shown, stepUses(), named(kind.Profiles, "window"), named(kind.Traces, "cell"))
	screen := slices.Concat(shown, named(kind.All, "mouse", "theme"))
	heapTable := slices.Clip(slices.Concat(drawing(), inHeap(), named(kind.Heaps, "edges", "max-memory")))
	return map[string][]Use{
		"open": screen, "demo": screen, "report": report, "check": slices.Concat(drawing(), about(), reader()),
		"evidence": slices.Concat([]Use{{"format", kind.All, "What to print about it: text, its path, or json, the manifest."}}, drawing()[1:2], about(), reader()),
		"info":     {formatUse("text or json"), {"frame-order", kind.All, ""}, {"index", kind.All, ""}, {"max-memory", kind.All, ""}},
		"validate": {formatUse("text or json"), {"max-memory", kind.All, ""}},
		"index":    {formatUse("text or json"), {"frame-order", kind.All, ""}, {"index", kind.All, ""}, {"max-memory", kind.All, ""}},
		"diff":     slices.Concat(drawing(), diffUses(), reader(), stepUses(), named(kind.Traces, "cell")),
		"pages":    slices.Concat(drawing(), []Use{{"at", kind.Dumps, "The instant of the layout (the last one)."}}, named(kind.Dumps, "snapshot", "series", "point", "max-memory")),
		"convert": slices.Concat([]Use{
			{"to", kind.All, "The format to write: ${targets}. A second --to is the end of the range."},
			{"by", kind.Traces | kind.Profiles, "The weight of stacks: ${weights}; for stack profiles any metric."},
		}, about()[:2], about()[4:8], named(kind.Heaps, "edges"), reader(), stepUses()),
		"heap snapshots":  slices.Concat(drawing()[:1], drawing()[2:], inHeap(), named(kind.Heaps, "max-memory")),
		"heap types":      append(heapTable, heapBy("${heapkeys}")),
		"heap frames":     append(heapTable, heapBy("${heapkeys}")),
		"heap dominators": heapTable,
		"heap find":       slices.Concat(drawing(), inHeap(), []Use{heapBy("row or bytes")}, named(kind.Heaps, "max-memory")),
		"heap object":     heapTable,
		"heap path":       slices.Concat(drawing()[:1], drawing()[2:], inHeap(), named(kind.Heaps, "edges", "max-memory")),
		"guide":           {formatUse("text, markdown or json")}, "keys": {formatUse("text, markdown or json")}, "version": {formatUse("text or json")},
	}
})

func formatUse(which string) Use { return Use{"format", kind.All, "Output: " + which + "."} }

func heapBy(keys string) Use { return Use{"by", kind.Heaps, "Sort key: " + keys + "."} }

// diffUses returns those about places, of both sides.
func diffUses() []Use {
	stacked := kind.Traces | kind.Profiles
	return []Use{
		{"at", kind.Traces | kind.Heaps | kind.Dumps, "The instant of both sides; --a and --b give each side its own."}, {"from", stacked | kind.Dumps, ""}, {"to", stacked | kind.Dumps, ""},
		{"by", kind.All, "What is compared: ${sortkeys}; for heap snapshots ${heapkeys}; for stack profiles any metric."},
		{"event", stacked, "For stack profiles: the event to compare (the first that has stacks)."},
		{"frame-order", stacked, "For traces: the order of frames: auto, leaf-first or root-first."}, {"series", kind.Dumps, ""}, {"point", kind.Dumps, ""}, {"edges", kind.Heaps, ""},
	}
}
