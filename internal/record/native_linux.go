package record

import (
	"cmp"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memtui/memtui/loaders/mlyze/journal"
	"github.com/memtui/memtui/model"
)

// Run starts a program with the hook and records it until it ends, or as the options say. status is the program's, as
// shells state it, 0 where it still runs. When ctx is done, recording ends and the program goes on.
func Run(ctx context.Context, o Options) (files []Recorded, status int, err error) {
	s := &session{o: o, tasks: map[int]*task{}, known: make(chan struct{}), ended: make(chan struct{})}
	s.ctx, s.stop = context.WithCancel(ctx)
	defer s.stop()
	if err := o.vacant(); err != nil { // before the program runs
		return nil, 0, err
	}
	if s.folder, err = os.MkdirTemp("", "memtui-record-"); err != nil {
		return nil, 0, err
	}
	defer os.RemoveAll(s.folder)
	defer func() {
		if s.memory != nil {
			_ = s.memory.Close()
		}
	}()
	if err := s.openMarkers(); err != nil {
		return nil, 0, err
	}
	cmd, err := s.starter()()
	if err != nil {
		return nil, 0, err
	}
	defer s.signals(cmd.Process)()
	go func() {
		_ = cmd.Wait()
		s.ending = cmd.ProcessState
		close(s.ended)
	}()
	s.await(s.ended)
	if s.listener != nil {
		_ = s.listener.Close()
	}
	s.wait.Wait()
	select {
	case <-s.ended:
		status = exitStatus(s.ending, o.Log)
	default:
		o.Log("recording ended; process %d keeps running", cmd.Process.Pid)
	}
	if len(s.files) == 0 && s.err == nil {
		o.Log("nothing was recorded: %s did not load the hook; %s", o.Command[0], whyUnloaded(o.Command[0]))
	}
	if text := s.brief.text(); text != "" {
		o.Log("%s", text)
	}
	if n := len(s.unfollowed); n > 0 {
		o.Log("%s not recorded: --follow records each in a file of its own", model.CountedAs(uint64(n), "child process was", "child processes were"))
	}
	slices.SortFunc(s.files, func(a, b Recorded) int { return cmp.Compare(a.PID, b.PID) })
	return s.files, status, s.err
}

// session is one run of the recorder.
type session struct {
	o        Options
	folder   string   // private: the hook and the socket
	memory   *os.File // the hook where that cannot be in the folder, nil else
	library  string   // path by which programs load the hook
	listener *net.UnixListener
	ctx      context.Context // of recording
	stop     context.CancelFunc
	wait     sync.WaitGroup // goroutines that read rings, and the one that hands them out

	known chan struct{} // closed when main is known
	main  int           // process ID of the program that was started

	ended  chan struct{}    // closed when it has ended, nil if it was not started here
	ending *os.ProcessState // how it did, then

	markers markers // that came and were not written yet

	mu    sync.Mutex
	tasks map[int]*task // by process ID
	files []Recorded
	err   error // the first one
	sent  bool  // a recording to a pipe, where no other one can follow; of the goroutine that hands out rings
	brief brief // children without a file

	unfollowed map[int]bool // children that asked for a ring and got none; of the goroutine that hands out rings
}

// start starts the program with the hook in its environment.
func (s *session) start() (*exec.Cmd, error) {
	l, err := s.libraryFor(fromBinary, fromMemory, fromCompiler, fromHeaptrack)
	if err != nil {
		return nil, err
	}
	s.library = l.path
	preload := l.path
	if before := os.Getenv("LD_PRELOAD"); before != "" {
		preload += ":" + before
	}
	if l.heaptrack {
		return s.startHeaptrack("LD_PRELOAD=" + preload)
	}
	socket := filepath.Join(s.folder, "socket")
	if s.listener, err = net.ListenUnix("unixpacket", &net.UnixAddr{Name: socket, Net: "unixpacket"}); err != nil {
		return nil, err
	}
	s.wait.Go(s.accept)
	cmd := s.command("LD_PRELOAD="+preload, "MEMTUI_RECORDER="+socket)
	if err := cmd.Start(); err != nil {
		_ = s.listener.Close()
		return nil, errors.Join(ErrStart, err)
	}
	s.main = cmd.Process.Pid
	close(s.known)
	return cmd, nil
}

// command returns the command to start, with additions to its environment.
func (s *session) command(env ...string) *exec.Cmd {
	cmd := exec.Command(s.o.Command[0], s.o.Command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if s.o.Output == Pipe {
		cmd.Stdout = os.Stderr
	}
	if s.o.Printed != nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = nil, s.o.Printed, s.o.Printed
	}
	cmd.Env = append(os.Environ(), env...)
	return cmd
}

