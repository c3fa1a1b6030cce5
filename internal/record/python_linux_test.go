package record

import (
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/internal/record/hook"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// bytesHead is what a bytes object needs beside its contents. Less than least is what Python allocates for itself, as a
// cache of a function that is called often.
const (
	bytesHead = 33
	least     = 64
)

// pythons returns the programs of Python that are installed, by version.
func pythons(t *testing.T) map[string]string {
	t.Helper()
	if len(hook.Library) == 0 {
		t.Skip("needs a machine that a hook was built for")
	}
	home, _ := os.UserHomeDir()
	list, _ := filepath.Glob(filepath.Join(home, ".pyenv/versions/3.*/bin/python3"))
	found := map[string]string{}
	for _, path := range append(list, "/usr/bin/python3") {
		out, err := exec.Command(path, "-c", "import sys; print('%d.%02d' % sys.version_info[:2]); sys.exit(sys.version_info < (3, 8))").Output()
		if err != nil { // older than 3.8
			continue
		}
		found[strings.TrimSpace(string(out))+" of "+strings.Split(path, "/")[1]] = path
	}
	if len(found) == 0 {
		t.Skip("needs Python 3.8 or newer")
	}
	if modeltest.UnderRace { // which sees the recorder, and that is the same for all
		newest := slices.Max(slices.Collect(maps.Keys(found)))
		return map[string]string{newest: found[newest]}
	}
	return found
}

// eachPython runs a test with every Python that is installed.
func eachPython(t *testing.T, test func(t *testing.T, python string)) {
	t.Helper()
	all := pythons(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) { test(t, all[name]) })
	}
}

// endsOfPython runs a test with the oldest and the newest Python, where all versions do the same.
func endsOfPython(t *testing.T, test func(t *testing.T, python string)) {
	t.Helper()
	all := pythons(t)
	names := slices.Sorted(maps.Keys(all))
	for _, name := range slices.Compact([]string{names[0], names[len(names)-1]}) {
		t.Run(name, func(t *testing.T) { test(t, all[name]) })
	}
}

// recordPython records a mode of the program whose allocations are known.
func recordPython(t *testing.T, o Options, python, mode string) (blocks []block, unmatched int, files []Recorded, p *model.Profile) {
	t.Helper()
	o.Command = []string{python, "testdata/known.py", mode}
	o.Symbols.Off = !o.Native
	files, _ = run(t, o, "")
	if len(files) == 0 {
		t.Fatal("no file")
	}
	blocks, unmatched, p = read(t, files[0].Path)
	return blocks, unmatched, files, p
}

// under returns the blocks that a function allocated by block, and how many of them were freed.
func under(blocks []block, caller string) (list []block, freed int) {
	for _, b := range blocks {
		if b.size > least && strings.HasPrefix(b.stack, "block;"+caller+";") {
			list = append(list, b)
			if b.freed {
				freed++
			}
		}
	}
	return list, freed
}

func TestPythonIsRecordedExactly(t *testing.T) {
	eachPython(t, func(t *testing.T, python string) {
		blocks, unmatched, _, p := recordPython(t, Options{Ring: 4 << 20}, python, "plain")
		churned, freed := under(blocks, "churn")
		leaks, _ := under(blocks, "leaking")
		if len(churned) != 2000 || freed != 2000 || sum(churned) != 200*(10*1000+45+10*bytesHead) {
			t.Errorf("churn: %d blocks, %d freed, %d B", len(churned), freed, sum(churned))
		}
		if len(leaks) != 50 || sum(leaks) != 50*(100+bytesHead)+49*50/2 {
			t.Errorf("leaks: %d blocks, %d B", len(leaks), sum(leaks))
		}
		if unmatched != 0 || p.Lost != 0 {
			t.Errorf("%d frees without a block, %v", unmatched, p.Problems)
		}
		if want := "block;leaking;plain;<module>"; len(leaks) > 0 && leaks[0].stack != want {
			t.Errorf("stack %q, want %q", leaks[0].stack, want)
		}
	})
}

// Blocks of more than 512 bytes are from malloc, which the hook sees as well.
func TestLargeBlocksOfPythonAreCountedOnce(t *testing.T) {
	eachPython(t, func(t *testing.T, python string) {
		for _, tt := range []struct {
			allocator string
			margin    uint64 // that it puts around blocks, at most
			exact     bool   // no block is from before Python chose the allocator
		}{{"", 0, true}, {"malloc", 0, false}, {"pymalloc_debug", 64, false}} {
			t.Setenv("PYTHONMALLOC", tt.allocator)
			blocks, unmatched, _, _ := recordPython(t, Options{Ring: 4 << 20}, python, "large")
			leaks, _ := under(blocks, "leaking")
			if total := sum(leaks); len(leaks) != 20 || total < 20*(100000+bytesHead) || total > 20*(100000+bytesHead+tt.margin) {
				t.Errorf("%q: %d blocks, %d B", tt.allocator, len(leaks), total)
			}
			if tt.exact && unmatched > 0 {
				t.Errorf("%d frees without a block", unmatched)
			}
			big := 0 // the bytearray grows by reallocation
			for _, b := range blocks {
				if strings.HasPrefix(b.stack, "large;") && b.size > 50000 {
					big++
				}
			}
			if big < 2 || big > 110 {
				t.Errorf("%q: %d steps of a block that grows", tt.allocator, big)
			}
		}
	})
}

