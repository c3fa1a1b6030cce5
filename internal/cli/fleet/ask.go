package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/export/report"
	printed "github.com/memtui/memtui/export/report/fleet"
	"github.com/memtui/memtui/internal/cli/fail"
	store "github.com/memtui/memtui/internal/fleet"
	"github.com/memtui/memtui/internal/fleet/parquet"
	"github.com/memtui/memtui/model"
)

// Questions, with their flags. Those of sql have the same.
type (
	topCmd struct {
		topFlags
		placeFlags
	}
	diffCmd struct {
		diffFlags
		placeFlags
	}
	outliersCmd struct {
		outliersFlags
		placeFlags
	}
	trendCmd struct {
		trendFlags
		placeFlags
	}
	stackCmd struct {
		stackFlags
		placeFlags
	}
	recordingsCmd struct {
		recordingsFlags
		placeFlags
	}
	sharedCmd struct {
		sharedFlags
		placeFlags
	}
	curveCmd struct {
		curveFlags
		placeFlags
	}

	topFlags struct {
		whatFlags
		siteFlags
		Version string `placeholder:"NAME" help:"Only recordings of this version."`
		allFlags
	}
	diffFlags struct {
		whatFlags
		siteFlags
		Before string `placeholder:"VERSION" help:"The older version (the one before the newer one)."`
		After  string `placeholder:"VERSION" help:"The newer version (the last one, by its first recording)."`
	}
	outliersFlags struct {
		whatFlags
		everyFlags
		Version string `placeholder:"NAME" help:"Only recordings of this version."`
		Site    string `placeholder:"SITE" help:"Compare what this site has, instead of complete recordings: its STACK or SITE as other tables print them, or the name of its function."`
		allFlags
	}
	trendFlags struct {
		Site string `arg:"" optional:"" help:"The site: its STACK or SITE as other tables print them, or the name of its function. Without it, complete recordings."`
		whatFlags
	}
	stackFlags struct {
		Site string `arg:"" optional:"" help:"The site: its STACK or SITE as other tables print them, or the name of its function. Without it, complete recordings."`
		whatFlags
		Version string `placeholder:"NAME" help:"Only recordings of this version."`
		allFlags
	}
	recordingsFlags struct {
		Site string `arg:"" optional:"" help:"The site: its STACK or SITE as other tables print them, or the name of its function. Without it, complete recordings."`
		whatFlags
		Version string `placeholder:"NAME" help:"Only recordings of this version."`
	}
	sharedFlags struct {
		whatFlags
		Version string `placeholder:"NAME" help:"Only recordings of this version."`
		allFlags
	}
	curveFlags struct {
		Version string `placeholder:"NAME" help:"Only recordings of this version."`
		filterFlags
	}
	whatFlags struct {
		What string `enum:"sites,owners,leaks,types,pages," default:"" placeholder:"WHAT" help:"What is asked about. The default is sites; owners are functions with all their sites; leaks are those that leak by their verdict; types are those of the objects in heap snapshots; pages are those of memory dumps by curve and type."`
		filterFlags
	}
	siteFlags struct {
		Site string `placeholder:"SITE" help:"Only this site: its STACK or SITE as tables print them, or the name of its function."`
	}
	everyFlags struct {
		AllHosts bool `help:"List the other hosts, too, after the outliers."`
	}
	allFlags struct {
		AllVersions bool `help:"A host counts by the largest of its newest recordings of every version, not by its newest recording."`
	}
)

// asker makes a question.
type asker interface {
	ask(ctx context.Context, h *Host, s store.Store) (*fleet.Question, error)
}

// question returns a question with these flags.
func (f *whatFlags) question(h *Host, kind fleet.Kind) (*fleet.Question, error) {
	q, err := f.filterFlags.question(h, kind)
	if err != nil {
		return nil, err
	}
	q.What = fleet.What(cmp.Or(f.What, string(fleet.Sites)))
	if only := q.What.Figure(); only != "" {
		if h.By != "" && q.Figure != only {
			return nil, fail.Usage(fmt.Errorf("--by: %s have %s only", q.What, only))
		}
		q.Figure = only
	}
	return q, nil
}

func (f *topFlags) ask(_ context.Context, h *Host, _ store.Store) (*fleet.Question, error) {
	q, err := f.question(h, fleet.Top)
	if err == nil {
		q.Version, q.Site, q.All = f.Version, f.Site, f.AllVersions
	}
	return q, err
}

func (f *diffFlags) ask(ctx context.Context, h *Host, s store.Store) (*fleet.Question, error) {
	q, err := f.question(h, fleet.Diff)
	if err != nil {
		return nil, err
	}
	q.Site = f.Site
	if q.Before, q.After = f.Before, f.After; f.Before == "" || f.After == "" {
		q.Before, q.After, err = lastTwo(ctx, s, q)
	}
	return q, cmp.Or(err, same(q))
}

