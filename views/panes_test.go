package views

import (
	"errors"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/views/state"
)

func TestFilterSaysWhatIsWrong(t *testing.T) {
	u := openKvleak(t, 100, 30, colorCaps).keys("3", "/")
	typeText(u, "heft>10")
	u.has("unknown column heft; available: live, blocks, peak", "21 sites")
	u.keys("Ctrl+U")
	typeText(u, "leak>1K")
	u.has("3 of 21 sites")
	lacks(t, u, "unknown column")
	u.keys("Esc", "/")
	typeText(u, "live > 1K")
	u.has("3 of 21 sites")
}

func TestLeakFilterComparesWhatTheTableShows(t *testing.T) {
	u := openKvleak(t, 100, 30, colorCaps).keys("4", "p", "/") // at the peak other blocks are live than those that leak
	typeText(u, "blocks>=13")
	u.has("3 of 6 ")
}

func TestBlocksFooterOffersWhatWorksThere(t *testing.T) {
	u := openKvleak(t, 100, 30, colorCaps).keys("4", "g", "Enter", "j")
	u.has("Esc back  s sort  S reverse")
	lacks(t, u, "b group", "a min age")
	u.keys("Esc").has("b group", "a min age")
}

func TestProblemsPanes(t *testing.T) {
	u := openKvleak(t, 80, 12, colorCaps).keys("8")
	u.has("This file", "Metadata")
	lacks(t, u, "Events, about", "Time to open") // it is open
	u.keys("Tab", "G").has("distinct paths")
	u.keys("z").has("Metadata", "distinct paths")
	lacks(t, u, "Nothing in this file")
	u.keys("Esc").has("Nothing in this file")
}

func TestLeaksPanes(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("4")
	u.has("▸ 32.5K", "A/B/d diff  y copy  W evidence")
	u.keys("Tab").has("▹ 32.5K", "never freed 429 KiB in 44") // the stack has the keys
	u.keys("c").has("▸ 71.0K", "freed late 90.7 KiB in 139")  // the other list, with the keys
	u.keys("b").has("by stack only")
	u.keys("Tab").has("▹ 71.0K")
	u.keys("c").has("▸ 32.5K")
	u.keys("Tab", "Tab").has("▸ 32.5K")
}

// Going through the panes comes back to the rows that were selected.
func TestPanesKeepTheirRows(t *testing.T) {
	for _, screen := range []string{"1", "2", "3", "4", "6"} {
		u := openKvleak(t, 120, 40, colorCaps).keys(screen, "j", "j")
		want := selectedRows(u)
		if want == "" {
			t.Fatalf("screen %s has no selected row", screen)
		}
		for range 12 {
			u.keys("Tab")
		}
		if got := selectedRows(u); got != want {
			t.Errorf("screen %s: %q is selected in place of %q", screen, got, want)
		}
	}
}

// selectedRows returns the lines of rows that are selected.
func selectedRows(u *program) (rows string) {
	for _, line := range strings.Split(u.Text(), "\n") {
		if strings.ContainsAny(line, "▸▹") {
			rows += line + "\n"
		}
	}
	return rows
}

func TestTwoClicksAreNoRange(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps)
	press := func(x, y int, b tcell.ButtonMask) { u.sim.Event(tcell.NewEventMouse(x, y, b, tcell.ModNone)) }
	for _, x := range []int{20, 50} {
		press(x, 4, tcell.ButtonPrimary)
		press(x, 4, tcell.ButtonNone)
	}
	if s := u.state(); !s.Range.IsFull() || s.AtEnd() {
		t.Errorf("two clicks select %v at %v", s.Range, s.At)
	}
}

func TestReadingAgainComesBackToWhereOneWas(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps)
	gone := errors.New("the file is gone")
	memory := &Memory{}
	u.sim.Do(func() { u.app.o.Memory, u.app.o.Readable = memory, func(string) error { return gone } })
	u.keys("t").keys("2", "0", "m", "s", "Enter", "3", "b", "Ctrl+R").has("not reloaded: the file is gone", "at 20.0 ms")
	u.sim.Do(func() { memory.keep(u.app) })
	s := state.NewState()
	memory.recall(&s)
	if s.At != analysis.At(20000) || s.Group != analysis.ByOwner || s.Profile != nil || memory.screen != 2 {
		t.Errorf("came back to %+v on screen %d", s, memory.screen)
	}
}

// The command that prints a view prints what it shows: the peak of a range is a time there.
func TestThePeakOfARangeIsNotThePeak(t *testing.T) {
	u := openKvleak(t, 100, 24, colorCaps).keys(":")
	typeText(u, "range 10ms 30ms")
	u.keys("Enter", "P").has("live at 28.9 ms", "184 KiB in 493 blocks")
	command := func() (c string) { u.sim.Do(func() { c = u.app.commandLine() }); return c }
	if c := command(); strings.Contains(c, "peak") || !strings.Contains(c, "--at 28894us") {
		t.Error(c)
	}
	u.keys("u", "p").has("at 61.0 ms (peak)")
	if c := command(); !strings.Contains(c, "--at peak") {
		t.Error(c)
	}
}

func TestSamplesHaveNoCommand(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps)
	u.sim.Do(func() { u.app.o.Command = nil })
	u.keys("Y").has("a built-in sample has no file name")
}

func TestTimesInCapitals(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("t")
	typeText(u, "PEAK")
	u.keys("Enter").has("(peak)")
}

func TestFilesAreCutAtTheFolder(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys(":")
	typeText(u, "group file")
	u.keys("Enter").has("/kvleak.cpp ")
}

func TestFilesWithoutAllocations(t *testing.T) {
	data := memtest.TraceOf([]byte(`{}`), []memtest.TraceEvent{{Kind: 3, Delta: 10, ID: 1}, {Kind: 3, Delta: 1000, ID: 1}})
	store, ix := loadBytes(t, "marks.mlyze", data)
	u := openUI(t, 80, 24, colorCaps, store, ix)
	u.has("This file has no allocations.", "temporary none")
	u.keys("5").has("This file has no allocations.")
	lacks(t, u, "everything was freed")
}

// typeText types into what is open.
func typeText(u *program, text string) {
	for _, r := range text {
		u.keys(string(r))
	}
}

func lacks(t *testing.T, u *program, texts ...string) {
	t.Helper()
	shown := u.Text()
	for _, text := range texts {
		if strings.Contains(shown, text) {
			t.Errorf("%q is on screen:\n%s", text, shown)
		}
	}
}
