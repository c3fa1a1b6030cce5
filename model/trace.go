package model

import "context"

// StackID is the number of a stack in its file: sparse, any 64-bit value, possibly without an entry in the file's
// tables.
type StackID uint64

// EventKind is the kind of an [Event].
type EventKind uint8

const (
	Alloc EventKind = iota
	Free
	GC
	Marker
)

// Event is one event of an allocation trace. Kind determines which fields are used; the others are zero.
type Event struct {
	Time   Time   // never falls from one event to the next
	Addr   uint64 // Alloc, Free: the address; 0 is "unknown" and never matches
	Size   uint64 // Alloc: bytes requested. GC: bytes freed
	ID     uint64 // Alloc: the StackID. GC: objects freed. Marker: name id
	Thread uint16 // Alloc
	Kind   EventKind
}

// EventBatch is a run of events in file order.
type EventBatch struct {
	Events   []Event   // reused by the source: valid only until yield returns
	Offset   int64     // input bytes (after decompression) consumed up to and including this batch
	Problems []Problem // found since the last batch
	Lost     int64     // bytes skipped since the last batch because they could not be read
}

// EventSource replays an allocation trace. A source may be replayed any number of times, also concurrently.
type EventSource interface {
	// Replay calls yield with every batch from the first event to the last. It ends with nil at the end of the trace,
	// with ctx.Err() when ctx is done, or with yield's error. Damage is not an error: it is reported in the batches. A
	// file that shrank or becomes unreadable ends the trace with a Problem.
	Replay(ctx context.Context, yield func(*EventBatch) error) error
	// Extent is the offset where events begin and the size of the input, -1 while unknown (pipes).
	Extent() (begin, size int64)
	// MarkerName resolves a marker's name id; ok is false if the file has no such name, or it was not read yet.
	MarkerName(id uint64) (name string, ok bool)
}
