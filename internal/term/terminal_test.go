//go:build unix

package term

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memtui/memtui/internal/memtest"
)

func TestKeysResizeQuit(t *testing.T) {
	s := start(t, "child")
	s.WaitFor("ready 80x24")
	s.Send("x")
	s.WaitFor("keys 1 last Rune[x]")
	s.Send("\x1b[C")
	s.WaitFor("keys 2 last Right")
	s.Send("o")
	s.WaitFor("posted 1")
	s.Resize(60, 20)
	s.WaitFor("ready 60x20")
	s.Resize(100, 30)
	s.WaitFor("ready 100x30")
	s.WaitUntil("the corner", func(v *memtest.VT) bool { return v.At(99, 29).Text == "$" && v.At(59, 19).Text == " " })
	s.Look(func(v *memtest.VT) {
		if len(v.Titles) > 0 || !strings.Contains(v.Row(3), "│═⣿█▸é世 ␛]0;EVIL␇.") {
			t.Errorf("hostile text: titles %q, row %q", v.Titles, v.Row(3))
		}
		if c := v.At(0, 3); c.Style.Bg == "" || !v.Alt() || !v.Modes["?2004"] || !v.Modes["?1002"] || v.Modes["?1003"] {
			t.Errorf("cell %+v, alt %t, modes %v", c, v.Alt(), v.Modes)
		}
	})
	s.Send("q")
	if got := s.Exit(); got != 0 {
		t.Errorf("exit status %d", got)
	}
	s.Restored()
	s.Look(func(v *memtest.VT) {
		if len(v.Unknown) > 0 {
			t.Errorf("unknown sequences: %v", v.Unknown)
		}
	})
}

func TestSignals(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		t.Run(sig.String(), func(t *testing.T) {
			s := start(t, "child")
			s.WaitFor("ready")
			s.Signal(sig)
			if got := s.Exit(); got != 128+int(sig) {
				t.Errorf("exit status %d", got)
			}
			s.Restored()
			if !strings.Contains(s.Text(), "ended by SIG") {
				t.Errorf("no message:\n%s", s.Text())
			}
		})
	}
}

func TestSignalWhileHandlerHangs(t *testing.T) {
	s := start(t, "child")
	s.WaitFor("ready")
	s.Send("h")
	s.Signal(syscall.SIGTERM)
	if got := s.Exit(); got != 143 {
		t.Errorf("exit status %d", got)
	}
	s.Restored()
}

func TestSignalWhileTerminalTakesNothing(t *testing.T) {
	s := start(t, "quiet") // printing on such a terminal would wait
	s.WaitFor("ready")
	s.Freeze()
	s.Send("fx")
	s.Signal(syscall.SIGTERM)
	if got := s.Exit(); got != 143 {
		t.Errorf("exit status %d", got)
	}
}

func TestPanics(t *testing.T) {
	for key, want := range map[string]string{"p": "panic: on the loop \ufffd[31m", "g": "panic: in a goroutine"} {
		s := start(t, "child")
		s.WaitFor("ready")
		s.Send(key)
		if got := s.Exit(); got != 4 {
			t.Errorf("%s: exit status %d", key, got)
		}
		s.Restored()
		if raw := s.Raw(); !strings.Contains(raw, want) || !strings.Contains(raw, "goroutine ") {
			t.Errorf("%s: no stack in %q", key, raw)
		}
	}
}

func TestTypeAhead(t *testing.T) {
	s := start(t, "child")
	begin := time.Now()
	s.Send(strings.Repeat("x", 500) + "q" + strings.Repeat("y", 3000))
	if got := s.Exit(); got != 0 {
		t.Errorf("exit status %d", got)
	}
	if d := time.Since(begin); d > 3*time.Second { // it takes some 30 ms, but machines are busy
		t.Errorf("took %v", d)
	}
	s.Restored()
}

func TestHangup(t *testing.T) {
	s := start(t, "child")
	s.WaitFor("ready")
	s.Hangup()
	if got := s.Exit(); got != 129 && got != 5 {
		t.Errorf("exit status %d", got)
	}
}

func TestSuspend(t *testing.T) {
	for name, stop := range map[string]func(*memtest.Session, int){
		"key":    func(s *memtest.Session, _ int) { s.Send("\x1a") },
		"action": func(s *memtest.Session, _ int) { s.Send("s") },
		"signal": func(_ *memtest.Session, pid int) { _ = syscall.Kill(pid, syscall.SIGTSTP) },
	} {
		t.Run(name, func(t *testing.T) {
			s := start(t, "shell")
			s.WaitFor("ready 80x24")
			for n := range 2 {
				stop(s, foreground(t, s))
				s.WaitFor(fmt.Sprintf("[stopped %d]", n+1))
				s.Restored()
				s.Resize(70, 20)
				s.Send("fg\n")
				s.WaitFor("ready 70x20")
				s.Look(func(v *memtest.VT) {
					if !v.Alt() {
						t.Error("not on the alternate screen again")
					}
				})
			}
			s.Send("x")
			s.WaitFor("last Rune[x]")
			s.Send("q")
			if got := s.Exit(); got != 0 {
				t.Errorf("exit status %d", got)
			}
			s.Restored()
		})
	}
}

