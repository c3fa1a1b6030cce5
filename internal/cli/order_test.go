package cli

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/memtest/modeltest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/loaders/all"
	"github.com/memtui/memtui/model"
)

// ranked are orders whose cells tell them in another way than by a number or the alphabet.
var ranked = []string{"verdict", "trends bytes", "trends count"}

// Every column of every table of every kind of file is an order: the rows are the same, sorted by it, and a limit cuts
// the sorted ones. Rows of a tree have their place, and are sorted by its figure only; those of threads are frames in CSV.
func TestEveryColumnIsAnOrder(t *testing.T) {
	modeltest.Plain(t)
	java := filepath.Join("../../loaders", "hprof/testdata/shop1.hprof.zst")
	var commands []string
	for file, tables := range map[string][]string{
		sample: report.Tables(), sampleFile(t, "stacks"): report.StackTables(), sampleFile(t, "heap"): report.HeapTables(),
		sampleFile(t, "pages"): report.DumpTables(),
	} {
		for _, table := range tables {
			line := "report " + file + " --table " + table
			if table == "groups" {
				line += " --group owner"
			}
			if table != treeTable && !drawn(arg.Table(table)) {
				commands = append(commands, line)
			}
		}
	}
	for _, verb := range []string{"snapshots", "types", "types --group package", "dominators", "suspects"} {
		commands = append(commands, "heap "+verb+" "+java)
	}
	commands = append(commands, "heap frames "+sampleFile(t, "heap"))
	for _, table := range report.PageTables() {
		commands = append(commands, "pages --table "+table+" "+sampleFile(t, "pages"))
	}
	columns := 0
	for _, command := range commands {
		all := csvOf(t, command)
		if all == nil {
			continue
		}
		for at, column := range all[0] {
			if column == "address" && len(all) == 1 {
				continue // which some files lack
			}
			if columns++; modeltest.UnderRace && columns%5 != 0 {
				continue
			}
			rows := csvOf(t, command+" --by "+column)
			if rows == nil {
				continue
			}
			if !sameLines(all[1:], rows[1:]) {
				t.Errorf("%s --by %s: other rows", command, column)
			}
			table := command[strings.LastIndex(command, " ")+1:]
			if !slices.Contains(ranked, column) && !slices.Contains(ranked, table+" "+column) && !slices.IsSortedFunc(rows[1:], byCell(at)) {
				t.Errorf("%s --by %s: not sorted", command, column)
			}
			if at != 0 && at != len(all[0])-1 {
				continue
			}
			if one := csvOf(t, command+" --by "+column+" --limit 1"); len(one) == 2 && len(all) > 1 && !slices.Equal(one[1], rows[1]) {
				t.Errorf("%s --by %s: with a limit %q is first, not %q", command, column, one[1], rows[1])
			}
		}
	}
	if columns < 300 {
		t.Errorf("only %d columns were tried", columns)
	}
}

// csvOf runs a command that prints all rows of a table, and returns them; nil if that fails.
func csvOf(t *testing.T, command string) [][]string {
	t.Helper()
	args := append(strings.Fields(command), "-f", "csv")
	if !strings.Contains(command, "--limit") && !strings.Contains(command, "snapshots") {
		args = append(args, "--limit", "0")
	} else if strings.Contains(command, "snapshots") {
		args = slices.DeleteFunc(args, func(word string) bool { return word == "--limit" || word == "1" })
	}
	status, out, errs := run(t, Env{}, args...)
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if status != fail.Done || err != nil || len(rows) == 0 {
		t.Errorf("%s: status %d, %v, %d rows, %.200s", command, status, err, len(rows), errs)
		return nil
	}
	return rows
}

// byCell compares rows by a cell: numbers with the highest first, before texts.
func byCell(at int) func(a, b []string) int {
	number := func(row []string) float64 {
		n, err := strconv.ParseFloat(row[at], 64)
		if err != nil {
			return math.Inf(-1)
		}
		return n
	}
	return func(a, b []string) int {
		if x, y := number(a), number(b); x != y {
			return cmp.Compare(y, x)
		} else if !math.IsInf(x, -1) {
			return 0
		}
		return strings.Compare(a[at], b[at])
	}
}