// signals passes on what is meant for the program, and returns a function that ends that. The first interrupt from the
// terminal reaches the program by itself; the second ends recording.
func (s *session) signals(p *os.Process) (end func()) {
	list := make(chan os.Signal, 4)
	signal.Notify(list, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT)
	go func() {
		interrupts := 0
		for sig := range list {
			if sig == os.Interrupt {
				if interrupts++; interrupts > 1 {
					s.stop()
				}
				continue
			}
			_ = p.Signal(sig)
		}
	}()
	return func() {
		signal.Stop(list)
		close(list)
	}
}

// await waits until the program has ended, or recording has.
func (s *session) await(ended chan struct{}) {
	var over, early <-chan time.Time
	if s.o.Duration > 0 {
		over = time.After(s.o.Duration)
	}
	early = time.After(2 * time.Second)
	for {
		select {
		case <-ended:
			if !s.o.Follow || !s.children() {
				s.stop()
				return
			}
			ended = nil
		case <-early:
			if s.listener != nil && !s.asked() {
				s.o.Log("%s has not loaded the hook: %s. Nothing is recorded of it; memtui record --pages %d shows what any process has",
					s.o.Command[0], whyUnloaded(s.o.Command[0]), s.main)
			}
		case <-over:
			s.stop()
			return
		case <-s.ctx.Done():
			return
		}
	}
}

// children waits for the recordings of children that outlive the program, and reports whether there were some.
func (s *session) children() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tasks) == 0 {
		return false
	}
	go func() {
		for s.ctx.Err() == nil {
			s.mu.Lock()
			n := len(s.tasks)
			s.mu.Unlock()
			if n == 0 {
				s.stop()
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return true
}

func (s *session) asked() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.tasks) > 0 || len(s.files) > 0 || s.err != nil
}

func (s *session) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
}

// accept hands out rings until the listener is closed.
func (s *session) accept() {
	for {
		conn, err := s.listener.AcceptUnix()
		if err != nil {
			return
		}
		if err := s.hand(conn); err != nil {
			s.fail(err)
		}
		_ = conn.Close()
	}
}

// hand gives a ring to a process, if that is to be recorded.
func (s *session) hand(conn *net.UnixConn) error {
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	var hello [16]byte
	if n, err := conn.Read(hello[:]); err != nil || n != 8 {
		return nil // not a hook
	}
	peer, err := peerOf(conn)
	if err != nil {
		return err
	}
	<-s.known
	pid := int(peer.Pid)
	if pid != s.main && !s.o.Follow {
		if s.unfollowed == nil {
			s.unfollowed = map[int]bool{}
		}
		s.unfollowed[pid] = true
		return nil
	}
	t, err := s.begin(pid)
	if err != nil {
		return err
	}
	_ = conn.SetDeadline(time.Now().Add(time.Second)) // completing what was recorded of another program may have taken longer
	_, _, err = conn.WriteMsgUnix([]byte{1}, unix.UnixRights(int(t.ring.file.Fd())), nil)
	s.wait.Go(func() { s.record(t) })
	s.wait.Go(func() { s.sayExecuted(t) })
	if err != nil {
		close(t.replaced)
	}
	return nil
}

func peerOf(conn *net.UnixConn) (peer *unix.Ucred, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	if failed := raw.Control(func(fd uintptr) {
		peer,
			err = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	}); failed != nil {
		return nil, failed
	}
	return peer, err
}

