package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/export/report"
	printed "github.com/memtui/memtui/export/report/fleet"
	"github.com/memtui/memtui/internal/cli/fail"
	store "github.com/memtui/memtui/internal/fleet"
	"github.com/memtui/memtui/internal/fleet/parquet"
)

// Questions, with their flags. Those of sql have the same.
type (
	topCmd  struct{ topFlags }
	diffCmd struct{ diffFlags }

	outliersCmd struct{ outliersFlags }
	trendCmd    struct{ trendFlags }
	stackCmd    struct{ stackFlags }

	recordingsCmd struct{ recordingsFlags }

	topFlags struct {
		filterFlags
		Version string `placeholder:"NAME" help:"Only recordings of this version."`
	}
	diffFlags struct {
		filterFlags
		Before string `placeholder:"VERSION" help:"The older version (the last but one)."`
		After  string `placeholder:"VERSION" help:"The newer version (the last one, by its first recording)."`
	}
	outliersFlags struct {
		filterFlags
		Version string `placeholder:"NAME" help:"Only recordings of this version."`
		Site    string `placeholder:"SITE" help:"Compare what this site has, instead of complete recordings: its STACK as other tables print it, or the name of its function."`
	}
	trendFlags struct {
		Site string `arg:"" optional:"" help:"The site: its STACK as other tables print it, or the name of its function. Without it, complete recordings."`
		filterFlags
	}
	stackFlags struct {
		Site string `arg:"" help:"The site: its STACK as other tables print it, or the name of its function."`
		filterFlags
		Version string `placeholder:"NAME" help:"Only recordings of this version."`
	}
	recordingsFlags struct {
		Site string `arg:"" optional:"" help:"The site: its STACK as other tables print it, or the name of its function. Without it, complete recordings."`
		filterFlags
		Version string `placeholder:"NAME" help:"Only recordings of this version."`
	}
)

// asker makes a question.
type asker interface {
	ask(ctx context.Context, h *Host, s store.Store) (*fleet.Question, error)
}

func (f *topFlags) ask(_ context.Context, h *Host, _ store.Store) (*fleet.Question, error) {
	q, err := f.question(h, fleet.Top)
	if err == nil {
		q.Version = f.Version
	}
	return q, err
}

func (f *diffFlags) ask(ctx context.Context, h *Host, s store.Store) (*fleet.Question, error) {
	q, err := f.question(h, fleet.Diff)
	if err != nil {
		return nil, err
	}
	switch {
	case f.Before != "" && f.After != "":
		q.Before, q.After = f.Before, f.After
	case f.Before != "" || f.After != "":
		return nil, fail.Usage(errors.New("--before and --after: give both versions, or neither for the newest two"))
	default:
		q.Before, q.After, err = lastTwo(ctx, s, q)
	}
	return q, err
}

func (f *outliersFlags) ask(_ context.Context, h *Host, _ store.Store) (*fleet.Question, error) {
	q, err := f.question(h, fleet.Outliers)
	if err == nil {
		q.Version, q.Site = f.Version, f.Site
	}
	return q, err
}

func (f *trendFlags) ask(_ context.Context, h *Host, _ store.Store) (*fleet.Question, error) {
	q, err := f.question(h, fleet.Trend)
	if err == nil {
		q.Site = f.Site
	}
	return q, err
}

func (f *stackFlags) ask(_ context.Context, h *Host, _ store.Store) (*fleet.Question, error) {
	q, err := f.question(h, fleet.Spread)
	if err == nil {
		q.Version, q.Site = f.Version, f.Site
	}
	return q, err
}

func (f *recordingsFlags) ask(_ context.Context, h *Host, _ store.Store) (*fleet.Question, error) {
	q, err := f.question(h, fleet.Recordings)
	if err == nil {
		q.Version, q.Site = f.Version, f.Site
	}
	return q, err
}

// Run lists sites.
func (c *topCmd) Run(ctx context.Context, h *Host) error { return h.answer(ctx, c) }

// Run compares versions.
func (c *diffCmd) Run(ctx context.Context, h *Host) error { return h.answer(ctx, c) }

// Run lists hosts.
func (c *outliersCmd) Run(ctx context.Context, h *Host) error { return h.answer(ctx, c) }

// Run lists versions.
func (c *trendCmd) Run(ctx context.Context, h *Host) error { return h.answer(ctx, c) }

// Run lists services.
func (c *stackCmd) Run(ctx context.Context, h *Host) error { return h.answer(ctx, c) }

// Run lists recordings.
func (c *recordingsCmd) Run(ctx context.Context, h *Host) error { return h.answer(ctx, c) }

// answer asks and prints.
func (h *Host) answer(ctx context.Context, c asker) error {
	s, err := h.open("from", h.From)
	if err != nil {
		return err
	}
	q, err := c.ask(ctx, h, s)
	if err != nil {
		return err
	}
	a, err := s.Ask(ctx, q)
	if err != nil {
		return failed(ctx, err)
	}
	var frames []string
	if key, ok := fleet.KeyOf(q.Site); ok && q.Kind == fleet.Spread {
		if frames, err = s.Frames(ctx, key); err != nil {
			return failed(ctx, err)
		}
	}
	out := printed.New(q, a, frames)
	if h.Format == "html" {
		return h.Page(ctx, out)
	}
	return out.Write(h.Out, h.Format, h.Style)
}

