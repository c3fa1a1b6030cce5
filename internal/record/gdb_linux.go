package record

import (
	"bufio"
	"debug/elf"
	"errors"
	"fmt"
	"io"
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

// debugger is gdb, which reads commands and prints answers.
type debugger struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Scanner
	asked int

	known   map[string]bool // files whose symbols were read before the process was stopped
	all     bool            // symbols of all libraries were read
	stopped time.Time       // since when the process is stopped
	longest time.Duration   // that it was stopped
}

// patientDebugger is how long gdb may take for all: it reads the symbols of the program.
const patientDebugger = 2 * time.Minute

// newDebugger starts gdb. It leaves out what it would read while a process is stopped and is not needed: the debug files of
// libraries, and the values of arguments.
func newDebugger() (*debugger, error) {
	d := &debugger{known: map[string]bool{}}
	args := []string{"-q", "-nx"}
	for _, line := range []string{"set auto-load off", "set debuginfod enabled off", "set pagination off",
		"set confirm off", "set width 0", "set style enabled off", "set unwindonsignal on", "set auto-solib-add off",
		"set debug-file-directory /nonexistent", "set exec-file-mismatch off", "set print frame-arguments none",
		"set print entry-values no"} {
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

// end lets the process go on, if it is stopped, and ends gdb.
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

// gdbLoad has a process load a library, and returns how long it was stopped at most at a time.
func gdbLoad(pid int, library string) (time.Duration, error) {
	d, err := newDebugger()
	if err != nil {
		return 0, fmt.Errorf("gdb: %w", err)
	}
	defer d.end()
	late := time.AfterFunc(patientDebugger, func() { _ = d.cmd.Process.Kill() })
	defer late.Stop()
	if err := d.read(pid); err != nil {
		return 0, err
	}
	for i := range stops {
		ready, err := d.stop(pid)
		if err == nil && ready {
			err = d.dlopen(library)
		}
		if err != nil {
			return 0, err
		}
		if err := d.goOn(); err != nil || ready {
			return d.longest, err
		}
		time.Sleep(time.Duration(i+1) * time.Millisecond)
	}
	return 0, fmt.Errorf("process %d was stopped %d times, and each time in its allocator or loader, where it can load nothing: try again", pid, stops)
}

// read reads the symbols of a process that runs on meanwhile, as that takes seconds where programs are large.
func (d *debugger) read(pid int) error {
	if _, err := d.ask(fmt.Sprintf("file /proc/%d/exe", pid)); err != nil {
		return err
	}
	exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	maps, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	for path, bias := range modulesOf(maps) {
		if path == exe {
			d.known[path] = true
			continue
		}
		said, err := d.ask(fmt.Sprintf(`add-symbol-file "%s" -o 0x%x`, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(path), bias))
		if err != nil {
			return err
		}
		d.known[path] = strings.Contains(said, "add symbol table")
	}
	return nil
}

// modulesOf returns the files with code that are mapped, and how far from the addresses in them.
func modulesOf(maps []byte) map[string]uint64 {
	modules, first := map[string]uint64{}, map[string]uint64{}
	for line := range strings.Lines(string(maps)) {
		m, ok := parseMapping(line)
		if !ok || !strings.HasPrefix(m.name, "/") || strings.HasSuffix(m.name, " (deleted)") {
			continue
		}
		if _, known := first[m.name]; !known {
			first[m.name] = m.from
		}
		if _, known := modules[m.name]; known || m.kind != pageOfCode {
			continue
		}
		if at, ok := lowest(m.name); ok {
			modules[m.name] = first[m.name] - at
		}
	}
	return modules
}

// lowest returns the address at which a program or library begins by its own account.
func lowest(path string) (uint64, bool) {
	f, err := elf.Open(path)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_LOAD { // they are in order
			return p.Vaddr &^ (uint64(os.Getpagesize()) - 1), true
		}
	}
	return 0, false
}

// goOn lets the process go on.
func (d *debugger) goOn() error {
	_, err := d.ask("detach")
	d.longest = max(d.longest, time.Since(d.stopped))
	return err
}

// stop stops the process, and reports whether a thread could be chosen that may load a library.
func (d *debugger) stop(pid int) (bool, error) {
	d.stopped = time.Now()
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
		stack, err := d.stack()
		if err != nil || harmlessStack(stack) {
			return err == nil, err
		}
	}
	return false, nil
}

// stack returns the stack of the chosen thread. Where it leads through a library that was loaded since, or could not be
// read, the symbols of all are read: without them the rest of a stack may be wrong.
func (d *debugger) stack() (string, error) {
	stack, err := d.ask("bt 64")
	if err != nil || d.all || !d.strange(stack) {
		return stack, err
	}
	d.all = true
	if _, err := d.ask("sharedlibrary"); err != nil {
		return "", err
	}
	return d.ask("bt 64")
}

// strange reports whether a stack has a function without a name of a library whose symbols were not read.
func (d *debugger) strange(stack string) bool {
	for line := range strings.Lines(stack) {
		if _, path, ok := strings.Cut(line, "?? () from "); ok {
			if whole, err := filepath.EvalSymlinks(strings.TrimSpace(path)); err != nil || !d.known[whole] {
				return true
			}
		}
	}
	return false
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
