// Package fleet has the commands about a fleet of recordings: adding recordings, questions, and a check for releases.
package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/analysis/near"
	rows "github.com/memtui/memtui/export/fleet"
	"github.com/memtui/memtui/export/report/cells"
	printed "github.com/memtui/memtui/export/report/fleet"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	store "github.com/memtui/memtui/internal/fleet"
	"github.com/memtui/memtui/model"
	view "github.com/memtui/memtui/views/fleet"
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
	Stdin    io.Reader
	// Note says something on standard error.
	Note func(text string)
	// Fetch returns the response of an address.
	Fetch func(ctx context.Context, address string) (io.ReadCloser, error)
	// Known reports whether a file is of a known format.
	Known func(ctx context.Context, path string) bool
	// Rows reads a recording.
	Rows func(ctx context.Context, path string, about rows.About) (*fleet.Batch, error)
	// Flush sends to the user what was written.
	Flush func() error
	// Page writes an answer as a page for browsers.
	Page func(ctx context.Context, w io.Writer, r *printed.Report) error
	// File writes a file, which gets its name only once it is complete.
	File func(path string, write func(io.Writer) error) error
	// Screen shows a fleet until the user quits or opens a recording, and Open that recording, until the user quits; it
	// returns why it could not. Both are nil where there is no terminal.
	Screen func(ctx context.Context, o view.Options) (*view.Opened, error)
	Open   func(ctx context.Context, o *view.Opened) string
}

// Commands are the verbs of fleet.
type Commands struct {
	Show     showCmd     `cmd:"" default:"withargs" help:"Ask full-screen, or where there is no terminal list sites (the default)."`
	Add      addCmd      `cmd:"" help:"Add recordings to a fleet."`
	Top      topCmd      `cmd:"" help:"List the sites that have most, with how many hosts have them."`
	Diff     diffCmd     `cmd:"" help:"List the sites that have more in one version than in another."`
	Outliers outliersCmd `cmd:"" help:"List the hosts that are far from the others."`
	Trend    trendCmd    `cmd:"" help:"Show how a site, or all of a service, changes from version to version."`
	Stack    stackCmd    `cmd:"" help:"Show the frames of a site, and which services have it on how many hosts."`

	Shared sharedCmd `cmd:"" help:"List the sites that several services have."`
	Curve  curveCmd  `cmd:"" help:"Show how live bytes change while programs run, in each version."`

	Recordings recordingsCmd `cmd:"" help:"List the recordings that have most of a site, or of all."`

	List   listCmd   `cmd:"" help:"List the recordings that are in a fleet, the newest first."`
	Remove removeCmd `cmd:"" help:"Remove recordings from a fleet. What is not there changes nothing."`

	SQL     sqlCmd     `cmd:"" name:"sql" help:"Print a question as SQL."`
	Compact compactCmd `cmd:"" help:"Merge the files of a folder, so that questions take less time."`
}

// Help says where fleets are, and what the environment holds.
func (*Commands) Help() string {
	return `A fleet is many recordings: of hosts, pods, builds, tests. It is kept in a ClickHouse (from 18.16), named as http://HOST:8123/DATABASE or https://…, or in a folder of Parquet files, where memtui was built with -tags parquet. Any engine reads that folder, such as DuckDB; fleet sql prints the questions for it.

Environment:
  MEMTUI_FLEET_USER, MEMTUI_FLEET_PASSWORD  of the ClickHouse; they are never in arguments
  MEMTUI_FLEET_CA                           a file of certificates of authorities to trust in addition, for https://, as --ca
  MEMTUI_FLEET_KEY                          with --redact: names become words that depend on this secret. Use the same one on all machines.

Recipes:
  memtui fleet add --to http://ch:8123/memory --service shop --version 1.4 app.mlyze
  memtui fleet --from http://ch:8123/memory            full-screen, down to a recording, which opens at the site
  memtui fleet diff --from http://ch:8123/memory --service shop --before 1.3 --after 1.4
  memtui check --fleet http://ch:8123/memory --service shop --max-regression 5%
  aws s3 sync DIR s3://bucket/fleet                    a folder to object storage, and back
  memtui fleet sql top --dialect duckdb --from DIR | duckdb
  memtui convert app.mlyze app.pb.gz && curl --data-binary @app.pb.gz 'http://pyroscope:4040/ingest?name=shop&format=pprof'

Each host counts by its newest recording, so adding a recording again changes no answer. What a recording does not say can be given with fleet add: --time, --version, --host. A recording that was added wrongly: fleet add --force adds it anew, fleet remove takes it out.`
}

