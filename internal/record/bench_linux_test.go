package record

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkOverhead runs programs bare, recorded, and under heaptrack where that is installed, in turns, and reports
// their CPU time as a ratio to the bare one: the best of all rounds. Run it with -benchtime 5x or more.
func BenchmarkOverhead(b *testing.B) {
	if _, err := exec.LookPath("gcc"); err != nil {
		b.Skip("needs gcc")
	}
	folder := b.TempDir()
	path := filepath.Join(folder, "workloads")
	if out, err := exec.Command("gcc", "-O2", "-g", "-pthread", "-o", path, "testdata/workloads.c").CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	programs := map[string][]string{}
	for _, mode := range []string{"small", "deep", "threads", "large"} { // these do little but allocate
		programs[mode] = []string{path, mode}
	}
	if out, err := exec.Command("gcc", "-print-prog-name=cc1").Output(); err == nil {
		source := filepath.Join(folder, "hook.i")
		if out, err := exec.Command("gcc", "-E", "-o", source, "hook/src/hook.c").CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		programs["compiler"] = []string{strings.TrimSpace(string(out)), "-quiet", "-O3", "-o", "/dev/null", source}
	}
	if python, err := exec.LookPath("python3"); err == nil {
		for _, mode := range []string{"churn", "list", "asyncio"} {
			programs["python "+mode] = []string{python, "testdata/workloads.py", mode}
		}
	}
	for _, mode := range slices.Sorted(maps.Keys(programs)) {
		command := programs[mode]
		b.Run(mode, func(b *testing.B) {
			best := map[string]time.Duration{}
			note := func(name string, run func()) {
				before := childrenTime()
				run()
				if t := childrenTime() - before; best[name] == 0 || t < best[name] {
					best[name] = t
				}
			}
			record := func(o Options) func() {
				return func() {
					o.Command, o.Output, o.Frames, o.Ring = command, filepath.Join(folder, "out.mlyze"), 64, 16<<20
					o.Log, o.Overwrite = b.Logf, true
					if _, _, err := Run(b.Context(), o); err != nil {
						b.Fatal(err)
					}
				}
			}
			for b.Loop() {
				note("bare", func() {
					if err := exec.Command(command[0], command[1:]...).Run(); err != nil {
						b.Fatal(err)
					}
				})
				note("sampled", record(Options{Sample: 512 << 10}))
				note("all", record(Options{}))
				if preload := heaptrackPreload(); preload != "" {
					note("heaptrack", func() {
						cmd := exec.Command(command[0], command[1:]...)
						cmd.Env = append(cmd.Environ(), "LD_PRELOAD="+preload, "DUMP_HEAPTRACK_OUTPUT=/dev/null")
						_ = cmd.Run()
					})
				}
			}
			for name, t := range best {
				b.ReportMetric(float64(t)/float64(best["bare"]), name+"/bare")
			}
			b.ReportMetric(float64(best["bare"].Milliseconds()), "bare-ms")
		})
	}
}

// BenchmarkRuntimes runs programs of Node.js bare and recorded, and one of Python bare and with the tracer that needs no
// hook, in turns. It reports the least time of each.
func BenchmarkRuntimes(b *testing.B) {
	for name, c := range map[string]struct {
		runtime string
		args    []string
		record  func(context.Context, Options) ([]Recorded, int, error)
	}{
		"node":            {"node", []string{"testdata/workload.js"}, Run},
		"pure one frame":  {"python3", []string{"testdata/workloads.py", "million"}, RunPure},
		"pure and a list": {"python3", []string{"testdata/workloads.py", "list"}, RunPure},
	} {
		b.Run(name, func(b *testing.B) {
			path, err := exec.LookPath(c.runtime)
			if err != nil {
				b.Skip(err)
			}
			o := Options{Command: append([]string{path}, c.args...), Output: filepath.Join(b.TempDir(), "out.mlyze"), Frames: 64, Ring: 1 << 20, Sample: 4096, Adapt: true,
				Overwrite: true, Log: b.Logf}
			if c.runtime == "python3" {
				o.Frames = 1
			}
			var bare, recorded usage
			for b.Loop() {
				bare.least(func() { _ = exec.Command(path, c.args...).Run() })
				recorded.least(func() {
					if _, _, err := c.record(b.Context(), o); err != nil {
						b.Fatal(err)
					}
				})
			}
			b.ReportMetric(bare.cpu.Seconds(), "bare-s")
			b.ReportMetric(recorded.cpu.Seconds(), "recorded-s")
			b.ReportMetric(recorded.wall.Seconds(), "recorded-wall-s")
		})
	}
}

// usage is the least time of some runs.
type usage struct{ cpu, wall time.Duration }

func (u *usage) least(run func()) {
	cpu, wall := childrenTime(), time.Now()
	run()
	cpu, spent := childrenTime()-cpu, time.Since(wall)
	if u.cpu == 0 || cpu < u.cpu {
		u.cpu, u.wall = cpu, spent
	}
}

// heaptrackPreload returns the library of heaptrack, "" where it is not installed.
func heaptrackPreload() string {
	list, _ := filepath.Glob("/usr/lib/*/heaptrack/libheaptrack_preload.so")
	more, _ := filepath.Glob("/usr/lib/heaptrack/libheaptrack_preload.so")
	for _, path := range append(list, more...) {
		return path
	}
	return ""
}

// childrenTime returns the CPU time of all children that have ended.
func childrenTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// instructions returns how many instructions a program of Python takes, by cachegrind, recorded or not.
func instructions(t *testing.T, valgrind, python, text string, recorded bool) float64 {
	t.Helper()
	out := filepath.Join(t.TempDir(), "log")
	command := []string{valgrind, "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", "--log-file=" + out, python, "-c", text}
	if recorded {
		o := Options{Command: command, Output: filepath.Join(t.TempDir(), "out.mlyze"), Frames: 64, Ring: 1 << 20, Sample: 512 << 10, Log: func(string, ...any) {}}
		if files, _, err := Run(t.Context(), o); err != nil || len(files) != 1 || files[0].Events < 10 {
			t.Fatalf("%v, %+v", err, files)
		}
	} else if printed, err := exec.Command(command[0], command[1:]...).CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, printed)
	}
	counted, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(counted), "refs:")
	line, _, _ := strings.Cut(after, "\n")
	n, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimSpace(line), ",", ""), 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Sampling at 512 KiB costs a program of Python that does little but allocate less than a twentieth of its
// instructions, of which there are as many in each run.
func TestSamplingCostsFewInstructions(t *testing.T) {
	if testing.Short() {
		t.Skip("takes some seconds")
	}
	valgrind, python := program(t, "valgrind"), ""
	endsOfPython(t, func(_ *testing.T, path string) { python = path }) // the newest one
	source, err := os.ReadFile("testdata/workloads.py")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PYTHONHASHSEED", "0")
	cost := map[bool]float64{}
	for _, recorded := range []bool{false, true} {
		for rounds, sign := range map[string]float64{"range(7)": 1, "range(1)": -1} { // without the start
			text := "import sys; sys.argv = ['', 'churn']\n" + strings.Replace(string(source), "range(180)", rounds, 1)
			cost[recorded] += sign * instructions(t, valgrind, python, text, recorded)
		}
	}
	ratio := cost[true] / cost[false]
	t.Logf("%.1f million instructions, %+.2f %%", cost[false]/1e6, 100*(ratio-1))
	if ratio > 1.05 {
		t.Errorf("sampling adds %.1f %%", 100*(ratio-1))
	}
}
