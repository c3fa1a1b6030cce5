package report

import (
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// AroundType is a type of objects of a snapshot with the references to all its objects, and from them.
type AroundType struct {
	Type       string          `json:"type"`          // as requested
	Matched    int             `json:"matched_types"` // number of types that matched
	Count      uint64          `json:"count"`
	Bytes      uint64          `json:"bytes"`
	Retainers  []TypeNeighbors `json:"retainers"`  // most rows first
	References []TypeNeighbors `json:"references"` // most rows first
	RowCounts  AroundTypeCount `json:"row_counts"` // without the limit
}

// AroundTypeCount says how many kinds of retainers and references there are without a limit.
type AroundTypeCount struct {
	Retainers  int `json:"retainers"`
	References int `json:"references"`
}

// TypeNeighbors are rows of one kind and type on the other end of references.
type TypeNeighbors struct {
	Kind       string  `json:"kind"`
	Label      string  `json:"label"`
	Edge       *string `json:"edge,omitzero"` // the name of all the references, where they have one
	Count      uint64  `json:"count"`
	Bytes      uint64  `json:"bytes"` // their own
	References uint64  `json:"reference_count"`
}

type typeNeighbor struct {
	Relation string `json:"relation"`
	TypeNeighbors
}

// NewAroundType returns the report about the references of a type, at most most rows of each list.
func NewAroundType(s *model.HeapSchema, name string, a *heapgraph.AroundType, most int) *AroundType {
	rows := func(list []heapgraph.Neighbors) []TypeNeighbors {
		out := []TypeNeighbors{}
		for _, n := range limit(list, most) {
			row := TypeNeighbors{Kind: s.Kinds[n.Kind].Name, Label: n.Label, Count: n.Rows, Bytes: n.Bytes, References: n.References}
			if n.Edge != "" {
				row.Edge = &n.Edge
			}
			out = append(out, row)
		}
		return out
	}
	return &AroundType{
		Type: name, Matched: a.Types, Count: a.Count, Bytes: a.Bytes, Retainers: rows(a.Retainers), References: rows(a.References),
		RowCounts: AroundTypeCount{len(a.Retainers), len(a.References)},
	}
}

// rows returns retainers, the type and what its objects refer to.
func (a *AroundType) rows() (list []typeNeighbor) {
	for _, n := range a.Retainers {
		list = append(list, typeNeighbor{"retainer", n})
	}
	list = append(list, typeNeighbor{"type", TypeNeighbors{Kind: "", Label: a.Type, Count: a.Count, Bytes: a.Bytes}})
	for _, n := range a.References {
		list = append(list, typeNeighbor{"reference", n})
	}
	return list
}

// around lays a type out: retainers above it, references below.
func (w heapWriter) around(a *AroundType) table {
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
	for _, r := range a.rows() {
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
