package report

import (
	"github.com/memtui/memtui/export/report/calls"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// around lays a type out: retainers above it, references below.
func (w heapWriter) around(a *calls.AroundType) table {
	out := table{
		name: AroundTable, title: "Retainers and references", answer: model.Counted(a.Count, "object") + ", " + w.style.Bytes(a.Bytes),
		more: a.RowCounts.Retainers + a.RowCounts.References - len(a.Retainers) - len(a.References),
		cols: []col{{titles.Count, number}, {titles.Bytes, number}, {titles.References, number}, {"", word},
			{titles.What, name}, {titles.Reference, symbol}},
	}
	if a.Matched > 1 {
		out.answer += ", " + model.Counted(a.Matched, "type") + " of that name combined"
	}
	words := map[string]string{"retainer": "referred to by", "reference": "refers to"}
	for _, r := range a.Rows() {
		edge, references := "", ""
		if r.Edge != nil {
			edge = w.style.Text(model.Clean(*r.Edge))
		}
		if r.References > 0 {
			references = w.style.Count(r.References)
		}
		out.rows = append(out.rows, []string{w.style.Count(r.Count), w.style.Bytes(r.Bytes), references,
			words[r.Relation], w.name(r.Label), edge})
	}
	return out
}
