//go:build unix

package term

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/gdamore/tcell/v2/terminfo"
	"github.com/rivo/tview"
	"github.com/rivo/uniseg"
)

// Options configure how a terminal is opened. The zero value is usable.
type Options struct {
	Mouse  bool                // report clicks, drags and the wheel
	ASCII  bool                // draw only ASCII
	Color  Color               // whether to use colors
	Stderr io.Writer           // where Run prints a hint or a stack after the end; nil: not printed
	Killed string              // what to say where the program was killed, "" for the usual
	Getenv func(string) string // nil: os.Getenv. Locale and COLORTERM are always the process's own
}

// Terminal is an opened terminal and the loop that runs on it. Methods are for the UI goroutine, except those of Loop
// and those documented otherwise.
type Terminal struct {
	*Loop
	screen *Screen
	events chan tcell.Event // read by tcell
	tty    *tty             // nil in a simulation
	saved  *lifeline        // nil in a simulation
	stderr io.Writer
	hints  []string

	ctx    context.Context
	cancel context.CancelFunc
	once   sync.Once
	last   sync.Once
	err    error         // why it ended; written before quit is closed
	quit   chan struct{} // closed by the first stop
	forced chan struct{} // closed when the loop did not end in time
	grace  *time.Timer   // closes forced
	signal chan os.Signal
	job    chan os.Signal // SIGTSTP and SIGCONT, for the loop

	ui
}

// endGrace is how long a handler may continue after the end was requested, and releaseTime how long tcell may take to
// release the terminal.
const (
	endGrace    = time.Second
	releaseTime = 500 * time.Millisecond
)

// Open takes over the terminal: it is in raw mode and shows the alternate screen until Run or Close returns. It sends
// the terminal no queries, so one that does not respond delays nothing. Errors wrap ErrUnusable and leave the terminal
// unchanged.
func Open(o Options) (*Terminal, error) {
	if o.Getenv == nil {
		o.Getenv = os.Getenv
	}
	prepareTcell(o)
	ti, hint, err := describe(o.Getenv("TERM"))
	if err != nil {
		return nil, err
	}
	saved, err := saveTerminal()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	saved.reset, saved.killed = resetSequence(&ti), o.Killed
	t := newTerminal()
	t.saved, t.stderr = saved, o.Stderr
	if hint != "" {
		t.hints = append(t.hints, hint)
	}
	t.watchSignals()
	dev, err := tcell.NewDevTty()
	if err == nil {
		t.tty = newTTY(dev)
		var inner tcell.Screen
		if inner, err = tcell.NewTerminfoScreenFromTtyTerminfo(t.tty, &ti); err == nil {
			t.expectSize(&ti)
			if err = inner.Init(); err == nil {
				caps := capsOf(inner, &ti, o)
				t.attach(inner, newEncoder(inner, &ti), caps, charsetFor(caps, &ti, o), true)
				t.SetMouse(o.Mouse)
				t.screen.later(inner.EnablePaste)
				t.watch()
				return t, nil
			}
		}
	}
	signal.Stop(t.signal)
	saved.hardReset()
	saved.close()
	return nil, fmt.Errorf("%w: %w", ErrUnusable, err)
}

// expectSize makes tcell start with the screen's size, otherwise it allocates a screen of the usual size first.
func (t *Terminal) expectSize(ti *terminfo.Terminfo) {
	if size, err := t.tty.WindowSize(); err == nil {
		ti.Columns, ti.Lines = size.Width, size.Height
	}
}

// prepareTcell sets tcell's global state: an unknown character set means ASCII, and box lines are one column wide
// whatever the locale.
func prepareTcell(o Options) {
	tcell.SetEncodingFallback(tcell.EncodingFallbackASCII)
	if uniseg.EastAsianAmbiguousWidth != 1 { // other terminals of the process may be drawing
		uniseg.EastAsianAmbiguousWidth = 1
	}
	if o.Color == ColorAlways {
		_ = os.Unsetenv("NO_COLOR") // tcell reads it for every color
	}
}

