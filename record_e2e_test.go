//go:build linux

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
		if strings.Contains(string(out), "it is being recorded") && time.Now().Before(late) {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		if err != nil || !strings.Contains(string(out), "is complete") {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
}
