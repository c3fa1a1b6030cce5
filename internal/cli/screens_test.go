package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/memtui/memtui/internal/cli/screen"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/internal/term"
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
	walkIn(t, 140, 40, func(w *walker) {
		w.keys("e", "Esc")
		f(w)
	}, args...)
}

// walkIn is walk on a terminal of any size.
func walkIn(t *testing.T, columns, lines int, f func(w *walker), args ...string) {
	t.Helper()
	shown := func(ctx context.Context, s screen.Screen) error {
		sim := term.NewSimulation(columns, lines)
		o := s.Options(ctx, sim.Terminal, themes.Usable(0, true))
		o.Patience = 5 * time.Second
		done := make(chan error, 1)
		go func() { done <- views.Run(o) }()
		sim.Settle()
		<-s.Done
		f(&walker{t, sim})
		sim.Quit()
		return <-done
	}
	if status, out, errs := run(t, Env{IsTerminal: true, FullScreen: shown}, args...); status != 0 || out+errs != "" {
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

// saved types the name of a file to save the screen as, and returns what is in it.
func (w *walker) saved(name string) string {
	w.t.Helper()
	w.keys("Ctrl+s", "Ctrl+u")
	w.typed(name)
	w.keys("Enter")
	data, err := os.ReadFile(name)
	if err != nil || !strings.Contains(w.sim.Text(), "saved ") {
		w.t.Errorf("%s: %v\n%s", name, err, w.sim.Text())
	}
	return string(data)
}

// Every screen copies a command that works, and saves what that command prints, or the table that it is.
func TestEveryScreenIsPrintedAndSaved(t *testing.T) {
	modeltest.Plain(t)
	for name, screens := range map[string]int{"kvleak": 8, "stacks": 6, "heap": 7, "pages": 4} {
		path := sampleFile(t, name)
		t.Chdir(filepath.Dir(path))
		walk(t, func(w *walker) {
			for n := range screens {
				w.keys(fmt.Sprint(n+1), "g")
				line := w.copied("Y")
				if line == "" {
					t.Errorf("%s, screen %d: no command\n%s", name, n+1, w.sim.Text())
					continue
				}
				args := append(words(line)[1:], "-f", "text")
				if !strings.Contains(line, " report ") && !strings.Contains(line, " --map ") || strings.Contains(line, "--table") {
					args = append(args, "--limit", "0")
				}
				if line == "memtui heap snapshots "+filepath.Base(path) {
					args = args[:len(args)-2]
				}
				status, out, errs := run(t, Env{}, args...)
				got := w.saved(fmt.Sprintf("%d.txt", n))
				if table := map[string]string{"kvleak 2": "  Sites ─", "kvleak 3": "  Leaks ─", "stacks 4": "  Live memory ─"}[fmt.Sprint(name, " ", n)]; table != "" {
					if status != 0 || len(out) < 50 || !strings.Contains(got, table) || !strings.Contains(got, " close_session ") {
						t.Errorf("%s: status %d, saves\n%s", table, status, got)
					}
					continue
				}
				if status != 0 || errs != "" || got != out || len(out) < 50 {
					t.Errorf("%s, screen %d: %q: status %d, %q, prints\n%s\nand saves\n%s", name, n+1, args, status, errs, out, got)
				}
			}
		}, filepath.Base(path))
	}
}

// What is saved of a table is that table, whatever it is sorted, grouped and filtered by: both begin with the same row.
func TestSavedTablesBeginAsTheScreenDoes(t *testing.T) {
	modeltest.Plain(t)
	type view struct {
		keys string // with blanks between them, then a command after a colon
		word int    // of the copied first row, that the first saved row has, too
	}
	for name, views := range map[string][]view{
		"kvleak": {
			{"3", 0}, {"3 b", 0}, {"3 b", 0}, {"3 b", 0}, {"3 b", 0}, {"3 b b", 0}, {"3 :at peak", 0}, {"3 :range 10ms 30ms", 0},
			{"u e 3 >", 0}, {"3 >", 0}, {"3 :ignore main", 0}, {"4", 0}, {"4 :at 50%", 0}, {"e 6", 3}, {"p 6", 3}, {"6 :range 10ms 30ms", 3},
			{"u e 2 z", 0}, {"2 :group function", 0}, {"2 m z z", 0},
		},
		"stacks": {{"2", 0}, {"2 s", 0}, {"2 s s s", 0}, {"2 b", 0}, {"2 b", 0}, {"2 b", 1}, {"2 m", 1}, {"5", 2}, {"5 s", 2}},
		"heap":   {{"2", 0}, {"2 s", 0}, {"2 s", 0}, {"3", 0}, {"4", 0}, {"4 s", 0}, {"4 s", 0}, {"4 s", 1}, {"4 s Enter", 0}, {"s", 0}, {"1 Tab", 0}, {"H 2", 0}, {"6 L", 0}},
		"pages":  {{"1", 0}},
	} {
		path := sampleFile(t, name)
		t.Chdir(filepath.Dir(path))
		walk(t, func(w *walker) {
			for n, v := range views {
				keys, command, typed := strings.Cut(v.keys, ":")
				w.keys(strings.Fields(keys)...)
				if typed {
					w.keys(":")
					w.typed(strings.TrimSpace(command))
					w.keys("Enter")
				}
				w.keys("g")
				first, line := w.copied("y"), w.copied("Y")
				fields := strings.Fields(first)
				saved := strings.Split(w.saved(fmt.Sprintf("%d.csv", n)), "\n")
				if len(fields) <= v.word || len(saved) < 2 || !strings.Contains(saved[1], strings.Trim(fields[v.word], ",:")) {
					t.Errorf("%s, %s: %s saves\n%.200q\nbut the screen begins with %.80q\n%s", name, v.keys, line, saved, first, w.sim.Text())
				}
			}
		}, filepath.Base(path))
	}
}
