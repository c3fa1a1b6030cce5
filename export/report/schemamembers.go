package report

import (
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/model"
)

// HeapCounts holds the number of rows of each set of the schema: members of a JSON object named by the sets' keys.
type HeapCounts []HeapCount

// HeapCount is the number of rows of a set, or nil if it is unknown.
type HeapCount struct {
	Set *model.HeapSet
	N   *int64
}

// HeapPlaces holds the places of a type, or of a row, on all axes of the schema except the first. They are members of a
// JSON object, named by the axes' keys.
type HeapPlaces []HeapPlace

// HeapPlace is a place on one axis; not cleaned.
type HeapPlace struct {
	Axis *model.HeapAxis
	Text string
}

// HeapEdgeKind is the kind of a reference, "edge_kind". It is nil if the format has only one kind.
type HeapEdgeKind []model.HeapEdgeInfo

// Members implements [object.Membered].
func (k HeapEdgeKind) Members() (list []object.Member) {
	for i := range k {
		name := &k[i].Name
		if *name == "" { // of the root, which no reference leads to
			name = nil
		}
		list = append(list, object.Member{Name: "edge_kind", Value: name})
	}
	return list
}

// HeapID is the identity of a row's object as the format's tools write it, "id". It is nil if the format has no
// identities, or if the row is not an object.
type HeapID []*string

func newID(h *model.Heap, row model.Row) HeapID {
	switch id := h.IDText(row); {
	case id == "":
		return emptyID(h.Schema)
	default:
		return HeapID{&id}
	}
}

// Members implements [object.Membered].
func (id HeapID) Members() (list []object.Member) {
	for _, text := range id {
		list = append(list, object.Member{Name: "id", Value: text})
	}
	return list
}

// Members implements [object.Membered].
func (c HeapCounts) Members() (list []object.Member) {
	for _, x := range c {
		list = append(list, object.Member{Name: x.Set.Key, Value: x.N})
	}
	return list
}

// HeapReach is how much of a snapshot the root reaches. It is empty for formats that record reachable objects only.
type HeapReach []heapReach

// heapReach holds the figures of the chosen snapshot; nil for others.
type heapReach struct {
	bytes, unreachableBytes *uint64
	unreachableRows         *int
}

// Members implements [object.Membered].
func (r HeapReach) Members() (list []object.Member) {
	for _, x := range r {
		list = append(list, object.Member{Name: "reachable_bytes", Value: x.bytes},
			object.Member{Name: "unreachable_rows", Value: x.unreachableRows},
			object.Member{Name: "unreachable_bytes", Value: x.unreachableBytes})
	}
	return list
}

// Members implements [object.Membered].
func (p HeapPlaces) Members() (list []object.Member) {
	for _, x := range p {
		text := &x.Text
		if x.Axis == &noAxis {
			text = nil
		}
		list = append(list, object.Member{Name: x.Axis.Key, Value: text})
	}
	return list
}

// newPlaces returns the places of a type on the axes that all its rows share.
func newPlaces(h *model.Heap, typ uint32) (list HeapPlaces) {
	for i := range h.Schema.Axes {
		if axis := &h.Schema.Axes[i]; i > 0 && !axis.ByRow {
			list = append(list, HeapPlace{axis, h.Tables.OnAxis(i, typ)})
		}
	}
	return list
}

// rowPlaces returns the places of a row on all axes except the first. Places of its type are included only if it has a
// type.
func rowPlaces(h *model.Heap, r model.Row) (list HeapPlaces) {
	for i := range h.Schema.Axes {
		if axis := &h.Schema.Axes[i]; i > 0 && (axis.ByRow || h.Kind(r).Naming == model.NamedByType) {
			list = append(list, HeapPlace{axis, h.OnAxis(i, r)})
		}
	}
	return list
}

// emptyRow returns a row of a table without rows, or nil if the columns of the table are the same for all formats.
func (h *Heap) emptyRow(table string) any {
	if h == nil || h.schema == nil {
		return nil
	}
	switch table {
	case "types", "":
		return HeapType{HeapPlaces: newPlaces(&model.Heap{Schema: h.schema, Tables: &model.HeapTables{}}, 0)}
	case "dominators":
		return Dominator{HeapID: emptyID(h.schema)}
	case "snapshots":
		return newSnapshot(h.schema, 0, model.HeapInfo{Time: model.NoTime})
	}
	return nil
}

// emptyID returns the identity of a row that is not an object.
func emptyID(s *model.HeapSchema) HeapID {
	if s.IDs.Prefix == "" {
		return nil
	}
	return HeapID{nil}
}

// on returns the place of a type on an axis.
func (t *HeapType) on(axis int, s *model.HeapSchema) string {
	for _, p := range t.HeapPlaces {
		if p.Axis == &s.Axes[axis] {
			return p.Text
		}
	}
	return ""
}

// many returns a number with its noun in the singular or plural.
func many(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return model.Group(uint64(n)) + " " + more
}

// part returns a part of a size, or nil if sizes have only one part.
func part(s *model.HeapSchema, bytes uint64) *uint64 {
	if !s.Split {
		return nil
	}
	return &bytes
}

// Schema returns the schema of the snapshots.
func (h *Heap) Schema() *model.HeapSchema { return h.schema }

// Policy returns the references that retained sizes follow, or nil if the report has no retained sizes.
func (h *Heap) Policy() *model.HeapPolicy { return h.policy }

// Words returns what the format calls types and frames: "type", "types", "frame" …
func (h *Heap) Words() (axis *model.HeapAxis, objects, frames *model.HeapSet) {
	frames, _ = h.schema.Frames()
	return &h.schema.Axes[0], h.schema.Objects(), frames
}
