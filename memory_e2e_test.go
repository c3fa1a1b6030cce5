//go:build linux

package main_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	enc "encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/internal/memtest/modeltest"
)

// The variables have the test's own binary do something instead of testing. A process's peak is at least that of the
// one that started it, so files are made, and the program is started, by processes that are small.
const (
	makeVar    = "MEMTUI_TEST_MAKE"    // a file of memoryFiles, at the path of the only argument
	measureVar = "MEMTUI_TEST_MEASURE" // where to write the peak of the program that the arguments name
	largeVar   = "MEMTUI_TEST_LARGE"   // set by people: the sizes are ten times as large, and so is the limit
)

// asked does what the variables ask for, and reports whether they do.
func asked() (status int, ok bool) {
	if name := os.Getenv(makeVar); name != "" {
		if err := makeFile(name, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1, true
		}
		return 0, true
	}
	out := os.Getenv(measureVar)
	if out == "" {
		return 0, false
	}
	os.Unsetenv(measureVar)
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		fmt.Fprintln(os.Stderr, err)
		return 1, true
	}
	peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
	if err := os.WriteFile(out, []byte(strconv.FormatInt(peak, 10)), 0o600); err != nil {
		return 1, true
	}
	return cmd.ProcessState.ExitCode(), true
}

// scale is how many times as large as usual files and limit are.
func scale() int {
	if os.Getenv(largeVar) != "" {
		return 10
	}
	return 1
}

// memoryFiles write files that take far more memory than the limit where nothing bounds it.
var memoryFiles = map[string]func(w *bufio.Writer, n int){
	"heap.mvmheap": func(w *bufio.Writer, n int) {
		check(memtest.WriteHeap3(w, memtest.HeapSpec{Rows: 600_000 * n, References: 1_500_000 * n, Snapshots: 2, Spread: 1000}))
	},
	"heap2.mvmheap": func(w *bufio.Writer, n int) {
		_, err := w.Write(memtest.Heap2(memtest.HeapSpec{Rows: 1_500_000 * n, References: 4_000_000 * n, Spread: 1000}))
		check(err)
	},
	"stacks.mlyze": func(w *bufio.Writer, n int) {
		traceWith(w, 50, func(w io.Writer) { manyStacks(w, 150_000*n) }, 20_000)
	},
	"names.mlyze": func(w *bufio.Writer, n int) {
		traceWith(w, 0, func(w io.Writer) { manyNames(w, 700_000*n, 8) }, 20_000)
	},
	"long.mlyze": func(w *bufio.Writer, n int) {
		traceWith(w, 0, func(w io.Writer) { manyNames(w, 2, 40_000_000*n) }, 20_000)
	},
	"frames.mlyze": func(w *bufio.Writer, n int) {
		traceWith(w, 0, func(w io.Writer) { longStack(w, 1_000_000*n) }, 20_000)
	},
	"events.mlyze": func(w *bufio.Writer, n int) {
		traceWith(w, 0, func(w io.Writer) { manyNames(w, 1, 8) }, 4_000_000*n)
	},
	"ids.mlyze": func(w *bufio.Writer, n int) { // every event has a stack of its own, which the file does not know
		traceWith(w, 1<<40, func(w io.Writer) { io.WriteString(w, "{}") }, 200_000*n)
	},
	"metadata.mlyze": func(w *bufio.Writer, n int) { // more stacks and names than fit beside the events
		traceWith(w, 150_000, func(w io.Writer) { manyFunctions(w, 150_000*n) }, 60_000*n)
	},
	"stacks.spaa": func(w *bufio.Writer, n int) {
		fmt.Fprintln(w, spaaHeader)
		fmt.Fprintln(w, `{"type":"frame","id":1,"func":"f","dso":1}`)
		for i := range 600_000 * n {
			fmt.Fprintf(w, `{"type":"stack","id":%d,"frames":[1],"context":{"event":"e"},"weights":[{"metric":"period","value":%d}]}`+"\n", i, i)
		}
	},
	"frames.spaa": func(w *bufio.Writer, n int) {
		fmt.Fprintln(w, spaaHeader)
		for i := range 700_000 * n {
			fmt.Fprintf(w, `{"type":"frame","id":%d,"func":"function number %d","dso":1}`+"\n", i, i)
		}
		fmt.Fprintln(w, `{"type":"stack","id":1,"frames":[1],"context":{"event":"e"},"weights":[{"metric":"period","value":3}]}`)
	},
	"threads.spaa": func(w *bufio.Writer, n int) {
		fmt.Fprintln(w, spaaHeader)
		for i := range 500_000 * n {
			fmt.Fprintf(w, `{"type":"thread","pid":1,"tid":%d,"comm":"thread %d"}`+"\n", i, i)
		}
	},
	"samples.spaa": func(w *bufio.Writer, n int) {
		fmt.Fprintln(w, spaaHeader)
		fmt.Fprintln(w, `{"type":"frame","id":1,"func":"f","dso":1}`)
		fmt.Fprintln(w, `{"type":"stack","id":1,"frames":[1],"context":{"event":"e"},"weights":[{"metric":"period","value":3}]}`)
		for i := range 2_000_000 * n {
			fmt.Fprintf(w, `{"type":"sample","timestamp":%d.%06d,"pid":1,"tid":%d,"event":"e","stack_id":%d}`+"\n", i/1000, i%1000, i%9, i*7919%1_000_003)
		}
	},
	"line.spaa": func(w *bufio.Writer, n int) {
		fmt.Fprintln(w, spaaHeader)
		for range 4 {
			fmt.Fprintf(w, `{"type":"frame","id":1,"func":"%s","dso":1}`+"\n", strings.Repeat("x", 30_000_000))
		}
	},
	"points.json": func(w *bufio.Writer, n int) {
		check(memtest.WriteDumpJSON(w, memtest.DumpSpec{Series: 4, Points: 900_000 * n}))
	},
	"points.mb": func(w *bufio.Writer, n int) {
		check(memtest.WriteDump(w, memtest.DumpSpec{Series: 4, Points: 1_500_000 * n}))
	},
	"layouts.mb": func(w *bufio.Writer, n int) {
		check(memtest.WriteDump(w, memtest.DumpSpec{Series: 1, Points: 40, Layouts: 6, Pages: 150_000 * n, Runs: 12}))
	},
}

