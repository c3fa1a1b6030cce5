package cli

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/progress"
	"github.com/memtui/memtui/internal/cli/screen"
	"github.com/memtui/memtui/internal/memory"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders/mvmheap"
	"github.com/memtui/memtui/views"
)

// run runs one command in this process, with an empty environment.
func run(t *testing.T, env Env, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	env.Args, env.Stdout, env.Stderr = args, &out, &err
	if env.Getenv == nil {
		env.Getenv = func(string) string { return "" }
	}
	status = Main(t.Context(), env)
	return status, out.String(), err.String()
}

const sample = "../../testdata/small_kvleak.mlyze"

func TestHostileFileNames(t *testing.T) {
	modeltest.Plain(t)
	kv, err := os.ReadFile(sample)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "evil\x1b[2J\x07\u202e.mlyze")
	if err := os.WriteFile(path, kv[:len(kv)-1001], 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"report", path}, {"report", "-f", "json", path}, {"report", "-f", "markdown", path}, {"report", "-f", "csv", path},
		{"validate", path}, {"info", path}, {"info", path + "gone"}, {"report", "--\x1b[2J", path}, {path, path + "\x1b"},
		{"diff", path, sample}, {"diff", "-f", "json", path, sample, "--mask", "\u202e=\x07"}, {"diff", "-f", "markdown", sample, path}, {"diff", "-f", "csv", path, path},
		{"diff", "--group", "\x1b[2J", path, path}, {"diff", "--a", "\x1b[2J", path}, {"check", path, "--max-leak", "1", "--base", path},
		{"check", "-f", "json", path, "--max-leak", "1"}, {"check", path, "--max-peak", "\x1b[2J"},
	} {
		_, out, errs := run(t, Env{}, args...)
		if out+errs == "" {
			t.Errorf("%q says nothing", args)
		}
		for _, r := range out + errs {
			if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x202e) {
				t.Errorf("%q prints %U", args, r)
				break
			}
		}
	}
}

func TestFullScreenGetsTheFileWhileItLoads(t *testing.T) {
	var got screen.Screen
	shown := func(_ context.Context, s screen.Screen) error {
		got = s
		if s.Store.Current() == nil {
			t.Error("started before there was anything to show")
		}
		<-s.Done
		if p := s.Store.Current(); !p.Complete || s.Trace.Status().Events != 14012 {
			t.Errorf("complete %v, %d events", p.Complete, s.Trace.Status().Events)
		}
		return nil
	}
	status, out, errs := run(t, Env{IsTerminal: true, FullScreen: shown}, sample, "--no-mouse", "--theme", "light", "--frame-order", "leaf-first")
	if status != 0 || out+errs != "" {
		t.Errorf("status %d, output %q, %q", status, out, errs)
	}
	if got.Mouse || got.Theme != "light" || strings.Join(got.Command, " ") != "--frame-order leaf-first "+sample {
		t.Errorf("started with %+v", got)
	}
	if status, _, _ := run(t, Env{IsTerminal: true, FullScreen: shown}, "demo"); status != 0 {
		t.Errorf("the demo ends with status %d", status)
	}
}

func TestReadingAgain(t *testing.T) {
	for _, name := range []string{sample, "demo"} {
		times := 0
		shown := func(_ context.Context, s screen.Screen) error {
			if times++; times < 3 {
				return views.ErrReload
			}
			return nil
		}
		if status, _, errs := run(t, Env{IsTerminal: true, FullScreen: shown}, name); status != 0 || times != 3 {
			t.Errorf("%s: shown %d times, status %d, %q", name, times, status, errs)
		}
	}
}

func TestFullScreenNeverStartsWithoutAnythingToShow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "short.mlyze")
	if err := os.WriteFile(path, []byte("MLYZ"), 0o666); err != nil {
		t.Fatal(err)
	}
	never := func(context.Context, screen.Screen) error { return errors.New("started") }
	if status, _, errs := run(t, Env{IsTerminal: true, FullScreen: never}, path); status != fail.StatusInput || strings.Contains(errs, "started") {
		t.Errorf("status %d: %s", status, errs)
	}
}

func TestInterruptedCommandsEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out, errs bytes.Buffer
	status := Main(ctx, Env{
		Args: []string{"report", sample}, Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" },
	})
	if status != fail.StatusSignal || out.Len() > 0 {
		t.Errorf("status %d, output %q, %q", status, out.String(), errs.String())
	}
}

