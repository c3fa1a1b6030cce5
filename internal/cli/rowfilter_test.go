package cli

import (
	"encoding/csv"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/memtest/modeltest"
)

// rowsOf prints rows as CSV and returns them without the header.
func rowsOf(t *testing.T, args ...string) [][]string {
	t.Helper()
	status, out, errs := run(t, Env{}, append(args, "-f", "csv", "--limit", "0")...)
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if status != 0 || err != nil || len(rows) == 0 {
		t.Fatalf("%q: status %d, %s, %v", args, status, errs, err)
	}
	return rows
}

// The owner of a site passes with the word that findings use on screens.
func TestOwnersPassAFilter(t *testing.T) {
	for owner, want := range map[string]int{"open_session": 2, "nobody": 0} {
		rows := rowsOf(t, "report", "--table", "leaks", "--filter", "/^owner:"+owner+"$/", sample)[1:]
		if len(rows) != want {
			t.Errorf("%s: %q", owner, rows)
		}
	}
}

// A filter keeps the rows that a look at each of them keeps.
func TestFilteredRowsAreThoseThatPass(t *testing.T) {
	modeltest.Plain(t)
	heap, stacks, pages := sampleFile(t, "heap"), sampleFile(t, "stacks"), sampleFile(t, "pages")
	for _, c := range []struct {
		filter, column string
		args           []string
	}{
		{"live>1K", "live_bytes", []string{"report", "--table", "sites", sample}},
		{"live_bytes>1K", "live_bytes", []string{"report", "--table", "live_sites", sample}},
		{"age>1ms", "oldest_us", []string{"report", "--table", "leaks", sample}},
		{"blocks>1K", "live_count", []string{"report", "--table", "groups", "--group", "file", sample}},
		{"total>1K", "total_bytes", []string{"report", "--table", "functions", sample}},
		{"count>1K", "count", []string{"heap", "types", heap}},
		{"retained>1K", "retained_bytes", []string{"heap", "dominators", heap}},
		{"size>1K", "bytes", []string{"report", "--table", "frames", heap}},
		{"self>1K", "self", []string{"report", "--table", "functions", stacks}},
		{"pages>1K", "pages", []string{"report", "--table", "page_types", pages}},
		{"delta<-1K", "delta_bytes", []string{"diff", heap + "#-1", heap + "#0"}},
	} {
		all := rowsOf(t, c.args...)
		at := slices.Index(all[0], c.column)
		if at < 0 {
			t.Fatalf("%q has no %s: %q", c.args, c.column, all[0])
		}
		want := all[:1]
		for _, row := range all[1:] {
			n := int64(0)
			fmt.Sscan(row[at], &n)
			least := map[bool]int64{true: 1000, false: 1024}[strings.HasPrefix(c.filter, "age")]
			if row[at] != "" && (strings.Contains(c.filter, ">") && n > least || strings.Contains(c.filter, "<") && n < -least) {
				want = append(want, row)
			}
		}
		got := rowsOf(t, append(slices.Clone(c.args), "--filter", c.filter)...)
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%q --filter %s: %d rows, not %d", c.args, c.filter, len(got), len(want))
		}
	}
	args := []string{"heap", "types", "--filter", "!VM", "--limit", "2", heap}
	if _, out, _ := run(t, Env{}, args...); !strings.Contains(out, "pass the filter !VM") || strings.Contains(out, "  VM") || !strings.Contains(out, " more") {
		t.Errorf("%q prints\n%s", args, out)
	}
	args = []string{"report", "--table", "sites", "--filter", "nothing has this name", sample}
	if status, _, errs := run(t, Env{}, args...); status != 0 || !strings.Contains(errs, "--filter nothing has this name matches nothing") {
		t.Errorf("%q: status %d, %s", args, status, errs)
	}
}

