package record

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
	t.Setenv("PATH", t.TempDir())
	refused(static.Process.Pid, "gdb, which loads the hook")
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
