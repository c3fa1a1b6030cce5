package ui

import (
	"context"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

// HeapTypes are the objects of a snapshot by type. Read-only once made.
type HeapTypes struct {
	GraphKey
	SoFar bool   // counted while the snapshot is decoded: not final
	Bytes uint64 // of all objects
	Count uint64 // of objects
	List  []heapgraph.Group
}

// sumTypes decodes a snapshot and adds up its objects by type, with the sizes that they have under the policy. What is
// counted until then is shown meanwhile.
func (l *HeapLoads) sumTypes(ctx context.Context, k GraphKey) (*HeapTypes, error) {
	h, err := k.Heaps.Heap(model.WithCounted(ctx, func(h *model.Heap) {
		t := typesOf(k, h)
		t.SoFar = true
		l.Post(func() {
			if ctx.Err() == nil && l.Types.Running() && l.Types.Key == k {
				l.soFar = t
				l.Changed()
			}
		})
	}), k.I)
	if err != nil {
		return nil, err
	}
	return typesOf(k, h.Under(k.Edges.Of(h.Schema))), nil
}

func typesOf(k GraphKey, h *model.Heap) *HeapTypes {
	out := &HeapTypes{GraphKey: k, List: heapgraph.Types(h)}
	for i := range out.List {
		out.Bytes, _ = model.SaturatingAdd(out.Bytes, out.List[i].Bytes())
		out.Count += out.List[i].Count
	}
	return out
}

// AskTypes requests the types of the state's snapshot. It returns them, or what is counted of them so far, nil if that
// is nothing. It does not restart what a user stopped.
func (l *HeapLoads) AskTypes(s *state.State) *HeapTypes {
	key := GraphKey{HeapKey{l.Heaps, s.Snapshot()}, s.Heap.Policy}
	if l.Heaps == nil || key.I < 0 || key == l.Suspects.stopped {
		l.Types.Stop()
		return nil
	}
	l.Types.Ask(key)
	if t, ok := l.Types.Get(); ok && t.GraphKey == key {
		l.soFar = nil
		return t
	}
	if l.soFar != nil && l.soFar.GraphKey == key && l.Types.Running() {
		return l.soFar
	}
	return nil
}