// What cannot be filtered is refused.
func TestMeaninglessFiltersAreRefused(t *testing.T) {
	heap := sampleFile(t, "heap")
	for line, want := range map[string]string{
		"report --filter x nowhere":                   "--filter works only with --table or --format csv",
		"info --filter x nowhere":                     "unknown flag --filter",
		"heap types --peek X --filter x nowhere":      "--peek and --filter cannot be combined",
		"report --table sites --filter nope>3 TRACE":  "--filter: unknown column nope",
		"report --table sites --filter live>3% TRACE": "--filter: shares are compared on the screens only",
		"diff --filter /( HEAP#0 HEAP#1":              "--filter: invalid regular expression",
	} {
		args := strings.Fields(strings.NewReplacer("TRACE", sample, "HEAP", heap).Replace(line))
		if status, _, errs := run(t, Env{}, args...); status != 2 || !strings.Contains(errs, want) {
			t.Errorf("%s: status %d, %s", line, status, errs)
		}
	}
}

// The command that Y copies prints as many rows as a filtered table shows.
func TestFiltersOfScreensArePrinted(t *testing.T) {
	modeltest.Plain(t)
	for name, views := range map[string]map[string]string{
		"kvleak": {"3": "live>1K blocks>1 peak>1 total>1 count>1 temp>=0 leaked>=0", "4": "leaked>1K blocks>1 age>1ms"},
		"heap":   {"2": "count>3 bytes>1K managed>1K unmanaged>=0 retained>2K"},
	} {
		path := sampleFile(t, name)
		t.Chdir(filepath.Dir(path))
		walk(t, func(w *walker) {
			for screen, filters := range views {
				w.keys(screen)
				for _, filter := range append(strings.Fields(filters), "!e", filters) {
					w.keys("/", "Ctrl+u")
					w.typed(filter)
					w.keys("Enter", "g")
					line := w.copied("Y")
					if !strings.Contains(line, "--filter") {
						t.Errorf("%s, %s: %q has no filter", name, filter, line)
						continue
					}
					rows := rowsOf(t, words(line)[1:]...)
					if shown := w.rows(); shown != len(rows)-1 {
						t.Errorf("%s, %q: %d rows are shown, and %s prints %d\n%s", name, filter, shown, line, len(rows)-1, w.sim.Text())
					}
				}
				w.keys("/", "Ctrl+u")
				w.typed("bytes>3%")
				w.keys("Enter")
				if line := w.copied("Y"); strings.Contains(line, "--filter") {
					t.Errorf("%s: %s compares a share", name, line)
				}
			}
		}, filepath.Base(path))
	}
}

// rows counts the rows of the table on screen: it goes through them.
func (w *walker) rows() int {
	last, n := "", 0
	for w.keys("g"); ; w.keys("j") {
		row := w.copied("y")
		if n++; row == last || row == "" || n > 500 {
			return n - 1
		}
		last = row
	}
}

// A filter that no changed row passes is warned of in every format, as reports do.
func TestDiffWarnsOfAnEmptyFilter(t *testing.T) {
	path := sampleFile(t, "kvleak")
	for _, format := range []string{"text", "csv", "json", "markdown"} {
		args := []string{"diff", "--a", "10ms", "--b", "50ms", "-f", format, path, "--filter"}
		status, _, errs := run(t, Env{}, append(args, "nothing-is-called-so")...)
		if status != 0 || errs != "memtui: warning: --filter nothing-is-called-so matches nothing in this file\n" {
			t.Errorf("%s: status %d, %q", format, status, errs)
		}
		if status, _, errs := run(t, Env{}, append(args, "close_session")...); status != 0 || errs != "" {
			t.Errorf("%s, a filter that rows pass: status %d, %q", format, status, errs)
		}
	}
}

