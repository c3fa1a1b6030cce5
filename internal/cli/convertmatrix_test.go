package cli

import (
	"encoding/csv"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/memtest/modeltest"
)

// TestEveryProfileConverts writes a sample of each format of stack profiles as every target, and opens what was
// written: it has the same totals. What cannot be written is refused with the reason.
func TestEveryProfileConverts(t *testing.T) {
	modeltest.Plain(t)
	samples := []string{
		"pprof/testdata/go.heap.pb.gz", "folded/testdata/perf.samples.folded", "speedscope/testdata/shop.speedscope.json",
		"v8profile/testdata/shop.heapprofile", "v8profile/testdata/shop.cpuprofile", "heaptext/testdata/sampled4096.f.heap",
		"heaptext/testdata/tcmalloc.sample.heap", "heaptext/testdata/go.debug1.txt", "valgrind/testdata/massif.default.out",
		"valgrind/testdata/dhat.shop.json", "valgrind/testdata/memcheck.xml", "sanitizer/testdata/lsan.txt", "perfscript/testdata/perf.script.txt",
	}
	refused := map[string]string{"mlyze": "every block", "mb": "a memory dump", "json": "a memory dump",
		"heapsnapshot": "objects and their references", "perfetto": "as .pprof"}
	for i, name := range samples {
		in := filepath.Join("../../loaders", filepath.FromSlash(name))
		want := totalsOf(t, in)
		for _, target := range targets() {
			if i > 0 && !slices.Contains([]string{"folded", "speedscope", "pprof", "spaa", "heapprofile"}, target.name) {
				continue // what is the same for all
			}
			out := filepath.Join(t.TempDir(), "out"+target.suffixes[0])
			status, _, errs := run(t, Env{}, "convert", in, out)
			if reason := refused[target.name]; reason != "" {
				if status != fail.StatusUsage || !strings.Contains(errs, reason) {
					t.Errorf("%s as %s: status %d, %s", name, target.name, status, errs)
				}
				continue
			}
			if status != 0 {
				t.Errorf("%s as %s: status %d, %s", name, target.name, status, errs)
				continue
			}
			var got profileTotals
			switch target.name {
			case "csv":
				got.Total = csvTotal(t, out, want.Metric)
			case "ndjson":
				got.Total = linesTotal(t, out, want.Metric)
			default:
				got = totalsOf(t, out)
			}
			if added(t, got.Total) != added(t, want.Total) {
				t.Errorf("%s as %s: %s of %s, want %s", name, target.name, got.Total, want.Metric, want.Total)
			}
			if target.name == "spaa" {
				sameTotals(t, name, got, want)
			}
		}
	}
}

// profileTotals are what a stack profile sums up to.
type profileTotals struct {
	Metric string
	Total  json.Number
	Events []struct {
		Name   string
		Stacks int
		Totals map[string]json.Number
	}
}

func totalsOf(t *testing.T, path string) profileTotals {
	t.Helper()
	status, out, errs := run(t, Env{}, "report", "-f", "json", "--limit", "1", path)
	var got struct{ Stacks profileTotals }
	if err := json.Unmarshal([]byte(out), &got); err != nil || status != 0 {
		t.Fatalf("%s: status %d, %v, %s", path, status, err, errs)
	}
	return got.Stacks
}

// sameTotals compares all events and metrics. Rules of the format hold, too.
func sameTotals(t *testing.T, name string, got, want profileTotals) {
	t.Helper()
	if len(got.Events) != len(want.Events) {
		t.Fatalf("%s: %d events, want %d", name, len(got.Events), len(want.Events))
	}
	for i, e := range want.Events {
		g := got.Events[i]
		if g.Name != e.Name || g.Stacks != e.Stacks || len(g.Totals) != len(e.Totals) {
			t.Errorf("%s: %+v, want %+v", name, g, e)
		}
		for metric, total := range e.Totals {
			if g.Totals[metric] != total {
				t.Errorf("%s: %s of %s, want %s", name, g.Totals[metric], metric, total)
			}
		}
	}
}

func csvTotal(t *testing.T, path, metric string) json.Number {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(readText(t, path))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := slices.Index(rows[0], metric)
	var values []json.Number
	for _, row := range rows[1:] {
		if row[at] != "" {
			values = append(values, json.Number(row[at]))
		}
	}
	return added(t, values...)
}

func linesTotal(t *testing.T, path, metric string) json.Number {
	t.Helper()
	var values []json.Number
	for line := range strings.Lines(readText(t, path)) {
		var row map[string]json.RawMessage
		if err := json.Unmarshal([]byte(line), &row); err != nil {
			t.Fatal(err)
		}
		if v := row[metric]; v != nil {
			values = append(values, json.Number(v))
		}
	}
	return added(t, values...)
}

// added returns the exact sum of decimals.
func added(t *testing.T, values ...json.Number) json.Number {
	t.Helper()
	var sum big.Rat
	for _, v := range values {
		n, ok := new(big.Rat).SetString(v.String())
		if !ok {
			t.Fatalf("%q is no number", v)
		}
		sum.Add(&sum, n)
	}
	return json.Number(sum.FloatString(6))
}

func readText(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
