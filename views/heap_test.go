package views

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/internal/term"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/compare"
	"github.com/memtui/memtui/views/state"
)

// records is a real file: three snapshots of a program that keeps what it makes.
func records(t testing.TB) []byte { return sampleFile(t, "records.mvmheap") }

func openRecords(t testing.TB, w, h int, caps term.Caps) *program {
	t.Helper()
	store, ix := loadBytes(t, "records.mvmheap", records(t))
	u := openUI(t, w, h, caps, store, ix)
	u.sim.Do(func() { u.app.o.Command = []string{"records.mvmheap"} })
	return u
}

// heapGoldens is goldenSizes on heap snapshots.
func heapGoldens(t *testing.T, name string, keys ...string) {
	t.Helper()
	goldensOn(t, "heap-"+name, openRecords, keys...)
}

func TestSnapshotsGolden(t *testing.T) { heapGoldens(t, "snapshots", "k") }

func TestTypesGolden(t *testing.T) { heapGoldens(t, "types", "2", "j") }

func TestObjectsGolden(t *testing.T) { heapGoldens(t, "objects", "2", "Enter", "j") }

func TestFramesGolden(t *testing.T) { heapGoldens(t, "frames", "3") }

func TestDominatorsGolden(t *testing.T) { heapGoldens(t, "dominators", "4", "x") }

func TestObjectGolden(t *testing.T) { heapGoldens(t, "object", "4", "x", "O") }

func TestComparisonGolden(t *testing.T) { heapGoldens(t, "comparison", "6") }

func TestSubtreesGolden(t *testing.T) { heapGoldens(t, "subtrees", "6", "b", "b") }

// What the screens show is what analysis says.
func TestTypesShowTheAnswersOfAnalysis(t *testing.T) {
	modeltest.Plain(t)
	u := openRecords(t, 200, 100, colorCaps).keys("2", "=")
	var h *model.Heap
	var g *heapgraph.Graph
	u.sim.Do(func() {
		var err error
		if h, err = u.app.Heaps.Heap(t.Context(), u.app.state.Snapshot()); err != nil {
			t.Error(err)
		}
		if g, err = u.app.Heaps.Graph(t.Context(), u.app.state.Snapshot(), 0); err != nil {
			t.Error(err)
		}
	})
	types := heapgraph.Types(h)
	retained, err := g.RetainedByGroups(t.Context(), heapgraph.By{Kinds: h.Schema.Objects().Kinds})
	if err != nil {
		t.Fatal(err)
	}
	for i := range types[:20] {
		v := &types[i]
		u.has(v.Name, model.Group(v.Count), model.Bytes(v.Bytes()).Exact(), model.Bytes(v.UnmanagedBytes).Exact(), model.Bytes(retained[v.ID].Bytes).Exact())
	}
}

// Moving from snapshot to snapshot works on every screen, and every screen follows.
func TestSnapshotsMove(t *testing.T) {
	u := openRecords(t, 120, 40, colorCaps)
	last := u.app.state.Snapshot()
	for _, screen := range []string{"1", "2", "3", "4", "5", "6"} {
		u.keys(screen, "e").has(fmt.Sprintf("snapshot #%d (last of", last))
		u.keys("h").has(fmt.Sprintf("snapshot #%d (", last-1))
		u.keys("l", "l").has("no further snapshot")
		u.keys("t", "0", "Enter").has("snapshot #0 (1st of")
		u.keys("L").has(fmt.Sprintf("snapshot #%d (last of", last))
		u.keys("p").has("snapshot #")
	}
}

func TestTypesOfEveryKind(t *testing.T) {
	u := openRecords(t, 120, 40, colorCaps).keys("2")
	for _, want := range []string{"REPRs ", "Type objects ", "STables ", "Types "} {
		u.keys("b").has(want)
	}
	u.keys("b", "Enter").has("Types · representation: ", "Esc goes back to the REPRs").keys("Esc").has("REPRs ─")
	u.keys("Enter", "b").has("Type objects ─").keys("b", "b").has("Types ─")
}

func TestHeapTablesSort(t *testing.T) {
	modeltest.Plain(t)
	u := openRecords(t, 120, 40, colorCaps)
	for _, screen := range []string{"1", "2", "3", "4", "5", "6"} {
		u.keys(screen)
		for range 12 {
			u.keys("s", "S")
		}
		u.keys("<", ">", "Tab", "j", "Tab", "z", "z")
	}
}

