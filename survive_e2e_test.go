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

// Whatever it is doing when a signal comes, the program ends of it.
func TestSignalsAtAnyMoment(t *testing.T) {
	for i := range 25 {
		for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
			s := start(t, 80, 24, sample)
			time.Sleep(time.Duration(i*i) * 100 * time.Microsecond)
			s.Signal(sig)
			if status := s.Exit(); status != 128+int(sig) {
				t.Errorf("%v in step %d: status %d, want %d", sig, i, status, 128+int(sig))
			}
			s.Restored()
			s.Forsaken()
		}
	}
}

// ignoring runs the program as nohup and scripts do: its signals are ignored when it begins.
const ignoring = `trap "" HUP INT; exec "$0" "$@"`

func TestIgnoredSignalsStayIgnored(t *testing.T) {
	s := memtest.Start(t, memtest.Program{Path: "/bin/sh", Args: []string{"-c", ignoring, binary, sample}})
	s.WaitFor("close_session")
	s.Signal(syscall.SIGHUP)
	s.Signal(syscall.SIGINT)
	s.Send("4")
	s.WaitFor("Leaks")
	leave(t, s)

	pipe := fifo(t)
	var out strings.Builder
	cmd := exec.Command("/bin/sh", "-c", ignoring, binary, "report", pipe)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits until it is being read
	if err != nil {
		t.Fatal(err)
	}
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT} {
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
	}
	feed(t, w)
	if err := cmd.Wait(); err != nil || !strings.Contains(out.String(), "close_session") {
		t.Errorf("%v: %s", err, out.String())
	}
}

func fifo(t *testing.T) string {
	t.Helper()
	pipe := filepath.Join(t.TempDir(), "once.mlyze")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	return pipe
}

// feed writes the sample and closes w.
func feed(t *testing.T, w *os.File) {
	t.Helper()
	data, err := os.ReadFile(sample)
	if err == nil {
		_, err = w.Write(data)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
}

// What can be read only once stays on screen when it is asked for again.
func TestPipesAreNotReadAgain(t *testing.T) {
	const again = "\x12" // Ctrl-R
	for i, args := range [][]string{{""}, {sample, ""}} {
		pipe := fifo(t)
		args[i] = pipe
		s := start(t, 100, 30, args...)
		w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		feed(t, w)
		s.WaitFor("close_session")
		s.Send(again)
		s.WaitFor("a pipe can be read only once")
		s.Send("3")
		s.WaitFor("Sites")
		leave(t, s)
	}
	s := memtest.Start(t, memtest.Program{Path: "/bin/sh", Args: []string{"-c", `cat "$1" | "$0" -`, binary, sample}})
	s.WaitFor("close_session")
	s.Send(again)
	s.WaitFor("standard input can be read only once")
	leave(t, s)
}

// Where the system gives no more memory, the program ends at once: the terminal is as it was nevertheless, and one
// sentence says why.
func TestOutOfMemoryRestoresTheTerminal(t *testing.T) {
	s := start(t, 80, 24, sample)
	s.WaitFor("close_session")
	stderr := fmt.Sprintf("/proc/%d/fd/2", s.Pid())
	if _, err := os.Readlink(stderr); err != nil {
		t.Skip(err)
	}
	s.WaitUntil("a guard", func(*memtest.VT) bool {
		to, _ := os.Readlink(stderr)
		return strings.HasPrefix(to, "pipe:")
	})
	starve(t, s.Pid())
	s.Resize(1500, 400)
	if status := s.Exit(); status != 3 {
		t.Errorf("status %d", status)
	}
	s.WaitUntil("the whole sentence", func(v *memtest.VT) bool { // another process may write it
		return strings.Contains(v.Text(), strings.TrimSpace(outOfMemory)) && v.CursorX == 0
	})
	s.Restored()
	_, after, left := strings.Cut(s.Raw(), "\x1b[?1049l")
	if !left || after != "\x1b[23;0;0t\r"+strings.Replace(outOfMemory, "\n", "\r\n", 1) {
		t.Errorf("afterwards: %q", after)
	}
	s.Forsaken()
}

const outOfMemory = "memtui: out of memory: raise the limit of the system, or set a lower --max-memory\n"

// starve has the system give a process no more memory.
func starve(t *testing.T, pid int) {
	t.Helper()
	if out, err := exec.Command("prlimit", "--pid", fmt.Sprint(pid), "--as=4096").CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, out)
	}
}

// Commands say no more about it either.
func TestOutOfMemoryEndsCommandsBriefly(t *testing.T) {
	pipe := fifo(t)
	var out, errs strings.Builder
	cmd := exec.Command(binary, "report", pipe)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w, err := os.OpenFile(pipe, os.O_WRONLY, 0) // waits until it is being read
	if err != nil {
		t.Fatal(err)
	}
	starve(t, cmd.Process.Pid)
	if _, err := w.Write(memtest.TraceOf([]byte("{}"), make([]memtest.TraceEvent, 10_000_000))); err == nil {
		t.Error("all of it was read")
	}
	w.Close()
	if _ = cmd.Wait(); cmd.ProcessState.ExitCode() != 3 || errs.String() != outOfMemory || out.Len() > 0 {
		t.Errorf("%v: %.1000s", cmd.ProcessState, errs.String())
	}
	for _, kilobytes := range []int{100_000, 600_000, 800_000} { // not even Go can begin under the first ones
		cmd := exec.Command("/bin/sh", "-c", `ulimit -v "$1"; exec "$0" info "$2"`, binary, fmt.Sprint(kilobytes), sample)
		errs.Reset()
		cmd.Stderr = &errs
		if _ = cmd.Run(); cmd.ProcessState.ExitCode() != 3 || strings.Count(errs.String(), "\n") != 1 || !strings.Contains(errs.String(), "memory") {
			t.Errorf("with %d kB: %v: %.1000s", kilobytes, cmd.ProcessState, errs.String())
		}
	}
}
