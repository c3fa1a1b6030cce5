package record

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/memtui/memtui/model"
)

// Attach has gdb load the hook into a process that runs, and records it until it ends, ctx is done, or as the options
// say. The process goes on. What it allocated before is unknown, and its frees are left out.
func Attach(ctx context.Context, o Options) ([]Recorded, error) {
	exe, err := attachable(o.PID)
	if err != nil {
		return nil, err
	}
	if err := vacant(o.Output, o.Overwrite); err != nil {
		return nil, err
	}
	o.Command = []string{exe}
	s := &session{o: o, tasks: map[int]*task{}, known: make(chan struct{}), main: o.PID}
	close(s.known)
	s.ctx, s.stop = context.WithCancel(ctx)
	defer s.stop()
	if s.folder, err = os.MkdirTemp("", "memtui-record-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(s.folder)
	if err := s.openMarkers(); err != nil {
		return nil, err
	}
	if err = s.load(); err == nil {
		s.await(processEnd(s.ctx, o.PID))
	}
	s.stop()
	if s.listener != nil {
		_ = s.listener.Close()
	}
	s.wait.Wait()
	return s.files, errors.Join(err, s.err)
}

// attachable returns the executable of a process that gdb may be able to stop, or why there is none.
func attachable(pid int) (exe string, err error) {
	if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
		return "", fmt.Errorf("there is no process %d", pid)
	}
	if pid == os.Getpid() {
		return "", errors.New("this process cannot stop itself")
	}
	if _, err := exec.LookPath("gdb"); err != nil {
		return "", fmt.Errorf("gdb, which loads the hook into a process that runs, is not installed; memtui record --pages %d watches it from outside, memtui record COMMAND… starts a program", pid)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return "", err
	}
	if tracer := statusField(status, "TracerPid:"); tracer != "" && tracer != "0" {
		return "", fmt.Errorf("process %d is being traced by process %s already, and only one can", pid, tracer)
	}
	if exe, err = os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err != nil {
		return "", refusedBy(pid)
	}
	switch loader := loaderOf(fmt.Sprintf("/proc/%d/exe", pid), 0); {
	case loader == "":
		return "", fmt.Errorf("process %d runs a program that is linked statically, and can load nothing; memtui record --pages %[1]d watches it from outside", pid)
	case strings.Contains(loader, "musl"):
		return "", fmt.Errorf("process %d runs with the musl C library, which cannot load the hook later: start the program with memtui record COMMAND…", pid)
	}
	own, _ := os.Readlink("/proc/self/ns/mnt")
	if its, _ := os.Readlink(fmt.Sprintf("/proc/%d/ns/mnt", pid)); its != own {
		return "", fmt.Errorf("process %d runs in a container with its own file system, and would not find the hook: run memtui in that", pid)
	}
	return exe, nil
}

// statusField returns the first word of a line in /proc/PID/status.
func statusField(status []byte, key string) string {
	for line := range bytes.Lines(status) {
		if f := bytes.Fields(line); len(f) > 1 && string(f[0]) == key {
			return string(f[1])
		}
	}
	return ""
}

// refusedBy returns why the system does not let this user stop a process.
func refusedBy(pid int) error {
	scope, _ := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope")
	return refusal(pid, os.Geteuid() == 0, strings.TrimSpace(string(scope)))
}

// refusal returns why root, or another user, may not stop a process, with the setting of the kernel, "" for none: see
// ptrace(2).
func refusal(pid int, root bool, scope string) error {
	const file = "/proc/sys/kernel/yama/ptrace_scope"
	why := "it belongs to another user, or has rights that this one lacks: try as root"
	switch {
	case scope == "3":
		why = file + " is 3, and stays so until the machine starts again: record a program from its start instead, with memtui record COMMAND…"
	case root:
		why = "root lacks the capability CAP_SYS_PTRACE here, as in containers: start the container with --cap-add=SYS_PTRACE"
	case scope == "1":
		why = file + " is 1: try as root, or write 0 there (which lets any program of yours read the memory of others of yours)"
	case scope == "2":
		why = file + " is 2: try as root"
	}
	return fmt.Errorf("the system does not let you stop process %d: %s", pid, why)
}

