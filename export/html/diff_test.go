package html

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/export/report"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/model"
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