const spaaHeader = `{"type":"header","format":"spaa","version":"1.0","source_tool":"perf","frame_order":"leaf_to_root","events":[{"name":"e","kind":"hardware","sampling":{"mode":"period","primary_metric":"period"}}],"stack_id_mode":"local"}
{"type":"dso","id":1,"name":"/usr/bin/app","build_id":"abcd1234","is_kernel":false}`

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func makeFile(name, path string) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	out, plain := io.WriteCloser(f), strings.TrimSuffix(name, ".zst")
	if plain != name {
		if out, err = zstd.NewWriter(f); err != nil {
			return err
		}
		defer out.Close()
	}
	w := bufio.NewWriterSize(out, 1<<20)
	memoryFiles[plain](w, scale())
	return w.Flush()
}

// traceWith writes a .mlyze file with the metadata that write writes, which is done twice: the length stands in front.
// The events allocate with different stacks and never free.
func traceWith(w *bufio.Writer, stacks uint64, write func(io.Writer), events int) {
	var n counter
	write(&n)
	head := memtest.TraceOf(nil, nil)
	enc.LittleEndian.PutUint32(head[16:], uint32(n))
	_, err := w.Write(head)
	check(err)
	write(w)
	list := make([]memtest.TraceEvent, 1000)
	for from := 0; from < events; from += len(list) {
		for i := range list {
			at := uint64(from + i)
			list[i] = memtest.TraceEvent{Delta: 3, Addr: 0x1000 + 64*at, Size: 16 + at%1000, ID: at % (stacks + 1)}
		}
		_, err := w.Write(memtest.TraceOf(nil, list)[256:])
		check(err)
	}
}

// counter counts what is written.
type counter int

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

func manyStacks(out io.Writer, n int) {
	w := bufio.NewWriter(out)
	defer w.Flush()
	io.WriteString(w, `{"stack_traces": {`)
	for i := range n {
		if i > 0 {
			io.WriteString(w, ", ")
		}
		fmt.Fprintf(w, `"%d": [`, i)
		for k := range 6 {
			if k > 0 {
				io.WriteString(w, ", ")
			}
			fmt.Fprintf(w, `{"file_id": 0, "line": %d, "func_id": %d}`, i/(k*k*k+1), i%97)
		}
		io.WriteString(w, "]")
	}
	io.WriteString(w, `}, "files": {"0": "a.c"}, "functions": {"0": "main"}}`)
}

