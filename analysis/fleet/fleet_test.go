package fleet_test

import (
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/fleet"
	"github.com/memtui/memtui/internal/memtest/fleets"
)

func two(n uint64) *uint64 { return &n }

// recorded returns a fleet of hosts with one site each, in bytes by host.
func recorded(version string, bytes ...uint64) (b fleet.Batch) {
	for i, n := range bytes {
		id := uint64(i+1)<<8 | uint64(version[0])
		b.Recordings = append(b.Recordings, fleet.Recording{Recording: id, Recipe: fleet.Recipe, Service: "s", Version: version, Host: string(rune('a' + i)), Leaked: two(n),
			Start: int64(version[0])})
		b.Sites = append(b.Sites, fleet.Site{Service: "s", Stack: 7, Version: version, Host: string(rune('a' + i)), Recording: id, Leaked: n})
	}
	return b
}

// The distribution is over hosts that have a site, its parts are those of all hosts, and a host counts once.
func TestSummariesCountHosts(t *testing.T) {
	m := &fleets.Memory{Batch: recorded("1", 10, 0, 30, 20)}
	m.Append(&m.Batch) // twice
	again := recorded("1", 5)
	again.Recordings[0].Recording, again.Sites[0].Recording = 99, 99
	m.Append(&again) // another, smaller one of the first host
	a, err := (&fleet.Question{Kind: fleet.Top, Figure: fleet.Leaked}).Ask(t.Context(), m)
	if err != nil || len(a.Top) != 1 || a.Top[0].Summary != (fleet.Summary{Total: 60, Median: 20, P95: 30, Most: 30, Hosts: 3, All: 4}) {
		t.Errorf("%+v, %v", a.Top, err)
	}
}

// A change is that of the mean over all hosts of each version, however many those are.
func TestChangesAreThoseOfTheMeanHost(t *testing.T) {
	m := &fleets.Memory{Batch: recorded("1", 10, 10)}
	after := recorded("2", 0, 40, 40, 0)
	m.Append(&after)
	a, err := (&fleet.Question{Kind: fleet.Diff, Figure: fleet.Leaked, Before: "1", After: "2"}).Ask(t.Context(), m)
	if err != nil || len(a.Diff) != 1 || a.Diff[0].Change != 10 || a.Diff[0].AfterHosts != 2 || a.Diff[0].AfterAll != 4 || a.Diff[0].AfterMedian != 40 {
		t.Errorf("%+v, %v", a.Diff, err)
	}
}

// A host is scored by its distance from the median, in units of the median distance, or of the mean where that is 0.
func TestOutliersAreFarFromTheMedian(t *testing.T) {
	for _, x := range []struct {
		bytes []uint64
		host  string
		least float64
	}{{[]uint64{100, 101, 99, 102, 500}, "e", 250}, {[]uint64{100, 100, 100, 100, 100, 500}, "f", 4}, {[]uint64{5, 5, 5}, "", 0}, {[]uint64{900, 901, 902, 903, 1}, "e", 300}} {
		m := &fleets.Memory{Batch: recorded("1", x.bytes...)}
		a, err := (&fleet.Question{Kind: fleet.Outliers, Figure: fleet.Leaked}).Ask(t.Context(), m)
		if err != nil || x.host == "" && len(a.Outliers) > 0 {
			t.Errorf("%v: %+v, %v", x.bytes, a.Outliers, err)
		} else if x.host != "" && (len(a.Outliers) != 1 || a.Outliers[0].Host != x.host || max(a.Outliers[0].Score, -a.Outliers[0].Score) < x.least) {
			t.Errorf("%v: %+v", x.bytes, a.Outliers)
		}
	}
}

// Names in SQL are values, whatever they hold: no quote or backslash of theirs ends a literal.
func TestNamesInSQLAreValues(t *testing.T) {
	for _, name := range []string{"'", `\'`, `\`, "x' OR '1'='1", "a\x00b\n", "'); DROP TABLE sites; --", "märz"} {
		for _, q := range []*fleet.Question{
			{Kind: fleet.Top, Figure: fleet.Leaked, Filter: fleet.Filter{Service: name, Host: name, Version: name, Labels: []string{name}}},
			{Kind: fleet.Diff, Figure: fleet.Leaked, Before: name, After: name}, {Kind: fleet.Spread, Figure: fleet.Leaked, Site: name},
			{Kind: fleet.Trend, Figure: fleet.Leaked, Site: name}, {Kind: fleet.Outliers, Figure: fleet.Leaked, Site: name},
		} {
			clickhouse := q.SQL(fleet.ClickHouse("db"))
			if strings.Count(clickhouse, "'")%2 != 0 || strings.Contains(clickhouse, name) && len(name) > 1 || strings.Contains(strings.ReplaceAll(clickhouse, `\x`, ""), `\`) {
				t.Errorf("%q: %s", name, clickhouse)
			}
			if duck := q.SQL(fleet.DuckDB("/tmp/it's")); strings.Count(duck, "'")%2 != 0 || !strings.Contains(duck, "'"+strings.ReplaceAll(name, "'", "''")+"'") {
				t.Errorf("%q: %s", name, duck)
			}
		}
	}
}

// A recording that ends early has too much that was never freed, and too little of what it allocated.
func TestCutRecordings(t *testing.T) {
	if a, b := fleet.Leaked.Cut("it ends"), fleet.Alloc.Cut("it ends"); a != "what was live where it ends counts as never freed" || b != "what came later is missing" {
		t.Errorf("%q, %q", a, b)
	}
}
