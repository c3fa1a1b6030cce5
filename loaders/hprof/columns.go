package hprof

import "github.com/memtui/memtui/model"

// setReferences sets the references of a heap.
func setReferences(h *model.Heap, start, to []uint32, label []model.EdgeLabel) {
	h.Start, h.To, h.Label = model.Column[model.Ref]{Narrow: start}, model.Column[model.Row]{Narrow: to}, label
}

// setLarge stores an index that does not fit the label of a reference.
func setLarge(h *model.Heap, ref uint32, index uint64) {
	if h.LargeIndex == nil {
		h.LargeIndex = map[model.Ref]uint64{}
	}
	h.LargeIndex[model.Ref(ref)] = index
}