func TestTypesFilter(t *testing.T) {
	modeltest.Plain(t)
	u := openRecords(t, 120, 40, colorCaps).keys("2", "/")
	typeText(u, "record")
	u.keys("Enter").has("filter “record”", "1 of ")
	u.keys("/", "Ctrl+U")
	typeText(u, "retained>1G")
	u.keys("Enter").has("No matches for")
	u.keys("Esc").has("Types ─")
}

// From a type to one of its objects, to who refers to it, and back the whole way.
func TestObjectsAreReachable(t *testing.T) {
	modeltest.Plain(t)
	u := openRecords(t, 120, 40, colorCaps).keys("2", "Enter")
	u.has("Objects of ", "most retained first")
	u.keys("Enter").has("Object · #", "References out", "References in", "Shortest path from the root")
	first := u.app.state.Heap.Row
	u.keys("Enter")
	if u.app.state.Heap.Row == first {
		t.Error("Enter does not follow a reference")
	}
	u.keys("Alt+Left")
	if u.app.state.Heap.Row != first {
		t.Error("Alt-Left does not go back")
	}
	u.keys("Alt+Right", "Alt+Left", "D").has("Dominators")
	u.keys("O").has("Object · #")
}

// Leaving a retainer out shows another way, or says that there is none.
func TestExcludeRetainer(t *testing.T) {
	modeltest.Plain(t)
	u := openRecords(t, 120, 40, colorCaps).keys("2", "Enter", "Enter", "Tab", "Tab")
	u.keys("X").has("every path contains this object")
	u.keys("j", "X")
	if n := len(u.app.state.Heap.Excluded()); n != 1 {
		t.Fatalf("%d rows are left out", n)
	}
	u.has("without 1 object")
	u.keys("u")
	if u.app.state.Heap.Without != "" {
		t.Error("u does not take it back")
	}
	u.keys("Backtab", "X", "Backtab", "X").has("only retainers can be excluded")
}

func TestObjectGroups(t *testing.T) {
	modeltest.Plain(t)
	u := openRecords(t, 120, 40, colorCaps).keys("2", "/")
	typeText(u, "NQPArray")
	u.keys("Enter", "Enter", "Enter").has("in 2 groups")
	u.keys("Enter").has("of the same kind of")
	u.keys("/", "1")
	u.keys("Enter", "Esc", "Esc").has("in 2 groups")
	u.keys("b")
	if strings.Contains(u.Text(), "in 2 groups") {
		t.Error("b does not list single references")
	}
}

func TestDominatorsDescend(t *testing.T) {
	modeltest.Plain(t)
	u := openRecords(t, 120, 40, colorCaps).keys("4")
	u.has("Dominators ─")
	u.keys("Right").has("Dominated by ")
	u.keys("Left").has("Dominators ─")
	u.keys("Left").has("this is the root")
	u.keys("x").has("memory is spread over many")
	u.keys("b").has(" × ")
	u.keys("Enter").has("only ")
	u.keys("Left").has(" × ")
	u.keys("E").has("all references keep", "all edges")
	u.keys("E")
}

func TestComparisonSides(t *testing.T) {
	modeltest.Plain(t)
	u := openRecords(t, 120, 40, colorCaps).keys("1", "k", "v", "6")
	u.has("before: #1", "after: #1", "Both sides are the same snapshot")
	u.keys("e").has("before: #1", "after: #2", "the heap grew by")
	u.keys("~").has("before: #2", "after: #1", "the heap shrank by")
	u.keys("~", "u").has("before: #0", "after: #2")
	for _, want := range []string{"changed only", "new only", "gone only", "grown only", "shrunk only"} {
		u.keys("!").has(want)
	}
	u.keys("!", "c").has("Δ COUNT▼")
	u.keys("c").has("Δ RETAINED▼")
	u.keys("c", "%").has("figures of before: as shares of the total", "the same total").keys("%").has("the same duration").keys("%").has("number of collections")
	u.keys("%", "b").has("Frames by Δ bytes")
	u.keys("b").has("Subtrees that grew", "Δ COUNT", " here retain", " retained ")
	u.keys("Enter").has("Dominators")
	u.keys("Esc", "6", "b", "Enter").has("Objects of ")
}

// What types retain at least is said to be so, and what bounds do not tell is left open.
func TestComparisonOfLowerBounds(t *testing.T) {
	modeltest.Plain(t)
	u := openRecords(t, 150, 40, colorCaps).keys("1", "6", "~", "u")
	u.keys("c", "c").has("Δ RETAINED▼").hasNot("≥", "unknown")
	u = openRecords(t, 150, 40, colorCaps).keys("1", "6", "~", "u")
	u.sim.Do(func() { u.app.Ctx = model.WithBudget(u.app.Ctx, model.NewBudget(1)) })
	u.keys("c", "c").has("Δ RETAINED▼", "≥: at least", "≥ ", "?", "unknown")
	u.keys("!").has("unknown")
}

