package record

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memtui/memtui/internal/record/node"
	"github.com/memtui/memtui/loaders/mlyze/journal"
	"github.com/memtui/memtui/model"
)

// told is a line that a runtime's helper writes, see [node.Preload]. It says one thing.
type told struct {
	PID    int               `json:"pid"`
	Frame  *journal.Frame    `json:"frame"`
	Stack  *[]uint64         `json:"stack"`
	At     uint64            `json:"at"` // µs of the monotonic clock
	Take   *[3]uint64        `json:"take"`
	Free   uint64            `json:"free"`
	GC     *uint64           `json:"gc"`
	Values map[string]uint64 `json:"values"`
	Wrote  string            `json:"wrote"`
	Looked uint64            `json:"looked"` // µs of the monotonic clock
}

// maxLine bounds a line of a helper.
const maxLine = 1 << 20

// usualPeriod is the mean distance of samples of V8 where the user names none: its own default is sixteen times that.
const usualPeriod = 32 << 10

// nodePeriod returns the mean distance of samples, 0 for every object.
func nodePeriod(o *Options) int64 {
	if o.Adapt {
		return usualPeriod
	}
	return o.Sample
}

// startNode starts a program with the helper for Node.js in its environment, and reads what that says.
func (s *session) startNode() (*exec.Cmd, error) {
	preload, pipe := filepath.Join(s.folder, "memtui-preload.cjs"), filepath.Join(s.folder, "lines")
	if err := os.WriteFile(preload, node.Preload, 0o400); err != nil {
		return nil, err
	}
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		return nil, err
	}
	// It is open for writing as well, so that it has no end before a program opens it.
	in, err := os.OpenFile(pipe, os.O_RDWR|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	options := strings.TrimSpace(os.Getenv("NODE_OPTIONS") + ` --require "` + preload + `"`)
	cmd := s.command("NODE_OPTIONS="+options, "MEMTUI_LINES="+pipe, fmt.Sprintf("MEMTUI_PERIOD=%d", max(nodePeriod(&s.o), 1)),
		fmt.Sprintf("MEMTUI_FRAMES=%d", s.o.Frames), "MEMTUI_SNAPSHOTS="+stem(s.o.Output, "node"))
	if err := cmd.Start(); err != nil {
		_ = in.Close()
		return nil, errors.Join(ErrStart, err)
	}
	s.main = cmd.Process.Pid
	close(s.known)
	s.wait.Go(func() {
		defer in.Close()
		if err := s.readLines(in); err != nil {
			s.fail(err)
		}
	})
	return cmd, nil
}

// lines reads what helpers say into the file of a process.
type lines struct {
	s    *session
	t    *task
	base uint64 // µs of the monotonic clock when the recording began
	ids  map[uint64]bool

	looked uint64 // µs of the recording, when the helper last looked at what lives
}

// longUnseen is the time between the last look at what lives and the end from which that is said.
const longUnseen = time.Second

// unseen returns the time before the end, which is now, that no look covers; 0 for one that is not worth a word.
func (l *lines) unseen() time.Duration {
	gap := time.Duration(l.now(monotonic()/1000)-l.looked) * time.Microsecond
	if gap < longUnseen {
		return 0
	}
	return gap
}

// readLines reads lines until the program, or recording, has ended.
func (s *session) readLines(in *os.File) error {
	l := &lines{s: s, ids: map[uint64]bool{}}
	defer l.end()
	r := bufio.NewReaderSize(&untilOver{in: in, over: s.ctx}, maxLine)
	flushed := time.Now()
	for {
		b, err := r.ReadSlice('\n')
		if err != nil {
			return nil // what is cut off says nothing
		}
		if err := l.take(b); err != nil {
			return err
		}
		if time.Since(flushed) > whole {
			flushed = time.Now()
			if !l.alive() {
				return nil
			}
		}
	}
}

// untilOver reads from a pipe until a recording is over and the pipe is empty.
type untilOver struct {
	in   *os.File
	over context.Context
}

// Read implements [io.Reader].
func (u *untilOver) Read(p []byte) (int, error) {
	for {
		over := u.over.Err() != nil // asked before the pipe is read to its end
		_ = u.in.SetReadDeadline(time.Now().Add(idle))
		n, err := u.in.Read(p)
		switch {
		case n > 0:
			return n, nil
		case over:
			return 0, io.EOF
		case err != nil && !errors.Is(err, os.ErrDeadlineExceeded):
			return 0, err
		}
	}
}