// same returns an error if a comparison is of a version with itself.
func same(q *fleet.Question) error {
	if q.Kind == fleet.Diff && q.Before == q.After && q.Before != "" {
		return fail.Usage(fmt.Errorf("both versions are %s: there is nothing to compare", model.Clean(q.Before)))
	}
	return nil
}

func (f *outliersFlags) ask(_ context.Context, h *Host, _ store.Store) (*fleet.Question, error) {
	q, err := f.question(h, fleet.Outliers)
	if err == nil {
		q.Version, q.Site, q.All, q.Every = f.Version, f.Site, f.AllVersions, f.AllHosts
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
		q.Version, q.Site, q.All = f.Version, f.Site, f.AllVersions
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

func (f *sharedFlags) ask(_ context.Context, h *Host, _ store.Store) (*fleet.Question, error) {
	q, err := f.question(h, fleet.Shared)
	if err == nil {
		q.Version, q.All = f.Version, f.AllVersions
	}
	return q, err
}

func (f *curveFlags) ask(_ context.Context, h *Host, _ store.Store) (*fleet.Question, error) {
	q, err := f.question(h, fleet.Curve)
	switch {
	case err != nil:
		return nil, err
	case h.By != "" && q.Figure != fleet.Live:
		return nil, fail.Usage(fmt.Errorf("--by: curves have %s only", fleet.Live))
	}
	q.Figure, q.Version = fleet.Live, f.Version
	return q, nil
}

// Run lists sites.
func (c *topCmd) Run(ctx context.Context, h *Host) error { return h.answer(ctx, c, &c.placeFlags) }

// Run compares versions.
func (c *diffCmd) Run(ctx context.Context, h *Host) error { return h.answer(ctx, c, &c.placeFlags) }

// Run lists hosts.
func (c *outliersCmd) Run(ctx context.Context, h *Host) error { return h.answer(ctx, c, &c.placeFlags) }

// Run lists versions.
func (c *trendCmd) Run(ctx context.Context, h *Host) error { return h.answer(ctx, c, &c.placeFlags) }

// Run lists services.
func (c *stackCmd) Run(ctx context.Context, h *Host) error { return h.answer(ctx, c, &c.placeFlags) }

// Run lists recordings.
func (c *recordingsCmd) Run(ctx context.Context, h *Host) error {
	return h.answer(ctx, c, &c.placeFlags)
}

// Run lists sites.
func (c *sharedCmd) Run(ctx context.Context, h *Host) error { return h.answer(ctx, c, &c.placeFlags) }

// Run lists versions.
func (c *curveCmd) Run(ctx context.Context, h *Host) error { return h.answer(ctx, c, &c.placeFlags) }

// answer asks and prints.
func (h *Host) answer(ctx context.Context, c asker, at *placeFlags) error {
	s, err := h.open("from", h.From, at)
	if err != nil {
		return err
	}
	defer h.warn(s)
	q, err := c.ask(ctx, h, s)
	if err != nil {
		return err
	}
	a, err := named(ctx, s, q)
	if err != nil {
		return err
	}
	var stacks []printed.Stack
	if q.Kind == fleet.Spread && q.Site != "" && q.What.Stacks() {
		if stacks, err = stacksOf(ctx, s, q); err != nil {
			return failed(ctx, err)
		}
	}
	out := printed.New(q, a, stacks)
	if h.Format == "html" {
		return h.Page(ctx, h.Out, out)
	}
	return out.Write(h.Out, h.Format, h.Style)
}

// warn says what could not be read.
func (h *Host) warn(s store.Store) {
	for _, text := range s.Warnings() {
		h.Note("warning: " + text)
	}
}

// stacksShown is the number of stacks of a function that are printed.
const stacksShown = 3

// stacksOf returns the stacks of a site, those that have most.
func stacksOf(ctx context.Context, s store.Store, about *fleet.Question) (list []printed.Stack, err error) {
	q := *about
	q.Kind, q.Limit = fleet.Top, 0
	a, err := s.Ask(ctx, &q)
	if err != nil {
		return nil, err
	}
	var keys []fleet.Key
	if key, ok := fleet.KeyOf(q.Site); ok {
		keys = []fleet.Key{key}
	}
	for _, row := range a.Top {
		if !slices.Contains(keys, row.Stack) && len(keys) < stacksShown {
			keys = append(keys, row.Stack)
		}
	}
	for _, key := range keys {
		stack, err := s.Stack(ctx, key)
		if err != nil {
			return nil, err
		}
		if stack != nil {
			list = append(list, printed.NewStack(stack))
		}
	}
	return list, nil
}

// failed returns err with its exit status.
func failed(ctx context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return fail.Input(err)
}

// sqlCmd prints a question.
type sqlCmd struct {
	Question string `arg:"" enum:"top,diff,outliers,trend,stack,shared,curve,recordings" help:"The question: top, diff, outliers, trend, stack, shared, curve or recordings."`
	Site     string `arg:"" optional:"" help:"The site, of any question but shared and curve: its STACK or SITE as tables print them, or the name of its function."`
	whatFlags
	Version string `placeholder:"NAME" help:"Only recordings of this version."`
	Before  string `placeholder:"VERSION" help:"For diff: the older version."`
	After   string `placeholder:"VERSION" help:"For diff: the newer version."`
	allFlags
	everyFlags
	Dialect string `enum:"clickhouse,duckdb," default:"" placeholder:"ENGINE" help:"The engine: clickhouse, or duckdb over the files of a folder (that of --from)."`
}

// ask implements asker, without a fleet.
func (c *sqlCmd) ask(ctx context.Context, h *Host, s store.Store) (*fleet.Question, error) {
	all := map[string]asker{
		"top": &topFlags{c.whatFlags, siteFlags{c.Site}, c.Version, c.allFlags}, "diff": &diffFlags{c.whatFlags, siteFlags{c.Site}, c.Before, c.After},
		"outliers": &outliersFlags{c.whatFlags, c.everyFlags, c.Version, c.Site, c.allFlags}, "trend": &trendFlags{c.Site, c.whatFlags},
		"stack":      &stackFlags{c.Site, c.whatFlags, c.Version, c.allFlags},
		"recordings": &recordingsFlags{c.Site, c.whatFlags, c.Version},
		"shared":     &sharedFlags{c.whatFlags, c.Version, c.allFlags}, "curve": &curveFlags{c.Version, c.filterFlags},
	}
	switch {
	case c.Question == "diff" && (c.Before == "" || c.After == ""):
		return nil, fail.Usage(errors.New("missing flags: --before=VERSION, --after=VERSION"))
	case c.Question == "stack" && c.Site == "":
		return nil, fail.Usage(errors.New("missing argument: <site>"))
	case c.Site != "" && slices.Contains([]string{"shared", "curve"}, c.Question):
		return nil, fail.Usage(fmt.Errorf("%s is about all sites: leave out %q", c.Question, c.Site))
	case c.Question != "diff" && c.Before+c.After != "":
		return nil, fail.Usage(errors.New("--before and --after are for diff"))
	case c.Version != "" && (c.Question == "diff" || c.Question == "trend"):
		return nil, fail.Usage(fmt.Errorf("--version: %s is about several versions", c.Question))
	case c.What != "" && c.Question == "curve":
		return nil, fail.Usage(errors.New("--what: curve is about complete recordings"))
	case c.AllVersions && slices.Contains([]string{"diff", "trend", "curve", "recordings"}, c.Question):
		return nil, fail.Usage(fmt.Errorf("--all-versions: %s is about several versions", c.Question))
	}
	if c.AllHosts && c.Question != "outliers" {
		return nil, fail.Usage(errors.New("--all-hosts is for outliers"))
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
		s, err := h.open("from", h.From, &placeFlags{})
		if err != nil {
			return err
		}
		d = s.Dialect()
	}
	text := q.SQL(d)
	if h.Format == "json" {
		return report.WriteJSON(h.Out, printed.NewSQL(dialect, text))
	}
	_, err = fmt.Fprintln(h.Out, fleet.Indented(text)+";")
	return err
}

// CheckFlags are the flags of check about releases.
type CheckFlags struct {
	Fleet         string `placeholder:"PLACE" help:"Check a release instead of a file: the fleet at this place, a ClickHouse or a folder. See memtui fleet --help."`
	MaxRegression string `placeholder:"PERCENT" help:"With --fleet: how much more than in the version before the median host of each service may have: 5%."`
	Service       string `placeholder:"NAME" help:"With --fleet: only this service."`
	Before        string `placeholder:"VERSION" help:"With --fleet: the version to compare with (the last but one)."`
	After         string `placeholder:"VERSION" help:"With --fleet: the version to check (the last one)."`
	placeFlags
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
	for _, text := range done.Damaged {
		h.Note("warning: " + text + ": left as it is")
	}
	m := printed.NewMerged(done.Before, done.After, done.From, done.To, done.Damaged)
	if h.Format == "json" {
		return report.WriteJSON(h.Out, m)
	}
	_, err = fmt.Fprintln(h.Out, h.Style.Text(m.Line(h.Style)))
	return err
}
