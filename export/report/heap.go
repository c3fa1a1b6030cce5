package report

import (
	"github.com/memtui/memtui/export/report/members"
	"github.com/memtui/memtui/export/report/suspect"
	"github.com/memtui/memtui/model"
)

// SchemaHeap is the name of the object that commands about one heap snapshot write.
const SchemaHeap = "memtui.heap/1"

// Heap holds the results for heap snapshots. Lists that were not requested are nil and omitted.
type Heap struct {
	Snapshots  []Snapshot        `json:"snapshots,omitzero"`
	Snapshot   *int              `json:"snapshot,omitzero"` // the snapshot that the lists below describe
	Edges      string            `json:"edges,omitzero"`    // the references that retained sizes follow: the name of a policy
	Suspects   []suspect.Suspect `json:"suspects,omitzero"` // what to look at first
	Types      []HeapType        `json:"types,omitzero"`
	Group      string            `json:"grouped_by,omitzero"` // the grouping of Groups: the key of an axis, or "kind"
	Groups     []HeapGroup       `json:"groups,omitzero"`
	Frames     []HeapFrame       `json:"frames,omitzero"`
	Below      *model.Row        `json:"below,omitzero"` // the row that dominates Dominators directly
	Dominators []Dominator       `json:"dominators,omitzero"`
	Threads    []HeapThread      `json:"threads,omitzero"` // most retained first
	Waste      *HeapWaste        `json:"waste,omitzero"`
	Owners     *HeapOwners       `json:"holders,omitzero"`
	Trends     *HeapTrends       `json:"trends,omitzero"` // of several snapshots
	Counts     *HeapLengths      `json:"row_counts,omitzero"`

	count   int      // snapshots of the file, including incomplete ones
	shown   Snapshot // the figures of Snapshot, for people
	schema  *model.HeapSchema
	policy  *model.HeapPolicy // the policy that Edges names
	left    leftOut           // lists that did not fit into memory
	running int               // threads whose calls Frames are; 0 where frames are rows
}

// HeapTrends shows how types develop over the decoded snapshots.
type HeapTrends struct {
	Snapshots []int       `json:"snapshots"`
	Types     []HeapTrend `json:"types"` // largest growth first
	Count     int         `json:"type_count"`
}

// HeapTrend holds the objects of one type, by snapshot.
type HeapTrend struct {
	Type       string   `json:"type"`
	Sub        string   `json:"of,omitzero"` // what distinguishes types of one name: the loader of a class
	Bytes      []uint64 `json:"bytes"`
	Count      []uint64 `json:"count"`
	GrownBytes uint64   `json:"growth_bytes"` // in the last snapshot, since the one with the fewest
	GrownCount uint64   `json:"growth_count"`
}

// HeapLengths holds the length of each list before the limit; nil for lists that are absent.
type HeapLengths struct {
	Suspects   *int `json:"suspects,omitzero"`
	Types      *int `json:"types,omitzero"`
	Groups     *int `json:"groups,omitzero"`
	Frames     *int `json:"frames,omitzero"`
	Dominators *int `json:"dominators,omitzero"`
	Threads    *int `json:"threads,omitzero"`
}

// Snapshot holds the figures of one snapshot. They are counted over its rows, or taken from headers if it was not
// decoded. Unknown figures are nil.
type Snapshot struct {
	Index      int         `json:"index"`
	Time       *model.Time `json:"time_us,omitzero"` // since the recording began
	GC         *int64      `json:"gc,omitzero"`      // number of the collection
	Rows       *int64      `json:"rows,omitzero"`
	References *int64      `json:"references,omitzero"`
	members.Counts
	Types     *int    `json:"type_count,omitzero"` // types with objects
	Bytes     *uint64 `json:"bytes,omitzero"`      // managed and unmanaged
	Managed   *uint64 `json:"managed_bytes,omitzero"`
	Unmanaged *uint64 `json:"unmanaged_bytes,omitzero"`
	members.Reach
	Complete bool   `json:"complete"`
	File     string `json:"file,omitzero"` // of several
}

// HeapType holds the objects of one type: the rows of the schema's first set.
type HeapType struct {
	ID   uint32 `json:"id"`
	Type string `json:"type"`
	members.Places
	Count     uint64  `json:"count"`
	Bytes     uint64  `json:"bytes"`
	Managed   *uint64 `json:"managed_bytes,omitzero"` // if sizes have two parts
	Unmanaged *uint64 `json:"unmanaged_bytes,omitzero"`
	HeapRetained
}

// HeapFrame holds the frames of one routine or block.
type HeapFrame struct {
	ID        uint32  `json:"id"`
	Frame     string  `json:"frame"` // "" for an anonymous block
	File      *string `json:"file,omitzero"`
	Line      *int64  `json:"line,omitzero"`
	Count     uint64  `json:"count"`
	Bytes     uint64  `json:"bytes"`
	Managed   *uint64 `json:"managed_bytes,omitzero"` // if sizes have two parts
	Unmanaged *uint64 `json:"unmanaged_bytes,omitzero"`
	HeapRetained
}

// Dominator is a row with the memory that it alone keeps alive.
type Dominator struct {
	Row           model.Row `json:"row"`
	Kind          string    `json:"kind"`
	Label         string    `json:"label"`
	Bytes         uint64    `json:"bytes"`
	RetainedBytes uint64    `json:"retained_bytes"`
	RetainedCount uint64    `json:"retained_count"`
	members.ID
}

