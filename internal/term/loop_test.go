//go:build unix

package term

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"github.com/memtui/memtui/internal/memtest"
)

func simulate(t *testing.T) (*Simulation, *probe) {
	t.Helper()
	s := NewSimulation(40, 8)
	p := &probe{Box: tview.NewBox(), term: s.Terminal}
	s.SetKeys(p.key)
	return s, p
}

func TestSimulation(t *testing.T) {
	s, p := simulate(t)
	s.Start(p)
	if err := s.Type("x", "Ctrl+A", "Shift+Right", "o"); err != nil {
		t.Fatal(err)
	}
	s.Settle()
	if got := s.Text(); !strings.Contains(got, "ready 40x8\nkeys 4 last Rune[o] posted 1\n") {
		t.Errorf("the screen:\n%s", got)
	}
	s.Resize(30, 9)
	s.Click(3, 2)
	if err := s.Type("c"); err != nil {
		t.Fatal(err)
	}
	s.Settle()
	if got := s.Text(); !strings.HasPrefix(got, "ready 30x9\n") || !strings.Contains(got, "mouse 3 at 3,2") {
		t.Errorf("the screen:\n%s", got)
	}
	if got := s.Clipboard(); got != "vector[int]\ufffd" {
		t.Errorf("clipboard %q", got)
	}
	if dump := memtest.Styles(s.Screen(), memtest.StyleName); !strings.Contains(dump, "3: 0-") || !strings.Contains(dump, "#c81e1e/#010203") {
		t.Errorf("the dump:\n%s", dump)
	}
	if err := s.Type("no such key"); err == nil {
		t.Error("typed a key that does not exist")
	}
	if err := s.Type("q"); err != nil {
		t.Fatal(err)
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

// TestErrorOfReaderThatWasEnded has the error of a reader that Suspend ended arrive late: it is no end, others are.
func TestErrorOfReaderThatWasEnded(t *testing.T) {
	s, p := simulate(t)
	s.Start(p)
	late := func(err error) {
		s.Event(tcell.NewEventError(err))
		s.Settle()
	}
	late(errClosing)
	if s.Context().Err() != nil {
		t.Fatal("the terminal is given up because it was lent")
	}
	late(io.EOF)
	if err := s.Stop(); !errors.Is(err, ErrGone) {
		t.Errorf("ended with %v", err)
	}
}

func TestPostKeepsOrderAndMergesDraws(t *testing.T) {
	s, p := simulate(t)
	var got []int
	const n = 1000
	for i := range n { // before Run
		s.Post(func() { got = append(got, i) })
	}
	s.Start(p)
	var producers sync.WaitGroup
	for range 4 {
		producers.Go(func() {
			for range n {
				s.Post(func() { got = append(got, len(got)) })
			}
		})
	}
	producers.Wait()
	s.Settle()
	s.Do(func() {
		for i, v := range got {
			if i != v {
				t.Fatalf("number %d is %d", i, v)
			}
		}
		if len(got) != 5*n {
			t.Errorf("%d functions ran", len(got))
		}
	})
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	s.Post(func() { t.Error("ran after the end") })
	s.Do(func() { t.Error("ran after the end") })
	s.Settle()
}

func TestBudget(t *testing.T) {
	s, p := simulate(t)
	s.budget = time.Hour
	draws := 0
	root := &counter{Box: tview.NewBox(), draws: &draws}
	_ = p
	s.Start(root)
	count := func() (n int) { s.Do(func() { n = draws }); return n }
	s.Do(func() {}) // drawn at once: nothing was posted since the first frame
	first := count()
	for range 50 {
		s.Do(func() {})
	}
	if n := count(); n > first+1 {
		t.Errorf("drew %d times for posted functions in one period", n-first)
	}
	before := count()
	if err := s.Type("x"); err != nil {
		t.Fatal(err)
	}
	s.Do(func() {})
	s.Do(func() {})
	if n := count(); n <= before {
		t.Error("a key was not drawn at once")
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

type counter struct {
	*tview.Box
	draws *int
}

func (c *counter) Draw(tcell.Screen) { *c.draws++ }

func TestGoPanicsEndRun(t *testing.T) {
	s, p := simulate(t)
	var out bytes.Buffer
	s.stderr = &out
	s.Start(p)
	cause := errors.New("cause\x1b[0m")
	s.Go(func() { panic(cause) })
	<-s.Context().Done()
	var broken *PanicError
	if err := s.Stop(); !errors.As(err, &broken) || !errors.Is(err, cause) {
		t.Fatalf("ended with %v", err)
	}
	if got := out.String(); !strings.HasPrefix(got, "panic: cause\ufffd[0m\n\n") || strings.Contains(got, "\x1b") {
		t.Errorf("printed %q", got)
	}
	if s.Context().Err() == nil {
		t.Error("the context lives on")
	}
}

// TestMissingBytesEndRun expects a sentence, and no stack, where a mapped file became shorter: in a goroutine and in what
// the loop runs.
func TestMissingBytesEndRun(t *testing.T) {
	for name, run := range map[string]func(s *Simulation, f func()){
		"goroutine": func(s *Simulation, f func()) { s.Go(f) },
		"loop":      func(s *Simulation, f func()) { s.Post(f) },
	} {
		file, err := os.Create(filepath.Join(t.TempDir(), "mapped"))
		if err != nil {
			t.Fatal(err)
		}
		page := os.Getpagesize()
		if err := file.Truncate(int64(page)); err != nil {
			t.Fatal(err)
		}
		mapped, err := syscall.Mmap(int(file.Fd()), 0, page, syscall.PROT_READ, syscall.MAP_SHARED)
		if err != nil {
			t.Fatal(err)
		}
		if err := file.Truncate(0); err != nil {
			t.Fatal(err)
		}
		s, p := simulate(t)
		var out bytes.Buffer
		s.stderr = &out
		s.Start(p)
		read := byte(1)
		run(s, func() { read = mapped[7] })
		<-s.Context().Done()
		if err := s.Stop(); !errors.Is(err, ErrFileGone) || out.Len() > 0 || read != 1 {
			t.Errorf("%s: ended with %v, printed %q", name, err, out.String())
		}
		syscall.Munmap(mapped)
		file.Close()
	}
}

func TestWaitIdleWaitsForTasksOnly(t *testing.T) {
	s, p := simulate(t)
	s.Start(p)
	release, forever := make(chan struct{}), make(chan struct{})
	defer close(forever)
	s.Background(func() { <-forever })
	s.Go(func() { <-release; s.Post(func() { p.posted = 7 }) })
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.WaitIdle(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("WaitIdle: %v", err)
	}
	close(release)
	s.Settle()
	if !strings.Contains(s.Text(), "posted 7") {
		t.Errorf("the screen:\n%s", s.Text())
	}
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

func TestFocusAndPaste(t *testing.T) {
	s, _ := simulate(t)
	field := tview.NewInputField()
	s.Start(field)
	for _, e := range []tcell.Event{
		tcell.NewEventPaste(true),
		tcell.NewEventKey(tcell.KeyRune, 'q', tcell.ModNone), // text, not a command
		tcell.NewEventPaste(false),
	} {
		s.Event(e)
	}
	s.Settle()
	s.Do(func() {
		if field.GetText() != "q" || s.Focus() != tview.Primitive(field) {
			t.Errorf("text %q", field.GetText())
		}
		s.SetFocus(nil)
		if field.HasFocus() {
			t.Error("the focus was not taken")
		}
	})
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
}

func TestCopyLimits(t *testing.T) {
	s, p := simulate(t)
	s.Start(p)
	s.Do(func() {
		if ok, why := s.Copy(strings.Repeat("x", maxClipboard)); ok || why == "" {
			t.Error("copied more than terminals take")
		}
		if ok, _ := s.Copy(strings.Repeat("x", maxClipboard/4*3)); !ok {
			t.Error("did not copy the most that terminals take")
		}
	})
	if err := s.Stop(); err != nil {
		t.Error(err)
	}
	poor := NewSimulationCaps(20, 5, Caps{})
	poor.Start(tview.NewBox())
	poor.Do(func() {
		if ok, why := poor.Copy("x"); ok || why == "" {
			t.Error("copied without a clipboard")
		}
	})
	if err := poor.Stop(); err != nil {
		t.Error(err)
	}
}

func TestParseKey(t *testing.T) {
	for name, want := range map[string]*tcell.EventKey{
		"q":           tcell.NewEventKey(tcell.KeyRune, 'q', 0),
		"+":           tcell.NewEventKey(tcell.KeyRune, '+', 0),
		"Ctrl+C":      tcell.NewEventKey(tcell.KeyCtrlC, 'c', tcell.ModCtrl),
		"Alt+x":       tcell.NewEventKey(tcell.KeyRune, 'x', tcell.ModAlt),
		"shift+left":  tcell.NewEventKey(tcell.KeyLeft, 0, tcell.ModShift),
		"Space":       tcell.NewEventKey(tcell.KeyRune, ' ', 0),
		"Shift+Tab":   tcell.NewEventKey(tcell.KeyBacktab, 0, 0),
		"PageDown":    tcell.NewEventKey(tcell.KeyPgDn, 0, 0),
		"F1":          tcell.NewEventKey(tcell.KeyF1, 0, 0),
		"Enter":       tcell.NewEventKey(tcell.KeyEnter, 0, 0),
		"Escape":      tcell.NewEventKey(tcell.KeyEsc, 0, 0),
		"Backspace":   tcell.NewEventKey(tcell.KeyBackspace2, 0, 0),
		"Ctrl+Alt+Up": tcell.NewEventKey(tcell.KeyUp, 0, tcell.ModCtrl|tcell.ModAlt),
	} {
		got, err := parseKey(name)
		if err != nil || got.Key() != want.Key() || got.Rune() != want.Rune() || got.Modifiers() != want.Modifiers() {
			t.Errorf("%s: %v %v, want %v", name, got, err, want)
		}
	}
}
