package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/memory"
	"github.com/memtui/memtui/internal/term"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// ending is the state that the end of the process needs of a command that does not end by itself. Any goroutine may use
// it.
type ending struct {
	terminal   atomic.Int32 // its owner: terminalFree and so on
	unfinished sync.Map     // paths of files that are being written
}

// grace is how long a command may take to end by itself after an interrupt. Reading input takes less; library calls,
// such as sorting or copying a huge name, may take longer. The system then frees the memory of the process: up to 80 ms
// for half a gigabyte, of 100 ms in which the shell is to be back.
const grace = 20 * time.Millisecond

// Owners of the terminal.
const (
	terminalFree  = iota // none
	terminalShown        // the full-screen program
	terminalGone         // released: the process ends
)

// runUntil runs the command; ended is false when it has not ended in time after ctx was done. Then it still uses a and
// its output, and the process is about to end. A full-screen program always ends by itself: the terminal is restored
// first.
func (a *app) runUntil(ctx context.Context) (err error, ended bool) {
	done := make(chan error, 1)
	go func() { done <- a.runVerified(ctx) }()
	select {
	case err := <-done:
		return err, true
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case err := <-done:
		return err, true
	case <-late.C:
	}
	if !a.ending.terminal.CompareAndSwap(terminalFree, terminalGone) {
		return <-done, true
	}
	return ctx.Err(), false
}

// begin records a file that is being written, so that an interrupt removes it.
func (e *ending) begin(path string) { e.unfinished.Store(path, nil) }

// removeUnfinished removes the files that are being written.
func (e *ending) removeUnfinished() {
	e.unfinished.Range(func(path, _ any) bool {
		os.Remove(path.(string))
		return true
	})
}

// memoryLimit returns how many bytes of memory the program may take, 0 for unlimited. All limits are derived from it.
func (a *app) memoryLimit() int64 { return a.budget.Limit() }

// bound enforces the memory limit from now on. It returns a context with the budget, which ends with a
// [model.MemoryError] as its cause if the limit cannot be kept.
func (a *app) bound(ctx context.Context) (context.Context, error) {
	system, err := memory.System(os.DirFS("/"))
	if err != nil {
		return ctx, fail.Input(err)
	}
	if a.budget = memory.NewBudget(int64(a.flags.MaxMemory), system); a.budget == nil {
		return ctx, nil
	}
	limit := a.memoryLimit()
	debug.SetMemoryLimit(limit)
	a.collector.Limit = limit
	a.collector.Start()
	ctx = model.WithBudget(ctx, a.budget)
	if a.env.Exit == nil {
		return ctx, nil
	}
	ctx, a.watch = memory.Begin(ctx, a.budget, a.outOfMemory)
	return ctx, nil
}

// outOfMemory ends the process if the limit could not be kept otherwise.
func (a *app) outOfMemory() {
	fmt.Fprintln(a.env.Stderr, "memtui: "+a.budget.Error("").Error())
	a.env.Exit(fail.StatusInput)
}

// Guard must be called first in main, which must return where it returns true: see [term.Guard].
func Guard() bool { return term.Guard() }

// Watched reports whether standard error is a terminal that the process may write to unasked. It is what main puts into
// [Env.Watched].
func Watched() bool { return term.Foreground(os.Stderr) }

// Signals returns a context that ends when the process receives a signal to end, with a [term.SignalError] as its
// cause. Another signal ends the process at once. Signals that were ignored when the process began stay ignored.
func Signals(parent context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(parent)
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, term.Ends()...)
	go func() {
		number, _ := (<-asked).(syscall.Signal)
		signal.Stop(asked)
		cancel(&term.SignalError{Signal: number})
	}()
	return ctx
}

// errUnsound is the error for output that is based on a damaged cached file.
var errUnsound = errors.New("what an earlier run kept of this file is damaged: it was discarded, the next run reads the file again")

// soundWriter writes only output that is based on intact files: the files in use are verified before the first write.
type soundWriter struct {
	io.Writer
	ctx   context.Context
	uses  *sections.Uses
	begun bool // something was written
}

// Write implements io.Writer.
func (w *soundWriter) Write(b []byte) (int, error) {
	if w.uses.Verify(w.ctx) != nil && w.ctx.Err() == nil {
		return 0, errUnsound
	}
	w.begun = true
	return w.Writer.Write(b)
}

// verifyUses fails where what was made so far is made of a damaged file. What a screen saves is made of what the screen
// shows, which is read again when a file turns out to be damaged.
func (a *app) verifyUses() error {
	if a.written != nil && a.written.uses.Verify(a.written.ctx) != nil && a.written.ctx.Err() == nil {
		return errUnsound
	}
	return nil
}

// mostRuns is the maximum number of times that a command runs. A snapshot and its dominators are separate files, so
// their damage is found in separate runs.
const mostRuns = 4

// runSound runs the command, and again if its output would be based on a damaged file that an earlier run cached. Such
// a file has been discarded by then. ended is that of [app.runUntil].
func (a *app) runSound(ctx context.Context) (err error, ended bool) {
	for runs := 1; ; runs++ {
		uses := &sections.Uses{}
		a.written = &soundWriter{Writer: a.env.Stdout, ctx: ctx, uses: uses}
		a.out = bufio.NewWriterSize(a.written, 1<<16)
		if err, ended = a.runUntil(uses.In(ctx)); !ended {
			return err, false
		}
		var flushed error
		if !errors.Is(err, errUnsound) {
			flushed = a.out.Flush()
		}
		unsound := errors.Is(err, errUnsound) || errors.Is(flushed, errUnsound)
		if unsound && runs < mostRuns && !a.written.begun {
			continue
		}
		switch {
		case unsound:
			return fail.Input(errUnsound), true
		case err == nil && flushed != nil:
			return fail.Input(errors.New("standard output: " + flushed.Error())), true
		}
		return err, true
	}
}

// runVerified runs the command. It fails if the command used a damaged file, even if the command panicked because of
// it.
func (a *app) runVerified(ctx context.Context) (err error) {
	defer func() {
		if a.screen || a.verifyUses() == nil {
			return // a panic continues
		}
		_ = recover()
		err = errUnsound
	}()
	return a.run(ctx)
}