// failed returns err with its exit status.
func failed(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fail.Input(err)
}

// sqlCmd prints a question.
type sqlCmd struct {
	Question string `arg:"" enum:"top,diff,outliers,trend,stack,recordings" help:"The question: top, diff, outliers, trend, stack or recordings."`
	Site     string `arg:"" optional:"" help:"The site of outliers, trend, stack and recordings: its STACK as tables print it, or the name of its function."`
	filterFlags
	Version string `placeholder:"NAME" help:"Only recordings of this version."`
	Before  string `placeholder:"VERSION" help:"For diff: the older version."`
	After   string `placeholder:"VERSION" help:"For diff: the newer version."`
	Dialect string `enum:"clickhouse,duckdb," default:"" placeholder:"ENGINE" help:"The engine: clickhouse, or duckdb over the files of a folder (that of --from)."`
}

// ask implements asker, without a fleet.
func (c *sqlCmd) ask(ctx context.Context, h *Host, s store.Store) (*fleet.Question, error) {
	all := map[string]asker{
		"top": &topFlags{c.filterFlags, c.Version}, "diff": &diffFlags{c.filterFlags, c.Before, c.After},
		"outliers": &outliersFlags{c.filterFlags, c.Version, c.Site}, "trend": &trendFlags{c.Site, c.filterFlags},
		"stack": &stackFlags{c.Site, c.filterFlags, c.Version}, "recordings": &recordingsFlags{c.Site, c.filterFlags, c.Version},
	}
	switch {
	case c.Question == "diff" && (c.Before == "" || c.After == ""):
		return nil, fail.Usage(errors.New("missing flags: --before=VERSION, --after=VERSION"))
	case c.Question == "stack" && c.Site == "":
		return nil, fail.Usage(errors.New("missing argument: <site>"))
	case c.Site != "" && (c.Question == "top" || c.Question == "diff"):
		return nil, fail.Usage(fmt.Errorf("%s is about all sites: leave out %q", c.Question, c.Site))
	case c.Question != "diff" && c.Before+c.After != "":
		return nil, fail.Usage(errors.New("--before and --after are for diff"))
	case c.Version != "" && (c.Question == "diff" || c.Question == "trend"):
		return nil, fail.Usage(fmt.Errorf("--version: %s is about several versions", c.Question))
	}
	return all[c.Question].ask(ctx, h, s)
}

// Run prints it.
func (c *sqlCmd) Run(ctx context.Context, h *Host) error { return h.print(ctx, c, c.Dialect) }

// print prints a question as SQL, without a connection.
func (h *Host) print(ctx context.Context, c asker, dialect string) error {
	q, err := c.ask(ctx, h, nil)
	if err != nil {
		return err
	}
	isFolder := h.From != "" && !strings.Contains(h.From, "://")
	if dialect == "" {
		dialect = map[bool]string{true: "duckdb", false: "clickhouse"}[isFolder]
	}
	d := fleet.ClickHouse("")
	switch {
	case dialect == "duckdb" && !isFolder:
		return fail.Usage(errors.New("--dialect duckdb: name the folder of Parquet files with --from"))
	case dialect == "duckdb":
		d = fleet.DuckDB(h.From)
	case h.From != "" && !isFolder:
		s, err := h.open("from", h.From)
		if err != nil {
			return err
		}
		d = s.Dialect()
	}
	text := q.SQL(d)
	if h.Format == "json" {
		return report.WriteJSON(h.Out, printed.NewSQL(dialect, text))
	}
	_, err = fmt.Fprintln(h.Out, text+";")
	return err
}

// CheckFlags are the flags of check about releases.
type CheckFlags struct {
	Fleet         string `placeholder:"PLACE" help:"Check a release instead of a file: the fleet at this place, a ClickHouse or a folder. See memtui fleet --help."`
	MaxRegression string `placeholder:"PERCENT" help:"With --fleet: how much more than in the version before the median host of each service may have: 5%."`
	Service       string `placeholder:"NAME" help:"With --fleet: only this service."`
	Before        string `placeholder:"VERSION" help:"With --fleet: the version to compare with (the last but one)."`
	After         string `placeholder:"VERSION" help:"With --fleet: the version to check (the last one)."`
}

// compactCmd merges files.
type compactCmd struct {
	Dir string `arg:"" help:"The folder of a fleet."`
}

// Run merges them.
func (c *compactCmd) Run(ctx context.Context, h *Host) error {
	done, err := parquet.Compact(ctx, c.Dir)
	if err != nil {
		return failed(ctx, err)
	}
	m := printed.NewMerged(done.Before, done.After, done.From, done.To)
	if h.Format == "json" {
		return report.WriteJSON(h.Out, m)
	}
	_, err = fmt.Fprintln(h.Out, h.Style.Text(m.Line(h.Style)))
	return err
}
