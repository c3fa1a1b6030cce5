package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/fetch"
	"github.com/memtui/memtui/internal/record"
	"github.com/memtui/memtui/internal/record/pure"
	"github.com/memtui/memtui/model"
)

type recordCmd struct {
	Command []string     `arg:"" optional:"" passthrough:"partial" help:"The program to run, and its arguments. What is recorded depends on the program: for C, C++ and Rust, what malloc returns, with native stacks; for Python 3.8 or newer, what Python and its extension modules allocate, with lines of Python; for Node.js, samples of live objects; for Ruby, heap dumps; for Java, curves of its classes. Or the URL of a profile, such as http://localhost:6060/debug/pprof/heap of a Go program, which is fetched every ten seconds (--every) into a folder."`
	Out     string       `name:"output" short:"o" placeholder:"FILE" help:"The file to write (NAME-PID.mlyze in the current folder), or - for standard output: ssh host memtui record -o - COMMAND | memtui -"`
	Sample  arg.Sample   `default:"auto" placeholder:"SIZE|RATE" help:"What is recorded: one block about every so many allocated bytes; auto, one every 4 KiB where few are allocated to 512 KiB where many are, which costs little (the default); a rate such as 0.1, the chance of each block; or all. With sampling all figures are estimates."`
	Frames  *int         `placeholder:"N" help:"The most frames of a stack (64; 1 with --pure, where more cost much more)."`
	Native  bool         `help:"In Python programs, the native frames that Python calls as well (otherwise stacks have the lines of Python only)."`
	Ring    arg.Bytes    `default:"16MiB" placeholder:"SIZE" help:"Memory shared with the program, for events that are not written yet (${default})."`
	OnFull  string       `enum:"wait,drop" default:"wait" placeholder:"WHAT" help:"Where that memory is full: wait (the program waits for the recorder) or drop (allocations are left out and counted)."`
	For     arg.Duration `placeholder:"TIME" help:"End recording after this time; the program keeps running."`
	MaxSize arg.Bytes    `placeholder:"SIZE" help:"End recording when the file has this size; the program keeps running."`
	Replace bool         `name:"overwrite" help:"Replace FILE if it exists."`
	Follow  bool         `help:"Record child processes as well, each in a file of its own."`
	Markers string       `name:"marker-fifo" placeholder:"PATH" help:"Make a pipe there; each line that is written to it becomes a marker of the recording: echo 'cache warm' > PATH"`
	Live    bool         `help:"Show the recording on screens that follow it. The program reads nothing, and what it prints goes to FILE.log. Leaving the screens does not end it."`
	Pages   int          `placeholder:"PID" help:"Watch a running process from outside instead: curves of RSS, PSS, swap, anonymous and file memory, and which pages are resident, by kind of mapping. Writes a memory dump (NAME-PID.mb)."`
	Every   arg.Duration `placeholder:"TIME" help:"How often: with --pages (curves every 100ms; PSS and pages as often as they cost less than 1 %), heap dumps of Ruby (none but at the end), histograms of Java and profiles of a URL (10s)."`
	Pure    bool         `help:"Record a Python program without the hook, by the standard library's tracemalloc alone: the blocks that live at snapshots, a second or more apart, by line. What comes and goes in between is not recorded, and the program takes 1.2 to 13 times as long."`
	Print   string       `enum:",python" default:"" placeholder:"python" help:"Print the module that --pure uses, for Python programs that import it themselves."`
	Recover string       `placeholder:"FILE" help:"Complete a recording whose recorder was killed: put the names next to it into the file."`
}

// Statuses of record beyond that of the program, as shells have them.
const (
	statusRecorder  = 125
	statusCannotRun = 126
	statusNotFound  = 127
	smallestRing    = 1 << 16
	largestRing     = 1 << 30
	mostFrames      = 512
	usualFrames     = 64
	mostLayouts     = 200
)

