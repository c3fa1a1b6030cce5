package traceindex

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/model"
	"github.com/memtui/memtui/model/sections"
)

// A run is divided into parts of fineLength events, so that edges of columns need not be read from the file: a part has
// what happens in it, but not in which order. A part ends early before a long time without events: an edge may be
// anywhere in that gap.
//
// The stream of a chunk has the parts of all its runs. A part begins with 16 bits: 6 for the number of allocations; 4
// each for how far the number of blocks rises above, and falls below, both its first and its last value; 2 for the
// number of bytes of the time, less one. Then comes a byte with 2 bits each for the number of bytes of the four numbers
// after the time: bytes allocated, bytes ended, and how far the live bytes rise and fall like the number of blocks. All
// other events of the part are FREEs that each end a block. A part that does not fit has fineRare allocations, zero in
// all other fields, and then finePart as varints.
const (
	fineLength = 40
	fineRare   = 63
	fineMost   = 2 + 10*binary.MaxVarintLen64 // bytes of a part
)

// finePart summarizes a part of a run.
type finePart struct {
	events                 uint64
	time                   uint64 // µs from its first event to the event after it
	gap                    uint64 // the last µs of these, without events; 0 if the gap is short
	allocs, ended, frees   uint64 // ended blocks, and FREE events
	allocBytes, endedBytes uint64
	up, down               uint64 // live bytes above, and below, both the first and the last level
	countsUp, countsDown   uint64
}

// fineWriter writes the stream of a chunk.
type fineWriter struct{ b []byte }

// excursion returns how far a level goes beyond the range between its first and its last value.
func excursion(before, after, least, most uint64) (up, down uint64) {
	low, high := min(before, after), max(before, after)
	return max(most, high) - high, low - min(least, low)
}

// put encodes a part. usual is the implied number of events: a part with another number uses the long form.
func (w *fineWriter) put(p *finePart, usual int) {
	ofBytes := p.allocBytes | p.endedBytes | p.up | p.down
	if p.events != uint64(usual) || p.allocs >= fineRare || p.gap != 0 || p.ended != p.frees || p.allocs+p.frees != p.events ||
		ofBytes >= 1<<24 || p.countsUp|p.countsDown >= 16 || p.time > math.MaxUint32 {
		w.rare(p)
		return
	}
	if cap(w.b)-len(w.b) < fineMost {
		w.b = append(w.b, make([]byte, fineMost)...)[:len(w.b)]
	}
	at := len(w.b)
	b := w.b[:cap(w.b)]
	n := byteLen(p.time | 1)
	binary.LittleEndian.PutUint16(b[at:], uint16(p.allocs|p.countsUp<<6|p.countsDown<<10|uint64(n-1)<<14))
	binary.LittleEndian.PutUint32(b[at+3:], uint32(p.time))
	n0, n1, n2, n3 := byteLen(p.allocBytes), byteLen(p.endedBytes), byteLen(p.up), byteLen(p.down)
	b[at+2] = byte(n0 | n1<<2 | n2<<4 | n3<<6)
	n += at + 3
	binary.LittleEndian.PutUint32(b[n:], uint32(p.allocBytes))
	n += n0
	binary.LittleEndian.PutUint32(b[n:], uint32(p.endedBytes))
	n += n1
	binary.LittleEndian.PutUint32(b[n:], uint32(p.up))
	n += n2
	binary.LittleEndian.PutUint32(b[n:], uint32(p.down))
	w.b = b[:n+n3]
}

func byteLen(v uint64) int { return (bits.Len32(uint32(v)) + 7) / 8 }

func (w *fineWriter) rare(p *finePart) {
	w.b = append(w.b, fineRare, 0)
	for _, v := range [...]uint64{
		p.events, p.time, p.gap, p.allocs, p.ended, p.frees, p.allocBytes, p.endedBytes, p.up, p.down, p.countsUp, p.countsDown,
	} {
		w.b = binary.AppendUvarint(w.b, v)
	}
}

// finePoint is the state after a part.
type finePoint struct {
	column.Level
	column.Extremes            // after each event of the part, and before it
	events          int        // of the run so far
	at              model.Time // from the run's first event to the event after the part; the last event is gap earlier
	gap             model.Time
}

// errParts means that a stream of parts is invalid.
var errParts = sections.Damaged("parts of a run are inconsistent")

// readParts reads the parts of a run of n events after a level.
func readParts(points []finePoint, b []byte, l column.Level, n int) ([]finePoint, error) {
	points = points[:0]
	at, events := model.Time(0), 0
	for events < n {
		var p finePart
		usual := min(fineLength-events%fineLength, n-events)
		if b = p.read(b, usual); b == nil || p.events == 0 || p.events > uint64(n-events) ||
			p.time > math.MaxInt64-uint64(at) || p.gap > p.time {
			return nil, errParts
		}
		before := l
		l.Bytes += p.allocBytes - p.endedBytes
		l.AllocBytes += p.allocBytes
		l.Count += uint32(p.allocs - p.ended)
		l.AllocCount += uint32(p.allocs)
		l.FreeEvents += uint32(p.frees)
		at, events = at+model.Time(p.time), events+int(p.events)
		points = append(points, finePoint{l, column.Extremes{
			MinBytes: min(before.Bytes, l.Bytes) - p.down, MaxBytes: max(before.Bytes, l.Bytes) + p.up,
			MinCount: min(before.Count, l.Count) - uint32(p.countsDown), MaxCount: max(before.Count, l.Count) + uint32(p.countsUp),
		}, events, at, model.Time(p.gap)})
	}
	return points, nil
}

