package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/uses"
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
	MaxSize *arg.Bytes   `placeholder:"SIZE" help:"End recording when the file has this size; the program keeps running."`
	Replace bool         `name:"overwrite" help:"Replace FILE if it exists."`
	Follow  bool         `help:"Record child processes as well, each in a file of its own. Those that end within a second and allocate less than 512 KiB are counted instead, unless every block is recorded (--sample all)."`
	Markers string       `name:"marker-fifo" placeholder:"PATH" help:"Make a pipe there; each line that is written to it becomes a marker of the recording: echo 'cache warm' > PATH"`
	RSS     bool         `name:"rss" default:"true" negatable:"" help:"Record curves of the resident memory (RSS, PSS) as well."`
	Live    bool         `help:"Show the recording on screens that follow it. The program reads nothing, and what it prints goes to FILE.log. Leaving the screens does not end it."`
	PID     int          `name:"pid" placeholder:"PID" help:"Record a process that runs: gdb stops it for a moment (less than 0.1 s unless the machine is busy) and has it load the hook, which stays loaded, but inactive, after recording ends. Should that fail half-way, the process may crash. Blocks that it allocated before are unknown; Python has its own stacks from when its main thread runs code."`
	Pages   int          `placeholder:"PID" help:"Watch a running process from outside instead: curves of RSS, PSS, swap, anonymous and file memory, and which pages are resident, by kind of mapping (holes are mapped, but not resident). Writes a memory dump (NAME-PID.mb)."`
	Every   arg.Duration `placeholder:"TIME" help:"How often: with --pages (curves every 100ms; PSS and pages as often as they cost less than 1 %), heap dumps of Ruby (none but at the end), histograms of Java and profiles of a URL (10s)."`
	Pure    bool         `help:"Record a Python program without the hook, by the standard library's tracemalloc alone: the blocks that live at snapshots, a second or more apart, by line. What comes and goes in between is not recorded, and the program takes 1.2 to 13 times as long."`
	Print   string       `enum:",python" default:"" placeholder:"python" help:"Print the module that --pure uses, for Python programs that import it themselves."`
	Recover string       `placeholder:"FILE" help:"Complete a recording whose recorder was killed or had no room: put the names next to it into the file."`
}

// Statuses of record beyond that of the program, as shells have them.
const statusRecorder, statusCannotRun, statusNotFound = 125, 126, 127
const usualFrames, mostLayouts = 64, 200

// Run runs a program and records it.
func (c *recordCmd) Run(ctx context.Context, a *app) error {
	c.Command = arg.AfterDashes(c.Command)
	by := c.by()
	if len(c.Command) > 1 && fetch.IsURL(c.Command[0]) {
		return fail.Usage(fmt.Errorf("record: %s is an address, not a program: flags go before it", model.Clean(c.Command[0])))
	}
	if err := uses.Recording(a.parsed, by); err != nil {
		return fail.Usage(err)
	}
	switch by {
	case uses.Restoring:
		return c.recover(ctx, a)
	case uses.OfPages:
		return c.pages(ctx, a)
	case uses.Printing:
		return c.print(a)
	case uses.OfURL:
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
	if by == uses.OfProcess {              // an interrupt ends the recording
		files, err := record.Attach(ctx, o)
		return c.over(a, files, 0, err)
	}
	files, status, err := c.recorder()(context.WithoutCancel(ctx), o)
	return c.over(a, files, status, err)
}

// by returns how a recording is made.
func (c *recordCmd) by() uses.Recorder {
	runtimes := map[string]uses.Recorder{"node": uses.OfNode, "ruby": uses.OfRuby, "java": uses.OfJava}
	switch {
	case c.Recover != "":
		return uses.Restoring
	case c.Pages != 0:
		return uses.OfPages
	case c.PID != 0:
		return uses.OfProcess
	case c.Print != "":
		return uses.Printing
	case len(c.Command) == 1 && fetch.IsURL(c.Command[0]):
		return uses.OfURL
	case c.Pure:
		return uses.ByTracer
	}
	return cmp.Or(runtimes[record.RuntimeOf(c.Command)], uses.ByHook)
}

// recorder returns what records a program.
func (c *recordCmd) recorder() func(context.Context, record.Options) ([]record.Recorded, int, error) {
	if c.Pure {
		return record.RunPure
	}
	return record.Run
}

// here suggests the program of that name in the working directory, where programs are not searched.
func here(name string) string {
	if info, err := os.Stat(name); strings.ContainsRune(name, os.PathSeparator) || err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return "; did you mean ./" + name + "?"
}

// over says what became of a recording, and returns the status of the program as an error.
func (c *recordCmd) over(a *app, files []record.Recorded, status int, err error) error {
	for _, f := range files {
		for _, line := range f.Lines() {
			a.logging()("%s", line)
		}
	}
	switch {
	case errors.Is(err, record.ErrStart) && (errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist)):
		return &fail.Error{Status: statusNotFound, Err: fmt.Errorf("cannot run %s: no such program%s", c.Command[0], here(c.Command[0]))}
	case errors.Is(err, record.ErrStart):
		return &fail.Error{Status: statusCannotRun, Err: fmt.Errorf("cannot run %s: %w", c.Command[0], cause(err))}
	case errors.Is(err, fs.ErrExist):
		return &fail.Error{Status: statusRecorder,
			Err: fmt.Errorf("%s exists: choose another name, or replace it with --overwrite", pathIn(err, c.Out))}
	case err != nil:
		return &fail.Error{Status: statusRecorder, Err: err}
	case status != 0:
		return &fail.Error{Status: status}
	}
	return nil
}

