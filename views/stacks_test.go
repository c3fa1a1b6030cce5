package views

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/views/stacks"
)

func TestStacksGolden(t *testing.T) {
	goldenSizes(t, "stacks-tree", "5")
	goldenSizes(t, "stacks-flame", "5", "p", "f", "Down", "Down", "Right")
}

func TestStacksWide(t *testing.T) {
	openKvleak(t, 200, 50, colorCaps).keys("5", "i", "c", "c", "c", "/", "s", "t", "d", "Enter").golden("stacks-bottom-up-200x50")
}

// Every cost that the screen shows is that of the trace.
func TestStacksCosts(t *testing.T) {
	store, ix := loadFew(t)
	u := openUI(t, 100, 24, colorCaps, store, ix).keys("5")
	u.has("Nothing is live at the end: everything was freed.", "c shows another cost, p goes to the peak.")
	u.keys("p").has("175 B = 100 %", "at 30 µs (peak)")
	for _, want := range []string{"Live blocks, top-down", "3 blocks = 100 %", "Live bytes at the peak, 30 µs, top-down", "175 B = 100 %",
		"Allocated bytes, top-down", "175 B = 100 %", "Allocations, top-down", "3 blocks = 100 %",
		"Unfreed bytes", "Nothing is unfreed", "Temporary blocks", "1 block = 100 %"} {
		if strings.Contains(want, ", top-down") || strings.HasPrefix(want, "Unfreed") || strings.HasPrefix(want, "Temp") {
			u.keys("c")
		}
		u.has(want)
	}
	u.keys("c").has("Live bytes, top-down")
}

// The tree is never one closed line: the heaviest path is open, and stays so while the instant moves.
func TestStacksKeepWhatIsOpen(t *testing.T) {
	store, ix := loadFew(t)
	u := openUI(t, 100, 24, colorCaps, store, ix).keys("5", "t")
	u.keys("3", "0", "u", "s", "Enter").has("vector<…>::push", "parse", "draw")
	u.keys("g", "Down", "Down", "Down")
	if got := u.app.stacks().CopyText(); !strings.HasPrefix(got, "draw") {
		t.Fatalf("selected %q, want draw", got)
	}
	u.keys("t", "4", "5", "u", "s", "Enter") // draw weighs nothing here
	u.has("vector<…>::push")
	u.keys("e").has("Nothing is live at the end")
	u.keys("p").has("vector<…>::push", "draw")
	if got := u.app.stacks().CopyText(); !strings.HasPrefix(got, "draw") {
		t.Errorf("selected %q after coming back, want draw", got)
	}
}

func (a *app) stacks() *stacks.Stacks {
	for _, s := range a.all {
		if s, ok := s.(*stacks.Stacks); ok {
			return s
		}
	}
	return nil
}

func TestStacksNamesAndRecursion(t *testing.T) {
	store, ix := loadFew(t)
	u := openUI(t, 100, 24, colorCaps, store, ix).keys("5", "p", "G", "g", "Down", "Down")
	u.has("vector<…>::push")
	u.keys("w").has("vector<int>::push")
	if got := u.app.stacks().CopyText(); !strings.HasPrefix(got, "vector<int>::push  vector<int>::push.c:17\nparse") {
		t.Errorf("the selection did not survive other names: %q", got)
	}
	u.keys("w", "r").has("recursion folded")
	u.keys("i").has("bottom-up", "recursion folded")
	u.keys("i", "r").has("top-down ")
}

// A site that was selected elsewhere is looked for here, and its function when the tree is turned round.
func TestStacksFollowTheSelection(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("3", "Down", "5")
	if got := u.app.stacks().CopyText(); !strings.HasPrefix(got, "close_session(Session*, bool)  ") {
		t.Errorf("selected %q", got)
	}
	u.keys("i", "h", "l")
	if got := u.app.stacks().CopyText(); got != "close_session(Session*, bool)  /home/dev/code/ht/src/kvleak.cpp:17\n" {
		t.Errorf("selected %q bottom-up", got)
	}
}

