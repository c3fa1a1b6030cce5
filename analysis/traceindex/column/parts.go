package column

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/memtui/memtui/model"
)

// A run is divided into parts of PartLength events, so that edges of columns need not be read from the file: a part has
// what happens in it, but not in which order. A part ends early before a long time without events: an edge may be
// anywhere in that gap.
//
// The stream of a chunk has the parts of all its runs. A part begins with 16 bits: 6 for the number of allocations; 4
// each for how far the number of blocks rises above, and falls below, both its first and its last value; 2 for the
// number of bytes of the time, less one. Then comes a byte with 2 bits each for the number of bytes of the four numbers
// after the time: bytes allocated, bytes ended, and how far the live bytes rise and fall like the number of blocks. All
// other events of the part are FREEs that each end a block. A part that does not fit has partRare allocations, zero in
// all other fields, and then Part as varints.
const (
	PartLength = 40
	partRare   = 63
	partMost   = 2 + 10*binary.MaxVarintLen64 // bytes of a part
)

// Part summarizes a part of a run.
type Part struct {
	Events                 uint64
	Time                   uint64 // µs from its first event to the event after it
	Gap                    uint64 // the last µs of these, without events; 0 if the gap is short
	Allocs, Ended, Frees   uint64 // ended blocks, and FREE events
	AllocBytes, EndedBytes uint64
	Up, Down               uint64 // live bytes above, and below, both the first and the last level
	CountsUp, CountsDown   uint64
}

// PartWriter writes the stream of a chunk.
type PartWriter struct{ B []byte }

// Excursion returns how far a level goes beyond the range between its first and its last value.
func Excursion(before, after, least, most uint64) (up, down uint64) {
	low, high := min(before, after), max(before, after)
	return max(most, high) - high, low - min(least, low)
}

// Put encodes a part. usual is the implied number of events: a part with another number uses the long form.
func (w *PartWriter) Put(p *Part, usual int) {
	ofBytes := p.AllocBytes | p.EndedBytes | p.Up | p.Down
	if p.Events != uint64(usual) || p.Allocs >= partRare || p.Gap != 0 || p.Ended != p.Frees || p.Allocs+p.Frees != p.Events ||
		ofBytes >= 1<<24 || p.CountsUp|p.CountsDown >= 16 || p.Time > math.MaxUint32 {
		w.rare(p)
		return
	}
	if cap(w.B)-len(w.B) < partMost {
		w.B = append(w.B, make([]byte, partMost)...)[:len(w.B)]
	}
	at := len(w.B)
	b := w.B[:cap(w.B)]
	n := byteLen(p.Time | 1)
	binary.LittleEndian.PutUint16(b[at:], uint16(p.Allocs|p.CountsUp<<6|p.CountsDown<<10|uint64(n-1)<<14))
	binary.LittleEndian.PutUint32(b[at+3:], uint32(p.Time))
	n0, n1, n2, n3 := byteLen(p.AllocBytes), byteLen(p.EndedBytes), byteLen(p.Up), byteLen(p.Down)
	b[at+2] = byte(n0 | n1<<2 | n2<<4 | n3<<6)
	n += at + 3
	binary.LittleEndian.PutUint32(b[n:], uint32(p.AllocBytes))
	n += n0
	binary.LittleEndian.PutUint32(b[n:], uint32(p.EndedBytes))
	n += n1
	binary.LittleEndian.PutUint32(b[n:], uint32(p.Up))
	n += n2
	binary.LittleEndian.PutUint32(b[n:], uint32(p.Down))
	w.B = b[:n+n3]
}

func byteLen(v uint64) int { return (bits.Len32(uint32(v)) + 7) / 8 }

func (w *PartWriter) rare(p *Part) {
	w.B = append(w.B, partRare, 0)
	for _, v := range [...]uint64{
		p.Events, p.Time, p.Gap, p.Allocs, p.Ended, p.Frees, p.AllocBytes, p.EndedBytes, p.Up, p.Down, p.CountsUp, p.CountsDown,
	} {
		w.B = binary.AppendUvarint(w.B, v)
	}
}

// PartPoint is the state after a part.
type PartPoint struct {
	Level
	Extremes            // after each event of the part, and before it
	Events   int        // of the run so far
	At       model.Time // from the run's first event to the event after the part; the last event is gap earlier
	Gap      model.Time
}

// ReadParts reads the parts of a run of n events after a level; ok is false if they are invalid.
func ReadParts(points []PartPoint, b []byte, l Level, n int) (out []PartPoint, ok bool) {
	points = points[:0]
	at, events := model.Time(0), 0
	for events < n {
		var p Part
		usual := min(PartLength-events%PartLength, n-events)
		if b = p.read(b, usual); b == nil || p.Events == 0 || p.Events > uint64(n-events) ||
			p.Time > math.MaxInt64-uint64(at) || p.Gap > p.Time {
			return nil, false
		}
		before := l
		l.Bytes += p.AllocBytes - p.EndedBytes
		l.AllocBytes += p.AllocBytes
		l.Count += uint32(p.Allocs - p.Ended)
		l.AllocCount += uint32(p.Allocs)
		l.FreeEvents += uint32(p.Frees)
		at, events = at+model.Time(p.Time), events+int(p.Events)
		points = append(points, PartPoint{l, Extremes{
			MinBytes: min(before.Bytes, l.Bytes) - p.Down, MaxBytes: max(before.Bytes, l.Bytes) + p.Up,
			MinCount: min(before.Count, l.Count) - uint32(p.CountsDown), MaxCount: max(before.Count, l.Count) + uint32(p.CountsUp),
		}, events, at, model.Time(p.Gap)})
	}
	return points, true
}

// read decodes a part and returns the rest, nil if it is invalid. usual is as for Put.
func (p *Part) read(b []byte, usual int) []byte {
	if len(b) < 3 {
		return nil
	}
	head := binary.LittleEndian.Uint16(b)
	p.Allocs = uint64(head & 63)
	if p.Allocs == partRare {
		return p.readRare(b[2:])
	}
	p.CountsUp, p.CountsDown, p.Events = uint64(head>>6&15), uint64(head>>10&15), uint64(usual)
	p.Frees = p.Events - p.Allocs
	p.Ended = p.Frees
	var padded [3 + 5*4]byte // the stream ends soon
	in := b
	if len(in) < len(padded) {
		in = padded[:]
		copy(in, b)
	}
	lengths, n := in[2], int(head>>14)+1
	p.Time = uint64(binary.LittleEndian.Uint32(in[3:])) & (1<<(8*n) - 1)
	at := 3 + n
	for _, v := range [...]*uint64{&p.AllocBytes, &p.EndedBytes, &p.Up, &p.Down} {
		n := int(lengths & 3)
		*v = uint64(binary.LittleEndian.Uint32(in[at:])) & (1<<(8*n) - 1)
		lengths >>= 2
		at += n
	}
	if at > len(b) || p.Allocs > p.Events {
		return nil
	}
	return b[at:]
}

func (p *Part) readRare(b []byte) []byte {
	for _, v := range [...]*uint64{
		&p.Events, &p.Time, &p.Gap, &p.Allocs, &p.Ended, &p.Frees, &p.AllocBytes, &p.EndedBytes, &p.Up, &p.Down, &p.CountsUp, &p.CountsDown,
	} {
		x, n := binary.Uvarint(b)
		if n <= 0 {
			return nil
		}
		*v, b = x, b[n:]
	}
	return b[:len(b):len(b)]
}