// alive makes the file whole, and reports whether it may grow.
func (l *lines) alive() bool {
	if l.t == nil {
		return true
	}
	l.s.marked(l.t, func(nanos uint64) uint64 { return l.now(nanos / 1000) })
	l.t.curves.look(l.t.pid, l.now(monotonic()/1000), l.t.file.note)
	return l.t.file.flush() == nil && !l.t.file.over()
}

func (l *lines) now(micros uint64) uint64 { return micros - min(micros, l.base) }

// errLine is the error of a line that no helper writes.
var errLine = errors.New("the program wrote into the pipe that its helper shares with the recorder: the rest was not recorded")

// take takes a line.
func (l *lines) take(b []byte) error {
	var n told
	if json.Unmarshal(bytes.TrimSpace(b), &n) != nil || l.t == nil && n.PID == 0 {
		return errLine
	}
	if n.PID != 0 {
		return l.begin(n.PID)
	}
	f := l.t.file
	switch {
	case n.Frame != nil:
		return f.note(&journal.Note{Frame: n.Frame})
	case n.Stack != nil:
		words := make([]uint64, len(*n.Stack))
		for i, number := range *n.Stack {
			words[i] = number | journal.Known
		}
		return f.note(&journal.Note{Stack: words})
	case n.Take != nil:
		id, size, stack := n.Take[0], n.Take[1], n.Take[2]
		if stack == 0 || stack > uint64(f.stacks.Len()) || l.ids[id] {
			return errLine
		}
		l.ids[id] = true
		f.event(l.now(n.At), &model.Event{Kind: model.Alloc, Addr: (id + 1) << 4, Size: size, ID: stack, Thread: 1})
	case n.Free != 0 && l.ids[n.Free]:
		delete(l.ids, n.Free)
		f.event(l.now(n.At), &model.Event{Kind: model.Free, Addr: (n.Free + 1) << 4})
	case n.GC != nil:
		f.event(l.now(n.At), &model.Event{Kind: model.GC, Size: *n.GC})
	case n.Looked != 0:
		l.looked = min(l.now(n.Looked), l.now(monotonic()/1000))
	case n.Wrote != "":
		l.s.o.Log("wrote %s", model.Clean(n.Wrote))
	}
	for name, v := range n.Values {
		if err := f.note(&journal.Note{Point: &journal.Point{Curve: model.Clean(name), At: l.now(n.At), Value: v}}); err != nil {
			return err
		}
	}
	return nil
}

// begin makes the file of a process. Only one is recorded.
func (l *lines) begin(pid int) error {
	if l.t != nil {
		return nil
	}
	exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	path := l.s.o.Output
	if path == "" {
		path = fileName(exe, pid, ".mlyze")
	}
	o := l.s.o
	o.Invented, o.Sample = true, nodePeriod(&l.s.o)
	f, err := newTraceFile(path, time.Now(), exe, o)
	if err != nil {
		return err
	}
	l.base = monotonic() / 1000
	l.t = &task{pid: pid, file: f, replaced: make(chan struct{}), done: make(chan struct{})}
	l.t.curves.off = l.s.o.NoRSS
	l.s.mu.Lock()
	l.s.tasks[pid] = l.t
	l.s.mu.Unlock()
	if l.s.o.Began != nil {
		l.s.o.Began(path)
	}
	l.s.o.Log("Node.js: objects of JavaScript are sampled by V8, and looked at every quarter of a second or less often; objects that lived for less, and what native code allocates, are not seen. Functions that V8 inlines are counted as their callers (node --no-turbo-inlining keeps them apart, at a cost). kill -USR2 %d writes a heap snapshot", pid)
	return nil
}

// end completes the file.
func (l *lines) end() {
	if l.t == nil {
		return
	}
	l.t.curves.end(l.t.file.note)
	done := Recorded{Path: l.t.file.path, PID: l.t.pid, Program: l.t.file.stacks.Program, Events: l.t.file.events}
	done.Unseen = l.unseen()
	done.Stopped = l.t.file.stopped()
	if done.Stopped == nil { // which is said
		l.s.stateEnding(l.t.pid, l.s.ctx.Err() == nil || closed(l.s.ended), l.t.file)
	}
	_, err := l.t.file.finish(context.Background(), l.t.facts(done))
	done.Events = l.t.file.events // without those that were cut
	l.s.made(done, err)
}
