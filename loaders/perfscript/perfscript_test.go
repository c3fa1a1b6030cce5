package perfscript

import (
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/hostile"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

func TestSamples(t *testing.T) {
	p, got := hostile.Totals(t, Format(), "testdata/perf.script.txt")
	if got["samples"] != "39" || got["period"] != "7800000" || !p.Complete || p.Weights.Counts.Samples != 39 || p.Weights.End <= 0 {
		t.Errorf("%v, %v, %+v", got, p.Complete, p.Problems)
	}
	n := p.Weights.Records.Node[0]
	if leaf := p.Stacks.At(p.Stacks.Frame[n]); leaf.Function != "finish_task_switch.isra.0" {
		t.Errorf("%+v", leaf)
	}
	if kind := p.Weights.FrameKind[p.Stacks.Frame[n]]; kind != model.FrameKernel {
		t.Error(kind)
	}
}

// TestHeaders reads what perf prints by other options.
func TestHeaders(t *testing.T) {
	for _, c := range []struct {
		header, event, comm string
		pid, tid            int64
		cpu                 uint16
	}{
		{"a b 7 [003] 5.000001: 10 cycles:u: ", "cycles:u", "a b", -1, 7, 3},
		{"java 12/13 5.000001: 1 probe_libc:malloc: (7f00)", "probe_libc:malloc", "java", 12, 13, model.NoCPU},
		{"swapper     0 [000] 5.0: cpu-clock:pppH: ", "cpu-clock:pppH", "swapper", -1, 0, 0},
	} {
		p, err := hostile.Read(t.Context(), Format(), []byte(c.header+"\n\t  7f f+0x1 (/bin/x)\n\n"))
		if err != nil {
			t.Fatal(err)
		}
		w := p.Weights
		th := w.Threads[len(w.Threads)-1]
		if len(w.Events) != 1 || w.Events[0].Name != c.event || th.Comm != c.comm || th.PID != c.pid || th.TID != c.tid || w.Samples[0].At(0).CPU != c.cpu {
			t.Errorf("%q: %+v %+v %+v", c.header, w.Events, th, p.Problems)
		}
	}
}

func TestProseIsNoSample(t *testing.T) {
	for _, text := range []string{"Once upon a time 3 4.5: there was\nno frame\n", "main 1 2: 3\n", strings.Repeat("a;b;c 1\n", 9)} {
		if sniff([]byte(text)) != 0 {
			t.Errorf("%q is taken for samples", text)
		}
	}
}

func TestHostileFiles(t *testing.T) { hostile.Files(t, Format(), "testdata/perf.script.txt") }

func FuzzPerfScript(f *testing.F) { hostile.Fuzz(f, Format(), "testdata/perf.script.txt") }

// TestSourceLines reads the places of `perf script --header -F +srcline`, below a header that is longer than a sample.
func TestSourceLines(t *testing.T) {
	text := "# ========\n# captured on    : Mon Nov 23 11:53:39 2026\n" + strings.Repeat("# node of the machine\n#\n", 400) +
		"app 1/2 [000] 5.0:     10 cycles: \n\t  7f f+0x1 (/bin/x)\n  dir:a/f.c:12\n\t 8f main (/bin/x)\n  x[8f]\n\t 9f _start (/bin/x)\n  :0\n\n"
	r := hostile.Open(t, Format(), []byte(text))
	if r.Err != nil || r.Sniffed != loaders.Sure || !r.Profile.Complete {
		t.Fatalf("%v, recognized %v, %+v", r.Err, r.Sniffed, r.Profile)
	}
	want := []model.Frame{{Function: "_start", Line: model.NoLine}, {Function: "main", Line: model.NoLine}, {Function: "f", File: "dir:a/f.c", Line: 12}}
	if got := hostile.Stacks(r.Profile); len(got) != 1 || !slices.Equal(got[0].Frames, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if p, err := hostile.Read(t.Context(), Format(), []byte(strings.Replace(text, "  x[8f]", "  prose", 1))); err != nil || p.Complete {
		t.Errorf("a line of prose is no place: %v", err)
	}
}
