package record

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/mlyze"
	"github.com/memtui/memtui/loaders/mlyze/journal"
	"github.com/memtui/memtui/model"
)

// eventually fails the test unless something becomes true soon.
func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 1000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("never: %s", what)
}

// named returns what sites allocated, by function.
func named(t *testing.T, trace analysis.Trace) string {
	t.Helper()
	sites, err := trace.Sites(t.Context(), analysis.Query{At: analysis.End, Range: analysis.FullRange, By: analysis.ByFunction})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, s := range sites {
		list = append(list, fmt.Sprintf("%s %d/%d live %d/%d", s.Name, s.AllocBytes, s.AllocCount, s.LiveBytes, s.LiveCount))
	}
	return strings.Join(list, "\n")
}

// Whoever follows a recording sees it grow, with names, and at the end what the complete file says, although the names
// of many functions have moved its events by then.
func TestRecordingIsFollowed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.mlyze")
	f, err := newTraceFile(path, time.Now(), "/bin/test", Options{})
	if err != nil {
		t.Fatal(err)
	}
	const functions = 300
	grow := func(from, to int) {
		t.Helper()
		for i := from; i < to; i++ {
			frame := &journal.Frame{Function: fmt.Sprintf("function_%d_%s", i, strings.Repeat("x", 40)), File: "a.c", Line: 7}
			if err := f.note(&journal.Note{Frame: frame}); err != nil {
				t.Fatal(err)
			}
			if err := f.note(&journal.Note{Stack: []uint64{journal.Known | uint64(i+1)}}); err != nil {
				t.Fatal(err)
			}
			_ = f.note(&journal.Note{Point: &journal.Point{Curve: "RSS", At: uint64(i), Value: uint64(i) << 12}})
			for k := range 20 {
				addr := uint64(i*20+k+1) << 5
				f.event(uint64(i*1000+k), &model.Event{Kind: model.Alloc, Addr: addr, Size: uint64(i + 1), ID: uint64(i + 1), Thread: 1})
				if k%2 == 0 {
					f.event(uint64(i*1000+k), &model.Event{Kind: model.Free, Addr: addr})
				}
			}
		}
		if err := f.flush(); err != nil {
			t.Fatal(err)
		}
	}
	grow(0, functions/2)
	in, trace := opened.Growing(t, path)
	done := make(chan error)
	go func() { done <- in.Read(t.Context()) }()
	current := func() *model.Profile {
		if p := in.Store.Current(); p != nil && p.Stacks != nil {
			return p
		}
		return &model.Profile{Stacks: model.NewStacks()}
	}
	eventually(t, "half of it is shown", func() bool {
		return trace.Status().Events == 30*functions/2 && len(current().Stacks.Leaf) == functions/2
	})
	if p := current(); p.Meta.Live != "live" || trace.Status().Final || p.Timeline == nil || len(p.Timeline.Series[0].Times) != functions/2 {
		t.Errorf("state %q, final %v, curves %v", p.Meta.Live, trace.Status().Final, p.Timeline)
	}
	if list, err := trace.Verdicts(t.Context(), analysis.ByStack, ""); err != nil || len(list) == 0 {
		t.Errorf("%d verdicts, %v", len(list), err)
	}
	before := current().Stacks
	leaf := before.Leaf[7]
	grow(functions/2, functions)
	eventually(t, "the rest is shown", func() bool {
		return trace.Status().Events == 30*functions && len(current().Stacks.Leaf) == functions
	})
	if p := current(); p.Stacks.Leaf[7] != leaf || len(before.Leaf) != functions/2 {
		t.Error("stacks that were published have changed")
	}
	_ = f.note(&journal.Note{Ended: &journal.Ending{Signal: "SIGKILL"}})
	if _, err := f.finish(t.Context(), map[string]any{"recorder": "memtui"}); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if p := current(); p.Meta.Live != "" || !p.Complete || len(p.Problems) != 1 || p.Problems[0].Code != "ended-by-signal" {
		t.Errorf("state %q, complete %v, %v", p.Meta.Live, p.Complete, p.Problems)
	}
	_, whole, err := opened.File(t, path)
	if err != nil {
		t.Fatal(err)
	}
	if have, want := named(t, trace), named(t, whole); have != want || strings.Count(want, "\n") != functions-1 {
		t.Errorf("followed\n%s\nread\n%s", have, want)
	}
	list, err := trace.Blocks(t.Context(), analysis.BlockQuery{At: analysis.End, All: true})
	if err != nil || list.Len() != 10*functions || list.Row(0).Addr == 0 {
		t.Errorf("%d blocks, %+v, %v", list.Len(), list.Row(0), err)
	}
}