// foreground finds the shell's only child. The kernel lists children by the thread that started them, and may leave one
// out while processes come and go, so that all threads are asked, and asked again.
func foreground(t *testing.T, s *memtest.Session) (pid int) {
	t.Helper()
	for late := time.Now().Add(10 * time.Second); ; time.Sleep(time.Millisecond) {
		lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", s.Pid()))
		if len(lists) == 0 {
			t.Skip("no list of children here")
		}
		for _, name := range lists {
			list, _ := os.ReadFile(name) // a thread may have ended
			if _, err := fmt.Sscan(string(list), &pid); err == nil {
				return pid
			}
		}
		if time.Now().After(late) {
			t.Fatalf("no child in %d lists", len(lists))
		}
	}
}

func TestStoppedByForce(t *testing.T) {
	s := start(t, "shell")
	s.WaitFor("ready")
	if err := syscall.Kill(foreground(t, s), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s.WaitUntil("the stop", func(v *memtest.VT) bool { return strings.Contains(v.Text(), "[stopped") })
	s.Send("fg\n")
	s.WaitGone("[stopped")
	s.WaitFor("ready 80x24")
	s.Send("q")
	if got := s.Exit(); got != 0 {
		t.Errorf("exit status %d", got)
	}
}

func TestCtrlZWithoutShell(t *testing.T) {
	s := start(t, "child")
	s.WaitFor("ready")
	s.Send("\x1ax")
	s.WaitFor("last Rune[x]")
	s.Send("\x03") // nobody wants Ctrl-C: it quits
	if got := s.Exit(); got != 0 {
		t.Errorf("exit status %d", got)
	}
	s.Restored()
}

func TestClipboardMousePaste(t *testing.T) {
	s := start(t, "child")
	s.WaitFor("ready")
	s.Send("c\x1b[200~q: two\rlines\x1b[201~")
	s.WaitFor("pasted q: two")
	s.Send("\x1b[<0;10;5M")
	s.WaitFor("mouse 1 at 9,4")
	s.Send("\x1b[<0;10;5m")
	s.WaitFor("mouse 3 at 9,4")
	s.Send("m")
	s.WaitUntil("the mouse to go off", func(v *memtest.VT) bool { return !v.Modes["?1002"] && !v.Modes["?1000"] })
	s.Look(func(v *memtest.VT) {
		if want := []string{"vector[int]\ufffd"}; !slices.Equal(v.Clipboard, want) {
			t.Errorf("clipboard %q", v.Clipboard)
		}
	})
	s.Send("q")
	s.Exit()
	s.Restored()
}

// A terminal that answers nothing must not be waited for: nothing is asked.
func TestAsksNothing(t *testing.T) {
	s := start(t, "child")
	s.WaitFor("ready")
	s.Send("q")
	s.Exit()
	for _, query := range []string{"\x1b[6n", "\x1b[c", "\x1b[0c", "\x1b[>c", "]11;?", "$p", "\x1b[?u"} {
		if strings.Contains(s.Raw(), query) {
			t.Errorf("asked %q", query)
		}
	}
}

func TestTerminals(t *testing.T) {
	const full, ascii, lines = "│═⣿█▸é世 ␛", "|=##>e?  ?]", "│=##>e?  ?]"
	for _, c := range []struct {
		mode, env string
		colors    int
		row, err  string
	}{
		{"child", "TERM=xterm-256color", 256, full, ""},
		{"child", "TERM=xterm-256color COLORTERM=truecolor", 1 << 24, full, ""},
		{"child", "TERM=xterm-256color NO_COLOR=1", 0, full, ""},
		{"child", "TERM=xterm", 8, full, ""},
		{"child", "TERM=screen-256color", 256, full, ""},
		{"child", "TERM=tmux-256color", 256, full, ""},
		{"child", "TERM=linux", 8, full, ""},
		{"child", "TERM=vt100", 0, full, ""},
		{"child", "TERM=xterm-kitty", 1 << 24, full, ""},
		{"child", "TERM=wezterm-or-so", 256, full, "memtui: the terminal type \"wezterm-or-so\" is unknown here"},
		{"child", "TERM=dumb", -1, "", "no usable terminal: TERM is \"dumb\""},
		{"child", "TERM", -1, "", "no usable terminal: TERM is not set"},
		{"child", "LANG=C", 256, lines, ""},
		{"child", "LANG", 256, full, ""},
		{"child", "LANG=de_DE.ISO-8859-1", 256, lines, ""},
		{"child", "LANG=C LC_ALL=en_US.UTF-8", 256, full, ""},
		{"child", "RUNEWIDTH_EASTASIAN=1", 256, full, ""},
		{"ascii", "TERM=xterm-256color", 256, ascii, ""},
	} {
		t.Run(c.mode+" "+c.env, func(t *testing.T) {
			s := start(t, c.mode, strings.Fields(c.env)...)
			if c.colors >= 0 {
				s.WaitFor(fmt.Sprintf("colors %d ", c.colors))
				s.WaitUntil("the glyphs", func(v *memtest.VT) bool { return strings.HasPrefix(v.Row(3), c.row) })
				s.Look(func(v *memtest.VT) {
					if got := v.At(0, 3).Style; c.colors == 0 && got != (memtest.Style{}) {
						t.Errorf("style %+v without colors", got)
					}
				})
				s.Send("q")
			}
			got := s.Exit()
			if want := map[bool]int{true: 0, false: 3}[c.colors >= 0]; got != want {
				t.Errorf("exit status %d, want %d", got, want)
			}
			s.Restored()
			if c.err != "" && !strings.Contains(s.Raw(), c.err) {
				t.Errorf("said %q, want %q", s.Raw(), c.err)
			}
		})
	}
}
