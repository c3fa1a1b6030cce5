package views

import (
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/views/state"
)

// While the blocks of a group are listed, / filters them and not the table that they stand for.
func TestTheFilterIsOfWhatIsListed(t *testing.T) {
	for _, screen := range []string{"3", "4"} {
		u := openKvleak(t, 140, 30, colorCaps)
		u.keys(screen, "Enter").has("Blocks of ")
		u.keys("/", "s", "i", "z", "e", ">", "9", "T", "Enter").has("filter “size>9T”", "No matches for")
		if u.app.state.Filter != "" {
			t.Errorf("screen %s: the hidden table is filtered by %q", screen, u.app.state.Filter)
		}
		u.keys("Esc").has("Blocks of ")
		if text := u.Text(); strings.Contains(text, "size>9T") {
			t.Errorf("screen %s: Esc keeps the filter\n%s", screen, text)
		}
		u.keys("Esc")
		if text := u.Text(); strings.Contains(text, "Blocks of ") || strings.Contains(text, "filter “") {
			t.Errorf("screen %s: Esc keeps the list\n%s", screen, text)
		}
	}
}

// A function that is hidden can be the pivot of a difference, as it can be that of one profile.
func TestAHiddenPivotOfADifferenceHasATree(t *testing.T) {
	steps := calltree.NewFilter(calltree.Step{Kind: calltree.HideFrame, Name: "main"}, calltree.Step{Kind: calltree.PivotAt, Name: "main"})
	u := openKvleak(t, 140, 40, colorCaps)
	for _, step := range steps.Steps() {
		u.sim.Do(func() { u.app.emit(state.AddStep{Step: step}) })
	}
	one := u.keys("5").Text()
	u.keys("d").has("difference", "callees")
	two := u.Text()
	for _, name := range []string{"__libc_start_call_main", "__printf"} {
		if strings.Contains(one, name) != strings.Contains(two, name) {
			t.Errorf("%s stands in only one of\n%s\n%s", name, one, two)
		}
	}
	if !strings.Contains(two, "__printf") {
		t.Errorf("the tree is empty:\n%s", two)
	}
}
