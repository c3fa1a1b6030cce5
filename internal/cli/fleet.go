package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	fleetrows "github.com/memtui/memtui/analysis/fleet"
	exportfleet "github.com/memtui/memtui/export/fleet"
	"github.com/memtui/memtui/export/html"
	fleetreport "github.com/memtui/memtui/export/report/fleet"
	"github.com/memtui/memtui/internal/cli/arg"
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
		Page: a.fleetPage, Stdin: a.env.Stdin, File: a.writeFile,
		Note: func(text string) { fmt.Fprintf(a.env.Stderr, "memtui: %s\n", model.Clean(text)) },
		Fetch: func(ctx context.Context, address string) (io.ReadCloser, error) {
			return fetch.Get(ctx, address, int64(a.flags.MaxMemory), a.flags.Insecure)
		},
		Known: func(ctx context.Context, path string) bool { return a.kindOf(ctx, path) != kind.None },
	}
	if a.env.IsTerminal && a.env.Fleet != nil {
		h.Screen, h.Open = a.showFleet, a.openFrom
	}
	return h
}

// showFleet shows a fleet full-screen until the user quits or opens a recording.
func (a *app) showFleet(ctx context.Context, o fleetview.Options) (*fleetview.Opened, error) {
	if !a.ending.terminal.CompareAndSwap(terminalFree, terminalShown) {
		return nil, ctx.Err()
	}
	defer a.ending.terminal.Store(terminalFree)
	a.progress.End()
	return a.env.Fleet(ctx, screen.Fleet{Screen: (&showing{app: a}).settings(), Options: o})
}

// openFrom opens a recording of a fleet at what was looked at there, until the user quits. It returns why it could not.
func (a *app) openFrom(ctx context.Context, o *fleetview.Opened) string {
	var said bytes.Buffer
	env := a.env
	env.Stderr, env.Stdin = &said, strings.NewReader("")
	env.Getenv = func(name string) string {
		if name == "MEMTUI_FROM" { // the fleet, not a time
			return ""
		}
		return a.env.Getenv(name)
	}
	env.Start = views.Start{Function: o.Place.Function, Type: o.Place.Type, Leaks: o.Leaking}
	if o.Stack != 0 {
		env.Start.Stacks = func(s *model.Stacks) []model.StackID { return exportfleet.StacksOf(s, o.Stack) }
	}
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
	for _, x := range []struct {
		flag string
		on   bool
	}{{"--ascii", f.ASCII}, {"--no-mouse", !f.Mouse}, {"--insecure", f.Insecure}, {"--theme=" + f.Theme, f.Theme != ""},
		{"--max-memory=" + strconv.FormatInt(int64(f.MaxMemory), 10), f.MaxMemory > 0}} {
		if x.on {
			words = append(words, x.flag)
		}
	}
	return words
}

// fleetPage writes an answer about a fleet as a page for browsers.
func (a *app) fleetPage(ctx context.Context, w io.Writer, r *fleetreport.Report) error {
	if a.env.IsTerminal && w == io.Writer(a.out) {
		return fail.Usage(errors.New("the HTML page is for browsers, not for terminals: write it to a file with > page.html"))
	}
	_, err := html.WriteFleet(ctx, w, &html.FleetSource{Answer: r, Place: a.flags.From.Place(),
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

// execute runs the command that is parsed.
func (a *app) execute(ctx context.Context) error {
	switch c := a.parsed.Selected().Target.Addr().Interface().(type) {
	case interface{ Run(*app) error }:
		return c.Run(a)
	case arg.Runner[*app]:
		return c.Run(ctx, a)
	case arg.Runner[*fleet.Host]:
		return c.Run(ctx, a.fleetHost())
	}
	return fmt.Errorf("%s cannot be run", a.parsed.Command())
}