// processEnd returns a channel that is closed when a process has ended.
func processEnd(ctx context.Context, pid int) chan struct{} {
	ended := make(chan struct{})
	go func() {
		w := watch(pid)
		defer w.close()
		for !w.yes() && ctx.Err() == nil {
			time.Sleep(idle)
		}
		close(ended)
	}()
	return ended
}

// attachName is the name of the library, by which it knows that it was attached: see hook/src/attach.h.
const attachName = "memtui-attach.so"

// load has the process load the hook, which asks for a ring.
func (s *session) load() error {
	l, err := s.libraryFor(fromBinary, fromCompiler)
	if err != nil {
		return err
	}
	library, socket := filepath.Join(s.folder, attachName), filepath.Join(s.folder, "socket")
	if err := os.Rename(l.path, library); err != nil {
		return err
	}
	if s.listener, err = net.ListenUnix("unixpacket", &net.UnixAddr{Name: socket, Net: "unixpacket"}); err != nil {
		return err
	}
	if err := giveTo(s.o.PID, s.folder, library, socket); err != nil {
		return err
	}
	s.wait.Go(s.accept)
	if note := unseen(s.o.Command[0]); note != "" {
		s.o.Log("%s", note)
	}
	s.o.Log("gdb stops process %d for a moment and has it load a library; should that fail half-way, the process may crash", s.o.PID)
	began := time.Now()
	if err := gdbLoad(s.o.PID, library); err != nil {
		return err
	}
	if !s.asked() {
		return fmt.Errorf("process %d has loaded the hook, but does not reach the recorder: it may run in a sandbox", s.o.PID)
	}
	s.o.Log("process %d was stopped for at most %s; blocks that it allocated before are unknown; end with Ctrl-C",
		s.o.PID, time.Since(began).Round(time.Millisecond))
	return nil
}

// giveTo gives files to the user of a process, if that is another one.
func giveTo(pid int, paths ...string) error {
	info, err := os.Stat(fmt.Sprintf("/proc/%d", pid))
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(owner.Uid) == os.Geteuid() {
		return nil
	}
	for _, path := range paths {
		if err := os.Chown(path, int(owner.Uid), int(owner.Gid)); err != nil {
			return err
		}
	}
	return nil
}

// debugger is gdb, which reads commands and prints answers.
type debugger struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Scanner
	asked int
}

// patientDebugger is how long gdb may take for all: it reads the symbols of the program.
const patientDebugger = 2 * time.Minute

// newDebugger starts gdb.
func newDebugger() (*debugger, error) {
	d := &debugger{}
	args := []string{"-q", "-nx"}
	for _, line := range []string{"set auto-load off", "set debuginfod enabled off", "set pagination off",
		"set confirm off", "set width 0", "set style enabled off", "set unwindonsignal on"} {
		args = append(args, "-iex", line)
	}
	d.cmd = exec.Command("gdb", args...)
	d.cmd.Env = append(os.Environ(), "LC_ALL=C", "DEBUGINFOD_URLS=")
	d.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // an interrupt must not reach it half-way
	var err error
	if d.in, err = d.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	d.cmd.Stderr = d.cmd.Stdout
	d.out = bufio.NewScanner(out)
	d.out.Buffer(nil, maxLine)
	return d, d.cmd.Start()
}

// ask gives a command, and returns what it prints.
func (d *debugger) ask(command string) (string, error) {
	d.asked++
	mark := "@memtui " + strconv.Itoa(d.asked)
	if _, err := fmt.Fprintf(d.in, "%s\necho \\n%s\\n\n", command, mark); err != nil {
		return "", err
	}
	var text strings.Builder
	for d.out.Scan() {
		line := strings.TrimSpace(strings.ReplaceAll(d.out.Text(), "(gdb) ", ""))
		if line == mark {
			return text.String(), nil
		}
		text.WriteString(line + "\n")
	}
	return text.String(), errors.New("gdb ended early: " + model.Clean(strings.TrimSpace(text.String())))
}

