package traceindex

import (
	"encoding/binary"
	"slices"
)

// The stream of ends tells, for each FREE of a chunk, which block it ends. The first byte says how:
//
//	0            none
//	1 … 191      the allocation that many before it
//	192 … 223    the same, five more bits and a byte beyond 192
//	224          the same, three bytes
//	225          the record with the number in four bytes
//	226 … 255    the record of the FREE before plus a distance, five bits less two and a byte
//
// "Allocations before" counts GC and marker events too.
const (
	endNear    = 191
	endMiddle  = 192
	endFar     = 224
	endRecord  = 225
	endNearby  = 226
	nearbySpan = (256 - endNearby) << 8
	endMost    = 5 // bytes of one
)

// endWriter writes a stream of ends.
type endWriter struct {
	b    []byte
	last uint32 // record
}

// room makes room for n more ends and returns the stream with it, and where it ends now: what follows may be written there
// without further ado.
func (w *endWriter) room(n int) (b []byte, end int) {
	w.b = slices.Grow(w.b, n*endMost)
	return w.b[:cap(w.b)], len(w.b)
}

func (w *endWriter) none() { w.b = append(w.b, 0) }

// local is the allocation distance before; it is less than 2^24.
func (w *endWriter) local(distance int) {
	b, end := w.room(1)
	w.b = b[:putLocal(b, end, distance)]
}

func (w *endWriter) record(r uint32) {
	b, end := w.room(1)
	w.b = b[:w.putRecord(b, end, r)]
}

// putLocal writes to b from at on, and returns where that ends.
func putLocal(b []byte, at, distance int) int {
	switch {
	case distance <= endNear:
		b[at] = byte(distance)
		return at + 1
	case distance-endMiddle < (endFar-endMiddle)<<8:
		d := distance - endMiddle
		b[at], b[at+1] = byte(endMiddle+d>>8), byte(d)
		return at + 2
	}
	binary.LittleEndian.PutUint32(b[at:], endFar|uint32(distance)<<8)
	return at + 4
}

// putRecord writes to b from at on, and returns where that ends.
func (w *endWriter) putRecord(b []byte, at int, r uint32) int {
	d := int(r) - int(w.last) + nearbySpan/2
	w.last = r
	if d >= 0 && d < nearbySpan {
		b[at], b[at+1] = byte(endNearby+d>>8), byte(d)
		return at + 2
	}
	b[at] = endRecord
	binary.LittleEndian.PutUint32(b[at+1:], r)
	return at + 5
}

// endReader reads a stream of ends.
type endReader struct {
	b    []byte
	last uint32
}

// next returns the block that the next FREE ends; payload is the number of events before it that are no FREE.
func (r *endReader) next(payload int) ref {
	c := r.b[0]
	switch {
	case c == 0:
		r.b = r.b[1:]
		return noRef
	case c <= endNear:
		r.b = r.b[1:]
		return localRef | ref(payload-int(c))
	case c < endFar:
		d := endMiddle + int(c-endMiddle)<<8 + int(r.b[1])
		r.b = r.b[2:]
		return localRef | ref(payload-d)
	case c == endFar:
		d := int(r.b[1]) | int(r.b[2])<<8 | int(r.b[3])<<16
		r.b = r.b[4:]
		return localRef | ref(payload-d)
	case c == endRecord:
		r.last = binary.LittleEndian.Uint32(r.b[1:])
		r.b = r.b[5:]
	default:
		r.last = uint32(int(r.last) + (int(c-endNearby)<<8 | int(r.b[1])) - nearbySpan/2)
		r.b = r.b[2:]
	}
	return ref(r.last)
}

// The stream of freed sizes tells, for each FREE, how many bytes it ends: 0 for none, 1 … 254 for one of the chunk's common
// sizes, 255 for one that follows as a varint.
const (
	mostCommon = 254
	rareSize   = 255
	smallSizes = 4096 // only smaller sizes are counted, and can be common
	rareShare  = 32   // sizes become common when more than this share of all that are freed was not
)

// sizeWriter writes a stream of freed sizes, with the sizes for common that were so lately.
type sizeWriter struct {
	b      []byte
	common []uint64 // read-only, as chunks have it, too
	code   [smallSizes]byte
	count  [smallSizes]uint32 // of those in b
}

