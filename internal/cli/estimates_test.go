package cli

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/export"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/internal/memtest/opened"
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

// sampledFile writes a trace whose metadata say that it is sampled.
func sampledFile(t *testing.T) string {
	store, trace, err := opened.File(t, "../../testdata/small_kvleak.mlyze")
	if err != nil {
		t.Fatal(err)
	}
	p := *store.Current()
	p.Meta.Sampled = "sampled every 4.00 KiB"
	path := filepath.Join(t.TempDir(), "sampled.mlyze")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := export.WriteTrace(t.Context(), f, &p, trace.Status().Duration, export.Everything()); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestEveryTableMarksEstimates prints each table of sampled files in each format: no amount of memory is without a mark.
func TestEveryTableMarksEstimates(t *testing.T) {
	modeltest.Plain(t)
	for path, more := range map[string][]string{
		sampledFile(t): {"--group", "size", "--stacked", "2"},
		"../../loaders/heaptext/testdata/sampled4096.f.heap": {"--group", "dso"}, "../../loaders/v8profile/testdata/shop.heapprofile": nil,
	} {
		tables := 0
		for _, table := range append(report.EveryTable(), "") {
			args := []string{"report", "--table", table, path, "--limit", "8"}
			if table == "" || table == "groups" || table == "curve" {
				args = append(args, more...)
			}
			status, text, _ := run(t, Env{}, args...)
			if status != 0 { // not of such a file
				continue
			}
			tables++
			seeMarks(t, table, text)
			if _, text, _ := run(t, Env{}, append(args, "-f", "markdown")...); table != "" {
				seeMarks(t, table, text)
			}
			if status, text, _ = run(t, Env{}, append(args, "-f", "json")...); status != 0 { // it has all tables at once
				continue
			}
			var object any
			if err := json.Unmarshal([]byte(text), &object); err != nil {
				t.Fatalf("%s of %s: %v", table, path, err)
			}
			seeMembers(t, table, object)
		}
		if tables < 7 {
			t.Errorf("%s has %d tables", path, tables)
		}
	}
}

var (
	unmarked = regexp.MustCompile(`(^|[^~+\w.,]|[^~]\+)([1-9][\d.,]*|0\.\d+) (B|[KMGTPE]iB)|(^|\s)\d{4,}(\s|$)`)
	bounds   = regexp.MustCompile(`\d \S*B( \||) +\S+ \S*B( | *\|)`)         // of a class, in cells of their own
	class    = regexp.MustCompile(`[\d.]+( [KMGTPE]iB| B)? … <?[\d.]+ \S*B`) // in one cell
	headed   = regexp.MustCompile(`^ ([A-Z][A-Za-z ]+?) ─|^#+ (.+)`)
)

// seeMarks expects a mark before each amount of memory in a report. The size of the file, what is said about it, bounds of
// classes, and curves of another source have none.
func seeMarks(t *testing.T, table, text string) {
	t.Helper()
	under := ""
	for i, line := range strings.Split(text, "\n") {
		if m := headed.FindStringSubmatch(line); m != nil {
			under = m[1] + m[2]
		}
		switch under {
		case "Problems", "Series":
			continue
		case "Weights", "Grid":
			line = bounds.ReplaceAllString(line, "")
		}
		if m := unmarked.FindString(class.ReplaceAllString(line, "")); m != "" && i > 2 {
			t.Errorf("table %q, under %q: no mark in %q", table, under, line)
		}
	}
}

// seeMembers expects a mark in each object with amounts of memory.
func seeMembers(t *testing.T, table string, x any) {
	t.Helper()
	switch x := x.(type) {
	case []any:
		for i := range x {
			seeMembers(t, table, x[i])
		}
	case map[string]any:
		for name, value := range x {
			if slices.Contains([]string{"file", "problems", "time", "series"}, name) {
				continue
			}
			if _, number := value.(float64); number && (strings.HasSuffix(name, "bytes") || name == "value" || name == "self") &&
				name != "lost_bytes" && x["estimated"] != true {
				t.Errorf("table %q: no mark beside %s in %v", table, name, x)
			}
			seeMembers(t, table, value)
		}
	}
}

// TestEvidenceSaysWhatIsEstimated expects that the list of files says so of those that cannot.
func TestEvidenceSaysWhatIsEstimated(t *testing.T) {
	for path, want := range map[string]bool{sampledFile(t): true, "../../testdata/small_kvleak.mlyze": false} {
		_, text, errs := run(t, Env{}, "evidence", "-f", "json", "-o", filepath.Join(t.TempDir(), "evidence"), path)
		if got := strings.Contains(text, `"bytes never freed, by stack, root first; estimated from samples"`); got != want {
			t.Errorf("%s: %s%s", path, text, errs)
		}
	}
}