func TestStacksSearch(t *testing.T) {
	store, ix := loadFew(t)
	u := openUI(t, 100, 24, colorCaps, store, ix).keys("5", "p", "/", "P", "A", "R", "Enter")
	u.has("“PAR” matches 85.7 %", " parse ───")
	u.keys("/", "Ctrl+U", "/", "w", "|", "p", "u", "Enter").has("“/w|pu” matches 100 %")
	first := u.app.stacks().CopyText()
	u.keys("n")
	second := u.app.stacks().CopyText()
	if first == second || !strings.HasPrefix(second, "draw") && !strings.HasPrefix(first, "draw") {
		t.Errorf("next went from %q to %q", first, second)
	}
	u.keys("n")
	if got := u.app.stacks().CopyText(); got != first {
		t.Errorf("the search does not go round: %q", got)
	}
	u.keys("N")
	if got := u.app.stacks().CopyText(); got != second {
		t.Errorf("back leads to %q, want %q", got, second)
	}
	u.keys("f").has("matches 100 %")
	u.keys("f", "/", "Ctrl+U", "z", "z", "Enter").has("“zz” matches nothing")
	u.keys("Esc")
	if strings.Contains(u.Text(), "matches") {
		t.Error("Esc does not end the search")
	}
}

func TestFlameZoom(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("5", "f", "p", "Down", "Right")
	u.has(" clone3 ─")
	u.keys("Enter")
	f := u.app.stacks().Graph
	if f.Zoom() == 0 {
		t.Fatal("not zoomed")
	}
	zoomed := f.Zoom()
	u.keys("h", "h", "l", "l", "e", "p")
	if f.Zoom() != zoomed {
		t.Error("the zoom did not survive scrubbing")
	}
	u.keys("Esc")
	if f.Zoom() != 0 {
		t.Error("Esc does not zoom out")
	}
	u.keys("+", "0", "x").has("self ")
	u.keys("f").has("FUNCTION")
}

func TestAroundOneFunction(t *testing.T) {
	u := openKvleak(t, 100, 30, colorCaps).keys("5", "c", "c", "c", "i", "Enter", "g")
	u.has("Callers and callees of operator new", "self 1.43 MiB", "called by worker_batch", "65.1 %")
	u.keys("Enter").has("Callers and callees of worker_batch", "calls operator new")
	u.golden("stacks-around-100x30")
	u.keys("h", "y").has("copy requested (if nothing arrives, Ctrl-S saves): ")
	u.keys("Esc").has("of operator new")
	u.keys("Esc").has("FUNCTION")
}

// Callers stay above a function and what it calls below, however they are sorted; clicks, the filter and the command
// are those of the list that lies over the screen.
func TestAroundIsATable(t *testing.T) {
	u := openKvleak(t, 100, 30, colorCaps).keys("5", "c", "c", "c", "i", "Enter", "g", "Enter")
	at := func(text string) (x, y int) {
		for y, line := range strings.Split(u.Text(), "\n") {
			if before, _, ok := strings.Cut(line, text); ok {
				return len([]rune(before)), y
			}
		}
		t.Fatalf("no %q:\n%s", text, u.Text())
		return 0, 0
	}
	order := func() (rows []int) {
		for _, text := range []string{"called by std::__invoke_impl", "│ ▸   963 KiB   100 %  ████████  worker_batch", "calls std::vector", "calls operator new"} {
			_, y := at(text)
			rows = append(rows, y)
		}
		return rows
	}
	u.sim.Click(at("WEIGHT"))
	if first := order(); first[3] > first[2] || first[1] > first[3] || first[0] > first[1] {
		t.Errorf("rows %v", first)
	}
	u.sim.Click(at("WEIGHT"))
	if second := order(); !slices.IsSorted(second) {
		t.Errorf("reversed, rows %v", second)
	}
	u.keys("Y")
	if got := u.sim.Clipboard(); got != "memtui report --peek 'worker_batch(int)' --by alloc_bytes small_kvleak.mlyze" {
		t.Errorf("copied %q", got)
	}
	u.keys("/")
	typeText(u, "emplace")
	u.keys("Enter").has("of worker_batch · filter “emplace”", "calls std::vector")
	lacks(t, u, "calls operator new")
	u.keys("Esc").has("calls operator new")
	x, y := at("calls operator new")
	u.sim.Click(x, y)
	if u.keys("y"); !strings.Contains(u.sim.Clipboard(), "calls operator new") {
		t.Errorf("a click selects %q", u.sim.Clipboard())
	}
}

