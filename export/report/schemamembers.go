package report

import (
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/model"
)

// HeapCounts are the rows of each set of the schema: members of a JSON object named by the sets' keys.
type HeapCounts []HeapCount

// HeapCount is the number of rows of a set, nil where it is not known.
type HeapCount struct {
	Set *model.HeapSet
	N   *int64
}

// HeapPlaces are what a type, or a row, is on axes of the schema but the first: members of a JSON object named by the
// axes' keys.
type HeapPlaces []HeapPlace

// HeapPlace is a place on an axis; not cleaned.
type HeapPlace struct {
	Axis *model.HeapAxis
	Text string
}

// HeapEdgeKind is the kind of a reference, "edge_kind", where the format has several: nil where it has not.
type HeapEdgeKind []model.HeapEdgeInfo

// Members implements [object.Membered].
func (k HeapEdgeKind) Members() (list []object.Member) {
	for i := range k {
		name := &k[i].Name
		if *name == "" { // of the root, which nothing leads to
			name = nil
		}
		list = append(list, object.Member{Name: "edge_kind", Value: name})
	}
	return list
}

// HeapID is the identity of a row's object as the format's tools write it, "id": nil where the format has none. Rows
// that are no objects have none, either.
type HeapID []*string

func newID(h *model.Heap, row model.Row) HeapID {
	switch id := h.IDText(row); {
	case h.Schema.IDs.Prefix == "":
		return nil
	case id == "":
		return HeapID{nil}
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

// HeapReach is how much of a snapshot the root reaches, where the format keeps the rest, too: nothing where it does
// not.
type HeapReach []heapReach

// heapReach has the figures of the chosen snapshot, nil for others.
type heapReach struct {
	bytes, unreachableBytes *uint64
	unreachableRows         *int
}

// Members implements [object.Membered].
func (r HeapReach) Members() (list []object.Member) {
	for _, x := range r {
		list = append(list, object.Member{Name: "reachable_bytes", Value: x.bytes}, object.Member{Name: "unreachable_rows", Value: x.unreachableRows}, object.Member{Name: "unreachable_bytes", Value: x.unreachableBytes})
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

// rowPlaces returns the places of a row on all axes, those of its type only where it has one.
func rowPlaces(h *model.Heap, r model.Row) (list HeapPlaces) {
	for i := range h.Schema.Axes {
		if axis := &h.Schema.Axes[i]; i > 0 && (axis.ByRow || h.Kind(r).Naming == model.NamedByType) {
			list = append(list, HeapPlace{axis, h.OnAxis(i, r)})
		}
	}
	return list
}

// emptyRow returns a row of a table that has none: it says which columns the table has.
func (h *Heap) emptyRow(table string) any {
	if h == nil || table != "types" && table != "" {
		return nil
	}
	return HeapType{HeapPlaces: newPlaces(&model.Heap{Schema: h.schema, Tables: &model.HeapTables{}}, 0)}
}

// on returns what a type is on an axis.
func (t *HeapType) on(axis int, s *model.HeapSchema) string {
	for _, p := range t.HeapPlaces {
		if p.Axis == &s.Axes[axis] {
			return p.Text
		}
	}
	return ""
}

// many returns a number with the word for one, or for more.
func many(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return model.Group(uint64(n)) + " " + more
}

// part returns a part of a size, nil where sizes have none.
func part(s *model.HeapSchema, bytes uint64) *uint64 {
	if !s.Split {
		return nil
	}
	return &bytes
}

// Schema returns what the snapshots are made of.
func (h *Heap) Schema() *model.HeapSchema { return h.schema }

// Policy describes the references that retained sizes follow, nil where nothing retained is told.
func (h *Heap) Policy() *model.HeapPolicy { return h.policy }

// Words names the types and frames of the format: "type", "types", "frame" …
func (h *Heap) Words() (axis *model.HeapAxis, objects, frames *model.HeapSet) {
	frames, _ = h.schema.Frames()
	return &h.schema.Axes[0], h.schema.Objects(), frames
}
