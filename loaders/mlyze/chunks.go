package mlyze

import (
	"context"
	"encoding/binary"
	"io"
	"math"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

const (
	decodeBuffer = 128 << 10
	decodeBack   = zeroRun // bytes before an event that stay in the buffer, to recognize holes
	syncChains   = 48      // offsets that are tried: more than the length of an event, as writers write them
	syncEvents   = 24      // events that the last chain must have
	syncBytes    = 8 << 10
	usualEvent   = 11      // bytes
	usualPair    = 20      // bytes of an ALLOC and a FREE, a low estimate
	decodeAhead  = 8 << 20 // bytes that memory is reserved for at once
)

// Decoder implements [model.ChunkSource]. Times of a batched file can be decoded only in order; a pipe is read as it
// arrives.
func (t *trace) Decoder() model.Decoder {
	if t.batched {
		return nil
	}
	return &decoder{src: t.src, begin: t.begin}
}

// ReplayFrom implements [model.ChunkSource].
func (t *trace) ReplayFrom(ctx context.Context, offset int64, before model.Time, yield func(*model.EventBatch) error) error {
	r := t.newReplay(ctx, yield)
	r.in = newBlocks(ctx, t.src, offset, blockSize)
	r.now, r.before = before, before
	return r.run()
}

// decoder is a [model.Decoder]. Its buffer grows as needed.
type decoder struct {
	src   *loaders.Source
	begin int64
	buf   []byte
	base  int64 // offset of buf[0]
	end   int   // bytes in buf
	eof   bool
}

// load makes the bytes from at available, with some before them, and returns the index of at in the buffer.
func (d *decoder) load(at, to int64) (pos int, err error) {
	d.base = max(d.begin, at-decodeBack)
	want := int(min(decodeBuffer, max(to-d.base, 0)+window))
	if len(d.buf) < want {
		d.buf = make([]byte, want)
	}
	d.end, err = d.src.ReadAtLeast(d.buf[:want], d.base, int(min(int64(want), to-d.base)))
	d.eof = err == io.EOF || err == nil && d.end < want // or what follows has not been written yet
	if err == io.EOF {
		err = nil
	}
	return int(at - d.base), err
}

// Decode implements [model.Decoder].
func (d *decoder) Decode(c *model.Columns, from, to int64, limit int) (next int64, err error) {
	pos, err := d.load(from, to)
	if err != nil {
		return from, err
	}
	now := model.Time(0) // since the first event
	ahead := int(min(to-from, decodeAhead))
	c.Reserve(min(limit, ahead/usualEvent+model.OffsetEvery), min(limit, ahead/usualPair+model.OffsetEvery))
	for d.base+int64(pos) < to && c.Len() < limit {
		if c.Len() == len(c.Offset)*model.OffsetEvery {
			c.Offset = append(c.Offset, d.base+int64(pos))
		}
		if c.Len() > 0 { // the first one may follow after any time
			due := min(limit, len(c.Offset)*model.OffsetEvery) - c.Len()
			var n int
			var low uint32
			pos, n, low = decodeColumns(d.buf[:d.end], pos, int(min(to-d.base, int64(d.end))), uint32(now), due, c)
			now = now&^math.MaxUint32 | model.Time(low)
			c.Raise(n, uint32(now>>32))
			if n == due || d.base+int64(pos) >= to {
				continue
			}
		}
		if d.end-pos < window && !d.eof {
			if pos, err = d.load(d.base+int64(pos), to); err != nil {
				return d.base + int64(pos), err
			}
			if d.end-pos < window && !d.eof {
				return d.base + int64(pos), io.ErrUnexpectedEOF
			}
			continue
		}
		if d.end == pos {
			break
		}
		size, more, err := d.one(c, pos, &now)
		if !more {
			return d.base + int64(pos), err
		}
		pos += size
	}
	return d.base + int64(pos), nil
}

// one decodes the event at pos by the general path. more is false if it must not be included.
func (d *decoder) one(c *model.Columns, pos int, now *model.Time) (size int, more bool, err error) {
	var e model.Event
	size, delta, st := decodeOne(d.buf[pos:d.end], &e)
	if st == short && d.eof {
		return 0, false, nil
	}
	if st != decoded || delta > math.MaxInt64 || e.Kind == model.Alloc && e.Addr == 0 && d.zeroes(pos) {
		return 0, false, model.ErrIrregular
	}
	if c.Len() == 0 {
		c.Delta, delta = model.Time(delta), 0
	}
	if delta > uint64(model.MaxTime-*now) {
		return size, false, nil
	}
	*now += model.Time(delta)
	c.Append(&e, *now)
	return size, true, nil
}

// zeroes reports whether the event at pos is in a run of zero bytes that is too long to be events, as in
// [replay.zeroes].
func (d *decoder) zeroes(pos int) bool {
	from, to := pos, pos
	for to < d.end && to-from < zeroRun && d.buf[to] == 0 {
		to++
	}
	for from > 0 && to-from < zeroRun && d.buf[from-1] == 0 {
		from--
	}
	return to-from >= zeroRun
}

// Sync implements [model.Decoder]. From a wrong offset, decoding soon fails or synchronizes with the true events. It
// follows the chains of events from a few adjacent offsets, the one with the lowest offset first, until only one has
// been left for a while.
func (d *decoder) Sync(off int64) (at int64, ok bool) {
	off = max(off, d.begin)
	start, err := d.load(off, off+syncBytes)
	if err != nil || d.eof || d.end-start < syncBytes/2 {
		return 0, false
	}
	var chains [syncChains]int
	n, alone := syncChains, 0
	for i := range chains {
		chains[i] = start + i
	}
	for alone < syncEvents {
		size := plausibleEvent(d.buf[chains[0]:d.end])
		if chains[0]+maxEvent > d.end {
			return 0, false
		}
		switch {
		case size > 0 && n == 1:
			if alone == 0 {
				at = d.base + int64(chains[0])
			}
			chains[0] += size
			alone++
			continue
		case n == 1:
			return 0, false
		}
		n = advanceChain(&chains, n, size)
	}
	return at, true
}

// advanceChain advances the first of n ascending offsets by size, or drops it if size is 0 or it meets another.
func advanceChain(chains *[syncChains]int, n, size int) int {
	to, i := chains[0]+size, 0
	for ; i+1 < n && (size == 0 || chains[i+1] < to); i++ {
		chains[i] = chains[i+1]
	}
	if size == 0 || i+1 < n && chains[i+1] == to {
		copy(chains[i:n-1], chains[i+1:n])
		return n - 1
	}
	chains[i] = to
	return n
}

// plausibleEvent returns the length of the event at the start of b, 0 if no usual trace has such an event.
func plausibleEvent(b []byte) int {
	var e model.Event
	size, delta, st := decodeOne(b, &e)
	if st != decoded || delta > saneDelta || size != minimalSize(&e, delta) {
		return 0
	}
	switch {
	case e.Kind <= model.Free && (e.Addr == 0 || e.Addr >= canonical || e.Addr < 1<<12):
		return 0
	case e.ID > saneID && e.Kind != model.GC, e.Size > saneSize:
		return 0
	}
	return size
}

// decodeColumns is decodeHot for columns: it stops at the first event that begins at or after stop, or after limit
// events, or before the lower half of the time overflows. hot kernel
func decodeColumns(buf []byte, pos, stop int, now uint32, limit int, c *model.Columns) (next, n int, last uint32) {
	c.Grow(limit)
	had, q := len(c.Kind), 0
	kinds, times, addrs := c.Kind[had:had+limit], c.Time[had:had+limit], c.Addr[had:had+limit]
	p0 := len(c.Size)
	sizes, ids, threads := c.Size[p0:p0+limit], c.ID[p0:p0+limit], c.Thread[p0:p0+limit]
	stop = min(stop, len(buf)-window+1)
	for n < len(kinds) && pos < stop && now <= math.MaxUint32-hotDelta {
		w := (*[window]byte)(buf[pos:])
		kind := w[0]
		if kind > typeFree {
			break
		}
		delta, p := uint32(w[1]), 2
		if delta >= 0x80 {
			b := uint32(w[2])
			delta = delta&0x7f | b<<7
			p = 3
			if b >= 0x80 {
				c := uint32(w[3])
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
		if kind == typeFree {
			now += delta
			kinds[n], times[n], addrs[n] = model.Free, now, addr
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
		now += delta
		kinds[n], times[n], addrs[n] = model.Alloc, now, addr
		sizes[q], ids[q], threads[q] = size, id, binary.LittleEndian.Uint16(w[p&31:])
		n++
		q++
		pos += p + 2
	}
	c.Kind, c.Time, c.Addr = c.Kind[:had+n], c.Time[:had+n], c.Addr[:had+n]
	c.Size, c.ID, c.Thread = c.Size[:p0+q], c.ID[:p0+q], c.Thread[:p0+q]
	return pos, n, now
}
