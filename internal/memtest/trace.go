package memtest

import (
	"encoding/json"

	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/mlyze"
)

// TraceEvent is one event of a handmade trace.
type TraceEvent struct {
	Kind   byte   // 0 ALLOC, 1 FREE, 2 GC, 3 MARKER
	Delta  uint64 // microseconds since the previous event
	Addr   uint64
	Size   uint64 // GC: bytes
	ID     uint64 // stack; GC: objects; MARKER: name
	Thread uint16 // ALLOC; 0 is written as 1
}

// TraceOf encodes events as a .mlyze file with the given metadata.
func TraceOf(metadata []byte, events []TraceEvent) []byte {
	out := append(mlyze.AppendHeader(nil, 0, uint32(len(metadata))), metadata...)
	for _, e := range events {
		out = mlyze.AppendEvent(out, e.Delta, &model.Event{Kind: model.EventKind(e.Kind), Addr: e.Addr, Size: e.Size,
			ID: e.ID, Thread: max(e.Thread, 1)})
	}
	return out
}

// Trace returns a .mlyze file whose only function, file and marker have the given name: n blocks are allocated and
// every other one is freed.
func Trace(name string, n int) []byte {
	type frame struct {
		File int `json:"file_id"`
		Line int `json:"line"`
		Func int `json:"func_id"`
	}
	metadata, _ := json.Marshal(map[string]any{ // strings and numbers always have a JSON form
		"stack_traces": map[string][]frame{"0": {{0, 42, 0}}},
		"files":        map[string]string{"0": name},
		"functions":    map[string]string{"0": name},
	})
	events := []TraceEvent{{Kind: 3, Delta: 5}}
	for i := range uint64(n) {
		events = append(events, TraceEvent{Delta: 1000, Addr: 0x1000 + 64*i, Size: 1 << 20})
		if i%2 == 1 {
			events = append(events, TraceEvent{Kind: 1, Delta: 10, Addr: 0x1000 + 64*i})
		}
	}
	return TraceOf(metadata, append(events, TraceEvent{Kind: 2, Delta: 7, ID: 3, Size: 99}))
}
