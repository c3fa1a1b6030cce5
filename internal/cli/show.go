package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/progress"
	"github.com/memtui/memtui/internal/cli/screen"
	"github.com/memtui/memtui/internal/term"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views"
	"github.com/memtui/memtui/views/compare"
)

// showing is a file, or two to compare, being prepared for the full-screen program.
type showing struct {
	app     *app
	session *session
	files   []string // as a command line names them; "" for a sample, which no command line can name

	others  openFiles      // that are opened from within
	writing sync.WaitGroup // evidence and views that are saved, which read from the session

	ready  chan struct{} // closed when what follows is known
	screen screen.Screen
	err    error // why nothing can be shown
}

// mostUnseen is how long the first screen may take before a frame replaces it. Most files have one much earlier.
const mostUnseen = 100 * time.Millisecond

// show starts the full-screen program, as soon as the headers are read, or prints the report.
func (a *app) show(ctx context.Context, s *session, files []string) error {
	if !a.screen {
		return a.write(ctx, s, reportCmd{})
	}
	preparing, cancel := context.WithCancel(ctx)
	w := &showing{app: a, session: s, files: files, ready: make(chan struct{})}
	defer w.others.close()
	defer w.end(cancel)
	go func() {
		defer close(w.ready)
		w.err = w.prepare(preparing)
	}()
	begin := w.run
	if !w.soon() {
		begin = w.open
	} else if w.err != nil {
		return w.err
	}
	if !a.ending.terminal.CompareAndSwap(terminalFree, terminalShown) {
		return ctx.Err()
	}
	a.progress.End()
	err := begin(ctx)
	a.ending.terminal.Store(terminalFree)
	w.writing.Wait()
	if errors.Is(err, term.ErrUnusable) {
		fmt.Fprintf(a.env.Stderr, "memtui: %s; printing the report instead\n", model.Clean(err.Error()))
		return a.write(ctx, s, reportCmd{})
	}
	if err != nil {
		return err
	}
	select {
	case <-s.done:
		if s.err != nil {
			return fail.Input(s.err)
		}
	default:
	}
	return nil
}

// end ends the preparation before the files that it reads are closed, but does not wait longer than quitting may take.
func (w *showing) end(cancel func()) {
	cancel()
	w.session.stop()
	if w.session.after != nil {
		w.session.after.stop()
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case <-w.ready:
	case <-late.C:
	}
}

// soon waits a moment for the contents to be known, if a frame can replace the screens meanwhile, and reports whether
// they are.
func (w *showing) soon() bool {
	if w.app.env.Opening == nil {
		<-w.ready
		return true
	}
	late := time.NewTimer(mostUnseen)
	defer late.Stop()
	select {
	case <-w.ready:
		return true
	case <-late.C:
		return false
	}
}

// run runs the full-screen program for a file whose contents are known.
func (w *showing) run(ctx context.Context) error { return w.app.env.FullScreen(ctx, w.screen) }

// open runs the full-screen program for a file whose contents are not known soon.
func (w *showing) open(ctx context.Context) error {
	a := w.app
	sources := []*loaders.Source{w.session.src}
	if w.session.after != nil {
		sources = append(sources, w.session.after.src)
	}
	return a.env.Opening(ctx, screen.Opening{
		Screen: w.settings(), Name: w.session.src.Name(), Progress: func() string { return progress.Doing(sources) },
		Ready: func() (screen.Screen, error) {
			<-w.ready
			return w.screen, w.err
		},
	})
}

// settings returns the settings for drawing screens.
func (w *showing) settings() screen.Screen {
	a := w.app
	return screen.Screen{
		Config: a.config, Keys: a.keys, Theme: a.flags.Theme, Mouse: a.flags.Mouse, ASCII: a.flags.ASCII, NoColor: a.noColor(),
		Opened: a.watch.RestoreWith, Killed: a.killed,
	}
}

// prepare waits until there is something to show, and prepares what the screens need.
func (w *showing) prepare(ctx context.Context) error {
	a, s := w.app, w.session
	if err := s.begun(ctx); err != nil {
		return err
	}
	if s.after != nil {
		if err := a.comparable(ctx, s); err != nil {
			return err
		}
	}
	file := a.target(w.files[0]).path
	screen := w.settings()
	screen.Store, screen.Trace, screen.Begun, screen.Done, screen.Cancel = s.store, s.index, s.index.Begun(), s.done, s.stop
	screen.Command, screen.Memory, screen.Start = a.naming(file), &a.memory, a.env.Start
	if s.joined != nil {
		screen.Command, screen.Paths = a.naming(s.joined...), len(s.joined)
	}
	screen.Again = func(second string) error { return a.readable(file, second) }
	if err := a.startAt(ctx, s, &screen); err != nil {
		return err
	}
	screen.OpenSecond = func(path string) (*compare.Second, error) { return a.openSecond(ctx, s, path, &w.others) }
	if s.after != nil {
		screen.Second = a.second(s.after, s.afterPath)
	}
	screen.Home, _ = os.UserHomeDir()
	var err error
	if screen.Sources, err = a.sources(); err != nil {
		return fail.Usage(err)
	}
	write := a.evidenceOf(s, w.files[0], &w.others)
	screen.Evidence = func(ctx context.Context, q views.EvidenceQuery) error {
		w.writing.Add(1)
		defer w.writing.Done()
		return write(ctx, q)
	}
	screen.Save = w.saver(a.saveOf(s, file, &w.others))
	w.screen = screen
	return nil
}

// saver wraps save so that the session stays open until everything it started is written.
func (w *showing) saver(save func(views.SaveQuery) (views.SaveFunc, error)) func(views.SaveQuery) (views.SaveFunc, error) {
	return func(q views.SaveQuery) (views.SaveFunc, error) {
		write, err := save(q)
		if err != nil {
			return nil, err
		}
		return func(ctx context.Context) (views.Saved, error) {
			w.writing.Add(1)
			defer w.writing.Done()
			return write(ctx)
		}, nil
	}
}