// end lets the process go on, and ends gdb.
func (d *debugger) end() {
	_, _ = io.WriteString(d.in, "detach\nquit\n")
	_ = d.in.Close()
	_ = d.cmd.Wait()
}

// unsafeFrames are functions that must not be interrupted by one that allocates, or loads a library.
var unsafeFrames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(^|[ _])(malloc|calloc|realloc|reallocarray|free|cfree|memalign|aligned_alloc|valloc|pvalloc|sysmalloc|systrim|int_\w*|arena\w*|tcache\w*|mtag\w*|morecore\w*|dl_?\w*|fork|vfork|clone|pthread_create|je_\w*|mi_\w*|tc_\w*) ?\(|/ld-|ld-linux|ld-musl|jemalloc|mimalloc|tcmalloc`)
})

// harmlessStack reports whether a thread with this stack can be made to load a library: it must not be in the allocator or the
// loader, whose locks it may hold.
func harmlessStack(stack string) bool {
	return strings.Contains(stack, "#0") && !unsafeFrames().MatchString(stack)
}

// How often a process is stopped until a thread is where it can load a library.
const (
	stops       = 40
	mostThreads = 8 // are looked at
)

// gdbLoad has a process load a library.
func gdbLoad(pid int, library string) error {
	d, err := newDebugger()
	if err != nil {
		return fmt.Errorf("gdb: %w", err)
	}
	defer d.end()
	late := time.AfterFunc(patientDebugger, func() { _ = d.cmd.Process.Kill() })
	defer late.Stop()
	for i := range stops {
		ready, err := d.stopped(pid)
		if err != nil {
			return err
		}
		if ready {
			return d.dlopen(library)
		}
		if _, err := d.ask("detach"); err != nil {
			return err
		}
		time.Sleep(time.Duration(i+1) * time.Millisecond)
	}
	return fmt.Errorf("process %d was stopped %d times, and each time in its allocator or loader, where it can load nothing: try again", pid, stops)
}

// stopped stops the process, and reports whether a thread could be chosen that may load a library.
func (d *debugger) stopped(pid int) (bool, error) {
	said, err := d.ask(fmt.Sprintf("attach %d", pid))
	switch {
	case err != nil:
		return false, err
	case strings.Contains(said, "not permitted"):
		return false, refusedBy(pid)
	case strings.Contains(said, "No such process"):
		return false, fmt.Errorf("there is no process %d", pid)
	}
	for thread := range mostThreads {
		if said, err = d.ask(fmt.Sprintf("thread %d", thread+1)); err != nil ||
			strings.Contains(said, "Unknown thread") || strings.Contains(said, "Invalid thread") {
			return false, err
		}
		stack, err := d.ask("bt 64")
		if err != nil || harmlessStack(stack) {
			return err == nil, err
		}
	}
	return false, nil
}

// dlopen has the chosen thread load a library.
func (d *debugger) dlopen(library string) error {
	said := ""
	for _, call := range []string{`dlopen)("%s", 2)`, `__libc_dlopen_mode)("%s", 0x80000002)`} { // the C library before 2.34 may have the second only
		var err error
		if said, err = d.ask(fmt.Sprintf("print ((void *(*)(const char *, int))"+call, library)); err != nil {
			return err
		}
		if _, value, ok := strings.Cut(said, "(void *) 0x"); ok && strings.Trim(strings.TrimSpace(value), "0") != "" {
			return nil
		}
		if !strings.Contains(said, "No symbol") {
			break
		}
	}
	if strings.Contains(said, "No symbol") {
		return errors.New("the process has no dlopen: it is linked statically")
	}
	why, _ := d.ask("print ((char *(*)(void))dlerror)()")
	return fmt.Errorf("the process could not load the hook: %s", model.Clean(strings.TrimSpace(said+" "+why)))
}
