package fleet_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/memtui/memtui/analysis/fleet"
)

// An answer about few sites is that about all only if no other site can have as much as its last row.
func TestBounds(t *testing.T) {
	q := &fleet.Question{Kind: fleet.Top, Figure: fleet.Leaked, Limit: 2}
	rows := func(n int) (list [][]string) {
		for i := range n {
			list = append(list, []string{"shop", fmt.Sprint(i + 10), fmt.Sprint(100 - i)})
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
	for _, bad := range [][][]string{{{"shop", "1"}}, {{"shop", "x", "1"}}, {{"shop", "1", "-"}}} {
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
