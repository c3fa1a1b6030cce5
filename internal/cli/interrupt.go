package cli

import (
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// ending is what the end of the process must know of a command that does not end by itself. Any goroutine may use it.
type ending struct {
	terminal   atomic.Int32 // who has it: terminalFree and so on
	unfinished sync.Map     // paths of files that are being written
}

// grace is how long a command may take to end by itself once it was interrupted. What reads input takes less; what a library does
// in one go, such as to sort or to copy a huge name, may not.
const grace = 50 * time.Millisecond

// Who has the terminal.
const (
	terminalFree  = iota // nobody
	terminalShown        // the full-screen program
	terminalGone         // nobody any more: the process ends
)

// runUntil runs the command; ended is false when it has not ended in time after ctx was done. Then it still uses a and its
// output, and the process is about to end. A full-screen program always ends by itself: the terminal is restored first.
func (a *app) runUntil(ctx context.Context) (err error, ended bool) {
	done := make(chan error, 1)
	go func() { done <- a.run(ctx) }()
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

// begin notes a file that is being written, so that an interrupt does not leave it behind.
func (e *ending) begin(path string) { e.unfinished.Store(path, nil) }

// removeUnfinished removes the files that are being written.
func (e *ending) removeUnfinished() {
	e.unfinished.Range(func(path, _ any) bool {
		os.Remove(path.(string))
		return true
	})
}
