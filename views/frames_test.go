package views

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/internal/term"
	"github.com/memtui/memtui/loaders/all"
)

// framed are a file of every format, by the format's name.
var framed = map[string]string{
	"mlyze": "testdata/small_kvleak.mlyze", "heaptrack": "loaders/heaptrack/testdata/shop.zst", "mvmheap": "internal/demo/samples/records.mvmheap",
	"hprof": "loaders/hprof/testdata/shop1.hprof.zst", "heapsnapshot": "loaders/v8heap/testdata/chrome1.heapsnapshot.zst",
	"ruby-heap": "loaders/rubyheap/testdata/shop1.json.zst", "python-heap": "loaders/pyheap/testdata/shop1.pydump.zst",
	"spaa": "internal/demo/samples/server.spaa.zst", "memdump-mb": "internal/demo/samples/real_proc_python.mb", "memdump-json": "loaders/memdump/testdata/small.json",
	"jemalloc-heap": "loaders/heaptext/testdata/every.0.i0.heap", "tcmalloc-heap": "loaders/heaptext/testdata/tcmalloc.profile.0001.heap",
	"go-heap-text": "loaders/heaptext/testdata/go.debug1.txt", "massif": "loaders/valgrind/testdata/massif.default.out", "dhat": "loaders/valgrind/testdata/dhat.shop.json",
	"memcheck": "loaders/valgrind/testdata/memcheck.xml", "sanitizer": "loaders/sanitizer/testdata/lsan.txt", "perf-script": "loaders/perfscript/testdata/perf.script.txt",
	"pprof": "loaders/pprof/testdata/go.heap.pb.gz", "speedscope": "loaders/speedscope/testdata/shop.speedscope.json",
	"v8-heapprofile": "loaders/v8profile/testdata/shop.heapprofile", "v8-cpuprofile": "loaders/v8profile/testdata/shop.cpuprofile",
	"folded": "loaders/folded/testdata/perf.samples.folded",
}

// frameSteps are the keys of a step: rows, and instants, snapshots or layouts.
var frameSteps = []string{"Down", "Down", "Up", "h", "h", "l", "Down"}

// frameCost is what steps on a screen took.
type frameCost struct {
	format, screen string
	times          []time.Duration // from the key to the flushed frame with all its answers, ascending
	bytes          []int64         // sent to the terminal, ascending
	idle           int64           // bytes sent for a key that does nothing, and for drawing again
}

// framesOf makes steps on each screen of a file at 200×50, as many times as it says.
func framesOf(t testing.TB, format string, times int) (list []frameCost) {
	t.Helper()
	store, ix, err := opened.File(t, filepath.Join("..", framed[format]))
	if err != nil {
		t.Fatal(err)
	}
	sim, err := term.NewCountedSimulation(200, 50)
	if err != nil {
		t.Fatal(err)
	}
	u := openOn(t, sim, colorCaps, store, ix)
	for i, screen := range u.app.screens {
		u.sim.Do(func() { u.app.overlays = nil; u.app.goTo(i) })
		u.keys("Down", "Up")
		c := frameCost{format: format, screen: screen.Name()}
		for range times {
			for _, key := range frameSteps {
				before, began := u.sim.Written(), time.Now()
				u.keys(key)
				c.times, c.bytes = append(c.times, time.Since(began)), append(c.bytes, u.sim.Written()-before)
			}
		}
		u.keys("F12") // what a key says goes with the next one
		before := u.sim.Written()
		u.keys("F12")
		u.sim.Do(func() {})
		u.sim.Settle()
		c.idle = u.sim.Written() - before
		slices.Sort(c.times)
		slices.Sort(c.bytes)
		list = append(list, c)
	}
	return list
}

// countedEnv asks for a terminal in true color.
func countedEnv(t testing.TB) {
	t.Setenv("LC_ALL", "C.UTF-8")
	t.Setenv("NO_COLOR", "")
	t.Setenv("COLORTERM", "truecolor")
}

// Every format has a file whose frames are looked at.
func TestEveryFormatHasFrames(t *testing.T) {
	for _, f := range all.Formats() {
		if framed[f.Name] == "" {
			t.Errorf("no file of format %s", f.Name)
		}
	}
}

// BenchmarkFrames prints what a step takes on every screen of every format at 200×50, from the key to the flushed frame
// with all its answers, and what it sends: the slowest screen last. MEMTUI_BENCH_FORMAT names one format.
func BenchmarkFrames(b *testing.B) {
	modeltest.Plain(b)
	countedEnv(b)
	var list []frameCost
	for b.Loop() {
		list = nil
		for format := range framed {
			if only := os.Getenv("MEMTUI_BENCH_FORMAT"); only == "" || only == format {
				list = append(list, framesOf(b, format, 15)...)
			}
		}
	}
	ms := func(list []time.Duration, share float64) float64 {
		return float64(list[int(share*float64(len(list)-1))].Microseconds()) / 1000
	}
	slices.SortFunc(list, func(x, y frameCost) int { return cmp.Compare(ms(y.times, 0.99), ms(x.times, 0.99)) })
	text := ""
	for _, c := range list {
		n := len(c.bytes)
		text += fmt.Sprintf("| %s | %s | %.2f | %.2f | %d | %d | %d |\n", c.format, c.screen, ms(c.times, 0.5), ms(c.times, 0.99), c.bytes[n/2], c.bytes[n*99/100], c.idle)
	}
	fmt.Print("\n| format | screen | ms, median | ms, p99 | bytes, median | bytes, p99 | bytes, idle |\n" + text)
}
