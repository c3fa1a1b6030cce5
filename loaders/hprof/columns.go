package hprof

import (
	"unsafe"

	"github.com/memtui/memtui/model"
)

// setReferences gives a heap its references.
func setReferences(h *model.Heap, start, to []uint32, label []model.EdgeLabel) {
	h.Start, h.Label = start, label
	h.To = unsafe.Slice((*model.Row)(unsafe.Pointer(unsafe.SliceData(to))), len(to))
}

// setLarge notes an index that does not fit the label of a reference.
func setLarge(h *model.Heap, ref uint32, index uint64) {
	if h.LargeIndex == nil {
		h.LargeIndex = map[uint32]uint64{}
	}
	h.LargeIndex[ref] = index
}
