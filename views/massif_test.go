package views

import (
	"os"
	"testing"

	"github.com/memtui/memtui/views/state"
)

// largest is when the largest snapshot was taken, in instructions.
const largest = 2167715

// TestPeakOfCurvesBesideStacks expects the key of the peak to work in files that have curves and stacks: those of
// massif.
func TestPeakOfCurvesBesideStacks(t *testing.T) {
	data, err := os.ReadFile("../loaders/valgrind/testdata/massif.default.out")
	if err != nil {
		t.Fatal(err)
	}
	u := openProfile(t, 120, 40, colorCaps, "massif.default.out", data)
	before := u.state()
	if after := u.keys("p").state(); before.Now() == after.Now() || after.Now() != largest {
		t.Errorf("from %d to %d, the largest snapshot is at %d", before.Now(), after.Now(), largest)
	}
}

// TestInstantChoosesWindows expects the stacks to follow the instant, and the instant the windows that are chosen.
func TestInstantChoosesWindows(t *testing.T) {
	data, err := os.ReadFile("../loaders/valgrind/testdata/massif.default.out")
	if err != nil {
		t.Fatal(err)
	}
	u := openProfile(t, 120, 40, colorCaps, "massif.default.out", data)
	windows := u.state().Profile.Weights.Windows
	for _, c := range []struct {
		typed, window string
	}{
		{"95%", "snapshot 42"}, {"peak", "snapshot 31"}, {"end", "snapshot 53"}, {"0", ""}, {"79.7%", "snapshot 11"},
	} {
		if err := u.run("at " + c.typed); err != nil {
			t.Fatal(err)
		}
		got := ""
		if n := u.state().Prof.Window; n >= 0 {
			got = windows[n].ID
		}
		if got != c.window {
			t.Errorf("at %s: window %q, want %q", c.typed, got, c.window)
		}
	}
	u.keys("Esc")
	if s := u.state(); s.Prof.Window >= 0 || !s.AtEnd() {
		t.Errorf("one step back is at %d in window %d", s.Now(), s.Prof.Window)
	}
	u.sim.Do(func() { u.app.emit(state.ChooseWindow{Window: 2}) })
	if s := u.state(); s.Now() != windows[2].End {
		t.Errorf("the instant is %d, the window ends at %d", s.Now(), windows[2].End)
	}
}

// TestHeaviestStacksAreNextToTheProfile expects a wide screen to show them, and a narrow one to leave them to their own.
func TestHeaviestStacksAreNextToTheProfile(t *testing.T) {
	data, err := os.ReadFile("../loaders/valgrind/testdata/massif.default.out")
	if err != nil {
		t.Fatal(err)
	}
	u := openProfile(t, 200, 50, colorCaps, "massif.default.out", data).keys("2")
	u.has("Heaviest stacks", "1.00 MiB  38.7 %", "burst_alloc()  shop.cpp:33", "clone  clone.S:100")
	openProfile(t, 120, 40, colorCaps, "massif.default.out", data).keys("2").has("This profile").hasNot("Heaviest stacks")
}

// TestMassifIsComparedWithOtherFiles compares curves with curves and stacks with stacks, and says what a file lacks.
func TestMassifIsComparedWithOtherFiles(t *testing.T) {
	massif, err := os.ReadFile("../loaders/valgrind/testdata/massif.default.out")
	if err != nil {
		t.Fatal(err)
	}
	u := openTwo(t, 120, 40, "massif.default.out", massif, "other.out", massif)
	u.keys("1").has("Series · difference", "Every series is on both sides", "Both curves of total", "2.00M")
	u.keys("2").has("Profile · difference", "heap_bytes over time")
	u.keys("3").has("Functions · difference", "before A massif.default.out", "after B other.out")
	u.keys("4").has("Stacks · tree, difference", "heap_bytes is 2.58 MiB on both sides")
	u = openTwo(t, 120, 40, "massif.default.out", massif, "a.folded", []byte("main;serve 3\nmain 1\n"))
	u.keys("1").has("a.folded has no measured series to compare with")
	u.keys("3").has("a.folded has no heap_bytes to compare with").hasNot("normalization")
	u = openTwo(t, 120, 40, "massif.default.out", massif, "kv.mlyze", kvleak())
	u.keys("1").has("kv.mlyze has no measured series")
	u.keys("3").has("Functions · difference", "from 342 KiB to 429 KiB").hasNot("from 0 B")
}