// sameLines reports whether two tables have the same rows in any order.
func sameLines(a, b [][]string) bool {
	lines := func(rows [][]string) []string {
		var list []string
		for _, r := range rows {
			list = append(list, fmt.Sprintf("%q", r))
		}
		slices.Sort(list)
		return list
	}
	return slices.Equal(lines(a), lines(b))
}

// What no file of a format has is refused before the file is read: its loader is never called.
func TestValuesAreRefusedBeforeAFileIsRead(t *testing.T) {
	heap, stacks, pages, java := sampleFile(t, "heap"), sampleFile(t, "stacks"), sampleFile(t, "pages"), "../../loaders/hprof/testdata/shop1.hprof.zst"
	for line, want := range map[string]string{
		"report --by nosuch " + sample:                             "--by: unknown sort key",
		"report --table leaks --by peak_bytes " + sample:           "--by: peak_bytes is an order of other tables",
		"report --table late_freed --by peak_bytes " + sample:      "--by: peak_bytes is an order of other tables",
		"report --by retained_count " + heap:                       "--by: retained_count is an order of single tables: use it with --table dominators",
		"report --table dominators --by count " + heap:             "--by: count is an order of other tables",
		"report --table sites --filter nosuch>1 " + sample:         "--filter: unknown column",
		"report --table functions --filter nosuch>1 " + stacks:     "--filter: unknown column",
		"report --table series --by nosuch " + pages:               "--by: unknown sort key",
		"report --table series --filter nosuch>1 " + pages:         "--filter: unknown column",
		"pages --by nosuch " + pages:                               "--by: unknown sort key",
		"heap types --by nosuch " + java:                           "--by: unknown sort key",
		"heap types --group nosuch " + java:                        `--group: these files cannot be grouped by "nosuch"`,
		"heap types --filter nosuch>1 " + java:                     "--filter: unknown column",
		"heap threads --by nosuch " + java:                         "--by: unknown sort key",
		"heap waste --filter nosuch>1 " + java:                     "--filter: unknown column",
		"heap dominators --filter nosuch>1 " + java:                "--filter: unknown column",
		"heap holders --type X --group nosuch " + java:             "--group: unknown axis",
		"diff " + sample + " " + heap:                              "diff compares two files of one kind",
		"diff --by nosuch " + sample + " " + sample:                "--by: unknown sort key",
		"diff --by nosuch " + java + " " + java:                    "--by: unknown sort key",
		"diff --by nosuch " + pages + " " + pages:                  "--by: unknown sort key",
		"diff --group nosuch " + java + " " + java:                 "--group: these files cannot be grouped by",
		"diff --group nosuch " + stacks + " " + stacks:             "--group: these files cannot be grouped by",
		"diff --filter nosuch>1 " + pages + " " + pages:            "--filter: unknown column",
		"check --base " + sample + " " + heap:                      "diff compares two files of one kind",
		"check --base " + sample + " --by nosuch " + sample:        "--by: unknown sort key",
		"convert --to folded --by nosuch " + sample + " /dev/null": "--by: unknown sort key",
	} {
		read := 0
		status, _, errs := run(t, Env{Formats: watched(func() { read++ })}, strings.Fields(line)...)
		if status != fail.StatusUsage || !strings.Contains(errs, want) || read != 0 {
			t.Errorf("%s: status %d, %d files were read, %s", line, status, read, errs)
		}
	}
	read := 0
	if status, _, errs := run(t, Env{Formats: watched(func() { read++ })}, "report", sample); status != fail.Done || read != 1 {
		t.Errorf("status %d, %d files were read, %s", status, read, errs)
	}
}

// watched returns the formats of the program, whose loaders call read.
func watched(read func()) []loaders.Format {
	formats := all.Formats()
	for i := range formats {
		load := formats[i].Load
		formats[i].Load = func(ctx context.Context, src *loaders.Source, opt loaders.Options, store *model.Store) error {
			read()
			return load(ctx, src, opt, store)
		}
	}
	return formats
}
