package tally

import (
	"encoding/binary"
	"math/bits"

	"github.com/memtui/memtui/analysis"
	"github.com/memtui/memtui/analysis/traceindex/column"
	"github.com/memtui/memtui/analysis/traceindex/match"
	"github.com/memtui/memtui/model"
)

// Chunk is a chunk of events that are decoded and matched.
type Chunk struct {
	Events *model.Columns
	Ends   *match.Ends
	Born   []uint32 // by event that is not a FREE: its number in the chunk
	Site   []uint32 // by event that is not a FREE: the number of its site in the chunk
	Dead   []Dead   // blocks of earlier chunks that end in this one, in order
	Global []uint32 // by site of the chunk: its number in the index
	Stack  []uint32 // by site of the index
	Thread []uint32
}

// Dead is a block of an earlier chunk.
type Dead struct {
	Record uint32
	Site   uint32 // number in the chunk
	Size   uint64
}

// Tally is what is known of all chunks so far. One goroutine at a time may use it.
type Tally struct {
	Grid     analysis.Grid // of blocks that end in the chunk in which they are born, and of records that were added
	Recorded bool          // all records were added

	begun          bool
	lives          []*livesPiece // by stack
	stacks, others keyLevels     // of stacks and threads, in the current chunk
	sizes          [analysis.SizeClasses]level
}

// level is how the live bytes of a key change over a chunk, relative to those before it: no key has so many that 63 bits
// do not hold them.
type level struct {
	end int64 // after the chunk
	top int64 // the highest, at least 0
}

func (l *level) add(size uint64) {
	l.end += int64(size)
	l.top = max(l.top, l.end)
}

// keyLevels are the levels of the keys of a chunk in one dimension.
type keyLevels struct {
	slot  []uint32 // by key: its number in keys + 1, 0 for none; all zero between chunks
	of    []uint32 // by site of the chunk: number in keys
	keys  []uint32
	level []level
}

// begin numbers the keys of a chunk.
func (k *keyLevels) begin(global, keyOf []uint32) {
	k.of, k.keys = column.Resize(k.of, len(global)), k.keys[:0]
	for l, site := range global {
		key := keyOf[site]
		if int(key) >= len(k.slot) {
			k.slot = append(k.slot, make([]uint32, int(key)+1024-len(k.slot))...)
		}
		if k.slot[key] == 0 {
			k.keys = append(k.keys, key)
			k.slot[key] = uint32(len(k.keys))
		}
		k.of[l] = k.slot[key] - 1
	}
	for _, key := range k.keys {
		k.slot[key] = 0
	}
	k.level = column.Resize(k.level, len(k.keys))
	clear(k.level)
}

// Tops are the changes of levels over a chunk, by dimension, see [Tops.Each].
type Tops [column.DimCount][]byte

// Each calls f with the keys of a dimension whose level changes in the chunk: by how much it is higher after the chunk,
// and how much higher it was at most.
func (t *Tops) Each(d column.Dim, f func(key uint32, end int64, top uint64)) {
	for b := t[d]; len(b) > 0; {
		key, n := binary.Uvarint(b)
		end, m := binary.Varint(b[n:])
		top, l := binary.Uvarint(b[n+m:])
		b = b[n+m+l:]
		f(uint32(key), end, top)
	}
}

// Bytes returns how much memory the tops take.
func (t *Tops) Bytes() (n int64) {
	for _, b := range t {
		n += int64(len(b))
	}
	return n
}

func appendTop(b []byte, key uint32, l *level) []byte {
	if *l == (level{}) {
		return b
	}
	b = binary.AppendUvarint(b, uint64(key))
	b = binary.AppendVarint(b, l.end)
	return binary.AppendUvarint(b, uint64(l.top))
}

// Add adds the next chunk. All its sizes together are below 2^61. hot kernel
func (t *Tally) Add(c *Chunk) Tops {
	t.stacks.begin(c.Global, c.Stack)
	t.others.begin(c.Global, c.Thread)
	clear(t.sizes[:])
	w := walk{Tally: t, c: c, several: len(t.others.keys) > 1, first: c.Ends.FirstPayload + 1}
	kinds, sizes, sites, ended := c.Events.Kind, c.Events.Size, c.Site, c.Ends.Ended
	stackOf, stacks, over := t.stacks.of, t.stacks.level, c.Ends.Over
	p := 0
	for i, kind := range kinds {
		switch kind {
		case model.Alloc:
			if len(over) > 0 && int(over[0].Event) == i {
				w.end(over[0].Ended, i)
				over = over[1:]
			}
			size, site := sizes[p], sites[p]
			p++
			stacks[stackOf[site]].add(size)
			t.sizes[bits.Len64(size)%analysis.SizeClasses].add(size)
			if w.all.add(size); w.several {
				t.others.level[t.others.of[site]].add(size)
			}
		case model.Free:
			if v := ended[i-p]; v != 0 {
				w.end(v, i)
			}
		default:
			p++
		}
	}
	return w.tops()
}

// walk is the walk over one chunk.
type walk struct {
	*Tally
	c       *Chunk
	several bool   // threads
	all     level  // of all keys together
	first   uint32 // ends from here on are of blocks of this chunk, see match.Ends
	dead    int    // number of blocks of earlier chunks that have ended
}

// end ends a block, numbered as in match.Ends.
func (w *walk) end(v uint32, event int) {
	var site uint32
	var size uint64
	if v < w.first {
		d := &w.c.Dead[w.dead]
		w.dead++
		site, size = d.Site, d.Size
	} else {
		q := v - w.first
		site, size = w.c.Site[q], w.c.Events.Size[q]
		e := w.c.Events
		born := w.c.Born[q]
		lived := model.Time(e.Time[event]) - model.Time(e.Time[born])
		if len(e.High) > 0 {
			lived = e.Since(event) - e.Since(int(born))
		}
		w.died(w.stacks.keys[w.stacks.of[site]], size, lived)
	}
	w.stacks.level[w.stacks.of[site]].end -= int64(size)
	w.sizes[bits.Len64(size)%analysis.SizeClasses].end -= int64(size)
	if w.all.end -= int64(size); w.several {
		w.others.level[w.others.of[site]].end -= int64(size)
	}
}

// tops returns the changes of the levels of all keys.
func (w *walk) tops() (out Tops) {
	for i, key := range w.stacks.keys {
		out[column.DimStack] = appendTop(out[column.DimStack], key, &w.stacks.level[i])
	}
	if len(w.others.keys) == 1 {
		w.others.level[0] = w.all
	}
	for i, key := range w.others.keys {
		out[column.DimThread] = appendTop(out[column.DimThread], key, &w.others.level[i])
	}
	for class := range w.sizes {
		out[column.DimSize] = appendTop(out[column.DimSize], uint32(class), &w.sizes[class])
	}
	for d := range out {
		out[d] = append(make([]byte, 0, len(out[d])), out[d]...)
	}
	return out
}
