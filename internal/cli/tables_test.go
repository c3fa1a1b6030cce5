package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/uses"
	"github.com/memtui/memtui/internal/memtest/modeltest"
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
			if uses.TableHeaded(h[1], tables) == "" {
				t.Errorf("%s: nobody knows the table %q", name, h[1])
			}
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
	modeltest.Plain(t)
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
		if (status == fail.StatusUsage) == c.places || !c.places && !strings.Contains(errs, "no addresses") {
			t.Errorf("%s, by address: status %d, %s", name, status, errs)
		}
	}
}

// TestOrdersOfSingleTables expects orders that a table does not have to be refused with those that it has.
func TestOrdersOfSingleTables(t *testing.T) {
	const name = "../../testdata/small_kvleak.mlyze"
	for _, c := range []struct{ table, by, want string }{
		{"blocks", "first_allocated", ""}, {"blocks", "born", ""},
		{"blocks", "alloc_bytes", "an order of other tables"}, {"born_blocks", "growth", "an order of other tables"},
		{"leaks", "oldest_us", ""}, {"leaks", "alloc_bytes", "an order of other tables"}, {"leaks", "born", "oldest_us"}, {"sites", "born", "available: alloc_bytes"},
	} {
		status, _, errs := run(t, Env{}, "report", "--table", c.table, "--by", c.by, name)
		if (status == fail.Done) != (c.want == "") || !strings.Contains(errs, c.want) {
			t.Errorf("%s by %s: status %d, %s", c.table, c.by, status, errs)
		}
	}
}

// TestThreadsThatARecordingLacksAreSaidToBe expects no thread 0 of heaptrack, which records no threads.
func TestThreadsThatARecordingLacksAreSaidToBe(t *testing.T) {
	const heaptrack, mlyze = "../../loaders/heaptrack/testdata/shop.zst", "../../testdata/small_kvleak.mlyze"
	for _, c := range []struct{ args, want, not string }{
		{"report --table threads " + heaptrack, "threads not recorded", "no rows"},
		{"report --table groups --group thread " + heaptrack, "threads not recorded", "thread 0"},
		{"report --table groups --group thread -f csv " + heaptrack, "threads not recorded,", "thread 0"},
		{"diff --group thread " + heaptrack + " " + mlyze, "gone  threads not recorded", "thread 0"},
		{"report --table groups --group thread " + mlyze, "thread 1", "not recorded"},
	} {
		status, out, errs := run(t, Env{}, strings.Fields(c.args)...)
		if status != fail.Done || !strings.Contains(out, c.want) || strings.Contains(out, c.not) {
			t.Errorf("%s: status %d, %s\n%s", c.args, status, errs, out)
		}
	}
}

// Every format of a report begins with what to look at first, and a table that is asked for stands alone.
func TestReportsBeginWithFindings(t *testing.T) {
	for name, c := range map[string]struct{ table, markdown, header, of string }{
		"kvleak": {"sites", "## Look here first", "kind,owner,", "stack,"},
		"heap":   {"types", "## Suspects", "type,", "id,"},
	} {
		path := sampleFile(t, name)
		of := func(args ...string) string {
			_, out, _ := run(t, Env{}, append([]string{"report", path}, args...)...)
			return out
		}
		text, title := of(), strings.TrimPrefix(c.markdown, "## ")
		if first := regexp.MustCompile(`(?m)^ ([A-Z][a-z ]+?) ─`).FindStringSubmatch(text); first == nil || first[1] != title {
			t.Errorf("%s: the text begins with %q:\n%.500s", name, first, text)
		}
		for _, figures := range []string{"\n live ", "\n heap "} {
			if at := strings.Index(text, figures); at >= 0 && at < strings.Index(text, title) {
				t.Errorf("%s: figures are before findings:\n%.500s", name, text)
			}
		}
		if first := regexp.MustCompile(`(?m)^(##|\|) .*`).FindString(of("-f", "markdown")); first != c.markdown {
			t.Errorf("%s: Markdown begins with %q", name, first)
		}
		all := of("-f", "csv")
		first, rest, _ := strings.Cut(all, "\n\n")
		if !strings.HasPrefix(first, c.header) || !strings.HasPrefix(rest, c.of) || rest != of("-f", "csv", "--table", c.table) {
			t.Errorf("%s: CSV is\n%.2000s", name, all)
		}
		for _, part := range []string{first, rest} {
			if rows, err := csv.NewReader(strings.NewReader(part)).ReadAll(); err != nil || len(rows) < 2 {
				t.Errorf("%s: %d rows of CSV, %v", name, len(rows), err)
			}
		}
		if filtered := of("-f", "csv", "--filter", "x"); !strings.HasPrefix(filtered, c.of) {
			t.Errorf("%s: filtered CSV is\n%.300s", name, filtered)
		}
	}
}

