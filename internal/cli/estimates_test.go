package cli

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"
)

// TestTablesOfHeaptrack prints tables of a recording without threads, whose times are estimates: those with times say
// so, and no table names a thread.
func TestTablesOfHeaptrack(t *testing.T) {
	const file = "../../loaders/heaptrack/testdata/shop.zst"
	for table, timed := range map[string]bool{"blocks": true, "leaks": true, "curve": true, "sites": false, "functions": false} {
		status, out, errs := run(t, Env{}, "report", "-f", "csv", "--table", table, file)
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if status != 0 || err != nil || len(rows) < 3 {
			t.Fatalf("%s: status %d, %d rows, %v, %s", table, status, len(rows), err, errs)
		}
		estimated := slices.Index(rows[0], "estimated")
		if (estimated >= 0) != timed {
			t.Errorf("%s has the columns %v", table, rows[0])
		}
		for _, name := range []string{"thread", "threads"} {
			if at := slices.Index(rows[0], name); at >= 0 && rows[1][at] != "" {
				t.Errorf("%s: a row of %s has %s %s", table, file, name, rows[1][at])
			}
		}
		for _, row := range rows[1:] {
			if timed && row[estimated] != "true" {
				t.Errorf("%s: %v", table, row)
			}
		}
	}
	_, out, _ := run(t, Env{}, "report", "-f", "json", file)
	if strings.Contains(out, `"threads": [`) || strings.Contains(out, `"thread":`) {
		t.Error("JSON names threads")
	}
	_, out, _ = run(t, Env{}, "report", "-f", "csv", "--table", "blocks", "../../testdata/small_kvleak.mlyze")
	if head, _, _ := strings.Cut(out, "\n"); strings.Contains(head, "estimated") {
		t.Errorf("exact times: %s", head)
	}
}
