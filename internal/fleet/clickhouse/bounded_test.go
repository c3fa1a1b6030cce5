package clickhouse

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/fleet"
)

// answering opens a store whose server answers each statement by a function.
func answering(t *testing.T, answer func(statement string) string) *Store {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		fmt.Fprint(w, answer(string(body)))
	}))
	t.Cleanup(server.Close)
	s, err := Open(server.URL+"/db", Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// The sites with the most are looked for among few, and among all only where these need not be the right ones.
func TestFewSitesAreAsked(t *testing.T) {
	for total, want := range map[int]int{1000: 0, 7: 1} { // of the last row; other sites may have 100
		all := 0
		s := answering(t, func(statement string) string {
			switch {
			case strings.Contains(statement, "AS bound"):
				bounds := ""
				for i := range 11 {
					bounds += fmt.Sprintf("%d\t%d\n", i+1, 1100-100*i)
				}
				return bounds
			case strings.Contains(statement, "AS repeated"):
				return "1\n"
			case strings.Contains(statement, "count_sum"):
				if !strings.Contains(statement, "stack IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)") {
					all++
				}
				return fmt.Sprintf("shop\t1\tgrow\tcart.c\t\t%d\t1\t1\t1\t1\t1\t0\n", total)
			}
			return "1\t1\t0\t0\t0\t0\t0\t0\n"
		})
		a, err := s.Ask(t.Context(), &fleet.Question{Kind: fleet.Top, Figure: fleet.Leaked, Limit: 1})
		if err != nil || len(a.Top) != 1 || a.Basis.Recordings != 1 || all != want {
			t.Errorf("%d: %+v, %v, all sites were asked %d times", total, a, err, all)
		}
	}
}

// Rows are grouped by hosts where some are there twice, and only there.
func TestRepeatedRowsAreGrouped(t *testing.T) {
	for _, q := range []fleet.Question{{Kind: fleet.Top}, {Kind: fleet.Diff, Before: "1", After: "2"}, {Kind: fleet.Shared},
		{Kind: fleet.Top, What: fleet.Owners}, {Kind: fleet.Top, All: true}} {
		for repeated, want := range map[int]bool{0: q.All, 3: true} {
			grouped, asked := false, false
			s := answering(t, func(statement string) string {
				switch {
				case strings.Contains(statement, "AS repeated"):
					return fmt.Sprintln(repeated)
				case strings.Contains(statement, "all_hosts") || strings.Contains(statement, "all_a"):
					asked, grouped = true, strings.Contains(statement, "item, host")
					return ""
				}
				return "1\t1\t0\t0\t0\t0\t0\t0\n"
			})
			q.Figure = fleet.Leaked
			if _, err := s.Ask(t.Context(), &q); err != nil || !asked || grouped != want {
				t.Errorf("%+v with %d repeated rows: asked %v, grouped by hosts %v, %v", q, repeated, asked, grouped, err)
			}
		}
	}
}
