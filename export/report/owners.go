package report

import (
	"strings"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/export/report/members"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// HeapOwners lists the retainers of the objects of a type: their dominators, grouped by type and field.
type HeapOwners struct {
	Type     string      `json:"type"`          // as requested
	Matched  int         `json:"matched_types"` // number of types that match
	Group    string      `json:"group"`         // the grouping of owners
	Count    uint64      `json:"count"`
	Bytes    uint64      `json:"bytes"`
	Retained uint64      `json:"retained_bytes"` // by the objects
	Owners   []HeapOwner `json:"holders"`        // most retained first
	More     int         `json:"more_holders,omitzero"`
}

// HeapOwner is a group of owners: what dominates the objects.
type HeapOwner struct {
	Label    string      `json:"label"`
	Edge     *string     `json:"edge,omitzero"` // the field, "[]" for elements; nil if no reference goes down directly
	Rows     uint64      `json:"holder_count"`
	Row      model.Row   `json:"row"` // the row that retains most
	Count    uint64      `json:"count"`
	Bytes    uint64      `json:"bytes"`
	Retained uint64      `json:"retained_bytes"`
	Owners   []HeapOwner `json:"holders"`
	More     int         `json:"more_holders,omitzero"`
	members.ID
}

// ownerRow is a row of CSV.
type ownerRow struct {
	Depth    int       `json:"depth"`
	Label    string    `json:"label"`
	Edge     *string   `json:"edge"`
	Rows     uint64    `json:"holder_count"`
	Row      model.Row `json:"row"`
	Count    uint64    `json:"count"`
	Bytes    uint64    `json:"bytes"`
	Retained uint64    `json:"retained_bytes"`
}

// SetOwners adds the retainers of the objects of a type of that name.
func (r *Report) SetOwners(h *model.Heap, name string, q heapgraph.OwnersQuery, x *heapgraph.Owners) {
	r.Heap.Owners = &HeapOwners{
		Type: name, Matched: len(q.Types), Group: h.Schema.Axes[q.Axis].Key, Count: x.Count, Bytes: x.Bytes, Retained: x.Retained,
		Owners: newOwners(h, x.By), More: x.More,
	}
}

func newOwners(h *model.Heap, list []heapgraph.Owners) []HeapOwner {
	out := []HeapOwner{}
	for i := range list {
		x := &list[i]
		owner := HeapOwner{
			Label: x.Label, Rows: x.Rows, Row: x.Row, Count: x.Count, Bytes: x.Bytes, Retained: x.Retained,
			Owners: newOwners(h, x.By), More: x.More,
			ID: members.NewID(h, x.Row),
		}
		if x.Edge != "" {
			owner.Edge = &x.Edge
		}
		out = append(out, owner)
	}
	return out
}

// ownerRows returns the tree as rows, each one before its own owners.
func ownerRows(list []HeapOwner, depth int) (rows []ownerRow) {
	for _, x := range list {
		rows = append(rows, ownerRow{depth, x.Label, x.Edge, x.Rows, x.Row, x.Count, x.Bytes, x.Retained})
		rows = append(rows, ownerRows(x.Owners, depth+1)...)
	}
	return rows
}

// leftOutOwners returns the number of owners that the limit left out, at all levels.
func leftOutOwners(list []HeapOwner, more int) int {
	for i := range list {
		more += leftOutOwners(list[i].Owners, list[i].More)
	}
	return more
}

// owners draws the tree, with the owners of each owner below it.
func (w heapWriter) owners(x *HeapOwners) table {
	out := table{
		name: "holders", title: "Retainers of " + w.name(x.Type), more: leftOutOwners(x.Owners, x.More), each: "level",
		answer: model.Counted(x.Count, "object") + ", " + w.style.Bytes(x.Bytes) + ", retain " + w.style.Bytes(x.Retained),
		cols: []col{{titles.Retained, number}, {titles.Share, number}, {titles.Count, number},
			{titles.Bytes, number}, {titles.Holders, number}, {titles.What, name}},
	}
	if x.Matched > 1 {
		out.answer += ", " + model.Counted(x.Matched, "type") + " of that name combined"
	}
	for _, r := range ownerRows(x.Owners, 0) {
		what := strings.Repeat("  ", r.Depth) + w.name(r.Label)
		if r.Row == model.RootRow {
			what = strings.Repeat("  ", r.Depth) + "the root, or several retainers"
		} else if r.Edge != nil {
			what += w.style.Text(" · " + model.Clean(*r.Edge))
		}
		out.rows = append(out.rows, []string{
			w.style.Bytes(r.Retained), w.style.Share(r.Retained, x.Retained), w.style.Count(r.Count),
			w.style.Bytes(r.Bytes), w.style.Count(r.Rows), what,
		})
	}
	return out
}
