package record

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/memtui/memtui/loaders"
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
	Symbols   loaders.Symbols
	Log       func(format string, args ...any) // a line about what happens
	Printed   *os.File                         // what the program prints; nil for the recorder's own, which it shares with its input
	Began     func(path string)                // the recording of the program has begun, again where it executes another one; may be nil
}

// mostShift is how often a period is doubled at most: from 4 KiB to 512 KiB.
const mostShift = 7

// full reports whether every event is recorded.
func (o *Options) full() bool { return o.Sample == 0 && o.Rate == 0 }

// Recorded is a file that was made.
type Recorded struct {
	Path    string
	PID     int
	Program string
	Events  uint64
	Lost    Lost
	Points  int      // of curves, if those are recorded
	Dumps   []string // heap dumps that the program wrote itself, and nothing else
	Stopped error    // why writing ended before the program did, nil if it did not
	Few     bool     // so few samples that much may be missing
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
