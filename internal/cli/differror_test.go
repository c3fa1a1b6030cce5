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

	"github.com/memtui/memtui/internal/cli/fail"
)

// comparedRows is what JSON has of errors.
type comparedRows struct {
	Summary string  `json:"summary"`
	Within  *int    `json:"within_error"`
	Totals  figures `json:"totals"`
	Rows    []struct {
		figures
		Status string `json:"status"`
	} `json:"rows"`
}

type figures struct {
	Delta int64   `json:"delta_bytes"`
	Error *uint64 `json:"delta_error_bytes"`
}

func comparedIn(t *testing.T, args ...string) (out comparedRows) {
	t.Helper()
	status, text, errs := run(t, Env{}, append([]string{"diff", "-f", "json", "--limit", "0"}, args...)...)
	if err := json.Unmarshal([]byte(text), &out); status != 0 || err != nil || len(out.Rows) == 0 {
		t.Fatalf("%v: status %d, %d rows, %v, %s", args, status, len(out.Rows), err, errs)
	}
	return out
}

// TestErrorsInDifferences expects errors in comparisons of which a side is sampled, and in no other.
func TestErrorsInDifferences(t *testing.T) {
	const exact = "../../testdata/small_kvleak.mlyze"
	sampled := sampledFile(t)
	got := comparedIn(t, "--a", "50%", exact, sampled)
	within := 0
	for _, r := range got.Rows {
		if r.Error == nil {
			t.Fatalf("a row without an error: %+v", r)
		}
		if n := max(r.Delta, -r.Delta); n > 0 && uint64(n) <= *r.Error {
			within++
		}
	}
	if got.Within == nil || *got.Within != within || within == 0 || got.Totals.Error == nil || *got.Totals.Error == 0 {
		t.Errorf("within %v, want %d; total %v", got.Within, within, got.Totals.Error)
	}
	_, text, _ := run(t, Env{}, "diff", "-f", "csv", exact, sampled)
	if rows, err := csv.NewReader(strings.NewReader(text)).ReadAll(); err != nil || !slices.Contains(rows[0], deltaErrorColumn) {
		t.Errorf("CSV: %v, %v", err, rows)
	}
	for _, column := range []string{"error", deltaErrorColumn} {
		for _, r := range comparedIn(t, "--a", "50%", "--filter", column+">1K", exact, sampled).Rows {
			if *r.Error <= 1<<10 {
				t.Errorf("the filter keeps %+v", r)
			}
		}
		if status, _, errs := run(t, Env{}, "diff", "--filter", column+">1K", exact, exact); status != fail.StatusUsage || !strings.Contains(errs, "unknown column "+column) {
			t.Errorf("exact: %d, %s", status, errs)
		}
	}
	if got := comparedIn(t, "--a", "50%", exact, exact); got.Within != nil || got.Totals.Error != nil || got.Rows[0].Error != nil {
		t.Errorf("exact sides have errors: %+v", got)
	}
	_, text, _ = run(t, Env{}, "diff", "-f", "csv", exact, exact)
	if strings.Contains(text, deltaErrorColumn) {
		t.Error("exact CSV has errors")
	}
}

const deltaErrorColumn = "delta_error_bytes"

// TestDifferenceMarksSampledSides expects marks of estimates at the figures of the sampled side, and at differences.
func TestDifferenceMarksSampledSides(t *testing.T) {
	const exact = "../../testdata/small_kvleak.mlyze"
	sampled := sampledFile(t)
	const plain, marked = `[\d.]+ [KM]?i?B`, `~[\d.]+ [KM]?i?B`
	for _, tt := range []struct {
		args          []string
		before, after string
	}{
		{[]string{"--a", "50%", exact, sampled}, plain, marked},
		{[]string{"--b", "50%", sampled, exact}, marked, plain},
		{[]string{"--a", "50%", exact, sampled, "--swap"}, marked, plain},
		{[]string{"--a", "50%", sampled, sampled}, marked, marked},
	} {
		status, text, errs := run(t, Env{}, append([]string{"diff"}, tt.args...)...)
		row := regexp.MustCompile(`(?m)^ +` + tt.before + ` +` + tt.after + ` +~[+-][\d.]+ [KM]?i?B +±[\d.]+ [KM]?i?B `)
		if status != 0 || !row.MatchString(text) || !regexp.MustCompile(`(from|:) `+tt.before+` (to|before,) `+tt.after).MatchString(text) ||
			!strings.Contains(text, "±: by how much") {
			t.Errorf("%v: status %d, %s\n%s", tt.args, status, errs, text)
		}
		if tt.args[0] != "--a" || len(tt.args) > 4 {
			continue
		}
		_, text, _ = run(t, Env{}, append([]string{"diff", "-f", "markdown"}, tt.args...)...)
		if !regexp.MustCompile(`(?m)^\| ` + tt.before + ` \| ` + tt.after + ` \| ~[+-]`).MatchString(text) {
			t.Errorf("%v: %s", tt.args, text)
		}
		_, text, _ = run(t, Env{}, append([]string{"diff", "--table", "treemap"}, tt.args...)...)
		if !regexp.MustCompile(`(?m)^ +` + tt.before + ` +` + tt.after + ` +~[+-]`).MatchString(text) {
			t.Errorf("%v: %s", tt.args, text)
		}
	}
}

