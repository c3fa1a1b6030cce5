//go:build linux

package main_test

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/internal/memtest"
)

// The figures of the program as a whole, on the binary as users run it. MEMTUI_BENCH_TRACE names the recording; without
// it they are about the small sample. Nothing here fails because of a time.

func benchTrace(b *testing.B) string {
	if path := os.Getenv("MEMTUI_BENCH_TRACE"); path != "" {
		return path
	}
	path, err := filepath.Abs(sample)
	if err != nil {
		b.Fatal(err)
	}
	return path
}

// show starts the program at 200×50, with an index kept nowhere.
func show(b *testing.B, path string) *memtest.Session {
	return memtest.Start(b, memtest.Program{Path: binary, Args: []string{"--index", "none", path}, W: 200, H: 50})
}

func hasChart(v *memtest.VT) bool { return strings.ContainsAny(v.Text(), "⣿⣾⣷⣶⣤⣀") }

func isRead(v *memtest.VT) bool {
	first, _, _ := strings.Cut(v.Text(), "\n")
	return strings.Contains(first, "complete") || strings.Contains(first, "damaged") || strings.Contains(first, "≤")
}

func milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

// BenchmarkStart prints the time from starting the process to the first chart on screen, and to everything being read:
// the medians of all runs.
func BenchmarkStart(b *testing.B) {
	path := benchTrace(b)
	var first, all []time.Duration
	for b.Loop() {
		began := time.Now()
		s := show(b, path)
		s.WaitUntil("the first chart", hasChart)
		first = append(first, time.Since(began))
		s.WaitUntil("everything", isRead)
		all = append(all, time.Since(began))
		s.Send("q")
		s.Exit()
	}
	slices.Sort(first)
	slices.Sort(all)
	b.ReportMetric(milliseconds(first[len(first)/2]), "ms-to-chart")
	b.ReportMetric(milliseconds(all[len(all)/2]), "ms-to-everything")
}

// BenchmarkReopen prints the time from starting the process to the first chart on screen, and the memory then, of a
// trace whose index is kept: the best of all runs. Of that, memory without a file behind it is said apart.
func BenchmarkReopen(b *testing.B) {
	path, cache := benchTrace(b), b.TempDir()
	write := exec.Command(binary, "report", "--limit", "1", path)
	write.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache)
	if err := write.Run(); err != nil {
		b.Fatal(err)
	}
	if files, _ := filepath.Glob(filepath.Join(cache, "memtui", "*")); len(files) == 0 {
		b.Skip("no index is kept of a trace as small as that")
	}
	first, cpu, memory, anonymous := time.Hour, time.Hour, int64(math.MaxInt64), int64(math.MaxInt64)
	for b.Loop() {
		began := time.Now()
		s := memtest.Start(b, memtest.Program{Path: binary, Args: []string{path}, W: 200, H: 50, Env: []string{"XDG_CACHE_HOME=" + cache}})
		s.WaitUntil("the first chart", hasChart)
		first, cpu = min(first, time.Since(began)), min(cpu, processorTime(s))
		memory, anonymous = min(memory, statusLine(b, s, "VmRSS")), min(anonymous, statusLine(b, s, "RssAnon"))
		s.WaitUntil("everything", isRead)
		s.Send("q")
		s.Exit()
	}
	b.ReportMetric(milliseconds(first), "ms-to-chart")
	b.ReportMetric(milliseconds(cpu), "cpu-ms-to-chart")
	b.ReportMetric(float64(memory)/(1<<20), "MiB-then")
	b.ReportMetric(float64(anonymous)/(1<<20), "MiB-anonymous-then")
}

// processorTime is what all threads of a running program have used.
func processorTime(s *memtest.Session) (sum time.Duration) {
	files, _ := filepath.Glob("/proc/" + strconv.Itoa(s.Pid()) + "/task/*/schedstat")
	for _, name := range files {
		b, _ := os.ReadFile(name)
		ns, _, _ := strings.Cut(string(b), " ")
		n, _ := strconv.ParseInt(ns, 10, 64)
		sum += time.Duration(n)
	}
	return sum
}

