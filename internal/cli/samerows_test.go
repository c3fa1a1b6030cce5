package cli

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/internal/memtest/modeltest"
)

// comparedRow is what a row of a comparison says, wherever it is written.
type comparedRow struct {
	name          string
	before, after uint64
	delta         int64
	status        string
}

// sameRows is a comparison that is looked at on screen, in diff, and side by side in reports.
type sameRows struct {
	files  string // as the program is called
	keys   string // lead from the difference to the table
	lines  int    // of a terminal that shows all rows
	groups int    // how many ways of grouping there are; the key of groups leads from each to the next
	tables map[string]sideTable
	sides  [2]string // flags of reports, and their file
}

// sideTable is what a report prints of one side.
type sideTable struct {
	flags string
	name  string // of a row: columns in braces, and what is between them
	value string // the column of what is compared
}

const (
	heaps    = "../demo/samples/records.mvmheap"
	dumps    = "../demo/samples/real_proc_python.mb"
	goBefore = "../../loaders/pprof/testdata/go.heap.pb.gz"
	goAfter  = "../demo/samples/go.heap.pb.gz"
	javaA    = "../../loaders/hprof/testdata/g1.hprof.zst"
	javaB    = "../../loaders/hprof/testdata/shop1.hprof.zst"
)

// groupTables returns the tables of groups of a report.
func groupTables(name, value string, groups ...string) map[string]sideTable {
	out := map[string]sideTable{}
	for _, g := range groups {
		out[g] = sideTable{"--table groups --group " + g, name, value}
	}
	return out
}

func with(tables map[string]sideTable, group string, t sideTable) map[string]sideTable {
	tables[group] = t
	return tables
}

var sameRowsOf = map[string]sameRows{
	"instants of a trace": {sample, "p A e d 3", 60, 7,
		with(groupTables("{group}", "live_bytes", "function", "owner", "file", "module", "thread", "size"), "stack", sideTable{"--table live_sites", "{frames}", "live_bytes"}),
		[2]string{"--at peak " + sample, sample}},
	"traces": {sample + " ../../loaders/heaptrack/testdata/shop.zst", "3", 120, 7,
		with(groupTables("{group}", "live_bytes", "function", "owner", "file", "module", "thread", "size"), "stack", sideTable{"--table live_sites", "{frames}", "live_bytes"}),
		[2]string{sample, "../../loaders/heaptrack/testdata/shop.zst"}},
	"stack profiles": {goBefore + " " + goAfter, "2", 160, 7,
		with(with(groupTables("{name}", "self", "owner", "source", "dso", "thread", "kind"), "stack", sideTable{"--table top", "{frames}", "value"}), "function", sideTable{"--table functions", "{function}", "self"}),
		[2]string{goBefore, goAfter}},
	"types of heap snapshots": {heaps + "#0 " + heaps + "#2", "2", 100, 1,
		map[string]sideTable{"type": {"--table types", "{type} [{repr}]", "bytes"}}, [2]string{heaps + "#0", heaps + "#2"}},
	"frames of heap snapshots": {heaps + "#0 " + heaps + "#2", "3", 200, 1,
		map[string]sideTable{"frame": {"--table frames", "{frame} ({file}:{line})", "bytes"}}, [2]string{heaps + "#0", heaps + "#2"}},
	// Two dumps of one snapshot each are a recording, in the order of their clocks.
	"classes of heap snapshots": {javaA + " " + javaB, "d 2", 360, 1,
		map[string]sideTable{"type": {"--table types", "{type} [{loader}]", "bytes"}}, [2]string{javaB, javaA}},
	"page types of memory dumps": {dumps + "#0 " + dumps + "#3", "3", 60, 1,
		map[string]sideTable{"page-type": {"--table page_types", "{name}", "occupied_bytes"}}, [2]string{dumps + "#0", dumps + "#3"}},
	"curves of memory dumps": {dumps + "#0 " + dumps + "#3", "1", 60, 1,
		map[string]sideTable{"series": {"--table series", "{name}", "at"}}, [2]string{"--at 0us " + dumps, "--at 2402180us " + dumps}},
}

