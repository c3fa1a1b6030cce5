package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// errNeedsHook is the error of options that only the hook has.
var errNeedsHook = errors.New("heaptrack's library, which would be used instead of the hook, has no --max-size, --marker-fifo, --follow, --for and -o -")

// startHeaptrack starts a program with heaptrack's library, which writes a file of its own: every allocation, with times
// of 10 ms, of this process until it executes another program.
func (s *session) startHeaptrack(preload string) (*exec.Cmd, error) {
	if s.o.MaxSize > 0 || s.o.Markers != "" || s.o.Follow || s.o.Duration > 0 || s.o.Output == Pipe {
		return nil, errNeedsHook
	}
	path := s.o.Output
	if path == "" {
		path = fileName(s.o.Command[0], os.Getpid(), ".new")
	}
	if s.o.Overwrite {
		_ = os.Remove(path)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	cmd := s.command(preload, fmt.Sprintf("DUMP_HEAPTRACK_OUTPUT=/proc/%d/fd/%d", os.Getpid(), f.Fd()))
	if err := cmd.Start(); err != nil {
		_ = f.Close()
		_ = os.Remove(path)
		return nil, errors.Join(ErrStart, err)
	}
	s.main = cmd.Process.Pid
	close(s.known)
	if s.o.Output == "" {
		if name := fileName(s.o.Command[0], s.main, ".heaptrack"); os.Rename(path, name) == nil {
			path = name
		}
	}
	s.o.Log("heaptrack's library records every event, whatever --sample, --frames and --ring say, and not what this program executes")
	if s.o.Began != nil {
		s.o.Began(path)
	}
	s.wait.Go(func() {
		defer f.Close()
		<-s.ctx.Done()
		n, err := countEvents(f)
		if err == nil && n == 0 {
			_ = os.Remove(path) // it was not loaded, which is said
			return
		}
		s.made(Recorded{Path: path, PID: s.main, Program: s.o.Command[0], Events: n}, err)
	})
	return cmd, nil
}

// countEvents returns how many allocations and frees a file of heaptrack has.
func countEvents(f io.ReadSeeker) (n uint64, err error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	lines := bufio.NewReaderSize(f, 1<<16)
	for begins := true; ; {
		b, err := lines.ReadSlice('\n')
		if begins && len(b) > 0 && (b[0] == '+' || b[0] == '-') {
			n++
		}
		begins = err == nil
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return n, err
		}
	}
}
