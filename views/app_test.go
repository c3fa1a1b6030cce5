package views

import (
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"

	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/ui"
)

func TestHelpGolden(t *testing.T) { goldenSizes(t, "help", "5", "?") }

func TestPaletteGolden(t *testing.T) {
	goldenSizes(t, "palette", "8", ":", "t", "h", "e", "m", "e", "Enter")
}

func TestProblemsGolden(t *testing.T) { goldenSizes(t, "problems", "8") }

// damagedKvleak is the real trace with some of its events overwritten and its end cut off.
func damagedKvleak() []byte {
	data := append([]byte(nil), kvleak()...)
	data = data[:len(data)-1000]
	copy(data[len(data)/2:], strings.Repeat("\xff\xfe", 40))
	return data
}

func TestProblemsOfDamage(t *testing.T) {
	store, ix := loadBytes(t, "small_kvleak.mlyze", damagedKvleak())
	u := openUI(t, 100, 30, colorCaps, store, ix).keys("8")
	u.has("damaged: ", "remarks", "▲ error", "at byte ")
	u.golden("problems-damaged-100x30")
	u.keys("/", "n", "o", " ", "s", "u", "c", "h", "Enter").has("No remark contains that.")
	u.keys("Esc").has("▲ error")
	u.keys("G", "y")
	if got := u.sim.Clipboard(); !strings.Contains(got, ": ") {
		t.Errorf("copied %q", got)
	}
}

// The selected finding says what it means for the figures.
func TestAProblemSaysWhatFollows(t *testing.T) {
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak()[:len(kvleak())/2])
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		openUI(t, size[0], size[1], colorCaps, store, ix).keys("8").has("truncated", "An error breaks a rule", "The file ends early: its writer was killed")
	}
}

// Why something is incomplete stands above what else is wrong, and the title says it.
func TestALimitIsTheFirstFinding(t *testing.T) {
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
	next := *store.Current()
	for _, p := range []model.Problem{{Severity: model.Error, Code: "enum", Message: "kind is odd"}, {Severity: model.Warning, Code: model.CodeMemory, Message: "the rest was left out"}} {
		next.Problems, next.Complete = model.AddProblem(next.Problems, p), false
	}
	store.Publish(&next)
	u := openUI(t, 120, 30, colorCaps, store, ix)
	u.keys("8").has("incomplete: memory limit")
	text := u.has("the rest was left out", "kind is odd").Text()
	if strings.Index(text, "the rest was left out") > strings.Index(text, "kind is odd") {
		t.Error(text)
	}
}

func TestHelpSearch(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("5", "?")
	u.has("Keys on Stacks", "Stacks: Call tree and flame graph.")
	u.keys("/", "c", "l", "i", "p", "b", "o", "a", "r", "d", "Enter").has("nothing here matches")
	u.keys("/", "Ctrl+U", "s", "u", "s", "p", "e", "n", "d", "Enter").has("Suspend the program")
	u.keys("n", "N", "T").has("Keys on Stacks") // also when the theme changes below
	u.keys("Esc").has("FUNCTION")
	u.keys("F1").has("Keys on")
	u.keys("?")
	if strings.Contains(u.Text(), "Keys on") {
		t.Error("? does not close the help")
	}
}

func TestPalette(t *testing.T) {
	modeltest.Plain(t)
	tests := []struct {
		typed string
		want  string
	}{
		{"leaks", " Leaks "}, {"stac", " Stacks "}, {"at peak", "(peak)"}, {"at 50%", "at 38.0 ms"}, {"range 10ms 20ms", "range 10.0 ms – 20.0 ms"},
		{"at 76ms", "76,000 µs is beyond the end of the recording, which is at 75,9"}, {"at 9h", "beyond the end of the recording, which is at 76.0 ms"}, {"range 10ms 9h", "beyond the end of the recording, which is at 76.0 ms"}, {"a 9h", "the end of the recording, which is at 76.0 ms"}, {"a 10ms..9h", "the end of the recording, which is at 76.0 ms"},
		{"cost leaked", "Unfreed bytes"}, {"filter live>1M", "Overview"}, {"exact", "439,382 B"}, {"time", "time: "}, {"q zzz", "unknown command"},
		{"at nowhere", "write 12.5s"}, {"theme none", "unknown theme"}, {"group thread", "Overview"}, {"min-age 5ms", "Overview"},
	}
	for _, tt := range tests {
		u := openKvleak(t, 120, 30, colorCaps).keys(":")
		for _, r := range tt.typed {
			u.keys(map[bool]string{true: "Space", false: string(r)}[r == ' '])
		}
		u.keys("Enter")
		u.sim.Settle()
		if got := u.Text(); !strings.Contains(got, tt.want) {
			t.Errorf(":%s does not lead to %q:\n%s", tt.typed, tt.want, got)
		}
	}
}

