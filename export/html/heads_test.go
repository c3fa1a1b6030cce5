package html

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis/fleet"
	printed "github.com/memtui/memtui/export/report/fleet"
)

// columnTitles reads the titles of columns from the package that holds them.
func columnTitles(t *testing.T) map[string]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../model/titles/titles.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{"": true}
	ast.Inspect(file, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
			if text, err := strconv.Unquote(l.Value); err == nil {
				all[text] = true
			}
		}
		return true
	})
	return all
}

// Pages call columns as screens and reports do: no table has headings of its own.
func TestHeadingsAreTheTitlesOfColumns(t *testing.T) {
	titles := columnTitles(t)
	if len(titles) < 80 {
		t.Fatalf("%d titles", len(titles))
	}
	d := changes(t, 5)
	var out bytes.Buffer
	if _, err := WriteDiff(t.Context(), &out, &DiffSource{Diff: d, Program: "memtui"}); err != nil {
		t.Fatal(err)
	}
	heads := 0
	pages := [][]byte{write(t, kvleak(t, nil)), out.Bytes()}
	for _, a := range []fleet.Answer{{Top: make([]fleet.TopRow, 1)}, {Diff: make([]fleet.DiffRow, 1)}, {Outliers: make([]fleet.OutlierRow, 1)},
		{Trend: make([]fleet.TrendRow, 1)}, {Spread: make([]fleet.SpreadRow, 1)}, {Recordings: make([]fleet.RecordingRow, 1)}} {
		kind := fleet.Kind(len(pages) - 2)
		var out bytes.Buffer
		if _, err := WriteFleet(t.Context(), &out, &FleetSource{Answer: printed.New(&fleet.Question{Kind: kind}, &a, []printed.Stack{{Frames: []printed.Frame{{Function: "f", File: "a.c"}}}})}); err != nil {
			t.Fatal(err)
		}
		pages = append(pages, out.Bytes())
	}
	for _, data := range pages {
		for _, table := range dataOf(t, data).Tables {
			for _, c := range table.Cols {
				words := strings.Fields(c.Head)
				known := titles[c.Head] || len(words) == 2 && titles[words[0]] && titles[words[1]]
				if !known && (table.ID != "changes" || c.Head != strings.ToUpper(d.Thing())) {
					t.Errorf("table %s: %q is no title of model/titles", table.ID, c.Head)
				}
				heads++
			}
		}
	}
	if heads < 90 {
		t.Errorf("%d headings", heads)
	}
}
