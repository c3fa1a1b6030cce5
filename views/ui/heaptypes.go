package ui

import (
	"context"

	"github.com/memtui/memtui/analysis/heapgraph"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/views/state"
)

// HeapTypes is what a snapshot holds by type, which is known as soon as it is decoded. Read-only once made.
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
	out := &HeapTypes{GraphKey: k, List: heapgraph.Types(h.Under(k.Edges.Of(h.Schema)))}
	for i := range out.List {
		out.Bytes, _ = model.SaturatingAdd(out.Bytes, out.List[i].Bytes())
		out.Count += out.List[i].Count
	}
	return out, nil
}

// AskTypes asks for the types of the state's snapshot, and returns them once they are there, else nil. What a person
// stopped is not begun again.
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
	return nil
}