// Screen, diff as text and as JSON, and the reports of both sides say the same of the same rows, for every kind of file
// and whatever rows are grouped by.
func TestComparisonsSayTheSameEverywhere(t *testing.T) {
	modeltest.Plain(t)
	for name, c := range sameRowsOf {
		t.Run(name, func(t *testing.T) {
			type look struct{ line, screen string }
			var looks []look
			walkIn(t, 300, c.lines, func(w *walker) {
				w.keys(strings.Fields(c.keys)...)
				w.keys("=", "w", "z")
				for range c.groups {
					looks = append(looks, look{w.copied("Y"), w.sim.Text()})
					w.keys("b")
				}
			}, strings.Fields(c.files)...)
			seen := map[string]bool{}
			for _, l := range looks {
				seen[c.check(t, words(l.line), l.screen)] = true
			}
			for group := range c.tables {
				if !seen[group] {
					t.Errorf("rows were never grouped by %s", group)
				}
			}
		})
	}
}

// check compares what is on screen with what the command prints that is copied there, and with the reports of the
// sides. It returns what rows are grouped by.
func (c *sameRows) check(t *testing.T, line []string, screen string) (group string) {
	t.Helper()
	if len(line) < 3 || line[1] != "diff" {
		t.Fatalf("the command is %q:\n%s", line, screen)
	}
	if group = "type"; slices.Contains(line, "--group") {
		group = line[slices.Index(line, "--group")+1]
	}
	table, ok := c.tables[group]
	if !ok {
		t.Fatalf("rows are grouped by %s", group)
	}
	rows, keys := diffRows(t, line[1:])
	agree(t, group+" on screen", tableRows(t, screen), rows)
	agree(t, group+" in text", textRows(t, line[1:]), changedRows(rows))
	for side, args := range c.sides {
		got, want := map[string]uint64{}, table.rows(t, args)
		for i, r := range rows {
			got[unnamed.ReplaceAllString(keys[i], "?")] += [2]uint64{r.before, r.after}[side]
		}
		maps.DeleteFunc(got, func(_ string, n uint64) bool { return n == 0 })
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("by %s: %q is %d on side %d, but %d in its report", group, name, got[name], side, want[name])
			}
		}
		if len(got) != len(want) {
			t.Errorf("by %s: side %d has %d rows, its report %d", group, side, len(got), len(want))
		}
	}
	return group
}

// agree compares rows that people see with those of data.
func agree(t *testing.T, where string, got, want []comparedRow) {
	t.Helper()
	if len(got) == 0 || len(got) != len(want) {
		t.Errorf("by %s there are %d rows, but %d as JSON", where, len(got), len(want))
		return
	}
	for i := range got {
		if !got[i].is(want[i]) {
			t.Errorf("by %s row %d is\n%+v\nbut as JSON\n%+v", where, i, got[i], want[i])
			return
		}
	}
}

// is reports whether a row that people see is another one of data: its name may be cut, that of a stack is one or more
// of its frames, and what has no name is said to have none.
func (r comparedRow) is(data comparedRow) bool {
	key := data.name
	if key == "" {
		key = calltree.Unnamed
	}
	if strings.HasPrefix(key, " (") {
		key = "<anon>" + key
	}
	pattern := strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSuffix(r.name, " ←…")), "…", ".*")
	if first, _, stack := strings.Cut(pattern, " ← "); stack || strings.Contains(key, ";") {
		pattern = "(^|;)" + first + "( \\(|;|$)"
	} else {
		pattern = "^" + pattern + "$"
	}
	r.name = data.name
	return r == data && regexp.MustCompile(pattern).MatchString(key)
}

// changedRows returns those that text lists.
func changedRows(rows []comparedRow) []comparedRow {
	return slices.DeleteFunc(slices.Clone(rows), func(r comparedRow) bool { return r.status == "same" })
}

// diffRows returns what a command prints as JSON, with the keys of the rows.
func diffRows(t *testing.T, args []string) (rows []comparedRow, keys []string) {
	t.Helper()
	status, out, errs := run(t, Env{}, append(args, "-f", "json", "--limit", "0")...)
	var d struct {
		Rows []struct {
			Key, Type, Status string
			Before            uint64 `json:"before_bytes"`
			After             uint64 `json:"after_bytes"`
			Delta             int64  `json:"delta_bytes"`
			Error             int64  `json:"delta_error_bytes"`
		}
	}
	if err := json.Unmarshal([]byte(out), &d); status != 0 || err != nil {
		t.Fatalf("%q: status %d, %v\n%s", args, status, err, errs)
	}
	for _, r := range d.Rows {
		if r.Delta != 0 && max(r.Delta, -r.Delta) <= r.Error { // which people see instead
			r.Status = diff.WithinError
		}
		rows = append(rows, comparedRow{cmp.Or(r.Type, r.Key), r.Before, r.After, r.Delta, r.Status})
		keys = append(keys, r.Key)
	}
	return rows, keys
}