func manyNames(out io.Writer, n, length int) {
	w := bufio.NewWriter(out)
	defer w.Flush()
	io.WriteString(w, `{"stack_traces": {"0": [{"file_id": 0, "line": 1, "func_id": 0}]}, "files": {"0": "a.c"}, "functions": {`)
	for i := range n {
		if i > 0 {
			io.WriteString(w, ", ")
		}
		fmt.Fprintf(w, `"%d": "f%d%s"`, i, i, strings.Repeat("x", length))
	}
	io.WriteString(w, "}}")
}

// manyFunctions has as many stacks as names, each of a function of its own.
func manyFunctions(out io.Writer, n int) {
	w := bufio.NewWriter(out)
	defer w.Flush()
	io.WriteString(w, `{"stack_traces": {"0": []`)
	for i := range n {
		fmt.Fprintf(w, `, "%d": [{"file_id": 0, "line": %d, "func_id": %d}]`, i+1, i, i)
	}
	io.WriteString(w, `}, "files": {"0": "a.c"}, "functions": {"x": ""`)
	for i := range n {
		fmt.Fprintf(w, `, "%d": "a function with a long name and the number %d"`, i, i)
	}
	io.WriteString(w, "}}")
}

func longStack(out io.Writer, n int) {
	w := bufio.NewWriter(out)
	defer w.Flush()
	io.WriteString(w, `{"files": {"0": "a.c"}, "functions": {"0": "main"}, "stack_traces": {"0": [`)
	for i := range n {
		if i > 0 {
			io.WriteString(w, ", ")
		}
		fmt.Fprintf(w, `{"file_id": 0, "line": %d, "func_id": 0}`, i)
	}
	io.WriteString(w, "]}}")
}

// memoryCommands are the commands for the files whose name ends so. OUT is a file in a temporary folder.
var memoryCommands = []struct {
	suffix   string
	commands []string
}{
	{"", []string{"info FILE", "report FILE", "report -f json FILE", "validate FILE", "report -f html -o OUT FILE"}},
	{"heap.mvmheap", []string{"diff FILE#0 FILE#1", "heap snapshots FILE", "heap types FILE", "heap frames FILE", "heap find --type Type FILE",
		"heap object FILE 7", "heap path FILE 7", "heap dominators FILE", "heap dominators -f csv FILE"}},
	{"heap2.mvmheap", []string{"heap types FILE", "heap dominators FILE"}},
	{"stacks.mlyze", []string{"diff FILE FILE", "convert --to folded FILE OUT", "evidence -o OUT FILE"}},
	{"ids.mlyze", []string{"diff FILE FILE", "diff --a 20% --b end FILE", "report -f csv --table leaks FILE", "report -f json --limit 0 FILE", "report -f markdown FILE", "evidence -o OUT FILE"}},
	{"metadata.mlyze", []string{"diff FILE FILE", "report -f csv --table functions FILE", "report -f json --limit 0 FILE", "evidence -o OUT FILE"}},
	{"events.mlyze", []string{"diff FILE FILE", "convert --to csv FILE OUT"}},
	{"stacks.spaa", []string{"diff FILE FILE", "convert --to folded FILE OUT", "convert --to pprof FILE OUT"}},
	{"frames.spaa", []string{"diff FILE FILE"}},
	{"samples.spaa", []string{"convert --to folded FILE OUT"}},
	{"points.json", []string{"diff FILE FILE"}},
	{"layouts.mb", []string{"pages FILE", "pages --map FILE", "diff FILE#0 FILE#1", "convert FILE OUT.json"}},
}

// noPart are commands of which nothing useful, or nothing true, may be left where not all fits: the only ones that may
// end with status 3 then.
var noPart = []string{"report -f csv", "convert", "heap find", "heap object", "heap path", "heap dominators -f csv", "diff", "validate"}

// zipped are the files that are read compressed, too.
var zipped = []string{"stacks.mlyze", "names.mlyze", "stacks.spaa", "points.json", "heap2.mvmheap"}