// A misspelled word is answered with the name that is near, by every flag that takes one, and JSON says so, too.
func TestMisspelledWordsHaveNearNames(t *testing.T) {
	heap, stacks := sampleFile(t, "heap"), sampleFile(t, "stacks")
	for args, want := range map[string]string{
		"report --focus opne_sesion " + sample:                 "open_session",
		"report --ignore sesion " + sample:                     "open_session",
		"report --hide wroker " + sample:                       "worker_",
		"report --table leaks --filter opne_sesion " + sample:  "open_session",
		"report --table leaks --filter owner:sesion " + sample: "open_session",
		"report --table leeks " + sample:                       "did you mean leaks?",
		"report --by leakd_bytes " + sample:                    "did you mean leaked_bytes?",
		"report --group ownr " + sample:                        "did you mean owner?",
		"report --peek opne_sesion " + sample:                  "open_session",
		"diff --focus sesion " + sample + " " + sample:         "open_session",
		"heap find --type Rceord " + heap:                      "Record",
		"heap types --peek Rceord " + heap:                     "Record",
		"heap types --filter Rceord " + heap:                   "Record",
		"heap types --by cuont " + heap:                        "did you mean count?",
		"heap types --group knid " + heap:                      "did you mean kind?",
		"heap holders --type Rceord " + heap:                   "Record",
		"report --by ccyles " + stacks:                         "",
		"report --focus qqqqqqqq " + sample:                    "",
	} {
		_, out, errs := run(t, Env{}, strings.Fields(args)...)
		if strings.Contains(out, "goroutine") || errs == "" || !strings.Contains(errs, want) {
			t.Errorf("%s: %s", args, errs)
		}
		if strings.Contains(errs, "near: \n") {
			t.Errorf("%s: nothing is near: %s", args, errs)
		}
	}
	for args, want := range map[string]string{
		"report -f json --focus opne_sesion " + sample: `{"filter": "focus opne_sesion", "near": ["open_session`,
		"heap types -f json --filter Rceord " + heap:   `{"filter": "filter Rceord", "near": ["Record`,
		"heap find -f json --type Rceord " + heap:      `{"filter": "type Rceord", "near": ["Record`,
	} {
		if status, out, _ := run(t, Env{}, strings.Fields(args)...); status != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: status %d\n%.800s", args, status, out)
		}
	}
}

// An order, a filter and a limit apply one after the other: what is left is the beginning of all sorted rows that pass.
func TestLimitsCutSortedRowsThatPass(t *testing.T) {
	java, records, pages := filepath.Join("../../loaders", "hprof/testdata/shop1.hprof.zst"), sampleFile(t, "heap"), sampleFile(t, "pages")
	for line, file := range map[string]string{
		"heap waste --by count --filter count>1":                        java,
		"heap waste --by type --filter java":                            java,
		"heap threads --by local_count --filter worker":                 java,
		"heap dominators --by bytes --filter java":                      java,
		"heap snapshots --by bytes --filter bytes>1":                    records,
		"heap dominators --by retained_count --filter r":                records,
		"pages --table sparse_pages --by page --filter page>1":          pages,
		"pages --table page_types --by pages --filter pages>1":          pages,
		"report --table series --by max --filter max>0":                 pages,
		"report --table page_types --by occupied_bits --filter pages>1": pages,
	} {
		rows := func(limit string) []string {
			args := append(strings.Fields(line), "-f", "csv")
			if !strings.Contains(line, "snapshots") { // which are never cut
				args = append(args, "--limit", limit)
			}
			status, out, errs := run(t, Env{}, append(args, file)...)
			if status != 0 {
				t.Fatalf("%s: status %d, %s", line, status, errs)
			}
			return strings.Split(strings.TrimSpace(out), "\n")
		}
		all := rows("0")
		if few := rows("1"); len(all) < 3 || few[1] != all[1] || len(few) != 2 && !strings.Contains(line, "snapshots") && !strings.Contains(line, "threads") {
			t.Errorf("%s: %d rows, the first of which is\n%s\nwith a limit\n%s", line, len(all)-1, all[1], strings.Join(few[1:], "\n"))
		}
	}
	for line, file := range map[string]string{"heap waste --by nosuch": java, "heap waste --filter nosuch>3": java, "heap dominators --by nosuch": records,
		"report --table series --by nosuch": pages} {
		if status, _, errs := run(t, Env{}, append(strings.Fields(line), file)...); status != fail.StatusUsage || !strings.Contains(errs, "nosuch") {
			t.Errorf("%s: status %d, %s", line, status, errs)
		}
	}
}
