package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/internal/term"
	"github.com/memtui/memtui/keymap"
	"github.com/memtui/memtui/themes"
	"github.com/memtui/memtui/views"
)

// walker types into the full screen of a file, as a user does.
type walker struct {
	t   *testing.T
	sim *term.Simulation
}

// walk opens a file full-screen on a simulated terminal for as long as f runs.
func walk(t *testing.T, f func(w *walker), args ...string) {
	t.Helper()
	screen := func(ctx context.Context, s Screen) error {
		sim := term.NewSimulation(140, 40)
		o := s.options(ctx, sim.Terminal, themes.Usable(0, true))
		o.Patience = 5 * time.Second
		done := make(chan error, 1)
		go func() { done <- views.Run(o) }()
		sim.Settle()
		<-s.Done
		w := &walker{t, sim}
		w.keys("e", "Esc")
		f(w)
		sim.Quit()
		return <-done
	}
	if status, out, errs := run(t, Env{IsTerminal: true, FullScreen: screen}, args...); status != 0 || out+errs != "" {
		t.Fatalf("%q: status %d, %q, %q", args, status, out, errs)
	}
}

func (w *walker) keys(names ...string) {
	w.t.Helper()
	for _, n := range names {
		if err := w.sim.Type(n); err != nil {
			w.t.Fatal(err)
		}
		w.sim.Settle()
	}
}

func (w *walker) typed(text string) {
	w.t.Helper()
	for _, r := range text {
		w.keys(strings.ReplaceAll(string(r), " ", "Space"))
	}
}

// copied returns what a key copies, "" for nothing.
func (w *walker) copied(key string) string {
	before := w.sim.Clipboard()
	w.keys(key)
	if after := w.sim.Clipboard(); after != before || strings.Contains(w.sim.Text(), "copy requested") {
		return after
	}
	return ""
}

// words are those of a command line as a shell splits it.
func words(line string) (list []string) {
	var word strings.Builder
	quoted, some := false, false
	for _, r := range line {
		switch {
		case r == '\'':
			quoted, some = !quoted, true
		case r == ' ' && !quoted:
			if some || word.Len() > 0 {
				list = append(list, word.String())
			}
			word.Reset()
			some = false
		default:
			word.WriteRune(r)
		}
	}
	return append(list, word.String())
}

// Every screen copies a command that works and prints what the screen shows, and saves what that command prints.
func TestEveryScreenIsPrintedAndSaved(t *testing.T) {
	for _, name := range []string{"kvleak", "stacks", "heap", "pages"} {
		path := sampleFile(t, name)
		t.Chdir(filepath.Dir(path))
		file := filepath.Base(path)
		walk(t, func(w *walker) {
			for n := 1; n <= 9; n++ {
				w.keys(fmt.Sprint(n))
				line, first := w.copied("Y"), ""
				w.keys("g")
				if first = w.copied("y"); line == "" {
					t.Errorf("%s, screen %d: no command\n%s", name, n, w.sim.Text())
					continue
				}
				status, out, errs := run(t, Env{}, words(line)[1:]...)
				fmt.Printf("%s %d %s\n   first %.80q\n", name, n, line, first)
				if status != 0 || len(out) < 50 {
					t.Errorf("%s, screen %d: %s: status %d, %q", name, n, line, status, errs)
				}
				w.keys("Ctrl+s")
				saveAs := fmt.Sprintf("%s-%d.txt", name, n)
				w.keys("Ctrl+u")
				w.typed(saveAs)
				w.keys("Enter")
				data, err := os.ReadFile(saveAs)
				if err != nil || len(data) < len(out)/2 {
					t.Errorf("%s, screen %d: %v, %d bytes\n%s", name, n, err, len(data), w.sim.Text())
				}
				_ = keymap.Save
			}
		}, file)
	}
}
