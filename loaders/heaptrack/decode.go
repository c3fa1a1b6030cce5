package heaptrack

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"

	"github.com/memtui/memtui/loaders"
	"github.com/memtui/memtui/model"
)

const (
	decodeBuffer = 32 * pageBytes
	decodeAhead  = 1 << 20 // events that memory is reserved for at once
	numberBytes  = 8       // an event without address
	addressBytes = 12      // usual events with an address: as many allocations as frees
	batchEvents  = 2048    // of a replay
)

// decoder is a [model.Decoder] of pages. Of all positions between two events it uses the first, and the start of a page
// before its head.
type decoder struct {
	ctx    context.Context // canceling it ends waiting for the converter
	src    *loaders.Source // the pages
	blocks *invented

	buf  []byte // some pages
	base int64  // offset of buf[0]
	held int    // bytes in buf

	page   [pageWords]uint64
	start  int64  // the page's offset
	n      int    // number of its words; smaller only at the end
	at     int    // in page
	before uint64 // time of the previous event
	clock  clock
	kinds  *kinds
}

// Sync implements [model.Decoder]: a page can be read without earlier ones.
func (d *decoder) Sync(off int64) (at int64, ok bool) {
	at = (off + pageBytes - 1) / pageBytes * pageBytes
	n, _ := d.src.ReadSome(d.ctx, make([]byte, 1), at)
	return at, n > 0
}

// Decode implements [model.Decoder].
func (d *decoder) Decode(c *model.Columns, from, to int64, limit int) (next int64, err error) {
	if from >= to {
		return from, nil
	}
	if err := d.seek(from, to); err != nil {
		return from, err
	}
	ahead := min(limit, int(min((to-from)/8, decodeAhead))+model.OffsetEvery)
	c.Reserve(ahead, ahead/2+model.OffsetEvery)
	first := uint64(0) // time of the first event
	for {
		pos := d.offset()
		if pos >= to || c.Len() >= limit {
			return pos, nil
		}
		if d.at >= d.n || d.page[d.at] == pad {
			if d.n < pageWords {
				return pos, nil
			}
			if err := d.load(d.start+pageBytes, to); err != nil {
				return pos, err
			}
			if d.n == 0 {
				return pos, nil
			}
			continue
		}
		if c.Len() == len(c.Offset)*model.OffsetEvery {
			c.Offset = append(c.Offset, pos)
		}
		due := min(limit, len(c.Offset)*model.OffsetEvery) - c.Len()
		switch high := (d.clock.time - first) >> 32; {
		case d.page[d.at] == step:
			d.clock = clock{time: d.page[d.at+1], eachTime: d.page[d.at+2], eachPart: d.page[d.at+3]}
			d.at += stepWords
		case c.Len() == 0:
			e := d.one()
			first = uint64(e.Time)
			c.Delta = e.Time - model.Time(d.before)
			c.Append(&e, 0)
		case d.page[d.at]&formMask == formOther, d.kinds.large, d.clock.eachTime >= 1<<31, (d.clock.after(due).time-first)>>32 != high:
			e := d.one()
			c.Append(&e, e.Time-model.Time(first))
		case d.page[d.at]&formMask == formNumber:
			c.Raise(d.numbers(c, due, first), uint32(high))
		default:
			c.Raise(d.addresses(c, due, first), uint32(high))
		}
	}
}

// offset returns the boundary at the decoder's position.
func (d *decoder) offset() int64 {
	switch {
	case d.at <= headWords:
		return d.start
	case d.at < d.n && d.page[d.at] == pad:
		return d.start + pageBytes
	}
	return d.start + 8*int64(d.at)
}

// seek moves to a boundary.
func (d *decoder) seek(from, to int64) error {
	if err := d.load(from/pageBytes*pageBytes, to); err != nil {
		return err
	}
	for until := int(from % pageBytes / 8); d.at < until && d.at < d.n; {
		if d.page[d.at] == step {
			d.clock = clock{time: d.page[d.at+1], eachTime: d.page[d.at+2], eachPart: d.page[d.at+3]}
			d.at += stepWords
			continue
		}
		d.at += wordsOf(d.page[d.at])
		d.before = d.clock.tick()
	}
	return nil
}

