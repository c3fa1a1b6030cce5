package hprof

import (
	"context"

	"github.com/memtui/memtui/loaders/internal/rowindex"
	"github.com/memtui/memtui/model"
)

// threadRoots returns the roots of threads.
func threadRoots(units []*unit) (list []root) {
	for _, u := range units {
		for _, r := range u.roots {
			if form := roots[r.tag]; form.object || form.thread {
				list = append(list, r)
			}
		}
	}
	return list
}

// Threads implements [model.HeapThreads].
func (f *file) Threads(ctx context.Context, i int, h *model.Heap) ([]model.HeapThread, error) {
	p, err := f.placesOf(i, h)
	if err != nil {
		return nil, err
	}
	x := rowindex.New(h.IDs, nil)
	list, at := []model.HeapThread{}, map[uint32]int{}
	for _, r := range p.threads {
		row := x.Find(r.id)
		if _, twice := at[r.thread]; twice || !roots[r.tag].object || row == rowindex.None {
			continue
		}
		at[r.thread] = len(list)
		t := model.HeapThread{Row: model.Row(row), ID: h.IDText(model.Row(row))}
		if t.Frames, err = f.framesOf(ctx, r.stack); err != nil {
			return nil, err
		}
		list = append(list, t)
	}
	for _, r := range p.threads {
		n, ok := at[r.thread]
		row := x.Find(r.id)
		if !ok || row == rowindex.None || roots[r.tag].object {
			continue
		}
		list[n].Frames = withLocal(list[n].Frames, r.frame, model.HeapLocal{Name: roots[r.tag].text, Row: model.Row(row)})
	}
	return list, f.nameThreads(ctx, p, h, list)
}

// withLocal adds an object that a frame refers to or, if the frame is unknown, the thread itself: in a frame without a
// name.
func withLocal(frames []model.HeapThreadFrame, frame int32, local model.HeapLocal) []model.HeapThreadFrame {
	n := int(frame)
	if n < 0 || n >= len(frames) {
		if n = len(frames) - 1; n < 0 || frames[n].Function != "" {
			n, frames = n+1, append(frames, model.HeapThreadFrame{Line: model.NoLine})
		}
	}
	if local.Name == roots[0x03].text { // dumps do not name variables
		local.Name = ""
	}
	frames[n].Locals = append(frames[n].Locals, local)
	return frames
}

// maxFrames bounds how many frames of a stack are read.
const maxFrames = 1 << 16

// framesOf returns the frames of a stack.
func (f *file) framesOf(ctx context.Context, serial uint32) ([]model.HeapThreadFrame, error) {
	f.mu.Lock()
	if f.stackAt == nil {
		f.stackAt, f.frameAt, f.classAt = map[uint32]int{}, map[uint64]int{}, map[uint32]int{}
		for i := range f.stacks {
			f.stackAt[f.stacks[i].serial] = i
		}
		for i := range f.frames {
			f.frameAt[f.frames[i].id] = i
		}
		for i := range f.classes {
			f.classAt[f.classes[i].serial] = i
		}
	}
	f.mu.Unlock()
	n, ok := f.stackAt[serial]
	if !ok {
		return nil, nil
	}
	s := &f.stacks[n]
	c := f.cursor(ctx)
	c.span(s.at, f.size)
	var out []model.HeapThreadFrame
	for range min(s.n, maxFrames) {
		if !c.has(f.ids) {
			return out, c.err
		}
		n, ok := f.frameAt[c.id()]
		if !ok {
			out = append(out, model.HeapThreadFrame{Function: "<frame ?>", Line: model.NoLine})
			continue
		}
		frame, err := f.frameOf(ctx, &f.frames[n])
		if err != nil {
			return nil, err
		}
		out = append(out, frame)
	}
	return out, nil
}

// frameOf names a frame: its method, preceded by the class. Unknown lines are below 1.
func (f *file) frameOf(ctx context.Context, x *frame) (model.HeapThreadFrame, error) {
	out := model.HeapThreadFrame{Line: model.NoLine}
	if x.line > 0 {
		out.Line = int64(x.line)
	}
	method, _, ok, err := f.name(ctx, x.method)
	if err != nil {
		return out, err
	}
	if !ok {
		method = "<method " + hexID(x.method) + ">"
	}
	if out.File, _, _, err = f.name(ctx, x.file); err != nil {
		return out, err
	}
	if n, ok := f.classAt[x.class]; ok {
		class, _, ok, err := f.name(ctx, f.classes[n].name)
		if err != nil {
			return out, err
		}
		if ok {
			method = className(class) + "." + method
		}
	}
	out.Function = method
	return out, nil
}

// nameThreads reads the names of threads.
func (f *file) nameThreads(ctx context.Context, p *places, h *model.Heap, list []model.HeapThread) error {
	at := map[uint32][]int{}
	for i := range list {
		row, ok := referred(h, uint32(list[i].Row), "name")
		if !ok {
			continue
		}
		at[row] = append(at[row], i)
	}
	strings, err := f.javaStrings(ctx, p, h, func(r uint32) bool { return len(at[r]) > 0 })
	if err != nil {
		return err
	}
	for row := range at {
		if h.Kinds[row] == kindPrimitives { // before Java 8 a name was an array
			strings = append(strings, storedString{array: row, row: row, n: -1})
		}
	}
	sortStrings(strings)
	return f.read(ctx, p, h, strings, func(t *model.HeapText) error {
		for _, i := range at[uint32(t.Row)] {
			list[i].Name = model.KeptName(string(t.Content[:min(len(t.Content), model.MaxName+8)]))
		}
		return nil
	})
}