// unnamed matches addresses of frames without names: of two runs they are not compared.
var unnamed = regexp.MustCompile(`0x[0-9a-f]+( in \S+)?`)

// textRows returns the rows of the table that a command prints as text.
func textRows(t *testing.T, args []string) []comparedRow {
	t.Helper()
	status, out, errs := run(t, Env{}, append(args, "-f", "text", "--limit", "0", "--exact")...)
	if status != 0 {
		t.Fatalf("%q: status %d\n%s", args, status, errs)
	}
	return tableRows(t, out)
}

// cell matches those of a table: words with single blanks between them.
var cell = regexp.MustCompile(`\S+( \S+)*`)

// noNames are the titles of columns that no row is named in.
var noNames = regexp.MustCompile(`^(BEFORE|AFTER|Δ.*|%|±|TAKEN|FREED)$`)

// tableRows returns the rows of a table that has columns before and after, on screen and in text: figures end where
// their titles end, names begin where theirs begin.
func tableRows(t *testing.T, text string) (rows []comparedRow) {
	t.Helper()
	lines := strings.Split(text, "\n")
	head := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "BEFORE") && strings.Contains(l, "AFTER") })
	if head < 0 {
		return nil
	}
	ends, name := map[string]int{}, -1
	for _, at := range cell.FindAllStringIndex(lines[head], -1) {
		title := strings.Trim(lines[head][at[0]:at[1]], "▼▲")
		if ends[title] = utf8.RuneCountInString(lines[head][:at[1]]); name < 0 && !noNames.MatchString(title) {
			name = utf8.RuneCountInString(lines[head][:at[0]])
		}
	}
	for _, line := range lines[head+1:] {
		cells := []rune(line)
		before, ok := figureAt(cells, ends["BEFORE"])
		if !ok {
			break
		}
		after, _ := figureAt(cells, ends["AFTER"])
		delta, _ := figureAt(cells, changeEnd(ends))
		label, _, _ := strings.Cut(string(cells[name:]), "  ")
		others := string(cells[:name]) + "  " + strings.TrimPrefix(string(cells[name:]), label) // a name may be that of a status
		rows = append(rows, comparedRow{strings.TrimSpace(label), uint64(before), uint64(after), delta, statusIn(others)})
	}
	return rows
}

// changeEnd returns where the column of changes ends: it is called after what changed, and so are those of counts.
func changeEnd(ends map[string]int) int {
	first := 0
	for title, end := range ends {
		if strings.HasPrefix(title, "Δ") && (first == 0 || end < first) {
			first = end
		}
	}
	return first
}

// figureAt returns the figure that ends at a column.
func figureAt(cells []rune, end int) (n int64, ok bool) {
	if end > len(cells) {
		return 0, false
	}
	text := ""
	if all := cell.FindAllString(string(cells[:end]), -1); len(all) > 0 {
		text = all[len(all)-1]
	}
	if text == "=" {
		return 0, true
	}
	digits := strings.Map(func(r rune) rune {
		switch {
		case r == '−' || r == '-':
			return '-'
		case r >= '0' && r <= '9':
			return r
		}
		return -1
	}, text)
	n, err := strconv.ParseInt(digits, 10, 64)
	return n, err == nil
}

// statusIn returns the word for what became of a row.
func statusIn(line string) string {
	for _, word := range slices.Backward(cell.FindAllString(line, -1)) {
		if word == diff.WithinError {
			return word
		}
		for s := range diff.ChangeCount {
			if word == s.String() {
				return word
			}
		}
	}
	return ""
}

// rows returns what a report prints of one side, by name.
func (s sideTable) rows(t *testing.T, args string) map[string]uint64 {
	t.Helper()
	words := append([]string{"report", "-f", "csv", "--limit", "0"}, append(strings.Fields(s.flags), strings.Fields(args)...)...)
	status, text, errs := run(t, Env{}, words...)
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if status != 0 || err != nil || len(rows) < 2 {
		t.Fatalf("%q: status %d, %v, %d rows\n%s", words, status, err, len(rows), errs)
	}
	value := slices.Index(rows[0], s.value)
	if value < 0 {
		t.Fatalf("%q: there is no column %s in %q", words, s.value, rows[0])
	}
	out := map[string]uint64{}
	for _, r := range rows[1:] {
		var cells []string
		for i, column := range rows[0] {
			cells = append(cells, "{"+column+"}", r[i])
		}
		name := unnamed.ReplaceAllString(strings.NewReplacer(cells...).Replace(s.name), "?")
		n, err := strconv.ParseUint(r[value], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			out[name] += n
		}
	}
	return out
}