// A recorder that is killed leaves what it wrote, and whoever follows it is told.
func TestFollowerIsToldOfAKilledRecorder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.mlyze")
	f, err := newTraceFile(path, time.Now(), "/bin/test", Options{})
	if err != nil {
		t.Fatal(err)
	}
	_ = f.note(&journal.Note{Stack: []uint64{}})
	f.event(5, &model.Event{Kind: model.Alloc, Addr: 16, Size: 10, ID: 1, Thread: 1})
	if err := f.flush(); err != nil {
		t.Fatal(err)
	}
	in, trace := opened.Growing(t, path)
	done := make(chan error)
	go func() { done <- in.Read(t.Context()) }()
	eventually(t, "its event is shown", func() bool { return trace.Status().Events == 1 })
	_ = f.f.Close() // as the kernel does
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if p := in.Store.Current(); p.Meta.Live != "recorder killed" || !strings.Contains(fmt.Sprint(p.Problems), "killed") || trace.Status().Events != 1 {
		t.Errorf("state %q, %v", p.Meta.Live, p.Problems)
	}
}

// As samples become rarer, whoever follows a recording is told, and so is who recovers it from a recorder that was killed.
func TestRarerSamplesAreTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.mlyze")
	f, err := newTraceFile(path, time.Now(), "/bin/test", Options{Sample: 4096})
	if err != nil {
		t.Fatal(err)
	}
	_ = f.note(&journal.Note{Stack: []uint64{}})
	sample := func(micros uint64, shift uint) {
		t.Helper()
		f.event(micros, &model.Event{Kind: model.Alloc, Addr: micros << 4, Size: f.scaled(10, shift), ID: 1, Thread: 1})
		if err := f.flush(); err != nil {
			t.Fatal(err)
		}
	}
	sample(5, 0)
	in, _ := opened.Growing(t, path)
	done := make(chan error)
	go func() { done <- in.Read(t.Context()) }()
	says := func(p *model.Profile, sampled string) bool {
		n := 0
		for _, x := range p.Problems {
			if x.Code == "sampled" && strings.HasPrefix(x.Message, "the blocks were "+sampled+": ") && strings.Contains(x.Message, "in 19 of 20 cases") {
				n++
			} else if x.Code == "sampled" {
				return false
			}
		}
		return n == 1 && p.Meta.Sampled == sampled
	}
	current := func() *model.Profile {
		if p := in.Store.Current(); p != nil {
			return p
		}
		return &model.Profile{}
	}
	eventually(t, "it is sampled", func() bool { return says(current(), "sampled every 4.00 KiB") })
	sample(7, 2)
	sample(9, 1)
	const rarer = "sampled every 4.00 KiB to 16.0 KiB"
	eventually(t, "samples are rarer", func() bool { return says(current(), rarer) })
	if p := current(); p.Meta.Sampling != (model.Sampling{Period: 16 << 10, Varies: true}) {
		t.Errorf("%+v", p.Meta.Sampling)
	}
	_, _ = f.f.Close(), f.names.Close() // as the kernel does
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	src, err := loaders.OpenSource(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	format := mlyze.Format()
	p, err := format.Info(t.Context(), src, loaders.Options{})
	if src.Close(); err != nil || !says(p, rarer) {
		t.Errorf("info: %q, %v, %v", p.Meta.Sampled, p.Problems, err)
	}
	if _, err := Recover(t.Context(), path, loaders.Symbols{}); err != nil {
		t.Fatal(err)
	}
	store, _, err := opened.File(t, path)
	if err != nil || !says(store.Current(), rarer) {
		t.Errorf("recovered: %q, %v, %v", store.Current().Meta.Sampled, store.Current().Problems, err)
	}
}