func newTerminal() *Terminal {
	t := &Terminal{
		quit:   make(chan struct{}),
		forced: make(chan struct{}),
		signal: make(chan os.Signal, 8),
		job:    make(chan os.Signal, 8),
	}
	t.ctx, t.cancel = context.WithCancel(context.Background())
	t.Loop = newLoop(
		func(value any, stack []byte) {
			if _, missing := value.(interface{ Addr() uintptr }); missing {
				t.stop(ErrFileGone)
				return
			}
			t.stop(&PanicError{value, stack})
		},
		func() bool { return t.screen == nil || t.screen.resting() },
	)
	t.budget = time.Second / 30
	t.busy = true // until the first frame
	return t
}

// attach completes a terminal with an initialized screen.
func (t *Terminal) attach(inner tcell.Screen, enc *encoder, caps Caps, chars *charset, async bool) {
	if q, ok := inner.(interface{ EventQ() chan tcell.Event }); ok {
		t.events = q.EventQ()
	}
	t.screen = newScreen(inner, enc, caps, chars, async)
	t.screen.mu.Lock()
	t.screen.idle = t.calm.Broadcast
	t.screen.mu.Unlock()
}

// Screen returns the screen that primitives draw on.
func (t *Terminal) Screen() *Screen { return t.screen }

// Caps returns what the terminal can show. Any goroutine may call it.
func (t *Terminal) Caps() Caps { return t.screen.caps }

// Context returns the context that is canceled when the end begins. Any goroutine may call it.
func (t *Terminal) Context() context.Context { return t.ctx }

// Written returns the number of bytes sent to the terminal so far. Any goroutine may call it.
func (t *Terminal) Written() int64 {
	if t.tty == nil {
		return 0
	}
	return t.tty.written.Load()
}

// Quit ends Run with nil. Any goroutine may call it, more than once.
func (t *Terminal) Quit() { t.stop(nil) }

// Fail ends Run with err. Any goroutine may call it; the first end counts.
func (t *Terminal) Fail(err error) { t.stop(err) }

// stop begins the end, once.
func (t *Terminal) stop(err error) {
	t.once.Do(func() {
		t.err = err
		t.grace = time.AfterFunc(endGrace, func() { close(t.forced) })
		t.cancel()
		close(t.quit)
	})
}

// Run shows root and returns when the program should end: nil after Quit, otherwise a SignalError, a PanicError,
// ErrGone, ErrFileGone, or the error passed to Fail. When it returns, the terminal is restored. Goroutines started with Go may still
// be running. Run may be called once.
func (t *Terminal) Run(root tview.Primitive) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		t.guard(func() { t.loop(root) })
	}()
	select {
	case <-done:
	case <-t.forced:
	}
	t.stop(nil) // also waits for a goroutine that is in it
	return t.finish()
}

// Close restores the terminal if Run will not be called.
func (t *Terminal) Close() error {
	t.stop(nil)
	return t.finish()
}

// Abandon restores the terminal without waiting for drawing, and ends the guard: the process must end right afterwards.
// Any goroutine may call it.
func (t *Terminal) Abandon() {
	if t.saved != nil {
		t.saved.hardReset()
		t.saved.unwatch()
	}
}

// finish restores the terminal, then prints messages.
func (t *Terminal) finish() error {
	t.last.Do(t.release)
	return t.err
}

func (t *Terminal) release() {
	t.grace.Stop()
	t.end()
	released := t.drained(func() { t.screen.shut(t.screen.Screen.Fini) })
	if t.saved != nil {
		if released {
			t.saved.restoreModes()
		} else {
			t.saved.hardReset()
		}
		t.saved.unwatch()
		t.saved.close()
		signal.Stop(t.signal)
	}
	t.report()
}

// drained runs f, during which tcell releases the terminal, while a goroutine reads the events that tcell would wait
// for. It returns false if f did not return in time.
func (t *Terminal) drained(f func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if t.tty != nil {
			t.tty.release()
		}
		f()
	}()
	late := time.After(releaseTime)
	for {
		select {
		case <-done:
			return true
		case <-t.events:
		case <-late:
			return false
		}
	}
}

// report prints hints and the stack of a panic.
func (t *Terminal) report() {
	if t.stderr == nil {
		return
	}
	for _, h := range t.hints {
		fmt.Fprintln(t.stderr, "memtui: "+h)
	}
	if p, ok := t.err.(*PanicError); ok {
		fmt.Fprintf(t.stderr, "panic: %s\n\n%s", printable(fmt.Sprint(p.Value)), printable(string(p.Stack)))
	}
}
