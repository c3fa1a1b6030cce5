package analysis

import (
	"github.com/memtui/memtui/model"
)

// EventQuery asks for single events.
type EventQuery struct {
	Range Range
	Cell  Cell // only those that allocate or end its blocks, unless it has all
	Skip  int  // number of the range's events that are skipped first, whatever they are about
	Look  int  // most events that are looked at after those, 0 for all
	Limit int  // most events, 0 for all
}

// Event is an event of a trace, with the blocks that it is about.
type Event struct {
	Number uint64 // in the trace, from 0
	Time   model.Time
	Kind   model.EventKind
	Addr   uint64 // of allocations and frees; 0 if unknown
	Block  Block  // what it allocates, or the block that a free ends; its address is Addr
	Ended  *Block // by an allocation at its address; nil for none
	Stray  bool   // a free that ends no block
	Mark   Mark   // of collections and markers
}

// KindName returns what the event is: alloc, free, gc or marker.
func (e *Event) KindName() string {
	switch e.Kind {
	case model.Alloc:
		return "alloc"
	case model.Free:
		return "free"
	case model.GC:
		return "gc"
	}
	return "marker"
}

// HasBlock reports whether the event allocates a block or ends a known one.
func (e *Event) HasBlock() bool { return e.Kind == model.Alloc || e.Kind == model.Free && !e.Stray }

// Lived returns how long the block lived that a free ends; ok is false for other events.
func (e *Event) Lived() (t model.Time, ok bool) {
	return e.Time - e.Block.Born, e.Kind == model.Free && !e.Stray
}

// Note returns what the columns of a table of events do not say, with bytes written by a function: not cleaned; "" for
// nothing.
func (e *Event) Note(bytes func(uint64) string) string {
	switch {
	case e.Stray:
		return "ends no block"
	case e.Kind == model.GC:
		return model.Counted(int(min(e.Mark.Objects, 1<<31)), "object") + " collected"
	case e.Kind == model.Marker:
		return e.Mark.Name
	case e.Ended != nil:
		return "over " + bytes(e.Ended.Size) + " that were live there"
	}
	return ""
}
