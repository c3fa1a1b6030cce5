//go:build unix

package term

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"
	"golang.org/x/sys/unix"

	"github.com/memtui/memtui/internal/memtest"
)

// childEnv turns the test binary into the program that the tests start.
const childEnv = "MEMTUI_TERM_CHILD"

func TestMain(m *testing.M) {
	if Guard() {
		return
	}
	switch os.Getenv(childEnv) {
	case "":
		os.Exit(m.Run())
	case "shell":
		os.Exit(shell())
	case "plain":
		os.Exit(child(Options{Stderr: os.Stderr}))
	case "quiet":
		os.Exit(child(Options{}))
	case "ascii":
		os.Exit(child(Options{Stderr: os.Stderr, ASCII: true}))
	default:
		os.Exit(child(Options{Stderr: os.Stderr, Mouse: true}))
	}
}

// child shows what it sees and does what its keys say.
func child(o Options) int {
	t, err := Open(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	p := &probe{Box: tview.NewBox(), term: t}
	t.SetKeys(p.key)
	err = t.Run(p)
	var sig *SignalError
	var broken *PanicError
	switch {
	case errors.As(err, &sig):
		if o.Stderr != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return sig.Status()
	case errors.As(err, &broken):
		return 4
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		return 5
	}
	return 0
}

// probe is the primitive of the tests.
type probe struct {
	*tview.Box
	term   *Terminal
	keys   int
	last   string
	pasted string
	mouse  string
	posted int
}

func (p *probe) Draw(s tcell.Screen) {
	w, h := s.Size()
	caps := p.term.Caps()
	red := tcell.StyleDefault.Foreground(tcell.NewRGBColor(200, 30, 30)).Background(tcell.NewRGBColor(1, 2, 3))
	s.PutStr(0, 0, fmt.Sprintf("ready %dx%d", w, h))
	s.PutStr(0, 1, fmt.Sprintf("keys %d last %s posted %d", p.keys, p.last, p.posted))
	s.PutStr(0, 2, fmt.Sprintf("unicode %t colors %d clipboard %t", caps.Unicode, caps.Colors, caps.Clipboard))
	s.PutStrStyled(0, 3, "│═⣿█▸é世 \x1b]0;EVIL\a.", red)
	s.PutStr(0, 4, "pasted "+p.pasted)
	s.PutStr(0, 5, "mouse "+p.mouse)
	s.PutStr(w-1, h-1, "$")
}

func (p *probe) key(e *tcell.EventKey) *tcell.EventKey {
	p.keys++
	p.last = strings.ReplaceAll(e.Name(), " ", "_")
	if e.Key() != tcell.KeyRune {
		return e
	}
	switch e.Rune() {
	case 'q':
		p.term.Quit()
	case 'p':
		panic("on the loop \x1b[31m")
	case 'g':
		p.term.Go(func() { panic(errors.New("in a goroutine")) })
	case 'h':
		select {} // a handler that never ends
	case 'c':
		p.term.Copy("vector[int]\x1b")
	case 'f': // more than a terminal that is not read takes
		p.term.screen.later(func() { _, _ = p.term.tty.Write(make([]byte, 1<<20)) })
	case 'm':
		p.term.SetMouse(!p.term.Mouse())
	case 'o':
		p.term.Go(func() { p.term.Post(func() { p.posted++ }) })
	case 's':
		p.term.Suspend()
	case 'd': // nothing can recover from this
		<-p.term.saved.guard.Load().started
		new(sync.Mutex).Unlock()
	case 'k':
		<-p.term.saved.guard.Load().started
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case 'w':
		<-p.term.saved.guard.Load().started
		_, _ = os.Stderr.WriteString("panic: is only a word\n")
		p.posted = 7
	default:
		return e
	}
	return nil
}

func (p *probe) PasteHandler() func(string, func(tview.Primitive)) {
	return func(text string, _ func(tview.Primitive)) { p.pasted = text }
}

func (p *probe) MouseHandler() func(tview.MouseAction, *tcell.EventMouse, func(tview.Primitive)) (bool, tview.Primitive) {
	return func(a tview.MouseAction, e *tcell.EventMouse, _ func(tview.Primitive)) (bool, tview.Primitive) {
		x, y := e.Position()
		p.mouse = fmt.Sprintf("%d at %d,%d", a, x, y)
		return true, nil
	}
}

// shell is as much of a shell as job control needs: it runs the child in the
// foreground, tells when it stops, and continues it after a line of input.
func shell() int {
	signal.Ignore(syscall.SIGTTOU)
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"=child")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Foreground: true, Ctty: 0}
	if err := cmd.Start(); err != nil {
		fmt.Println(err)
		return 9
	}
	pid := cmd.Process.Pid
	for n := 1; ; n++ {
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil); err != nil {
			return 9
		}
		if !status.Stopped() {
			return status.ExitStatus()
		}
		_ = unix.IoctlSetPointerInt(0, unix.TIOCSPGRP, unix.Getpgrp())
		fmt.Printf("\r\n[stopped %d]\r\n", n)
		if _, err := io.ReadFull(os.Stdin, make([]byte, 3)); err != nil { // "fg\n"
			return 9
		}
		_ = unix.IoctlSetPointerInt(0, unix.TIOCSPGRP, pid)
		_ = syscall.Kill(-pid, syscall.SIGCONT)
	}
}

func start(t *testing.T, mode string, env ...string) *memtest.Session {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return memtest.Start(t, memtest.Program{Path: self, Env: append(env, childEnv+"="+mode)})
}
