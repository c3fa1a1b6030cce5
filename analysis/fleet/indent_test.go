package fleet_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/fleet"
)

// Indented SQL is the same SQL: outside of literals only blanks differ, and in literals nothing does.
func TestIndentedSQLIsTheSame(t *testing.T) {
	blanks := regexp.MustCompile(`\s+`)
	for _, kind := range []fleet.Kind{fleet.Top, fleet.Diff, fleet.Outliers, fleet.Trend, fleet.Spread, fleet.Recordings} {
		for _, name := range []string{"a", "it's (SELECT  x) FROM  y", "'", "a AND  b", "x)"} {
			for _, what := range []fleet.What{fleet.Sites, fleet.Leaks, fleet.Types, fleet.Pages} {
				q := fleet.Question{Kind: kind, What: what, Figure: fleet.Live, Before: name, After: "2", Site: name, Limit: 3,
					Filter: fleet.Filter{Service: name, Labels: []string{name}}}
				for _, d := range []fleet.Dialect{fleet.ClickHouse("db"), fleet.DuckDB("/d")} {
					sql := q.SQL(d)
					got := fleet.Indented(sql)
					tight := func(s string) string {
						parts := strings.Split(s, "'") // literals are the odd ones
						for i := 0; i < len(parts); i += 2 {
							parts[i] = blanks.ReplaceAllString(parts[i], "")
						}
						return strings.Join(parts, "'")
					}
					if tight(got) != tight(sql) || strings.Count(got, "\n") < 3 {
						t.Fatalf("%s\nof\n%s", got, sql)
					}
				}
			}
		}
	}
}
