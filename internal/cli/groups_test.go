package cli

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/analysis/weights"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/memtest/modeltest"
)

// Rows of comparisons are put together by every group that reports and screens know for a kind of file.
func TestComparisonsKnowTheGroupsOfReports(t *testing.T) {
	modeltest.Plain(t)
	for name, groups := range map[string][]string{
		"kvleak": analysis.GroupNames(), "stacks": weights.GroupNames(), "pprof": weights.GroupNames(),
	} {
		path := sampleFile(t, name)
		known := diff.GroupWords(name == "kvleak", name != "kvleak")
		for _, group := range groups {
			if !slices.Contains(known, group) {
				t.Errorf("%s: comparisons do not know the group %s", name, group)
				continue
			}
			status, out, errs := run(t, Env{}, "diff", "--group", group, "-f", "json", path, path)
			var d struct {
				Rows   []struct{ Key, Status string }
				Totals struct {
					Before uint64 `json:"before_bytes"`
				}
			}
			if err := json.Unmarshal([]byte(out), &d); status != 0 || err != nil || len(d.Rows) == 0 && d.Totals.Before > 0 {
				t.Errorf("%s by %s: status %d, %v, %d rows, %s", name, group, status, err, len(d.Rows), errs)
			}
		}
		_, _, errs := run(t, Env{}, "diff", "--group", "nothing", path, path)
		for _, group := range known {
			if !strings.Contains(errs, group) {
				t.Errorf("%s: %s is not offered: %s", name, group, errs)
			}
		}
	}
	labels := "../../loaders/pprof/testdata/go.cpu.pb.gz"
	_, of, _ := run(t, Env{}, "report", "-f", "csv", "--table", "groups", "--limit", "0", "--group", "label:tenant", labels)
	status, out, errs := run(t, Env{}, "diff", "-f", "csv", "--limit", "0", "--group", "label:tenant", labels, labels)
	if status != 0 || strings.Count(out, "\n") < 3 || strings.Count(out, "\n") != strings.Count(of, "\n") {
		t.Errorf("status %d, %s, the report has\n%s\nand the comparison\n%s", status, errs, of, out)
	}
	series := []string{labels, "../../loaders/pprof/testdata/go.heap.pb.gz", "../../loaders/pprof/testdata/cpp.tcmalloc.pb.gz"}
	if _, out, _ := run(t, Env{}, append([]string{"diff", "--group", "label:tenant"}, series...)...); !strings.Contains(out, "by tenant value") {
		t.Errorf("a key alone may read as a plural:\n%s", out)
	}
	if status, _, errs := run(t, Env{}, "diff", "--group", "label:nothing", labels, labels); status != 2 || !strings.Contains(errs, "label:tenant") {
		t.Errorf("status %d, %s", status, errs)
	}
}

// A group has the rows of the report's table of that group, under the same names.
func TestGroupsOfComparisonsAreThoseOfReports(t *testing.T) {
	modeltest.Plain(t)
	type rows map[string]float64
	for _, path := range []string{"../../loaders/pprof/testdata/cpp.tcmalloc.pb.gz", sampleFile(t, "stacks")} {
		for _, group := range weights.GroupNames()[1:] {
			_, out, _ := run(t, Env{}, "report", "-f", "json", "--limit", "0", "--group", group, path)
			var r struct {
				Stacks struct {
					Groups []struct {
						Name string
						Self float64
					}
				}
			}
			if err := json.Unmarshal([]byte(out), &r); err != nil {
				t.Fatal(err)
			}
			want, got := rows{}, rows{}
			for _, g := range r.Stacks.Groups {
				if g.Self > 0 { // comparisons leave out what weighs nothing
					want[g.Name] = g.Self
				}
			}
			_, out, _ = run(t, Env{}, "diff", "-f", "json", "--limit", "0", "--group", group, path, path)
			var d struct {
				Rows []struct {
					Key    string
					Before float64 `json:"before_bytes"`
				}
			}
			if err := json.Unmarshal([]byte(out), &d); err != nil {
				t.Fatal(err)
			}
			for _, row := range d.Rows {
				if row.Before > 0 {
					got[row.Key] = row.Before
				}
			}
			if len(want) == 0 || !maps.Equal(want, got) {
				t.Errorf("%s by %s: the report has %v, the comparison %v", path, group, want, got)
			}
		}
	}
}

// What has no name is called the same in the text of both.
func TestGroupsWithoutANameAreSaid(t *testing.T) {
	massif := "../../loaders/valgrind/testdata/massif.default.out"
	for _, args := range [][]string{{"report", "--table", "groups", "--group", "module", massif}, {"diff", "--group", "module", massif, "../../loaders/valgrind/testdata/heaptrack-M.out"}} {
		if _, out, errs := run(t, Env{}, args...); !strings.Contains(out, calltree.Unnamed) {
			t.Errorf("%q: %s%s", args, out, errs)
		}
	}
}

// The help of a command that prints single tables names every one of them.
func TestHelpNamesEveryTable(t *testing.T) {
	for command, tables := range map[string][]string{"report": report.EveryTable(), "pages": report.PageTables()} {
		_, out, _ := run(t, Env{}, command, "--help")
		words := strings.FieldsFunc(out, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') })
		for _, table := range tables {
			if !slices.Contains(words, table) {
				t.Errorf("%s --help does not name the table %s", command, table)
			}
		}
	}
}

// The first screen of a file with curves and stacks copies a command that prints the curves, and saves what that
// prints.
func TestCurvesBesideStacksArePrinted(t *testing.T) {
	path, err := filepath.Abs("../../loaders/valgrind/testdata/massif.default.out")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	walk(t, func(w *walker) {
		line := w.copied("Y")
		status, out, errs := run(t, Env{}, words(line)[1:]...)
		if saved := w.saved("curves.txt"); status != 0 || errs != "" || saved != out || !strings.Contains(out, "useful heap") {
			t.Errorf("%q: status %d, %s, prints\n%s\nand saves\n%s", line, status, errs, out, saved)
		}
	}, path)
	if _, _, errs := run(t, Env{}, "report", "--table", "trend", sampleFile(t, "stacks")); !strings.Contains(errs, ", tree") || strings.Contains(errs, "series") {
		t.Errorf("a profile without curves: %s", errs)
	}
	if _, _, errs := run(t, Env{}, "report", "--table", "trend", path); !strings.Contains(errs, ", series") {
		t.Errorf("curves of massif: %s", errs)
	}
	if status, _, errs := run(t, Env{}, "report", "--table", "series", sampleFile(t, "stacks")); status != fail.StatusUsage || strings.Contains(errs, ", series") {
		t.Errorf("a file without curves: status %d, %s", status, errs)
	}
}
