package pyheap

import (
	"context"

	"github.com/memtui/memtui/model"
)

// The sizes of collections of CPython on machines of 64 bits.
const (
	wordBytes      = 8
	emptyListBytes = 56
	emptyDictBytes = 64
	smallSetBytes  = 216 // with capacity for eight entries
	setEntryBytes  = 16
)

// dictKeys is how a version of CPython stores the entries of a dict, next to the table of their numbers.
type dictKeys struct{ head, entry uint64 }

// dictLayouts are those of 3.8 to 3.10, of 3.11 and later, which has another one for dicts of texts alone, and of 3.6
// and 3.7, where what the collector needs is larger.
var dictLayouts = []dictKeys{{40, 24}, {32, 24}, {32, 16}, {56, 24}}

const (
	leastDictBits = 3 // places of the smallest table, which no dict with entries is without
	mostDictBits  = 40
)

// bytes returns the size of a dict with a table of 2^bits places, and how many entries fit.
func (k dictKeys) bytes(bits int) (size, room uint64) {
	places, number := uint64(1)<<bits, uint64(4)
	switch {
	case bits < 8:
		number = 1
	case bits < 16:
		number = 2
	case bits >= 32:
		number = 8
	}
	room = places * 2 / 3
	return emptyDictBytes + k.head + places*number + room*k.entry, room
}

// dictRoom returns how many entries fit a dict of a size, and the bytes of each; ok is false if no version of CPython
// has a table of that size.
func dictRoom(size uint64) (room, entry uint64, bits int, ok bool) {
	for _, k := range dictLayouts {
		for bits := leastDictBits; bits <= mostDictBits; bits++ {
			bytes, room := k.bytes(bits)
			if bytes == size {
				return room, k.entry, bits, true
			}
			if bytes > size {
				break
			}
		}
	}
	return 0, 0, 0, false
}

// Collections implements [model.HeapWaste]: lists, sets and dicts, whose sizes determine their capacity.
func (f *file) Collections(ctx context.Context, _ int, h *model.Heap, visit func(c *model.HeapCollection) error) error {
	return f.Lines(ctx, func(r model.Row, line []byte) error {
		if h.Kinds[r] != kindCollection {
			return nil
		}
		s := stateOf(line)
		if !s.hasLength || s.len > 1<<60 {
			return nil
		}
		c := model.HeapCollection{Row: r, Storage: r, Len: int64(s.len), Capacity: int64(s.len), Form: model.CollectionTable}
		switch h.OnAxis(0, r) {
		case "list":
			c.Form = model.CollectionList
			fill(&c, roomBeyond(h.Bytes(r), emptyListBytes, wordBytes), wordBytes)
		case "dict":
			fillDict(&c, h.Bytes(r))
		case "set":
			fill(&c, roomBeyond(h.Bytes(r), smallSetBytes, setEntryBytes), setEntryBytes)
		default:
			return nil
		}
		return visit(&c)
	})
}

// roomBeyond returns the entries beyond the size of a collection without any.
func roomBeyond(size, empty, entry uint64) uint64 { return (max(size, empty) - empty) / entry }

// fill sets the capacity of a collection, and what of it is not used.
func fill(c *model.HeapCollection, room, entry uint64) {
	if c.Capacity = max(c.Len, int64(room)); room > 0 {
		c.Wasted = uint64(c.Capacity-c.Len) * entry
	}
}

// fillDict does so for a dict. A table of the smallest size is not counted as wasted, unless nothing is in it.
func fillDict(c *model.HeapCollection, size uint64) {
	room, entry, bits, ok := dictRoom(size)
	switch {
	case c.Len == 0:
		c.Capacity, c.Wasted = int64(room), max(size, emptyDictBytes)-emptyDictBytes
	case ok && bits > leastDictBits:
		fill(c, room, entry)
	}
}