// read decodes a part and returns the rest, nil if it is invalid. usual is as for put.
func (p *finePart) read(b []byte, usual int) []byte {
	if len(b) < 3 {
		return nil
	}
	head := binary.LittleEndian.Uint16(b)
	p.allocs = uint64(head & 63)
	if p.allocs == fineRare {
		return p.readRare(b[2:])
	}
	p.countsUp, p.countsDown, p.events = uint64(head>>6&15), uint64(head>>10&15), uint64(usual)
	p.frees = p.events - p.allocs
	p.ended = p.frees
	var padded [3 + 5*4]byte // the stream ends soon
	in := b
	if len(in) < len(padded) {
		in = padded[:]
		copy(in, b)
	}
	lengths, n := in[2], int(head>>14)+1
	p.time = uint64(binary.LittleEndian.Uint32(in[3:])) & (1<<(8*n) - 1)
	at := 3 + n
	for _, v := range [...]*uint64{&p.allocBytes, &p.endedBytes, &p.up, &p.down} {
		n := int(lengths & 3)
		*v = uint64(binary.LittleEndian.Uint32(in[at:])) & (1<<(8*n) - 1)
		lengths >>= 2
		at += n
	}
	if at > len(b) || p.allocs > p.events {
		return nil
	}
	return b[at:]
}

func (p *finePart) readRare(b []byte) []byte {
	for _, v := range [...]*uint64{
		&p.events, &p.time, &p.gap, &p.allocs, &p.ended, &p.frees, &p.allocBytes, &p.endedBytes, &p.up, &p.down, &p.countsUp, &p.countsDown,
	} {
		x, n := binary.Uvarint(b)
		if n <= 0 {
			return nil
		}
		*v, b = x, b[n:]
	}
	return b[:len(b):len(b)]
}

// partEnd returns the end of the part of the chunk that begins at an event.
func (f *folder) partEnd(begin int) int {
	e := &f.j.events
	end := f.usualEnd(begin)
	last := min(end, e.Len()-1)
	if e.Since(last)-e.Since(begin) < f.longPart {
		return end
	}
	to, most := end, model.Time(0)
	for i := begin + 1; i <= last; i++ {
		if gap := e.Since(i) - e.Since(i-1); gap > most {
			to, most = i, gap
		}
	}
	if most < f.longGap() {
		return end
	}
	return to
}

func (f *folder) usualEnd(begin int) int {
	in := begin % runLength
	return min(begin-in%fineLength+fineLength, begin-in+runLength, len(f.j.events.Time))
}

// usualParts resets the parts for a new chunk: a part is long if it takes twice as long as the mean.
func (f *folder) usualParts() {
	n := f.j.events.Len()
	f.fine.b, f.partBegin = f.fine.b[:0], f.before
	f.longPart = 2 * min(f.j.events.Since(n-1)/model.Time(n/fineLength+1)+1, model.MaxTime/2)
}

func (f *folder) longGap() model.Time { return f.longPart / 2 }

// part adds the part of events [begin, to) of the chunk, with its extremes, and the run if it ends there.
func (f *folder) part(begin, to int, e column.Extremes) {
	if f.parts {
		f.putPart(begin, to, &e)
	}
	if f.live.Cur.Add(e); to%runLength == 0 || to == f.j.events.Len() {
		f.runs = append(f.runs, column.BaseRun{Extremes: f.live.Cur, Level: f.live.Now()})
	}
}

// putPart encodes a part.
func (f *folder) putPart(begin, to int, e *column.Extremes) {
	times, a, b := &f.j.events, &f.partBegin, &f.live
	behind, count := min(to, times.Len()-1), uint32(b.Count)
	p := finePart{events: uint64(to - begin), time: uint64(times.Since(behind) - times.Since(begin))}
	if gap := times.Since(behind) - times.Since(to-1); p.time >= uint64(f.longPart) && gap >= f.longGap() {
		p.gap = uint64(gap)
	}
	p.allocs, p.frees = uint64(b.AllocCount-a.AllocCount), uint64(b.FreeEvents-a.FreeEvents)
	p.allocBytes = b.AllocBytes - a.AllocBytes
	p.ended = uint64(a.Count + uint32(p.allocs) - count)
	p.endedBytes = a.Bytes + p.allocBytes - b.Live
	p.up, p.down = excursion(a.Bytes, b.Live, e.MinBytes, e.MaxBytes)
	p.countsUp, p.countsDown = excursion(uint64(a.Count), uint64(count), uint64(e.MinCount), uint64(e.MaxCount))
	f.fine.put(&p, f.usualEnd(begin)-begin)
	// One by one: copying the structure would wait for the fields just written.
	a.Bytes, a.AllocBytes, a.Count, a.AllocCount, a.FreeEvents = b.Live, b.AllocBytes, count, b.AllocCount, b.FreeEvents
}