func TestPaletteArguments(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys(":", "g", "r", "o", "u", "p", "Enter", "t", "h", "Enter")
	if got := u.app.state.Group.String(); got != "thread" {
		t.Errorf("grouped by %s", got)
	}
	u.keys(":", "t", "h", "e", "Tab", " ", "l", "i", "g", "Enter")
	if got := u.app.Theme.Name(); got != "light" {
		t.Errorf("theme %s", got)
	}
	u.keys(":", "z", "z", "z").has("No matching command.")
	u.keys("Esc", ":", "Down", "Down", "Up", "PgDn", "Esc")
}

// Words typed once are there again.
func TestPromptHistory(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("t", "5", "m", "s", "Enter").has("at 5.00 ms")
	u.keys("t", "9", "9", "s", "Enter").has("beyond the end of the recording, which is at 76.0 ms")
	u.keys("Ctrl+U", "Up").has("time: 5ms")
	u.keys("Enter", "t", "Ctrl+L", "Esc").has("at 5.00 ms")
}

// Esc undoes one thing after the other and never quits.
func TestEscapeNeverQuits(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("3", "5", "f", "p", "v", "h", "h", "?")
	for range 30 {
		u.keys("Esc")
	}
	if u.sim.Context().Err() != nil {
		t.Fatal("Esc quits")
	}
	u.has("q quits")
}

func TestHistoryBackAndForward(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("3", "5", "p")
	u.keys("Alt+Left").has(" Sites ")
	u.keys("Alt+Left").has(" Overview ")
	u.keys("Alt+Left").has("no other view")
	u.keys("Alt+Right", "Alt+Right").has(" Stacks ", "(peak)")
	u.keys("`").has(" Sites ")
	u.keys("]").has(" Leaks ")
	u.keys("[", "[").has(" Timeline ")
	u.keys("9").has(" Source ")
}

func TestThemesSwitchLive(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps)
	seen := map[string]bool{}
	for range len(u.app.o.Themes) {
		for _, screen := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
			u.keys(screen)
		}
		seen[u.app.Theme.Name()] = true
		u.keys("T")
	}
	if len(seen) != len(u.app.o.Themes) {
		t.Errorf("saw %v", seen)
	}
}

func TestExactNumbersAndNames(t *testing.T) {
	for _, screen := range []string{"1", "3", "4", "5"} {
		u := openKvleak(t, 120, 40, colorCaps).keys(screen)
		u.has("429 KiB")
		u.keys("=").has("439,382 B")
		u.keys("=", "w", "w").has("429 KiB")
	}
}

func TestMouseCanBeSwitchedOff(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps)
	before := u.app.o.Terminal.Mouse()
	u.keys("M")
	if u.app.o.Terminal.Mouse() == before {
		t.Error("the mouse did not change")
	}
	u.keys("M").has("mouse ")
}

// A click on the footer does what it says.
func TestFooterClick(t *testing.T) {
	u := openKvleak(t, 80, 24, colorCaps).keys("5")
	rows := strings.Split(u.Text(), "\n")
	x := strings.Index(rows[23], "flame")
	u.sim.Click(len([]rune(rows[23][:x])), 23)
	u.has("Stacks · flame")
}