// reset forgets the stream.
func (w *sizeWriter) reset() {
	clear(w.count[:])
	w.b = w.b[:0]
	if w.common == nil {
		w.choose(nil)
	}
}

// room makes room for n more sizes and returns the stream with it, and where it ends now: what follows may be written there
// without further ado.
func (w *sizeWriter) room(n int) (b []byte, end int) {
	w.b = slices.Grow(w.b, n*(1+binary.MaxVarintLen64))
	return w.b[:cap(w.b)], len(w.b)
}

func (w *sizeWriter) none() { w.b = append(w.b, 0) }

func (w *sizeWriter) add(size uint64) {
	if size < smallSizes {
		w.count[size]++
		if c := w.code[size]; c != rareSize {
			w.b = append(w.b, c)
			return
		}
	}
	b, end := w.room(1)
	w.b = b[:putRare(b, end, size)]
}

// putRare writes to b from at on, and returns where that ends.
func putRare(b []byte, at int, size uint64) int {
	b[at] = rareSize
	return at + 1 + binary.PutUvarint(b[at+1:], size)
}

// renew finds other common sizes for what follows, if those that there are do not fit the stream.
func (w *sizeWriter) renew() {
	all, rare := 0, 0
	var sizes []uint64
	for s, n := range w.count {
		all += int(n)
		if w.code[s] == rareSize {
			rare += int(n)
		}
		if n > 1 {
			sizes = append(sizes, uint64(s))
		}
	}
	if rare <= all/rareShare {
		return
	}
	if len(sizes) > mostCommon {
		slices.SortStableFunc(sizes, func(a, b uint64) int { return int(w.count[b]) - int(w.count[a]) })
		sizes = slices.Clone(sizes[:mostCommon])
	}
	w.choose(sizes)
}

func (w *sizeWriter) choose(common []uint64) {
	for s := range w.code {
		w.code[s] = rareSize
	}
	for i, s := range common {
		w.code[s] = byte(i + 1)
	}
	w.common = common
}

// nextFreed reads the next freed size from a stream and returns the rest; ok is false where nothing was freed.
func nextFreed(b []byte, common []uint64) (size uint64, ok bool, rest []byte) {
	switch c := b[0]; c {
	case 0:
		return 0, false, b[1:]
	case rareSize:
		size, n := binary.Uvarint(b[1:])
		return size, true, b[1+n:]
	default:
		return common[c-1], true, b[1:]
	}
}

// cellOver marks, in front of what a cell has of temporary blocks, that two more numbers follow: its overwritten ones.
const cellOver = 1

// appendCells writes the cells of some keys, given in ascending order; all others are zero.
func appendCells(b []byte, keys []uint32, cells []cell) []byte {
	last := uint32(0)
	for _, k := range keys {
		c := &cells[k]
		b = binary.AppendUvarint(b, uint64(k-last))
		b = binary.AppendUvarint(b, uint64(c.allocCount))
		b = binary.AppendUvarint(b, c.allocBytes)
		b = binary.AppendUvarint(b, uint64(c.endedCount))
		b = binary.AppendUvarint(b, c.endedBytes)
		if c.overCount == 0 {
			b = binary.AppendUvarint(b, uint64(c.temporary)<<1)
		} else {
			b = binary.AppendUvarint(b, uint64(c.temporary)<<1|cellOver)
			b = binary.AppendUvarint(b, uint64(c.overCount))
			b = binary.AppendUvarint(b, c.overBytes)
		}
		last = k
	}
	return b
}

// addCells adds what appendCells wrote to cells. It panics on anything else.
func addCells(cells []cell, b []byte) {
	k := uint64(0)
	for len(b) > 0 {
		var v [6]uint64
		for i := range v {
			if b[0] < 0x80 {
				v[i], b = uint64(b[0]), b[1:]
				continue
			}
			x, n := binary.Uvarint(b)
			v[i], b = x, b[n-1:][1:] // out of range where n is not positive: no number
		}
		k += v[0]
		c := cell{allocBytes: v[2], endedBytes: v[4], allocCount: uint32(v[1]), endedCount: uint32(v[3]), temporary: uint32(v[5] >> 1)}
		if v[5]&cellOver != 0 {
			count, n := binary.Uvarint(b)
			b = b[n-1:][1:] // out of range like above
			c.overCount = uint32(count)
			c.overBytes, n = binary.Uvarint(b)
			b = b[n-1:][1:]
		}
		cells[k].add(&c)
	}
}