// A part of this program can be recorded, with the names of its functions.
func TestOwnMemoryIsRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.mlyze")
	o, err := NewOwn(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if b := o.Take(100 + i); i%2 == 0 {
			o.Drop(b)
		}
	}
	if err := o.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, trace, err := opened.File(t, path)
	if err != nil {
		t.Fatal(err)
	}
	if have := named(t, trace); !strings.Contains(have, "record.TestOwnMemoryIsRecorded 1045/10 live 525/5") {
		t.Error(have)
	}
}

// Lines of a pipe become markers with names, at their time, while the recording goes on as after it.
func TestLinesBecomeMarkers(t *testing.T) {
	folder := t.TempDir()
	pipe := filepath.Join(folder, "marks")
	began := make(chan string, 1)
	o := Options{
		Command: []string{known(t), "sleep"}, Output: filepath.Join(folder, "o.mlyze"), Frames: 64, Ring: 1 << 20, Markers: pipe,
		Duration: 1500 * time.Millisecond, Log: t.Logf, Began: func(path string) { began <- path },
	}
	done := make(chan error)
	go func() {
		files, _, err := Run(t.Context(), o)
		for _, f := range files {
			_ = syscall.Kill(f.PID, syscall.SIGKILL) // it goes on otherwise
		}
		done <- err
	}()
	path := <-began
	marks := func(trace analysis.Trace) (names []string) {
		list, _, err := trace.Marks(t.Context(), analysis.FullRange, 100)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			names = append(names, m.Name)
		}
		return names
	}
	in, trace := opened.Growing(t, path)
	followed := make(chan error)
	go func() { followed <- in.Read(t.Context()) }()
	f, err := os.OpenFile(pipe, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.WriteString("warm\n\nserving\nwarm\n")
	_ = f.Close()
	want := "[warm serving warm]"
	eventually(t, "its markers are shown", func() bool { return fmt.Sprint(marks(trace)) == want })
	if err := errors.Join(<-done, <-followed); err != nil {
		t.Fatal(err)
	}
	_, whole, err := opened.File(t, path)
	if err != nil {
		t.Fatal(err)
	}
	if have := fmt.Sprint(marks(whole)); have != want {
		t.Error(have)
	}
	if _, err := os.Stat(pipe); err == nil {
		t.Error("the pipe is still there")
	}
}

// Of a hundred runs, those whose samples are within twice the standard error, which the file states, are as many as
// theory says: 95, give or take a few.
func TestSamplesHoldTheirError(t *testing.T) {
	if modeltest.UnderRace {
		t.Skip("a hundred runs")
	}
	const all, period, runs = 20972 * 1000, 256 << 10, 100
	within := 0
	for range runs {
		files, _ := run(t, Options{Sample: period, Symbols: loaders.Symbols{Off: true}, Overwrite: true}, "much")
		_, trace, err := opened.File(t, files[0].Path)
		if err != nil {
			t.Fatal(err)
		}
		level, err := trace.Live(t.Context(), analysis.End)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(float64(level.Bytes)-all) <= 2*math.Sqrt(period*all) {
			within++
		}
	}
	if within < 88 {
		t.Errorf("%d of %d runs are within twice the standard error", within, runs)
	}
}