// Blocks have the verdict about their site, and a row of the call tree the most significant one about those below.
func TestBlocksAndTreesHaveVerdicts(t *testing.T) {
	var got struct {
		Trace struct {
			Sites, Blocks []struct {
				Stack   uint64
				Live    uint64 `json:"live_bytes"`
				Verdict string
				Sure    float64 `json:"confidence"`
			}
		}
		Tree struct {
			Rows []struct {
				Depth   int
				Verdict string
			}
		}
	}
	read := func(args ...string) {
		_, out, _ := run(t, Env{}, append([]string{"report", "-f", "json", "--limit", "0", sample}, args...)...)
		if err := json.Unmarshal([]byte(out), &got); err != nil {
			t.Fatal(err)
		}
	}
	read("--table", "blocks")
	said, live := map[uint64]string{}, map[string]bool{}
	for _, s := range got.Trace.Sites {
		said[s.Stack] = fmt.Sprint(s.Verdict, s.Sure)
		live[s.Verdict] = live[s.Verdict] || s.Live > 0
	}
	leaks := 0
	for _, b := range got.Trace.Blocks {
		if fmt.Sprint(b.Verdict, b.Sure) != said[b.Stack] {
			t.Errorf("a block of stack %d has the verdict %s, not %s", b.Stack, b.Verdict, said[b.Stack])
		}
		if b.Verdict == "leak" {
			leaks++
		}
	}
	if leaks != 39 {
		t.Errorf("%d blocks leak", leaks)
	}
	read("--table", "tree", "--by", "live_bytes")
	order := []string{"", "unknown", "in-flight", "bounded", "kept", "late", "leak"}
	open, seen := []int{}, map[string]bool{}
	for _, r := range got.Tree.Rows {
		rank := slices.Index(order, r.Verdict)
		if open = append(open[:r.Depth-1], rank); r.Depth > 1 && rank > open[r.Depth-2] {
			t.Errorf("%s is below %s", r.Verdict, order[open[r.Depth-2]])
		}
		seen[r.Verdict] = true
	}
	for verdict, is := range live {
		if is && verdict != "" && verdict != "unknown" && !seen[verdict] {
			t.Errorf("no row of the tree is %s", verdict)
		}
	}
	if _, text, _ := run(t, Env{}, "report", "--table", "tree", sampleFile(t, "stacks")); strings.Contains(text, "VERDICT") {
		t.Errorf("a profile has no verdicts:\n%.400s", text)
	}
}

// Tables that have no order of their own are sorted by any column that holds numbers or names, and unknown ones are refused.
func TestTablesAreSortedByAnyColumn(t *testing.T) {
	heap, java, pages := sampleFile(t, "heap"), sampleFile(t, "java"), sampleFile(t, "pages")
	for command, column := range map[string]string{
		"heap snapshots --by bytes " + heap: "bytes", "heap snapshots --by index " + heap: "index", "heap suspects --by count " + heap: "count",
		"pages --by pages " + pages: "pages", "pages --table holes --by count " + pages: "count", "heap suspects --by retained_bytes " + java: "retained_bytes",
	} {
		args := append(strings.Fields(command), "-f", "csv")
		limited := args[1] != "snapshots" // all of which are always listed
		all := args
		if limited {
			all = append(slices.Clone(args), "--limit", "0")
		}
		status, out, errs := run(t, Env{}, all...)
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if status != 0 || err != nil || len(rows) < 2 {
			t.Fatalf("%s: status %d, %v, %s", command, status, err, errs)
		}
		at, last := slices.Index(rows[0], column), math.Inf(1)
		for _, row := range rows[1:] {
			n, err := strconv.ParseFloat(row[at], 64)
			if err != nil || n > last {
				t.Errorf("%s: %s is below %v", command, row[at], last)
			}
			last = n
		}
		if _, one, _ := run(t, Env{}, append(args, "--limit", "1")...); limited && one != strings.Join(strings.SplitAfter(out, "\n")[:2], "") {
			t.Errorf("%s: of one row\n%sof all\n%s", command, one, out)
		}
	}
	for command, want := range map[string]string{
		"heap snapshots --by byts " + heap: "did you mean bytes? Available: index,", "heap threads --by frames " + java: "available: name, id, row, retained_bytes, local_count",
		"pages --by pags " + pages: "did you mean pages? Available: name,",
	} {
		if status, _, errs := run(t, Env{}, strings.Fields(command)...); status != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %s", command, status, errs)
		}
	}
}
