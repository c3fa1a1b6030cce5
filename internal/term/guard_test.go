//go:build unix

package term

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
)

// A program that can no longer do anything still leaves the terminal as it was, and what Go says comes after that.
func TestTheGuardRestoresTheTerminal(t *testing.T) {
	for _, tt := range []struct {
		key, words, last string
		status           int
	}{
		{"d", "fatal error: sync: unlock of unlocked mutex", "message is above", 2},
		{"k", "memtui: was killed", "memtui: was killed", 128 + int(syscall.SIGKILL)},
	} {
		s := start(t, "child")
		s.WaitFor("ready")
		s.Send(tt.key)
		if got := s.Exit(); got != tt.status {
			t.Errorf("%s: exit status %d, want %d", tt.key, got, tt.status)
		}
		s.WaitFor(tt.last)
		s.Restored()
		_, words, left := strings.Cut(s.Raw(), "\x1b[?1049l")
		if !left || !strings.Contains(words, tt.words) || strings.Count(words, "\ngoroutine ") > 1 {
			t.Errorf("%s: after the end it says %q", tt.key, words)
		}
		s.Forsaken()
	}
}

// What is written to standard error meanwhile comes when the terminal is fit for it, and no guard is left.
func TestStandardErrorWaitsForTheEnd(t *testing.T) {
	s := start(t, "child")
	s.WaitFor("ready")
	s.Send("w")
	s.WaitFor("posted 7")
	s.Send("q")
	if got := s.Exit(); got != 0 {
		t.Errorf("exit status %d", got)
	}
	s.Restored()
	if before, words, _ := strings.Cut(s.Raw(), "\x1b[?1049l"); !strings.Contains(words, "panic: is only a word") || strings.Contains(before, "only a word") {
		t.Errorf("after the end it says %q", words)
	}
	s.Forsaken()
}

// The last words arrive in pieces.
func TestLastWords(t *testing.T) {
	const words = "fatal error: runtime: out of memory\n\nruntime stack:\n\tx\n\ngoroutine 1 [running]:\nmain.main()\n\ngoroutine 2 [idle]:\nmain.other()\n"
	for n := range len(words) {
		if got, want := dying([]byte(words[:n])), n >= strings.Index(words, "goroutine 1")+len("goroutine "); got != want {
			t.Errorf("dying of %q: %v", words[:n], got)
		}
	}
	for _, not := range []string{"", "a panic: \ngoroutine 1", "gc 1 @0.1s 0%: fatal error: \ngoroutine "} {
		if dying([]byte(not)) {
			t.Errorf("dying of %q", not)
		}
	}
	for _, brief := range []bool{false, true} {
		var out bytes.Buffer
		g := &guard{out: &out, brief: brief, restored: true}
		for i := range len(words) {
			g.text = []byte(words[:i+1])
			g.printNew()
		}
		if got := out.String(); got != words && !brief || brief && got != words[:strings.Index(words, "goroutine 2")] {
			t.Errorf("brief %v: %q", brief, got)
		}
	}
}
