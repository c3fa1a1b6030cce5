package views

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/views/ui"
)

// walked are files of every kind, which tests go through screen by screen.
var walked = []struct {
	name string
	open func(t testing.TB, w, h int) *program
}{
	{"trace", func(t testing.TB, w, h int) *program { return openKvleak(t, w, h, colorCaps) }},
	{"dump", func(t testing.TB, w, h int) *program { return openDump(t, w, h, colorCaps) }},
	{"moarvm", func(t testing.TB, w, h int) *program { return openRecords(t, w, h, colorCaps) }},
	{"java", openJava},
	{"python", openPythonHeap},
	{"profile", openServer},
	{"pprof", openPython},
}

// walkedSizes are the terminals that screens are made for.
var walkedSizes = [][2]int{{80, 24}, {120, 40}, {200, 50}}

// walk shows every screen of every kind of file, with each of its panes, in every size.
func walk(t *testing.T, visit func(u *program, where string, w int)) {
	modeltest.Plain(t)
	for _, file := range walked {
		for _, size := range walkedSizes {
			t.Run(fmt.Sprintf("%s %dx%d", file.name, size[0], size[1]), func(t *testing.T) {
				u := file.open(t, size[0], size[1])
				for i := range u.app.screens {
					u.sim.Do(func() { u.app.overlays = nil; u.app.goTo(i) })
					u.sim.Settle()
					for pane := range 3 {
						visit(u, fmt.Sprintf("%s, pane %d", u.app.screens[i].Name(), pane), size[0])
						u.keys("Tab")
					}
				}
			})
		}
	}
}

// Footers name no key that does nothing on the screen.
func TestFootersNameWhatWorks(t *testing.T) {
	skipped := map[keymap.Action]bool{keymap.Quit: true, keymap.Evidence: true, keymap.Open: true, keymap.NextPane: true, keymap.Screens: true}
	walk(t, func(u *program, where string, _ int) {
		var at int
		u.sim.Do(func() { at = u.app.at })
		named := func(act keymap.Action) bool { // what was done before may have changed the screen
			return slices.ContainsFunc(u.app.hits, func(h hintHit) bool { return h.action == act })
		}
		try := func(act keymap.Action) (works bool, said string) {
			u.sim.Do(func() {
				u.app.overlays, u.app.prompt, u.app.message, u.app.stale = nil, nil, "", true
				u.app.goTo(at)
			})
			u.sim.Settle()
			if skipped[act] || !named(act) {
				return true, ""
			}
			u.sim.Do(func() { works = tryAction(u.app, act); said = u.app.message })
			return works && !strings.HasPrefix(said, "nothing is selected here") && !strings.HasPrefix(said, "no row is selected here"), said
		}
		for _, hit := range slices.Clone(u.app.hits) {
			works, said := try(hit.action)
			if !works { // an answer may have come after the frame with that footer
				works, said = try(hit.action)
			}
			if !works {
				u.t.Errorf("%s: the footer has %s, which says %q\n%s", where, hit.action, said, u.Text())
			}
		}
		u.sim.Do(func() { u.app.overlays, u.app.prompt, u.app.message = nil, nil, ""; u.app.goTo(at) })
		u.sim.Settle()
	})
}

// A list without rows, or with one, offers nothing that needs more.
func TestFootersOfShortLists(t *testing.T) {
	walk(t, func(u *program, where string, _ int) {
		l, ok := u.app.current().(ui.Lister)
		if !ok || l.FocusedList() == nil {
			return
		}
		for _, hit := range u.app.hits {
			switch rows := l.FocusedList().Len(); {
			case rows < 2 && hit.action == keymap.Sort,
				rows == 0 && (hit.action == keymap.FullRow || hit.action == keymap.Open) && u.app.current().CopyText() == "":
				u.t.Errorf("%s: the footer has %s for %d rows", where, hit.action, rows)
			}
		}
	})
}

