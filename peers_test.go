//go:build linux

package main_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// interpreter is where distributions keep the part of heaptrack that matches pointers and finds symbols.
const interpreter = "/usr/lib/heaptrack/libexec/heaptrack_interpret"

// cost is what a command took.
type cost struct {
	wall, cpu time.Duration
	memory    int64 // most bytes resident
}

func (c *cost) least(o cost) {
	if c.wall == 0 {
		*c = o
	}
	c.wall, c.cpu, c.memory = min(c.wall, o.wall), min(c.cpu, o.cpu), min(c.memory, o.memory)
}

// took runs a command whose standard input and output are files, /dev/null where there is no name. What others have
// written is on disk by then: nobody pays for that.
func took(b *testing.B, in, out string, env []string, args ...string) cost {
	files := [2]*os.File{}
	for i, name := range []string{in, out} {
		if name == "" {
			name = os.DevNull
		}
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		files[i] = f
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Env = files[0], files[1], append(os.Environ(), env...)
	syscall.Sync()
	began := time.Now()
	if err := cmd.Run(); err != nil {
		b.Fatalf("%v: %v", args, err)
	}
	c := cost{wall: time.Since(began), cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.memory = u.Maxrss << 10
	}
	return c
}

// warm reads a file, so that it is in the system's memory: it may have been given up while others ran.
func warm(b *testing.B, path string) string {
	f, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if _, err := io.Copy(io.Discard, f); err != nil {
		b.Fatal(err)
	}
	return path
}

// unpack writes what heaptrack has recorded to a file, and returns its name.
func unpack(b *testing.B, path string) string {
	if !strings.HasSuffix(path, ".zst") {
		return path
	}
	in, err := os.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	d, err := zstd.NewReader(in)
	if err != nil {
		b.Fatal(err)
	}
	defer d.Close()
	name := filepath.Join(b.TempDir(), "raw")
	out, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	if _, err := io.Copy(out, d); err != nil {
		b.Fatal(err)
	}
	return name
}

// BenchmarkPeers prints how many times longer the programs of heaptrack take than memtui with the same events: a whole
// process each, in turns, the best of all runs; once by the time of day and once by processor time. memtui reads
// metadata and events and writes its index; the others print their reports. MEMTUI_BENCH_TRACE is the trace,
// MEMTUI_BENCH_HEAPTRACK the raw recording that it was made from.
func BenchmarkPeers(b *testing.B) {
	trace, raw := os.Getenv("MEMTUI_BENCH_TRACE"), os.Getenv("MEMTUI_BENCH_HEAPTRACK")
	printer, err := exec.LookPath("heaptrack_print")
	if trace == "" || raw == "" || err != nil {
		b.Skip("needs MEMTUI_BENCH_TRACE, MEMTUI_BENCH_HEAPTRACK and heaptrack_print")
	}
	raw = unpack(b, raw)
	if trace, err = filepath.Abs(trace); err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	matched, massif := filepath.Join(dir, "matched"), filepath.Join(dir, "massif")
	var own, interpret, printed, timeline cost
	var index int64
	for b.Loop() {
		link := filepath.Join(b.TempDir(), "trace.mlyze")
		if err := os.Symlink(warm(b, trace), link); err != nil {
			b.Fatal(err)
		}
		own.least(took(b, "", "", nil, binary, "index", "--index", "beside", link))
		index = size(b, link+indexSuffix)
		interpret.least(took(b, warm(b, raw), matched, nil, interpreter))
		printed.least(took(b, "", "", nil, printer, warm(b, matched)))
		if b.N == 1 || timeline.wall == 0 { // it takes too long to repeat
			timeline.least(took(b, "", "", nil, printer, "-M", massif, matched))
		}
	}
	events := number(b, eventsLine, "report", "-f", "json", "--limit", "1", trace)
	for _, peer := range []struct {
		name string
		cost
	}{
		{"x-print", printed},
		{"x-interpret-and-print", cost{wall: interpret.wall + printed.wall, cpu: interpret.cpu + printed.cpu}},
		{"x-timeline", timeline},
	} {
		b.ReportMetric(peer.wall.Seconds()/own.wall.Seconds(), peer.name)
		b.ReportMetric(peer.cpu.Seconds()/own.cpu.Seconds(), "cpu-"+peer.name)
	}
	b.ReportMetric(events/own.wall.Seconds()/1e6, "Mevents/s")
	b.ReportMetric(float64(own.memory)/(1<<20), "MiB-peak")
	b.ReportMetric(float64(index)/events, "index-B/event")
}

// size is how many bytes a file has.
func size(b *testing.B, path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	return info.Size()
}

// BenchmarkInterpreted prints the processor time of an event in an interpreted recording of heaptrack beside that of
// the same event in a .mlyze, both by building the index, and how many times longer heaptrack_print takes: whole
// processes in turns, the best of all runs. MEMTUI_BENCH_INTERPRETED is the recording, compressed or not.
func BenchmarkInterpreted(b *testing.B) {
	recording := os.Getenv("MEMTUI_BENCH_INTERPRETED")
	if recording == "" {
		b.Skip("needs MEMTUI_BENCH_INTERPRETED")
	}
	recording, err := filepath.Abs(recording)
	if err != nil {
		b.Fatal(err)
	}
	trace := filepath.Join(b.TempDir(), "same.mlyze")
	took(b, "", "", nil, binary, "convert", "--to", "mlyze", "-o", trace, recording)
	printer, _ := exec.LookPath("heaptrack_print")
	var own, same, printed cost
	for b.Loop() {
		for path, c := range map[string]*cost{recording: &own, trace: &same} {
			link := filepath.Join(b.TempDir(), filepath.Base(path))
			if err := os.Symlink(warm(b, path), link); err != nil {
				b.Fatal(err)
			}
			c.least(took(b, "", "", nil, binary, "index", "--index", "beside", link))
		}
		if printer != "" {
			printed.least(took(b, "", "", nil, printer, warm(b, recording)))
		}
	}
	events := number(b, eventsLine, "report", "-f", "json", "--limit", "1", trace)
	for name, c := range map[string]cost{"heaptrack": own, "mlyze": same} {
		b.ReportMetric(float64(c.cpu.Nanoseconds())/events, "cpu-ns/event-"+name)
		b.ReportMetric(float64(c.wall.Nanoseconds())/events, "ns/event-"+name)
	}
	if printer != "" {
		b.ReportMetric(printed.wall.Seconds()/own.wall.Seconds(), "x-print")
		b.ReportMetric(printed.cpu.Seconds()/own.cpu.Seconds(), "cpu-x-print")
	}
}
