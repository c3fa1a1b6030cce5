package report

import (
	"strings"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/export/report/members"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/titles"
)

// HeapHolders lists the retainers of the objects of a type: their dominators, grouped by type and field.
type HeapHolders struct {
	Type     string       `json:"type"`          // as requested
	Matched  int          `json:"matched_types"` // number of types that match
	Group    string       `json:"group"`         // the grouping of holders
	Count    uint64       `json:"count"`
	Bytes    uint64       `json:"bytes"`
	Retained uint64       `json:"retained_bytes"` // by the objects
	Holders  []HeapHolder `json:"holders"`        // most retained first
	More     int          `json:"more_holders,omitzero"`
}

// HeapHolder is a group of holders.
type HeapHolder struct {
	Label    string       `json:"label"`
	Edge     *string      `json:"edge,omitzero"` // the field, "[]" for elements; nil if no reference goes down directly
	Rows     uint64       `json:"holder_count"`
	Row      model.Row    `json:"row"` // the row that retains most
	Count    uint64       `json:"count"`
	Bytes    uint64       `json:"bytes"`
	Retained uint64       `json:"retained_bytes"`
	Holders  []HeapHolder `json:"holders"`
	More     int          `json:"more_holders,omitzero"`
	members.ID
}

// holderRow is a row of CSV.
type holderRow struct {
	Depth    int       `json:"depth"`
	Label    string    `json:"label"`
	Edge     *string   `json:"edge"`
	Rows     uint64    `json:"holder_count"`
	Row      model.Row `json:"row"`
	Count    uint64    `json:"count"`
	Bytes    uint64    `json:"bytes"`
	Retained uint64    `json:"retained_bytes"`
}

// SetHolders adds the retainers of the objects of a type of that name.
func (r *Report) SetHolders(h *model.Heap, name string, q heapgraph.OwnersQuery, x *heapgraph.Owners) {
	r.Heap.Holders = &HeapHolders{
		Type: name, Matched: len(q.Types), Group: h.Schema.Axes[q.Axis].Key, Count: x.Count, Bytes: x.Bytes, Retained: x.Retained,
		Holders: newHolders(h, x.By), More: x.More,
	}
}

func newHolders(h *model.Heap, list []heapgraph.Owners) []HeapHolder {
	out := []HeapHolder{}
	for i := range list {
		x := &list[i]
		holder := HeapHolder{
			Label: x.Label, Rows: x.Rows, Row: x.Row, Count: x.Count, Bytes: x.Bytes, Retained: x.Retained,
			Holders: newHolders(h, x.By), More: x.More,
			ID: members.NewID(h, x.Row),
		}
		if x.Edge != "" {
			holder.Edge = &x.Edge
		}
		out = append(out, holder)
	}
	return out
}

// holderRows returns the tree as rows, each one before its own holders.
func holderRows(list []HeapHolder, depth int) (rows []holderRow) {
	for _, x := range list {
		rows = append(rows, holderRow{depth, x.Label, x.Edge, x.Rows, x.Row, x.Count, x.Bytes, x.Retained})
		rows = append(rows, holderRows(x.Holders, depth+1)...)
	}
	return rows
}

// leftOutHolders returns the number of holders that the limit left out, at all levels.
func leftOutHolders(list []HeapHolder, more int) int {
	for i := range list {
		more += leftOutHolders(list[i].Holders, list[i].More)
	}
	return more
}

// holders draws the tree, with the holders of each holder below it.
func (w heapWriter) holders(x *HeapHolders) table {
	out := table{
		name: "holders", title: "Retainers of " + w.name(x.Type), more: leftOutHolders(x.Holders, x.More), each: "level",
		answer: model.Counted(x.Count, "object") + ", " + w.style.Bytes(x.Bytes) + ", retain " + w.style.Bytes(x.Retained),
		cols: []col{{titles.Retained, number}, {titles.Share, number}, {titles.Count, number},
			{titles.Bytes, number}, {titles.Holders, number}, {titles.What, name}},
	}
	if x.Matched > 1 {
		out.answer += ", " + model.Counted(x.Matched, "type") + " of that name combined"
	}
	for _, r := range holderRows(x.Holders, 0) {
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
