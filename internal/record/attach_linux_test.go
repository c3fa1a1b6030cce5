package record

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// compile builds a program or library of a test.
func compile(t *testing.T, path string, args ...string) string {
	t.Helper()
	if out, err := exec.Command(program(t, "gcc"), append([]string{"-O1", "-g", "-pthread", "-o", path}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// running is a program that waits for lines.
type running struct {
	*exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func startRunning(t *testing.T, path string, args ...string) *running {
	t.Helper()
	r := &running{Cmd: exec.Command(path, args...)}
	r.in, _ = r.StdinPipe()
	out, _ := r.StdoutPipe()
	r.out = bufio.NewReader(out)
	if err := r.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Process.Kill() })
	return r
}

// line gives the program a line.
func (r *running) line(t *testing.T) {
	t.Helper()
	if _, err := io.WriteString(r.in, "go\n"); err != nil {
		t.Error(err)
	}
}

// A process that is attached to is recorded from then on: sums are exact, in threads and in libraries that it loads
// later, and what it allocated before is not in them. It goes on, and can be attached to again.
func TestAttachedProcessIsRecorded(t *testing.T) {
	program(t, "gdb")
	folder := t.TempDir()
	source := filepath.Join(folder, "plugin.c")
	if err := os.WriteFile(source, []byte("#include <stdlib.h>\nvoid *plugged(size_t n) { void *volatile p = malloc(n); return p; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	plugin := compile(t, filepath.Join(folder, "plugin.so"), "-shared", "-fPIC", source)
	r := startRunning(t, compile(t, filepath.Join(folder, "attached"), "testdata/attached.c"), plugin)
	path := filepath.Join(folder, "out.mlyze")
	for _, round := range []string{"first", "again"} {
		ctx, cancel := context.WithCancel(t.Context())
		o := Options{PID: r.Process.Pid, Output: path, Overwrite: true, Frames: 64, Ring: 1 << 20, Log: t.Logf}
		o.Began = func(string) {
			go func() {
				defer cancel()
				time.Sleep(500 * time.Millisecond) // gdb lets it go
				if round == "first" {
					return
				}
				r.line(t)
				if line, err := r.out.ReadString('\n'); line != "done\n" {
					t.Errorf("%q, %v", line, err)
				}
			}()
		}
		files, err := Attach(ctx, o)
		if err != nil && strings.Contains(err.Error(), "does not let you") {
			t.Skip(err)
		}
		if err != nil || len(files) != 1 || files[0].PID != r.Process.Pid {
			t.Fatalf("%s: %v, %+v", round, err, files)
		}
	}
	r.line(t)
	if err := r.Wait(); err != nil {
		t.Error(err)
	}
	blocks, unmatched, p := read(t, path)
	if unmatched != 0 || !strings.Contains(fmt.Sprint(p.Problems), "attached") {
		t.Errorf("%d frees without a block, %s", unmatched, fmt.Sprint(p.Problems))
	}
	for function, want := range map[string]struct{ blocks, freed, bytes int }{
		"before": {}, "after": {600, 250, 500*2000 + 100*3000}, "moved": {1, 0, 70000}, "plugged": {10, 0, 50000},
	} {
		list, freed := from(blocks, function)
		if len(list) != want.blocks || freed != want.freed || int(sum(list)) != want.bytes {
			t.Errorf("%s: %d blocks, %d B, %d freed", function, len(list), sum(list), freed)
		}
	}
}

// A Python program that runs is recorded with its own frames, small blocks too.
func TestAttachedPythonHasItsFrames(t *testing.T) {
	program(t, "gdb")
	endsOfPython(t, func(t *testing.T, python string) {
		r := startRunning(t, python, "-u", "testdata/attached.py")
		path := filepath.Join(t.TempDir(), "out.mlyze")
		for _, round := range []string{"first", "again", "sampled"} {
			ctx, cancel := context.WithCancel(t.Context())
			var said []string
			o := Options{PID: r.Process.Pid, Output: path, Overwrite: true, Frames: 64, Ring: 1 << 20,
				Log: func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }}
			if round == "sampled" {
				o.Sample = 64
			}
			o.Began = func(string) {
				go func() {
					defer cancel()
					time.Sleep(300 * time.Millisecond) // gdb lets it go
					r.line(t)
					if line, err := r.out.ReadString('\n'); line != "done\n" {
						t.Errorf("%q, %v", line, err)
					}
				}()
			}
			files, err := Attach(ctx, o)
			if err != nil && strings.Contains(err.Error(), "does not let you") {
				t.Skip(err)
			}
			if err != nil || len(files) != 1 {
				t.Fatalf("%s: %v, %+v, %q", round, err, files, said)
			}
			blocks, unmatched, _ := read(t, path)
			leaks, freed := under(blocks, "leaking")
			churned, gone := under(blocks, "churn")
			want := 2 * uint64(50*100+49*50/2+50*bytesHead)
			if round == "sampled" {
				if len(leaks) < 50 || len(leaks) > 100 || len(churned) < 190 || unmatched != 0 {
					t.Errorf("sampled: %d leaks, %d blocks, %d unmatched; %q", len(leaks), len(churned), unmatched, said)
				}
			} else if len(leaks) != 100 || freed != 0 || sum(leaks) != want || len(churned) != 200 || gone != 200 || unmatched != 0 {
				t.Fatalf("%s: %d leaks, %d freed, %d B, want %d; %d blocks, %d freed; %d unmatched; %q",
					round, len(leaks), freed, sum(leaks), want, len(churned), gone, unmatched, said)
			}
			if !strings.HasPrefix(leaks[0].stack, "block;leaking;work;<module>") {
				t.Errorf("%s: %s", round, leaks[0].stack)
			}
		}
		_ = r.in.Close()
		if err := r.Wait(); err != nil {
			t.Error(err)
		}
	})
}

// Processes that cannot be attached to are left alone, with the reason.
func TestProcessesThatCannotBeAttachedTo(t *testing.T) {
	program(t, "gdb")
	o := Options{Frames: 64, Ring: 1 << 20, Log: t.Logf}
	refused := func(pid int, want string) {
		t.Helper()
		o.PID = pid
		if files, err := Attach(t.Context(), o); err == nil || len(files) > 0 || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q: %v, %+v", want, err, files)
		}
	}
	refused(999999999, "there is no process")
	refused(os.Getpid(), "cannot stop itself")
	static := startRunning(t, compile(t, filepath.Join(t.TempDir(), "static"), "-static", "testdata/attached.c"))
	refused(static.Process.Pid, "linked statically")
	if musl, err := exec.LookPath("musl-gcc"); err == nil {
		path := filepath.Join(t.TempDir(), "musl")
		if out, err := exec.Command(musl, "-o", path, "testdata/attached.c", "-ldl").CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		} else if loader := loaderOf(path, 0); strings.Contains(loader, "musl") {
			refused(startRunning(t, path).Process.Pid, "musl C library")
		}
	}
	sleep := startRunning(t, program(t, "sleep"), "100")
	apart := exec.Command(sleep.Path, "100")
	apart.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if err := apart.Start(); err == nil {
		refused(apart.Process.Pid, "runs in a container")
		_ = apart.Process.Kill()
		_ = apart.Wait()
	}
	t.Run("debugger", func(t *testing.T) { // that the system refuses what it asks for
		said := `#!/bin/sh
while read -r line; do
	case $line in
	attach*) echo 'ptrace: Operation not permitted.' ;;
	echo*) printf "${line#echo }" ;;
	esac
done
`
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, "gdb"), []byte(said), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
		refused(sleep.Process.Pid, fmt.Sprintf("does not let you stop process %d: ", sleep.Process.Pid))
	})
	t.Setenv("PATH", t.TempDir())
	refused(static.Process.Pid, "gdb, which loads the hook")
}

