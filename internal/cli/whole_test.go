package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/internal/cli/arg"
	"github.com/memtui/memtui/internal/cli/fail"
	"github.com/memtui/memtui/internal/cli/rules"
	"github.com/memtui/memtui/internal/memory"
	"github.com/memtui/memtui/internal/memtest"
	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

// TestVerdictsNeedTheWholeFile asks about files of which the program left something out, and about a damaged one, whose
// damage is the file's own.
func TestVerdictsNeedTheWholeFile(t *testing.T) {
	for code, want := range map[string]bool{
		model.CodeMemory: false, "stopped": false, "too-large": false, "line-length": false, "event-limit": false, "metric-limit": false, "truncated": true,
	} {
		p := &model.Profile{Meta: model.Meta{Name: "x.spaa"}, Problems: []model.Problem{{Severity: model.Warning, Code: code, Message: "why"}}}
		err := (&session{}).readCompletely(p, noComparison)
		if (err == nil) != want {
			t.Errorf("%s: %v", code, err)
		}
		if err != nil && err.Error() != "x.spaa cannot be compared: only part of it was read: why" {
			t.Errorf("%s: %v", code, err)
		}
	}
}

// inUse is an app of whose memory so many percents are in use before a file is opened, the context of its commands, and
// what they write.
func inUse(t *testing.T, percents int64) (*app, context.Context, func() string) {
	var out, errs strings.Builder
	env := Env{Stdout: &out, Stderr: &errs, Getenv: func(string) string { return "" }}
	a := &app{env: env, out: bufio.NewWriterSize(&out, 1<<20), flags: &globals{Index: "none", Format: "json"}, budget: model.NewBudget(1 << 30), collector: &memory.Collector{}, ending: &ending{}}
	a.budget.Measured(1 << 30 / 100 * percents)
	t.Cleanup(a.collector.Stop)
	return a, model.WithBudget(t.Context(), a.budget), func() string {
		a.out.Flush()
		return out.String()
	}
}

