package views

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/memtui/memtui/internal/memtest/modeltest"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/internal/memtest/opened"
	"github.com/memtui/memtui/internal/term"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views/ui"
)

// kvleak is a real trace: a key-value store that leaks, recorded for 76 ms.
var kvleak = sync.OnceValue(func() []byte {
	data, err := os.ReadFile(filepath.Join("..", "testdata", "small_kvleak.mlyze"))
	if err != nil {
		return nil
	}
	return data
})

// loadBytes reads a trace to its end, as the program does.
func loadBytes(t testing.TB, name string, data []byte) (*model.Store, *traceindex.KeptIndex) {
	t.Helper()
	store, ix, err := opened.Bytes(t, name, data)
	if err != nil {
		t.Logf("%s: %v", name, err) // damaged files are shown, too
	}
	return store, ix
}

// program is the program on a simulated terminal.
type program struct {
	t   testing.TB
	sim *term.Simulation
	app *app
}

// colorCaps and the others are terminals to test on.
var (
	colorCaps = term.Caps{Unicode: true, Colors: 1 << 24, TrueColor: true, Clipboard: true}
	monoCaps  = term.Caps{Unicode: true, Clipboard: true}
	asciiCaps = term.Caps{Clipboard: true}
)

// openKvleak starts the program on the real trace.
func openKvleak(t testing.TB, w, h int, caps term.Caps) *program {
	t.Helper()
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
	return openUI(t, w, h, caps, store, ix)
}

// openUI starts the program. Frames wait for their answers, so that what is on screen does not depend on chance.
func openUI(t testing.TB, w, h int, caps term.Caps, store *model.Store, trace analysis.Trace) *program {
	t.Helper()
	return openOn(t, term.NewSimulationCaps(w, h, caps), caps, store, trace)
}

// openOn is openUI on a terminal.
func openOn(t testing.TB, sim *term.Simulation, caps term.Caps, store *model.Store, trace analysis.Trace) *program {
	t.Helper()
	u := &program{t: t, sim: sim}
	u.app = newApp(Options{
		Terminal: u.sim.Terminal, Store: store, Trace: trace, Keys: keymap.Default(),
		Themes:  themes.Usable(caps.Colors, caps.Colors == 0),
		Command: []string{"small_kvleak.mlyze"}, Patience: 5 * time.Second,
	})
	u.app.follow()
	u.sim.Start(u.app)
	t.Cleanup(func() { _ = u.sim.Stop() })
	u.sim.Settle()
	return u
}

// keys types keys by name, one frame each: see term.ParseKey.
func (u *program) keys(names ...string) *program {
	u.t.Helper()
	for _, n := range names {
		if err := u.sim.Type(n); err != nil {
			u.t.Fatal(err)
		}
		u.sim.Settle()
	}
	return u
}

// Text is the screen without styles.
func (u *program) Text() (text string) {
	ran := false
	u.onLoop(func() { text, ran = u.sim.Text(), true })
	if !ran { // the program has ended
		text = u.sim.Text()
	}
	return text
}

// onLoop runs f on the loop of a program that has nothing to do: a growing recording is drawn again at any time. The loop draws once
// more after f, which is over when onLoop returns.
func (u *program) onLoop(f func()) {
	u.sim.Settle()
	u.sim.Do(f)
	u.sim.Settle()
}

// golden compares the text of the screen with testdata/NAME.golden.
func (u *program) golden(name string) {
	u.t.Helper()
	memtest.Golden(u.t, name, u.cells(memtest.Text))
}

// styled compares the screen with testdata/NAME.golden: its text, then its styles by the names of their roles.
func (u *program) styled(name string) {
	u.t.Helper()
	text := u.cells(memtest.Text)
	theme, err := memtest.RoleTheme()
	if err != nil {
		u.t.Fatal(err)
	}
	u.onLoop(func() {
		u.app.o.Themes = []*themes.Theme{theme}
		u.app.setTheme(0)
	})
	styles := u.cells(func(s memtest.Cells) string { return memtest.Styles(s, memtest.RoleName) })
	if got := u.cells(memtest.Text); got != text {
		u.t.Errorf("another theme changes the text to\n%s", got)
	}
	memtest.Golden(u.t, name, text+"--\n"+styles)
}

// cells is what dump reads from the screen once it has settled.
func (u *program) cells(dump func(memtest.Cells) string) (out string) {
	u.onLoop(func() { out = dump(u.sim.Screen()) })
	return out
}

// has fails the test unless the screen holds every text.
func (u *program) has(texts ...string) *program {
	u.t.Helper()
	got := u.Text()
	for _, want := range texts {
		if !strings.Contains(got, want) {
			u.t.Errorf("the screen does not hold %q:\n%s", want, got)
		}
	}
	return u
}

// hasNot fails the test where the screen holds one of the texts.
func (u *program) hasNot(texts ...string) *program {
	u.t.Helper()
	got := u.Text()
	for _, never := range texts {
		if strings.Contains(got, never) {
			u.t.Errorf("the screen holds %q:\n%s", never, got)
		}
	}
	return u
}

// goldenSizes opens the real trace on every terminal that must look right, types keys, and compares with
// testdata/NAME-SIZE-THEME.golden.
func goldenSizes(t *testing.T, name string, keys ...string) {
	t.Helper()
	goldensOn(t, name, openKvleak, keys...)
}

// goldensOn compares with testdata/NAME-SIZE-THEME.golden what a program shows once keys are typed, on every terminal
// that must look right.
func goldensOn(t *testing.T, name string, open func(t testing.TB, w, h int, caps term.Caps) *program, keys ...string) {
	t.Helper()
	type terminal struct {
		w, h int
		mode string
		caps term.Caps
	}
	for _, tt := range modeltest.Few([]terminal{
		{80, 24, "dark", colorCaps}, {80, 24, "mono", monoCaps}, {80, 24, "ascii", asciiCaps}, {120, 40, "dark", colorCaps}, {20, 5, "mono", monoCaps},
	}) {
		size := fmt.Sprintf("%dx%d-%s", tt.w, tt.h, tt.mode)
		t.Run(size, func(t *testing.T) {
			u := open(t, tt.w, tt.h, tt.caps).keys(keys...)
			if size == "80x24-dark" {
				u.styled(name + "-" + size)
				return
			}
			u.golden(name + "-" + size)
		})
	}
}

// screenOf returns the screen of a type, the zero value without one.
func screenOf[S ui.Screen](u *program) (screen S) {
	for _, s := range u.app.screens {
		if s, ok := s.(S); ok {
			return s
		}
	}
	return screen
}
