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