func TestSamplesOfPythonAreFair(t *testing.T) {
	const all = 20972 * (1000 + bytesHead)
	endsOfPython(t, func(t *testing.T, python string) {
		for name, tt := range map[string]struct {
			o    Options
			part float64 // the standard error that theory gives
		}{
			"size": {Options{Sample: 32 << 10}, math.Sqrt(float64(32<<10) / all)},
			"rate": {Options{Rate: 0.1}, math.Sqrt(0.9 / (0.1 * 20972))},
		} {
			blocks, _, _, p := recordPython(t, tt.o, python, "much")
			leaks, _ := under(blocks, "leaking")
			if off := math.Abs(float64(sum(leaks))-all) / all; off > 5*tt.part || len(leaks) == 0 || len(leaks) > 20972/5 {
				t.Errorf("%s: %d samples of %d B: %.1f %% off, the standard error is %.1f %%", name, len(leaks), sum(leaks), 100*off, 100*tt.part)
			}
			if !strings.HasPrefix(p.Meta.Sampled, "sampled") {
				t.Errorf("%s: the file says %q", name, p.Meta.Sampled)
			}
		}
	})
}

func TestWaysOfPythonAreRecorded(t *testing.T) {
	eachPython(t, func(t *testing.T, python string) {
		blocks, unmatched, _, _ := recordPython(t, Options{Ring: 4 << 20, Frames: 100}, python, "ways")
		for mode, want := range map[string]struct {
			count int
			size  uint64
			below string // what is in the stack
		}{
			"threads":    {4, 500, ";worker;run;_bootstrap_inner;_bootstrap"},
			"exceptions": {100, 700, ";raises;raises;"},
			"generators": {120, 600, ";numbers;"},
			"coroutines": {100, 800, ";waits;"},
			"evaluated":  {300, 900, ";made;<module>;evaluated;ways;<module>"},
			"deep":       {1, 1100, ";deep;deep;deep;"},
		} {
			found, stacks := 0, map[string]bool{}
			for _, b := range blocks {
				stack := strings.NewReplacer("Thread.", "", "threads.<locals>.", "").Replace(b.stack)
				if b.size == want.size+bytesHead && strings.HasPrefix(stack, "block;leaking;") && strings.Contains(stack, want.below) {
					found++
					stacks[stack] = true
				}
			}
			if found != want.count || len(stacks) > 4 {
				t.Errorf("%s: %d blocks, want %d; %d stacks", mode, found, want.count, len(stacks))
			}
		}
		named := 0
		for _, b := range blocks {
			if b.size == 1200+bytesHead && (strings.HasPrefix(b.stack, "block;Größe.__init__;letters;") || strings.HasPrefix(b.stack, "block;__init__;letters;")) {
				named++
			}
		}
		if named != 1 || unmatched != 0 {
			t.Errorf("%d blocks of Größe.__init__, %d frees without a block", named, unmatched)
		}
	})
}

func TestForkedPythonHasItsOwnFile(t *testing.T) {
	endsOfPython(t, func(t *testing.T, python string) {
		_, _, files, _ := recordPython(t, Options{Follow: true, Ring: 4 << 20}, python, "fork")
		var sizes []uint64
		for _, f := range files {
			blocks, _, _ := read(t, f.Path)
			leaks, _ := under(blocks, "leaking")
			for _, b := range leaks {
				sizes = append(sizes, b.size-bytesHead)
			}
		}
		if fmt.Sprint(sizes) != "[111 333 222]" {
			t.Errorf("leaks of %d, want 111 and 333, and 222 of the child", sizes)
		}
	})
}

func TestKilledPythonLosesNothing(t *testing.T) {
	endsOfPython(t, func(t *testing.T, python string) {
		blocks, _, _, _ := recordPython(t, Options{Ring: 4 << 20}, python, "killed")
		churned, _ := under(blocks, "churn")
		leaks, _ := under(blocks, "leaking")
		if len(churned) != 2000 || len(leaks) != 50 {
			t.Errorf("%d and %d blocks", len(churned), len(leaks))
		}
	})
}

