package cli

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/memtui/memtui/export/report/orders"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/internal/memtest/modeltest"
)

// A trace without frees says of every block that it was never freed: a gate that passed on it would be none.
func TestNoLeaksOfATraceWithoutFrees(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.mlyze")
	for _, frees := range []bool{false, true} {
		var events []memtest.TraceEvent
		for i := range uint64(2000) {
			events = append(events, memtest.TraceEvent{Delta: 1000, Addr: 0x1000 + 64*i, Size: 64})
			if frees {
				events = append(events, memtest.TraceEvent{Kind: 1, Delta: 1, Addr: 0x1000 + 64*i})
			}
		}
		if err := os.WriteFile(path, memtest.TraceOf(nil, events), 0o666); err != nil {
			t.Fatal(err)
		}
		status, out, errs := run(t, Env{}, "check", "--no-leaks", path)
		if frees && (status != 0 || !strings.Contains(out, "no leaks")) {
			t.Errorf("with frees: %d, %q, %q", status, out, errs)
		}
		if !frees && (status != 2 || out != "" || !strings.Contains(errs, "records no frees")) {
			t.Errorf("without: %d, %q, %q", status, out, errs)
		}
		_, out, _ = run(t, Env{}, "report", "-f", "csv", "--table", "leaks", path)
		if !frees && (!strings.Contains(out, ",unknown,") || strings.Contains(out, ",leak,")) {
			t.Errorf("without: leaks are %q", out)
		}
		if frees {
			continue
		}
		if err := os.WriteFile(path, memtest.TraceOf([]byte(`{"recorder": "memtui", "stack_traces": {}}`), events), 0o666); err != nil {
			t.Fatal(err)
		}
		status, out, errs = run(t, Env{}, "check", "--no-leaks", path)
		_, leaks, _ := run(t, Env{}, "report", "-f", "csv", "--table", "leaks", path)
		_, findings, _ := run(t, Env{}, "report", "-f", "csv", "--table", "findings", path)
		if status != 1 || !strings.Contains(out, "1 leak") || !strings.Contains(leaks, ",leak,") || !strings.Contains(findings, "leak,") {
			t.Errorf("of a recorder that records frees: %d, %q, %q, %q, %q", status, out, errs, leaks, findings)
		}
	}
}

// What grows during the run and is freed at its end is no leak, but a gate says so.
func TestNoLeaksTellsWhatIsFreedAtTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.mlyze")
	var events []memtest.TraceEvent
	for i := range uint64(3000) {
		events = append(events, memtest.TraceEvent{Delta: 1000, Addr: 0x1000 + 64*i, Size: 64})
	}
	for i := range uint64(3000) {
		events = append(events, memtest.TraceEvent{Kind: 1, Delta: 1, Addr: 0x1000 + 64*i})
	}
	if err := os.WriteFile(path, memtest.TraceOf(nil, events), 0o666); err != nil {
		t.Fatal(err)
	}
	for least, want := range map[string]bool{"--no-leaks": true, "--no-leaks=1M": false} {
		status, out, errs := run(t, Env{}, "check", "-f", "json", least, path)
		if status != 0 || strings.Contains(errs, "freed at its end") != want || strings.Contains(out, "freed at its end") != want {
			t.Errorf("%s: %d, %q, %q", least, status, out, errs)
		}
	}
}

// What a hostile file calls its functions reaches no terminal, by whatever list of leaks.
func TestNoLeaksOfHostileNames(t *testing.T) {
	dir := t.TempDir()
	path, known, bad := filepath.Join(dir, "trace.mlyze"), filepath.Join(dir, "known.json"), filepath.Join(dir, "bad.supp")
	const evil = "f\x1b[2J\u009b31m\u202e"
	for name, data := range map[string][]byte{path: memtest.Trace(evil, 4000), bad: []byte("leak:x\n" + evil + "\n")} {
		if err := os.WriteFile(name, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"--no-leaks"}, {"--no-leaks", "-f", "markdown"}, {"--no-leaks", "-f", "json"}, {"--write-baseline", known}, {"--no-leaks", "--suppressions", bad},
	} {
		_, out, errs := run(t, Env{}, append([]string{"check", path}, args...)...)
		if strings.ContainsAny(out+errs, "\x1b\u009b\u202e") {
			t.Errorf("%v: %q, %q", args, out, errs)
		}
	}
	if status, out, _ := run(t, Env{}, "check", path, "--no-leaks", "--baseline", known); status != 0 || !strings.Contains(out, "accepted: 1 in the baseline") {
		t.Errorf("%d, %q", status, out)
	}
}

// The orders of leaks on screen are those of reports: a copied command prints the same rows in the same order.
func TestOrdersOfLeaks(t *testing.T) {
	modeltest.Plain(t)
	for _, table := range []string{"leaks", "late_freed"} {
		for _, by := range orders.Leaks() {
			if status, _, errs := run(t, Env{}, "report", "-f", "csv", "--table", table, "--by", by, sample); status != 0 {
				t.Errorf("--table %s --by %s: %q", table, by, errs)
			}
		}
	}
	column := func(name string, args ...string) (cells []string) {
		_, out, _ := run(t, Env{}, append([]string{"report", "-f", "csv", "--limit", "0", sample}, args...)...)
		rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil || len(rows) < 3 {
			t.Fatalf("%q: %v, %d rows", args, err, len(rows))
		}
		at := slices.Index(rows[0], name)
		for _, r := range rows[1:] {
			cells = append(cells, r[at])
		}
		return cells
	}
	for _, by := range []string{"bytes", "count", "oldest_us", "newest_us"} {
		was := uint64(math.MaxUint64)
		for _, cell := range column(by, "--table", "leaks", "--by", by) {
			n, err := strconv.ParseUint(cell, 10, 64)
			if err != nil || n > was {
				t.Errorf("by %s, %s stands below %d", by, cell, was)
			}
			was = n
		}
	}
	for _, table := range []string{"leaks", "findings"} { // what leaks says how fast it grows, and nothing else does
		verdict := map[string]string{"leaks": "verdict", "findings": "kind"}[table]
		rates := column("growth_bytes_per_second", "--table", table)
		for i, said := range column(verdict, "--table", table) {
			if rate, err := strconv.ParseFloat(rates[i], 64); (said == "leak") != (err == nil && rate > 0) {
				t.Errorf("%s: %s grows by %q", table, said, rates[i])
			}
		}
	}
	for _, args := range [][]string{{"--table", "leaks"}, {"--table", "sites"}, {"--table", "groups", "--group", "owner"}} {
		said := column("verdict", append(args, "--by", "verdict")...)
		first := slices.IndexFunc(said, func(s string) bool { return s != "leak" })
		if first <= 0 || slices.Contains(said[first:], "leak") {
			t.Errorf("%q: the verdicts stand as %q", args, said)
		}
	}
	if status, _, errs := run(t, Env{}, "report", "--by", "oldest_us", sample); status != fail.StatusUsage || !strings.Contains(errs, "--table leaks") {
		t.Errorf("status %d, %q", status, errs)
	}
}
