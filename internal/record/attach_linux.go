package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
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
	s.library = filepath.Join(s.folder, attachName)
	socket := filepath.Join(s.folder, "socket")
	if err := os.Rename(l.path, s.library); err != nil {
		return err
	}
	if s.listener, err = net.ListenUnix("unixpacket", &net.UnixAddr{Name: socket, Net: "unixpacket"}); err != nil {
		return err
	}
	if err := giveTo(s.o.PID, s.folder, s.library, socket); err != nil {
		return err
	}
	s.wait.Go(s.accept)
	if note := unseen(s.o.Command[0]); note != "" {
		s.o.Log("%s", note)
	}
	s.o.Log("gdb reads the symbols of process %d, then stops it, for less than a tenth of a second unless the machine is busy, and has it load a library; should that fail half-way, the process may crash", s.o.PID)
	stop, err := gdbLoad(s.o.PID, s.library)
	if err != nil {
		return err
	}
	if !s.asked() {
		return fmt.Errorf("process %d has loaded the hook, but does not reach the recorder: it may run in a sandbox", s.o.PID)
	}
	s.o.Log("process %d was stopped for %s; blocks that it allocated before are unknown; end with Ctrl-C",
		s.o.PID, stop.Round(time.Millisecond))
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
