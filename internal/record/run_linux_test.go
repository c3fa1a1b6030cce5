package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/internal/record/hook"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/mlyze"
	"github.com/memtui/memtui/loaders/mlyze/journal"
	"github.com/memtui/memtui/model"
)

// built compiles the program of known allocations once for all tests.
var built = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "memtui-known-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "known")
	out, err := exec.Command("gcc", "-O1", "-g", "-pthread", "-o", path, "testdata/known.c").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w: %s", err, out)
	}
	return path, err
})

func TestMain(m *testing.M) {
	status := m.Run()
	if path, err := built(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(status)
}

func known(t *testing.T) string {
	t.Helper()
	if _, err := exec.LookPath("gcc"); err != nil || len(hook.Library) == 0 {
		t.Skip("needs gcc, and a machine that a hook was built for")
	}
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// run records a mode of the program.
func run(t *testing.T, o Options, mode string) (files []Recorded, status int) {
	t.Helper()
	if o.Command == nil {
		o.Command = []string{known(t), mode}
	}
	if o.Output == "" {
		o.Output = filepath.Join(t.TempDir(), "out.mlyze")
	}
	if o.Frames == 0 {
		o.Frames = 64
	}
	if o.Ring == 0 {
		o.Ring = 1 << 20
	}
	if o.Log == nil {
		o.Log = t.Logf
	}
	files, status, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return files, status
}

// block is a block as the file has it.
type block struct {
	size  uint64
	stack string
	freed bool
}

// read returns the blocks of a file in the order of their allocation, and frees without a block.
func read(t *testing.T, path string) (blocks []block, unmatched int, p *model.Profile) {
	t.Helper()
	src, err := loaders.OpenSource(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	store := &model.Store{}
	if err := mlyze.Format().Load(t.Context(), src, loaders.Options{}, store); err != nil {
		t.Fatal(err)
	}
	p = store.Current()
	live := map[uint64]int{}
	err = p.Allocations.Replay(t.Context(), func(b *model.EventBatch) error {
		for _, e := range b.Events {
			switch e.Kind {
			case model.Alloc:
				if _, ok := live[e.Addr]; ok {
					t.Errorf("%#x is allocated twice", e.Addr)
				}
				live[e.Addr] = len(blocks)
				blocks = append(blocks, block{size: e.Size, stack: stackOf(p.Stacks, e.ID)})
			case model.Free:
				i, ok := live[e.Addr]
				if !ok {
					unmatched++
					continue
				}
				blocks[i].freed = true
				delete(live, e.Addr)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return blocks, unmatched, p
}

func stackOf(s *model.Stacks, id uint64) string {
	leaf, ok := s.Node(model.StackID(id))
	if !ok {
		return ""
	}
	var names []string
	for n := leaf; n != 0; n = s.Parent[n] {
		names = append(names, s.Functions[s.FrameFunc[s.Frame[n]]])
	}
	return strings.Join(names, ";")
}

// from returns the blocks whose stack begins with a function, and how many of them were freed.
func from(blocks []block, function string) (list []block, freed int) {
	for _, b := range blocks {
		if leaf, _, _ := strings.Cut(b.stack, ";"); leaf == function {
			list = append(list, b)
			if b.freed {
				freed++
			}
		}
	}
	return list, freed
}

func sum(blocks []block) (n uint64) {
	for _, b := range blocks {
		n += b.size
	}
	return n
}

func TestEveryEventIsRecorded(t *testing.T) {
	files, status := run(t, Options{}, "plain")
	if status != 0 || len(files) != 1 || files[0].Lost != (Lost{}) && files[0].Lost.Allocations > 0 {
		t.Fatalf("status %d, %+v", status, files)
	}
	blocks, unmatched, p := read(t, files[0].Path)
	churned, freed := from(blocks, "churn")
	leaks, unfreed := from(blocks, "leaking")
	if len(churned) != 10000 || freed != 10000 || len(leaks) != 50 || unfreed != 0 || sum(leaks) != 50*100+49*50/2 {
		t.Errorf("%d blocks, %d freed; %d leaks, %d freed, %d B", len(churned), freed, len(leaks), unfreed, sum(leaks))
	}
	if !strings.HasPrefix(leaks[0].stack, "leaking;main;") || !strings.HasSuffix(leaks[0].stack, ";_start") {
		t.Errorf("stack %q", leaks[0].stack)
	}
	if unmatched != 0 || p.Meta.Sampled != "" || p.Lost != 0 {
		t.Errorf("%d unmatched, sampled %q, %d B lost, %v", unmatched, p.Meta.Sampled, p.Lost, p.Problems)
	}
	if p.Timeline == nil || len(p.Timeline.Series) == 0 || p.Timeline.Series[0].Name != "RSS" || p.Timeline.Series[0].Values[0] < 1<<16 {
		t.Errorf("no curve of the resident set: %+v", p.Timeline)
	}
	if _, err := os.Stat(files[0].Path + journal.Suffix); err == nil {
		t.Error("the journal is still there")
	}
}

func TestWholeMallocFamilyIsRecorded(t *testing.T) {
	files, _ := run(t, Options{}, "family")
	blocks, unmatched, _ := read(t, files[0].Path)
	list, freed := from(blocks, "family")
	var sizes []uint64
	for _, b := range list {
		sizes = append(sizes, b.size)
	}
	// The block that could not be enlarged ends and begins again, with the size that it really has.
	if len(sizes) != 8 || freed != 7 || unmatched != 0 || sizes[7] < 41 {
		t.Fatalf("sizes %d, %d freed, %d unmatched", sizes, freed, unmatched)
	}
	if want := []uint64{11, 21, 128, 31, 77, 100000, 41}; fmt.Sprint(sizes[:7]) != fmt.Sprint(want) {
		t.Errorf("sizes %d, want %d", sizes, want)
	}
}

func TestThreadsKeepTheirOrder(t *testing.T) {
	files, _ := run(t, Options{}, "threads")
	blocks, unmatched, _ := read(t, files[0].Path) // which fails where an address is allocated twice
	list, freed := from(blocks, "passing")
	if len(list) != 80000 || freed != 80000-64 || unmatched != 0 {
		t.Errorf("%d blocks, %d freed, %d unmatched", len(list), freed, unmatched)
	}
}

func TestKilledProgramLosesNothing(t *testing.T) {
	files, status := run(t, Options{}, "kill")
	blocks, _, p := read(t, files[0].Path)
	churned, _ := from(blocks, "churn")
	leaks, _ := from(blocks, "leaking")
	if status != 128+9 || len(churned) != 1000 || len(leaks) != 1 || leaks[0].size != 4321 || p.Lost != 0 {
		t.Errorf("status %d, %d blocks, %v", status, len(churned), leaks)
	}
}

func TestChildrenAreFollowedOnDemand(t *testing.T) {
	for _, follow := range []bool{false, true} {
		said := ""
		files, _ := run(t, Options{Follow: follow, Log: func(format string, args ...any) { said += fmt.Sprintf(format, args...) }}, "fork")
		if strings.Contains(said, "1 child process was not recorded: --follow") == follow {
			t.Errorf("follow %v: %s", follow, said)
		}
		var sizes []uint64
		for _, f := range files {
			blocks, _, _ := read(t, f.Path)
			leaks, _ := from(blocks, "leaking")
			for _, b := range leaks {
				sizes = append(sizes, b.size)
			}
		}
		want := map[bool]string{false: "[111 333]", true: "[111 333 222]"}[follow]
		if fmt.Sprint(sizes) != want {
			t.Errorf("follow %v: leaks %d, want %s in %d files", follow, sizes, want, len(files))
		}
	}
}

func TestProgramThatExecutesAnotherIsRecordedFromThere(t *testing.T) {
	files, _ := run(t, Options{}, "exec")
	blocks, _, _ := read(t, files[0].Path)
	if churned, _ := from(blocks, "churn"); len(files) != 1 || len(churned) != 10000 {
		t.Errorf("%d files, %d blocks", len(files), len(churned))
	}
}

func TestProgramThatClosesEverythingIsRecorded(t *testing.T) {
	files, _ := run(t, Options{}, "closed")
	blocks, _, _ := read(t, files[0].Path)
	if leaks, _ := from(blocks, "leaking"); len(leaks) != 1 || leaks[0].size != 4444 {
		t.Errorf("leaks %v", leaks)
	}
}

// A program without a dynamic linker loads nothing, which is said.
func TestStaticProgramIsNotRecordedSilently(t *testing.T) {
	path := filepath.Join(t.TempDir(), "static")
	known(t)
	if out, err := exec.Command("gcc", "-static", "-O1", "-pthread", "-o", path, "testdata/known.c").CombinedOutput(); err != nil {
		t.Skipf("cannot link statically: %s", out)
	}
	var said []string
	files, status, err := Run(t.Context(), Options{Command: []string{path, "plain"}, Output: filepath.Join(t.TempDir(), "o.mlyze"), Frames: 64, Ring: 1 << 20,
		Log: func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }})
	if err != nil || status != 0 || len(files) != 0 || !strings.Contains(strings.Join(said, "\n"), "nothing was recorded") {
		t.Errorf("%v, status %d, %v, %q", err, status, files, said)
	}
}

func TestSamplesAreFair(t *testing.T) {
	const all = 20972 * 1000
	for name, tt := range map[string]struct {
		o    Options
		part float64 // the standard error that theory gives
	}{
		"size": {Options{Sample: 64 << 10}, math.Sqrt(float64(64<<10) / all)},
		"rate": {Options{Rate: 0.05}, math.Sqrt(0.95 / (0.05 * 20972))},
	} {
		files, _ := run(t, tt.o, "much")
		blocks, _, p := read(t, files[0].Path)
		leaks, _ := from(blocks, "leaking")
		if off := math.Abs(float64(sum(leaks))-all) / all; off > 5*tt.part || len(leaks) == 0 || len(leaks) > 20972/5 {
			t.Errorf("%s: %d samples of %d B: %.1f %% off, the standard error is %.1f %%", name, len(leaks), sum(leaks), 100*off, 100*tt.part)
		}
		if !strings.HasPrefix(p.Meta.Sampled, "sampled") {
			t.Errorf("%s: the file says %q", name, p.Meta.Sampled)
		}
	}
}

func TestSmallRingLosesNothingWhereItMayWait(t *testing.T) {
	files, _ := run(t, Options{Ring: 1 << 16}, "plain")
	blocks, _, _ := read(t, files[0].Path)
	if churned, freed := from(blocks, "churn"); len(churned) != 10000 || freed != 10000 || files[0].Lost.Allocations > 0 {
		t.Errorf("%d blocks, %d freed, %+v", len(churned), freed, files[0].Lost)
	}
}

func TestDroppedAllocationsAreCounted(t *testing.T) {
	files, _ := run(t, Options{Ring: 1 << 16, Drop: true}, "plain")
	blocks, unmatched, p := read(t, files[0].Path)
	churned, freed := from(blocks, "churn")
	leaks, _ := from(blocks, "leaking")
	lost := int(files[0].Lost.Allocations)
	if freed != len(churned) || len(blocks)+lost < 10050 || len(leaks) > 50 || unmatched > lost {
		t.Errorf("%d blocks, %d freed, %d lost, %d unmatched", len(churned), freed, lost, unmatched)
	}
	if (p.Problems != nil) != (lost > 0) {
		t.Errorf("%d lost, problems %v", lost, p.Problems)
	}
}

func TestRecordingEndsBeforeTheProgram(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		time.Sleep(time.Second)
		cancel()
	}()
	old := os.Stdout
	os.Stdout = writer
	var pid int
	files, status, err := Run(ctx, Options{Command: []string{known(t), "sleep"}, Output: filepath.Join(t.TempDir(), "o.mlyze"), Frames: 64, Ring: 1 << 20,
		Log: func(format string, args ...any) { pid, _ = args[0].(int) }})
	os.Stdout = old
	_ = writer.Close()
	if pid > 0 {
		defer syscall.Kill(pid, syscall.SIGKILL)
	}
	if err != nil || status != 0 || len(files) != 1 || pid == 0 || syscall.Kill(pid, 0) != nil {
		t.Fatalf("%v, status %d, %v, process %d", err, status, files, pid)
	}
	blocks, _, p := read(t, files[0].Path)
	if leaks, _ := from(blocks, "leaking"); len(leaks) != 1 || leaks[0].size != 5555 {
		t.Errorf("leaks %v", leaks)
	}
	if p.Meta.Ended != "program ran on" || !strings.Contains(fmt.Sprint(p.Problems), "program-ran-on") {
		t.Errorf("%q, %v", p.Meta.Ended, p.Problems)
	}
}

// A recorder that is killed leaves a file that opens, and names in the journal.
func TestKilledRecorderIsRecoveredFrom(t *testing.T) {
	path := filepath.Join(t.TempDir(), "o.mlyze")
	if os.Getenv("MEMTUI_TEST_RECORDER") != "" {
		_, _, _ = Run(t.Context(), Options{Command: []string{os.Getenv("MEMTUI_TEST_RECORDER"), "sleep"}, Output: os.Getenv("MEMTUI_TEST_OUTPUT"), Frames: 64, Ring: 1 << 20, Log: t.Logf})
		return
	}
	cmd := toBeKilled(t, "MEMTUI_TEST_RECORDER="+known(t), "MEMTUI_TEST_OUTPUT="+path)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	for range 100 { // until the leak is in the file
		time.Sleep(100 * time.Millisecond)
		if info, err := os.Stat(path); err == nil && info.Size() > reserve {
			break
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	blocks, _, before := read(t, path)
	if leaks, _ := from(blocks, "leaking"); len(leaks) != 1 || !strings.Contains(fmt.Sprint(before.Problems), "--recover") {
		t.Fatalf("before: %v, %v", blocks, before.Problems)
	}
	if _, err := Recover(t.Context(), path, loaders.Symbols{}); err != nil {
		t.Fatal(err)
	}
	blocks, _, p := read(t, path)
	if leaks, _ := from(blocks, "leaking"); len(leaks) != 1 || leaks[0].size != 5555 {
		t.Errorf("after: %v", blocks)
	}
	if !strings.Contains(fmt.Sprint(p.Problems), "killed") {
		t.Errorf("problems %v", p.Problems)
	}
	if _, err := Recover(t.Context(), path, loaders.Symbols{}); err == nil {
		t.Error("recovered twice")
	}
}

// A file that cannot grow stays a trace of what was written.
func TestFullDiskKeepsWhatWasWritten(t *testing.T) {
	if os.Getenv("MEMTUI_TEST_FULL") != "" {
		limit := syscall.Rlimit{Cur: 140 << 10, Max: 140 << 10}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
		signalIgnore()
		files, _, err := Run(t.Context(), Options{Command: []string{os.Getenv("MEMTUI_TEST_FULL"), "plain"}, Output: os.Getenv("MEMTUI_TEST_OUTPUT"), Frames: 64, Ring: 1 << 16, Log: t.Logf})
		fmt.Println(files, err)
		return
	}
	path := filepath.Join(t.TempDir(), "o.mlyze")
	cmd := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), "MEMTUI_TEST_FULL="+known(t), "MEMTUI_TEST_OUTPUT="+path)
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("too large")) {
		t.Fatalf("%v: %s", err, out)
	}
	blocks, _, _ := read(t, path)
	churned, _ := from(blocks, "churn")
	if len(churned) < 1000 || len(churned) == 10000 {
		t.Errorf("%d of 10,000 blocks", len(churned))
	}
}

// On a file system without room the recording ends, with the names of what was written, and the program goes on.
func TestFullFileSystemKeepsWhatWasWritten(t *testing.T) {
	program, folder := known(t), t.TempDir()
	if err := unix.Mount("tmpfs", folder, "tmpfs", 0, "size=160k"); err != nil {
		t.Skipf("cannot mount a file system: %v", err)
	}
	defer func() { _ = unix.Unmount(folder, unix.MNT_DETACH) }()
	path := filepath.Join(folder, "out.mlyze")
	files, status := run(t, Options{Command: []string{program, "plain"}, Output: path}, "plain")
	if status != 0 || len(files) != 1 || !errors.Is(files[0].Stopped, syscall.ENOSPC) {
		t.Fatalf("status %d, %+v", status, files)
	}
	blocks, unmatched, p := read(t, path)
	churned, _ := from(blocks, "churn")
	events := len(blocks) + unmatched
	for _, b := range blocks {
		if b.freed {
			events++
		}
	}
	if files[0].Events != uint64(events) || files[0].Unnamed {
		t.Errorf("%+v, %d events in the file", files[0], events)
	}
	if len(churned) < 1000 || len(churned) == 10000 || !strings.Contains(fmt.Sprint(p.Problems), "no space left") {
		t.Errorf("%d of 10,000 blocks, %v", len(churned), p.Problems)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

// Names that are larger than what could be written of events stay in the journal, and every event with them.
func TestFullFileSystemKeepsEventsWhoseNamesFindNoRoom(t *testing.T) {
	folder := t.TempDir()
	if err := unix.Mount("tmpfs", folder, "tmpfs", 0, "size=160k"); err != nil {
		t.Skipf("cannot mount a file system: %v", err)
	}
	defer func() { _ = unix.Unmount(folder, unix.MNT_DETACH) }()
	path := filepath.Join(folder, "out.mlyze")
	f, err := newTraceFile(path, time.Now(), "/bin/test", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for id := uint64(1); f.full == nil; id++ {
		_ = f.note(&journal.Note{Frame: &journal.Frame{Function: fmt.Sprintf("function_%d", id), File: "a.c", Line: 7}})
		_ = f.note(&journal.Note{Stack: slices.Repeat([]uint64{journal.Known | id}, 20)}) // more than an event, and shorter than as JSON
		for k := range uint64(5) {
			f.event(id, &model.Event{Kind: model.Alloc, Addr: (id*5 + k) << 5, Size: 1, ID: id, Thread: 1})
		}
		_ = f.flush()
	}
	written := f.events
	_, err = f.finish(t.Context(), map[string]any{"recorder": "memtui"})
	if !errors.Is(err, errLeft) || f.events < written/2 || f.events > written {
		t.Fatalf("%v, %d of %d events", err, f.events, written)
	}
	for _, size := range []string{"160k", "10m"} { // full, and with room for a recovery
		if err := unix.Mount("tmpfs", folder, "tmpfs", unix.MS_REMOUNT, "size="+size); err != nil {
			t.Fatal(err)
		}
		if size != "160k" {
			if _, err := Recover(t.Context(), path, loaders.Symbols{}); err != nil {
				t.Fatal(err)
			}
		}
		blocks, _, p := read(t, path)
		if uint64(len(blocks)) != f.events || p.Lost > 0 {
			t.Errorf("%s: %d of %d blocks, %d B lost", size, len(blocks), f.events, p.Lost)
		}
		for i, b := range blocks {
			if want := fmt.Sprintf("function_%d;", i/5+1); !strings.HasPrefix(b.stack, want) {
				t.Fatalf("%s: block %d is of %q, want %s", size, i, b.stack, want)
			}
		}
	}
}

// Ten million blocks are recorded one by one.
func TestTenMillionBlocksAreExact(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	began := time.Now()
	files, status := run(t, Options{Ring: 16 << 20}, "many")
	if status != 0 || len(files) != 1 || files[0].Lost.Allocations+files[0].Lost.Frees > 0 {
		t.Fatalf("status %d, %+v", status, files)
	}
	t.Logf("%v for %d events", time.Since(began).Round(time.Millisecond), files[0].Events)
	store, trace, err := opened.File(t, files[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range store.Current().Timeline.Series { // without the ring, all of which was written
		if most := slices.Max(s.Values); most > 8<<20 || len(s.Values) < 2 {
			t.Errorf("%s of a program that keeps half a megabyte: %.0f at most, %d points", s.Name, most, len(s.Values))
		}
	}
	sites, err := trace.Sites(t.Context(), analysis.Query{At: analysis.End, Range: analysis.FullRange, By: analysis.ByFunction})
	if err != nil {
		t.Fatal(err)
	}
	type sums struct{ blocks, bytes, liveBlocks, liveBytes uint64 }
	got := map[string]sums{}
	for _, s := range sites {
		got[s.Name] = sums{s.AllocCount, s.AllocBytes, s.LiveCount, s.LiveBytes}
	}
	for function, want := range map[string]sums{
		"churn":   {9_999_000, 9_999_000*1000 + 1000*(9990/10*45+36), 0, 0}, // 0 … 9 in turns
		"leaking": {1000, 999 * 1000 / 2, 1000, 999 * 1000 / 2},
	} {
		if got[function] != want {
			t.Errorf("%s: %+v, want %+v", function, got[function], want)
		}
	}
}

// What a program does to its rights and its root changes nothing, as all that the hook needs is mapped by then.
func TestProgramMayChangeItsUserAndRoot(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root")
	}
	for _, mode := range []string{"user", "chroot"} {
		files, status := run(t, Options{}, mode)
		if status != 0 || len(files) != 1 {
			t.Fatalf("%s: status %d, %v", mode, status, files)
		}
		blocks, unmatched, _ := read(t, files[0].Path)
		churned, freed := from(blocks, "churn")
		if leaks, _ := from(blocks, "leaking"); len(churned) != 1000 || freed != 1000 || len(leaks) != 2 || sum(leaks) != 30 || unmatched != 0 {
			t.Errorf("%s: %d blocks, %d freed, leaks %v", mode, len(churned), freed, leaks)
		}
	}
}

// Exceptions, signals, libraries that come and go, and what runs after main leave no block unaccounted for.
func TestExceptionsSignalsAndDestructors(t *testing.T) {
	compiler := program(t, "g++")
	known(t) // or the test is skipped
	path := filepath.Join(t.TempDir(), "known")
	if out, err := exec.Command(compiler, "-O1", "-g", "-o", path, "testdata/known.cc", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	files, status := run(t, Options{Command: []string{path}}, "")
	if status != 0 || len(files) != 1 {
		t.Fatalf("status %d, %v", status, files)
	}
	blocks, unmatched, _ := read(t, files[0].Path)
	churned, freed := from(blocks, "churn(int)")
	kept, gone := from(blocks, "kept(unsigned long)")
	if len(churned) != 201000 || freed != 201000 || len(kept) != 2 || gone != 1 || sum(kept) != 777+55 || unmatched != 0 {
		t.Errorf("%d blocks, %d freed; kept %v, %d freed; %d unmatched", len(churned), freed, kept, gone, unmatched)
	}
	thrown := 0
	for _, b := range blocks {
		if strings.Contains(b.stack, "raises(int)") {
			if thrown++; !b.freed {
				t.Errorf("a thrown block of %d B is not freed", b.size)
			}
		}
	}
	if thrown < 200 { // the exception and its text
		t.Errorf("%d blocks were thrown", thrown)
	}
}
