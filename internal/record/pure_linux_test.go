package record

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/memtui/memtui/internal/record/pure"
	"github.com/memtui/memtui/model"
)

// traced is a program that imports the tracer.
const traced = `
import os, sys, time
import memtui_trace

def leaking(n):
    return bytearray(n)

def wait():
    """Waits for two snapshots."""
    points = memtui_trace._tracer.file.rss
    before = len(points)
    while len(points) < before + 2:
        time.sleep(0.05)

class Box:
    def filled(self):
        return [leaking(20000) for _ in range(10)]

with memtui_trace.recording(sys.argv[1], interval=0.1):
    first = leaking(100000)
    memtui_trace.marker("begun")
    wait()
    boxes = Box().filled()
    del first
    wait()
    if sys.argv[2] == "killed":
        os.kill(os.getpid(), 9)
`

func TestTracerOfPythonNeedsNoHook(t *testing.T) {
	endsOfPython(t, func(t *testing.T, python string) {
		folder := t.TempDir()
		for name, text := range map[string]string{"memtui_trace.py": pure.Module, "traced.py": traced} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, end := range []string{"returns", "killed"} {
			path := filepath.Join(folder, end+".mlyze")
			if out, err := exec.Command(python, filepath.Join(folder, "traced.py"), path, end).CombinedOutput(); (err == nil) != (end == "returns") {
				t.Fatalf("%s: %v: %s", end, err, out)
			}
			blocks, unmatched, p := read(t, path)
			large, freed := from(blocks, "leaking")
			kept := 0
			for _, b := range large {
				if b.size >= 20000 && b.size < 21000 && !b.freed {
					kept++
				}
			}
			if kept != 10 || freed < 1 || unmatched != 0 {
				t.Errorf("%s: %d blocks, %d kept, %d freed, %d unmatched", end, len(large), kept, freed, unmatched)
			}
			if name, ok := p.Allocations.MarkerName(markerOf(t, p)); !ok || name != "begun" {
				t.Errorf("%s: marker %q", end, name)
			}
			if len(p.Problems) > 0 || p.Timeline == nil || len(p.Timeline.Series) == 0 {
				t.Errorf("%s: problems %v, no curve of the resident set: %v", end, p.Problems, p.Timeline == nil)
			}
		}
	})
}

func TestPythonIsTracedWhereNoHookIsWanted(t *testing.T) {
	endsOfPython(t, func(t *testing.T, python string) {
		path := filepath.Join(t.TempDir(), "o.mlyze")
		var said []string
		o := Options{Command: []string{python, "testdata/known.py", "large"}, Output: path, Frames: 3,
			Log: func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }}
		files, status, err := RunPure(t.Context(), o)
		if err != nil || status != 0 || len(files) != 1 || files[0].Path != path || files[0].Events == 0 {
			t.Fatalf("%v, status %d, %+v, %q", err, status, files, said)
		}
		blocks, _, _ := read(t, path)
		leaks, _ := under(blocks, "leaking")
		if len(leaks) != 20 || sum(leaks) != 20*(100000+bytesHead) || !strings.HasPrefix(leaks[0].stack, "block;leaking;large") {
			t.Errorf("%d blocks, %d B", len(leaks), sum(leaks))
		}
		if _, _, err := RunPure(t.Context(), o); err == nil {
			t.Error("a file that exists was replaced")
		}
		o.Command, o.Overwrite = []string{python, "-I", "testdata/known.py", "large"}, true
		files, _, err = RunPure(t.Context(), o)
		if err != nil || len(files) != 0 || !strings.Contains(strings.Join(said, "\n"), "nothing was recorded") {
			t.Errorf("isolated: %v, %v, %q", err, files, said)
		}
	})
}

// filling is a program that allocates more and more.
const filling = `
import time
keep = []
for i in range(30):
    keep.append([bytearray(100 + j) for j in range(1000)])
    time.sleep(0.05)
print("done")
`

