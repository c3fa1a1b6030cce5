package views

import (
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/keymap"
)

// Where there is room a bar names the screens with their numbers; a click goes there.
func TestScreenBar(t *testing.T) {
	const wide = "1 Overview   2 Timeline   3 Sites   4 Leaks   5 Stacks   6 Blocks   7 Lifetimes   8 Problems"
	for _, size := range [][2]int{{100, 30}, {120, 40}, {200, 50}} {
		bar := wide
		if size[0] < 130 { // names are nearer to each other
			bar = strings.ReplaceAll(wide, "   ", "  ")
		}
		u := openKvleak(t, size[0], size[1], colorCaps).has(bar)
		u.sim.Click(strings.Index(bar, "Leaks")+1, 1)
		if u.sim.Settle(); u.app.current().Name() != "Leaks" {
			t.Errorf("a click on Leaks shows %s", u.app.current().Name())
		}
	}
	u := openKvleak(t, 80, 24, colorCaps)
	lacks(t, u, "3 Sites   4 Leaks")
	u.keys("4", "`").has("Screens", "1  Overview", "8  Problems", "What was never freed").keys("`")
	if got := u.app.current().Name(); got != "Overview" {
		t.Errorf("twice shows %s", got)
	}
	u.keys("`", "7")
	if got := u.app.current().Name(); got != "Lifetimes" || len(u.app.overlays) > 0 {
		t.Errorf("a number shows %s below %d overlays", got, len(u.app.overlays))
	}
	u.keys("`", "g", "j", "Enter").has("Timeline").keys("`", "Esc").has("Timeline")
}

// Where names before the current one have no room, the bar says so.
func TestScreenBarMarksGaps(t *testing.T) {
	u := openKvleak(t, 100, 40, colorCaps).keys("8")
	u.has(" 7 Lifetimes  8 Problems ")
	lacks(t, u, "… 8", "… 9")
	u.keys("9").has(" … 9 Source ")
}

// The bar of any width has whole names, in order, and the name of the screen that is shown; what has no room is in the list.
func TestScreenBarKeepsNamesWhole(t *testing.T) {
	for w := screenBarWidth; w <= 160; w += 3 {
		u := openKvleak(t, w, 40, colorCaps)
		for at := range u.app.screens {
			u.sim.Do(func() { u.app.goTo(at) })
			bar := strings.Split(u.Text(), "\n")[1] + " "
			rest, listed := bar, 0
			for i, sc := range u.app.screens {
				_, after, found := strings.Cut(rest, " "+u.app.screenKey(i)+" "+sc.Name()+" ")
				if found {
					rest, listed = after, listed+1
				} else if i == at {
					t.Errorf("%d columns: %s is not in its bar: %q", w, sc.Name(), bar)
				}
			}
			want := ""
			if listed < len(u.app.screens) {
				want = "` more"
			}
			if got := strings.Trim(rest, " |"); got != want {
				t.Errorf("%d columns, %d names: the bar ends in %q, want %q: %q", w, listed, got, want, bar)
			}
		}
	}
}

// Enter chooses an event of a profile, and opens the stacks of the one that is shown.
func TestEnterOpensTheChosenEvent(t *testing.T) {
	u := openServer(t, 120, 40)
	lacks(t, u, "cannot open")
	if u.keys("Enter"); u.app.current().Name() != "Stacks" {
		t.Errorf("Enter on the event that is shown leads to %s", u.app.current().Name())
	}
}

// The help lists only the screens that the file has, with their numbers, and Space reads on to its end.
func TestHelpListsTheScreensOfTheFile(t *testing.T) {
	modeltest.Plain(t)
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		u := openKvleak(t, size[0], size[1], colorCaps).keys("4", "?")
		var all strings.Builder
		for range 40 {
			all.WriteString(u.Text())
			u.keys("Space")
		}
		for _, want := range []string{"Screens of this file", "1 Overview", "4 Leaks", "8 Problems", "Reading the figures", "Order of frames"} {
			if !strings.Contains(all.String(), want) {
				t.Errorf("%v: the pages of the help lack %q", size, want)
			}
		}
		for _, no := range []string{":snapshots", ":dominators", "dominator tree", ":leaks", "Go to a screen by its number"} {
			if strings.Contains(all.String(), no) {
				t.Errorf("%v: the help names %q", size, no)
			}
		}
	}
}

