//go:build unix

package term

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Ends lists the signals that ask the process to end. Those that were ignored
// when it began are not among them: nohup and shells mean that to last. Ask
// before anybody has asked for signals.
func Ends() []os.Signal {
	list := []os.Signal{syscall.SIGTERM}
	for _, s := range []os.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if !signal.Ignored(s) {
			list = append(list, s)
		}
	}
	return list
}

// watchSignals turns requests to stop into an ordered end, even when the loop
// hangs, and hands job control to the loop.
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
	default: // eight are waiting, one of which does the same
	}
}

// ownContinue is how long after a suspension of ours a SIGCONT is the one that
// ended it.
const ownContinue = 100 * time.Millisecond

// jobControl follows what another program did: asked us to suspend, or stopped
// us without asking and let us go on, on a terminal that has seen others since.
func (t *Terminal) jobControl(s os.Signal) {
	switch {
	case s == syscall.SIGTSTP:
		t.Suspend()
	case time.Since(t.resumed) > ownContinue:
		t.lend(func() {})
	}
}

// Suspend gives the terminal back and stops the process group, as Ctrl-Z does
// everywhere; it returns when the shell has put the process into the foreground
// again and everything is redrawn. Without a shell that could do so it does
// nothing.
func (t *Terminal) Suspend() {
	if t.saved == nil {
		return
	}
	if session, err := unix.Getsid(0); err != nil || session == unix.Getpgrp() {
		return
	}
	t.lend(func() {
		// The stop happens some time after kill has returned, and must not
		// find the terminal raw again: wait for its end. SIGTSTP would do
		// nothing, because Go keeps its handler.
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

// lend gives the terminal back, runs f, takes it again and has everything
// redrawn.
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
