package views

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/internal/memtest"
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

// openCounted opens the file of a format on a terminal of 200×50 that counts what it gets.
func openCounted(t testing.TB, format string) *program {
	t.Helper()
	store, ix, err := opened.File(t, filepath.Join("..", framed[format]))
	if err != nil {
		t.Fatal(err)
	}
	sim, err := term.NewCountedSimulation(200, 50, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	return openOn(t, sim, colorCaps, store, ix)
}

// framesOf makes rounds of steps on each screen of a file at 200×50, after one that decodes and computes what is kept.
func framesOf(t testing.TB, format string, rounds int) (list []frameCost) {
	t.Helper()
	u := openCounted(t, format)
	for i, screen := range u.app.screens {
		u.sim.Do(func() { u.app.overlays = nil; u.app.goTo(i) })
		u.keys(frameSteps...)
		c := frameCost{format: format, screen: screen.Name()}
		for range rounds {
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

// A list that scrolls by a row sends the row that comes into view and what else changes, not itself.
func TestScrolledListsSendLittle(t *testing.T) {
	modeltest.Plain(t)
	countedEnv(t)
	u := openCounted(t, "hprof")
	for _, screen := range []string{"2", "3", "6"} {
		u.keys(screen, "PgDn", "PgDn")
		var sent []int64
		for range 20 {
			before := u.sim.Written()
			u.keys("Down")
			sent = append(sent, u.sim.Written()-before)
		}
		slices.Sort(sent)
		if n := sent[len(sent)/2]; n == 0 || n > 1000 {
			t.Errorf("screen %s: a row further sends %d bytes", screen, n)
		}
	}
}

// What a terminal shows after a step on any screen is what was drawn.
func TestFramesShowWhatIsDrawn(t *testing.T) {
	modeltest.Plain(t)
	countedEnv(t)
	for _, format := range modeltest.Few(slices.Sorted(maps.Keys(framed))) {
		store, ix, err := opened.File(t, filepath.Join("..", framed[format]))
		if err != nil {
			t.Fatal(err)
		}
		vt := memtest.NewVT(200, 50)
		sim, err := term.NewCountedSimulation(200, 50, vt)
		if err != nil {
			t.Fatal(err)
		}
		u := openOn(t, sim, colorCaps, store, ix)
		for i, screen := range u.app.screens {
			u.sim.Do(func() { u.app.overlays = nil; u.app.goTo(i) })
			for _, key := range slices.Concat([]string{"F12"}, frameSteps, []string{"PgDn", "Down", "PgDn", "Down", "Down", "Up", "PgUp"}) {
				u.keys(key)
				u.sim.Do(func() {
					if d := undrawn(vt, u.sim.Screen()); d != "" {
						t.Fatalf("%s, %s after %s: %s", format, screen.Name(), key, d)
					}
				})
			}
		}
	}
}

// undrawn describes the first cell of a terminal that differs from a screen, "" for none.
func undrawn(vt *memtest.VT, screen *term.Screen) string {
	for y := range vt.H {
		for x := 0; x < vt.W; {
			text, style, width := screen.Get(x, y)
			fg, bg, marks := style.Decompose()
			want := memtest.Style{Fg: colorText(fg), Bg: colorText(bg)}
			for i, mark := range []tcell.AttrMask{tcell.AttrBold, tcell.AttrDim, tcell.AttrItalic, 0, tcell.AttrBlink, tcell.AttrReverse, tcell.AttrStrikeThrough} {
				if marks&mark != 0 || mark == 0 && style.GetUnderlineStyle() != tcell.UnderlineStyleNone {
					want.Attrs += "bdiukvr"[i : i+1]
				}
			}
			if got := vt.At(x, y); got.Text != text || got.Style.Looks(text) != want.Looks(text) {
				return fmt.Sprintf("%d,%d shows %+v, drawn was %q %+v", x, y, got, text, want)
			}
			x += width
		}
	}
	return ""
}

// colorText returns a color as [memtest.Style] has it.
func colorText(c tcell.Color) string {
	switch {
	case !c.Valid():
		return ""
	case c.IsRGB():
		return fmt.Sprintf("#%06x", c.Hex())
	}
	return strconv.Itoa(int(c & 0xff))
}

// A key that does nothing sends nothing, and half of all steps on any screen send less than a quarter of a full one.
func TestFramesSendLittle(t *testing.T) {
	modeltest.Plain(t)
	countedEnv(t)
	const full = 200 * 50 * 2 // bytes: a cell takes two on average
	for _, format := range modeltest.Few(slices.Sorted(maps.Keys(framed))) {
		for _, c := range framesOf(t, format, 3) {
			if n := c.bytes[len(c.bytes)/2]; n > full/4 || c.idle != 0 {
				t.Errorf("%s, %s: a step sends %d bytes, a key that does nothing %d", format, c.screen, n, c.idle)
			}
		}
	}
}

// BenchmarkFrames prints what a step takes on every screen of every format at 200×50, from the key to the flushed frame
// with all its answers, and what it sends: the least of all runs, of each screen in the format where it is slowest, the
// slowest first. MEMTUI_BENCH_FORMAT names one format.
func BenchmarkFrames(b *testing.B) {
	modeltest.Plain(b)
	countedEnv(b)
	best := map[[2]string]*frameFigures{}
	for b.Loop() {
		for format := range framed {
			if only := os.Getenv("MEMTUI_BENCH_FORMAT"); only != "" && only != format {
				continue
			}
			for _, c := range framesOf(b, format, 15) {
				at := [2]string{format, c.screen}
				if best[at] == nil {
					best[at] = c.figures()
				}
				best[at].least(c.figures())
			}
		}
	}
	worst := map[string]*frameFigures{}
	for _, f := range best {
		if w := worst[f.screen]; w == nil || f.slow > w.slow {
			f.formats = 0
			worst[f.screen] = f
		}
	}
	for _, f := range best {
		worst[f.screen].formats++
	}
	var over [2]int // screens of formats that send more
	for _, f := range best {
		for i, n := range f.bytes {
			if n > 800 {
				over[i]++
			}
		}
	}
	list := slices.SortedFunc(maps.Values(worst), func(x, y *frameFigures) int { return cmp.Compare(y.slow, x.slow) })
	fmt.Print("\n| screen | formats | slowest in | ms, median | ms, p99 | bytes, median | bytes, p99 |\n|---|---|---|---|---|---|---|\n")
	for _, f := range list {
		fmt.Printf("| %s | %d | %s | %.1f | %.1f | %d | %d |\n", f.screen, f.formats, f.format, f.usual, f.slow, f.bytes[0], f.bytes[1])
	}
	fmt.Printf("\nOf %d screens of all formats, %d send more than 800 bytes in the median, %d at p99.\n", len(best), over[0], over[1])
}

// frameFigures are a line of the table: milliseconds and bytes of the median and of the 99th percentile.
type frameFigures struct {
	format, screen string
	formats        int
	usual, slow    float64
	bytes          [2]int64
}

func (c *frameCost) figures() *frameFigures {
	at := func(share float64) int { return int(share * float64(len(c.bytes)-1)) }
	ms := func(share float64) float64 { return float64(c.times[at(share)].Microseconds()) / 1000 }
	return &frameFigures{format: c.format, screen: c.screen, usual: ms(0.5), slow: ms(0.99), bytes: [2]int64{c.bytes[at(0.5)], c.bytes[at(0.99)]}}
}

func (f *frameFigures) least(g *frameFigures) {
	f.usual, f.slow = min(f.usual, g.usual), min(f.slow, g.slow)
	f.bytes = [2]int64{min(f.bytes[0], g.bytes[0]), min(f.bytes[1], g.bytes[1])}
}