// HeapRow is a row that a search found.
type HeapRow struct {
	Row   model.Row `json:"row"`
	Kind  string    `json:"kind"`
	Label string    `json:"label"`
	Bytes uint64    `json:"bytes"`
	Text  *string   `json:"text,omitzero"` // with --values: the beginning of its text
	members.ID
}

// HeapObject is everything about one row.
type HeapObject struct {
	Row   model.Row `json:"row"`
	Kind  string    `json:"kind"`
	Label string    `json:"label"`
	members.ID
	members.Places
	Text          *string    `json:"text,omitzero"`       // the beginning of the object's text
	TextComplete  *bool      `json:"text_whole,omitzero"` // whether Text is complete
	Bytes         uint64     `json:"bytes"`
	Managed       *uint64    `json:"managed_bytes,omitzero"` // if sizes have two parts
	Unmanaged     *uint64    `json:"unmanaged_bytes,omitzero"`
	RetainedBytes uint64     `json:"retained_bytes"`
	RetainedCount uint64     `json:"retained_count"`
	Dominator     *model.Row `json:"dominator,omitzero"` // nil for the root
	Out           []HeapEdge `json:"out"`                // in the file's order
	In            []HeapEdge `json:"in"`                 // by row
	OutCount      int        `json:"out_count"`
	InCount       int        `json:"in_count"`

	Fields     []HeapField `json:"fields,omitzero"` // with --values: fields or elements, in the file's order
	FieldCount *int        `json:"field_count,omitzero"`

	left leftOut // parts that did not fit into memory
}

// HeapField is a field, a static or an element of an object: a value, a reference, or nothing.
type HeapField struct {
	Name         string     `json:"name,omitzero"`
	Index        *int64     `json:"index,omitzero"` // of an element
	Of           string     `json:"of,omitzero"`    // the declaring class if it is another one; "static"
	Type         string     `json:"type,omitzero"`
	Value        *string    `json:"value,omitzero"`
	Null         bool       `json:"null,omitzero"`
	Dangling     *string    `json:"dangling,omitzero"` // the identity of an object that is not in the file
	Row          *model.Row `json:"row,omitzero"`
	Label        *string    `json:"label,omitzero"`
	Text         *string    `json:"text,omitzero"` // the beginning of the text of the referenced object
	TextComplete *bool      `json:"text_whole,omitzero"`
	members.ID
}

// HeapEdge is a reference, seen from one of its ends. Row is the other end.
type HeapEdge struct {
	Row   model.Row `json:"row"`
	Label string    `json:"label"` // of the other row
	Edge  string    `json:"edge"`
	members.EdgeKind
	members.ID
}

// HeapStep is a row of a path from the root.
type HeapStep struct {
	Row   model.Row `json:"row"`
	Kind  string    `json:"kind"`
	Label string    `json:"label"`
	Edge  *string   `json:"edge,omitzero"` // how the previous row refers to it; nil for the root
	members.EdgeKind
	members.ID
}

// newSnapshot returns the figures that headers record of a snapshot.
func newSnapshot(schema *model.HeapSchema, index int, info model.HeapInfo) Snapshot {
	s := Snapshot{
		Index: index, Complete: info.Complete, File: info.File,
		GC: members.Known(info.GC), Rows: members.Known(info.Rows), References: members.Known(info.References),
		Bytes: members.KnownBytes(info.Bytes), Managed: members.KnownBytes(info.ManagedBytes),
		Unmanaged: members.KnownBytes(info.UnmanagedBytes),
	}
	if info.Time != model.NoTime {
		s.Time = &info.Time
	}
	if schema.Garbage {
		s.Reach = make(members.Reach, 1)
	}
	for i := range schema.Sets {
		s.Counts = append(s.Counts, members.Count{Set: &schema.Sets[i], N: members.Known(info.Count(i))})
	}
	return s
}

// list returns the table of that name and whether it exists; "" is the first requested table.
func (h *Heap) list(table string) (any, bool) {
	switch {
	case h.Threads != nil:
		rows := h.threadRows()
		return &rows, table == ""
	case h.Waste != nil:
		return &h.Waste.Collections, table == ""
	case h.Owners != nil:
		rows := ownerRows(h.Owners.Owners, 0)
		return &rows, table == ""
	case table == "groups" || table == "" && h.Groups != nil:
		return &h.Groups, true
	case table == "types" || table == "" && h.Types != nil:
		return &h.Types, true
	case table == "frames" || table == "" && h.Frames != nil:
		return &h.Frames, true
	case table == "dominators" || table == "" && h.Dominators != nil:
		return &h.Dominators, true
	case table == "suspects" || table == "" && h.Suspects != nil:
		return &h.Suspects, true
	case table == "trends" && h.Trends != nil:
		return &h.Trends.Types, true
	case table == "trends":
		return &[]HeapTrend{}, true
	case table == "treemap" || table == "dominator_treemap":
		return &[]singleRow{}, true
	case table == "snapshots" || table == "":
		return &h.Snapshots, true
	}
	return nil, false
}

// directedEdge is a reference with its direction: a row of CSV.
type directedEdge struct {
	Way string `json:"direction"` // "out", "in"
	HeapEdge
}

func (o *HeapObject) edges() []directedEdge {
	var out []directedEdge
	for _, e := range o.Out {
		out = append(out, directedEdge{"out", e})
	}
	for _, e := range o.In {
		out = append(out, directedEdge{"in", e})
	}
	return out
}