// BenchmarkVersion prints what the least of all commands costs on a terminal that never answers, and that it asks
// nothing.
func BenchmarkVersion(b *testing.B) {
	best := time.Hour
	asked := 0
	for b.Loop() {
		began := time.Now()
		s := memtest.Start(b, memtest.Program{Path: binary, Args: []string{"version"}})
		s.Exit()
		best = min(best, time.Since(began))
		asked += strings.Count(s.Raw(), "\x1b")
	}
	b.ReportMetric(milliseconds(best), "ms-best")
	b.ReportMetric(float64(asked), "questions")
}

// peakMemory is the most memory a running program has had, in bytes.
func peakMemory(b *testing.B, s *memtest.Session) int64 { return statusLine(b, s, "VmHWM") }

// statusLine is one of the figures about memory that the system has of a running program, in bytes.
func statusLine(b *testing.B, s *memtest.Session, name string) int64 {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(s.Pid()) + "/status")
	m := regexp.MustCompile(name + `:\s+(\d+) kB`).FindSubmatch(status)
	if err != nil || m == nil {
		b.Skip("no memory figures on this system")
	}
	kb, _ := strconv.ParseInt(string(m[1]), 10, 64)
	return kb << 10
}

var (
	eventsLine   = regexp.MustCompile(`"events": *(\d+)`)
	metadataLine = regexp.MustCompile(`"metadata_bytes".*"value": *(\d+)`)
)

func number(b *testing.B, re *regexp.Regexp, args ...string) float64 {
	out, err := exec.Command(binary, args...).Output()
	m := re.FindSubmatch(out)
	if err != nil || m == nil {
		b.Fatalf("%v prints no %v: %v", args, re, err)
	}
	n, _ := strconv.ParseFloat(string(m[1]), 64)
	return n
}

// BenchmarkMemory prints the peak memory of the program with everything read and every screen looked at, less that with
// the small sample, per event, once as it is and once less the size of the metadata.
func BenchmarkMemory(b *testing.B) {
	path := benchTrace(b)
	events := number(b, eventsLine, "report", "-f", "json", "--limit", "1", path)
	metadata := number(b, metadataLine, "info", "-f", "json", path)
	visit := func(path string) int64 {
		s := show(b, path)
		s.WaitUntil("everything", isRead)
		for _, screen := range []string{"2Timeline", "3Sites", "4Leaks", "5Stacks", "1Overview"} {
			s.Send(screen[:1])
			s.WaitFor(screen[1:])
		}
		n := peakMemory(b, s)
		s.Send("q")
		s.Exit()
		return n
	}
	idle, err := filepath.Abs(sample)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		n := float64(visit(path) - visit(idle))
		b.ReportMetric(n/(1<<20), "MiB")
		b.ReportMetric(n/events, "B/event")
		b.ReportMetric((n-metadata)/events, "B/event-less-metadata")
	}
}

// settle waits until nothing has been received for a while, and returns how much was.
func settle(s *memtest.Session) int {
	const quiet = 60 * time.Millisecond
	n := s.Received()
	for {
		time.Sleep(quiet)
		now := s.Received()
		if now == n {
			return n
		}
		n = now
	}
}

// BenchmarkBytes prints how much is sent to the terminal when nothing changes, and per column that the instant moves on
// the Timeline at 200×50: median and 99th percentile.
func BenchmarkBytes(b *testing.B) {
	for b.Loop() {
		s := show(b, benchTrace(b))
		s.WaitUntil("everything", isRead)
		s.Send("2")
		s.WaitFor("Timeline")
		time.Sleep(time.Second) // trends and shapes come last
		before := settle(s)
		s.Send("\x1b[99~") // a key that nothing is bound to
		b.ReportMetric(float64(settle(s)-before), "B-when-idle")
		var steps []int
		for range 190 {
			before = settle(s)
			s.Send("h")
			steps = append(steps, settle(s)-before)
		}
		slices.Sort(steps)
		b.ReportMetric(float64(steps[len(steps)/2]), "B-median")
		b.ReportMetric(float64(steps[len(steps)*99/100-1]), "B-99th-percentile")
		b.ReportMetric(float64(steps[len(steps)-1]), "B-worst")
		s.Send("q")
		s.Exit()
	}
}
