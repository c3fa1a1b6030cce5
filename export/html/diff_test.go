package html

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/calltree"
	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// changes compares sides of n functions, all of which grew.
func changes(t *testing.T, n int) *report.Diff {
	t.Helper()
	side := func(bytes uint64) *diff.Side {
		out := &diff.Side{Label: "x", Bases: diff.NoBases}
		for i := range n {
			out.Rows = append(out.Rows, diff.SideRow{Key: fmt.Sprintf("%s-%d", hostile, i), Bytes: bytes + uint64(i), Count: 1})
		}
		return out
	}
	c, err := diff.Compare(t.Context(), side(10), side(30), diff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := &model.Profile{Meta: model.Meta{Name: hostile + ".mlyze", Path: "x", Format: "mlyze"}, Complete: true}
	of := report.DiffSource{Profile: p}
	return report.NewDiff(c, report.DiffOptions{Before: of, After: of, Metric: "live_bytes", What: "function"})
}

// The page of a comparison has its rows and its sentence, and nothing of a file becomes markup.
func TestPageOfAComparison(t *testing.T) {
	var out bytes.Buffer
	cut, err := WriteDiff(t.Context(), &out, &DiffSource{Diff: changes(t, 3), Program: "memtui"})
	if err != nil || len(cut) > 0 {
		t.Fatal(cut, err)
	}
	if strings.Count(out.String(), "<script") != 2 || strings.Contains(out.String(), "<img") {
		t.Error("a name became markup")
	}
	page := dataOf(t, out.Bytes())
	if len(page.Tables) != 1 || len(page.Tables[0].Rows) != 3 || page.Tables[0].Rows[0][0] != float64(20) || page.Tables[0].Rows[0][7] != "grown" {
		t.Errorf("the tables are %+v", page.Tables)
	}
	if len(page.Findings) != 1 || !strings.Contains(page.Findings[0].Text, "grew by 60 B") {
		t.Errorf("the findings are %+v", page.Findings)
	}
}

// Rows that a page has no room for are counted.
func TestPageOfAComparisonIsBounded(t *testing.T) {
	var out bytes.Buffer
	cut, err := WriteDiff(t.Context(), &out, &DiffSource{Diff: changes(t, 1000)})
	if err != nil || len(cut) == 0 {
		t.Error(cut, err)
	}
	if table := dataOf(t, out.Bytes()).Tables[0]; len(table.Rows)+table.More != 1000 || table.More == 0 || out.Len() > maxBytes {
		t.Errorf("%d rows and %d more in %d bytes", len(table.Rows), table.More, out.Len())
	}
}

// A lower bound is no exact figure in any form of a comparison, and what it does not tell is left open.
func TestDiffOfLowerBounds(t *testing.T) {
	row := func(key string, bytes uint64, bound bool) diff.SideRow {
		return diff.SideRow{Key: key, Bytes: bytes, AtLeast: bound, Listed: true}
	}
	before := &diff.Side{Rows: []diff.SideRow{row("Open", 2048, true), row("More", 1024, false), row("Less", 4096, true)}}
	after := &diff.Side{Rows: []diff.SideRow{row("Open", 4096, true), row("More", 4096, true), row("Less", 1024, false)}}
	c, err := diff.Compare(t.Context(), before, after, diff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	of := report.DiffSource{Profile: &model.Profile{Complete: true}}
	d := report.NewDiff(c, report.DiffOptions{Before: of, After: of, Metric: "retained_bytes", What: "x"})
	var js, csv, text, ascii, page bytes.Buffer
	_, failed := WriteDiff(t.Context(), &page, &DiffSource{Diff: d})
	for _, err := range []error{failed, report.WriteJSON(&js, d), report.WriteDiffCSV(&csv, d),
		report.WriteDiffText(&text, d, cells.Style{}), report.WriteDiffText(&ascii, d, cells.Style{ASCII: true})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for out, want := range map[*bytes.Buffer][]string{
		&js: {
			`{"key": "Open", "before_count": 0, "after_count": 0, "delta_count": 0, "before_at_least": 2048, "after_at_least": 4096, "status": "unknown"}`,
			`"key": "More", "before_bytes": 1024, "before_count": 0, "after_count": 0, "delta_count": 0, "after_at_least": 4096, "delta_at_least": 3072, "status": "grown"}`,
			`"key": "Less", "after_bytes": 1024, "before_count": 0, "after_count": 0, "delta_count": 0, "before_at_least": 4096, "delta_at_least": -3072, "status": "shrunk"}`,
			`"unknown": 1`,
		},
		&csv:   {"before_at_least,after_at_least,delta_at_least", "Open,,,,,,0,0,0,2048,4096,,unknown"},
		&text:  {"≥ 2.00 KiB  ≥ 4.00 KiB            ?", "≥ +3.00 KiB", "≤ -3.00 KiB", "unknown (?)"},
		&ascii: {">= +3.00 KiB", "<= -3.00 KiB"},
	} {
		for _, w := range want {
			if !strings.Contains(out.String(), w) {
				t.Errorf("no %q in\n%s", w, out)
			}
		}
	}
	if strings.ContainsAny(ascii.String(), "≥≤") {
		t.Errorf("not ASCII:\n%s", &ascii)
	}
	var got []string
	for _, r := range dataOf(t, page.Bytes()).Tables[0].Rows {
		got = append(got, fmt.Sprint(r[:3]))
	}
	want := []string{"[map[least:3072 sign:≥ ] 1024 map[least:4096]]", "[map[least:-3072 sign:≤ ] map[least:4096] 1024]", "[<nil> map[least:2048] map[least:4096]]"}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// The graph and the areas of a comparison weigh what its rows do, however few of them are listed.
func TestDifferencesLoseNothing(t *testing.T) {
	d := stackChanges(t, [2]bool{})
	change, sides, larger := uint64(0), [2]uint64{}, uint64(0)
	for i := range d.Comparison().Rows {
		r := &d.Comparison().Rows[i]
		change += max(r.BeforeBytes, r.AfterBytes) - min(r.BeforeBytes, r.AfterBytes)
		sides[0], sides[1] = sides[0]+r.BeforeBytes, sides[1]+r.AfterBytes
		larger += max(r.BeforeBytes, r.AfterBytes)
	}
	var out bytes.Buffer
	if _, err := WriteDiff(t.Context(), &out, &DiffSource{Diff: d}); err != nil {
		t.Fatal(err)
	}
	p := dataOf(t, out.Bytes())
	if len(p.Tables[0].Rows) != 1 || len(p.Flames) != 1 || !p.Flames[0].Sides || len(p.Views) != 1 {
		t.Fatalf("%d rows, %d graphs, %d views", len(p.Tables[0].Rows), len(p.Flames), len(p.Views))
	}
	for k, want := range []uint64{change, sides[1], sides[0]} {
		sum := uint64(0)
		for _, w := range p.Flames[0].Self[k] {
			sum += w
		}
		if sum != want || want == 0 {
			t.Errorf("%s: %d, want %d", p.Flames[0].Costs[k].ID, sum, want)
		}
	}
	var body struct {
		Treemap struct {
			All  float64
			Rows []area
		}
	}
	if err := json.Unmarshal(p.Views[0].Body, &body); err != nil {
		t.Fatal(err)
	}
	sums := [2]uint64{}
	for _, r := range body.Treemap.Rows {
		if r.Depth == 1 {
			sums[0], sums[1] = sums[0]+r.Sides[0], sums[1]+r.Sides[1]
		}
	}
	if sums != sides || body.Treemap.All > float64(larger) {
		t.Errorf("the areas have %v of %v, %v in all", sums, sides, body.Treemap.All)
	}
	for _, section := range []string{sectionGraph, sectionAreas, sectionChanges} {
		out.Reset()
		if err := AnswerDiff(t.Context(), &out, &DiffSource{Diff: d, Section: section}); err != nil {
			t.Fatal(err)
		}
		var one page
		if err := json.Unmarshal(out.Bytes(), &one); err != nil {
			t.Fatal(err)
		}
		if len(one.Flames) != 0 != (section == sectionGraph) || len(one.Views) != 0 != (section == sectionAreas) || len(one.Tables) != 0 != (section == sectionChanges) {
			t.Errorf("%s has %d graphs, %d views, %d tables", section, len(one.Flames), len(one.Views), len(one.Tables))
		}
	}
}

// TestPageMarksSampledSides expects marks of estimates at the sampled side and at changes, whose errors have a column.
func TestPageMarksSampledSides(t *testing.T) {
	for _, sampled := range [][2]bool{{}, {false, true}, {true, false}, {true, true}} {
		var out bytes.Buffer
		if _, err := WriteDiff(t.Context(), &out, &DiffSource{Diff: stackChanges(t, sampled)}); err != nil {
			t.Fatal(err)
		}
		p := dataOf(t, out.Bytes())
		kinds := map[string]string{}
		for _, table := range p.Tables {
			if table.ID == sectionChanges {
				for i, c := range table.Cols {
					kinds[c.Head] = c.Kind
					if c.Head == titles.Error && table.Rows[0][i] == nil {
						t.Error("a row has no error")
					}
				}
			}
		}
		kind := map[bool]string{false: "bytes", true: "~bytes"}
		either := sampled[0] || sampled[1]
		if kinds[titles.Before] != kind[sampled[0]] || kinds[titles.After] != kind[sampled[1]] || kinds[titles.Delta] != kind[either] ||
			(kinds[titles.Error] == "bytes") != either {
			t.Errorf("%v: columns %v", sampled, kinds)
		}
		for i := range sampled {
			if strings.HasPrefix(p.Cards[i].Value, "~") != sampled[i] {
				t.Errorf("%v: cards %+v", sampled, p.Cards)
			}
		}
		for i, side := range []bool{either, sampled[1], sampled[0]} {
			if len(p.Flames) > 0 && p.Flames[0].Costs[i].Unit != kind[side] {
				t.Errorf("%v: graph %+v", sampled, p.Flames[0].Costs)
			}
		}
	}
}

// stackChanges compares what lived in the middle of the sample with its end, of which it lists one row. Every second
// block of a side was recorded if it is sampled.
func stackChanges(t *testing.T, sampled [2]bool) *report.Diff {
	t.Helper()
	src := kvleak(t, nil)
	var sides [2]*diff.Side
	var of [2]report.DiffSource
	for i, at := range []analysis.Instant{analysis.At(src.Trace.Status().Duration / 2), analysis.End} {
		p := *src.Profile
		if sampled[i] {
			p.Meta.Sampled, p.Meta.Sampling = "sampled: 50 % of blocks", model.Sampling{Rate: 0.5}
		}
		of[i].Profile = &p
		side, err := diff.TraceSide(t.Context(), src.Trace, src.Profile.Stacks, calltree.FilterStacks, diff.TraceQuestion{
			Figure: report.SiteFigure("live_bytes"), At: at, Range: analysis.FullRange, Bases: &src.Range,
			Sampled: sampled[i], Sampling: p.Meta.Sampling})
		if err != nil {
			t.Fatal(err)
		}
		sides[i] = side
	}
	c, err := diff.Compare(t.Context(), sides[0], sides[1], diff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return report.NewDiff(c, report.DiffOptions{Before: of[0], After: of[1], Metric: "live_bytes", What: "stack", Limit: 1})
}
