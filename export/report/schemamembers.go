package report

import (
	"github.com/memtui/memtui/export/report/members"
	"github.com/memtui/memtui/model"
)

// emptyRow returns a row of a table without rows, or nil if the columns of the table are the same for all formats.
func (h *Heap) emptyRow(table string) any {
	if h == nil || h.schema == nil {
		return nil
	}
	switch table {
	case "types", "":
		return HeapType{Places: members.NewPlaces(&model.Heap{Schema: h.schema, Tables: &model.HeapTables{}}, 0)}
	case "dominators":
		return Dominator{ID: members.EmptyID(h.schema)}
	case "snapshots":
		return newSnapshot(h.schema, 0, model.HeapInfo{Time: model.NoTime})
	}
	return nil
}

// on returns the place of a type on an axis.
func (t *HeapType) on(axis int, s *model.HeapSchema) string {
	for _, p := range t.Places {
		if p.Axis == &s.Axes[axis] {
			return p.Text
		}
	}
	return ""
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
