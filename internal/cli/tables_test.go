package cli

import (
	"encoding/csv"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/export/report"
)

// The heading of a table in a report is understood as its name, and only tables that a file has are offered.
func TestHeadingsOfTablesAreUnderstood(t *testing.T) {
	heading := regexp.MustCompile(`(?m)^ ([A-Z][A-Za-z ,]+?) ─`)
	for name, tables := range map[string][]string{
		"kvleak": report.Tables(), "stacks": report.StackTables(), "heap": report.HeapTables(), "pages": report.DumpTables(),
	} {
		path := sampleFile(t, name)
		args := []string{"report", "--limit", "3", path}
		if name == "kvleak" {
			args = append(args, "--group", "owner", "--stacked", "2")
		}
		_, out, _ := run(t, Env{}, args...)
		found := heading.FindAllStringSubmatch(out, -1)
		if len(found) < 3 {
			t.Errorf("%s: there are few headings: %q", name, found)
		}
		for _, h := range found {
			if slices.Contains([]string{"Problems"}, h[1]) {
				continue
			}
			if report.TableHeaded(h[1], tables) == "" {
				t.Errorf("%s: nobody knows the table %q", name, h[1])
			}
		}
		if name == "stacks" {
			tables = report.ProfileTables()
		}
		status, _, errs := run(t, Env{}, "report", "--table", "nothing", path)
		if want := "; available: " + strings.Join(tables, ", ") + "\n"; status != 2 || !strings.HasSuffix(errs, want) {
			t.Errorf("%s: status %d, %s", name, status, errs)
		}
	}
	if status, _, errs := run(t, Env{}, "report", "--table", "stacks", sampleFile(t, "stacks")); status != 2 || !strings.Contains(errs, "did you mean top?") {
		t.Errorf("status %d, %s", status, errs)
	}
	if status, _, errs := run(t, Env{}, "pages", "--table", "stacks", sampleFile(t, "pages")); status != 2 || strings.Contains(errs, `""`) {
		t.Errorf("status %d, %s", status, errs)
	}
}

// TestTablesOfWhatARecordingLacks prints each table of recordings of heaptrack: none has an address that is invented,
// and all say that times are estimates.
func TestTablesOfWhatARecordingLacks(t *testing.T) {
	for name, c := range map[string]struct{ estimated, places bool }{
		"../../loaders/heaptrack/testdata/shop.zst": {true, false}, "../../loaders/heaptrack/testdata/shop.raw.zst": {true, true},
		"../../testdata/small_kvleak.mlyze": {false, true},
	} {
		_, said, _ := run(t, Env{}, "report", "--table", "blocks", "-f", "json", name)
		if strings.Contains(said, `"estimated": true`) != c.estimated {
			t.Errorf("%s: %.1000s", name, said)
		}
		for _, table := range report.EveryTable() {
			status, out, _ := run(t, Env{}, "report", "--table", table, "-f", "csv", name)
			if status != 0 { // not of a trace
				continue
			}
			rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
			if err != nil || len(rows) == 0 {
				t.Fatal(name, table, err)
			}
			at := slices.Index(rows[0], "address")
			for _, row := range rows[1:] {
				if at >= 0 && (row[at] != "") != c.places {
					t.Fatalf("%s, %s: %q", name, table, row)
				}
			}
			if _, text, _ := run(t, Env{}, "report", "--table", table, name); strings.Contains(text, "times estimated") != c.estimated {
				t.Errorf("%s, %s:\n%.300s", name, table, text)
			}
		}
		status, _, errs := run(t, Env{}, "report", "--table", "blocks", "--by", "address", name)
		if (status == statusUsage) == c.places || !c.places && !strings.Contains(errs, "no addresses") {
			t.Errorf("%s, by address: status %d, %s", name, status, errs)
		}
	}
}