func TestMemoryLimitHolds(t *testing.T) {
	if modeltest.UnderRace {
		t.Skip("what a process takes under the race detector tells nothing")
	}
	dir, limit := t.TempDir(), int64(32<<20*scale())
	for name := range memoryFiles {
		t.Run(name, func(t *testing.T) { memoryTable(t, dir, name, limit) })
	}
	for _, name := range zipped {
		t.Run(name+".zst", func(t *testing.T) { memoryTable(t, dir, name+".zst", limit) })
	}
}

// memoryTable runs the commands that a file is meant for.
func memoryTable(t *testing.T, dir, name string, limit int64) {
	path := filepath.Join(dir, name)
	self(t, []string{makeVar + "=" + name}, path)
	defer os.Remove(path)
	for _, group := range memoryCommands {
		if group.suffix != "" && group.suffix != name {
			continue
		}
		for n, command := range group.commands {
			if strings.HasSuffix(name, ".zst") && n == 3 || group.suffix == "" && n == 1 && scale() == 1 {
				continue
			}
			if r := runLimited(t, command, path, limit); r.status == 3 && !slices.ContainsFunc(noPart, r.begins) {
				t.Errorf("%s: nothing is said: %.300s", command, r.errs)
			}
		}
	}
}

// runLimited runs a command and checks what it says. How much fits depends on when garbage is collected, and so on how
// busy the machine is: a command of which a part may be left is tried three times.
func runLimited(t *testing.T, command, path string, limit int64) (r limitedRun) {
	t.Helper()
	for range 3 {
		args := strings.NewReplacer("FILE", path, "OUT", filepath.Join(t.TempDir(), "out")).Replace(command)
		r = limited(t, limit, strings.Fields(args))
		r.command = command
		r.judge(t, command, limit)
		if r.status != 3 || slices.ContainsFunc(noPart, r.begins) {
			break
		}
	}
	return r
}

// begins reports whether the command begins with some words.
func (r *limitedRun) begins(words string) bool { return strings.HasPrefix(r.command, words) }

// limitedRun is what a command did under a limit.
type limitedRun struct {
	command   string
	status    int
	peak      int64
	out, errs string
}

// self runs the test's own binary with variables set.
func self(t *testing.T, env []string, args ...string) limitedRun {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	var out, errs bytes.Buffer
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), env...), &out, &errs
	err := cmd.Run()
	if cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(env[0], makeVar) && err != nil {
		t.Fatalf("%v: %s", err, errs.String())
	}
	return limitedRun{status: cmd.ProcessState.ExitCode(), out: out.String(), errs: errs.String()}
}

// limited runs the program under a limit of memory.
func limited(t *testing.T, limit int64, args []string) limitedRun {
	t.Helper()
	peak := filepath.Join(t.TempDir(), "peak")
	args = append([]string{binary, args[0], "--max-memory", strconv.FormatInt(limit, 10)}, args[1:]...)
	if os.Getenv("MEMTUI_TEST_UNBOUND") != "" {
		args = append(args[:2], args[4:]...)
	}
	r := self(t, []string{measureVar + "=" + peak, "XDG_CACHE_HOME=" + t.TempDir()}, args...)
	text, err := os.ReadFile(peak)
	if err != nil {
		t.Fatalf("%v: %s", err, r.errs)
	}
	r.peak, _ = strconv.ParseInt(string(text), 10, 64)
	return r
}

