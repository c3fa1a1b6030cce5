package cli

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/memory"
	"github.com/memtui/memtui/model"
)

// What is left of a comparison without memory for all of it says the same as the whole one, and what is missing.
func TestDiffLeavesOutWhatDoesNotFit(t *testing.T) {
	const other, layouts = "../../loaders/mlyze/testdata/real/ref_05_realistic_app.mlyze", "../demo/samples/real_proc_python.mb"
	for _, files := range [][2]string{{sample, other}, {totalsProfile(t, 200_000, 1000), totalsProfile(t, 100_000, 513_000)}, {layouts + "#0", layouts + "#-1"}} {
		whole := diffOf(t, files[0], files[1])
		var out struct {
			diffAnswer
			Complete bool
			Problems []struct{ Code string }
			Keys     map[string]json.RawMessage
		}
		data := leanDiff(t, files)
		if err := json.Unmarshal(data, &out); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &out.Keys); err != nil {
			t.Fatal(err)
		}
		if out.Totals != whole.Totals || out.Complete || len(out.Problems) == 0 || out.Problems[len(out.Problems)-1].Code != model.CodeMemory {
			t.Errorf("%q: %+v, not %+v; complete %v, %v", files, out.Totals, whole.Totals, out.Complete, out.Problems)
		}
		rows := strings.HasPrefix(files[0], layouts)
		for _, key := range []string{"rows", "row_count", "statuses", "unmatched", "nameless", "merged"} {
			if _, there := out.Keys[key]; there != rows {
				t.Errorf("%q: %s is there: %v", files, key, there)
			}
		}
		if rows && (len(out.Rows) != len(whole.Rows) || strings.Contains(string(data), "newly_occupied_bits")) {
			t.Errorf("%q: %d rows, not %d: %s", files, len(out.Rows), len(whole.Rows), data)
		}
		if strings.Contains(out.Summary, "Nothing changed") {
			t.Errorf("%q: %s", files, out.Summary)
		}
	}
}

// leanDiff compares two files as where the first try found no memory.
func leanDiff(t *testing.T, files [2]string) []byte {
	t.Helper()
	var out strings.Builder
	env := Env{Stdout: &out, Stderr: &strings.Builder{}, Getenv: func(string) string { return "" }}
	a := &app{env: env, flags: &globals{Index: "none"}, budget: model.NewBudget(1 << 30), collector: &memory.Collector{}, ending: &ending{}}
	defer a.collector.Stop()
	ctx := model.WithBudget(context.Background(), a.budget)
	var sides [2]*session
	for i, file := range files {
		s, err := a.open(ctx, file)
		if err != nil {
			t.Fatal(err)
		}
		defer s.close()
		sides[i] = s
	}
	d, err := a.newDiffing(ctx, sides[0], sides[1], &diffFlags{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err = d.run(ctx); err != nil || !d.canBeLean() {
		t.Fatal(err)
	}
	d.drop()
	d.lean = true
	r, err := d.run(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := report.WriteJSON(&out, r); err != nil {
		t.Fatal(err)
	}
	return []byte(out.String())
}
