package fleet_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/fleet"
)

// An answer about few sites is that about all only if no other site can have as much as its last row.
func TestBounds(t *testing.T) {
	q := &fleet.Question{Kind: fleet.Top, Figure: fleet.Leaked, Limit: 2}
	rows := func(n int) (list [][]string) {
		for i := range n {
			list = append(list, []string{fmt.Sprint(i + 10), fmt.Sprint(100 - i)})
		}
		return list
	}
	answer := func(totals ...uint64) (a fleet.Answer) {
		for _, n := range totals {
			a.Top = append(a.Top, fleet.TopRow{Summary: fleet.Summary{Total: n}})
		}
		return a
	}
	for _, x := range []struct {
		rows int
		of   fleet.Answer
		want bool
	}{{12, answer(100, 90), true}, {12, answer(100, 89), false}, {12, answer(100), false}, {11, answer(100), true}, {1, answer(1), true}} {
		b, err := q.ScanBounds(rows(x.rows))
		if err != nil || len(b.Only) != x.rows || b.Only[0] != 10 || b.Verify(q, &x.of) != x.want {
			t.Errorf("%d sites, %+v: %+v, %v, want %v", x.rows, x.of.Top, b, err, x.want)
		}
	}
	for _, bad := range [][][]string{{{"1"}}, {{"x", "1"}}, {{"1", "-"}}} {
		if _, err := q.ScanBounds(bad); err == nil {
			t.Errorf("%q are bounds", bad)
		}
	}
	for _, of := range []fleet.Question{{Kind: fleet.Top}, {Kind: fleet.Top, Limit: 201}, {Kind: fleet.Diff, Limit: 2}, {Kind: fleet.Top, Limit: 2, Site: "x"},
		{Kind: fleet.Top, Limit: 2, What: fleet.Owners}, {Kind: fleet.Top, Limit: 2, Only: []fleet.Key{1}}} {
		if of.HasBounds() {
			t.Errorf("%+v has bounds", of)
		}
	}
	q.Only = []fleet.Key{11, 12}
	a, err := q.Ask(t.Context(), owned{})
	if err != nil || len(a.Top) != 2 || !slices.Contains(q.Only, a.Top[0].Stack) {
		t.Errorf("%+v, %v", a, err)
	}
}

// Engines read the sites once in a comparison, and group those of one service by numbers.
func TestSQLIsCheap(t *testing.T) {
	for _, d := range []fleet.Dialect{fleet.ClickHouse("db"), fleet.DuckDB("/db")} {
		diff := fleet.Question{Kind: fleet.Diff, Figure: fleet.Leaked, Before: "1", After: "2", Limit: 20}
		if sites := strings.Count(diff.SQL(d), "stack AS item, leaked_bytes AS w FROM"); sites != 1 {
			t.Errorf("a comparison reads sites %d times: %s", sites, diff.SQL(d))
		}
		one := fleet.Question{Kind: fleet.Top, Figure: fleet.Leaked, Filter: fleet.Filter{Service: "shop"}, Limit: 20}
		if sql := one.SQL(d); !strings.Contains(sql, "GROUP BY item, recording") || strings.Contains(sql, "GROUP BY service, item, host") {
			t.Errorf("the sites of a service are grouped by texts: %s", sql)
		}
		if sql := one.BoundsSQL(d); !strings.Contains(sql, "AS i GROUP BY item ") {
			t.Errorf("the bounds of a service are grouped by texts: %s", sql)
		}
		one.All = true
		if sql := one.SQL(d); !strings.Contains(sql, "GROUP BY service, item, host") {
			t.Errorf("a host counts once per version: %s", sql)
		}
	}
}
