package cli

import (
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/memtui/memtui/internal/cli/uses"
)

// recordings are a command line of each way of recording, and the flags that have an effect on it. None of them gets
// as far as to run anything.
var recordings = map[uses.Recorder]struct{ line, flags string }{
	uses.ByHook:    {"nosuchprogram", "output pipe sample rate frames native ring on-full for max-size overwrite follow marker-fifo rss live symbols sysroot debuginfod no-symbols"},
	uses.ByTracer:  {"--pure nosuchprogram", "pure output frames for max-size overwrite"},
	uses.OfNode:    {"./nosuch/node", "output pipe sample frames for max-size overwrite marker-fifo rss live"},
	uses.OfRuby:    {"./nosuch/ruby", "output every for follow"},
	uses.OfJava:    {"./nosuch/java", "output every for overwrite"},
	uses.OfURL:     {"http://127.0.0.1:1/heap", "output every for insecure"},
	uses.OfProcess: {"--pid 999999999", "pid output pipe sample rate frames ring on-full for max-size overwrite marker-fifo rss symbols sysroot debuginfod no-symbols"},
	uses.OfPages:   {"--pages 999999999", "pages output every for overwrite"},
	uses.Printing:  {"--print python", "print"},
	uses.Restoring: {"--recover nosuch.mlyze", "recover symbols sysroot debuginfod no-symbols"},
}

// flagsOfRecord are the flags of record with a value each. Those that choose the way of recording are left out, as one
// that is chosen says what the others mean.
var flagsOfRecord = map[string]string{
	"output": "-o out.file", "pipe": "-o -", "sample": "--sample 4KiB", "rate": "--sample 0.5", "frames": "--frames 3", "native": "--native", "ring": "--ring 1MiB",
	"on-full": "--on-full drop", "for": "--for 1s", "max-size": "--max-size 1MiB", "overwrite": "--overwrite", "follow": "--follow", "marker-fifo": "--marker-fifo fifo",
	"live": "--live", "rss": "--no-rss", "every": "--every 1s", "symbols": "--symbols .", "sysroot": "--sysroot .", "debuginfod": "--debuginfod http://127.0.0.1:1", "no-symbols": "--no-symbols", "insecure": "--insecure",
}

// A flag of record either has an effect on a way of recording, or is refused.
func TestFlagsOfRecordAreRefusedWhereTheyHaveNoEffect(t *testing.T) {
	if _, err := os.Stat("/proc/self"); err != nil {
		t.Skip("recording works on Linux only")
	}
	t.Chdir(t.TempDir())
	for way, c := range recordings {
		for flag, text := range flagsOfRecord {
			line := "record " + text + " " + c.line
			_, _, errs := run(t, Env{}, strings.Fields(line)...)
			refused, wanted := strings.Contains(errs, "has no effect on"), !strings.Contains(" "+c.flags+" ", " "+flag+" ")
			if refused != wanted {
				t.Errorf("memtui %s (%s): refused: %v: %s", line, way, refused, errs)
			}
		}
	}
}

// Every way of recording, and every flag of record, is in the tables of this test.
func TestFlagsOfRecordAreAllTried(t *testing.T) {
	for _, way := range uses.Recorders() {
		if _, ok := recordings[way]; !ok {
			t.Errorf("nothing tries %s", way)
		}
	}
	a := parserOf([]string{"version"}, nil)
	_, parser, err := a.parseBy(&grammar{})
	if err != nil {
		t.Fatal(err)
	}
	choose := map[string]bool{"pages": true, "pid": true, "pure": true, "print": true, "recover": true, "help": true}
	for _, c := range uses.Leaves(parser.Model) {
		if uses.Path(c) != "record" {
			continue
		}
		var list []*kong.Flag
		list = append(append(list, c.Flags...), sharedFlags(parser.Model, c)...)
		for _, f := range list {
			if flagsOfRecord[f.Name] == "" && !choose[f.Name] {
				t.Errorf("nothing tries --%s", f.Name)
			}
		}
	}
}
