package record

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/mlyze/journal"
	"github.com/memtui/memtui/model"
)

// errRecord is that of a record that no hook writes.
var errRecord = errors.New("the program wrote over the memory that it shares with the recorder: its events end here")

// errPiped is that of a program that executed another one after it was sent.
var errPiped = errors.New("the program executed another one, and a recording in a pipe cannot start again: record that program, or write a file")

// ErrStart is in the error of a program that cannot be started.
var ErrStart = errors.New("the program cannot be started")

// fewEvents is how many samples say little.
const fewEvents = 1000

// Options are how a program is recorded.
type Options struct {
	Command   []string
	PID       int           // of a process to attach to instead
	Output    string        // the file, "" for a name made of the program's and its process ID in the current folder
	Sample    int64         // mean bytes between samples, 0 for every event or by Rate
	Adapt     bool          // double Sample up to mostShift times where blocks come fast
	Rate      float64       // the chance of each block to be sampled, 0 for none: then Sample counts
	Frames    int           // at most, of a stack
	Invented  bool          // addresses are made up, and times those of looks at what lives
	Native    bool          // in stacks of Python, the native frames that Python called as well
	Ring      int64         // bytes of memory shared with the program
	Drop      bool          // drop allocations where the ring is full instead of waiting
	Duration  time.Duration // 0 for as long as the program runs
	MaxSize   int64         // of the file, 0 for no limit
	Overwrite bool          // replace Output if it exists
	Markers   string        // a pipe whose lines become markers, made if it is not there; "" for none
	Every     time.Duration // between heap dumps of Ruby, or histograms of Java; 0 for the usual
	Follow    bool          // record children as well, each in a file of its own
	NoRSS     bool          // no curves of resident memory
	Symbols   loaders.Symbols
	Log       func(format string, args ...any) // a line about what happens
	Printed   *os.File                         // what the program prints; nil for the recorder's own, which it shares with its input
	only      string                           // where the library that is preloaded comes from, "" for the first that fits
	Began     func(path string)                // the recording of the program has begun, again where it executes another one; may be nil
}

// mostShift is how often a period is doubled at most: from 4 KiB to 512 KiB.
const mostShift = 7

// full reports whether every event is recorded.
func (o *Options) full() bool { return o.Sample == 0 && o.Rate == 0 }

// Bounds of what a user may choose.
const (
	smallestRing = 1 << 16
	largestRing  = 1 << 30
	mostFrames   = 512
)

// Check rejects numbers out of bounds, and rounds the size of the ring up to a power of two.
func (o *Options) Check() error {
	if o.Frames < 1 || o.Frames > mostFrames {
		return fmt.Errorf("--frames: %d is not between 1 and %d", o.Frames, mostFrames)
	}
	if o.Ring < smallestRing || o.Ring > largestRing {
		return fmt.Errorf("--ring: the size must be from %s to %s", model.Bytes(smallestRing), model.Bytes(largestRing))
	}
	size := int64(smallestRing)
	for size < o.Ring {
		size *= 2
	}
	o.Ring = size
	return nil
}

// vacant returns an error if there is a file that is not to be replaced.
func (o *Options) vacant() error {
	if RuntimeOf(o.Command) == "ruby" { // its dumps have names of their own
		return nil
	}
	return vacant(o.Output, o.Overwrite)
}

// vacant returns an error if there is a file at a path, unless that may be replaced.
func vacant(path string, overwrite bool) error {
	if _, err := os.Lstat(path); err == nil && !overwrite {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return nil
}

// Recorded is a file that was made.
type Recorded struct {
	Path    string
	PID     int
	Program string
	Events  uint64
	Lost    Lost
	Points  int           // of curves, if those are recorded
	Dumps   []string      // heap dumps that the program wrote itself, and nothing else
	Stopped error         // why writing ended before the program did, nil if it did not
	Unnamed bool          // the names of stacks found no room in the file and stay in its journal
	Few     bool          // so few samples that much may be missing
	Unseen  time.Duration // between the last look at what lives and the end; 0 for a short one
}

// Lines says what became of a recording, and which command opens it.
func (r *Recorded) Lines() (list []string) {
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	switch {
	case len(r.Dumps) > 0:
		say("%s written; open with: memtui %s", model.CountedAs(uint64(len(r.Dumps)), "heap dump was",
			"heap dumps were"), model.Clean(strings.Join(r.Dumps, " ")))
		return list
	case r.Points > 0:
		say("recorded %s; open the recording with: memtui %s", model.Counted(r.Points, "point"), model.Clean(r.Path))
		return list
	}
	if r.Stopped != nil {
		say("recording of process %d stopped early: %s", r.PID, model.Clean(r.Stopped.Error()))
	}
	if r.Unnamed {
		path := model.Clean(r.Path)
		say("no room for the names of stacks in %s: they stay in %s, keep both files together; where there is room, memtui record --recover %[1]s makes them one",
			path, path+journal.Suffix)
	}
	if n := r.Lost.Allocations + r.Lost.Frees; n > 0 {
		say("%s lost as the recorder did not keep up: use a larger --ring", model.CountedAs(n, "event was", "events were"))
	}
	if r.Unseen > 0 {
		say("the last look at live objects was %s before the end: what was allocated since is missing", model.Time(r.Unseen.Microseconds()))
	}
	if r.Few {
		only := "only " + model.CountedAs(r.Events, "event was", "events were")
		if r.Events == 0 {
			only = "nothing was"
		}
		say("%s sampled: what was allocated rarely or in small amounts may be missing; --sample all records every block", only)
	}
	if r.Path != Pipe { // whoever reads it shows how many events there are, perhaps on the same terminal
		size := ""
		if info, err := os.Stat(r.Path); err == nil {
			size = " in " + model.Bytes(info.Size()).String()
		}
		say("recorded %s%s; open the recording with: memtui %s", model.Counted(r.Events, "event"), size, model.Clean(r.Path))
	}
	return list
}

// Lost counts what is missing in a recording.
type Lost struct {
	Allocations, Frees uint64
	Waits              uint64 // times that the program waited for the recorder
	Cut                uint64 // stacks that end early
}

// FileName returns a name for the recording of a process that runs: that of its program, and its process ID.
func FileName(pid int, suffix string) string {
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		exe = "process"
	}
	return fileName(exe, pid, suffix)
}

// fileName returns a name that needs no quoting.
func fileName(exe string, pid int, suffix string) string {
	return fmt.Sprintf("%s-%d%s", BaseName(exe), pid, suffix)
}

// BaseName returns the name of a program in letters that need no quoting.
func BaseName(exe string) string {
	name := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-+", r) {
			return r
		}
		return '_'
	}, filepath.Base(exe))
	return strings.TrimLeft(name, ".-")
}

// RuntimeOf returns the name of the runtime that a command starts, if it is one that is recorded in its own way: "node",
// "ruby", "java".
func RuntimeOf(command []string) string {
	if len(command) == 0 {
		return ""
	}
	name := filepath.Base(command[0])
	for _, known := range []string{"node", "ruby", "java"} {
		if strings.TrimRight(name, "0123456789.") == known {
			return known
		}
	}
	return ""
}