// Every key of the table does something where its scope says that it works.
func TestEveryActionIsHandled(t *testing.T) {
	modeltest.Plain(t)
	ends := map[keymap.Action]bool{keymap.Quit: true, keymap.Suspend: true, keymap.Reload: true, keymap.StopLoading: true}
	handled, here := map[[2]string]bool{}, map[keymap.Scope]bool{} // scopes of other kinds of files are their tests' business
	screens := map[keymap.Action]bool{}
	for _, screen := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
		for _, keys := range [][]string{{}, {"Tab"}, {"f"}, {"f", "Tab"}, {"Enter"}, {"?"}} {
			u := openKvleak(t, 80, 24, colorCaps).keys(screen).keys(keys...)
			for _, opens := range []bool{false, true} { // what is opened stays open: that comes last
				for _, b := range u.app.o.Keys.Bindings() {
					if ends[b.Action] || b.Scope == keymap.ScopeInput || opens != (b.Action == keymap.Open) {
						continue
					}
					u.sim.Do(func() {
						for _, s := range u.app.Scopes() {
							here[s] = true
						}
						for _, s := range u.app.screens {
							screens[s.Action()] = true
						}
						if slices.Contains(u.app.Scopes(), b.Scope) && tryAction(u.app, b.Action) {
							handled[[2]string{string(b.Scope), string(b.Action)}] = true
						}
					})
				}
			}
		}
	}
	for _, b := range keymap.Default().Bindings() {
		if len(b.Keys) == 0 && !screens[b.Action] || !here[b.Scope] {
			continue
		}
		if !ends[b.Action] && b.Scope != keymap.ScopeInput && !handled[[2]string{string(b.Scope), string(b.Action)}] {
			t.Errorf("%s does nothing anywhere in scope %s", b.Action, b.Scope)
		}
	}
}

// tryAction does an action and puts everything back; it reports whether somebody took it.
func tryAction(a *app, act keymap.Action) bool {
	state, at, overlays, past, future := a.state, a.at, append([]ui.Overlay(nil), a.overlays...), a.past, a.future
	a.message = ""
	a.do(act)
	ok := !strings.Contains(a.message, "does nothing here")
	a.prompt, a.overlays, a.past, a.future, a.state = nil, overlays, past, future, state
	if a.at != at {
		a.at = at
		a.layout()
	}
	return ok
}

// The keys of typing work in prompts and in the palette, also when they are others.
func TestTypingKeysCanBeBound(t *testing.T) {
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
	u := openUI(t, 80, 24, colorCaps, store, ix)
	if err := u.app.o.Keys.Merge([]keymap.Line{
		{Number: 1, Key: "bind", Value: "input.accept F2"}, {Number: 2, Key: "bind", Value: "input.cancel F3"},
	}); err != nil {
		t.Fatal(err)
	}
	u.keys("t", "p", "e", "a", "k", "F2").has("(peak)")
	u.keys("t", "x", "F3").has("(peak)")
	u.keys(":", "F3")
	if len(u.app.overlays) != 0 {
		t.Error("the palette is still there")
	}
}

// A file that could not be read at all still has a screen.
func TestNoProfile(t *testing.T) {
	u := openUI(t, 80, 24, colorCaps, &model.Store{}, nil)
	u.has("opening", "Opening the file")
	u.keys("?", "Esc", ":", "Esc", "h", "p", "t", "Esc", "/", "Esc", "y", "Y", "v", "+", "=", "w")
}

// A message over rows of the screen is closed by the first Esc, and only the second one removes the filter. One that
// says what Esc does, or that hides nothing, does not stand in its way.
func TestEscapeClosesATallMessageFirst(t *testing.T) {
	filtered := func(u *program) bool {
		s := u.state()
		only := s.Only()
		return !only.IsAll()
	}
	u := openKvleak(t, 80, 24, colorCaps).keys("3", "o")
	if !filtered(u) {
		t.Fatal("o sets no filter")
	}
	u.keys("Y").has("memtui report")
	if u.keys("Esc").hasNot("memtui report"); !filtered(u) {
		t.Error("the first Esc removes the filter")
	}
	if u.keys("Esc"); filtered(u) {
		t.Error("the second Esc does not remove the filter")
	}
	wide := openKvleak(t, 200, 24, colorCaps).keys("3", "o", "y")
	if wide.keys("Esc"); filtered(wide) {
		t.Error("a message in the footer delays Esc")
	}
}

// Keys that change nothing on the screen say why.
func TestKeysWithoutEffectSayWhy(t *testing.T) {
	u := openKvleak(t, 100, 30, colorCaps)
	for _, screen := range []string{"1", "2", "5", "7", "@", "8"} {
		u.keys(screen, "u").has("no range is set: v starts one")
	}
	u.keys("w").has("names are as in the file on the other screens: this one has none")
	u.keys("3", "w").has("names are short").hasNot("other screens")
	u.keys("H", "v", "H", "v", "u").hasNot("no range is set")
	openRecords(t, 100, 30, colorCaps).keys("u").has("nothing is marked or excluded: A and B mark snapshots")
}
