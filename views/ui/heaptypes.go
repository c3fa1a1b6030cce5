package ui

import (
	"context"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

// HeapTypes are the objects of a snapshot by type, available once they are counted: while it is decoded, if possible. Read-only once made.
type HeapTypes struct {
	GraphKey
	Bytes uint64 // of all objects
	Count uint64 // of objects
	List  []heapgraph.Group
}

// sumTypes decodes a snapshot and adds up its objects by type, with the sizes that they have under the policy.
func sumTypes(ctx context.Context, k GraphKey) (*HeapTypes, error) {
	h, err := k.Heaps.Heap(ctx, k.I)
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

// AskTypes requests the types of the state's snapshot, and returns them once they are available, else nil. It does not
// restart what a user stopped.
func (l *HeapLoads) AskTypes(s *state.State) *HeapTypes {
	key := GraphKey{HeapKey{l.Heaps, s.Snapshot()}, s.Heap.Policy}
	if l.Heaps == nil || key.I < 0 || key == l.Suspects.stopped {
		l.Types.Stop()
		return nil
	}
	l.Types.Ask(key)
	if t, ok := l.Types.Get(); ok && t.GraphKey == key {
		return t
	}
	return l.countedTypes(key)
}

// countedTypes returns the types of a snapshot that is being decoded, nil if they are not known yet.
func (l *HeapLoads) countedTypes(key GraphKey) *HeapTypes {
	h := l.Heaps.Counted(key.I)
	if h == nil {
		return nil
	}
	if l.counted.heap != h {
		l.counted.heap, l.counted.types = h, typesOf(key, h)
	}
	return l.counted.types
}
