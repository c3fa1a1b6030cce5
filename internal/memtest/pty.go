//go:build unix

package memtest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// patience bounds every wait of a Session without its own limit. It is long: a test that passes never waits for it.
const patience = 20 * time.Second

// Program is a program to start on a pseudo terminal.
type Program struct {
	Path string
	Args []string // without the program's name
	Dir  string   // "" means the test's
	// Env is added to a small fixed environment (TERM=xterm-256color, LANG=C.UTF-8, PATH, HOME in a temporary folder),
	// which is independent of the machine's. An entry without "=" removes a variable.
	Env  []string
	W, H int // 80×24 if 0
}

// Session is a program running on a pseudo terminal whose other end is a VT. The program is the leader of its own
// session with the terminal as its controlling one. Only the test's goroutine may use it.
type Session struct {
	t      testing.TB
	cmd    *exec.Cmd
	master *os.File
	slave  *os.File // kept open, so that modes can be compared after the end
	before term.State
	waited chan error

	mu   sync.Mutex
	more chan struct{} // closed and replaced whenever something was received
	vt   *VT
	raw  bytes.Buffer
	eof  bool
	gate chan struct{} // nil, or closed by Thaw
}

// Start runs a program. The session is closed at the test's end.
func Start(t testing.TB, p Program) *Session {
	t.Helper()
	if p.W == 0 || p.H == 0 {
		p.W, p.H = 80, 24
	}
	master, slave, err := openPTY()
	if err != nil {
		t.Fatalf("pty: %v", err)
	}
	s := &Session{t: t, master: master, slave: slave, vt: NewVT(p.W, p.H),
		more: make(chan struct{}), waited: make(chan error, 1)}
	s.setSize(p.W, p.H)
	s.before = s.modes()
	s.cmd = exec.Command(p.Path, p.Args...)
	s.cmd.Dir, s.cmd.Env = p.Dir, environment(t, p.Env)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = slave, slave, slave
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := s.cmd.Start(); err != nil {
		t.Fatalf("start: %v", err)
	}
	go s.read()
	go func() { s.waited <- s.cmd.Wait() }()
	t.Cleanup(s.close)
	return s
}

// openPTY opens a pseudo terminal whose master can be closed under a reader.
// (The library leaves it blocking, and Close would wait for bytes.)
func openPTY() (master, slave *os.File, err error) {
	blocking, slave, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer blocking.Close()
	fd, err := unix.FcntlInt(blocking.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		return nil, nil, err
	}
	return os.NewFile(uintptr(fd), blocking.Name()), slave, nil
}

func (s *Session) setSize(w, h int) {
	s.t.Helper()
	err := control(s.master, func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(h), Col: uint16(w)})
	})
	if err != nil {
		s.t.Fatalf("terminal size: %v", err)
	}
}

// control runs f with a file's descriptor. (File.Fd would make it blocking.)
func control(file *os.File, f func(fd int) error) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var ferr error
	if err := raw.Control(func(fd uintptr) { ferr = f(int(fd)) }); err != nil {
		return err
	}
	return ferr
}

func environment(t testing.TB, extra []string) []string {
	env := map[string]string{
		"TERM": "xterm-256color", "LANG": "C.UTF-8",
		"PATH": os.Getenv("PATH"), "HOME": t.TempDir(),
		"GORACE": "atexit_sleep_ms=0", // otherwise a second per program under -race
	}
	if dir := os.Getenv("GOCOVERDIR"); dir != "" {
		env["GOCOVERDIR"] = dir
	}
	for _, e := range extra {
		if k, v, ok := strings.Cut(e, "="); ok {
			env[k] = v
		} else {
			delete(env, e)
		}
	}
	var list []string
	for k, v := range env {
		list = append(list, k+"="+v)
	}
	return list
}

// read passes the program's output to the emulator.
func (s *Session) read() {
	buf := make([]byte, 32<<10)
	for {
		n, err := s.master.Read(buf)
		s.mu.Lock()
		_, _ = s.vt.Write(buf[:n])
		s.raw.Write(buf[:n])
		s.eof = s.eof || err != nil
		close(s.more)
		s.more = make(chan struct{})
		gate := s.gate
		s.mu.Unlock()
		if gate != nil {
			<-gate
		}
		if err != nil { // EIO: the last end of the terminal was closed
			return
		}
	}
}

func (s *Session) close() {
	if s.isFrozen() {
		s.Thaw()
	}
	_ = s.cmd.Process.Kill()
	_ = s.slave.Close()
	_ = s.master.Close()
}

func (s *Session) modes() term.State {
	s.t.Helper()
	var state *term.State
	err := control(s.slave, func(fd int) (err error) {
		state, err = term.GetState(fd)
		return err
	})
	if err != nil {
		s.t.Fatalf("terminal modes: %v", err)
	}
	return *state
}

// Pid returns the process id.
func (s *Session) Pid() int { return s.cmd.Process.Pid }

// Send types keys: the bytes that a terminal would send.
func (s *Session) Send(keys string) {
	s.t.Helper()
	if _, err := s.master.WriteString(keys); err != nil {
		s.t.Fatalf("typing %q: %v", keys, err)
	}
}

