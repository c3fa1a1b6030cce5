package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/internal/memtest/modeltest"
)

// diffAnswer is what tests read of a comparison.
type diffAnswer struct {
	Summary string
	Totals  diffSums
	Rows    []struct {
		Key, Status string
		diffSums
	}
	Statuses map[string]int
}

type diffSums struct {
	Before      uint64 `json:"before_bytes"`
	After       uint64 `json:"after_bytes"`
	Delta       int64  `json:"delta_bytes"`
	CountBefore uint64 `json:"before_count"`
	CountAfter  uint64 `json:"after_count"`
	DeltaCount  int64  `json:"delta_count"`
}

func (d *diffAnswer) sum() diffSums {
	var sum diffSums
	for _, r := range d.Rows {
		sum.Before, sum.After, sum.Delta = sum.Before+r.Before, sum.After+r.After, sum.Delta+r.Delta
		sum.CountBefore, sum.CountAfter, sum.DeltaCount = sum.CountBefore+r.CountBefore, sum.CountAfter+r.CountAfter, sum.DeltaCount+r.DeltaCount
	}
	return sum
}

func diffOf(t *testing.T, args ...string) diffAnswer {
	t.Helper()
	status, out, errs := run(t, Env{}, append([]string{"diff", "-f", "json", "--limit", "0"}, args...)...)
	var d diffAnswer
	if err := json.Unmarshal([]byte(out), &d); status != 0 || err != nil {
		t.Fatalf("%q: status %d, %v\n%s", args, status, err, errs)
	}
	return d
}

// totalsHeader begins profiles in which one stack of ten functions shrinks, and a flat one grows by more than that, but
// by less than what the ten functions lose with all they call.
const totalsHeader = `{"type":"header","format":"spaa","version":"1.0","source_tool":"t","frame_order":"leaf_to_root","events":[{"name":"e","kind":"allocation","sampling":{"mode":"event","primary_metric":"live_bytes"}}],"stack_id_mode":"local"}
{"type":"dso","id":1,"name":"a.out"}
`

