//go:build linux

package main_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/loaders"
)

// Where the recorder is killed while its screens are shown, the terminal is as it was, and what is said names the
// command that completes the recording.
func TestAKilledRecorderNamesTheCommandThatHelps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "shop.mlyze")
	s := start(t, 100, 30, "record", "--live", "--sample", "all", "-o", path, "sleep", "60")
	s.WaitFor("shop.mlyze")
	stderr := fmt.Sprintf("/proc/%d/fd/2", s.Pid())
	s.WaitUntil("a guard", func(*memtest.VT) bool {
		to, _ := os.Readlink(stderr)
		return strings.HasPrefix(to, "pipe:")
	})
	if err := syscall.Kill(s.Pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.WaitFor("was killed: complete the recording with memtui record --recover")
	s.Restored()
	late := time.Now().Add(10 * time.Second)
	for { // the lock on the file goes with the last thread of the process, which may be after its message
		out, err := exec.Command(binary, "record", "--recover", path).CombinedOutput()
		if strings.Contains(string(out), "being recorded") && time.Now().Before(late) {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		if err != nil || !strings.Contains(string(out), "has its names now") {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
}

// What is sent cannot be taken back: where a wrapper of one's own takes longer than it is held back, that is said, and
// nothing of the programs after it is sent. Shells may take longer.
func TestAPipeHoldsOneRecording(t *testing.T) {
	if _, err := exec.LookPath("perl"); err != nil {
		t.Skip(err)
	}
	slow := `select(undef, undef, undef, 1.3); exec $^X, "-e", "exec q(true)"`
	var said strings.Builder
	cmd := exec.Command(binary, "record", "-o", "-", "perl", "-e", slow)
	cmd.Stderr = &said
	out, err := cmd.Output()
	if n := bytes.Count(out, []byte(loaders.RecordedMagic)); err == nil || n != 1 || !strings.Contains(said.String(), "cannot start again") {
		t.Errorf("%v: %d recordings in %d bytes: %s", err, n, len(out), said.String())
	}
	out, err = exec.Command(binary, "record", "-o", "-", "sh", "-c", "sleep 1.3; exec perl -e 1").Output()
	if n := bytes.Count(out, []byte(loaders.RecordedMagic)); err != nil || n != 1 || !bytes.Contains(out, []byte("/perl")) {
		t.Errorf("%v: %d recordings in %d bytes", err, n, len(out))
	}
}
