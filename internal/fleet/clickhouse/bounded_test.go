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

// The sites with the most are looked for among few, and among all only where these need not be the right ones.
func TestFewSitesAreAsked(t *testing.T) {
	for total, want := range map[int]int{1000: 0, 7: 1} { // of the last row; other sites may have 100
		all := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			statement := string(body)
			switch {
			case err != nil:
				t.Error(err)
			case strings.Contains(statement, "AS bound"):
				for i := range 11 {
					fmt.Fprintf(w, "%d\t%d\n", i+1, 1100-100*i)
				}
			case strings.Contains(statement, "AS repeated"):
				fmt.Fprint(w, "1\n")
			case strings.Contains(statement, "count_sum"):
				if !strings.Contains(statement, "stack IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)") {
					all++
				}
				fmt.Fprintf(w, "shop\t1\tgrow\tcart.c\t\t%d\t1\t1\t1\t1\t1\t0\n", total)
			default:
				fmt.Fprint(w, "1\t1\t0\t0\t0\t0\t0\t0\n")
			}
		}))
		t.Cleanup(server.Close)
		s, err := Open(server.URL+"/db", Options{})
		if err != nil {
			t.Fatal(err)
		}
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
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				statement := string(body)
				switch {
				case err != nil:
					t.Error(err)
				case strings.Contains(statement, "AS repeated"):
					fmt.Fprintf(w, "%d\n", repeated)
				case strings.Contains(statement, "all_hosts") || strings.Contains(statement, "all_a"):
					asked, grouped = true, strings.Contains(statement, "item, host")
				default:
					fmt.Fprint(w, "1\t1\t0\t0\t0\t0\t0\t0\n")
				}
			}))
			t.Cleanup(server.Close)
			s, err := Open(server.URL+"/db", Options{})
			if err != nil {
				t.Fatal(err)
			}
			q.Figure = fleet.Leaked
			if _, err = s.Ask(t.Context(), &q); err != nil || !asked || grouped != want {
				t.Errorf("%+v with %d repeated rows: asked %v, grouped by hosts %v, %v", q, repeated, asked, grouped, err)
			}
		}
	}
}
