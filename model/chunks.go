package model

import (
	"context"
	"errors"
)

// Columns is a run of events in columns. It takes half the size of a slice of [Event]: fields that only some events
// have are stored for those only.
type Columns struct {
	Delta Time        // from the event before the first one to it
	Kind  []EventKind // by event
	Time  []uint32    // by event: µs since the first one, the lower half of 64 bits
	High  []uint32    // by event: the upper half; empty where all of them are zero
	Addr  []uint64    // by event; 0 for GC and markers

	// By event that is not a FREE, in order; these are the fields of [Event].
	Size   []uint64
	ID     []uint64
	Thread []uint16

	// Offset is the position of every OffsetEvery-th event, including the first. Only decoders set it.
	Offset []int64
}

// OffsetEvery is the number of events between two entries of [Columns.Offset].
const OffsetEvery = 512

// Len returns the number of events.
func (c *Columns) Len() int { return len(c.Kind) }

// Reset removes the events and keeps the memory.
func (c *Columns) Reset() {
	c.Delta, c.Kind, c.Time, c.High, c.Addr = 0, c.Kind[:0], c.Time[:0], c.High[:0], c.Addr[:0]
	c.Size, c.ID, c.Thread, c.Offset = c.Size[:0], c.ID[:0], c.Thread[:0], c.Offset[:0]
}

// Grow reserves capacity for n more events.
func (c *Columns) Grow(n int) { c.Reserve(n, n) }

// Reserve reserves capacity for n more events, of which payloads are not FREE.
func (c *Columns) Reserve(n, payloads int) {
	c.Kind, c.Time, c.Addr = grow(c.Kind, n), grow(c.Time, n), grow(c.Addr, n)
	c.Size, c.ID, c.Thread = grow(c.Size, payloads), grow(c.ID, payloads), grow(c.Thread, payloads)
}

// grow returns s with capacity for n more. Unlike slices.Grow it does not touch the new memory: much of it may never be
// used.
func grow[T any](s []T, n int) []T {
	if cap(s)-len(s) >= n {
		return s
	}
	grown := make([]T, len(s), max(len(s)+n, cap(s)+cap(s)/4))
	copy(grown, s)
	return grown
}

// Since returns the µs from the first event to event i.
func (c *Columns) Since(i int) Time {
	if len(c.High) == 0 {
		return Time(c.Time[i])
	}
	return Time(c.High[i])<<32 | Time(c.Time[i])
}

// Append adds one event at a time in µs after the first event, which must not be before the last one.
func (c *Columns) Append(e *Event, at Time) {
	c.Kind, c.Time, c.Addr = append(c.Kind, e.Kind), append(c.Time, uint32(at)), append(c.Addr, e.Addr)
	c.Raise(1, uint32(at>>32))
	if e.Kind != Free {
		c.Size, c.ID, c.Thread = append(c.Size, e.Size), append(c.ID, e.ID), append(c.Thread, e.Thread)
	}
}

// Raise sets the upper half of the times of the last n events, which were added with a zero one.
func (c *Columns) Raise(n int, high uint32) {
	if high == 0 && len(c.High) == 0 {
		return
	}
	had, all := len(c.High), len(c.Time)
	c.High = grow(c.High, all-had)[:all]
	clear(c.High[had : all-n])
	for i := range c.High[all-n:] {
		c.High[all-n+i] = high
	}
}

// ErrIrregular reports damaged events: only [EventSource.Replay] determines what is there.
var ErrIrregular = errors.New("irregular events")

// ChunkSource is an [EventSource] whose events can also be read starting in the middle, by several goroutines.
type ChunkSource interface {
	EventSource
	// Decoder returns a new decoder, or nil if the source can only be replayed in order.
	Decoder() Decoder
	// ReplayFrom is Replay starting at an exact boundary, given the time of the event before it. All events before it
	// were regular.
	ReplayFrom(ctx context.Context, offset int64, before Time, yield func(*EventBatch) error) error
}

// Awaited is a [ChunkSource] that can be read before its size is known, because its events are never irregular.
type Awaited interface {
	ChunkSource
	// Await waits until the input has a byte at an offset, and returns -1 then. Where the input ends earlier, it
	// returns its size.
	Await(ctx context.Context, offset int64) (size int64, err error)
	// EventBytes returns the approximate size of an event. Chunks of short events need fewer bytes.
	EventBytes() int64
}

// Decoder reads events from the middle of a source. It belongs to one goroutine at a time.
type Decoder interface {
	// Sync guesses an offset at or soon after off where an event begins; ok is false if there is no guess. A guess is
	// verified when decoding from an earlier boundary meets it.
	Sync(off int64) (at int64, ok bool)
	// Decode fills c, which must be empty, with the events that begin in [from, to), at most limit of them, and returns
	// where the next one begins. from must be a boundary. The error is ErrIrregular where [EventSource.Replay] would
	// report anything but the end of the input, or a read error; c has the events before it. Where the input ends
	// within an event, next is where that begins.
	Decode(c *Columns, from, to int64, limit int) (next int64, err error)
}