// placeFlags say how to reach a server.
type placeFlags struct {
	Timeout arg.Duration `placeholder:"TIME" help:"For a ClickHouse: how long to wait for its first response (20s)."`
	CA      string       `name:"ca" placeholder:"FILE" help:"For https://: a file of certificates of authorities to trust in addition to those of the system (or MEMTUI_FLEET_CA)."`
}

// open opens the fleet at a place.
func (h *Host) open(flag, place string, at *placeFlags) (store.Store, error) {
	if place == "" {
		return nil, fail.Usage(fmt.Errorf("missing flag: --%s=PLACE, the http://HOST:8123/DATABASE of a ClickHouse or a folder", flag))
	}
	s, err := store.Open(place, store.Login{User: h.Getenv("MEMTUI_FLEET_USER"), Password: h.Getenv("MEMTUI_FLEET_PASSWORD"),
		Insecure: h.Insecure, CA: cmp.Or(at.CA, h.Getenv("MEMTUI_FLEET_CA")), Timeout: time.Duration(at.Timeout), Note: h.Note})
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
	return &fleet.Question{Kind: kind, Figure: figure, Limit: h.Limit, Filter: f.filter()}, nil
}

func (f *filterFlags) filter() fleet.Filter {
	return fleet.Filter{Service: f.Service, Host: f.Host, Labels: f.Label}
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

// lastTwo returns the versions that a comparison is about: those given, else the newest, or the one before. Services with
// one version have nothing to compare; those with several must agree.
func lastTwo(ctx context.Context, s store.Store, of *fleet.Question) (before, after string, err error) {
	q := *of
	q.Kind, q.What, q.Site, q.Limit, q.Version = fleet.Trend, of.What, "", 0, ""
	a, err := s.Ask(ctx, &q)
	if err != nil {
		return "", "", failed(ctx, err)
	}
	slices.SortStableFunc(a.Trend, func(x, y fleet.TrendRow) int { return cmp.Compare(x.First, y.First) })
	versions := map[string][]string{} // by service, the newest last
	for _, r := range a.Trend {
		versions[r.Service] = append(versions[r.Service], r.Version)
	}
	first := ""
	for _, service := range slices.Sorted(maps.Keys(versions)) {
		x, y, ok := pair(versions[service], of.Before, of.After)
		switch {
		case !ok:
		case first == "":
			first, before, after = service, x, y
		case x != before || y != after:
			return "", "", fail.Usage(fmt.Errorf("the versions to compare of %s are %s and %s, those of %s %s and %s: give --service, or --before and --after",
				model.Clean(first), model.Clean(before), model.Clean(after), model.Clean(service), model.Clean(x), model.Clean(y)))
		}
	}
	if first == "" {
		return "", "", nothingToCompare(ctx, s, of)
	}
	return before, after, nil
}

// pair returns the versions of a service to compare, where one or none of them is given. ok is false if there are none.
func pair(list []string, before, after string) (x, y string, ok bool) {
	x, y = before, cmp.Or(after, list[len(list)-1])
	at := slices.Index(list, y)
	if before == "" && at > 0 {
		x = list[at-1]
	}
	return x, y, at >= 0 && x != "" && x != y && slices.Contains(list, x)
}

// nothingToCompare says why there are no two versions.
func nothingToCompare(ctx context.Context, s store.Store, of *fleet.Question) error {
	for _, x := range []struct{ flag, column, value string }{{"service", "service", of.Service}, {"host", "host", of.Host},
		{"before", "version", of.Before}, {"after", "version", of.After}} {
		if err := unknown(ctx, s, x.flag, x.column, x.value); err != nil {
			return err
		}
	}
	if of.Before+of.After != "" {
		return fail.Usage(fmt.Errorf("no service has recordings of %s and of a version %s it: give --before and --after",
			model.Clean(of.Before+of.After), map[bool]string{true: "before", false: "after"}[of.Before == ""]))
	}
	return fail.Usage(errors.New("no service has recordings of two versions, which memtui fleet add --version names: there is nothing to compare"))
}