func TestStandardOutputThatFails(t *testing.T) {
	var errs bytes.Buffer
	status := Main(t.Context(), Env{
		Args: []string{"report", sample}, Stdout: full{}, Stderr: &errs, Getenv: func(string) string { return "" },
	})
	if status == fail.Done || !strings.Contains(errs.String(), "no space") {
		t.Errorf("status %d: %s", status, errs.String())
	}
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

func TestMemoryLimitStopsReading(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	status, out, errs := run(t, Env{}, "report", "-f", "json", "--max-memory", "64K", sample)
	if status != 0 || !strings.Contains(out, `"complete": false`) || !strings.Contains(errs, "incomplete") {
		t.Errorf("status %d: %.300s %s", status, out, errs)
	}
	if after := debug.SetMemoryLimit(-1); after != before {
		t.Errorf("the command's limit of %d bytes outlives it", after)
	}
}

func TestFullScreenOfDumpsBeginsWhereTheUserAsks(t *testing.T) {
	const dump = "../../loaders/memdump/testdata/small.mb"
	got, after := -1, -1
	shown := func(_ context.Context, s screen.Screen) error {
		got, after = -1, -1
		if n := s.HeapStart.Snapshot; n != nil {
			got = *n
		}
		if n := s.HeapStart.After; n != nil {
			after = *n
		}
		return nil
	}
	for _, tt := range []struct {
		args []string
		want int
	}{
		{[]string{dump}, -1},
		{[]string{dump + "#0"}, 0},
		{[]string{dump + "#-1"}, 1},
		{[]string{dump, "--snapshot", "1"}, 1},
		{[]string{dump, "--point", "3"}, 1},
		{[]string{dump, "--series", "0"}, 0}, // its last one has no pages
		{[]string{dump, "--series", "0", "--point", "1"}, 0},
	} {
		if status, _, errs := run(t, Env{IsTerminal: true, FullScreen: shown}, tt.args...); status != 0 || got != tt.want {
			t.Errorf("%q: layout %d, status %d, %s", tt.args, got, status, errs)
		}
	}
	if status, _, errs := run(t, Env{IsTerminal: true, FullScreen: shown}, dump+"#0", dump+"#1"); status != 0 || got != 0 || after != 1 {
		t.Errorf("two places of one file: layouts %d and %d, status %d, %s", got, after, status, errs)
	}
	for _, args := range [][]string{{dump + "#2"}, {dump, dump + "#2"}, {dump, "--series", "3"}, {dump, "--series", "2"}, {dump, "--point", "0"}} {
		if status, _, errs := run(t, Env{IsTerminal: true, FullScreen: shown}, args...); status != fail.StatusUsage {
			t.Errorf("%q: status %d, %s", args, status, errs)
		}
	}
}

const heapSample = "../demo/samples/records.mvmheap"

func TestFullScreenOfSnapshotsBeginsWhereTheUserAsks(t *testing.T) {
	var got screen.Screen
	shown := func(_ context.Context, s screen.Screen) error { got = s; return nil }
	start := func(args ...string) (snapshot, after int) {
		t.Helper()
		got = screen.Screen{}
		if status, _, errs := run(t, Env{IsTerminal: true, FullScreen: shown}, args...); status != 0 {
			t.Fatalf("%q: status %d, %s", args, status, errs)
		}
		if got.Trace != nil || got.Store.Current().Heaps == nil {
			t.Errorf("%q: not started as a file of snapshots", args)
		}
		snapshot, after = -1, -1
		if p := got.HeapStart.Snapshot; p != nil {
			snapshot = *p
		}
		if p := got.HeapStart.After; p != nil {
			after = *p
		}
		return snapshot, after
	}
	if snapshot, after := start(heapSample); snapshot != -1 || after != -1 || got.Second != nil {
		t.Errorf("without a number: %d, %d", snapshot, after)
	}
	if snapshot, _ := start(heapSample + "#-3"); snapshot != 0 || got.Command[0] != heapSample {
		t.Errorf("snapshot %d of %q", snapshot, got.Command)
	}
	if snapshot, _ := start("demo", "heap", "--snapshot", "1", "--edges", "all"); snapshot != 1 || got.HeapStart.Edges != mvmheap.AllEdges {
		t.Errorf("snapshot %d, edges %d", snapshot, got.HeapStart.Edges)
	}
	if snapshot, after := start(heapSample+"#0", heapSample+"#2"); snapshot != 0 || after != 2 || got.Second == nil || got.Second.Heaps == nil || got.Second.Name != "records.mvmheap" {
		t.Errorf("two files: %d, %d of %v", snapshot, after, got.Second)
	}
	for _, args := range [][]string{{heapSample + "#3"}, {sample, "--snapshot", "1"}, {heapSample, sample}} {
		if status, _, errs := run(t, Env{IsTerminal: true, FullScreen: shown}, args...); status != fail.StatusUsage {
			t.Errorf("%q: status %d, %s", args, status, errs)
		}
	}
}

// TestFullScreenOfTwoTraces opens two files of stacks, which every screen compares.
func TestFullScreenOfTwoTraces(t *testing.T) {
	var got screen.Screen
	shown := func(_ context.Context, s screen.Screen) error {
		got = s
		if second, err := s.OpenSecond(sample); err != nil || second.Trace == nil {
			t.Errorf("a file opened from within: %+v, %v", second, err)
		}
		if _, err := s.OpenSecond(heapSample); err == nil {
			t.Error("a heap snapshot beside a trace")
		}
		return nil
	}
	if status, _, errs := run(t, Env{IsTerminal: true, FullScreen: shown}, sample, sample); status != fail.Done {
		t.Fatalf("status %d, %s", status, errs)
	}
	if got.Second == nil || got.Second.Trace == nil || got.Second.Name != "small_kvleak.mlyze" {
		t.Errorf("%+v", got.Second)
	}
}

// TestProgressLeavesTheScreenAlone asks for the line while there is a screen.
func TestProgressLeavesTheScreenAlone(t *testing.T) {
	var tty bytes.Buffer
	env := Env{Args: []string{sample}, IsTerminal: true, Getenv: func(string) string { return "" }}
	var p *progress.Line
	env.Stdout, env.Stderr, p = progress.Watch(&tty, &tty, true, func() bool { return true })
	shown := false
	env.FullScreen = func(context.Context, screen.Screen) error {
		shown = true
		p.Show()
		return nil
	}
	a := &app{env: env, out: bufio.NewWriter(io.Discard), progress: p, collector: &memory.Collector{}, ending: &ending{}}
	if err := a.run(t.Context()); err != nil || !shown || tty.Len() > 0 {
		t.Errorf("%v: %q", err, tty.String())
	}
}