// The hook needs no code of Python's, so no way to start a program escapes it.
func TestPythonIsRecordedHoweverItIsStarted(t *testing.T) {
	folder := t.TempDir()
	script := filepath.Join(folder, "wrapper")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexec \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONPATH", "testdata")
	endsOfPython(t, func(t *testing.T, python string) {
		for name, command := range map[string][]string{
			"isolated":    {python, "-I", "testdata/known.py", "plain"},
			"no site":     {python, "-S", "testdata/known.py", "plain"},
			"no settings": {python, "-E", "testdata/known.py", "plain"},
			"module":      {python, "-m", "known", "plain"},
			"text":        {python, "-c", "import known; known.plain()"},
			"developer":   {python, "-X", "dev", "testdata/known.py", "plain"},
			"traced":      {python, "-X", "tracemalloc", "testdata/known.py", "plain"},
			"wrapper":     {script, python, "testdata/known.py", "plain"},
		} {
			files, status := run(t, Options{Command: command, Ring: 4 << 20, Symbols: loaders.Symbols{Off: true}}, "")
			blocks, _, _ := read(t, files[0].Path)
			churned, freed := under(blocks, "churn")
			leaks, _ := under(blocks, "leaking")
			if status != 0 || len(churned) != 2000 || freed != 2000 || len(leaks) != 50 {
				t.Errorf("%s: status %d, %d blocks, %d freed, %d leaks", name, status, len(churned), freed, len(leaks))
			}
		}
	})
}

func TestNativeFramesAreBelowPythonsOnDemand(t *testing.T) {
	endsOfPython(t, func(t *testing.T, python string) {
		blocks, _, _, _ := recordPython(t, Options{Ring: 4 << 20, Native: true}, python, "plain")
		found := 0
		for _, b := range blocks {
			if native, ok := strings.CutSuffix(b.stack, ";block;leaking;plain;<module>"); ok && native != "" && !strings.Contains(native, "_PyEval_EvalFrameDefault") {
				found++
			}
		}
		if found < 50 {
			t.Errorf("%d blocks", found)
		}
	})
}

// The file and the line of a frame are those of the source.
func TestFramesOfPythonHaveFilesAndLines(t *testing.T) {
	source, err := os.ReadFile("testdata/known.py")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(source), "\n")
	eachPython(t, func(t *testing.T, python string) {
		_, _, _, p := recordPython(t, Options{Ring: 4 << 20}, python, "plain")
		want := map[string]string{"block": "return bytes(n)", "leaking": "keep.append(block(n))", "churn": "block(1000 + i % 10)"}
		seen := map[string]bool{}
		s := p.Stacks
		for i := range s.FrameFunc {
			name := s.Functions[s.FrameFunc[i]]
			text, ok := want[name]
			if !ok || s.Files[s.FrameFile[i]] != "testdata/known.py" && !strings.HasSuffix(s.Files[s.FrameFile[i]], "/testdata/known.py") {
				continue
			}
			if line := int(s.FrameLine[i]); line < 1 || line > len(lines) {
				t.Errorf("%s: line %d", name, line)
			} else if strings.TrimSpace(lines[line-1]) == text {
				seen[name] = true
			}
		}
		if len(seen) != len(want) {
			t.Errorf("right lines of %v only", seen)
		}
	})
}

// What has the names of Python, but not its layouts, is recorded with native stacks, and nothing of it is read.
func TestUnknownPythonHasNativeStacks(t *testing.T) {
	known(t)
	for name, tt := range map[string]struct {
		version string
		flags   []string
		says    string
	}{
		"different": {"3.8.1", nil, "differs"}, "different new one": {"3.12.1", nil, "differs"}, "different future one": {"3.19.0", nil, "differs"},
		"debug": {"3.11.1", []string{"-DDEBUG_BUILD"}, "debug build"}, "free threading": {"3.14.0 free-threading build", nil, "without a global lock"},
		"old": {"3.7.4", nil, "older than 3.8"}, "older": {"2.7.18", nil, "older than 3.8"}, "no version": {"", nil, "older than 3.8"},
	} {
		path := filepath.Join(t.TempDir(), "fakepython")
		if out, err := exec.Command("gcc", append(tt.flags, "-O1", "-rdynamic", "-o", path, "testdata/fakepython.c")...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		t.Setenv("FAKE_VERSION", tt.version)
		var said []string
		files, status, err := Run(t.Context(), Options{Command: []string{path}, Output: filepath.Join(t.TempDir(), "o.mlyze"), Frames: 64, Ring: 1 << 20,
			Log: func(format string, args ...any) { said = append(said, fmt.Sprintf(format, args...)) }})
		if err != nil || status != 0 || len(files) != 1 || !strings.Contains(strings.Join(said, "\n"), tt.says) {
			t.Errorf("%s: %v, status %d, %v, %q", name, err, status, files, said)
			continue
		}
		blocks, unmatched, _ := read(t, files[0].Path)
		leaks := 0
		for _, b := range blocks {
			if strings.Contains(b.stack, "leaking;main;") && b.size == 100 {
				leaks++
			}
		}
		if leaks != 50 || unmatched != 0 {
			t.Errorf("%s: %d blocks, %d frees without a block", name, leaks, unmatched)
		}
	}
}
