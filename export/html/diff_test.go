package html

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/diff"
	"github.com/memtui/memtui/export/report"
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
	if table := dataOf(t, out.Bytes()).Tables[0]; len(table.Rows)+table.More != 1000 || table.More == 0 || out.Len() > MaxBytes {
		t.Errorf("%d rows and %d more in %d bytes", len(table.Rows), table.More, out.Len())
	}
}
