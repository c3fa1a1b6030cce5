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

// Options say how to open a terminal. The zero value is fine.
type Options struct {
	Mouse  bool                // report clicks, drags and the wheel
	ASCII  bool                // draw nothing but ASCII
	Color  Color               // whether to use colors
	Stderr io.Writer           // where Run prints a hint or a stack after the end; nil: nowhere
	Getenv func(string) string // nil: os.Getenv. Locale and COLORTERM are always the process's own
}

// A Terminal is an opened terminal and the loop that runs on it. Methods belong
// to the UI goroutine, except those of Loop and those that say otherwise.
type Terminal struct {
	*Loop
	screen *Screen
	events chan tcell.Event // what tcell read
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

// endGrace is how long a handler may go on after the end was asked for, and
// releaseTime how long tcell may take to release the terminal.
const (
	endGrace    = time.Second
	releaseTime = 500 * time.Millisecond
)

// Open takes the terminal over: from here on it is raw and shows the alternate
// screen, until Run or Close return. It asks the terminal nothing, so a mute one
// delays nothing. Errors wrap ErrUnusable and leave the terminal as it was.
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
	saved.reset = resetSequence(&ti)
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
				t.attach(inner, caps, charsetFor(caps, &ti, o), true)
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

// expectSize has tcell begin with the screen's size, else it makes a screen of the
// usual size first.
func (t *Terminal) expectSize(ti *terminfo.Terminfo) {
	if size, err := t.tty.WindowSize(); err == nil {
		ti.Columns, ti.Lines = size.Width, size.Height
	}
}

// prepareTcell sets what tcell keeps in the process: an unknown character set
// means ASCII, and box lines are one column wide whatever the locale thinks.
func prepareTcell(o Options) {
	tcell.SetEncodingFallback(tcell.EncodingFallbackASCII)
	if uniseg.EastAsianAmbiguousWidth != 1 { // other terminals of the process may be drawing
		uniseg.EastAsianAmbiguousWidth = 1
	}
	if o.Color == ColorAlways {
		_ = os.Unsetenv("NO_COLOR") // tcell asks for it with every color
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
		func(value any, stack []byte) { t.stop(&PanicError{value, stack}) },
		func() bool { return t.screen == nil || t.screen.resting() },
	)
	t.budget = time.Second / 30
	t.busy = true // with the first frame
	return t
}

// attach completes a terminal with an initialized screen.
func (t *Terminal) attach(inner tcell.Screen, caps Caps, chars *charset, async bool) {
	if q, ok := inner.(interface{ EventQ() chan tcell.Event }); ok {
		t.events = q.EventQ()
	}
	t.screen = newScreen(inner, caps, chars, async)
	t.screen.mu.Lock()
	t.screen.idle = t.calm.Broadcast
	t.screen.mu.Unlock()
}

// Screen returns what primitives draw on.
func (t *Terminal) Screen() *Screen { return t.screen }

// Caps tells what the terminal can show. Any goroutine may ask.
func (t *Terminal) Caps() Caps { return t.screen.caps }

// Context returns the context that is canceled when the end begins. Any goroutine may ask.
func (t *Terminal) Context() context.Context { return t.ctx }

// Written counts the bytes sent to the terminal so far. Any goroutine may ask.
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

// Run shows root and returns when the program should end: nil after Quit, else a
// SignalError, a PanicError, ErrGone, or what Fail was given. When it returns the
// terminal is as Open found it. Goroutines started with Go may still be running.
// Run may be called once.
func (t *Terminal) Run(root tview.Primitive) error {
	done := make(chan struct{})
	go func() {
		defer close(done)
		t.guard(func() { t.loop(root) })
	}()
	select {
	case <-done:
		t.stop(nil)
	case <-t.forced:
	}
	return t.finish()
}

// Close gives the terminal back when Run will not be called.
func (t *Terminal) Close() error {
	t.stop(nil)
	return t.finish()
}

// Abandon gives the terminal back without waiting for what draws, and lets the
// guard go: the process must end right afterwards. Any goroutine may call it.
func (t *Terminal) Abandon() {
	if t.saved != nil {
		t.saved.hardReset()
		t.saved.unwatch()
	}
}

// finish restores the terminal, then prints what there is to say.
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

// drained runs f, during which tcell gives up the terminal, while a goroutine reads
// the events that tcell would wait for. False: f did not return in time.
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
