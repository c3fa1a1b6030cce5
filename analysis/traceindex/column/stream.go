package column

import (
	"encoding/binary"
	"slices"
)

// The stream of ends has, for each FREE of a chunk, the block that it ends. The first byte says how:
//
//	0            none
//	1 … 191      the allocation that many allocations before it
//	192 … 223    the same, five more bits and a byte beyond 192
//	224          the same, three bytes
//	225          the record with the number in four bytes
//	226 … 255    the record of the FREE before plus a distance, five bits less two and a byte
//
// "Allocations before" counts GC and marker events too.
const (
	EndNear    = 191
	endMiddle  = 192
	endFar     = 224
	endRecord  = 225
	endNearby  = 226
	nearbySpan = (256 - endNearby) << 8
	endMost    = 5 // bytes of one end
)

// EndWriter writes a stream of ends.
type EndWriter struct {
	B    []byte
	last uint32 // record
}

// Room reserves space for n more ends, and returns the stream and its current length. Ends may be written there with
// the Put functions.
func (w *EndWriter) Room(n int) (b []byte, end int) {
	w.B = slices.Grow(w.B, n*endMost)
	return w.B[:cap(w.B)], len(w.B)
}

// None adds a FREE that ends no block.
func (w *EndWriter) None() { w.B = append(w.B, 0) }

// Local adds a FREE that ends the allocation distance before; distance is less than 2^24.
func (w *EndWriter) Local(distance int) {
	b, end := w.Room(1)
	w.B = b[:PutLocal(b, end, distance)]
}

// Record adds a FREE that ends the block of a record.
func (w *EndWriter) Record(r uint32) {
	b, end := w.Room(1)
	w.B = b[:w.PutRecord(b, end, r)]
}