// Every block that heaptrack records of a program is recorded here, too, with the same sums by function.
func TestSumsEqualHeaptracks(t *testing.T) {
	heaptrack, folder := program(t, "heaptrack"), t.TempDir()
	target := known(t)
	out, err := exec.Command(heaptrack, "-o", filepath.Join(folder, "theirs"), target, "plain").CombinedOutput()
	list, _ := filepath.Glob(filepath.Join(folder, "theirs*"))
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v: %s", err, list, out)
	}
	_, theirs, err := opened.File(t, list[0])
	if err != nil {
		t.Fatal(err)
	}
	files, _ := run(t, Options{}, "plain")
	_, ours, err := opened.File(t, files[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	of := func(trace analysis.Trace) string {
		var list []string
		for line := range strings.Lines(named(t, trace)) {
			if strings.HasPrefix(line, "churn ") || strings.HasPrefix(line, "leaking ") {
				list = append(list, strings.TrimSpace(line))
			}
		}
		slices.Sort(list)
		return strings.Join(list, ", ")
	}
	if have, want := of(ours), of(theirs); have != want || !strings.Contains(have, "live 6225/50") {
		t.Errorf("recorded %s, by heaptrack %s", have, want)
	}
}

// toBeKilled returns a process that runs this test with more variables, in a group of its own. What it leaves in the
// folder for temporary files goes with this test.
func toBeKilled(t *testing.T, env ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
	cmd.Env = append(append(os.Environ(), "TMPDIR="+t.TempDir()), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

// Killed at any moment, a recorder leaves a file that opens and can be completed.
func TestRecorderIsKilledAtAnyMoment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.mlyze")
	if os.Getenv("MEMTUI_TEST_KILLED") != "" {
		_, _, _ = Run(t.Context(), Options{Command: []string{os.Getenv("MEMTUI_TEST_KILLED"), "long"}, Output: os.Getenv("MEMTUI_TEST_OUTPUT"), Frames: 64, Ring: 1 << 16, Log: t.Logf})
		return
	}
	target, random := known(t), rand.New(rand.NewPCG(1, 2))
	for range 10 {
		path := path + strconv.Itoa(random.IntN(1000000))
		cmd := toBeKilled(t, "MEMTUI_TEST_KILLED="+target, "MEMTUI_TEST_OUTPUT="+path)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it records", func() bool { _, err := os.Stat(path + journal.Suffix); return err == nil })
		time.Sleep(time.Duration(random.IntN(400)) * time.Millisecond)
		_ = cmd.Process.Kill()
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		if info, err := os.Stat(path); err != nil || info.Size() < reserve {
			continue // killed before it wrote the beginning
		}
		store, before, err := opened.File(t, path)
		if err != nil && before.Status().Events > 0 {
			t.Fatal(err)
		}
		events := before.Status().Events
		if _, err := Recover(t.Context(), path, loaders.Symbols{}); err != nil {
			t.Fatalf("%v; before %v", err, store.Current().Problems)
		}
		recovered, after, err := opened.File(t, path)
		if err == nil && after.Status().Events != events {
			t.Errorf("%d events before, %d after", events, after.Status().Events)
		}
		if text := named(t, after); events > 1000 && !strings.Contains(text, "churn ") {
			t.Errorf("%d events: before %s, after %s, %v", events, named(t, before), text, recovered.Current().Problems)
		}
	}
}

// Wrappers execute several programs in a row: where the recording begins is said once, with how many came before.
func TestProgramsExecutedInARowAreSaidOnce(t *testing.T) {
	var mu sync.Mutex
	var said []string
	o := Options{Command: []string{"sh", "-c", "exec sh -c 'exec env " + known(t) + " exec'"}}
	o.Log = func(format string, args ...any) {
		mu.Lock()
		defer mu.Unlock()
		if text := fmt.Sprintf(format, args...); strings.Contains(text, "now executes") {
			said = append(said, text)
		}
	}
	files, _ := run(t, o, "")
	if len(files) != 1 || len(said) != 1 || !strings.Contains(said[0], "now executes known, after 4 programs (") ||
		!strings.HasSuffix(said[0], "): the recording begins there") {
		t.Errorf("%d files, said %q", len(files), said)
	}
}

// Children that end at once and allocate little leave no file where blocks are sampled, but are counted. Where every block
// is recorded, only those that allocate nothing do.
func TestTriflesLeaveNoFile(t *testing.T) {
	for sample, want := range map[int64]string{4096: "[dash known]", 0: "[dash env known]"} {
		var mu sync.Mutex
		said := ""
		o := Options{Follow: true, Sample: sample, Symbols: loaders.Symbols{Off: true}}
		o.Command = []string{program(t, "dash"), "-c", "for i in 1 2 3; do (:); done; env -i " + program(t, "true") + "; " + known(t) + " much; exit 0"}
		o.Log = func(format string, args ...any) {
			mu.Lock()
			defer mu.Unlock()
			said += fmt.Sprintf(format, args...) + "\n"
		}
		files, _ := run(t, o, "")
		programs := map[string]bool{}
		for _, f := range files {
			programs[filepath.Base(f.Program)] = true
		}
		if have := fmt.Sprint(slices.Sorted(maps.Keys(programs))); have != want {
			t.Errorf("sampled every %d: files of %s", sample, have)
		}
		if sample != 0 && !(strings.Contains(said, "4 children have no file of their own: they ended within a second and allocated less than 512 KiB each, some ") &&
			strings.Contains(said, "(dash 3, env 1); --sample all") && !strings.Contains(said, "now executes")) {
			t.Errorf("said %s", said)
		}
	}
}
