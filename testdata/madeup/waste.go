package madeup

import (
	"context"

	"github.com/memtui/memtui/model"
)

// Threads implements [model.HeapThreads]: every stack is a thread of one frame, whose locals are the targets of its
// references.
func (f *file) Threads(_ context.Context, _ int, h *model.Heap) (list []model.HeapThread, err error) {
	for r, k := range h.Kinds {
		if k != kindStack {
			continue
		}
		row := model.Row(r)
		t := model.HeapThread{Row: row, Name: h.Tables.Type(h.Entity[r]), ID: h.IDText(row)}
		frame := model.HeapThreadFrame{Function: "run", File: "main.madeup", Line: 7}
		to, first := h.Out(row)
		for i, x := range to.All() {
			frame.Locals = append(frame.Locals, model.HeapLocal{Name: h.EdgeText(first + model.Ref(i)), Row: x})
		}
		t.Frames = []model.HeapThreadFrame{frame}
		list = append(list, t)
	}
	return list, nil
}

// Texts implements [model.HeapWaste]: cells with a text are strings.
func (f *file) Texts(_ context.Context, i int, _ *model.Heap, visit func(*model.HeapText) error) error {
	for r, at := range f.snaps[i].texts {
		if at.length == 0 {
			continue
		}
		b := make([]byte, at.length)
		if _, err := f.src.ReadAt(b, at.offset); err != nil {
			return err
		}
		if err := visit(&model.HeapText{Row: model.Row(r), Storage: model.Row(r), Content: b}); err != nil {
			return err
		}
	}
	return nil
}

// Collections implements [model.HeapWaste]: a cell with elements has capacity for eight, of ten bytes each.
func (f *file) Collections(_ context.Context, _ int, h *model.Heap, visit func(*model.HeapCollection) error) error {
	const room, slot = 8, 10
	for r := range h.Kinds {
		row, n := model.Row(r), int64(0)
		to, first := h.Out(row)
		for i := range to.Len() {
			if h.Label[first+model.Ref(i)].Indexed() {
				n++
			}
		}
		if n == 0 || n > room {
			continue
		}
		c := model.HeapCollection{Row: row, Storage: row, Form: model.CollectionList, Len: n, Capacity: room, Wasted: slot * uint64(room-n)}
		if err := visit(&c); err != nil {
			return err
		}
	}
	return nil
}