// Signal sends the program a signal.
func (s *Session) Signal(sig syscall.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatalf("signal: %v", err)
	}
}

// Resize changes the terminal's size; the program gets SIGWINCH.
func (s *Session) Resize(w, h int) {
	s.t.Helper()
	s.mu.Lock()
	s.vt.Resize(w, h)
	s.mu.Unlock()
	s.setSize(w, h)
}

// Hangup closes the terminal while the program runs.
func (s *Session) Hangup() {
	_ = s.slave.Close()
	_ = s.master.Close()
}

// Freeze makes the terminal accept no more bytes than those being read already and the system's buffers, until Thaw.
func (s *Session) Freeze() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.gate = make(chan struct{})
}

// Thaw ends Freeze.
func (s *Session) Thaw() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.gate)
	s.gate = nil
}

// WaitUntil waits until ok returns true for the emulated terminal, which is checked whenever something was received,
// and fails the test if it never does.
func (s *Session) WaitUntil(what string, ok func(*VT) bool) {
	s.t.Helper()
	late := time.After(patience)
	for {
		s.mu.Lock()
		done, eof, more := ok(s.vt), s.eof, s.more
		s.mu.Unlock()
		if done {
			return
		}
		if eof {
			s.t.Fatalf("%s: the program ended; its screen:\n%s", what, s.Text())
		}
		select {
		case <-more:
		case <-late:
			s.t.Fatalf("%s: not within %v; the screen:\n%s", what, patience, s.Text())
		}
	}
}

// WaitFor waits until text is on the screen.
func (s *Session) WaitFor(text string) {
	s.t.Helper()
	s.WaitUntil(fmt.Sprintf("waiting for %q", text), func(v *VT) bool { return strings.Contains(v.Text(), text) })
}

// WaitGone waits until text is not on the screen.
func (s *Session) WaitGone(text string) {
	s.t.Helper()
	s.WaitUntil(fmt.Sprintf("waiting for %q to go", text), func(v *VT) bool { return !strings.Contains(v.Text(), text) })
}

// Look runs f with the current state of the emulated terminal.
func (s *Session) Look(f func(*VT)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.vt)
}

// Text returns the current screen.
func (s *Session) Text() (text string) {
	s.Look(func(v *VT) { text = v.Text() })
	return text
}

// Received returns the number of bytes that the program has written so far.
func (s *Session) Received() (n int) {
	s.Look(func(v *VT) { n = v.Bytes })
	return n
}

// Raw returns everything that the program has written so far.
func (s *Session) Raw() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.raw.String()
}

// Exit waits for the program's end and all its output, and returns its exit status (128 plus the number for a signal).
// It fails the test if the program does not end.
func (s *Session) Exit() int {
	s.t.Helper()
	var err error
	select {
	case err = <-s.waited:
		s.waited <- err
	case <-time.After(patience):
		s.t.Fatalf("the program does not end; its screen:\n%s", s.Text())
	}
	if !s.isFrozen() {
		s.drain()
	}
	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		if err != nil {
			s.t.Fatalf("waiting for the program: %v", err)
		}
		return 0
	}
	if status, ok := failed.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return failed.ExitCode()
}

func (s *Session) isFrozen() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.gate != nil
}

// drain waits until the output before the end has arrived: a mark that the test writes itself arrives after it.
func (s *Session) drain() {
	const mark = "\x1b]2;memtest-end\a"
	if _, err := s.slave.WriteString(mark); err != nil {
		return // hung up
	}
	s.WaitUntil("the end of output", func(v *VT) bool {
		n := len(v.Titles)
		return n > 0 && v.Titles[n-1] == "memtest-end"
	})
	s.Look(func(v *VT) {
		v.Titles = v.Titles[:len(v.Titles)-1]
		v.Bytes -= len(mark)
		if i := bytes.LastIndex(s.raw.Bytes(), []byte(mark)); i >= 0 { // another process may have written since
			rest := bytes.Clone(s.raw.Bytes()[i+len(mark):])
			s.raw.Truncate(i)
			s.raw.Write(rest)
		}
	})
}

// Forsaken fails the test unless every process has closed the terminal, which it then removes. Call it last.
func (s *Session) Forsaken() {
	s.t.Helper()
	_ = s.slave.Close()
	late := time.After(patience)
	for {
		s.mu.Lock()
		eof, more := s.eof, s.more
		s.mu.Unlock()
		if eof {
			return
		}
		select {
		case <-more:
		case <-late:
			s.t.Fatal("a process still has the terminal")
		}
	}
}

// Restored fails the test unless the terminal is as it was before the program: the modes of the line, the displayed
// screen, the keyboard, the mouse, the cursor. Call it after Exit.
func (s *Session) Restored() {
	s.t.Helper()
	if s.modes() != s.before {
		s.t.Error("the terminal's line modes were not restored")
	}
	s.Look(func(v *VT) {
		if left := v.Residue(); len(left) > 0 {
			s.t.Errorf("left on: %s", strings.Join(left, ", "))
		}
	})
}
