package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	fleetrows "github.com/memtui/memtui/analysis/fleet"
	exportfleet "github.com/memtui/memtui/export/fleet"
	"github.com/memtui/memtui/export/html"
	"github.com/memtui/memtui/export/report/cells"
	fleetreport "github.com/memtui/memtui/export/report/fleet"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/fleet"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/manual"
	"github.com/memtui/memtui/internal/cli/screen"
	"github.com/memtui/memtui/internal/fetch"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views"
	fleetview "github.com/memtui/memtui/views/fleet"
)

// fleetHost returns what the commands about fleets need.
func (a *app) fleetHost() *fleet.Host {
	if a.flags.Format == "html" && a.parsed != nil {
		a.limitPage()
	}
	h := &fleet.Host{
		Out: a.out, Getenv: a.env.Getenv, Format: a.flags.Format, Limit: a.flags.Limit, By: a.flags.By,
		From: a.flags.From.Place(), To: a.flags.To.Place(),
		Style: a.style(false), Insecure: a.flags.Insecure, Rows: a.fleetRows, Flush: a.out.Flush,
		Page: a.fleetPage, Stdin: a.env.Stdin,
		Note: func(text string) { fmt.Fprintf(a.env.Stderr, "memtui: %s\n", model.Clean(text)) },
		Fetch: func(ctx context.Context, address string) (io.ReadCloser, error) {
			return fetch.Get(ctx, address, int64(a.flags.MaxMemory), a.flags.Insecure)
		},
		Known: func(ctx context.Context, path string) bool { return a.kindOf(ctx, path) != kind.None },
	}
	if a.env.IsTerminal && a.env.Fleet != nil {
		h.Screen = a.showFleet
	}
	return h
}

// showFleet shows a fleet full-screen, and the recordings that the user opens there, until the user quits.
func (a *app) showFleet(ctx context.Context, s *fleet.Asked, q *fleetrows.Question) error {
	settings := (&showing{app: a}).settings()
	memory := &fleetview.Memory{}
	for {
		if !a.ending.terminal.CompareAndSwap(terminalFree, terminalShown) {
			return ctx.Err()
		}
		a.progress.End()
		opened, err := a.env.Fleet(ctx, screen.Fleet{Screen: settings, Options: fleetview.Options{
			Fleet: s, Place: s.Place(), Start: *q, Memory: memory, Openable: openable, Save: a.saveFleet(s),
			Notes:   func(q *fleetrows.Question, a *fleetrows.Answer) []string { return fleetreport.New(q, a, nil).Notes },
			Command: func(q *fleetrows.Question) []string { return append([]string{"memtui"}, s.Words(q)...) },
		}})
		a.ending.terminal.Store(terminalFree)
		if err != nil || opened == nil {
			return err
		}
		if text := a.openFrom(ctx, opened); text != "" {
			memory.Say(text)
		}
	}
}

// openable returns why a recording of a fleet cannot be opened, nil if it probably can.
func openable(uri string) error {
	if fetch.IsURL(uri) {
		return nil
	}
	if uri == "-" {
		return errors.New("it was read from standard input, and not kept as a file")
	}
	if _, err := os.Stat(uri); err != nil {
		return fmt.Errorf("%w; its file was there on the machine that added it", err)
	}
	return nil
}

// openFrom opens a recording of a fleet at what was looked at there, until the user quits. It returns why it could not.
func (a *app) openFrom(ctx context.Context, o *fleetview.Opened) string {
	var said bytes.Buffer
	env := a.env
	env.Stderr, env.Stdin = &said, strings.NewReader("")
	env.Start = views.Start{Function: o.Place.Function, Type: o.Place.Type, Leaks: o.Leaking}
	env.Args = slices.Concat([]string{"open"}, a.drawnAs(), []string{"--", o.URI})
	if Main(ctx, env) == fail.Done {
		return ""
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(said.String(), "memtui: "), "\n")
	return "not opened: " + first
}

// drawnAs returns the flags of a fleet's screens for a recording that is opened there.
func (a *app) drawnAs() (words []string) {
	f := a.flags
	for flag, on := range map[string]bool{"--ascii": f.ASCII, "--no-mouse": !f.Mouse, "--insecure": f.Insecure} {
		if on {
			words = append(words, flag)
		}
	}
	slices.Sort(words)
	if f.Theme != "" {
		words = append(words, "--theme", f.Theme)
	}
	if f.MaxMemory > 0 {
		words = append(words, "--max-memory", strconv.FormatInt(int64(f.MaxMemory), 10))
	}
	return words
}

// saveFleet returns a function that writes an answer to a file, in the format of its suffix. It refuses existing files.
func (a *app) saveFleet(s *fleet.Asked) func(context.Context, string, fleetview.Answer) (int64, error) {
	return func(ctx context.Context, path string, x fleetview.Answer) (n int64, err error) {
		f, err := savedAs(path)
		switch {
		case err != nil:
			return 0, err
		case f.stacks:
			return 0, fmt.Errorf("answers have no stacks to write as %s: end the name in .txt, .md, .csv, .json or .html", f.name)
		}
		if _, err := os.Lstat(path); err == nil {
			return 0, fmt.Errorf("%s exists: choose another name", path)
		}
		r, err := s.Report(ctx, x.Question, x.Answer)
		if err != nil {
			return 0, err
		}
		err = a.writeFile(path, func(w io.Writer) error {
			out := &counter{w: w}
			defer func() { n = out.n }()
			if f.name == "html" {
				_, err := html.WriteFleet(ctx, out, &html.FleetSource{Answer: r, Place: s.Place(),
					Program: "memtui " + manual.Version().Version, Command: append([]string{"memtui"}, s.Words(x.Question)...)})
				return err
			}
			return r.Write(out, f.name, cells.Style{Width: 160})
		})
		return n, err
	}
}

// fleetPage writes an answer about a fleet as a page for browsers.
func (a *app) fleetPage(ctx context.Context, r *fleetreport.Report) error {
	if a.env.IsTerminal {
		return fail.Usage(errors.New("the HTML page is for browsers, not for terminals: write it to a file with > page.html"))
	}
	_, err := html.WriteFleet(ctx, a.out, &html.FleetSource{Answer: r, Place: a.flags.From.Place(),
		Program: "memtui " + manual.Version().Version, Command: append([]string{"memtui"}, a.env.Args...)})
	return err
}

// fleetRows reads a recording to its end.
func (a *app) fleetRows(ctx context.Context, path string, about exportfleet.About) (b *fleetrows.Batch, err error) {
	s, err := a.open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer s.close()
	p, err := s.profile(ctx)
	if err != nil {
		return nil, err
	}
	a.warn(p)
	err = s.src.Guard(func() error {
		b, err = exportfleet.Rows(ctx, p, s.index, about)
		return err
	})
	return b, err
}
