package waste

import (
	"context"

	"github.com/memtui/memtui/model"
)

// Finalizers are objects that the Java runtime keeps until their finalize method has run.
type Finalizers struct {
	Count  uint64 // objects with such a method, each with an instance of class Finalizer
	Queued uint64 // those of them that are unreachable otherwise and wait for the finalizer thread
	Bytes  uint64 // of the instances and of the objects
	Row    model.Row
	Type   uint32 // of Row, the first instance
}

// Names of the Java library.
const (
	finalizerType  = "java.lang.ref.Finalizer"
	queueType      = "java.lang.ref.ReferenceQueue"
	queuedField    = "ENQUEUED" // a static of the queue class, to whose value queueField refers while enqueued
	queueField     = "queue"
	referentField  = "referent"
	finalizerSteps = 1 << 16
)

// findFinalizers counts the instances of Finalizer.
func findFinalizers(ctx context.Context, h *model.Heap) (f Finalizers, err error) {
	types := typesNamed(h, finalizerType)
	if len(types) == 0 {
		return f, nil
	}
	queued, known := enqueued(h)
	seen := newRowSet(h.Len())
	objects := h.Schema.Objects().Kinds
	for r, k := range h.Kinds {
		if r%finalizerSteps == 0 && ctx.Err() != nil {
			return f, ctx.Err()
		}
		if !objects.Has(k) || h.Kind(model.Row(r)).About || !types[h.Entity[r]] {
			continue
		}
		if f.Count++; f.Count == 1 {
			f.Row, f.Type = model.Row(r), h.Entity[r]
		}
		f.Bytes, _ = model.SaturatingAdd(f.Bytes, bytesOf(h, model.Row(r)))
		to, first := h.Out(model.Row(r))
		for i, target := range to.All() {
			switch h.EdgeText(first + model.Ref(i)) {
			case queueField:
				if known && target == queued {
					f.Queued++
				}
			case referentField:
				if seen.add(target) {
					f.Bytes, _ = model.SaturatingAdd(f.Bytes, bytesOf(h, target))
				}
			}
		}
	}
	return f, nil
}

// typesNamed returns the types with a name; several loaders may have loaded one.
func typesNamed(h *model.Heap, name string) map[uint32]bool {
	out := map[uint32]bool{}
	for i := range h.Tables.Types {
		if h.Tables.Type(uint32(i)) == name {
			out[uint32(i)] = true
		}
	}
	return out
}

// enqueued returns the static object that the queue field of enqueued instances refers to.
func enqueued(h *model.Heap) (row model.Row, ok bool) {
	types := typesNamed(h, queueType)
	for r, about := range h.About {
		if !types[about] || !h.Kind(model.Row(r)).About {
			continue
		}
		to, first := h.Out(model.Row(r))
		for i, target := range to.All() {
			if h.EdgeText(first+model.Ref(i)) == queuedField {
				return target, true
			}
		}
	}
	return 0, false
}
