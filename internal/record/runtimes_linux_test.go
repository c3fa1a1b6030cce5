package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/memtest/opened"
)

// program returns the path of a program of a runtime, and skips the test where that is missing.
func program(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s on this machine", name)
	}
	return path
}

// here makes the folder of a test the current one, and returns where the programs of tests are.
func here(t *testing.T) string {
	t.Helper()
	data, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	return data
}

func runtimeOptions(t *testing.T, command ...string) Options {
	return Options{Command: command, Frames: 64, Ring: 1 << 20, Sample: 4096, Adapt: true, Log: t.Logf}
}

func TestNodeIsRecorded(t *testing.T) {
	node, data := program(t, "node"), here(t)
	o := runtimeOptions(t, node, filepath.Join(data, "shop.js"))
	o.Sample, o.Adapt, o.NoRSS = 4096, false, true
	files, status, err := Run(t.Context(), o)
	if err != nil || status != 0 || len(files) != 1 {
		t.Fatalf("%v, status %d, %+v", err, status, files)
	}
	store, trace, err := opened.File(t, files[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	p := store.Current()
	if !p.Meta.InventedAddresses || !p.Meta.CoarseTimes || !strings.HasPrefix(p.Meta.Sampled, "sampled every 4") || len(p.Timeline.Series) < 4 || !p.Complete {
		t.Errorf("%+v, %v", p.Meta, p.Problems)
	}
	sites, err := trace.Sites(t.Context(), analysis.Query{At: analysis.End, Range: analysis.FullRange, By: analysis.ByFile})
	if err != nil {
		t.Fatal(err)
	}
	live := uint64(0)
	for _, s := range sites {
		if strings.HasSuffix(s.Name, "shop.js") {
			live += s.LiveBytes
		}
	}
	// Some 10,000 sessions of 1.6 kB and more stay, a few hundred on a busy machine.
	if live < 1<<18 || live > 100<<20 {
		t.Errorf("%d B live, sites %+v", live, sites)
	}
	for _, name := range []string{"openSession", "(anonymous shop.js:7)"} { // the second is what the timer calls
		if !slices.Contains(p.Stacks.Functions, name) {
			t.Errorf("no function %s", name)
		}
	}
	for _, s := range p.Timeline.Series {
		if s.Name == "RSS" || s.Name == "PSS" {
			t.Errorf("%s is recorded", s.Name)
		}
	}
	for _, s := range p.Stacks.Files {
		if strings.Contains(s, "memtui-preload") {
			t.Error("the helper records itself")
		}
	}
}

// What a killed program allocated after the last look at its objects is missing, which is said, and stated in the file.
func TestTheUnseenEndOfNodeIsStated(t *testing.T) {
	node := program(t, "node")
	here(t)
	code := "const kept = []; setTimeout(() => { const end = Date.now() + 2000; while (Date.now() < end) kept.push(new Array(99)); process.kill(process.pid, 'SIGKILL') }, 300)"
	for code, want := range map[string]bool{code: true, "setTimeout(() => 0, 300)": false} {
		o := runtimeOptions(t, node, "-e", code)
		o.Output, o.Overwrite = "o.mlyze", true
		files, _, err := Run(t.Context(), o)
		if err != nil || len(files) != 1 {
			t.Fatalf("%v, %+v", err, files)
		}
		store, _, err := opened.File(t, files[0].Path)
		if err != nil {
			t.Fatal(err)
		}
		for what, text := range map[string]string{"last lines": fmt.Sprint(files[0].Lines()), "problems": fmt.Sprint(store.Current().Problems)} {
			if strings.Contains(text, "before the end: what was allocated since is missing") != want {
				t.Errorf("%s of %s: %s", what, code, text)
			}
		}
	}
}

func TestRubyWritesDumps(t *testing.T) {
	ruby, data := program(t, "ruby"), here(t)
	o := runtimeOptions(t, ruby, filepath.Join(data, "shop.rb"))
	o.Every = 500 * time.Millisecond
	files, status, err := Run(t.Context(), o)
	if err != nil || status != 0 || len(files) != 1 || len(files[0].Dumps) < 2 {
		t.Fatalf("%v, status %d, %+v", err, status, files)
	}
	store, _, err := opened.File(t, files[0].Dumps[len(files[0].Dumps)-1])
	if err != nil {
		t.Fatal(err)
	}
	if p := store.Current(); p.Heaps == nil || p.Heaps.Len() != 1 || !p.Complete {
		t.Errorf("%+v", p)
	}
}

func TestJavaIsWatched(t *testing.T) {
	java, data := program(t, "java"), here(t)
	program(t, "jcmd")
	if out, err := exec.Command(program(t, "javac"), "-d", ".", filepath.Join(data, "Shop.java")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	o := runtimeOptions(t, java, "-cp", ".", "Shop")
	o.Every = time.Second
	files, status, err := Run(t.Context(), o)
	if err != nil || status != 0 || len(files) < 1 || files[0].Points < 1 {
		t.Fatalf("%v, status %d, %+v", err, status, files)
	}
	store, _, err := opened.File(t, files[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range store.Current().Timeline.Series {
		names = append(names, s.Name)
	}
	if list := strings.Join(names, " "); !strings.HasPrefix(list, "all classes [B ") || !strings.Contains(list, " Shop$Session") {
		t.Error(list)
	}
}

// What a Java program allocates is sampled by its own recorder, with stacks and the classes of objects.
func TestJavaAllocationsAreSampled(t *testing.T) {
	java, data := program(t, "java"), here(t)
	program(t, "jcmd")
	if _, err := newFlight(java, t.TempDir()); err != nil {
		t.Skip(err)
	}
	if out, err := exec.Command(program(t, "javac"), "-d", ".", filepath.Join(data, "Alloc.java")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	least := map[time.Duration]float64{0: 0.95, 1500 * time.Millisecond: 0.9} // to the end, and not
	for limit, share := range least {
		o := runtimeOptions(t, java, "-cp", ".", "Alloc")
		o.Every, o.Duration, o.Overwrite, o.Output = time.Minute, limit, true, "alloc.mb"
		files, _, err := Run(t.Context(), o)
		if err != nil || len(files) == 0 || files[len(files)-1].Path != "alloc.spaa" {
			t.Fatalf("%v, %+v", err, files)
		}
		store, _, err := opened.File(t, "alloc.spaa")
		if err != nil {
			t.Fatal(err)
		}
		p := store.Current()
		sum, large := linesOf(t, "alloc.spaa", "new byte[];Alloc.large;Alloc.main")
		if limit == 0 && (large < 150e6 || large > 250e6) || large < share*sum || len(p.Problems) > 0 {
			t.Errorf("%.0f B, %.0f B of them by large; %v", sum, large, p.Problems)
		}
	}
}

// What a Java program has sampled is there although it is killed, but for the last second.
func TestJavaAllocationsOutliveAKill(t *testing.T) {
	java, data := program(t, "java"), here(t)
	program(t, "jcmd")
	f, err := newFlight(java, t.TempDir())
	if err != nil {
		t.Skip(err)
	}
	if !slices.Contains(f.events, jfrSample) {
		t.Skip("needs Java 16 or newer, which writes while it runs")
	}
	if out, err := exec.Command(program(t, "javac"), "-d", ".", filepath.Join(data, "Killed.java")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	o := runtimeOptions(t, java, "-cp", ".", "Killed")
	o.Every, o.Output = time.Minute, "killed.mb"
	files, status, err := Run(t.Context(), o)
	if err != nil || status != 128+9 || len(files) == 0 || files[len(files)-1].Path != "killed.spaa" {
		t.Fatalf("%v, status %d, %+v", err, status, files)
	}
	if sum, large := linesOf(t, "killed.spaa", "new byte[];Killed.large;Killed.main"); large < 100e6 || large < 0.8*sum {
		t.Errorf("%.0f B, %.0f B of them by large", sum, large)
	}
}

// linesOf returns the bytes of all stacks of a profile, and of those that are names from the leaf on.
func linesOf(t *testing.T, path, names string) (all, these float64) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	functions := map[int]string{}
	for line := range bytes.Lines(b) {
		var l struct {
			Type, Func string
			ID         any
			Frames     []int
			Weights    []struct{ Value float64 }
		}
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		id, _ := l.ID.(float64)
		switch l.Type {
		case "frame":
			functions[int(id)] = l.Func
		case "stack":
			var list []string
			for _, f := range l.Frames {
				list = append(list, functions[f])
			}
			all += l.Weights[0].Value
			if strings.Join(list, ";") == names {
				these += l.Weights[0].Value
			}
		}
	}
	return all, these
}

// What the Flight Recorder allocates for itself is left out and counted; what it allocates for code that calls it is not.
func TestSamplesOfTheFlightRecorderAreLeftOut(t *testing.T) {
	p := newStackLines(7)
	for stack, bytes := range map[string]uint64{
		"java/util/Arrays.copyOf jdk/jfr/internal/JVM.getAllEventClasses jdk/jfr/internal/dcmd/DCmdStart.execute": 1 << 20,
		"jdk/jfr/internal/PlatformRecorder.periodicTask java/lang/Thread.run":                                     2 << 20,
		"jdk/jfr/Event.commit shop/Order.place java/lang/Thread.run":                                              100,
		"java/util/ArrayList.grow shop/Order.place":                                                               10,
	} {
		var frames []string
		for _, f := range strings.Fields(stack) {
			class, method, _ := strings.Cut(f, ".")
			frames = append(frames, fmt.Sprintf(`{"method":{"name":%q,"type":{"name":%q}},"lineNumber":1}`, method, class))
		}
		var e jfrEvent
		text := fmt.Sprintf(`{"values":{"weight":%d,"stackTrace":{"frames":[%s]}}}`, bytes, strings.Join(frames, ","))
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			t.Fatal(err)
		}
		p.add(&e)
	}
	if left := p.leftOut(); len(p.samples) != 2 || p.sum != 110 || left != "2 samples (3.00 MiB) of the Flight Recorder itself" {
		t.Errorf("%d samples of %d B, left out %q", len(p.samples), p.sum, left)
	}
	path := filepath.Join(t.TempDir(), "a.spaa")
	f, err := os.Create(path)
	if err == nil {
		err = errors.Join(p.write(f), f.Close())
	}
	store, _, failed := opened.File(t, path)
	if err := errors.Join(err, failed); err != nil || !strings.Contains(fmt.Sprint(store.Current().Meta.Facts), p.leftOut()) {
		t.Errorf("%v: %v", err, store.Current().Meta.Facts)
	}
}

func TestNamesOfJava(t *testing.T) {
	for name, want := range map[string]string{"java/lang/String": "java.lang.String", "[B": "byte[]", "[[J": "long[][]", "[Ljava/lang/Class;": "java.lang.Class[]", "B": "B"} {
		if got := javaClass(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	for text, want := range map[string]int{`openjdk version "17.0.15" 2025`: 17, `java version "1.8.0_292"`: 8, `openjdk version "21" 2023`: 21, "none": 0} {
		if got := javaVersion(text); got != want {
			t.Errorf("%s: %d", text, got)
		}
	}
}

func TestHistogramsAreRead(t *testing.T) {
	list, total := histogram([]byte(" num     #instances         #bytes  class name (module)\n---\n   1:            10            240  java.lang.String (java.base@17)\n" +
		"   2:          4000          96000  [B (java.base@17)\n   3:  x  y  z\nTotal          4010          96240\n"))
	if len(list) != 2 || list[0] != (class{"[B", 96000}) || list[1].name != "java.lang.String" || total != 96240 {
		t.Errorf("%v, %d", list, total)
	}
}