// TestBlocksOfBothSidesHaveNoError compares two moments of a sampled recording: the blocks that live at both are the same
// samples, so that they add nothing to the error.
func TestBlocksOfBothSidesHaveNoError(t *testing.T) {
	one := sampledFile(t)
	other := copyOf(t, one)
	for _, more := range [][]string{{"--a", "50%", "--b", "51%"}, {"--group", "total", "--a", "50%", "--b", "51%"},
		{"--by", "alloc_bytes", "--a", "0%..50%", "--b", "0%..51%"}} {
		within, between := comparedIn(t, append(more, one)...), comparedIn(t, append(more, one, other)...)
		if within.Totals.Delta != between.Totals.Delta || *within.Totals.Error >= *between.Totals.Error/2 {
			t.Errorf("%v: ±%d within a recording, ±%d between two", more, *within.Totals.Error, *between.Totals.Error)
		}
	}
	same := comparedIn(t, "--a", "50%", "--b", "50%", one)
	for _, r := range same.Rows {
		if *r.Error != 0 {
			t.Errorf("the same moment: %+v", r)
		}
	}
}

// copyOf returns a copy of a file, which counts as another recording.
func copyOf(t *testing.T, path string) string {
	t.Helper()
	other := filepath.Join(t.TempDir(), "other-"+filepath.Base(path))
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(other, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// TestErrorsOfProfiles expects errors where a profile states how often it was sampled and counts blocks.
func TestErrorsOfProfiles(t *testing.T) {
	for _, tt := range []struct {
		file  string
		args  []string
		known bool
	}{
		{"../../loaders/pprof/testdata/go.heap.pb.gz", nil, true},
		{"../../loaders/pprof/testdata/go.heap.pb.gz", []string{"--by", "alloc_objects"}, true},
		{"../../loaders/pprof/testdata/go.heap.pb.gz", []string{"--by", "alloc_objects", "--group", "function"}, false},
		{"../../loaders/pprof/testdata/go.heap.pb.gz", []string{"--by", "alloc_space", "--group", "function"}, true},
		{"../../loaders/heaptext/testdata/sampled4096.f.heap", []string{"--normalize", "total"}, true},
		{"../../loaders/v8profile/testdata/shop.heapprofile", nil, false},
	} {
		got := comparedIn(t, append(tt.args, tt.file, copyOf(t, tt.file))...)
		for _, r := range got.Rows {
			if r.Error != nil != tt.known {
				t.Fatalf("%s, %v: %+v", tt.file, tt.args, r)
			}
		}
		if got.Totals.Error != nil != tt.known || tt.known && *got.Totals.Error == 0 {
			t.Errorf("%s, %v: total %+v", tt.file, tt.args, got.Totals)
		}
		if got := comparedIn(t, append(tt.args, tt.file, tt.file)...); got.Totals.Error != nil {
			t.Errorf("%s, %v: one file has an error", tt.file, tt.args)
		}
	}
}

// TestCheckListsNoNoise expects that what grew since another run does not list what sampling may have caused.
func TestCheckListsNoNoise(t *testing.T) {
	const exact = "../../testdata/small_kvleak.mlyze"
	base := filepath.Join(t.TempDir(), "base.mlyze")
	if status, _, errs := run(t, Env{}, "convert", "--to", "50%", exact, base); status != 0 {
		t.Fatal(errs)
	}
	grown := func(path string) (n int) {
		status, text, errs := run(t, Env{}, "check", "-f", "json", "--base", base, path)
		var got struct {
			Base struct {
				Count *int `json:"grown_count"`
			}
		}
		if err := json.Unmarshal([]byte(text), &got); status > 1 || err != nil || got.Base.Count == nil {
			t.Fatalf("%s: status %d, %v, %s", path, status, err, errs)
		}
		return *got.Base.Count
	}
	if all, sure := grown(exact), grown(sampledFile(t)); all == 0 || sure >= all {
		t.Errorf("%d rows grew, and %d next to samples", all, sure)
	}
}
