//go:build unix

package term

import (
	"encoding/json"
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// farewellTime is how long a guard may take to end after it was signaled.
const farewellTime = 500 * time.Millisecond

// firstFrame is how long a guard may wait for the first frame.
const firstFrame = 100 * time.Millisecond

// guarding is the program's side of a guard.
type guarding struct {
	cancel  chan struct{} // closed when no guard is needed
	started chan struct{} // closed when the rest is valid
	pid     int           // 0: there is no guard
	pipe    *os.File      // closing it signals the guard
	stderr  int           // the program's own standard error, which the pipe replaces
}

// watch starts a guard when the next frame has been sent, or soon anyway: it takes some milliseconds of a processor,
// which that frame needs. Until then, an abnormal end leaves the terminal unrestored.
func (t *Terminal) watch() {
	if !mayGuard.Load() || t.ending() {
		return
	}
	g := &guarding{cancel: make(chan struct{}), started: make(chan struct{})}
	t.saved.guard.Store(g)
	sent := make(chan struct{})
	t.screen.afterNext(func() { close(sent) })
	go func() {
		defer close(g.started)
		select {
		case <-g.cancel:
			return
		case <-sent:
		case <-time.After(firstFrame):
		}
		if err := g.start(t.saved); err != nil {
			g.pid = 0
		}
	}()
}

// unwatch ends the guard, which leaves no trace. The terminal must be restored.
func (l *lifeline) unwatch() {
	g := l.guard.Swap(nil)
	if g == nil {
		return
	}
	close(g.cancel)
	<-g.started
	if g.pid != 0 {
		g.stop()
	}
}

// start starts the guard and redirects standard error through it.
func (g *guarding) start(l *lifeline) error {
	order, err := l.order()
	if err != nil {
		return err
	}
	self, err := executable()
	if err != nil {
		return err
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0) // not l's: a guard's would have no deadlines
	if err != nil {
		return err
	}
	defer tty.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer null.Close()
	in, out, err := os.Pipe()
	if err != nil {
		return err
	}
	defer in.Close()
	limitPipe(int(out.Fd())) // Fd also makes it blocking: the runtime's output must not get lost when the pipe is full
	if _, err = out.Write(order); err == nil {
		g.stderr, err = unix.FcntlInt(2, unix.F_DUPFD_CLOEXEC, guardStderr+1)
	}
	if err != nil {
		out.Close()
		return err
	}
	// Its own session: it must not get signals of the terminal or for our process group.
	g.pid, err = syscall.ForkExec(self, []string{guardName}, &syscall.ProcAttr{
		Dir: "/", Env: append(os.Environ(), "GOMAXPROCS=1"), Sys: &syscall.SysProcAttr{Setsid: true},
		Files: []uintptr{tty.Fd(), null.Fd(), null.Fd(), in.Fd(), uintptr(g.stderr)},
	})
	if err != nil {
		unix.Close(g.stderr)
		out.Close()
		return err
	}
	g.pipe = out
	return unix.Dup2(int(out.Fd()), 2)
}

// order returns the instructions for the guard.
func (l *lifeline) order() (line []byte, err error) {
	o := guardOrder{Before: l.before, Reset: l.reset, Killed: l.killed}
	err = l.control(func(fd int) error {
		raw, err := unix.IoctlGetTermios(fd, getTermios)
		if err == nil {
			o.Raw = *raw
		}
		return err
	})
	if err == nil {
		line, err = json.Marshal(o)
	}
	return append(line, '\n'), err
}

// stop restores standard error and waits for the guard's end.
func (g *guarding) stop() {
	_ = unix.Dup2(g.stderr, 2)
	unix.Close(g.stderr)
	_, _ = g.pipe.Write([]byte{farewell})
	g.pipe.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			if _, err := syscall.Wait4(g.pid, nil, 0, nil); err != syscall.EINTR {
				return
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(farewellTime):
		_ = syscall.Kill(g.pid, syscall.SIGKILL)
		<-done
	}
}

// executable returns a path to the running program, even if its file was replaced or removed.
func executable() (string, error) {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe", nil
	}
	return os.Executable()
}
