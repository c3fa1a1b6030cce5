package record

import (
	"os"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memtui/memtui/loaders/mlyze/journal"
)

// endTimeout is how long the status of a program may take that has ended, which is known at once unless what it prints is
// still read.
const endTimeout = time.Second

// stateEnding notes how the program that was started here has ended, if it has. Of other processes that is not known.
func (s *session) stateEnding(pid int, gone bool, to *traceFile) {
	if !gone {
		_ = to.note(&journal.Note{Ended: &journal.Ending{Running: true}})
		return
	}
	if pid != s.main || s.ended == nil {
		return
	}
	select {
	case <-s.ended:
	case <-time.After(endTimeout):
		return
	}
	end := &journal.Ending{Status: s.ending.ExitCode()}
	if w, ok := s.ending.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		end = &journal.Ending{Signal: unix.SignalName(w.Signal())}
	}
	_ = to.note(&journal.Note{Ended: end})
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
