package spaa

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// BenchmarkGoals prints how reading compares with other readers, side by side: megabytes a second, the share of a bare
// scan for ends of lines, and how many times as fast as jq and simdjson it is where they are installed; then what
// memory a process takes, and when there is something to see. The file has as many megabytes as MEMTUI_BENCH_SPAA_MB
// says.
func BenchmarkGoals(b *testing.B) {
	path := benchPath(b)
	src := benchSource(b, path)
	data := mapped(b, src)
	b.ResetTimer()
	for b.Loop() {
		wall, cpu := sideBySide(5,
			func() { countLines(data) }, func() { parseAll(b, src) }, func() { loadAll(b, src) }, func() { validateAll(b, src) })
		mb := float64(len(data)) / 1e6
		for i, name := range []string{"newlines", "parse", "load", "validate"} {
			b.ReportMetric(mb/wall[i].Seconds(), name+"-MB/s")
			b.ReportMetric(float64(cpu[i].Milliseconds()), name+"-cpu-ms")
		}
		b.ReportMetric(100*wall[0].Seconds()/wall[1].Seconds(), "parse-%-of-newlines")
		b.ReportMetric(wall[2].Seconds()/wall[3].Seconds(), "validate/load")
		b.ReportMetric(float64(firstScreen(b, path).Microseconds())/1000, "first-screen-ms")
		if s, ok := simdjson(b, path); ok {
			b.ReportMetric(s.Seconds()/wall[1].Seconds(), "x-simdjson")
		}
		if s, ok := jq(b, path); ok {
			b.ReportMetric(s.Seconds()/wall[1].Seconds(), "x-jq")
		}
		peak := childPeak(b, path)
		b.ReportMetric(float64(peak)/1e6, "peak-MB")
		b.ReportMetric(100*float64(peak)/float64(len(data)), "peak-%-of-file")
	}
}

// sideBySide runs the functions in turn and returns the least time of each, and of the processor.
func sideBySide(rounds int, run ...func()) (wall, cpu []time.Duration) {
	wall, cpu = make([]time.Duration, len(run)), make([]time.Duration, len(run))
	for round := range rounds {
		for i, f := range run {
			start, used := time.Now(), processorTime()
			f()
			w, c := time.Since(start), processorTime()-used
			if round == 0 || w < wall[i] {
				wall[i] = w
			}
			if round == 0 || c < cpu[i] {
				cpu[i] = c
			}
		}
	}
	return wall, cpu
}

func processorTime() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// firstScreen is when the first profile of a file that is being read is there.
func firstScreen(b *testing.B, path string) time.Duration {
	start := time.Now()
	src := openFile(b, path)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	var store model.Store
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = load(ctx, src, loaders.Options{}, &store) // stopped in the middle
	}()
	for store.Current() == nil {
		runtime.Gosched()
	}
	took := time.Since(start)
	stop()
	<-done
	return took
}

// simdjson compiles and runs a reader that asks the same of each line, on one core.
func simdjson(b *testing.B, path string) (took time.Duration, ok bool) {
	program := filepath.Join(b.TempDir(), "simdjson")
	if out, err := exec.Command("g++", "-O3", "-march=native", "-std=c++17", "testdata/simdjson.cpp", "-lsimdjson", "-o", program).CombinedOutput(); err != nil {
		b.Logf("no simdjson: %v: %.100s", err, out)
		return 0, false
	}
	out, err := exec.Command(program, path).Output()
	if err != nil {
		b.Fatal(err)
	}
	took, err = time.ParseDuration(strings.Fields(string(out))[0] + "s")
	if err != nil {
		b.Fatal(err)
	}
	return took, true
}

func jq(b *testing.B, path string) (took time.Duration, ok bool) {
	if _, err := exec.LookPath("jq"); err != nil {
		return 0, false
	}
	start := time.Now()
	if err := exec.Command("jq", "-c", `select(.type == "none")`, path).Run(); err != nil {
		b.Fatal(err)
	}
	return time.Since(start), true
}

// childVariable names a file that this program, run as a child, loads and nothing else.
const childVariable = "MEMTUI_TEST_LOAD"

// childPeak is the most memory that a process takes that loads a file.
func childPeak(t testing.TB, path string) int64 {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestChildLoads$", "-test.v")
	child.Env = append(os.Environ(), childVariable+"="+path)
	out, err := child.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	_, after, ok := strings.Cut(string(out), "VmHWM:") // what wait tells counts the parent's memory, too
	if !ok {
		t.Skip("this system does not tell")
	}
	kib, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kib << 10
}

func TestChildLoads(t *testing.T) {
	path := os.Getenv(childVariable)
	if path == "" {
		t.Skip("only for a child")
	}
	debug.SetGCPercent(10) // as the program does
	p := loadAll(t, openFile(t, path))
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	t.Log(string(status))
	runtime.KeepAlive(p)
}

// BenchmarkPeak prints what memory a process takes for files of several sizes, and what info says that it will.
func BenchmarkPeak(b *testing.B) {
	for _, size := range []int{4, 16, 64, 256} {
		b.Run(fmt.Sprintf("%dMB", size), func(b *testing.B) {
			path := madeFile(b, size)
			for b.Loop() {
				peak := float64(childPeak(b, path))
				b.ReportMetric(peak/1e6, "peak-MB")
				b.ReportMetric(float64(estimateOf(b, path))/1e6, "estimated-MB")
			}
		})
	}
}

// estimateOf is what info says of the memory that opening a file takes.
func estimateOf(t testing.TB, path string) int64 {
	t.Helper()
	p, err := info(context.Background(), openFile(t, path), loaders.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range p.Meta.Facts {
		if f.Key == "estimated_memory_bytes" {
			return f.Int
		}
	}
	t.Fatal("no estimate")
	return 0
}

// BenchmarkRange prints how long it takes from a range of two million samples to what screens show: the weights of
// records, the curve, the functions, and the sums over a tree of stacks.
func BenchmarkRange(b *testing.B) {
	p := loadAll(b, openFile(b, madeFile(b, 433)))
	w, ctx := p.Weights, context.Background()
	metric, _ := weights.DefaultMetric(w, 0)
	end := w.Samples[len(w.Samples)-1].Last
	tree, err := calltree.NewLeafTree(ctx, p.Stacks, w.Records.Node, calltree.TreeOptions{})
	if err != nil {
		b.Fatal(err)
	}
	folded := make([]uint64, w.Records.Len())
	for b.Loop() {
		var s *weights.Selection
		_, cpu := sideBySide(5,
			func() { s, _, _ = weights.SelectSamples(ctx, p, 0, metric, end/4, end/2) },
			func() { _, _ = weights.SampleCurve(ctx, w, 0, nil, false, 0, end, 200) },
			func() { _, _ = weights.Table(ctx, weights.ByFunctionDSO, nil, s) },
			func() { tree.Fold(folded) })
		for i, name := range []string{"select", "curve", "functions", "fold"} {
			b.ReportMetric(float64(cpu[i].Microseconds())/1000, name+"-ms")
		}
	}
}