// The keys that matter on a screen stand in its footer at 80 columns.
func TestFooterAt80(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps)
	for _, screen := range []string{"3", "4"} {
		u.keys(screen).has("Enter open", "/ find", "o focus", "A/B/d diff", "y copy", "W evidence", "b group", "? help")
	}
}

// A key shows every column of a row in full, also those without room.
func TestRowInFull(t *testing.T) {
	for _, key := range []string{"K", "Space"} {
		u := openKvleak(t, 80, 24, colorCaps).keys("3", "j", "j")
		lacks(t, u, "UNFREED", "MEAN")
		u.keys(key).has("Selected row", "UNFREED", "MEAN", "__GI__IO_file_doallocate", "filedoalloc.c:101")
		u.keys("K")
		lacks(t, u, "Selected row")
	}
	openKvleak(t, 20, 5, monoCaps).keys("3", "K")
}

// Space does something on every screen, or says why it does not.
func TestSpaceIsNeverSilent(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps)
	for i := range u.app.screens {
		u.sim.Do(func() { u.app.overlays = nil; u.app.goTo(i) })
		before := u.Text()
		if u.keys("Space"); u.Text() == before {
			t.Errorf("nothing happens on %s", u.app.current().Name())
		}
	}
	u.keys("Esc", "5", "g", "j", "j", "j", "j", "Space", "j", "G", "Right", "Right").Text()
}

// Lists and trees scroll sideways: columns on the right, and long names, have the room of those on the left.
func TestListsScrollSideways(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("3")
	lacks(t, u, "WHERE", "MEAN")
	u.keys("Shift+Right", "Shift+Right", "Shift+Right", "Shift+Right", "Shift+Right").has("‹", "MEAN", "open_session › _M_mutate")
	for range 20 {
		u.keys("Shift+Right")
	}
	u.has("WHERE", "kvleak.cpp:23")
	for range 20 {
		u.keys("Shift+Left")
	}
	u.has("LIVE▼", "PEAK", "ALLOC")
	lacks(t, u, "‹ ")
}

// Findings and messages wrap instead of ending in an ellipsis.
func TestSentencesWrap(t *testing.T) {
	u := openKvleak(t, 80, 46, colorCaps).has("looks alike\n")
	if text := u.Text(); strings.Contains(text[strings.Index(text, "Look here first"):], "…") {
		t.Errorf("a finding is cut:\n%s", text)
	}
	u.keys("j").has("close_session")
	if got := u.app.current().CopyText(); !strings.Contains(got, "open_session") {
		t.Errorf("one down is %q", got)
	}
	u.sim.Do(func() { u.app.say(strings.Repeat("words ", 20) + "end of it") })
	u.has("end of it")
}

// A maximized pane says what it hides and which key brings that back.
func TestMaximizedSaysWhatItHides(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("z").has("z brings back chart")
	u.keys("z", "3", "z").has("z brings back the details").keys("Tab").has("z brings back the list").keys("z")
	lacks(t, u, "brings back")
	for i := range u.app.screens {
		u.sim.Do(func() { u.app.goTo(i) })
		before := u.Text()
		u.keys("z")
		if after := u.Text(); after != before && !strings.Contains(after, "brings back") && !strings.Contains(after, "nothing here") {
			t.Errorf("%s is maximized without a word:\n%s", u.app.current().Name(), after)
		}
		u.sim.Do(func() { u.app.do(keymap.Maximize); u.app.message = "" })
	}
}

// A row that cannot be opened says why in the footer, where Enter would be offered.
func TestFooterSaysWhyARowDoesNotOpen(t *testing.T) {
	modeltest.Plain(t)
	u := openRecords(t, 80, 24, colorCaps).keys("4", "/", "#", "1", "Enter")
	for range 60 {
		if strings.Contains(u.Text(), "cannot open: it retains nothing else") {
			lacks(t, u, "Enter open")
			return
		}
		u.keys("j")
	}
	t.Errorf("no row says that it cannot be opened:\n%s", u.Text())
}
