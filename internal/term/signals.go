//go:build unix

package term

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Ends returns the signals that ask the process to end. Those that were ignored when it started are not among them:
// nohup and shells rely on that. Call it before signals are redirected.
func Ends() []os.Signal {
	list := []os.Signal{syscall.SIGTERM}
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if !signal.Ignored(s) {
			list = append(list, s)
		}
	}
	return list
}

// watchSignals turns requests to stop into an ordered end, even if the loop hangs, and passes job control to the loop.
func (t *Terminal) watchSignals() {
	signal.Notify(t.signal, append(Ends(), syscall.SIGQUIT, syscall.SIGTSTP, syscall.SIGCONT)...)
	go func() {
		for {
			select {
			case <-t.quit:
				return
			case s := <-t.signal:
				t.dispatch(s)
			}
		}
	}()
}

func (t *Terminal) dispatch(s os.Signal) {
	if s != syscall.SIGTSTP && s != syscall.SIGCONT {
		number, _ := s.(syscall.Signal)
		t.stop(&SignalError{number})
		return
	}
	select {
	case t.job <- s:
	default: // eight are waiting, one of which has the same effect
	}
}

// ownContinue is how long after a suspension of our own a SIGCONT is the one that ended it.
const ownContinue = 100 * time.Millisecond

// jobControl reacts to what another program did: asked us to suspend, or stopped us without asking and continued us, on
// a terminal that other programs have used since.
func (t *Terminal) jobControl(s os.Signal) {
	switch {
	case s == syscall.SIGTSTP:
		t.Suspend()
	case time.Since(t.resumed) > ownContinue:
		t.lend(func() {})
	}
}

// Suspend restores the terminal and stops the process group, as Ctrl-Z does everywhere; it returns when the shell has
// put the process into the foreground again and everything is redrawn. It does nothing without a shell that could do
// so.
func (t *Terminal) Suspend() {
	if t.saved == nil {
		return
	}
	if session, err := unix.Getsid(0); err != nil || session == unix.Getpgrp() {
		return
	}
	t.lend(func() {
		// The stop happens some time after kill has returned, and must not find the terminal in raw mode again: wait
		// for its end. SIGTSTP would do nothing, because Go keeps its handler.
		cont := make(chan os.Signal, 1)
		signal.Notify(cont, syscall.SIGCONT)
		defer signal.Stop(cont)
		if syscall.Kill(0, syscall.SIGSTOP) != nil {
			return
		}
		select {
		case <-cont:
		case <-time.After(200 * time.Millisecond):
		}
	})
}

// lend restores the terminal, runs f, takes the terminal back and redraws everything.
func (t *Terminal) lend(f func()) {
	if t.tty == nil {
		return
	}
	inner := t.screen.Screen
	if t.drained(func() { t.screen.park(func() { _ = inner.Suspend() }) }) {
		t.saved.unwatch() // it must not touch a terminal that another program uses
		f()
	}
	var err error
	t.screen.unpark(func() { err = inner.Resume() })
	if t.saved.guard.Load() == nil {
		t.watch()
	}
	t.resumed = time.Now()
	if err != nil {
		t.stop(ErrGone)
		return
	}
	t.resize()
	t.Redraw()
}