// judge holds a run against the contract.
func (r *limitedRun) judge(t *testing.T, command string, limit int64) {
	t.Helper()
	most := limit + limit*3/10 + 40<<20
	t.Logf("%-45s status %d, peak %4d MiB: %.200s", command, r.status, r.peak>>20, r.errs)
	if r.peak > most {
		t.Errorf("%s: a peak of %d MiB, more than %d", command, r.peak>>20, most>>20)
	}
	if r.status != 0 && r.status != 1 && r.status != 3 || r.status == 3 && !strings.Contains(r.errs, "--max-memory") {
		t.Errorf("%s: status %d: %.300s", command, r.status, r.errs)
	}
	if cut := strings.Contains(r.errs, "incomplete: reading stopped"); cut && r.status == 0 && strings.HasPrefix(command, "diff") {
		t.Errorf("%s compares what was read in part: %.300s", command, r.out)
	}
	if r.status == 1 && strings.HasPrefix(command, "validate") && !strings.Contains(r.out, "  error  ") {
		t.Errorf("%s: nothing is wrong: %.300s", command, r.out)
	}
	if r.status != 0 || !strings.HasPrefix(command, "report -f json") {
		return
	}
	var report struct {
		Complete bool
		Problems []struct{ Code, Message string }
	}
	if err := json.Unmarshal([]byte(r.out), &report); err != nil {
		t.Errorf("%s: %v", command, err)
	}
	if said := strings.Contains(fmt.Sprint(report.Problems), "memory-limit"); report.Complete == said {
		t.Errorf("%s: complete %v, but problems are %v", command, report.Complete, report.Problems)
	}
}

// The memory that a guard names has all of a file read that means up to twice as much, and less memory does not name
// itself.
func TestNamedMemoryIsEnough(t *testing.T) {
	if modeltest.UnderRace {
		t.Skip("what a process takes under the race detector tells nothing")
	}
	path := filepath.Join(t.TempDir(), "points.json.gz")
	f, err := os.Create(path)
	check(err)
	z := gzip.NewWriter(f)
	const points = 4 << 20
	io.WriteString(z, `[{"name":"a","data":[{"timestamp":1,"value":2}`)
	more := []byte(strings.Repeat(`,{"timestamp":1,"value":2}`, 1<<10))
	for n := 1; n < points; n += 1 << 10 {
		z.Write(more)
	}
	io.WriteString(z, `]}]`)
	check(z.Close())
	check(f.Close())
	read := func(limit int64) (all bool, errs string) {
		r := limited(t, limit, []string{"report", "-f", "json", path})
		var report struct {
			Complete bool
			Series   []struct{ Points int }
		}
		if err := json.Unmarshal([]byte(r.out), &report); err != nil || len(report.Series) != 1 {
			t.Fatalf("%v: status %d: %s", err, r.status, r.errs)
		}
		return report.Complete && report.Series[0].Points >= points, r.errs
	}
	all, errs := read(0)
	named := regexp.MustCompile(`--max-memory (\d+)MiB`).FindStringSubmatch(errs)
	if all || named == nil {
		t.Fatalf("without a limit: all %v, %s", all, errs)
	}
	mib, _ := strconv.ParseInt(named[1], 10, 64)
	if all, errs := read(mib << 20); !all {
		t.Errorf("with %d MiB: %s", mib, errs)
	}
	if all, errs := read(mib << 20 / 8); all || !strings.Contains(errs, "raise it to read more") {
		t.Errorf("with %d MiB: all %v, %s", mib/8, all, errs)
	}
}

// A heap is complete with the memory that info names for it; with a third of that, retained sizes have lower bounds.
func TestNamedMemoryIsEnoughForHeaps(t *testing.T) {
	if modeltest.UnderRace {
		t.Skip("what a process takes under the race detector tells nothing")
	}
	path := filepath.Join(t.TempDir(), "heap.mvmheap")
	self(t, []string{makeVar + "=heap.mvmheap"}, path)
	ask := func(into any, limit int64, args ...string) {
		r := limited(t, limit, append(args, "-f", "json", path))
		if err := json.Unmarshal([]byte(r.out), into); err != nil {
			t.Fatalf("%v: status %d: %s", err, r.status, r.errs)
		}
	}
	var info struct {
		Facts []struct {
			Key   string
			Value int64
		}
	}
	ask(&info, 0, "info")
	memory := int64(0)
	for _, f := range info.Facts {
		if f.Key == "estimated_memory_bytes" {
			memory = f.Value
		}
	}
	for _, part := range []int64{1, 3} {
		var report struct {
			Complete bool
			Heap     struct{ Dominators []struct{ Row int } }
		}
		ask(&report, memory/part, "report")
		if whole := part == 1; report.Complete != whole || len(report.Heap.Dominators) == 0 { // columns are in mapped files where memory is short
			t.Errorf("with %d of the %d bytes: complete %v, %d dominators", memory/part, memory, report.Complete, len(report.Heap.Dominators))
		}
	}
}
