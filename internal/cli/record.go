package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/record"
	"github.com/memtui/memtui/model"
)

type recordCmd struct {
	Command []string      `arg:"" optional:"" passthrough:"partial" help:"The program to run, and its arguments."`
	Out     string        `name:"output" short:"o" placeholder:"FILE" help:"The file to write (NAME-PID.mlyze in the current folder)."`
	Sample  arg.Sample    `default:"512KiB" placeholder:"SIZE|RATE" help:"What is recorded: one block about every so many allocated bytes, which costs little (${default}); a rate such as 0.1, the chance of each block; or all. Figures of samples are estimates, and marked so."`
	Frames  int           `default:"64" placeholder:"N" help:"The most frames of a stack (${default})."`
	Ring    arg.Bytes     `default:"16MiB" placeholder:"SIZE" help:"Memory shared with the program, for events that are not written yet (${default})."`
	OnFull  string        `enum:"wait,drop" default:"wait" placeholder:"WHAT" help:"Where that memory is full: wait (the program waits for the recorder) or drop (allocations are left out and counted)."`
	For     time.Duration `placeholder:"TIME" help:"End recording after this time; the program goes on."`
	MaxSize arg.Bytes     `placeholder:"SIZE" help:"End recording when the file has this size; the program goes on."`
	Follow  bool          `help:"Record child processes as well, each in a file of its own."`
	Pages   int           `placeholder:"PID" help:"Watch a running process from outside instead: curves of RSS, PSS, swap, anonymous and file memory, and which pages are resident, by kind of mapping. Writes a memory dump (NAME-PID.mb)."`
	Every   time.Duration `placeholder:"TIME" help:"With --pages: how often (curves every 100ms; PSS and pages as often as they cost less than 1 %)."`
	Recover string        `placeholder:"FILE" help:"Complete a recording whose recorder was killed: put the names next to it into the file."`
}

// Statuses of record beyond that of the program, as shells have them.
const (
	statusRecorder  = 125
	statusCannotRun = 126
	statusNotFound  = 127
	smallestRing    = 1 << 16
	largestRing     = 1 << 30
	mostFrames      = 512
	mostLayouts     = 200
)

// Run runs a program and records it.
func (c *recordCmd) Run(ctx context.Context, a *app) error {
	if c.Recover != "" {
		return c.recover(ctx, a)
	}
	if c.Pages != 0 {
		return c.pages(ctx, a)
	}
	o, err := c.options(a)
	if err != nil {
		return usageError(err)
	}
	a.ending.terminal.Store(terminalShown) // the program has it, and an interrupt is for the program
	files, status, err := record.Run(context.WithoutCancel(ctx), o)
	for _, f := range files {
		a.recorded(f)
	}
	switch {
	case errors.Is(err, exec.ErrNotFound) || errors.Is(err, os.ErrNotExist):
		return &statusError{statusNotFound, err}
	case errors.Is(err, os.ErrPermission):
		return &statusError{statusCannotRun, err}
	case err != nil:
		return &statusError{statusRecorder, err}
	case status != 0:
		return &statusError{status: status}
	}
	return nil
}

func (c *recordCmd) options(a *app) (record.Options, error) {
	o := record.Options{
		Command: c.Command, Output: c.Out, Sample: c.Sample.Bytes, Rate: c.Sample.Rate, Frames: c.Frames, Ring: smallestRing, Drop: c.OnFull == "drop",
		Duration: c.For, MaxSize: int64(c.MaxSize), Follow: c.Follow, Symbols: a.symbols(),
		Log: a.logging(),
	}
	switch {
	case len(c.Command) == 0:
		return o, errors.New("record: name the program to run: memtui record COMMAND…")
	case c.Frames < 1 || c.Frames > mostFrames:
		return o, fmt.Errorf("--frames: %d is not between 1 and %d", c.Frames, mostFrames)
	case c.Ring < smallestRing || c.Ring > largestRing:
		return o, fmt.Errorf("--ring: the size must be from %s to %s", model.Bytes(smallestRing), model.Bytes(largestRing))
	}
	for o.Ring < int64(c.Ring) {
		o.Ring *= 2
	}
	return o, nil
}

// logging returns a function that prints a line on standard error.
func (a *app) logging() func(format string, args ...any) {
	return func(format string, args ...any) { fmt.Fprintf(a.env.Stderr, "memtui: "+format+"\n", args...) }
}

// recorded prints what became of a recording, and the command that opens it.
func (a *app) recorded(f record.Recorded) {
	say := a.logging()
	if f.Stopped != nil {
		say("recording of process %d stopped early: %s", f.PID, model.Clean(f.Stopped.Error()))
	}
	if n := f.Lost.Allocations + f.Lost.Frees; n > 0 {
		say("%s lost as the recorder did not keep up: use a larger --ring", model.CountedAs(n, "event was", "events were"))
	}
	say("recorded %s; open the recording with: memtui %s", model.Counted(f.Events, "event"), model.Clean(f.Path))
}

// pages watches a process from outside.
func (c *recordCmd) pages(ctx context.Context, a *app) error {
	if len(c.Command) > 0 || c.Pages < 0 {
		return usageError(errors.New("--pages: takes the ID of a process, and no program to run"))
	}
	log := a.logging()
	o := record.PageOptions{PID: c.Pages, Output: c.Out, Every: c.Every, Limit: c.For, Layouts: mostLayouts, Log: log}
	if o.Output == "" {
		o.Output = record.FileName(c.Pages, ".mb")
	}
	a.ending.terminal.Store(terminalShown) // an interrupt ends the recording, and the file is written
	points, layouts, err := record.Pages(ctx, o)
	if err != nil {
		return inputError(err)
	}
	log("recorded %s and %s; open the recording with: memtui %s", model.Counted(points, "point"), model.Counted(layouts, "page layout"), model.Clean(o.Output))
	return nil
}

// recover completes a recording.
func (c *recordCmd) recover(ctx context.Context, a *app) error {
	if len(c.Command) > 0 {
		return usageError(errors.New("--recover: takes a file, not a program to run"))
	}
	_, err := record.Recover(ctx, c.Recover, a.symbols())
	if err != nil {
		return inputError(err)
	}
	fmt.Fprintf(a.out, "%s is complete\n", model.Clean(c.Recover))
	return nil
}
