// Package members is the part of rows of heap snapshots whose JSON names are those of the format: counts of its sets, places
// on its axes, kinds of references, identities of objects.
package members

import (
	"github.com/memtui/memtui/export/report/object"
	"github.com/memtui/memtui/model"
)

// Counts holds the number of rows of each set of the schema: members of a JSON object named by the sets' keys.
type Counts []Count

// Count is the number of rows of a set, or nil if it is unknown.
type Count struct {
	Set *model.HeapSet
	N   *int64
}

// Known returns a pointer to n, or nil if n is unknown.
func Known(n int64) *int64 {
	if n == model.NoCount {
		return nil
	}
	return &n
}

// KnownBytes returns a pointer to n, or nil if n is unknown.
func KnownBytes(n int64) *uint64 {
	if n < 0 {
		return nil
	}
	u := uint64(n)
	return &u
}

// Places holds the places of a type, or of a row, on all axes of the schema except the first. They are members of a
// JSON object, named by the axes' keys.
type Places []Place

// Place is a place on one axis; not cleaned.
type Place struct {
	Axis *model.HeapAxis
	Text string
}

// EdgeKind is the kind of a reference, "edge_kind". It is nil if the format has only one kind.
type EdgeKind []model.HeapEdgeInfo

// Members implements [object.Membered].
func (k EdgeKind) Members() (list []object.Member) {
	for i := range k {
		name := &k[i].Name
		if *name == "" { // of the root, which no reference leads to
			name = nil
		}
		list = append(list, object.Member{Name: "edge_kind", Value: name})
	}
	return list
}

// ID is the identity of a row's object as the format's tools write it, "id". It is nil if the format has no
// identities, or if the row is not an object.
type ID []*string

// NewID returns the identity of a row.
func NewID(h *model.Heap, row model.Row) ID {
	switch id := h.IDText(row); {
	case id == "":
		return EmptyID(h.Schema)
	default:
		return ID{&id}
	}
}

// Members implements [object.Membered].
func (id ID) Members() (list []object.Member) {
	for _, text := range id {
		list = append(list, object.Member{Name: "id", Value: text})
	}
	return list
}

// Members implements [object.Membered].
func (c Counts) Members() (list []object.Member) {
	for _, x := range c {
		list = append(list, object.Member{Name: x.Set.Key, Value: x.N})
	}
	return list
}

// Reach is how much of a snapshot the root reaches. It is empty for formats that record reachable objects only.
type Reach []Reached

// Reached holds the figures of the chosen snapshot; nil for others.
type Reached struct {
	Bytes, UnreachableBytes *uint64
	UnreachableRows         *int
}

// Members implements [object.Membered].
func (r Reach) Members() (list []object.Member) {
	for _, x := range r {
		list = append(list, object.Member{Name: "reachable_bytes", Value: x.Bytes},
			object.Member{Name: "unreachable_rows", Value: x.UnreachableRows},
			object.Member{Name: "unreachable_bytes", Value: x.UnreachableBytes})
	}
	return list
}

// Members implements [object.Membered].
func (p Places) Members() (list []object.Member) {
	for _, x := range p {
		text := &x.Text
		if x.Axis == &None {
			text = nil
		}
		list = append(list, object.Member{Name: x.Axis.Key, Value: text})
	}
	return list
}

// NewPlaces returns the places of a type on the axes that all its rows share.
func NewPlaces(h *model.Heap, typ uint32) (list Places) {
	for i := range h.Schema.Axes {
		if axis := &h.Schema.Axes[i]; i > 0 && !axis.ByRow {
			list = append(list, Place{axis, h.Tables.OnAxis(i, typ)})
		}
	}
	return list
}

// RowPlaces returns the places of a row on all axes except the first. Places of its type are included only if it has a
// type.
func RowPlaces(h *model.Heap, r model.Row) (list Places) {
	for i := range h.Schema.Axes {
		if axis := &h.Schema.Axes[i]; i > 0 && (axis.ByRow || h.Kind(r).Naming == model.NamedByType) {
			list = append(list, Place{axis, h.OnAxis(i, r)})
		}
	}
	return list
}

// EmptyID returns the identity of a row that is not an object.
func EmptyID(s *model.HeapSchema) ID {
	if s.IDs.Prefix == "" {
		return nil
	}
	return ID{nil}
}

// Part returns a part of a size, or nil if sizes have only one part.
func Part(s *model.HeapSchema, bytes uint64) *uint64 {
	if !s.Split {
		return nil
	}
	return &bytes
}

// None keeps a column of CSV, empty, in comparisons of other things than types: readers may count columns.
var None = model.HeapAxis{Key: "repr"}