// Why a process may not be stopped depends on the user and on what the kernel is set to.
func TestRefusalsNameTheirCause(t *testing.T) {
	for _, c := range []struct {
		root  bool
		scope string
		want  []string
	}{
		{false, "", []string{"another user", "try as root"}},
		{false, "0", []string{"another user", "try as root"}},
		{false, "1", []string{"ptrace_scope is 1", "write 0 there"}},
		{false, "2", []string{"ptrace_scope is 2", "try as root"}},
		{false, "3", []string{"ptrace_scope is 3", "memtui record COMMAND…"}},
		{true, "", []string{"CAP_SYS_PTRACE", "--cap-add"}},
		{true, "1", []string{"CAP_SYS_PTRACE", "--cap-add"}},
		{true, "3", []string{"ptrace_scope is 3"}},
	} {
		text := refusal(7, c.root, c.scope).Error()
		for _, want := range append(c.want, "process 7") {
			if !strings.Contains(text, want) {
				t.Errorf("%+v: %s", c, text)
			}
		}
		if c.root && strings.Contains(text, "as root") {
			t.Errorf("%+v: %s", c, text)
		}
	}
}

// A user who may not stop a process is told so before gdb is tried, and nothing happens to the process.
func TestOtherUsersCannotAttach(t *testing.T) {
	program(t, "gdb")
	setpriv, binary := program(t, "setpriv"), filepath.Join(t.TempDir(), "attach.test")
	if os.Geteuid() != 0 {
		t.Skip("needs root, to be less than root")
	}
	sleep := startRunning(t, program(t, "sleep"), "100")
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(own)
	if err == nil {
		err = errors.Join(os.WriteFile(binary, text, 0o755), os.Chmod(filepath.Dir(binary), 0o755), os.Chmod(filepath.Dir(filepath.Dir(binary)), 0o755))
	}
	if err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"try as root":          {"--reuid=65534", "--regid=65534", "--clear-groups"},
		"--cap-add=SYS_PTRACE": {"--bounding-set=-sys_ptrace", "--inh-caps=-sys_ptrace"},
	} {
		cmd := exec.Command(setpriv, append(args, binary, "-test.run=^TestAttachingIsTried$", "-test.v")...)
		cmd.Env = append(os.Environ(), "MEMTUI_ATTACH_TO="+strconv.Itoa(sleep.Process.Pid))
		cmd.Dir = "/"
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("want %q: %v: %s", want, err, out)
		}
	}
	if err := syscall.Kill(sleep.Process.Pid, 0); err != nil {
		t.Error(err)
	}
}