// load makes a page the current one, and may read further ones up to an offset. A missing page has no words.
func (d *decoder) load(start, to int64) error {
	if start < d.base || start+pageBytes > d.base+int64(d.held) {
		if err := d.read(start, to); err != nil {
			return err
		}
	}
	b := d.buf[start-d.base : d.held]
	d.start, d.n, d.at = start, min(len(b)/8, pageWords), headWords
	clear(d.page[d.n:])
	for i := range d.page[:d.n] {
		d.page[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	d.before = d.page[0]
	d.clock = clock{time: d.page[1], part: d.page[2], eachTime: d.page[3], eachPart: d.page[4]}
	d.kinds = d.blocks.shown.Load() // the page refers only to kinds that existed before it
	return nil
}

// read fills the buffer from an offset, with at least a page unless the input ends.
func (d *decoder) read(start, to int64) error {
	want := int(max(min(to-start, decodeBuffer)/pageBytes, 1) * pageBytes)
	if len(d.buf) < want {
		d.buf = make([]byte, want)
	}
	d.base, d.held = start, 0
	for d.held < pageBytes {
		n, err := d.src.ReadSome(d.ctx, d.buf[d.held:want], start+int64(d.held))
		d.held += n
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// one decodes an event of any form.
func (d *decoder) one() (e model.Event) {
	w, next := d.page[d.at], d.page[(d.at+1)%pageWords]
	d.at += wordsOf(w)
	e.Time = model.Time(d.clock.tick())
	free := false
	switch w & formMask {
	case formFree:
		e.Addr, free = w>>2, true
	case formAlloc:
		e.Addr, e.Size, e.ID = w>>2, next>>32, next&math.MaxUint32
	case formNumber:
		kind := w >> 3 % mostKinds
		e.Addr, e.Size, e.ID, free = addressOf(w>>32), d.kinds.sizes[kind], uint64(d.kinds.traces[kind]), w>>2&1 != 0
	default:
		rest := d.page[(d.at-1)%pageWords]
		e.Addr, e.Size, e.ID, free = next, d.page[(d.at-2)%pageWords], rest&math.MaxUint32, rest&wideFree != 0
	}
	if free {
		e.Kind, e.Size, e.ID = model.Free, 0, 0
	}
	return e
}

// numbers decodes up to due events without addresses and returns how many. Only the end depends on their contents, as
// neither the kinds of events nor the lengths of numbers are predictable. hot kernel
func (d *decoder) numbers(c *model.Columns, due int, first uint64) (n int) {
	c.Grow(due)
	had, p := len(c.Kind), len(c.Size)
	kinds, times, addrs := c.Kind[had:had+due], c.Time[had:had+due], c.Addr[had:had+due]
	sizes, ids, threads := c.Size[p:p+due], c.ID[p:p+due], c.Thread[p:p+due]
	k, at, end, all, page, q := d.clock, d.at, min(d.n, pageWords), d.kinds.both, &d.page, 0
	for n < len(kinds) && at < end {
		w := page[at%pageWords]
		if w&formMask != formNumber {
			break
		}
		both, free := all[w>>3%mostKinds], w>>2&1
		kinds[n], times[n], addrs[n] = model.EventKind(free), uint32(k.tick()-first), addressOf(w>>32)
		sizes[q], ids[q], threads[q] = both>>32, both&math.MaxUint32, 0
		q += int(free ^ 1)
		n++
		at++
	}
	d.clock, d.at = k, at
	c.Kind, c.Time, c.Addr = c.Kind[:had+n], c.Time[:had+n], c.Addr[:had+n]
	c.Size, c.ID, c.Thread = c.Size[:p+q], c.ID[:p+q], c.Thread[:p+q]
	return n
}

// addresses is like numbers for events with addresses. hot kernel
func (d *decoder) addresses(c *model.Columns, due int, first uint64) (n int) {
	c.Grow(due)
	had, p := len(c.Kind), len(c.Size)
	kinds, times, addrs := c.Kind[had:had+due], c.Time[had:had+due], c.Addr[had:had+due]
	sizes, ids, threads := c.Size[p:p+due], c.ID[p:p+due], c.Thread[p:p+due]
	k, at, end, page, q := d.clock, d.at, min(d.n, pageWords), &d.page, 0
	for n < len(kinds) && at < end {
		w, next := page[at%pageWords], page[(at+1)%pageWords]
		if w&formNumber != 0 {
			break
		}
		alloc := int(w & 1)
		kinds[n], times[n], addrs[n] = model.EventKind(alloc^1), uint32(k.tick()-first), w>>2
		sizes[q], ids[q], threads[q] = next>>32, next&math.MaxUint32, 0
		q += alloc
		n++
		at += 1 + alloc
	}
	d.clock, d.at = k, at
	c.Kind, c.Time, c.Addr = c.Kind[:had+n], c.Time[:had+n], c.Addr[:had+n]
	c.Size, c.ID, c.Thread = c.Size[:p+q], c.ID[:p+q], c.Thread[:p+q]
	return n
}

// trace is the event source of one file: its events in pages.
type trace struct {
	events *loaders.Source // the pages
	src    *loaders.Source // the text
	blocks *invented
	each   int64 // approximate bytes of an event
}

// EventBytes implements [model.Awaited].
func (t *trace) EventBytes() int64 { return t.each }

// Extent implements [model.EventSource].
func (t *trace) Extent() (begin, size int64) { return 0, t.events.Size() }

// MarkerName implements [model.EventSource]: there are none.
func (t *trace) MarkerName(uint64) (name string, ok bool) { return "", false }

// Changed implements [model.Changing].
func (t *trace) Changed() bool { return t.src.Changed() }

// Await implements [model.Awaited].
func (t *trace) Await(ctx context.Context, offset int64) (size int64, err error) {
	if _, err := t.events.ReadSome(ctx, make([]byte, 1), offset); err != io.EOF {
		return -1, err
	}
	return t.events.Size(), nil
}

// Decoder implements [model.ChunkSource].
func (t *trace) Decoder() model.Decoder { return t.decoder(context.Background()) }

func (t *trace) decoder(ctx context.Context) *decoder {
	return &decoder{ctx: ctx, src: t.events, blocks: t.blocks}
}

// Replay implements [model.EventSource].
func (t *trace) Replay(ctx context.Context, yield func(*model.EventBatch) error) error {
	return t.ReplayFrom(ctx, 0, 0, yield)
}

// ReplayFrom implements [model.ChunkSource].
func (t *trace) ReplayFrom(ctx context.Context, offset int64, before model.Time, yield func(*model.EventBatch) error) error {
	d, batch := t.decoder(ctx), model.EventBatch{}
	var c model.Columns
	for {
		c.Reset()
		next, err := d.Decode(&c, offset, math.MaxInt64, batchEvents)
		if err := ctx.Err(); err != nil {
			return err
		}
		batch.Events, before = appendEvents(batch.Events[:0], &c, before)
		batch.Offset, offset = next, next
		over := len(batch.Events) == 0 || err != nil
		if over {
			batch.Problems = t.endings(err, next)
		}
		if !over || len(batch.Events) > 0 || len(batch.Problems) > 0 {
			if err := yield(&batch); err != nil {
				return err
			}
		}
		if over {
			return nil
		}
	}
}

// endings returns problems with the end of the events and the read error.
func (t *trace) endings(err error, at int64) []model.Problem {
	problems := t.events.Problems()
	if err != nil && !errors.Is(err, io.EOF) {
		problems = append(problems, model.Problem{Severity: model.Error, Code: "read", Count: 1, Offset: at,
			Message: "the input cannot be read any further: " + err.Error()})
	}
	return problems
}

// appendEvents appends decoded events, and returns the time of the last one, or before.
func appendEvents(to []model.Event, c *model.Columns, before model.Time) ([]model.Event, model.Time) {
	origin, p := before+c.Delta, 0
	for i, kind := range c.Kind {
		e := model.Event{Kind: kind, Time: origin + c.Since(i), Addr: c.Addr[i]}
		if kind != model.Free {
			e.Size, e.ID = c.Size[p], c.ID[p]
			p++
		}
		to, before = append(to, e), e.Time
	}
	return to, before
}
