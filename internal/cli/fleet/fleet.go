// Package fleet has the commands about a fleet of recordings: adding recordings, questions, and a check for releases.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/analysis/near"
	rows "github.com/memtui/memtui/export/fleet"
	"github.com/memtui/memtui/export/report/cells"
	printed "github.com/memtui/memtui/export/report/fleet"
	"github.com/memtui/memtui/internal/cli/fail"
	store "github.com/memtui/memtui/internal/fleet"
	"github.com/memtui/memtui/model"
)

// Host is what commands need of the program.
type Host struct {
	Out      io.Writer
	Getenv   func(string) string
	Format   string
	Limit    int
	By       string
	From, To string // of --from and --to
	Style    cells.Style
	Insecure bool
	// Rows reads a recording.
	Rows func(ctx context.Context, path string, about rows.About) (*fleet.Batch, error)
	// Flush sends to the user what was written.
	Flush func() error
	// Page writes an answer as a page for browsers.
	Page func(ctx context.Context, r *printed.Report) error
}

// Commands are the verbs of fleet.
type Commands struct {
	Add      addCmd      `cmd:"" help:"Add recordings to a fleet."`
	Top      topCmd      `cmd:"" help:"List the sites that have most, with how many hosts have them."`
	Diff     diffCmd     `cmd:"" help:"List the sites that have more in one version than in another."`
	Outliers outliersCmd `cmd:"" help:"List the hosts that are far from the others."`
	Trend    trendCmd    `cmd:"" help:"Show how a site, or all of a service, changes from version to version."`
	Stack    stackCmd    `cmd:"" help:"Show the frames of a site, and which services have it on how many hosts."`

	Recordings recordingsCmd `cmd:"" help:"List the recordings that have most of a site, or of all."`

	SQL     sqlCmd     `cmd:"" name:"sql" help:"Print a question as SQL."`
	Compact compactCmd `cmd:"" help:"Merge the files of a folder, so that questions take less time."`
}

// Help says where fleets are, and what the environment holds.
func (*Commands) Help() string {
	return `A fleet is many recordings: of hosts, pods, builds, tests. It is kept in a ClickHouse (from 18.16), named as http://HOST:8123/DATABASE or https://…, or in a folder of Parquet files, where memtui was built with -tags parquet. Any engine reads that folder, such as DuckDB; fleet sql prints the questions for it.

Environment:
  MEMTUI_FLEET_USER, MEMTUI_FLEET_PASSWORD  of the ClickHouse; they are never in arguments
  MEMTUI_FLEET_KEY                          with --redact: names become words that depend on this secret. Use the same one on all machines.

Recipes:
  memtui fleet add --to http://ch:8123/memory --service shop --version 1.4 app.mlyze
  memtui fleet diff --from http://ch:8123/memory --service shop --before 1.3 --after 1.4
  memtui check --fleet http://ch:8123/memory --service shop --max-regression 5%
  aws s3 sync DIR s3://bucket/fleet                    a folder to object storage, and back
  memtui fleet sql top --dialect duckdb --from DIR | duckdb
  memtui convert app.mlyze app.pb.gz && curl --data-binary @app.pb.gz 'http://pyroscope:4040/ingest?name=shop&format=pprof'

Figures are those of the largest recording of each host, so adding a recording again changes no answer.`
}

// open opens the fleet at a place.
func (h *Host) open(flag, place string) (store.Store, error) {
	if place == "" {
		return nil, fail.Usage(fmt.Errorf("missing flag: --%s=PLACE, the http://HOST:8123/DATABASE of a ClickHouse or a folder", flag))
	}
	s, err := store.Open(place, store.Login{User: h.Getenv("MEMTUI_FLEET_USER"), Password: h.Getenv("MEMTUI_FLEET_PASSWORD"),
		Insecure: h.Insecure})
	if err != nil {
		return nil, fail.Usage(fmt.Errorf("--%s: %w", flag, err))
	}
	return s, nil
}

// filterFlags select recordings.
type filterFlags struct {
	Service string   `placeholder:"NAME" help:"Only recordings of this service."`
	Host    string   `placeholder:"NAME" help:"Only recordings of this host."`
	Label   []string `sep:"none" placeholder:"KEY=VALUE" help:"Only recordings with this label. May be repeated."`
}

// question returns a question with these filters.
func (f *filterFlags) question(h *Host, kind fleet.Kind) (*fleet.Question, error) {
	figure, ok := fleet.FigureNamed(h.By)
	if !ok {
		var names []string
		for _, x := range fleet.Figures() {
			names = append(names, string(x))
		}
		return nil, fail.Usage(fmt.Errorf("--by: unknown figure %q%s", h.By, near.Available(h.By, names)))
	}
	if err := labels(f.Label); err != nil {
		return nil, err
	}
	return &fleet.Question{Kind: kind, Figure: figure, Limit: h.Limit,
		Filter: fleet.Filter{Service: f.Service, Host: f.Host, Labels: f.Label}}, nil
}

// labels checks that labels have a key.
func labels(list []string) error {
	for _, l := range list {
		if key, _, ok := strings.Cut(l, "="); !ok || key == "" {
			return fail.Usage(fmt.Errorf("--label: %q has no key: write KEY=VALUE", l))
		}
	}
	return nil
}

// lastTwo returns the newest two versions of what a question is about. Services with one version have nothing to
// compare; those with several must agree.
func lastTwo(ctx context.Context, s store.Store, of *fleet.Question) (before, after string, err error) {
	q := *of
	q.Kind, q.Site, q.Limit, q.Version = fleet.Trend, "", 0, ""
	a, err := s.Ask(ctx, &q)
	if err != nil {
		return "", "", fail.Input(err)
	}
	slices.SortStableFunc(a.Trend, func(x, y fleet.TrendRow) int { return int(min(max(x.First-y.First, -1), 1)) })
	versions := map[string][]string{} // by service, the newest last
	for _, r := range a.Trend {
		versions[r.Service] = append(slices.DeleteFunc(versions[r.Service], func(v string) bool { return v == r.Version }), r.Version)
	}
	first := ""
	for _, service := range slices.Sorted(maps.Keys(versions)) {
		list := versions[service]
		if len(list) < 2 {
			continue
		}
		x, y := list[len(list)-2], list[len(list)-1]
		switch {
		case first == "":
			first, before, after = service, x, y
		case x != before || y != after:
			return "", "", fail.Usage(fmt.Errorf("the newest versions of %s are %s and %s, those of %s %s and %s: give --service, or --before and --after",
				model.Clean(first), model.Clean(before), model.Clean(after), model.Clean(service), model.Clean(x), model.Clean(y)))
		}
	}
	if first == "" {
		return "", "", fail.Usage(errors.New("no service has recordings of two versions: there is nothing to compare"))
	}
	return before, after, nil
}