// Every screen can be printed by a command.
func TestHeapCommands(t *testing.T) {
	modeltest.Plain(t)
	u := openRecords(t, 120, 40, colorCaps)
	for screen, want := range map[string]string{
		"1": "memtui heap snapshots records.mvmheap", "2": "memtui heap types records.mvmheap --snapshot 2", "3": "memtui heap frames records.mvmheap --snapshot 2",
		"4": "memtui heap dominators records.mvmheap --snapshot 2 --below 0", "5": "memtui heap object records.mvmheap 0 --snapshot 2", "6": "memtui diff 'records.mvmheap#0' 'records.mvmheap#2'",
	} {
		u.keys(screen)
		var got string
		u.sim.Do(func() { got = u.app.commandLine() })
		if got != want {
			t.Errorf("screen %s is printed by %q, want %q", screen, got, want)
		}
		u.keys("y")
	}
	for _, c := range [][2]string{
		{"2s", "memtui heap types records.mvmheap --snapshot 2 --by count"}, {"3s", "memtui heap frames records.mvmheap --snapshot 2 --by count"},
	} {
		u.keys(strings.Split(c[0], "")...)
		for range 8 { // until it is the count that sorts
			if u.app.commandLine() == c[1] {
				break
			}
			u.keys("s")
		}
		if got := u.app.commandLine(); got != c[1] {
			t.Errorf("sorted by the count the command is %q, want %q", got, c[1])
		}
	}
}

// Whatever a screen offers to open with the mouse opens.
func TestHeapMouse(t *testing.T) {
	modeltest.Plain(t)
	u := openRecords(t, 120, 40, colorCaps)
	for _, screen := range []string{"1", "2", "3", "4", "5", "6"} {
		for y := 2; y < 38; y += 3 {
			u.keys(screen)
			u.sim.Click(20, y)
			u.sim.Settle()
			u.sim.Click(90, y)
			u.sim.Settle()
		}
	}
}

// Two files are compared where a second one was given; it is plain which is which.
func TestTwoFiles(t *testing.T) {
	store, _ := loadBytes(t, "before.mvmheap", records(t))
	other, _ := loadBytes(t, "after.mvmheap", records(t))
	u := openUI(t, 120, 40, colorCaps, store, nil)
	u.sim.Do(func() {
		second := &compare.Second{Name: "after.mvmheap", Path: "dir/after.mvmheap", Store: other, Heaps: heapgraph.NewHeaps(other.Current().Heaps, 1<<30)}
		u.app.adoptSecond(second, newSecondFile(second, nil))
		u.app.emit(state.SetSnapshot{I: 0})
	})
	u.keys("6").has("before: before.mvmheap #0", "after: after.mvmheap #2", "the heap grew by")
	u.keys("~").has("before: after.mvmheap #2", "after: before.mvmheap #0", "the heap shrank by")
}

// BenchmarkHeapScreens measures from the key to the flushed frame with everything in it, on a snapshot that nobody has
// looked at: a made-up one of half a million rows, or that of the file MEMTUI_BENCH_HEAP.
func BenchmarkHeapScreens(b *testing.B) {
	data, err := memtest.Heap3(memtest.HeapSpec{Rows: 500_000, References: 1_900_000, Spread: 1000, Seed: 1})
	if name := os.Getenv("MEMTUI_BENCH_HEAP"); name != "" {
		data, err = os.ReadFile(name)
	}
	if err != nil {
		b.Fatal(err)
	}
	for _, screen := range []struct{ key, name string }{{"2", "types"}, {"4", "dominators"}} {
		b.Run(screen.name, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				store, _ := loadBytes(b, "large.mvmheap", data)
				u := openUI(b, 120, 40, colorCaps, store, nil)
				b.StartTimer()
				u.keys(screen.key)
				if strings.Contains(u.Text(), u.app.Look.Glyphs.Ellipsis+"┃") {
					b.Error("what is retained is missing")
				}
				b.StopTimer()
				if err := u.sim.Stop(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}

// Two sides that are the same snapshot have the same dominators, also where those are classes, which have names of
// their own.
func TestDominatorsOfEqualSides(t *testing.T) {
	u := openJava(t, 150, 40)
	u.keys("6").has("Comparison").keys("/")
	typeText(u, "byte[]")
	u.keys("Enter").has("byte[]", "dominated by").hasNot(", now")
}