// TestAttachingIsTried is what TestOtherUsersCannotAttach runs as another user.
func TestAttachingIsTried(t *testing.T) {
	pid, err := strconv.Atoi(os.Getenv("MEMTUI_ATTACH_TO"))
	if err != nil {
		t.Skip("is run by another test")
	}
	if _, err = attachable(pid); err == nil {
		t.Fatal("it may be stopped")
	}
	t.Log(err)
}

// A thread in the allocator or the loader cannot load a library, nor one whose stack is unknown.
func TestStacksInTheAllocatorAreNotInterrupted(t *testing.T) {
	for stack, want := range map[string]bool{
		"": false,
		"#0  0x00007f in poll () from /lib/x86_64-linux-gnu/libc.so.6\n#1  main () at a.c:1\n":                             true,
		"#0  0x00007f in ?? () from /lib/x86_64-linux-gnu/libc.so.6\n#1  0x01 in pthread_cond_wait () from libc.so.6":      true,
		"#0  0x00007f in ?? () from /lib/x86_64-linux-gnu/libc.so.6\n#1  0x01 in malloc () from libc.so.6\n#2 main ()":     false,
		"#0  _int_malloc (av=0x7f, bytes=16) at malloc.c:3700\n#1  main ()":                                                false,
		"#0  __GI___libc_free (mem=0x1) at malloc.c:3300\n#1  main ()":                                                     false,
		"#0  0x01 in _dl_open () from /lib64/ld-linux-x86-64.so.2\n#1  main ()":                                            false,
		"#0  my_free_list (n=1) at a.c:1\n#1  main ()":                                                                     true,
		"#0  je_arena_malloc () from app\n":                                                                                false,
		"#0  __GI___clock_nanosleep (clock_id=1) at clock_nanosleep.c:71\n#1  pysleep () at x.c:3\n#2  mallocator () at y": true,
	} {
		if harmlessStack(stack) != want {
			t.Errorf("%q: want %v", stack, want)
		}
	}
}