// What was cut is not compared; of a trace without names the sums are right, and rows are left out.
func TestDiffOfFilesReadInPart(t *testing.T) {
	const other, heap = "../../loaders/mlyze/testdata/real/ref_05_realistic_app.mlyze", "../demo/samples/records.mvmheap"
	dump := filepath.Join(t.TempDir(), "points.json")
	var points strings.Builder
	if err := memtest.WriteDumpJSON(&points, memtest.DumpSpec{Series: 1, Points: 100_000}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dump, []byte(points.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	long := totalsProfile(t, 1000, 1000)
	line := `{"type":"frame","id":12,"func":"` + strings.Repeat("x", 40<<20) + `","dso":1}` + "\n"
	if err := os.WriteFile(long, []byte(totalsHeader+line+lastLines(t, long)), 0o666); err != nil {
		t.Fatal(err)
	}
	names := diffFlags{StepFlags: arg.StepFlags{Focus: []string{"main"}}}
	for _, c := range []struct {
		what     string
		percents int64
		files    [2]string
		flags    diffFlags
		refused  bool
	}{
		{"events", 70, [2]string{sample, sample}, diffFlags{}, true},
		{"lines", 0, [2]string{long, long}, diffFlags{}, true},
		{"points", 60, [2]string{dump, dump}, diffFlags{}, true},
		{"names", 55, [2]string{sample, other}, diffFlags{}, false},
		{"names that filters ask for", 55, [2]string{sample, other}, names, true},
		{"nothing of a heap", 30, [2]string{heap + "#0", heap + "#1"}, diffFlags{}, false},
	} {
		a, ctx, out := inUse(t, c.percents)
		var sides [2]*session
		for i, file := range c.files {
			s, err := a.open(ctx, file)
			if err != nil {
				t.Fatal(c.what, err)
			}
			defer s.close()
			sides[i] = s
		}
		err := a.writeDiff(ctx, sides[0], sides[1], &diffCmd{diffFlags: c.flags})
		status := &fail.Error{}
		if c.refused {
			if !errors.As(err, &status) || status.Status != fail.StatusInput || !strings.Contains(err.Error(), " cannot be compared: only part of it was read: ") {
				t.Errorf("%s: %v, %.300s", c.what, err, out())
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if c.what == "names" {
			sumsAreWhole(t, out(), diffOf(t, c.files[0], c.files[1]))
		}
	}
}

// lastLines are the lines of a profile after its header.
func lastLines(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(string(data), totalsHeader)
}

// sumsAreWhole holds a comparison without rows against the whole one.
func sumsAreWhole(t *testing.T, text string, whole diffAnswer) {
	t.Helper()
	var got struct {
		diffAnswer
		Complete bool
		Keys     map[string]json.RawMessage
	}
	for _, to := range []any{&got, &got.Keys} {
		if err := json.Unmarshal([]byte(text), to); err != nil {
			t.Fatal(err)
		}
	}
	if got.Totals != whole.Totals || got.Complete || !strings.Contains(got.Summary, "Part of a side could not be read") {
		t.Errorf("%+v, not %+v; complete %v: %s", got.Totals, whole.Totals, got.Complete, got.Summary)
	}
	for _, key := range []string{"rows", "row_count", "statuses"} {
		if _, there := got.Keys[key]; there {
			t.Errorf("%s is there", key)
		}
	}
}

// A check against a base whose names were cut says nothing about what grew.
func TestCheckWithoutNamesListsNothing(t *testing.T) {
	a, ctx, out := inUse(t, 55)
	c := &checkCmd{File: []string{sample}, Base: sample}
	if err := c.Run(ctx, a); err != nil {
		t.Fatal(err)
	}
	if text := out(); strings.Contains(text, `"grown`) || !strings.Contains(text, `"ok": true`) {
		t.Error(text)
	}
	a, ctx, _ = inUse(t, 70)
	if err := c.Run(ctx, a); err == nil || !strings.Contains(err.Error(), "cannot be checked against limits") {
		t.Error(err)
	}
}

// A file without memory for all of it is neither valid nor violates anything, unless what was checked does.
func TestValidateOfAFileReadInPart(t *testing.T) {
	left := loaders.Violation{Rule: model.CodeMemory, Severity: model.Warning, Message: "names were left out", Offset: -1, Count: 1}
	wrong := loaders.Violation{Rule: "truncated", Severity: model.Error, Message: "it ends early", Offset: 9, Count: 1}
	for _, c := range []struct {
		found     []loaders.Violation
		valid     bool
		undecided bool
		verdict   string
	}{
		{nil, true, false, ": valid\n"},
		{[]loaders.Violation{left}, false, true, ": not checked to its end\n"},
		{[]loaders.Violation{left, wrong}, false, false, ": INVALID\n"},
		{[]loaders.Violation{wrong, left}, false, false, ": INVALID\n"},
	} {
		v := &rules.Result{Valid: true, Header: report.Header{File: report.File{Name: "x.spaa"}}}
		for _, x := range c.found {
			v.Add(x)
		}
		var text strings.Builder
		v.Text(&text)
		if why := v.Unread(); v.Valid != c.valid || (why != "") != c.undecided || !strings.Contains(text.String(), c.verdict) {
			t.Errorf("%v: valid %v, %v, %s", c.found, v.Valid, why, text.String())
		}
	}
	a, ctx, out := inUse(t, 60)
	err := (&validateCmd{Files: []string{sample}}).Run(ctx, a)
	status := &fail.Error{}
	if !errors.As(err, &status) || status.Status != fail.StatusInput || !strings.HasPrefix(err.Error(), "small_kvleak.mlyze cannot be validated: only part of it was read: ") {
		t.Error(err)
	}
	for _, want := range []string{`"valid": false`, `"complete": false`, `"rule": "memory-limit"`} {
		if !strings.Contains(out(), want) {
			t.Errorf("no %s in %s", want, out())
		}
	}
}
