package mlyze

import (
	"encoding/binary"

	"github.com/memtui/memtui/model"
)

// Types of events in files; they equal model.EventKind.
const (
	typeAlloc  = 0
	typeFree   = 1
	typeGC     = 2
	typeMarker = 3
)

const (
	// maxEvent is the longest event: an ALLOC with three varints of ten bytes.
	maxEvent = 1 + 10 + 8 + 10 + 10 + 2
	// window is the bytes that the fast decoder reads: any event fits.
	window = 64
	// hotDelta bounds a delta that the fast decoder takes: three bytes of varint.
	hotDelta = 1 << 21
)

// status is how decoding one event ended.
type status uint8

const (
	decoded   status = iota
	short            // the bytes end within the event
	badType          // an unknown type, so the length is unknown too
	badVarint        // a varint of more than 64 bits
	zeroHole         // a run of zero bytes instead of events
)

// decodeOne decodes the event at the start of b into e, except for its time, and returns its length and delta. It
// accepts every legal varint. It is the slow counterpart of decodeHot and reads what that leaves.
func decodeOne(b []byte, e *model.Event) (size int, delta uint64, st status) {
	if len(b) == 0 {
		return 0, 0, short
	}
	if b[0] > typeMarker {
		return 0, 0, badType
	}
	*e = model.Event{Kind: model.EventKind(b[0])}
	r := fields{b: b, pos: 1}
	delta = r.uvarint()
	switch e.Kind {
	case model.Alloc:
		e.Addr = r.uint64()
		e.Size = r.uvarint()
		e.ID = r.uvarint()
		e.Thread = r.uint16()
	case model.Free:
		e.Addr = r.uint64()
	case model.GC:
		e.ID = r.uvarint()
		e.Size = r.uvarint()
	case model.Marker:
		e.ID = r.uvarint()
	}
	return r.pos, delta, r.st
}

// fields reads the fields of one event and keeps the first failure.
type fields struct {
	b   []byte
	pos int
	st  status
}

func (r *fields) uvarint() uint64 {
	if r.st != decoded {
		return 0
	}
	v, n := binary.Uvarint(r.b[r.pos:])
	if n <= 0 {
		r.st = badVarint
		if n == 0 && len(r.b)-r.pos < binary.MaxVarintLen64 {
			r.st = short
		}
		return 0
	}
	r.pos += n
	return v
}

func (r *fields) uint64() uint64 {
	if r.st != decoded || len(r.b)-r.pos < 8 {
		r.cut()
		return 0
	}
	r.pos += 8
	return binary.LittleEndian.Uint64(r.b[r.pos-8:])
}

func (r *fields) uint16() uint16 {
	if r.st != decoded || len(r.b)-r.pos < 2 {
		r.cut()
		return 0
	}
	r.pos += 2
	return binary.LittleEndian.Uint16(r.b[r.pos-2:])
}

func (r *fields) cut() {
	if r.st == decoded {
		r.st = short
	}
}

// decodeHot decodes ALLOC and FREE events from buf[pos:] into out until out is full, fewer than a window of bytes is
// left, or an event needs decodeOne: another type, a varint of more than three bytes, address 0. It returns where it
// stopped, how many events it wrote, and the time of the last one. The caller ensures that now + len(out)*hotDelta fits
// model.Time.
//
// Varints of one to three bytes are inlined by hand, and every index is masked to the window, so that the compiler
// needs no bounds checks: twice as fast as calls (BenchmarkDecode), and faster than tricks with words, which only help
// random data.
//
// decodeColumns repeats it for columns, on purpose. One kernel for both was measured on a random trace: events made from
// columns take 15.3 ns each instead of 8.5 (BenchmarkReplay), columns made from events 27.8 ns instead of 10.5
// (BenchmarkDecodeColumns).
func decodeHot(buf []byte, pos int, now model.Time, out []model.Event) (next, n int, last model.Time) {
	for n < len(out) && len(buf)-pos >= window {
		w := (*[window]byte)(buf[pos:])
		kind := w[0]
		if kind > typeFree {
			break
		}
		delta, p := uint64(w[1]), 2
		if delta >= 0x80 {
			b := uint64(w[2])
			delta = delta&0x7f | b<<7
			p = 3
			if b >= 0x80 {
				c := uint64(w[3])
				delta = delta&0x3fff | c<<14
				p = 4
				if c >= 0x80 {
					break
				}
			}
		}
		addr := binary.LittleEndian.Uint64(w[p&7:])
		if addr == 0 {
			break
		}
		p += 8
		e := &out[n]
		if kind == typeFree {
			now += model.Time(delta)
			e.Time, e.Addr, e.Size, e.ID, e.Thread, e.Kind = now, addr, 0, 0, 0, model.Free
			n++
			pos += p
			continue
		}
		size := uint64(w[p&31])
		p++
		if size >= 0x80 {
			b := uint64(w[p&31])
			p++
			size = size&0x7f | b<<7
			if b >= 0x80 {
				c := uint64(w[p&31])
				p++
				size = size&0x3fff | c<<14
				if c >= 0x80 {
					break
				}
			}
		}
		id := uint64(w[p&31])
		p++
		if id >= 0x80 {
			b := uint64(w[p&31])
			p++
			id = id&0x7f | b<<7
			if b >= 0x80 {
				c := uint64(w[p&31])
				p++
				id = id&0x3fff | c<<14
				if c >= 0x80 {
					break
				}
			}
		}
		thread := binary.LittleEndian.Uint16(w[p&31:])
		now += model.Time(delta)
		e.Time, e.Addr, e.Size, e.ID, e.Thread, e.Kind = now, addr, size, id, thread, model.Alloc
		n++
		pos += p + 2
	}
	return pos, n, now
}