// PutLocal writes an end to b at at, and returns the position after it.
func PutLocal(b []byte, at, distance int) int {
	switch {
	case distance <= EndNear:
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

// PutRecord writes an end to b at at, and returns the position after it.
func (w *EndWriter) PutRecord(b []byte, at int, r uint32) int {
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

// EndReader reads a stream of ends.
type EndReader struct {
	B    []byte
	last uint32
}

// Next returns the block that the next FREE ends; payload is the number of earlier events that are not FREE.
func (r *EndReader) Next(payload int) Ref {
	c := r.B[0]
	switch {
	case c == 0:
		r.B = r.B[1:]
		return NoRef
	case c <= EndNear:
		r.B = r.B[1:]
		return LocalRef | Ref(payload-int(c))
	case c < endFar:
		d := endMiddle + int(c-endMiddle)<<8 + int(r.B[1])
		r.B = r.B[2:]
		return LocalRef | Ref(payload-d)
	case c == endFar:
		d := int(r.B[1]) | int(r.B[2])<<8 | int(r.B[3])<<16
		r.B = r.B[4:]
		return LocalRef | Ref(payload-d)
	case c == endRecord:
		r.last = binary.LittleEndian.Uint32(r.B[1:])
		r.B = r.B[5:]
	default:
		r.last = uint32(int(r.last) + (int(c-endNearby)<<8 | int(r.B[1])) - nearbySpan/2)
		r.B = r.B[2:]
	}
	return Ref(r.last)
}

// The stream of freed sizes has, for each FREE, the bytes that it ends: 0 for none, 1 … 254 for one of the chunk's
// common sizes, 255 for one that follows as a varint.
const (
	mostCommon = 254
	RareSize   = 255
	SmallSizes = 4096 // only sizes below this are counted and can be common
	rareShare  = 32   // common sizes are renewed when more than this share of the freed sizes was not common
)

// SizeWriter writes a stream of freed sizes. Recently frequent sizes are encoded as common sizes.
type SizeWriter struct {
	B      []byte
	Common []uint64 // read-only, as chunks share it
	Code   [SmallSizes]byte
	Count  [SmallSizes]uint32 // of the sizes in B
}

// Reset clears the stream.
func (w *SizeWriter) Reset() {
	clear(w.Count[:])
	w.B = w.B[:0]
	if w.Common == nil {
		w.Choose(nil)
	}
}

// Room reserves space for n more sizes, and returns the stream and its current length. Sizes may be written there with
// PutRare.
func (w *SizeWriter) Room(n int) (b []byte, end int) {
	w.B = slices.Grow(w.B, n*(1+binary.MaxVarintLen64))
	return w.B[:cap(w.B)], len(w.B)
}

// None adds a FREE that ends no block.
func (w *SizeWriter) None() { w.B = append(w.B, 0) }

// Add adds the size of the block that a FREE ends.
func (w *SizeWriter) Add(size uint64) {
	if size < SmallSizes {
		w.Count[size]++
		if c := w.Code[size]; c != RareSize {
			w.B = append(w.B, c)
			return
		}
	}
	b, end := w.Room(1)
	w.B = b[:PutRare(b, end, size)]
}

// PutRare writes a size to b at at, and returns the position after it.
func PutRare(b []byte, at int, size uint64) int {
	b[at] = RareSize
	return at + 1 + binary.PutUvarint(b[at+1:], size)
}

// Renew replaces the common sizes for the next chunk if they do not fit the stream.
func (w *SizeWriter) Renew() {
	all, rare := 0, 0
	var sizes []uint64
	for s, n := range w.Count {
		all += int(n)
		if w.Code[s] == RareSize {
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
		slices.SortStableFunc(sizes, func(a, b uint64) int { return int(w.Count[b]) - int(w.Count[a]) })
		sizes = slices.Clone(sizes[:mostCommon])
	}
	w.Choose(sizes)
}

// Choose starts a chunk with the given common sizes.
func (w *SizeWriter) Choose(common []uint64) {
	for s := range w.Code {
		w.Code[s] = RareSize
	}
	for i, s := range common {
		w.Code[s] = byte(i + 1)
	}
	w.Common = common
}

// NextFreed reads the next freed size from a stream and returns the rest; ok is false if nothing was freed.
func NextFreed(b []byte, common []uint64) (size uint64, ok bool, rest []byte) {
	switch c := b[0]; c {
	case 0:
		return 0, false, b[1:]
	case RareSize:
		size, n := binary.Uvarint(b[1:])
		return size, true, b[1+n:]
	default:
		return common[c-1], true, b[1:]
	}
}

// cellOver is a flag in the number of temporary blocks of a cell: two more numbers follow, of its overwritten blocks.
const cellOver = 1

// AppendCells writes the cells of some keys, given in ascending order; all others are zero.
func AppendCells(b []byte, keys []uint32, cells []Cell) []byte {
	last := uint32(0)
	for _, k := range keys {
		c := &cells[k]
		b = binary.AppendUvarint(b, uint64(k-last))
		b = binary.AppendUvarint(b, uint64(c.AllocCount))
		b = binary.AppendUvarint(b, c.AllocBytes)
		b = binary.AppendUvarint(b, uint64(c.EndedCount))
		b = binary.AppendUvarint(b, c.EndedBytes)
		if c.OverCount == 0 {
			b = binary.AppendUvarint(b, uint64(c.Temporary)<<1)
		} else {
			b = binary.AppendUvarint(b, uint64(c.Temporary)<<1|cellOver)
			b = binary.AppendUvarint(b, uint64(c.OverCount))
			b = binary.AppendUvarint(b, c.OverBytes)
		}
		last = k
	}
	return b
}

// AddCells adds cells that AppendCells wrote. It panics on anything else.
func AddCells(cells []Cell, b []byte) {
	k := uint64(0)
	for len(b) > 0 {
		var v [6]uint64
		for i := range v {
			if b[0] < 0x80 {
				v[i], b = uint64(b[0]), b[1:]
				continue
			}
			x, n := binary.Uvarint(b)
			v[i], b = x, b[n-1:][1:] // panics if n is not positive: invalid number
		}
		k += v[0]
		c := Cell{AllocBytes: v[2], EndedBytes: v[4], AllocCount: uint32(v[1]), EndedCount: uint32(v[3]), Temporary: uint32(v[5] >> 1)}
		if v[5]&cellOver != 0 {
			count, n := binary.Uvarint(b)
			b = b[n-1:][1:] // panics like above
			c.OverCount = uint32(count)
			c.OverBytes, n = binary.Uvarint(b)
			b = b[n-1:][1:]
		}
		cells[k].Add(&c)
	}
}
