package calls

import (
	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
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

// TypeNeighbor is one of the rows of a table of them: a retainer, the type itself, or what its objects refer to.
type TypeNeighbor struct {
	Relation string `json:"relation"`
	TypeNeighbors
}

// NewAroundType returns what refers to the objects of a type and what they refer to, at most most rows of each list, 0
// for all.
func NewAroundType(s *model.HeapSchema, name string, a *heapgraph.AroundType, most int) *AroundType {
	rows := func(list []heapgraph.Neighbors) []TypeNeighbors {
		out := []TypeNeighbors{}
		for _, n := range list[:shown(len(list), most)] {
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

// Rows returns retainers, the type and what its objects refer to.
func (a *AroundType) Rows() (list []TypeNeighbor) {
	for _, n := range a.Retainers {
		list = append(list, TypeNeighbor{"retainer", n})
	}
	list = append(list, TypeNeighbor{"type", TypeNeighbors{Kind: "", Label: a.Type, Count: a.Count, Bytes: a.Bytes}})
	for _, n := range a.References {
		list = append(list, TypeNeighbor{"reference", n})
	}
	return list
}

// shown returns how many of n rows a limit leaves; without one it is 0.
func shown(n, most int) int {
	if most <= 0 {
		return n
	}
	return min(n, most)
}
