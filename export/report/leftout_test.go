package report

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/export/report/cells"
	"github.com/memtui/memtui/model"
)

// shortTrace has no memory for leaks and functions: the second it finds out only while it works.
type shortTrace struct {
	analysis.Trace
	budget *model.Budget
}

func (s shortTrace) Leaks(context.Context, analysis.LeakQuery) (analysis.Leaks, error) {
	return analysis.Leaks{}, s.budget.Error("leaks")
}

func (s shortTrace) Functions(ctx context.Context, _ analysis.Range, _ analysis.Cell) ([]analysis.Function, error) {
	if !s.budget.EndTries() {
		return nil, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestTablesWithoutMemoryAreLeftOut(t *testing.T) {
	p, trace := sample(t)
	budget := model.NewBudget(1 << 30)
	collected := 0
	budget.Collect = func() { collected++ }
	r, err := Build(model.WithBudget(t.Context(), budget), p, shortTrace{trace, budget}, whole())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := WriteJSON(&out, r); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Complete bool
		Problems []struct{ Code, Message string }
		Trace    map[string]json.RawMessage
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	var counts map[string]int
	if err := json.Unmarshal(doc.Trace["row_counts"], &counts); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"sites", "live_sites", "leaks", "late_freed", "functions", "threads"} {
		left := table == "leaks" || table == "functions"
		_, there := doc.Trace[table]
		_, counted := counts[table]
		if there == left || counted == left || r.LeftOut(table) != left {
			t.Errorf("%s: there %v, counted %v, left out %v", table, there, counted, r.LeftOut(table))
		}
	}
	last := doc.Problems[len(doc.Problems)-1]
	if doc.Complete || last.Code != model.CodeMemory || !strings.HasPrefix(last.Message, "the tables leaks, functions were left out: ") || collected != 2 {
		t.Errorf("complete %v, %d collections, %+v", doc.Complete, collected, last)
	}
	out.Reset()
	if err := WriteMarkdown(&out, r, cells.Style{}); err != nil || strings.Contains(out.String(), "never freed |") {
		t.Errorf("%v: markdown says what was never freed:\n%s", err, out.String())
	}
	if r.LeftOut("") || !slices.Contains(r.TableNames(), "leaks") {
		t.Error("the first table is left out, or the names of tables are")
	}
}