// Run runs a program and records it.
func (c *recordCmd) Run(ctx context.Context, a *app) error {
	if c.Recover != "" {
		return c.recover(ctx, a)
	}
	if c.Live && (c.Pages != 0 || c.Print != "") {
		return fail.Usage(errors.New("record: --live shows the recording of a program: name one to run"))
	}
	if c.Pages != 0 {
		return c.pages(ctx, a)
	}
	if c.Print != "" {
		return c.print(a)
	}
	if len(c.Command) == 1 && fetch.IsURL(c.Command[0]) {
		return c.poll(ctx, a, c.Command[0])
	}
	o, err := c.options(a)
	if err != nil {
		return fail.Usage(err)
	}
	a.progress.End() // the terminal is the program's
	if c.Live {
		return c.live(ctx, a, o)
	}
	a.ending.terminal.Store(terminalShown) // the program has it, and an interrupt is for the program
	files, status, err := c.recorder()(context.WithoutCancel(ctx), o)
	return c.over(a, files, status, err)
}

// recorder returns what records a program.
func (c *recordCmd) recorder() func(context.Context, record.Options) ([]record.Recorded, int, error) {
	if c.Pure {
		return record.RunPure
	}
	return record.Run
}

// over says what became of a recording, and returns the status of the program as an error.
func (c *recordCmd) over(a *app, files []record.Recorded, status int, err error) error {
	for _, f := range files {
		a.recorded(f)
	}
	switch {
	case errors.Is(err, record.ErrStart) && (errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)):
		return &fail.Error{Status: statusNotFound, Err: fmt.Errorf("cannot run %s: no such program", c.Command[0])}
	case errors.Is(err, record.ErrStart):
		return &fail.Error{Status: statusCannotRun, Err: fmt.Errorf("cannot run %s: %w", c.Command[0], cause(err))}
	case errors.Is(err, fs.ErrExist):
		return &fail.Error{Status: statusRecorder, Err: fmt.Errorf("%s exists: choose another name, or replace it with --overwrite", c.Out)}
	case err != nil:
		return &fail.Error{Status: statusRecorder, Err: err}
	case status != 0:
		return &fail.Error{Status: status}
	}
	return nil
}

func (c *recordCmd) options(a *app) (record.Options, error) {
	o := record.Options{
		Command: c.Command, Output: c.Out, Sample: c.Sample.Bytes, Adapt: c.Sample.Adapt, Rate: c.Sample.Rate, Frames: c.frames(), Native: c.Native, Ring: smallestRing, Drop: c.OnFull == "drop",
		Duration: time.Duration(c.For), MaxSize: int64(c.MaxSize), Every: time.Duration(c.Every), Markers: c.Markers, Overwrite: c.Replace, Follow: c.Follow, Symbols: a.symbols(),
		Log: a.logging(),
	}
	pid, isNumber := 0, false
	if len(c.Command) == 1 {
		n, err := strconv.Atoi(c.Command[0])
		pid, isNumber = n, err == nil
	}
	switch {
	case isNumber:
		return o, fmt.Errorf("record: %d is not a program; to watch the process with this ID: memtui record --pages %[1]d", pid)
	case len(c.Command) == 0:
		return o, errors.New("record: name the program to run: memtui record COMMAND…")
	case c.Out == record.Pipe && c.Live:
		return o, errors.New("record: --live needs a file: -o - sends the recording to another program")
	case c.Out == record.Pipe && a.env.IsTerminal:
		return o, errors.New("record: -o - is for a pipe, and standard output is a terminal: memtui record -o - COMMAND | memtui -")
	case c.Pure && (c.Live || c.Out == record.Pipe || c.Markers != ""):
		return o, errors.New("--pure: the tracer writes its file itself: --live, --marker-fifo and -o - are for the hook")
	case c.Pure && (!c.Sample.Adapt || c.Native || c.Follow || c.OnFull != "wait"):
		return o, errors.New("--pure: records all blocks that live at a snapshot, of one process: --sample, --native, --follow and --on-full are for the hook")
	case o.Frames < 1 || o.Frames > mostFrames:
		return o, fmt.Errorf("--frames: %d is not between 1 and %d", o.Frames, mostFrames)
	case c.Ring < smallestRing || c.Ring > largestRing:
		return o, fmt.Errorf("--ring: the size must be from %s to %s", model.Bytes(smallestRing), model.Bytes(largestRing))
	}
	for o.Ring < int64(c.Ring) {
		o.Ring *= 2
	}
	return o, nil
}

