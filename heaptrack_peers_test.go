//go:build linux

package main_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// interpretedRecording writes a recording of heaptrack as its interpreter makes it, of about as many events: most
// blocks die young.
func interpretedRecording(events int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	var b bytes.Buffer
	b.WriteString("v 10400 3\nX program\nI 1000 5e2990\ns 7 program\ns 4 work\ni 401000 1 2\n")
	const stacks, kinds, most = 500, 3000, 100_000
	for i := range stacks {
		fmt.Fprintf(&b, "t 1 %x\n", i/2)
	}
	for range kinds {
		fmt.Fprintf(&b, "a %x %x\n", 8+8*rng.IntN(1<<rng.IntN(9)), 1+rng.IntN(stacks))
	}
	var live []int
	for i := range events {
		if i%5000 == 0 {
			fmt.Fprintf(&b, "c %x\nR %x\n", i/500, 1000+len(live)/100)
		}
		if n := len(live); n > most || n > 0 && rng.IntN(16) < 7 {
			at := max(n-1-rng.IntN(1<<rng.IntN(12)), 0)
			fmt.Fprintf(&b, "- %x\n", live[at])
			live = append(live[:at], live[at+1:]...)
			continue
		}
		live = append(live, rng.IntN(1<<rng.IntN(12))%kinds)
		fmt.Fprintf(&b, "+ %x\n", live[len(live)-1])
	}
	return b.Bytes()
}

// BenchmarkHeaptrack prints what an event of a recording costs, next to one of a .mlyze of the same events, and how
// many times longer heaptrack_print takes, where that is installed: whole processes in turns, the best of all runs.
// MEMTUI_BENCH_INTERPRETED is the recording; without it one is made up.
func BenchmarkHeaptrack(b *testing.B) {
	dir := b.TempDir()
	recording := filepath.Join(dir, "recording.heaptrack")
	if path := os.Getenv("MEMTUI_BENCH_INTERPRETED"); path != "" {
		path, err := filepath.Abs(path)
		if err != nil {
			b.Fatal(err)
		}
		recording = filepath.Join(dir, filepath.Base(path)) // heaptrack_print goes by the suffix
		if err := os.Symlink(path, recording); err != nil {
			b.Fatal(err)
		}
	} else if err := os.WriteFile(recording, interpretedRecording(4_000_000), 0o600); err != nil {
		b.Fatal(err)
	}
	trace := filepath.Join(dir, "trace.mlyze")
	took(b, "", "", nil, binary, "convert", recording, trace)
	printer, _ := exec.LookPath("heaptrack_print")
	var text, reported, native, printed cost
	for b.Loop() {
		for _, file := range []string{recording, trace} {
			if err := os.Remove(warm(b, file) + indexSuffix); err != nil && !os.IsNotExist(err) {
				b.Fatal(err)
			}
		}
		text.least(took(b, "", "", nil, binary, "index", "--index", "beside", recording))
		native.least(took(b, "", "", nil, binary, "index", "--index", "beside", trace))
		reported.least(took(b, "", "", nil, binary, "report", "--index", "none", recording))
		if printer != "" {
			printed.least(took(b, "", "", nil, printer, recording))
		}
	}
	events := number(b, eventsLine, "report", "-f", "json", "--limit", "1", trace)
	each := func(d time.Duration) float64 { return float64(d.Nanoseconds()) / events }
	b.ReportMetric(each(text.cpu), "cpu-ns/event")
	b.ReportMetric(each(native.cpu), "mlyze-cpu-ns/event")
	b.ReportMetric(each(text.wall), "wall-ns/event")
	b.ReportMetric(each(native.wall), "mlyze-wall-ns/event")
	if printer != "" {
		b.ReportMetric(printed.wall.Seconds()/text.wall.Seconds(), "x-print")
		b.ReportMetric(printed.cpu.Seconds()/text.cpu.Seconds(), "cpu-x-print")
		b.ReportMetric(printed.wall.Seconds()/reported.wall.Seconds(), "report-x-print")
		b.ReportMetric(printed.cpu.Seconds()/reported.cpu.Seconds(), "cpu-report-x-print")
	}
}