func (c *recordCmd) options(a *app) (record.Options, error) {
	o := record.Options{
		Command: c.Command, PID: c.PID, Output: c.Out, Sample: c.Sample.Bytes, Adapt: c.Sample.Adapt,
		Rate: c.Sample.Rate, Frames: c.frames(), Native: c.Native, Ring: int64(c.Ring), Drop: c.OnFull == "drop",
		Duration: time.Duration(c.For), Every: time.Duration(c.Every), Markers: c.Markers,
		Overwrite: c.Replace, Follow: c.Follow, NoRSS: !c.RSS, Symbols: a.symbols(),
		Log: a.logging(),
	}
	if c.MaxSize != nil {
		if o.MaxSize = int64(*c.MaxSize); o.MaxSize == 0 {
			return o, fail.Usage(errors.New("--max-size: a recording of no size holds nothing; leave the flag out for no limit"))
		}
	}
	pid, isNumber := 0, false
	if len(c.Command) == 1 {
		n, err := strconv.Atoi(c.Command[0])
		pid, isNumber = n, err == nil
	}
	switch {
	case isNumber:
		return o, fmt.Errorf("record: %d is not a program; for the process with this ID: memtui record --pid %[1]d, or --pages %[1]d from outside", pid)
	case c.PID < 0 || c.PID != 0 && len(c.Command) > 0:
		return o, errors.New("--pid: takes the ID of a process, not a program to run")
	case c.PID == 0 && len(c.Command) == 0:
		return o, errors.New("record: name the program to run: memtui record COMMAND…")
	case c.Out == record.Pipe && c.Live:
		return o, errors.New("record: --live needs a file: -o - sends the recording to another program")
	case c.Out == record.Pipe && a.env.IsTerminal:
		return o, errors.New("record: -o - is for a pipe, and standard output is a terminal: memtui record -o - COMMAND | memtui -")
	}
	return o, o.Check()
}

// frames returns the most frames of a stack.
func (c *recordCmd) frames() int {
	if c.Frames != nil {
		return *c.Frames
	}
	return map[bool]int{true: 1, false: usualFrames}[c.Pure]
}

// logging returns a function that prints a line on standard error.
func (a *app) logging() func(format string, args ...any) {
	return func(format string, args ...any) { fmt.Fprintf(a.env.Stderr, "memtui: "+format+"\n", args...) }
}

// pages watches a process from outside.
func (c *recordCmd) pages(ctx context.Context, a *app) error {
	if len(c.Command) > 0 || c.Pages < 0 {
		return fail.Usage(errors.New("--pages: takes the ID of a process, not a program to run"))
	}
	log := a.logging()
	o := record.PageOptions{PID: c.Pages, Output: c.Out, Every: time.Duration(c.Every), Limit: time.Duration(c.For),
		Layouts: mostLayouts, Overwrite: c.Replace, Log: log}
	if o.Output == "" {
		o.Output = record.FileName(c.Pages, ".mb")
	}
	a.ending.terminal.Store(terminalShown) // an interrupt ends the recording, and the file is written
	points, layouts, err := record.Pages(ctx, o)
	switch {
	case errors.Is(err, fs.ErrExist):
		return c.over(a, nil, 0, err)
	case err != nil:
		return fail.Input(err)
	}
	log("recorded %s and %s; open the recording with: memtui %s", model.Counted(points, "point"),
		model.Counted(layouts, "page layout"), model.Clean(o.Output))
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

// pathIn returns the path that an error is about, usual if it names none.
func pathIn(err error, usual string) string {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return model.Clean(e.Path)
	}
	return usual
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
	fmt.Fprintf(a.out, "%s has its names now, and goes to where its recorder ended\n", model.Clean(c.Recover))
	return nil
}
