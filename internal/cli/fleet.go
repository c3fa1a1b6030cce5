package cli

import (
	"context"

	fleetrows "github.com/memtui/memtui/analysis/fleet"
	exportfleet "github.com/memtui/memtui/export/fleet"
	"github.com/memtui/memtui/internal/cli/fleet"
)

// fleetHost returns what the commands about fleets need.
func (a *app) fleetHost() *fleet.Host {
	return &fleet.Host{
		Out: a.out, Getenv: a.env.Getenv, Format: a.flags.Format, Limit: a.flags.Limit, By: a.flags.By,
		From: a.flags.From.Place(), To: a.flags.To.Place(),
		Style: a.style(false), Insecure: a.flags.Insecure, Rows: a.fleetRows, Flush: a.out.Flush,
	}
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