// frames returns the most frames of a stack.
func (c *recordCmd) frames() int {
	switch {
	case c.Frames != nil:
		return *c.Frames
	case c.Pure:
		return 1
	}
	return usualFrames
}

// logging returns a function that prints a line on standard error.
func (a *app) logging() func(format string, args ...any) {
	return func(format string, args ...any) { fmt.Fprintf(a.env.Stderr, "memtui: "+format+"\n", args...) }
}

// recorded prints what became of a recording, and the command that opens it.
func (a *app) recorded(f record.Recorded) {
	say := a.logging()
	switch {
	case len(f.Dumps) > 0:
		say("%s written; open with: memtui %s", model.CountedAs(uint64(len(f.Dumps)), "heap dump was", "heap dumps were"), model.Clean(strings.Join(f.Dumps, " ")))
		return
	case f.Points > 0:
		say("recorded %s; open the recording with: memtui %s", model.Counted(f.Points, "point"), model.Clean(f.Path))
		return
	}
	if f.Stopped != nil {
		say("recording of process %d stopped early: %s", f.PID, model.Clean(f.Stopped.Error()))
	}
	if n := f.Lost.Allocations + f.Lost.Frees; n > 0 {
		say("%s lost as the recorder did not keep up: use a larger --ring", model.CountedAs(n, "event was", "events were"))
	}
	if f.Few {
		say("only %s sampled: what was allocated rarely or in small amounts may be missing; --sample all records every block", model.CountedAs(f.Events, "event was", "events were"))
	}
	if f.Path == record.Pipe { // whoever reads it shows how many events there are, perhaps on the same terminal
		return
	}
	say("recorded %s; open the recording with: memtui %s", model.Counted(f.Events, "event"), model.Clean(f.Path))
}

// pages watches a process from outside.
func (c *recordCmd) pages(ctx context.Context, a *app) error {
	if len(c.Command) > 0 || c.Pages < 0 {
		return fail.Usage(errors.New("--pages: takes the ID of a process, not a program to run"))
	}
	log := a.logging()
	o := record.PageOptions{PID: c.Pages, Output: c.Out, Every: time.Duration(c.Every), Limit: time.Duration(c.For), Layouts: mostLayouts, Log: log}
	if o.Output == "" {
		o.Output = record.FileName(c.Pages, ".mb")
	}
	a.ending.terminal.Store(terminalShown) // an interrupt ends the recording, and the file is written
	points, layouts, err := record.Pages(ctx, o)
	if err != nil {
		return fail.Input(err)
	}
	log("recorded %s and %s; open the recording with: memtui %s", model.Counted(points, "point"), model.Counted(layouts, "page layout"), model.Clean(o.Output))
	return nil
}

// print prints a module for programs that record themselves.
func (c *recordCmd) print(a *app) error {
	if len(c.Command) > 0 {
		return fail.Usage(errors.New("--print: takes no program to run"))
	}
	_, err := io.WriteString(a.out, pure.Module)
	return err
}

// cause returns the error of the system, without the name of the call.
func cause(err error) error {
	if errno := syscall.Errno(0); errors.As(err, &errno) {
		return errno
	}
	return err
}

// recover completes a recording.
func (c *recordCmd) recover(ctx context.Context, a *app) error {
	if len(c.Command) > 0 {
		return fail.Usage(errors.New("--recover: takes a file, not a program to run"))
	}
	_, err := record.Recover(ctx, c.Recover, a.symbols())
	if err != nil {
		return fail.Input(err)
	}
	fmt.Fprintf(a.out, "%s is complete\n", model.Clean(c.Recover))
	return nil
}
