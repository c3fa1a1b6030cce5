package record

import (
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// endTimeout is how long the status of a program may take that has ended, which is known at once unless what it prints is
// still read.
const endTimeout = time.Second

// stateEnding adds to facts how the program that was started here has ended. Of other processes that is not known.
func (s *session) stateEnding(pid int, facts map[string]any) {
	if pid != s.main || s.ended == nil {
		return
	}
	select {
	case <-s.ended:
	case <-time.After(endTimeout):
		return
	}
	if w, ok := s.ending.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		facts["signal"] = unix.SignalName(w.Signal())
	} else {
		facts["exit_status"] = s.ending.ExitCode()
	}
}

// exitStatus returns the status of a program as shells state it. It says which signal ended the program, unless users ask
// programs to end with it.
func exitStatus(p *os.ProcessState, log func(format string, args ...any)) int {
	w, ok := p.Sys().(syscall.WaitStatus)
	if !ok || !w.Signaled() {
		return p.ExitCode()
	}
	if s := w.Signal(); !slices.Contains([]syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}, s) {
		log("the program was ended by %s", unix.SignalName(s))
	}
	return 128 + int(w.Signal())
}
