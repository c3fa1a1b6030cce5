package cli

import (
	"encoding/json"
	"fmt"
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

// TestCurvesBesideStacksAreOfTheSamePart expects the values of curves at the window, and their figures of the range, that
// tables of stacks are about. Positions are plain numbers where a file counts instructions.
func TestCurvesBesideStacksAreOfTheSamePart(t *testing.T) {
	const massif = "../../loaders/valgrind/testdata/massif.default.out"
	for _, c := range []struct {
		flags            string
		points           int
		value, max       int64
		status           int
		from, to, wanted string
	}{
		{flags: "", points: 56, value: 8640, max: 2711148},
		{flags: "--at 2170000", points: 56, value: 2711148, max: 2711148, from: "2167715", to: "2167715"},
		{flags: "--window #0", points: 56, value: 348291, max: 2711148, from: "1933460", to: "1933460"},
		{flags: "--from 2000000 --to 2110000", points: 9, value: 612916, max: 612916, from: "2000000", to: "2110000"},
		{flags: "--at 1s", status: fail.StatusUsage, wanted: "the unit is instructions; write a plain number such as 1214477"},
		{flags: "--at 3000000", status: fail.StatusUsage, wanted: "3.00M instructions is beyond the end of the recording, which is at 2.43M instructions"},
		{flags: "--at 1000", status: fail.StatusUsage, wanted: "has no window up to 1,000 instructions: the first begins at 1.93M instructions"},
	} {
		status, out, errs := run(t, Env{}, append(strings.Fields("report -f json "+c.flags), massif)...)
		type curve struct {
			Name    string
			Points  int
			At, Max int64
		}
		var got struct {
			Time   map[string]any
			Series []curve
		}
		if status != c.status || !strings.Contains(errs, c.wanted) {
			t.Errorf("%s: status %d, %s", c.flags, status, errs)
			continue
		}
		if status != fail.Done {
			continue
		}
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
		s := got.Series[slices.IndexFunc(got.Series, func(c curve) bool { return c.Name == "useful heap" })]
		if s.Points != c.points || s.At != c.value || s.Max != c.max {
			t.Errorf("%s: %+v", c.flags, s)
		}
		if from, to := got.Time["from_us"], got.Time["to_us"]; c.from != "" && (fmt.Sprintf("%.f", from) != c.from || fmt.Sprintf("%.f", to) != c.to) {
			t.Errorf("%s: from %v to %v", c.flags, from, to)
		}
	}
}

// TestPositionsOfASideHaveTheUnitOfTheFile expects a comparison of two ranges to say what the file counts.
func TestPositionsOfASideHaveTheUnitOfTheFile(t *testing.T) {
	const massif = "../../loaders/valgrind/testdata/massif.default.out"
	_, out, errs := run(t, Env{}, "diff", massif, "--a", "0..2000000", "--b", "2100000..")
	if !strings.Contains(out, "from 0 instructions to 2.00M instructions") || !strings.Contains(out, "from 2.10M instructions to 2.41M instructions") {
		t.Errorf("%s%s", out, errs)
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
