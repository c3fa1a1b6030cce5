package views

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/internal/term"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/themes"
)

// waiting is a program on a simulated terminal that waits for its file.
type waiting struct {
	sim   *term.Simulation
	view  *openingView
	ready chan error // what Ready returns
}

func openWaiting(t *testing.T) *waiting {
	t.Helper()
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
	w := &waiting{sim: term.NewSimulation(80, 24), ready: make(chan error, 1)}
	list := themes.Usable(1<<24, false)
	w.view = newOpening(Opening{
		Terminal: w.sim.Terminal, Keys: keymap.Default(), Theme: list[0], Name: "big\x1b[2J.json",
		Progress: func() string { return "reading big.json: 42 %" },
		Ready: func() (Options, error) {
			select {
			case err := <-w.ready:
				return Options{Terminal: w.sim.Terminal, Store: store, Trace: ix, Keys: keymap.Default(), Themes: list}, err
			case <-w.sim.Context().Done():
				return Options{}, w.sim.Context().Err()
			}
		},
	})
	w.sim.Start(w.view)
	t.Cleanup(func() { _ = w.sim.Stop() })
	w.sim.Settle()
	return w
}

// keys types keys by name, and waits until nothing is to be drawn.
func (w *waiting) keys(names ...string) {
	_ = w.sim.Type(names...)
	w.sim.Settle()
}

// textNow returns the screen's text while the loop may still draw: it is read
// on the loop.
func (w *waiting) textNow() (text string) {
	w.sim.Do(func() { text = w.sim.Text() })
	return text
}

func TestOpeningSaysHowFarItIs(t *testing.T) {
	w := openWaiting(t)
	text := w.sim.Text()
	for _, want := range []string{"big", "reading big.json: 42 %…", "? help", "q quit"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "\x1b") {
		t.Error("bytes of the name reach the terminal")
	}
	w.keys("?")
	if help := w.sim.Text(); !strings.Contains(help, "is not known yet") {
		t.Errorf("no help in\n%s", help)
	}
	w.keys("?")
	if again := w.sim.Text(); again != text {
		t.Errorf("help does not go away:\n%s", again)
	}
}

func TestOpeningHearsQuit(t *testing.T) {
	for _, key := range []string{"q", "Ctrl+C"} {
		w := openWaiting(t)
		w.keys(key)
		if w.sim.Context().Err() == nil {
			t.Errorf("%s does not end it", key)
		}
	}
}

func TestOpeningBecomesTheFile(t *testing.T) {
	w := openWaiting(t)
	w.keys("3") // which only the file's screens know
	w.ready <- nil
	for !strings.Contains(w.textNow(), "Sites") {
		w.sim.Settle()
	}
	w.keys("q")
	if w.sim.Context().Err() == nil {
		t.Error("q does not end it any more")
	}
}

func TestOpeningThatFails(t *testing.T) {
	w := openWaiting(t)
	broken := errors.New("nothing in it can be read")
	w.ready <- broken
	<-w.sim.Context().Done()
	_ = w.sim.Stop()
	if w.view.failed != broken {
		t.Errorf("failed with %v", w.view.failed)
	}
}

// What begins with a function begins with some of its stacks alone, once these are known.
func TestBeginWithStacks(t *testing.T) {
	store, ix := loadBytes(t, "small_kvleak.mlyze", kvleak())
	stacks := store.Current().Stacks
	for _, has := range []bool{true, false} {
		var ids []model.StackID
		for id := range stacks.Leaf {
			if has && (ids == nil || id < ids[0]) {
				ids = []model.StackID{id}
			}
		}
		sim := term.NewSimulationCaps(120, 40, colorCaps)
		u := &program{t: t, sim: sim, app: newApp(Options{
			Terminal: sim.Terminal, Store: store, Trace: ix, Keys: keymap.Default(), Themes: themes.Usable(1<<24, false), Patience: 5 * time.Second,
			Start: Start{Function: "main", Stacks: func(*model.Stacks) []model.StackID { return ids }},
		})}
		u.sim.Start(u.app)
		t.Cleanup(func() { _ = u.sim.Stop() })
		want := calltree.Filter("").With(calltree.Step{Kind: calltree.Focus, Name: "main"})
		if has {
			want = calltree.Filter("").With(calltree.Step{Kind: calltree.Focus, Name: calltree.StackStep(ids...)})
		}
		got := calltree.Filter("")
		for range 100 {
			u.sim.Settle()
			if u.sim.Do(func() { got = u.app.state.Filters }); got == want {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if got != want || u.app.current().Action() != keymap.ShowSites {
			t.Errorf("filters %q, want %q", got, want)
		}
	}
}
