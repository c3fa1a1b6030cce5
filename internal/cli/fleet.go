package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	fleetrows "github.com/memtui/memtui/analysis/fleet"
	exportfleet "github.com/memtui/memtui/export/fleet"
	"github.com/memtui/memtui/export/html"
	fleetreport "github.com/memtui/memtui/export/report/fleet"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/fleet"
	"github.com/memtui/memtui/internal/cli/kind"
	"github.com/memtui/memtui/internal/cli/manual"
	"github.com/memtui/memtui/internal/fetch"
	"github.com/memtui/memtui/model"
)

// fleetHost returns what the commands about fleets need.
func (a *app) fleetHost() *fleet.Host {
	if a.flags.Format == "html" && a.parsed != nil {
		a.limitPage()
	}
	return &fleet.Host{
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