// Why a row cannot be opened is read whole, with the keys for help beside it.
func TestReasonsAreReadWhole(t *testing.T) {
	said := map[string]bool{}
	walk(t, func(u *program, where string, w int) {
		for range 6 {
			var why string
			u.sim.Do(func() { why = u.app.unopened() })
			if why != "" {
				said[why] = true
				if text := u.Text(); !strings.Contains(text, "cannot open: "+why) || !strings.Contains(text, "? help") {
					u.t.Errorf("%s: why a row cannot be opened is cut on\n%s", where, text)
				}
			}
			u.keys("j")
		}
		u.keys("g")
	})
	if len(said) < 2 {
		t.Errorf("few reasons were seen: %v", said)
	}
}

// The list of screens says whole what each shows.
func TestTheListOfScreensIsReadWhole(t *testing.T) {
	for _, file := range walked {
		u := file.open(t, 80, 24).keys("`")
		u.has("Esc closes")
		for _, sc := range u.app.screens {
			u.has(u.app.screenHelp(sc))
		}
	}
}

// The row of a top table says in full what Sites says of it: amounts, verdict, lifetimes and the stack.
func TestTopRowsHaveEvidence(t *testing.T) {
	for _, size := range walkedSizes {
		for _, keys := range [][]string{{"1", "Tab"}, {"2"}} {
			u := openKvleak(t, size[0], size[1], colorCaps).keys(keys...)
			u.keys("j", "K").has("Selected row", "SITE", "32.5 KiB", "leak (84 % certain", "13 never freed (100 %)")
			sites := u.keys("Esc", "y").sim.Clipboard()
			for _, want := range []string{"close_session", "33,280 B", "throughout the run", "kvleak.cpp:17"} {
				if !strings.Contains(sites, want) {
					t.Errorf("%v: %q is not in the copy\n%s", keys, want, sites)
				}
			}
		}
	}
}

// The second table of the Overview has its own evidence.
func TestSecondTopTableHasEvidence(t *testing.T) {
	u := openKvleak(t, 200, 50, colorCaps).keys("Tab", "Tab", "K")
	u.has("Selected row", "by allocated bytes", "of all) · peak", "freed after")
}

// Where there is room, what an object has stands beside the path to it and what refers to it.
func TestObjectUsesTheRoom(t *testing.T) {
	for _, size := range walkedSizes {
		u := openJava(t, size[0], size[1])
		u.sim.Do(func() {
			if err := u.app.goToRow("8992"); err != nil {
				t.Error(err)
			}
		})
		beside := false
		for line := range strings.SplitSeq(u.Text(), "\n") {
			beside = beside || strings.Contains(line, " Fields ") && strings.Contains(line, "Shortest path")
		}
		if wide := size[0] >= ui.SideWidth; beside != wide {
			t.Errorf("path beside the fields is %v:\n%s", beside, u.Text())
		}
		u.has("Fields", "Shortest path", "References in")
	}
}

// Where there is room, findings stand beside the selected one in full and the facts of the file.
func TestProblemsUseTheRoom(t *testing.T) {
	u := openDamaged(t)
	u.keys("9")
	for i, sc := range u.app.screens {
		if sc.Action() == keymap.ShowProblems {
			u.sim.Do(func() { u.app.goTo(i) })
		}
	}
	u.sim.Settle()
	for _, w := range []int{80, 200} {
		u.sim.Resize(w, 50)
		u.sim.Settle()
		rows := strings.Split(u.Text(), "\n")
		if beside := strings.Contains(rows[2]+rows[3], "SEVERITY") && strings.Contains(rows[1]+rows[2]+rows[3], "──"); beside != (w == 200) {
			t.Errorf("findings beside the facts are %v:\n%s", beside, u.Text())
		}
		u.has("This file")
	}
}

// Tab on a screen of one pane says so, by the key.
func TestOnePaneSaysSo(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("7", "Tab")
	u.has("Tab does nothing here: this screen has one pane").hasNot("next-pane")
}

// What does nothing on a screen is told by its key.
func TestUselessKeysAreTold(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("8", "D")
	u.has("D does nothing here").hasNot("dominators-of-this")
}