func totalsProfile(t *testing.T, deep, flat int) string {
	t.Helper()
	var b, ids strings.Builder
	b.WriteString(totalsHeader)
	for i := 1; i <= 10; i++ {
		fmt.Fprintf(&b, `{"type":"frame","id":%d,"func":"deep%d","dso":1}`+"\n", i, i)
		ids.WriteString(fmt.Sprintf("%d,", i))
	}
	fmt.Fprintln(&b, `{"type":"frame","id":11,"func":"flat","dso":1}`)
	fmt.Fprintf(&b, `{"type":"stack","id":"0x1","frames":[%s],"context":{"event":"e"},"weights":[{"metric":"live_bytes","value":%d},{"metric":"live_count","value":3}]}`+"\n",
		strings.TrimSuffix(ids.String(), ","), deep)
	fmt.Fprintf(&b, `{"type":"stack","id":"0x2","frames":[11],"context":{"event":"e"},"weights":[{"metric":"live_bytes","value":%d},{"metric":"live_count","value":2}]}`+"\n", flat)
	path := filepath.Join(t.TempDir(), "x.spaa")
	if err := os.WriteFile(path, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTotalsAreOfTheSidesWhateverRowsAre(t *testing.T) {
	modeltest.Plain(t)
	before, after := totalsProfile(t, 200_000, 1000), totalsProfile(t, 100_000, 513_000)
	for _, group := range []string{"stack", "function", "total", "file", "module", "thread"} {
		d := diffOf(t, "--group", group, before, after)
		if want := (diffSums{201_000, 613_000, 412_000, 5, 5, 0}); d.Totals != want {
			t.Errorf("profiles by %s: %+v", group, d.Totals)
		}
		if !strings.Contains(d.Summary, "grew by 402 KiB") {
			t.Errorf("profiles by %s: %s", group, d.Summary)
		}
	}
	const other = "../../loaders/mlyze/testdata/real/ref_05_realistic_app.mlyze"
	for _, c := range []struct{ by, groups string }{
		{"live_bytes", "stack function total file module thread size"},
		{"alloc_bytes", "stack function total file module thread size lifetime"},
		{"alloc_count", "stack function total file module thread size lifetime"},
		{"live_count", "stack function total file module thread size"},
		{"peak_bytes", "stack function file module thread size"},
	} {
		for _, rest := range [][]string{
			{sample, other}, {"--a", "10%..40%", "--b", "40%..80%", sample}, {"--focus", "main", sample, other},
		} {
			var want diffSums
			for i, group := range strings.Fields(c.groups) {
				if rest[0] == "--focus" && (group == "lifetime" || c.by == "peak_bytes") {
					continue // of a part of the blocks neither is known
				}
				d := diffOf(t, append([]string{"--by", c.by, "--group", group}, rest...)...)
				if i == 0 {
					want = d.Totals
				}
				if d.Totals != want {
					t.Errorf("%s by %s of %q: %+v, want %+v", c.by, group, rest, d.Totals, want)
				}
				if sum := d.sum(); group != "total" && c.by != "peak_bytes" && sum != want {
					t.Errorf("%s by %s of %q: rows add up to %+v, want %+v", c.by, group, rest, sum, want)
				}
			}
		}
	}
}

// What was never freed is part of what was allocated.
func TestLifetimesHoldWhatWasNeverFreed(t *testing.T) {
	d := diffOf(t, "--group", "lifetime", "--by", "alloc_bytes", "--a", "start..50%", "--b", "50%..end", sample)
	for _, r := range d.Rows {
		if r.Key == "never freed" && r.Before > 0 && r.After > 0 {
			return
		}
	}
	t.Errorf("%+v", d.Rows)
}

func TestThePeakOfTracesIsCompared(t *testing.T) {
	d := diffOf(t, "--by", "peak_bytes", "--a", "start..50%", "--b", "start..end", sample)
	for i, to := range []string{"50%", "end"} {
		_, out, _ := run(t, Env{}, "report", "-f", "json", "--to", to, sample)
		var r struct {
			Trace struct{ Peak struct{ Bytes uint64 } }
		}
		if err := json.Unmarshal([]byte(out), &r); err != nil {
			t.Fatal(err)
		}
		if got := [...]uint64{d.Totals.Before, d.Totals.After}[i]; got != r.Trace.Peak.Bytes {
			t.Errorf("up to %s: %d, want %d", to, got, r.Trace.Peak.Bytes)
		}
	}
	if !strings.Contains(d.Summary, "peak memory") {
		t.Error(d.Summary)
	}
}

// Types retain parts of each other: all of them retain no more than the heap holds.
func TestRetainedTotalsAreNotCountedTwice(t *testing.T) {
	modeltest.Plain(t)
	const heap = "../demo/samples/records.mvmheap"
	d := diffOf(t, "--by", "retained_bytes", heap+"#0", heap+"#2")
	own := diffOf(t, heap+"#0", heap+"#2")
	_, out, _ := run(t, Env{}, "report", "-f", "json", heap)
	var r struct {
		Heap struct{ Snapshots []struct{ Bytes uint64 } }
	}
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if d.Totals.Before < own.Totals.Before || d.Totals.Before > r.Heap.Snapshots[0].Bytes || d.Totals.After < own.Totals.After || d.Totals.After > r.Heap.Snapshots[2].Bytes {
		t.Errorf("all retain %+v, weigh %+v, in heaps of %+v", d.Totals, own.Totals, r.Heap.Snapshots)
	}
	if d.Totals.CountAfter != own.Totals.CountAfter {
		t.Errorf("%d and %d objects", d.Totals.CountAfter, own.Totals.CountAfter)
	}
}

// A row is the same where the figure compared is, whatever its count did.
func TestTheSameFigureIsTheSame(t *testing.T) {
	seen := 0
	for _, args := range [][]string{
		{"--by", "managed_bytes", "../demo/samples/records.mvmheap#0", "../demo/samples/records.mvmheap#2"},
		{"--by", "unmanaged_bytes", "../demo/samples/records.mvmheap#0", "../demo/samples/records.mvmheap#2"},
		{"--by", "peak_bytes", "--a", "20%", "--b", "80%", sample}, {"--group", "thread", "--a", "20%", "--b", "80%", sample},
		{"--by", "free_bytes", "../demo/samples/real_proc_python.mb"},
	} {
		d := diffOf(t, args...)
		counts := map[string]int{"new": 0, "gone": 0, "grown": 0, "shrunk": 0, "same": 0}
		for _, r := range d.Rows {
			counts[r.Status]++
			if wrong := r.Delta == 0 && (r.Status == "grown" || r.Status == "shrunk") || r.Delta != 0 && r.Status == "same"; wrong {
				t.Errorf("%q: %s by %d is %s", args, r.Key, r.Delta, r.Status)
			}
			if r.Delta == 0 && r.DeltaCount != 0 && r.Status == "same" {
				seen++
			}
		}
		for status, n := range counts {
			if d.Statuses[status] != n {
				t.Errorf("%q: %d rows are %s, not %d", args, n, status, d.Statuses[status])
			}
		}
	}
	if seen == 0 {
		t.Error("no row has as much in another number of things")
	}
}

// A row of CSV says in cells of their own where its stack allocates, and who owns it.
func TestStacksOfADifferenceHaveColumns(t *testing.T) {
	status, out, errs := run(t, Env{}, "diff", "-f", "csv", "--limit", "0", "--a", "20%", "--b", "end", sample)
	if status != 0 {
		t.Fatalf("status %d, %q", status, errs)
	}
	rows, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil || len(rows) < 5 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	at := func(name string) int { return slices.Index(rows[0], name) }
	owned := 0
	for _, r := range rows[1:] {
		leaf, _, _ := strings.Cut(r[at("key")], ";")
		want := r[at("function")]
		if r[at("file")] != "" {
			want += " (" + r[at("file")]
			if n := r[at("line")]; n != "" && n != "0" {
				want += ":" + r[at("line")]
			}
			want += ")"
		}
		if want != leaf {
			t.Errorf("the leaf of %q is %q", r[at("key")], want)
		}
		if !strings.Contains(r[at("key")], r[at("owner")]) {
			t.Errorf("%q owns %q", r[at("owner")], r[at("key")])
		}
		if r[at("owner")] != r[at("function")] {
			owned++
		}
	}
	if owned == 0 {
		t.Error("every leaf is its own owner")
	}
	if _, out, _ := run(t, Env{}, "diff", "-f", "csv", "--group", "function", "--a", "20%", "--b", "end", sample); strings.Contains(out, "owner") {
		t.Errorf("functions are no stacks:\n%s", out)
	}
}
