package report

import "github.com/memtui/memtui/model"

// SchemaHeap is the name of the object that commands about one heap snapshot write.
const SchemaHeap = "memtui.heap/1"

// Heap holds the answers about heap snapshots. Lists that were not asked for are nil, and absent.
type Heap struct {
	Snapshots  []Snapshot    `json:"snapshots,omitzero"`
	Snapshot   *int          `json:"snapshot,omitzero"` // the one that the lists below are about
	Edges      string        `json:"edges,omitzero"`    // the references that retained sizes follow: the name of a policy
	Suspects   []HeapSuspect `json:"suspects,omitzero"` // what to look at first
	Types      []HeapType    `json:"types,omitzero"`
	Frames     []HeapFrame   `json:"frames,omitzero"`
	Dominators []Dominator   `json:"dominators,omitzero"`
	Counts     *HeapLengths  `json:"row_counts,omitzero"`

	count  int      // snapshots of the file, whole or not
	shown  Snapshot // the figures of Snapshot, for people
	schema *model.HeapSchema
	policy *model.HeapPolicy // that Edges names
	left   leftOut           // lists that there was no memory for
}

// HeapLengths says how long each list is without a limit; nil where there is none.
type HeapLengths struct {
	Suspects   *int `json:"suspects,omitzero"`
	Types      *int `json:"types,omitzero"`
	Frames     *int `json:"frames,omitzero"`
	Dominators *int `json:"dominators,omitzero"`
}

// Snapshot is the figures of one snapshot: counted over its rows, or what headers tell where it was not decoded. What is not
// known is nil.
type Snapshot struct {
	Index      int         `json:"index"`
	Time       *model.Time `json:"time_us,omitzero"` // since the recording began
	GC         *int64      `json:"gc,omitzero"`      // number of the collection
	Rows       *int64      `json:"rows,omitzero"`
	References *int64      `json:"references,omitzero"`
	HeapCounts
	Bytes     *uint64 `json:"bytes,omitzero"` // managed and unmanaged
	Managed   *uint64 `json:"managed_bytes,omitzero"`
	Unmanaged *uint64 `json:"unmanaged_bytes,omitzero"`
	HeapReach
	Complete bool `json:"complete"`
}

// HeapType is the objects of one type: the rows of the schema's first set.
type HeapType struct {
	ID   uint32 `json:"id"`
	Type string `json:"type"`
	HeapPlaces
	Count     uint64  `json:"count"`
	Bytes     uint64  `json:"bytes"`
	Managed   *uint64 `json:"managed_bytes,omitzero"` // where sizes have two parts
	Unmanaged *uint64 `json:"unmanaged_bytes,omitzero"`
	Retained  *uint64 `json:"retained_bytes,omitzero"` // by the set of all of them
}

// HeapFrame is the frames of one routine or block.
type HeapFrame struct {
	ID       uint32  `json:"id"`
	Frame    string  `json:"frame"` // "" for an anonymous block
	File     *string `json:"file,omitzero"`
	Line     *int64  `json:"line,omitzero"`
	Count    uint64  `json:"count"`
	Bytes    uint64  `json:"bytes"`
	Retained *uint64 `json:"retained_bytes,omitzero"`
}

// Dominator is a row with what it alone keeps alive.
type Dominator struct {
	Row           model.Row `json:"row"`
	Kind          string    `json:"kind"`
	Label         string    `json:"label"`
	Bytes         uint64    `json:"bytes"`
	RetainedBytes uint64    `json:"retained_bytes"`
	RetainedCount uint64    `json:"retained_count"`
	HeapID
}

// HeapRow is a row that a search found.
type HeapRow struct {
	Row   model.Row `json:"row"`
	Kind  string    `json:"kind"`
	Label string    `json:"label"`
	Bytes uint64    `json:"bytes"`
	HeapID
}

// HeapObject is everything about one row.
type HeapObject struct {
	Row   model.Row `json:"row"`
	Kind  string    `json:"kind"`
	Label string    `json:"label"`
	HeapID
	HeapPlaces
	Text          *string    `json:"text,omitzero"`       // what the object says: its beginning
	TextWhole     *bool      `json:"text_whole,omitzero"` // that is all of it
	Bytes         uint64     `json:"bytes"`
	Managed       *uint64    `json:"managed_bytes,omitzero"` // where sizes have two parts
	Unmanaged     *uint64    `json:"unmanaged_bytes,omitzero"`
	RetainedBytes uint64     `json:"retained_bytes"`
	RetainedCount uint64     `json:"retained_count"`
	Dominator     *model.Row `json:"dominator,omitzero"` // nil for the root
	Out           []HeapEdge `json:"out"`                // in the file's order
	In            []HeapEdge `json:"in"`                 // by row
	OutCount      int        `json:"out_count"`
	InCount       int        `json:"in_count"`

	left leftOut // what there was no memory for
}

// HeapEdge is a reference, seen from one of its ends: Row is the other one.
type HeapEdge struct {
	Row   model.Row `json:"row"`
	Label string    `json:"label"` // of the other row
	Edge  string    `json:"edge"`
	HeapEdgeKind
	HeapID
}

// HeapStep is a row of a path from the root.
type HeapStep struct {
	Row   model.Row `json:"row"`
	Kind  string    `json:"kind"`
	Label string    `json:"label"`
	Edge  *string   `json:"edge,omitzero"` // how the row before reaches it; nil for the root
	HeapEdgeKind
	HeapID
}

// newSnapshot returns what headers tell of a snapshot.
func newSnapshot(schema *model.HeapSchema, index int, info model.HeapInfo) Snapshot {
	s := Snapshot{
		Index: index, Complete: info.Complete, GC: known(info.GC), Rows: known(info.Rows), References: known(info.References),
		Bytes: knownBytes(info.Bytes), Managed: knownBytes(info.ManagedBytes), Unmanaged: knownBytes(info.UnmanagedBytes),
	}
	if info.Time != model.NoTime {
		s.Time = &info.Time
	}
	if schema.Garbage {
		s.HeapReach = make(HeapReach, 1)
	}
	for i := range schema.Sets {
		s.HeapCounts = append(s.HeapCounts, HeapCount{&schema.Sets[i], known(info.Count(i))})
	}
	return s
}

// known returns a pointer to n, nil for what is not known.
func known(n int64) *int64 {
	if n == model.NoCount {
		return nil
	}
	return &n
}

func knownBytes(n int64) *uint64 {
	if n < 0 {
		return nil
	}
	u := uint64(n)
	return &u
}

// rows returns the table of that name, a slice of structs; "" is the first that was asked for.
func (h *Heap) rows(table string) (any, bool) {
	switch {
	case table == "types" || table == "" && h.Types != nil:
		return h.Types, true
	case table == "frames" || table == "" && h.Frames != nil:
		return h.Frames, true
	case table == "dominators" || table == "" && h.Dominators != nil:
		return h.Dominators, true
	case table == "suspects" || table == "" && h.Suspects != nil:
		return h.Suspects, true
	case table == "snapshots" || table == "":
		return h.Snapshots, true
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