// On a file system without room the tracer says so in a line, keeps what fits, and lets the program go on.
func TestTracerOfPythonKeepsWhatFitsOnAFullFileSystem(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("needs Python")
	}
	folder := t.TempDir()
	if err := unix.Mount("tmpfs", folder, "tmpfs", 0, "size=300k"); err != nil {
		t.Skipf("cannot mount a file system: %v", err)
	}
	defer func() { _ = unix.Unmount(folder, unix.MNT_DETACH) }()
	program := t.TempDir()
	for name, text := range map[string]string{"memtui_trace.py": pure.Module, "filling.py": "import memtui_trace\nmemtui_trace.start('" +
		filepath.Join(folder, "o.mlyze") + "', interval=0.2)\n" + filling} {
		if err := os.WriteFile(filepath.Join(program, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := exec.Command(python, filepath.Join(program, "filling.py")).CombinedOutput()
	if err != nil || strings.Contains(string(out), "Traceback") || strings.Count(string(out), "stops early") != 1 || !strings.Contains(string(out), "done") {
		t.Fatalf("%v: %s", err, out)
	}
	blocks, unmatched, p := read(t, filepath.Join(folder, "o.mlyze"))
	if len(blocks) < 3000 || len(blocks) > 29000 || unmatched > 0 || p.Lost > 0 || !strings.Contains(fmt.Sprint(p.Problems), "No space left") {
		t.Errorf("%d blocks, %d unmatched, %d B lost, %v", len(blocks), unmatched, p.Lost, p.Problems)
	}
}

// markerOf returns the name id of the first marker.
func markerOf(t *testing.T, p *model.Profile) (id uint64) {
	t.Helper()
	err := p.Allocations.Replay(t.Context(), func(b *model.EventBatch) error {
		for _, e := range b.Events {
			if e.Kind == model.Marker {
				id = e.ID
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// naming runs a module and compares the function that each line is run by with the one that the tracer names. Lines of
// comprehensions and lambdas are not compared: those belong to what has them. The first line of a generator is named by
// the generator, which makes itself there; trace says only that the module has it.
const naming = `
import importlib, os, sys, warnings
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import memtui_trace

ran = {}

def trace(frame, event, arg):
    if frame.f_code.co_filename.endswith("named.py") and event == "line":
        ran.setdefault(frame.f_lineno, set()).add(getattr(frame.f_code, "co_qualname", frame.f_code.co_name))
    return trace

sys.settrace(trace)
import named
sys.settrace(None)
inner = {line for line, names in ran.items() if any("<" in n.split(".")[-1] and n != "<module>" for n in names)}
generator = [line.startswith(b"def numbers") for line in open(named.__file__, "rb")].index(True) + 1
wrong = 0
for how in "kept", "compiled":
    functions = memtui_trace._Functions()
    other = "compiled" if how == "kept" else "kept"
    setattr(functions, other, lambda file: None)
    for line, names in ran.items():
        name = functions.name(named.__file__, line)
        if sys.version_info < (3, 11) and name != "<module>":
            name = name.split(".")[-1]
        if line not in inner and name not in names and line != generator:
            wrong += 1
            print(how, line, name, names)
print(len(ran), "lines,", wrong, "wrong")
`

// namedModule is the module; its last function has an escape sequence that Python warns about.
const namedModule = `
import functools

def plain(a, b=[
        1, 2]):
    x = [a, b]
    return x

def one_line(): return [1]

class Box:
    size = [1, 2]

    def fill(self):
        def deep():
            y = [3]
            return y
        return deep()

    class Inner:
        def get(self):
            return {
                "a": [1],
                "b": [2],
            }

@functools.lru_cache(
    maxsize=4)
def decorated(n):
    if n > 2:
        return [n]

    return [
        n, n]

def numbers():
    yield [1]
    yield [2]

plain(1)
one_line()
Box().fill()
Box.Inner().get()
decorated(3)
decorated(1)
list(numbers())
pairs = [(i, i)
         for i in range(3)]

def escaped():
    text = "\d"
    return [text]

escaped()
`

func TestTracerNamesTheFunctionThatRunsALine(t *testing.T) {
	eachPython(t, func(t *testing.T, python string) {
		folder := t.TempDir()
		for name, text := range map[string]string{"memtui_trace.py": pure.Module, "naming.py": naming, "named.py": namedModule} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, warned := range []int{1, 0} { // the second time, Python loads what it has compiled
			cmd := exec.Command(python, "-W", "default", filepath.Join(folder, "naming.py"))
			cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=")
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "lines, 0 wrong\n") {
				t.Errorf("%v: %s", err, out)
			}
			if n := strings.Count(string(out), "invalid escape sequence"); n > warned {
				t.Errorf("%d warnings where Python has %d: %s", n, warned, out)
			}
		}
	})
}
