//go:build unix

package term

import (
	"errors"
	"os"
	"sync/atomic"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/gdamore/tcell/v2/terminfo"
	"golang.org/x/sys/unix"
)

// errClosing is returned to a reader that tcell is about to wait for.
var errClosing = errors.New("the terminal is being released")

// tty is between tcell and the terminal for one reason: tcell waits for its reading goroutine when it releases the
// terminal, and if input is pending, that waits for a channel that is no longer read. So reading must end before tcell
// is stopped; see release.
type tty struct {
	tcell.Tty
	closing atomic.Bool
	stopped chan struct{} // one token: the reading goroutine got its error
	written atomic.Int64  // bytes that tcell wrote
}

func newTTY(inner tcell.Tty) *tty {
	return &tty{Tty: inner, stopped: make(chan struct{}, 1)}
}

func (t *tty) Start() error {
	t.closing.Store(false)
	select {
	case <-t.stopped:
	default:
	}
	return t.Tty.Start()
}

func (t *tty) Read(b []byte) (int, error) {
	n, err := 0, errClosing
	if !t.closing.Load() {
		n, err = t.Tty.Read(b)
	}
	if t.closing.Load() {
		n, err = 0, errClosing
	}
	if err != nil {
		select {
		case t.stopped <- struct{}{}:
		default:
		}
	}
	return n, err
}

func (t *tty) Write(b []byte) (int, error) {
	t.written.Add(int64(len(b)))
	return t.Tty.Write(b)
}

// release ends the reading goroutine. The caller must keep reading tcell's events, otherwise that goroutine cannot end.
func (t *tty) release() {
	t.closing.Store(true)
	_ = t.Drain() // wakes a blocked Read
	select {
	case <-t.stopped:
		t.stopped <- struct{}{} // for the next caller
	case <-time.After(100 * time.Millisecond):
	}
}

// lifeline restores the terminal without tcell. It has the original modes, and its own access to the terminal.
type lifeline struct {
	file   *os.File
	before unix.Termios
	reset  string                   // leaves every mode that tcell may have entered
	killed string                   // see [Options]
	guard  atomic.Pointer[guarding] // nil if there is none
}

// saveTerminal opens the controlling terminal and saves its modes.
func saveTerminal() (*lifeline, error) {
	f, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	l := &lifeline{file: f}
	err = l.control(func(fd int) error {
		modes, err := unix.IoctlGetTermios(fd, getTermios)
		if err == nil {
			l.before = *modes
		}
		return err
	})
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return l, nil
}

// control runs f with the descriptor. (File.Fd would make the file blocking,
// and deadlines useless.)
func (l *lifeline) control(f func(fd int) error) error {
	raw, err := l.file.SyscallConn()
	if err != nil {
		return err
	}
	var ferr error
	if err := raw.Control(func(fd uintptr) { ferr = f(int(fd)) }); err != nil {
		return err
	}
	return ferr
}

// restoreModes restores the terminal's original modes.
func (l *lifeline) restoreModes() {
	_ = l.control(func(fd int) error { return unix.IoctlSetTermios(fd, setTermios, &l.before) })
}

// hardReset does what tcell should have done. It gives up on a terminal that accepts no bytes.
func (l *lifeline) hardReset() {
	l.restoreModes()
	_ = l.file.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	_, _ = l.file.WriteString(l.reset)
}

func (l *lifeline) close() { _ = l.file.Close() }

// resetSequence leaves every mode that tcell enters on a terminal.
func resetSequence(ti *terminfo.Terminfo) string {
	s := ""
	if xtermLike(ti) { // synchronized output and the three keyboard protocols
		s = "\x1b[?2026l\x1b[?9001l\x1b[<u\x1b[>4;0m"
	}
	if ti.Mouse != "" || xtermLike(ti) {
		s += "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1004l\x1b[?2004l"
	}
	return s + ti.ExitKeypad + ti.EnableAutoMargin + ti.AttrOff + ti.ShowCursor + ti.ExitCA
}