func TestStacksMouse(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("5")
	rows := strings.Split(u.Text(), "\n")
	y, x := 0, 0
	for i, row := range rows {
		if at := strings.Index(row, "▾ clone3"); at >= 0 && y == 0 {
			y, x = i, len([]rune(row[:at]))
		}
	}
	u.sim.Click(x, y)
	u.has("▸ clone3", " clone3 ─").hasNot("_State_impl")
	u.sim.Click(x, y)
	u.has("▾ clone3", "▸ start_thread")
	u.keys("f")
	u.sim.Click(4, 2)
	u.has("Everything:")
}

func TestStacksCopyAndCommand(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("5", "y")
	if got, want := u.sim.Clipboard(), "main  /home/dev/code/ht/src/kvleak.cpp:23\n__libc_start_call_main"; !strings.HasPrefix(got, want) {
		t.Errorf("copied %q, want %q…", got, want)
	}
	u.keys("c", "c", "c", "Y")
	if got, want := u.sim.Clipboard(), "memtui report --table tree --by alloc_bytes small_kvleak.mlyze"; got != want {
		t.Errorf("copied %q, want %q", got, want)
	}
}

// Fifty thousand frames do no harm: not opened, not as a flame graph, not searched, not folded.
func TestStacksDeep(t *testing.T) {
	modeltest.Plain(t)
	store, ix := loadDeep(t)
	begin := time.Now()
	u := openUI(t, 80, 24, colorCaps, store, ix).keys("5", "x", "G", "g", "G", "*")
	u.has("level_49999")
	u.keys("/", "l", "e", "v", "e", "l", "_", "4", "9", "9", "9", "8", "Enter").has("level_49998")
	u.keys("f", "h", "Enter", "Down", "x", "Up", "i", "r", "h", "y", "Esc", "Esc", "f", "*", "l", "PgUp")
	if d := time.Since(begin); d > 20*time.Second {
		t.Errorf("took %v", d)
	}
}

// What is shown at an instant is what the trace says about it.
func TestStacksEqualTheTrace(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("5", "H", "H", "h")
	p := u.app.stacks()
	weights, err := u.app.Trace.Weights(t.Context(), analysis.CostLive, analysis.Query{At: u.app.state.At, Range: analysis.FullRange})
	if err != nil {
		t.Fatal(err)
	}
	live, err := u.app.Trace.Live(t.Context(), u.app.state.At)
	if err != nil {
		t.Fatal(err)
	}
	sum := uint64(0)
	for _, w := range weights {
		sum += w
	}
	if p.Now.Total[0] != sum || sum != live.Bytes {
		t.Errorf("the tree weighs %d, the stacks %d, live are %d", p.Now.Total[0], sum, live.Bytes)
	}
}

// BenchmarkFlameScrub is a step of the instant with a flame graph of 14,000 stacks × 60 frames on screen, or with that
// of a difference.
func BenchmarkFlameScrub(b *testing.B) {
	store, ix := loadMany(b)
	for _, c := range []struct {
		name string
		keys []string
	}{{"flame", []string{"5", "f"}}, {"tree", []string{"5"}}, {"changed-flame", []string{"p", "A", "e", "d", "5", "f"}}, {"changed-tree", []string{"p", "A", "e", "d", "5"}}} {
		b.Run(c.name, func(b *testing.B) {
			u := openUI(b, 200, 50, colorCaps, store, ix)
			u.sim.Settle()
			_ = u.sim.Type(c.keys...)
			u.sim.Settle()
			steps := make([]time.Duration, 0, b.N)
			b.ResetTimer()
			for i := range b.N {
				begin := time.Now()
				_ = u.sim.Type([]string{"h", "h", "h", "l"}[i%4])
				u.sim.Settle()
				steps = append(steps, time.Since(begin))
			}
			slices.Sort(steps)
			b.ReportMetric(float64(steps[len(steps)*99/100].Microseconds())/1000, "p99-ms")
		})
	}
}

// Every site below a frame is told with its verdict, the leaks first, and so is each block's.
func TestVerdictsOfStacksAndBlocks(t *testing.T) {
	u := openKvleak(t, 120, 40, colorCaps).keys("5", "Down", "Down", "Down")
	u.has("clone3 ───", "▲ close_session: leak (84 % certain, +518 KiB/s): 13 blocks (32.5 KiB)", "more sites: ")
	u.keys("6").has("VERDICT", "▲ leak       close_session", "● kept       main › allocate_dtv", "its site: unknown: 1 block (391 KiB)")
	u.keys("j").has("its site: ▲ leak (84 % certain, +518 KiB/s): 13 blocks")
}
