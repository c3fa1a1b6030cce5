package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/memtui/memtui/internal/term"
)

// Guard must be called first in main, which must return where it returns true: see [term.Guard].
func Guard() bool { return term.Guard() }

// Watched reports whether standard error is a terminal that the process may write to unasked. It is what main puts into [Env.Watched].
func Watched() bool { return term.Foreground(os.Stderr) }

// Signals returns a context that ends when the process is asked to, with a [term.SignalError] as its cause. Another signal
// ends the process at once. What was ignored when the process began stays ignored.
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