// What gdb reads of a process it reads before it stops that, with the libraries: stacks have their names then.
func TestSymbolsAreReadBeforeTheStop(t *testing.T) {
	program(t, "gdb")
	r := startRunning(t, compile(t, filepath.Join(t.TempDir(), "at tached"), "testdata/attached.c"))
	d, err := newDebugger()
	if err != nil {
		t.Fatal(err)
	}
	defer d.end()
	if err := d.read(r.Process.Pid); err != nil {
		t.Fatal(err)
	}
	read := fmt.Sprint(d.known)
	for _, want := range []string{"/at tached:true", "/libc.so.6:true", "/ld-linux"} {
		if !strings.Contains(read, want) {
			t.Errorf("%s is not in %s", want, read)
		}
	}
	ready, err := d.stop(r.Process.Pid)
	if err != nil && strings.Contains(err.Error(), "does not let you") {
		t.Skip(err)
	}
	stack, failed := d.stack()
	if err := errors.Join(err, failed); err != nil || !ready || d.all || !strings.Contains(stack, "read (") || !strings.Contains(stack, "main (") {
		t.Errorf("%v, ready %v, read again %v: %s", err, ready, d.all, stack)
	}
}

// A program may have loaded Python without using it yet: it is left alone.
func TestUnusedPythonIsNotCalled(t *testing.T) {
	program(t, "gdb")
	folder := t.TempDir()
	source := "#include <stdlib.h>\nint Py_IsInitialized(void) { return 0; }\nconst char *Py_GetVersion(void) { return \"3.11.2\"; }\nlong PyCode_Type[64];\nvoid *plugged(size_t n) { return malloc(n); }\n"
	for _, name := range strings.Fields(`PyMem_SetAllocator PyMem_GetAllocator Py_AddPendingCall PyCode_Addr2Line PyEval_GetFrame PyObject_GetAttrString PyUnicode_FromString
		Py_DecRef PyErr_Clear PyUnicode_AsUTF8AndSize PyLong_AsLong PyObject_Malloc PyObject_Free _PyEval_EvalFrameDefault _PyThreadState_UncheckedGet PyGILState_GetThisThreadState`) {
		source += "void " + name + "(void) { abort(); }\n"
	}
	path := filepath.Join(folder, "python.c")
	if err := os.WriteFile(path, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	idle := filepath.Join(folder, "idle.c")
	if err := os.WriteFile(idle, []byte("#include <unistd.h>\nint main(void) { char c; return read(0, &c, 1) != 1; }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	library := compile(t, filepath.Join(folder, "libidlepython.so"), "-shared", "-fPIC", path)
	r := startRunning(t, compile(t, filepath.Join(folder, "idle"), idle, "-Wl,--no-as-needed", library, "-Wl,-rpath,"+folder))
	o := Options{PID: r.Process.Pid, Output: filepath.Join(folder, "out.mlyze"), Frames: 64, Ring: 1 << 20, Log: t.Logf, Duration: 100 * time.Millisecond}
	files, err := Attach(t.Context(), o)
	if err != nil && strings.Contains(err.Error(), "does not let you") {
		t.Skip(err)
	}
	r.line(t)
	if ended := r.Wait(); err != nil || len(files) != 1 || ended != nil {
		t.Errorf("%v, %+v; the program: %v", err, files, ended)
	}
}
