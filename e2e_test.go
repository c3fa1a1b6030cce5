//go:build unix

package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memtui/memtui/internal/memtest"
)

// binary is the program under test, built once by TestMain.
var binary string

const sample = "testdata/small_kvleak.mlyze"

func TestMain(m *testing.M) {
	if status, ok := asked(); ok {
		os.Exit(status)
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "memtui-e2e-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "memtui")
		build := exec.Command("go", "build", "-o", binary, ".")
		build.Stderr = os.Stderr
		build.Env = append(os.Environ(), "CGO_ENABLED=0") // as it is shipped
		if err := build.Run(); err != nil {
			fmt.Fprintln(os.Stderr, "building the program:", err)
			return 1
		}
		return m.Run()
	}())
}

func start(t testing.TB, w, h int, args ...string) *memtest.Session {
	t.Helper()
	return memtest.Start(t, memtest.Program{Path: binary, Args: args, W: w, H: h})
}

// leave quits with q and checks that the terminal is as it was.
func leave(t *testing.T, s *memtest.Session) {
	t.Helper()
	s.Send("q")
	if status := s.Exit(); status != 0 {
		t.Errorf("status %d", status)
	}
	s.Restored()
}

func TestAPersonFindsTheLeak(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		s := start(t, size[0], size[1], sample)
		s.WaitFor("small_kvleak.mlyze")
		s.WaitFor("close_session")
		s.WaitFor("complete")
		s.Send("4")
		s.WaitFor("Leaks")
		s.WaitFor("VERDICT")
		s.Send("?")
		s.WaitFor("Keys on Leaks")
		s.Send("\x1b")
		s.WaitGone("Keys on Leaks")
		for _, screen := range []string{"1 Overview", "2 Timeline", "3 Sites", "4 Leaks", "5 Stacks", "6 Blocks", "7 Lifetimes", "8 Problems"} {
			key, name, _ := strings.Cut(screen, " ")
			s.Send(key)
			s.WaitFor(name)
		}
		s.Send("9")
		s.WaitFor(" Source ")
		leave(t, s)
	}
}

func TestTheInstantMovesEverything(t *testing.T) {
	s := start(t, 100, 30, sample)
	s.WaitFor("end of run · 76.0 ms")
	s.Send("p")
	s.WaitFor("at 61.0 ms (peak)")
	s.Send("3")
	s.WaitFor("alloc_buffer")
	s.Send("t")
	s.Send("50%\r")
	s.WaitFor("at 38.0 ms")
	s.Send("e")
	s.WaitFor("end of run")
	leave(t, s)
}

func TestDemoNeedsNoFile(t *testing.T) {
	s := start(t, 80, 24, "demo")
	s.WaitFor("kvleak.mlyze")
	s.WaitFor("close_session")
	leave(t, s)
}

func TestSmallAndOddSizes(t *testing.T) {
	s := start(t, 80, 24, sample)
	s.WaitFor("close_session")
	for _, size := range [][2]int{{20, 5}, {1, 1}, {300, 3}, {60, 15}, {2, 60}, {80, 24}} {
		s.Resize(size[0], size[1])
		s.Send("12345678lhp\t??v+-u")
	}
	s.Send("1")
	s.WaitFor("small_kvleak.mlyze")
	leave(t, s)
}

func TestTerminals(t *testing.T) {
	for _, env := range []string{"TERM=xterm", "TERM=linux", "TERM=vt100", "TERM=screen-256color", "TERM=tmux-256color", "TERM=unheard-of",
		"NO_COLOR=1", "COLORTERM=truecolor", "LANG=C", "LC_ALL=POSIX"} {
		t.Run(env, func(t *testing.T) {
			s := memtest.Start(t, memtest.Program{Path: binary, Args: []string{sample}, Env: []string{env}})
			s.WaitFor("close_session")
			s.Send("5")
			s.WaitFor("Stacks")
			leave(t, s)
		})
	}
}

func TestDumbTerminalGetsTheReport(t *testing.T) {
	s := memtest.Start(t, memtest.Program{Path: binary, Args: []string{sample}, Env: []string{"TERM=dumb"}})
	if status := s.Exit(); status != 0 {
		t.Errorf("status %d", status)
	}
	if text := s.Raw(); !strings.Contains(text, "Never freed") || strings.Contains(text, "\x1b") {
		t.Errorf("no plain report: %q", text[:min(len(text), 300)])
	}
}

