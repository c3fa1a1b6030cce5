package cli

import (
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
