package cli

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/memtui/memtui/analysis/lines"
	"github.com/memtui/memtui/analysis/sources"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/model"
)

// sources returns where source files are looked for. It fails if a folder does not exist: otherwise a mistyped name
// would go unnoticed.
func (a *app) sources() (*sources.Finder, error) {
	var maps []sources.Map
	for _, text := range a.flags.MapPath {
		m, err := sources.ParseMap(text)
		if err != nil {
			return nil, fmt.Errorf("--map-path: %w", err)
		}
		maps = append(maps, m)
		if err := arg.MustBeFolder("map-path", m.To); err != nil {
			return nil, err
		}
	}
	for _, dir := range a.flags.Source {
		if err := arg.MustBeFolder("source", dir); err != nil {
			return nil, err
		}
	}
	if a.served {
		return sources.NewClosedFinder(a.flags.Source, maps), nil
	}
	work, err := os.Getwd()
	if err != nil {
		work = ""
	}
	return sources.NewFinder(a.flags.Source, maps, work), nil
}

// eventsTable is the name of the table of single events of a trace, and of that of a profile's events.
const eventsTable = "events"

// linesTable is the name of the table of source lines.
const linesTable = "lines"

// listed reports whether source lines are requested.
func (c *reportCmd) listed() bool { return c.Lines != "" || c.Table == linesTable }

// traceLines returns source lines of a trace.
func (a *app) traceLines(ctx context.Context, s *session, p *model.Profile, c *reportCmd, opt report.Options) (*report.Report, error) {
	from, err := a.sources()
	if err != nil {
		return nil, fail.Usage(err)
	}
	r, err := report.BuildLines(ctx, p, s.index, report.LinesQuery{Name: c.Lines, Sources: from}, opt)
	return r, a.linesError(err)
}

// stackLines returns source lines of a stack profile.
func (a *app) stackLines(ctx context.Context, p *model.Profile, c *reportCmd, opt report.StackOptions) (*report.Report, error) {
	from, err := a.sources()
	if err != nil {
		return nil, fail.Usage(err)
	}
	r, err := report.BuildStacksLines(ctx, p, report.LinesQuery{Name: c.Lines, Sources: from}, opt)
	return r, a.linesError(err)
}

func (a *app) linesError(err error) error {
	if none := (*lines.UnknownNameError)(nil); errors.As(err, &none) || errors.Is(err, report.ErrNoSum) {
		err = fail.Usage(fmt.Errorf("--lines: %w", err))
	}
	return err
}