// begin makes the ring and the file of a process. A process that asks again has executed another program: what was
// recorded of the one before, a shell or a wrapper, goes.
func (s *session) begin(pid int) (*task, error) {
	s.mu.Lock()
	before := s.tasks[pid]
	s.mu.Unlock()
	exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if before != nil {
		close(before.replaced)
		<-before.done
		s.sent = before.file.stream != nil && before.file.stream.to.sent
	}
	if s.sent {
		return nil, errPiped
	}
	r, err := newRing(int(s.o.Ring), s.o)
	if err != nil {
		return nil, err
	}
	if n := int64(len(r.data)); n < s.o.Ring {
		s.o.Log("files may not be larger here (ulimit -f): the memory that is shared with process %d has %s, not %s", pid,
			model.Bytes(n), model.Bytes(s.o.Ring))
	}
	f, err := newTraceFile(s.path(pid, exe), time.Now(), exe, s.o)
	if err != nil {
		r.close()
		return nil, err
	}
	f.own.library = s.library
	f.mapped = func(m journal.Module) string { return pathOf(pid, m) }
	t := &task{pid: pid, program: model.Clean(filepath.Base(exe)), ring: r, file: f,
		replaced: make(chan struct{}), done: make(chan struct{})}
	if before != nil {
		t.earlier = append(slices.Clone(before.earlier), before.program)
	}
	t.curves.off, t.curves.shared = s.o.NoRSS, r.touched
	t.curves.look(pid, t.micros(), f.note) // a brief process may be gone later; now it waits for its ring
	if note := unseen(exe); note != "" {
		s.o.Log("%s", note)
	}
	if s.o.Began != nil && pid == s.main {
		s.o.Began(f.path)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tasks[pid] = t
	return t, nil
}

// pathOf returns the path of a module that a process has loaded. The loader's name of it may be relative to where the
// process is, or within a folder that the process takes for the root.
func pathOf(pid int, m journal.Module) string {
	root, err := os.Readlink(fmt.Sprintf("/proc/%d/root", pid))
	if filepath.IsAbs(m.Path) && (err != nil || root == "/") || !strings.Contains(m.Path, "/") || len(m.Segments) == 0 {
		return m.Path // linux-vdso.so.1 is no file
	}
	maps, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	for line := range strings.Lines(string(maps)) {
		at, _ := parseMapping(line)
		if first := m.Base + m.Segments[0]; first >= at.from && first < at.to && filepath.IsAbs(at.name) {
			return at.name
		}
	}
	if whole, err := filepath.Abs(m.Path); err == nil && !filepath.IsAbs(m.Path) {
		return whole // where this process is, as the other has ended
	}
	return m.Path
}

// unseen returns what a hook of malloc does not see of a runtime with an allocator of its own, "" for other programs.
func unseen(exe string) string {
	name := filepath.Base(exe)
	if isGo(exe) {
		return "Go: the heap of Go is not recorded, only what malloc gives to C code; see also " + fetchGo
	}
	switch {
	case name == "node":
		return "Node.js: the heap of JavaScript is not recorded, only what malloc sees; see also node --heap-prof"
	case name == "java":
		return "Java: the heap of Java is not recorded, only what malloc sees; see also jcmd PID GC.heap_dump FILE"
	case name == "ruby":
		return "Ruby: only what malloc sees is recorded, with C stacks; see also ObjectSpace.dump_all"
	}
	return ""
}

// fetchGo is the command that records programs of Go.
const fetchGo = "memtui record http://HOST:PORT/debug/pprof/heap"

// isGo reports whether a program is one of Go, by the section that its linker writes. Package debug/buildinfo says so, too,
// but reads the programs of all other systems.
func isGo(exe string) bool {
	f, err := elf.Open(exe)
	if err != nil {
		return false
	}
	defer f.Close()
	return f.Section(".go.buildinfo") != nil
}

// whyUnloaded returns why a program may not have loaded the hook.
func whyUnloaded(program string) string {
	if path, err := exec.LookPath(program); err == nil && isGo(path) {
		return "it is a program of Go without C code; for its profiles: " + fetchGo
	}
	return "it may be linked statically, or run as another user (setuid)"
}

// path returns the name of the file for a process.
func (s *session) path(pid int, exe string) string {
	if s.o.Output != "" && pid == s.main {
		return s.o.Output
	}
	return filepath.Join(filepath.Dir(s.o.Output), fileName(exe, pid, ".mlyze"))
}

// How often a ring of a MiB or more is looked at while events come, at most while none do, and how often the file is
// made whole.
const (
	busy  = 2 * time.Millisecond
	idle  = 50 * time.Millisecond
	whole = 250 * time.Millisecond
)

// record reads a ring until its process ends or executes another program, or recording ends.
func (s *session) record(t *task) {
	defer close(t.done)
	gone := watch(t.pid)
	defer gone.close()
	often := busy * time.Duration(min(len(t.ring.data), 1<<20)) >> 20 // a small ring is full sooner
	pause, flushed := often, time.Now()
	adapted := pace{at: flushed}
	var broken error
	for broken == nil {
		t.curves.look(t.pid, t.micros(), t.file.note)
		over := gone.yes() || s.ctx.Err() != nil || closed(t.replaced) // asked before the ring is read to its end
		n, err := t.ring.drain(t.file.take)
		broken = err
		s.marked(t, func(nanos uint64) uint64 { return (nanos - min(nanos, t.ring.page.start)) / 1000 })
		if over && n == 0 || t.file.over() {
			break
		}
		if pause = min(2*pause, idle); n > 0 {
			pause = often
		}
		if n < 1<<16 {
			time.Sleep(pause)
		}
		if s.o.Adapt && time.Since(adapted.at) > adaptEvery {
			t.adapt(&adapted)
		}
		if time.Since(flushed) > whole {
			flushed = time.Now()
			if t.file.flush() != nil {
				break
			}
		}
	}
	s.end(t, broken, gone.yes())
}

// pace is when a period was last looked at, and how many events there were by then.
type pace struct {
	at     time.Time
	events uint64
}

// A sample costs the program about a microsecond: so many in a second are under one percent of a core.
const (
	adaptEvery  = 50 * time.Millisecond
	mostSamples = 4000 // events in a second
	fewSamples  = 500
)

// adapt doubles the mean distance of samples as often as they come too fast, and halves it where they are rare. Sums stay right on
// average, as every sample states by which distance it was chosen.
func (t *task) adapt(last *pace) {
	now := time.Now()
	rate := float64(t.file.events-last.events) / now.Sub(last.at).Seconds()
	shift := t.ring.page.shift.Load()
	if rate < fewSamples && shift > 0 {
		shift--
	}
	for ; rate > mostSamples && shift < mostShift; rate /= 2 {
		shift++
	}
	t.ring.page.shift.Store(shift)
	*last = pace{now, t.file.events}
}

// end completes the file of a task, whose process may have ended.
func (s *session) end(t *task, broken error, gone bool) {
	page := t.ring.page
	done := Recorded{
		Path: t.file.path, PID: t.pid, Program: t.file.stacks.Program, Events: t.file.events,
		Lost: Lost{page.lostAllocs.Load(), page.lostFrees.Load(), page.waits.Load(), page.cut.Load()},
	}
	done.Few = !s.o.full() && done.Events < fewEvents
	if why := unreadable(page.python.Load()); why != "" && s.o.PID != 0 {
		s.o.Log("%s: stacks are native, and small blocks may be missing", why)
	} else if s.o.PID != 0 && page.python.Load() == pyFound {
		s.o.Log("the main thread of this Python only waited: stacks are native, and small blocks are missing")
	} else if why != "" {
		s.o.Log("%s: stacks are native, and small blocks may be missing; memtui record --pure … records Python without the hook", why)
	}
	trifling := gone && t.pid != s.main && t.trifling(s.o.full())
	t.ring.close()
	t.curves.end(t.file.note)
	t.file.end(broken)
	done.Stopped = t.file.stopped()
	if closed(t.replaced) || trifling { // the hook of the next program waits for its ring meanwhile
		if t.file.stream == nil { // else it is not sent
			t.file.discard() // whoever follows it keeps it
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.tasks, t.pid)
		if trifling {
			s.brief.add(t)
			t.none = true
		}
		return
	}
	if done.Stopped == nil { // which is said
		s.stateEnding(t.pid, gone, t.file)
	}
	_, err := t.file.finish(context.Background(), t.facts(done))
	done.Events = t.file.events // without those that were cut
	s.made(done, err)
}

// made notes a file of a process whose recording has ended. One whose names found no room is a recording, too.
func (s *session) made(r Recorded, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.tasks, r.PID)
	if r.Unnamed = errors.Is(err, errLeft); r.Unnamed {
		err = nil
	}
	s.files = append(s.files, r)
	if s.err == nil {
		s.err = err
	}
}

// micros returns the time of the recording, in microseconds.
func (t *task) micros() uint64 { return (monotonic() - t.ring.page.start) / 1000 }

// facts are what metadata say of the recording, beyond the names.
func (t *task) facts(r Recorded) map[string]any {
	facts := map[string]any{"recorder": "memtui", "program": r.Program}
	if t.file.stacks.Looked {
		facts["events"] = "looked"
	}
	if r.Unseen > 0 {
		facts["unseen_end_us"] = r.Unseen.Microseconds()
	}
	if t.file.stacks.Attached {
		facts["began"] = "attached"
	}
	if s := t.file.sampling(); s != nil {
		facts["sampling"] = s
	}
	if list := t.file.stacks.Curves(); len(list) > 0 {
		facts["series"] = list
	}
	if r.Lost.Allocations > 0 || r.Lost.Frees > 0 {
		facts["lost"] = map[string]uint64{"allocations": r.Lost.Allocations, "frees": r.Lost.Frees}
	}
	return facts
}

func closed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