func TestSignalsRestoreTheTerminal(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		s := start(t, 80, 24, sample)
		s.WaitFor("close_session")
		s.Signal(sig)
		if status := s.Exit(); status != 128+int(sig) {
			t.Errorf("%v: status %d, want %d", sig, status, 128+int(sig))
		}
		s.Restored()
	}
}

func TestTypedAheadInputDoesNotHang(t *testing.T) {
	s := start(t, 80, 24, sample)
	s.WaitFor("close_session")
	s.Send(strings.Repeat("jkl", 170) + "q" + strings.Repeat("x", 3000))
	if status := s.Exit(); status != 0 {
		t.Errorf("status %d", status)
	}
	s.Restored()
}

func TestClosedTerminalEndsTheProgram(t *testing.T) {
	s := start(t, 80, 24, sample)
	s.WaitFor("close_session")
	s.Hangup()
	s.Exit()
}

func TestEscNeverQuits(t *testing.T) {
	s := start(t, 80, 24, sample)
	s.WaitFor("close_session")
	s.Send("3")
	s.WaitFor("Sites by stack")
	s.Send("\x1b") // an Esc and a key right behind it would be one key with Alt
	s.WaitGone("Sites by stack")
	s.Send("\x1b")
	s.WaitFor("q quits")
	leave(t, s)
}

// A file's names must reach the terminal as text: no control byte, no title, no clipboard, no link.
func TestHostileNamesStayText(t *testing.T) {
	evil := "x\x1b]0;PWNED\x07[red]\x1b[2J\u202e\u009b31m[:::https://evil]y"
	trace := memtest.Trace(evil, 3)
	path := filepath.Join(t.TempDir(), "evil\x1b[31m.mlyze")
	if err := os.WriteFile(path, trace, 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, 120, 40, path)
	s.WaitFor("PWNED")
	for _, screen := range []string{"2Timeline", "3Sites", "4Leaks", "5Stacks", "8Problems", "?Keys on"} {
		s.Send(screen[:1])
		s.WaitFor(screen[1:])
		s.WaitFor("evil")
	}
	s.Look(func(v *memtest.VT) {
		if len(v.Titles) > 0 || len(v.Clipboard) > 0 || len(v.Unknown) > 0 {
			t.Errorf("titles %q, clipboard %q, unknown %q", v.Titles, v.Clipboard, v.Unknown)
		}
	})
	s.Send("\x1b")
	s.WaitGone("Keys on")
	leave(t, s)
	for _, args := range [][]string{{"report"}, {"report", "-f", "markdown"}, {"report", "-f", "csv"}, {"report", "-f", "json"}, {"info"}, {"validate"}} {
		out, _ := exec.Command(binary, append(args, path)...).CombinedOutput()
		if i := strings.IndexFunc(string(out), func(r rune) bool {
			return r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r >= 0x80 && r < 0xa0 || r == 0x202e
		}); i >= 0 {
			t.Errorf("%q prints %q", args, out[i:min(len(out), i+20)])
		}
	}
}

// Ctrl-C while a file is read keeps what was read, and only the next one quits.
func TestCtrlCStopsLoading(t *testing.T) {
	data, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(t.TempDir(), "slow.mlyze")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	s := start(t, 80, 24, pipe)
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := w.Write(data[:len(data)/2]); err != nil {
		t.Fatal(err)
	}
	s.WaitFor("loading")
	s.Send("\x03")
	s.WaitFor("stopped")
	s.Send("3")
	s.WaitFor("Sites")
	s.Send("\x03")
	if status := s.Exit(); status != 0 {
		t.Errorf("status %d", status)
	}
	s.Restored()
}

func TestStandardInput(t *testing.T) {
	s := memtest.Start(t, memtest.Program{Path: "/bin/sh", Args: []string{"-c", `exec "$0" - < "$1"`, binary, sample}})
	s.WaitFor("close_session")
	leave(t, s)
}

// copied returns the screen once it says that a command was copied, and the arguments of the command.
func copied(t testing.TB, s *memtest.Session) (screen, line string) {
	t.Helper()
	const before, footer = "saves): memtui ", "help q quit"
	s.WaitFor(before)
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		screen = s.Text()
		_, rest, ok := strings.Cut(screen, before)
		last := line
		line = strings.Join(strings.Fields(rest), " ")
		if ok && !strings.Contains(line, footer) && line == last { // it has been drawn over the footer, to its end
			return screen, line
		}
		if time.Now().After(deadline) {
			t.Fatalf("no command was copied:\n%s", screen)
		}
	}
}
