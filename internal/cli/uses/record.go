package uses

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Recorder is a way in which record makes a recording.
type Recorder string

// The ways of recording, as messages name them.
const (
	ByHook    Recorder = "programs that the hook records"
	ByTracer  Recorder = "--pure"
	OfNode    Recorder = "Node.js"
	OfRuby    Recorder = "Ruby"
	OfJava    Recorder = "Java"
	OfURL     Recorder = "a URL"
	OfProcess Recorder = "--pid"
	OfPages   Recorder = "--pages"
	Printing  Recorder = "--print"
	Restoring Recorder = "--recover"
)

// Uses of flags that not every way of recording has that knows the flag.
const (
	toPipe = "output -"
	byRate = "sample RATE"
)

// recorded lists the flags that mean something to each way of recording.
var recorded = map[Recorder][]string{
	ByHook: {"output", toPipe, "sample", byRate, "frames", "native", "ring", "on-full", "for", "max-size",
		"overwrite", "follow", "marker-fifo", "rss", "live",
		"symbols", "sysroot", "debuginfod", "no-symbols"},
	ByTracer: {"pure", "output", "frames", "for", "max-size", "overwrite"},
	OfNode:   {"output", toPipe, "sample", "frames", "for", "max-size", "overwrite", "marker-fifo", "rss", "live"},
	OfRuby:   {"output", "every", "for", "follow"},
	OfJava:   {"output", "every", "for", "overwrite"},
	OfURL:    {"output", "every", "for", "insecure"},
	OfProcess: {"pid", "output", toPipe, "sample", byRate, "frames", "ring", "on-full", "for", "max-size",
		"overwrite", "marker-fifo", "rss",
		"symbols", "sysroot", "debuginfod", "no-symbols"},
	OfPages:   {"pages", "output", "every", "for", "overwrite"},
	Printing:  {"print"},
	Restoring: {"recover", "symbols", "sysroot", "debuginfod", "no-symbols"},
}

// Recorders returns all ways of recording, in the order of their names.
func Recorders() (list []Recorder) {
	for r := range recorded {
		list = append(list, r)
	}
	slices.Sort(list)
	return list
}

// recordsWith reports whether a flag means something to a way of recording.
func recordsWith(r Recorder, flag string) bool { return slices.Contains(recorded[r], flag) }

// Recording rejects flags of record that have no effect on a way of recording.
func Recording(parsed *kong.Context, r Recorder) error {
	if parsed == nil {
		return nil
	}
	for _, f := range given(parsed) {
		if use := useOf(f); !recordsWith(r, use) && !harmless(f.Name) {
			if use == "live" && r == OfProcess {
				return errors.New("--live: has no effect on --pid; while it records, open the recording in another terminal: memtui live FILE")
			}
			return fmt.Errorf("--%s: has no effect on %s; it is for %s", use, r, recordersWith(use))
		}
	}
	return nil
}

// useOf returns what a flag of record is used for: its name, or its name and the kind of its value.
func useOf(f *kong.Flag) string {
	chosen, ok := f.Target.Interface().(interface{ IsRate() bool })
	switch {
	case ok && chosen.IsRate():
		return byRate
	case f.Name == "output" && f.Target.String() == "-":
		return toPipe
	}
	return f.Name
}

// recordersWith returns the ways of recording to which a flag means something.
func recordersWith(flag string) string {
	var list []string
	for _, r := range Recorders() {
		if recordsWith(r, flag) {
			list = append(list, string(r))
		}
	}
	return strings.Join(list, ", ")
}
